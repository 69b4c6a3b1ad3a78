//! The buffers of switches in the text of `fabricsim check`.

use std::fmt::Write as _;

use fabricsim::buffers::{BufferGroup, NS_PER_METRE, PortGroup};
use fabricsim::units::Rate;

use crate::text::line;

/// The most switches of a group whose names are printed.
const NAMED: usize = 4;

/// Returns the names of some of the switches of a group.
fn names(switches: &[String]) -> String {
    let named = switches.iter().take(NAMED).cloned().collect::<Vec<_>>();
    match switches.len() > NAMED {
        true => format!("{}, ... ({} in all)", named.join(", "), switches.len()),
        false => named.join(", "),
    }
}

/// Adds the lines of each group of equal switches to `text`.
pub(crate) fn describe(text: &mut String, groups: &[BufferGroup]) {
    for group in groups {
        line!(text, "{:<16}{}", "buffer of", names(&group.switches));
        line!(
            text,
            "  {} bytes: {} shared, {} set aside for headroom and reserves ({} bytes each) of {}",
            group.buffer_bytes,
            group.shared_bytes,
            group.set_aside_bytes,
            group.reserve_bytes,
            match group.priorities {
                1 => "1 priority".to_owned(),
                count => format!("{count} priorities"),
            }
        );
        for ports in &group.ports {
            describe_ports(text, group, ports);
        }
    }
}

/// Adds the lines of equal `ports` of the switches of `group`.
fn describe_ports(text: &mut String, group: &BufferGroup, ports: &PortGroup) {
    let rate = Rate::from_bps(ports.rate_bps).expect("a link has a rate");
    line!(
        text,
        "  {} port{} of {rate}, {} ns ({} m of cable at {NS_PER_METRE} ns/m)",
        ports.ports,
        if ports.ports == 1 { "" } else { "s" },
        ports.delay_ns,
        ports.delay_m
    );
    if group.pfc {
        let covers = match ports.headroom_covers_m {
            Some(metres) => format!("enough for {metres} m"),
            None => "not enough for any cable".to_owned(),
        };
        let short = match ports.headroom_covers_m.is_some_and(|m| m >= ports.delay_m) {
            true => "",
            false => ": packets may be dropped",
        };
        line!(
            text,
            "    headroom   {} bytes for each priority = {}; {covers}{short}",
            ports.headroom_bytes,
            ports.headroom_formula
        );
    }
    let reached = if group.pfc { "pause at" } else { "drop above" };
    line!(
        text,
        "    {reached:<11}{} shared bytes if the other ports are empty, {} if all {} reach it ({} of the \
         free bytes)",
        ports.threshold_alone_bytes,
        ports.threshold_all_bytes,
        group.ports.iter().map(|own| own.ports).sum::<usize>(),
        ports.alpha
    );
    if group.pfc {
        line!(
            text,
            "    resume     {} bytes below the threshold of that time",
            group.resume_offset_bytes
        );
    }
    for ecn in &ports.ecn {
        line!(
            text,
            "    mark       priority {} from {} bytes of queue (kmin) to {} (kmax, probability {})",
            ecn.priority,
            ecn.kmin_bytes,
            ecn.kmax_bytes,
            ecn.pmax
        );
    }
}
