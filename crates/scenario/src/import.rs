//! From a configuration of the published HPCC simulator (`config.txt`) to the text of a scenario.
//!
//! * [`Configuration`] is such a file: keys and words, each with its place.
//! * [`Configuration::to_scenario`] writes the scenario, with a comment behind each value that says
//!   which key it comes from, and says of all other keys why they are left out.
//!
//! Texts are given and returned; whoever calls opens the files.

mod algorithm;
mod config;
mod keys;
mod lines;
mod mode;
mod network;
mod observation;
mod trace;
mod value;

use std::ops::Range;

use fabricsim_core::input::InputError;
use fabricsim_core::units::Rate;

use algorithm::mode_of;
use lines::Lines;
use mode::Mode;

pub use config::Configuration;
pub use keys::{CONFIG_KEYS, ConfigKey};
pub use trace::read_trace_nodes;

/// What a scenario needs to know that its configuration does not say.
pub struct Surroundings<'a> {
    /// Name of the scenario.
    pub name: &'a str,
    /// What the scenario is made of, as its first line calls it.
    pub source: &'a str,
    /// Returns the path that the scenario has for a file that the configuration names.
    pub path: &'a dyn Fn(&str) -> String,
    /// Rates of the links of the topology, ascending.
    pub rates: &'a [Rate],
    /// Nodes of the trace file, where the configuration asks for a trace.
    pub traced: &'a [u32],
}

/// A scenario that has been made of a configuration.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The scenario, a TOML text.
    pub text: String,
    /// Keys that are left out, each with the reason.
    pub left_out: Vec<LeftOut>,
    /// For each line of `text`, where the configuration says it.
    origins: Vec<Option<Range<usize>>>,
}

/// Keys that are left out for one reason.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LeftOut {
    /// The keys, in the order of the configuration.
    pub keys: Vec<&'static str>,
    /// Why they are left out.
    pub reason: String,
}

impl Imported {
    /// Returns where the configuration says what is in line `line` of the scenario, counted from
    /// one.
    #[must_use]
    pub fn origin(&self, line: usize) -> Option<Range<usize>> {
        self.origins.get(line.checked_sub(1)?)?.clone()
    }
}

impl Configuration<'_> {
    /// Returns the scenario that this configuration describes, under the profile of the published
    /// simulator.
    ///
    /// # Errors
    /// At the first value that cannot be read, that asks for what is not simulated, or that is
    /// missing.
    pub fn to_scenario(&self, around: &Surroundings<'_>) -> Result<Imported, InputError> {
        let mode = mode_of(self)?;
        let left_out = self.left_out(mode)?;
        let mut lines = Lines::default();
        lines.comment(&format!("Made of {} by `fabricsim import`.", around.source));
        if !left_out.is_empty() {
            lines.comment("Keys that are left out:");
        }
        for LeftOut { keys, reason } in &left_out {
            lines.wrapped_comment(&format!("{}: {reason}", keys.join(", ")));
        }
        lines.text_key("name", around.name);
        lines.text_key("profile", "ns3-hpcc");
        network::write(self, around, &mut lines)?;
        algorithm::write(self, mode, &mut lines)?;
        network::write_marks(self, mode, around, &mut lines)?;
        network::write_transport(self, &mut lines)?;
        network::write_failure(self, &mut lines)?;
        observation::write(self, around, &mut lines)?;
        let (text, origins) = lines.finish();
        Ok(Imported {
            text,
            left_out,
            origins,
        })
    }

    /// The keys that are given and left out.
    fn left_out(&self, mode: Mode) -> Result<Vec<LeftOut>, InputError> {
        let mut reasons: Vec<LeftOut> = Vec::new();
        for key in self.given() {
            let Some(reason) = self.reason_to_leave_out(key, mode)? else {
                continue;
            };
            match reasons.iter_mut().find(|known| known.reason == reason) {
                Some(known) => known.keys.push(key.name),
                None => reasons.push(LeftOut {
                    keys: vec![key.name],
                    reason,
                }),
            }
        }
        Ok(reasons)
    }

    fn reason_to_leave_out(
        &self,
        key: &ConfigKey,
        mode: Mode,
    ) -> Result<Option<String>, InputError> {
        let reason = keys::reason(key, mode);
        if reason.is_some() {
            return Ok(reason);
        }
        observation::reason(self, key)
    }
}

#[cfg(test)]
mod tests;
