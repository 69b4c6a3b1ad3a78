//! From the files of other simulators to the text of a scenario.
//!
//! * [`Importer`] is what a format has to do, [`IMPORTERS`] the list of all formats.
//! * [`Configuration`] is the configuration of the published HPCC simulator (`config.txt`), or of
//!   ConWeave's: keys and words, each with its place.
//! * [`Configuration::to_scenario`] writes the scenario, with a comment behind each value that says
//!   which key it comes from, and says of all other keys why they are left out.
//!
//! Each scenario begins with what it is made of, and with all that is left out.

mod algorithm;
mod config;
mod conweave;
mod conweave_keys;
mod dialect;
mod hpcc;
mod htsim;
mod importer;
mod importers;
mod keys;
mod lines;
mod mode;
mod network;
mod observation;
mod simai;
mod simai_keys;
mod trace;
mod value;

use std::borrow::Cow;
use std::ops::Range;

use fabricsim_core::input::InputError;
use fabricsim_core::units::Rate;

use algorithm::mode_of;
use lines::Lines;
use mode::Mode;

pub use config::Configuration;
pub use dialect::Dialect;
pub use importer::{Importer, InputFile, Job};
pub use importers::{IMPORTERS, importer, importer_of};
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
    /// Rates of links that only switches inside of servers have, which mark nothing.
    pub unmarked: &'a [Rate],
    /// Nodes of the trace file, where the configuration asks for a trace.
    pub traced: &'a [u32],
    /// Switches that hosts are linked to, ascending.
    pub racks: &'a [u32],
    /// Whether something follows the links that the topology announces: both simulators stop there.
    pub more_links: bool,
    /// Whether lines follow the flows that their list announces.
    pub more_flows: bool,
    /// What is left out of the other files, and what differs.
    pub left_out: &'a [LeftOut],
    /// The lines of the network and of the traffic, where the configuration names no files for them.
    pub files: &'a [(&'a str, Vec<(&'a str, String)>)],
}

/// A scenario that has been made of the files of another simulator.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The scenario, a TOML text.
    pub text: String,
    /// Keys that are left out, each with the reason.
    pub left_out: Vec<LeftOut>,
    /// The name of the file that the lines of `text` come from, and its content.
    pub source: InputFile,
    /// For each line of `text`, where that file says it.
    origins: Vec<Option<Range<usize>>>,
}

/// Keys that are left out for one reason.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LeftOut {
    /// The keys, or what else there is, in the order of the file.
    pub keys: Vec<Cow<'static, str>>,
    /// Why they are left out.
    pub reason: String,
}

impl LeftOut {
    pub(crate) fn new(key: impl Into<Cow<'static, str>>, reason: impl Into<String>) -> Self {
        Self {
            keys: vec![key.into()],
            reason: reason.into(),
        }
    }
}

impl Imported {
    /// Returns where the file that was imported says what is in line `line` of the scenario, counted
    /// from one.
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
        let mut left_out = self.left_out(mode, around)?;
        network::add_left_out(around, &mut left_out);
        let mut lines = Lines::default();
        importer::preamble(&[around.source.to_owned()], &left_out, &mut lines);
        lines.text_key("name", around.name);
        match self.dialect() {
            Dialect::Published => self.write_published(mode, around, &mut lines)?,
            Dialect::ConWeave => self.write_conweave(mode, around, &mut lines)?,
            Dialect::SimAi => simai::write(self, mode, around, &mut lines)?,
        }
        let (text, origins) = lines.finish();
        Ok(Imported {
            text,
            left_out,
            source: InputFile {
                path: around.source.into(),
                text: self.text().to_owned(),
            },
            origins,
        })
    }

    fn write_published(
        &self,
        mode: Mode,
        around: &Surroundings<'_>,
        lines: &mut Lines,
    ) -> Result<(), InputError> {
        lines.text_key("profile", "ns3-hpcc");
        network::write(self, around, lines)?;
        network::write_end(self, lines)?;
        algorithm::write(self, mode, lines)?;
        network::write_marks(self, mode, around, lines)?;
        network::write_transport(self, lines)?;
        network::write_failure(self, lines)?;
        observation::write(self, around, lines)
    }

    fn write_conweave(
        &self,
        mode: Mode,
        around: &Surroundings<'_>,
        lines: &mut Lines,
    ) -> Result<(), InputError> {
        conweave::write_head(self, mode, lines)?;
        network::write(self, around, lines)?;
        conweave::write_end(self, lines)?;
        algorithm::write(self, mode, lines)?;
        network::write_marks(self, mode, around, lines)?;
        network::write_transport(self, lines)?;
        conweave::write_routing(self, lines)?;
        network::write_failure(self, lines)?;
        conweave::write_observation(self, around, lines)
    }

    /// The keys that are given and left out.
    fn left_out(&self, mode: Mode, around: &Surroundings<'_>) -> Result<Vec<LeftOut>, InputError> {
        let mut reasons: Vec<LeftOut> = Vec::new();
        match self.dialect() {
            Dialect::Published => {}
            Dialect::ConWeave => {
                for (what, why) in conweave::differences(self, mode)? {
                    reasons.push(LeftOut::new(what, why));
                }
            }
            Dialect::SimAi => reasons.extend(around.left_out.iter().cloned()),
        }
        for key in self.given() {
            let Some(reason) = self.reason_to_leave_out(key, mode)? else {
                continue;
            };
            match reasons.iter_mut().find(|known| known.reason == reason) {
                Some(known) => known.keys.push(key.name.into()),
                None => reasons.push(LeftOut {
                    keys: vec![key.name.into()],
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
        if reason.is_some() || self.dialect() != Dialect::Published {
            return Ok(reason);
        }
        observation::reason(self, key)
    }
}

#[cfg(test)]
mod tests;
