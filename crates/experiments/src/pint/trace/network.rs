//! Networks with links that the sink knows.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use fabricsim_base::id::NodeId;
use fabricsim_pint::tracing::Universe;
use fabricsim_scenario::text::error::Error;
use fabricsim_scenario::text::file_kind::FileKind;
use fabricsim_scenario::text::input_file::read_text;
use fabricsim_topology::{GraphmlConfig, IspConfig, Topology};

use crate::pint::trials::Paths;

/// Hosts at each switch. They are unused, but a topology needs two or more.
const HOSTS: u32 = 2;

/// A network, by its name on the command line.
#[derive(Clone, Debug)]
pub enum NetworkName {
    /// A GraphML file.
    File(PathBuf),
    /// A random network.
    Isp(IspConfig),
}

/// A network, with switches numbered from 0.
#[derive(Debug)]
pub struct Network {
    /// Its name on the command line.
    pub name: String,
    /// The longest shortest path.
    pub(super) walk: Arc<[u64]>,
    universe: Arc<Universe>,
}

impl FromStr for NetworkName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some(numbers) = text.strip_prefix("isp:") else {
            let path = PathBuf::from(text);
            let ending = path.extension().unwrap_or_default();
            if ending.eq_ignore_ascii_case("graphml") || ending.eq_ignore_ascii_case("xml") {
                return Ok(Self::File(path));
            }
            return Err(
                "give a file that ends in .graphml, or isp:SWITCHES:LONGEST, such as isp:754:59"
                    .to_owned(),
            );
        };
        const HELP: &str =
            "write isp:SWITCHES:LONGEST or isp:SWITCHES:LONGEST:SEED, such as isp:754:59";
        let numbers: Vec<&str> = numbers.split(':').collect();
        let (switches, longest, seed) = match numbers[..] {
            [switches, longest] => (switches, longest, "1"),
            [switches, longest, seed] => (switches, longest, seed),
            _ => return Err(HELP.to_owned()),
        };
        let number = |text: &str| text.parse::<u32>().map_err(|_| HELP.to_owned());
        Ok(Self::Isp(IspConfig {
            switches: number(switches)?,
            longest_path: number(longest)?,
            seed: seed.parse().map_err(|_| HELP.to_owned())?,
            ..IspConfig::default()
        }))
    }
}

impl fmt::Display for NetworkName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Isp(IspConfig {
                switches,
                longest_path,
                seed,
                ..
            }) => write!(f, "isp:{switches}:{longest_path}:{seed}"),
        }
    }
}

impl NetworkName {
    /// Reads or generates the network.
    ///
    /// # Errors
    /// If its file cannot be read, or there is no such network.
    pub fn load(&self) -> Result<Network, Error> {
        let topology = match self {
            Self::File(path) => {
                let text = read_text(FileKind::TOPOLOGY, path)?;
                let config = GraphmlConfig {
                    hosts_per_switch: HOSTS,
                    ..GraphmlConfig::new(path)
                };
                let read = config.read(&text);
                read.map_err(|error| Error::input(&path.display().to_string(), &text, error))?
            }
            Self::Isp(config) => {
                let config = IspConfig {
                    hosts_per_switch: HOSTS,
                    ..config.clone()
                };
                config.build().map_err(|error| Error::Unsupported {
                    scenario: format!("--topology {self}"),
                    message: format!("{}: {}", error.key, error.message),
                    help: error.help,
                })?
            }
        };
        Ok(Network::of(self.to_string(), &topology))
    }
}

impl Network {
    /// Returns the network of the switches of `topology`.
    fn of(name: String, topology: &Topology) -> Self {
        let switches: Vec<NodeId> = topology.switches().collect();
        let number = |node: NodeId| {
            let place = switches.binary_search(&node);
            place.expect("a switch of this topology") as u64
        };
        let links: Vec<(u64, u64)> = topology
            .switch_links()
            .map(|(a, b)| (number(a), number(b)))
            .collect();
        let walk = topology.longest_switch_path().into_iter().map(number);
        let universe = Universe::with_links((0..switches.len() as u64).collect(), &links);
        Self {
            name,
            walk: walk.collect(),
            universe: Arc::new(universe.expect("links of a topology join its switches")),
        }
    }

    pub(super) fn switches(&self) -> u32 {
        let count = self.universe.switches().len();
        u32::try_from(count).expect("a topology has fewer nodes than 2^32")
    }

    /// Returns paths on the longest shortest path.
    pub(crate) fn paths(&self) -> Paths {
        Paths::Along {
            universe: Arc::clone(&self.universe),
            walk: Arc::clone(&self.walk),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_named_by_file_or_by_numbers() {
        for (text, shown) in [
            ("isp:754:59", "isp:754:59:1"),
            ("isp:20:5:7", "isp:20:5:7"),
            ("zoo/Kdl.graphml", "zoo/Kdl.graphml"),
        ] {
            assert_eq!(text.parse::<NetworkName>().unwrap().to_string(), shown);
        }
        for text in ["", "isp", "isp:754", "isp:754:x", "isp:1:2:3:4", "Kdl.txt"] {
            assert!(text.parse::<NetworkName>().is_err(), "{text}");
        }
    }

    #[test]
    fn switches_are_numbered_from_zero() {
        let network = "isp:20:5".parse::<NetworkName>().unwrap().load().unwrap();
        assert_eq!((network.switches(), network.walk.len()), (20, 5));
        assert!(network.walk.iter().all(|&switch| switch < 20));
    }
}
