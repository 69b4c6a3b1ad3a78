//! Workloads of SimAI, as AICB writes them: the layers of a model, each with the computing times of
//! a GPU and the collectives that follow.
//!
//! Format and behavior follow SimAI's simulation (`workload/Workload.cc` and `Layer.cc`; groups:
//! `Sys.cc` and `MockNcclGroup.cc`). All GPUs do the same, once. They pass forward through all
//! layers, each with its computation and then its collective. Then they pass backward, each layer
//! with the computation and the collective of input gradients, and the computation of weight
//! gradients. The collective of weight gradients follows, but no operation waits for it. Times are
//! in nanoseconds. A forward collective of fewer than 4096 bytes has 4096.
//!
//! Differs from SimAI: a collective uses the algorithms of this crate (there, a ring for each GPU
//! of a server in the group, or NVLS). All operations that can start run concurrently (there, by
//! scheduling policies). Messages do not wait before they are sent (`AS_SEND_LAT` there). The time
//! that follows each collective (`weight_update`, the last column) is added only if an operation
//! waits for it.

mod file;
mod groups;

use std::sync::Arc;

use fabricsim_base::input::InputError;
use fabricsim_base::units::Duration;

use super::Loaded;
use super::assembly::{Assembly, MAX_RANKS, Placed, Stated};
use crate::graph::Operation;
use crate::text::{Piece, lines};
use file::{OTHERS, Step, TRANSFORMER, read};
use groups::Groups;

/// Returns `true` if `text` begins like a workload of SimAI: with the name of a parallelism.
#[must_use]
pub fn is_simai_workload(text: &str) -> bool {
    let first = lines(text).next().and_then(|line| line.words().next());
    first.is_some_and(|word| word.text == TRANSFORMER || OTHERS.contains(&word.text))
}

/// Returns the settings of a workload that SimAI's simulation ignores, each with the reason. A
/// graph of operations also ignores them.
///
/// # Errors
/// Fails if the text is no such workload.
pub fn simai_passed_over(text: &str) -> Result<Vec<(String, String)>, InputError> {
    let (header, layers) = read(text)?;
    let mut found = Vec::new();
    for (key, value) in header.others {
        let reason = match key {
            "all_gpus" => "each host of the workload is a GPU",
            "pp" | "pp_comm" | "vpp" | "ga" if value.text != "1" && value.text != "0" => {
                "messages between stages of a pipeline are not in the file, and SimAI simulates \
                 none, either"
            }
            _ => continue,
        };
        found.push((format!("{key} {}", value.text), reason.to_owned()));
    }
    if layers.iter().any(|(_, broadcasts)| *broadcasts) {
        let reason = "SimAI's simulation passes over broadcasts without a word, and so does this";
        found.push(("BROADCAST".to_owned(), reason.to_owned()));
    }
    Ok(found)
}

/// Reads a workload for `gpus` GPUs.
///
/// # Errors
/// Returns the position of the first word that cannot be read or simulated, or of a group size that
/// does not divide the GPUs.
pub(super) fn parse(text: &str, gpus: u32) -> Result<Loaded, InputError> {
    let (header, layers) = read(text)?;
    let groups = Groups::new(gpus.min(MAX_RANKS), &header.sizes)?;
    let mut assembly = Assembly::new(groups.gpus);
    for gpu in 0..groups.gpus {
        let mut pass = Pass {
            assembly: &mut assembly,
            gpu,
            groups: groups.of(gpu),
            last: None,
        };
        for (number, (layer, _)) in layers.iter().enumerate() {
            let name = format!("{number} {} forward", layer.name);
            pass.blocking(&name, &layer.forward, layer.update)?;
        }
        for (number, (layer, _)) in layers.iter().enumerate().rev() {
            let name = format!("{number} {} input gradient", layer.name);
            pass.blocking(&name, &layer.input_gradient, layer.update)?;
            let name = format!("{number} {} weight gradient", layer.name);
            pass.compute(
                &name,
                layer.weight_gradient.span,
                layer.weight_gradient.place,
            )?;
            pass.collective(&name, &layer.weight_gradient)?;
        }
    }
    assembly.finish(text)
}

/// The operations of one GPU, one after the other.
struct Pass<'a, 't> {
    assembly: &'a mut Assembly<'t>,
    gpu: u32,
    /// Members of the GPU's groups.
    groups: [Arc<[u32]>; 4],
    /// The operation that the next one waits for.
    last: Option<Placed>,
}

impl<'t> Pass<'_, 't> {
    /// Adds a step that the next one waits for.
    fn blocking(
        &mut self,
        name: &str,
        step: &Step<'t>,
        update: Duration,
    ) -> Result<(), InputError> {
        self.compute(name, step.span, step.place)?;
        if let Some(placed) = self.collective(name, step)? {
            self.last = Some(placed);
            self.compute(name, update, step.place)?;
        }
        Ok(())
    }

    fn compute(&mut self, name: &str, span: Duration, place: Piece<'t>) -> Result<(), InputError> {
        if span == Duration::ZERO {
            return Ok(());
        }
        let operation = Operation::Compute { stream: 0, span };
        let placed = self.assembly.add(self.gpu, name, operation, place)?;
        self.follow(placed);
        self.last = Some(placed);
        Ok(())
    }

    /// Adds the collective of `step` if it has one among several GPUs.
    fn collective(&mut self, name: &str, step: &Step<'t>) -> Result<Option<Placed>, InputError> {
        let Some((operation, size, group)) = step.collective else {
            return Ok(None);
        };
        let members = &self.groups[group as usize];
        if members.len() < 2 {
            return Ok(None);
        }
        let stated = Stated {
            operation,
            algorithm: None,
            size,
            members: Arc::clone(members),
            place: step.place,
        };
        let placed = self.assembly.collective(self.gpu, name, stated)?;
        self.follow(placed);
        Ok(Some(placed))
    }

    fn follow(&mut self, placed: Placed) {
        if let Some(last) = self.last {
            self.assembly.after_end(self.gpu, placed, last);
        }
    }
}

#[cfg(test)]
mod tests;
