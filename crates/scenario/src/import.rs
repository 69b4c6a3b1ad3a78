//! Conversion of other simulators' files to the text of a scenario.
//!
//! * [`Importer`] is the interface of a format, [`IMPORTERS`] the list of all formats.
//! * [`Configuration`] is the configuration of the published HPCC simulator (`config.txt`), or of
//!   ConWeave's: keys and words with their positions.
//! * [`Configuration::to_scenario`] writes the scenario. A comment after each value names its
//!   original key.
//!
//! Each scenario begins with a comment that lists its sources and all omitted keys, with reasons.

mod algorithm;
mod config;
mod conweave;
mod conweave_keys;
mod dialect;
mod differences;
mod hpcc;
mod htsim;
mod importer;
mod importers;
mod keys;
mod lines;
mod mode;
mod network;
mod observation;
mod relatives_keys;
mod shared_keys;
mod simai;
mod simai_keys;
mod trace;
mod unknown;
mod value;
mod words;

use std::borrow::Cow;
use std::ops::Range;

use fabricsim_base::input::InputError;
use fabricsim_base::units::Rate;

use algorithm::{Schemes, mode_of};
use keys::Role;
use lines::{Lines, Origin};
use mode::Mode;
use network::Marks;

pub use config::Configuration;
pub use dialect::Dialect;
pub use importer::{Importer, InputFile, Job};
pub use importers::{IMPORTERS, importer, importer_of};
pub use keys::ConfigKey;
pub use trace::read_trace_nodes;
pub use unknown::UnknownKeys;

/// Information that the conversion needs in addition to the configuration.
pub struct Surroundings<'a> {
    /// Name of the scenario.
    pub name: &'a str,
    /// Description of the source, for the first line of the scenario.
    pub source: &'a str,
    /// Converts a path in the configuration to a path in the scenario.
    pub path: &'a dyn Fn(&str) -> String,
    /// Link rates of the topology, ascending.
    pub rates: &'a [Rate],
    /// Rates of links that only switches inside servers have; these switches do not mark.
    pub unmarked: &'a [Rate],
    /// Nodes of the trace file, if the configuration enables the trace.
    pub traced: &'a [u32],
    /// Switches with hosts, ascending.
    pub racks: &'a [u32],
    /// `true` if the topology file continues after the announced links: both simulators stop there.
    pub more_links: bool,
    /// `true` if the flow file continues after the announced flows.
    pub more_flows: bool,
    /// Bytes of the smallest flow, if there is a list.
    pub smallest_flow: Option<u64>,
    /// Omitted parts of all other files, and differences.
    pub left_out: &'a [LeftOut],
    /// The lines for the network and the traffic, if the configuration does not name files for
    /// them.
    pub files: &'a [(&'a str, Vec<(&'a str, String)>)],
}

/// A scenario converted from files of another simulator.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The scenario, a TOML text.
    pub text: String,
    /// Omitted keys, each with the reason.
    pub left_out: Vec<LeftOut>,
    /// Name and content of the configuration, the origin of the lines of `text`.
    pub source: InputFile,
    /// For each line of `text`, its origin in `source`.
    origins: Vec<Option<Origin>>,
}

/// Keys that are omitted for the same reason.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LeftOut {
    /// The omitted keys, or other omitted items, in the order of the file.
    pub keys: Vec<Cow<'static, str>>,
    /// The reason for omitting the keys.
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
    /// Returns the origin of line `line` of the scenario: its position in the imported file. Lines
    /// count from one.
    #[must_use]
    pub fn origin(&self, line: usize) -> Option<Range<usize>> {
        self.origin_with_key(line).map(|(span, _)| span.clone())
    }

    fn origin_with_key(&self, line: usize) -> Option<&Origin> {
        self.origins.get(line.checked_sub(1)?)?.as_ref()
    }

    /// Converts an error in line `line` of the scenario to an error at its origin in the imported
    /// file, in terms of that file.
    #[must_use]
    pub fn error_in_source(&self, line: usize, message: &str, help: &str) -> Option<InputError> {
        let (span, key) = self.origin_with_key(line)?;
        let help = match *key {
            "BUFFER_SIZE" => {
                "write a larger BUFFER_SIZE, in MiB: the reserved bytes must fit (the published simulator \
                 runs all the same, because its remainder wraps around to almost 4 GiB)"
            }
            _ => help,
        };
        Some(InputError::new(span.clone(), message, help))
    }
}

/// Returns the errors of all parts of a scenario, without duplicates.
fn all<const N: usize>(parts: [Result<(), InputError>; N]) -> Result<(), Vec<InputError>> {
    let errors: Vec<InputError> = parts.into_iter().filter_map(Result::err).collect();
    match errors.is_empty() {
        true => Ok(()),
        false => Err(errors),
    }
}

/// The parts of a scenario on which more than one table depends.
struct Parts<'c, 't> {
    config: &'c Configuration<'t>,
    mode: Mode,
    marks: Marks<'t>,
    schemes: Schemes,
}

impl Configuration<'_> {
    /// Converts this configuration to a scenario, under the profile of the published simulator.
    ///
    /// # Errors
    /// Returns one error for each part of the scenario. The error names the first value that is
    /// missing, is invalid, or requires a feature that fabricsim does not simulate.
    pub fn to_scenario(&self, around: &Surroundings<'_>) -> Result<Imported, Vec<InputError>> {
        let mode = mode_of(self).map_err(|error| vec![error])?;
        let parts = Parts {
            config: self,
            mode,
            marks: Marks::of(self, mode, around).map_err(|error| vec![error])?,
            schemes: Schemes::beside(self, mode),
        };
        let left_out = parts.left_out(around).map_err(|error| vec![error])?;
        let mut lines = Lines::default();
        importer::preamble(&[around.source.to_owned()], &left_out, &mut lines);
        lines.text_key("name", around.name);
        match self.dialect() {
            Dialect::Published => parts.write_published(around, &mut lines)?,
            Dialect::ConWeave => parts.write_conweave(around, &mut lines)?,
            Dialect::SimAi => parts.write_simai(around, &mut lines)?,
        }
        parts.schemes.write(&mut lines);
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
}

impl Parts<'_, '_> {
    fn write_published(
        &self,
        around: &Surroundings<'_>,
        lines: &mut Lines,
    ) -> Result<(), Vec<InputError>> {
        let config = self.config;
        lines.text_key("profile", "ns3-hpcc");
        all([
            network::write(config, around, lines),
            network::write_end(config, lines),
            algorithm::write(config, self.mode, lines),
            network::write_switch(config, &self.marks, lines),
            network::write_transport(config, around, lines),
            network::write_failure(config, lines),
            observation::write(config, around, lines),
        ])
    }

    fn write_conweave(
        &self,
        around: &Surroundings<'_>,
        lines: &mut Lines,
    ) -> Result<(), Vec<InputError>> {
        let config = self.config;
        all([
            conweave::write_head(config, self.mode, lines),
            network::write(config, around, lines),
            conweave::write_end(config, lines),
            algorithm::write(config, self.mode, lines),
            network::write_switch(config, &self.marks, lines),
            network::write_transport(config, around, lines),
            conweave::write_routing(config, lines),
            network::write_failure(config, lines),
            conweave::write_observation(config, around, lines),
        ])
    }

    fn write_simai(
        &self,
        around: &Surroundings<'_>,
        lines: &mut Lines,
    ) -> Result<(), Vec<InputError>> {
        let config = self.config;
        all([
            simai::write_network(config, around, lines),
            algorithm::write(config, self.mode, lines),
            network::write_switch(config, &self.marks, lines),
            network::write_transport(config, around, lines),
            network::write_failure(config, lines),
        ])
    }

    /// Returns all omitted keys and all differences.
    fn left_out(&self, around: &Surroundings<'_>) -> Result<Vec<LeftOut>, InputError> {
        let config = self.config;
        let mut left_out: Vec<LeftOut> = Vec::new();
        match config.dialect() {
            Dialect::Published => left_out.extend(differences::without_pauses(config)?),
            Dialect::ConWeave => {
                for (what, why) in conweave::differences(config, self.mode)? {
                    left_out.push(LeftOut::new(what, why));
                }
            }
            Dialect::SimAi => left_out.extend(around.left_out.iter().cloned()),
        }
        for key in config.given() {
            let Some(reason) = self.reason_to_leave_out(key)? else {
                continue;
            };
            match left_out.iter_mut().find(|known| known.reason == reason) {
                Some(known) => known.keys.push(key.name.into()),
                None => left_out.push(LeftOut::new(key.name, reason)),
            }
        }
        left_out.extend(config.not_read());
        left_out.extend(self.marks.left_out(config));
        left_out.extend(self.schemes.left_out());
        network::add_left_out(around, &mut left_out);
        Ok(left_out)
    }

    fn reason_to_leave_out(&self, key: &ConfigKey) -> Result<Option<String>, InputError> {
        let reason = match key.role {
            Role::Of(modes) => self.schemes.reason(modes, self.mode),
            _ => keys::reason(key),
        };
        if reason.is_some() || self.config.dialect() != Dialect::Published {
            return Ok(reason);
        }
        observation::reason(self.config, key)
    }
}

#[cfg(test)]
mod tests;
