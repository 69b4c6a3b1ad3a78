//! The racks of a Clos fabric: the switches of the lowest tier with their hosts.

use fabricsim_base::input::ConfigError;
use fabricsim_base::units::Rate;

use super::super::plan::fits_ports;
use super::shape::Shape;
use super::{ClosConfig, ClosRack};
use crate::node_finder::fits;

/// The key of racks with different settings.
const RACKS: &str = "racks";

/// A switch of the lowest tier and the hosts under it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rack {
    pub(super) hosts: u32,
    /// Rate of host links.
    pub(super) rate: Rate,
    pub(super) uplink_rate: Rate,
}

/// Returns the racks of the fabric, in the order of their switches.
pub(super) fn resolve(config: &ClosConfig, shape: &Shape) -> Result<Vec<Rack>, ConfigError> {
    let usual = Rack {
        hosts: config.hosts_per_rack,
        rate: config.host_rate,
        uplink_rate: config.tiers[0].up_rate(),
    };
    let links = |hosts: u32| u64::from(hosts) * u64::from(config.nics_per_host);
    fits_ports("hosts_per_rack", "a switch", links(usual.hosts))?;
    let count = shape.levels[0].count();
    let mut racks = vec![usual; count as usize];
    if config.racks.is_empty() {
        return Ok(racks);
    }
    let names: Vec<String> = (0..count)
        .map(|index| shape.switch_name(0, index))
        .collect();
    let mut named = vec![false; names.len()];
    for rule in &config.racks {
        rule.validate_ranges().map_err(|error| {
            let message = format!("`{}`: {}", error.key, error.message);
            ConfigError::new(RACKS, message, error.help)
        })?;
        fits_ports(RACKS, "a switch", links(rule.hosts.unwrap_or(usual.hosts)))?;
        for place in places(rule, &names)? {
            if std::mem::replace(&mut named[place], true) {
                return Err(ConfigError::new(
                    RACKS,
                    format!("`at` names `{}` for the second time", names[place]),
                    "name each rack once",
                ));
            }
            racks[place] = Rack {
                hosts: rule.hosts.unwrap_or(usual.hosts),
                rate: rule.host_rate.unwrap_or(usual.rate),
                uplink_rate: rule.uplink_rate.unwrap_or(usual.uplink_rate),
            };
        }
    }
    check_groups(config.nics_per_host, &racks, &names)?;
    Ok(racks)
}

/// Returns the indices in `names` of the racks that `rule` matches.
fn places(rule: &ClosRack, names: &[String]) -> Result<Vec<usize>, ConfigError> {
    let mut places = Vec::new();
    for pattern in &rule.at {
        let before = places.len();
        let fit = |(place, name): (usize, &String)| {
            fits(pattern.as_bytes(), name.as_bytes()).then_some(place)
        };
        places.extend(names.iter().enumerate().filter_map(fit));
        if places.len() == before {
            let known = match names {
                [only] => format!("the only rack here is {only}"),
                [first, .., last] => format!("the racks here are {first} to {last}"),
                [] => "there are no racks".to_owned(),
            };
            let message = format!("`at` names `{pattern}`, which matches no rack");
            return Err(ConfigError::new(RACKS, message, known));
        }
    }
    if places.is_empty() {
        return Err(ConfigError::new(
            RACKS,
            "`at` names no rack",
            "write names of switches, such as at = [\"pod0/tor*\"]",
        ));
    }
    Ok(places)
}

/// Rejects racks that share hosts but have different settings.
fn check_groups(nics: u32, racks: &[Rack], names: &[String]) -> Result<(), ConfigError> {
    for (racks, names) in racks.chunks(nics as usize).zip(names.chunks(nics as usize)) {
        if let Some(other) = racks.iter().position(|rack| *rack != racks[0]) {
            return Err(ConfigError::new(
                RACKS,
                format!(
                    "{} and {} share hosts, which have {nics} NICs each, and their racks differ",
                    names[0], names[other]
                ),
                format!("name all of {} in `at`", names.join(", ")),
            ));
        }
    }
    Ok(())
}
