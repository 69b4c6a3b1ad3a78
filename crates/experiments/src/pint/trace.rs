//! Packets until a sink has decoded a path, by scheme and bits in each packet.

mod method;
mod network;
mod output;
mod row;

use fabricsim_base::input::ConfigError;
use fabricsim_engine::Threads;
use fabricsim_pint::tracing::Layers;

use super::trials::{Paths, Trials};
use method::Work;

pub use method::{Budget, Method, Preset, Rival};
pub use network::{Network, NetworkName};
pub use output::SET;
pub use row::Row;

/// Path lengths of the published figures and two below them.
const HOPS: [u8; 5] = [5, 10, 25, 36, 59];

/// Largest number of a hop, which must fit in one byte.
const MOST_HOPS: usize = 255;

/// Settings of a path-tracing measurement.
#[derive(Clone, Debug)]
pub struct TraceSettings {
    /// Path lengths, in switches, 1 to 255.
    pub hops: Vec<u8>,
    /// Schemes.
    pub scheme: Vec<Preset>,
    /// Bits in each packet: 8, 2x4, raw, 2xraw.
    pub budget: Vec<Budget>,
    /// Earlier schemes to compare PINT with: ppm, ams2-5, ams2-6 (any number of agreeing hashes),
    /// lnc.
    pub compare: Vec<Rival>,
    /// Hash functions of ams2: 8 in its paper, 7 in PINT's evaluation.
    pub functions: u8,
    /// Path length d for which schemes are tuned.
    pub estimate: Option<u8>,
    /// Switches of the network.
    pub switches: Option<u32>,
    /// Trials of each row.
    pub trials: u32,
    /// Seed of paths and hash functions.
    pub seed: u64,
    /// Write trace.png, too.
    pub png: bool,
    /// The network whose links the sink knows.
    pub topology: Option<NetworkName>,
}

/// A row of the results, ready to run.
#[derive(Debug)]
pub struct TraceCell {
    hops: u8,
    switches: u32,
    method: Method,
    trials: Trials,
    work: Work,
}

impl TraceSettings {
    /// Returns the requested path lengths, ascending.
    fn lengths(&self, network: Option<&Network>) -> Result<Vec<u8>, ConfigError> {
        let longest = network.map_or(MOST_HOPS, |network| network.walk.len());
        let mut lengths = self.hops.clone();
        if lengths.is_empty() {
            lengths.extend(HOPS.iter().filter(|&&hops| usize::from(hops) < longest));
            lengths.extend(network.and_then(|_| u8::try_from(longest).ok()));
        }
        lengths.sort_unstable();
        lengths.dedup();
        match lengths.last() {
            Some(&hops) if usize::from(hops) > longest => Err(ConfigError::new(
                "hops",
                format!("{hops} switches are more than the longest shortest path has"),
                format!("give 1 to {longest}"),
            )),
            _ => Ok(lengths),
        }
    }

    /// Returns the layers into which `preset` divides packets: for paths of `estimate` switches if
    /// it is set, otherwise of `hops` switches.
    fn layers(&self, preset: Preset, hops: u8) -> Result<Layers, ConfigError> {
        let layers = preset.layers(self.estimate.unwrap_or(hops));
        layers.map_err(|error| ConfigError {
            key: if self.estimate.is_some() {
                "estimate"
            } else {
                "hops"
            },
            ..error
        })
    }

    /// Returns all rows in order: by path length, then PINT's schemes by budget, then the other
    /// schemes.
    ///
    /// # Errors
    /// Names the setting, the problem and a fix.
    pub fn cells(&self, network: Option<&Network>) -> Result<Vec<TraceCell>, ConfigError> {
        let mut cells = Vec::new();
        for hops in self.lengths(network)? {
            let (switches, paths) = match network {
                Some(network) => (network.switches(), network.paths()),
                None => {
                    let switches = self.switches.unwrap_or_else(|| switches_for(hops));
                    (switches, Paths::Random { switches })
                }
            };
            if u32::from(hops) > switches {
                return Err(ConfigError::new(
                    "hops",
                    format!(
                        "a path of {hops} distinct switches does not fit a network of {switches}"
                    ),
                    format!("give up to {switches}, or more --switches"),
                ));
            }
            let trials = Trials {
                count: self.trials,
                seed: self.seed,
                ..Trials::of(hops, paths)
            };
            let mut add = |method, work| {
                cells.push(TraceCell {
                    hops,
                    switches,
                    method,
                    trials: trials.clone(),
                    work,
                });
            };
            for &preset in &self.scheme {
                let layers = self.layers(preset, hops)?;
                for &budget in &self.budget {
                    let config = budget.scheme(layers.clone(), switches);
                    add(Method::Pint(preset, budget), Work::Pint(config));
                }
            }
            for &rival in &self.compare {
                add(Method::Other(rival), rival.work(self.functions)?);
            }
        }
        Ok(cells)
    }
}

impl TraceCell {
    /// Returns the number of switches of the paths and the scheme, as a title.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{} hops, {}", self.hops, self.method.scheme())
    }

    /// Runs the trials on `threads`.
    ///
    /// # Errors
    /// If the scheme has no such form.
    pub fn run(mut self, threads: &Threads) -> Result<Row, ConfigError> {
        self.trials.threads = threads.clone();
        let found = match &self.work {
            Work::Pint(config) => self.trials.pint(config),
            Work::Traceback(marking) => self.trials.traceback(*marking),
            Work::NetworkCoding => self.trials.network_coding(),
        }?;
        Ok(Row {
            hops: self.hops,
            switches: self.switches,
            method: self.method,
            trials: self.trials.count,
            found,
        })
    }
}

/// Returns the number of switches of the network behind each path length of PINT's Figure 10: a
/// fat-tree of 80, US Carrier and Kentucky Datalink.
const fn switches_for(hops: u8) -> u32 {
    match hops {
        0..=10 => 80,
        36 => 158,
        _ => 754,
    }
}
