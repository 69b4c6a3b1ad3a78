//! The fabric in a `.topo` file, converted to tiers of a `clos` topology.

use fabricsim_base::input::InputError;

use super::topo::{Number, Tier, Topo};
use crate::import::LeftOut;

/// A fabric of htsim.
#[derive(Clone, Debug)]
pub(super) enum Fabric {
    /// htsim's fat tree without a `.topo`, of switches with this number of ports.
    KAry { ports: u64 },
    /// Tiers of a `.topo`.
    Tiers(Tiers),
}

/// Tiers with consistent numbers.
#[derive(Clone, Debug)]
pub(super) struct Tiers {
    topo: Topo,
    pods: u64,
    racks_per_pod: u64,
    /// Switches of the middle tier in each pod; in the whole fabric if there are two tiers.
    middle: u64,
    /// Switches of the top tier; `None` if there are two tiers.
    cores: Option<u64>,
}

impl Fabric {
    /// Converts `topo` to a fabric, by the rules of htsim's `set_custom_params`.
    ///
    /// # Errors
    /// Fails at a number that contradicts the other numbers.
    pub(super) fn of(topo: &Topo) -> Result<Self, InputError> {
        let (low, middle) = (&topo.tiers[0], &topo.tiers[1]);
        let pods = share(&topo.nodes, topo.pod_size.value, "nodes", "hosts of a pod")?;
        if topo.tiers.len() == 2 && pods != 1 {
            return Err(topo.pod_size.wrong(
                format!("a fabric of two tiers is one pod, not {pods}"),
                format!("write Podsize {}, or a third tier", topo.nodes.value),
            ));
        }
        if low.bundle.value != 1 {
            return Err(low
                .bundle
                .wrong("hosts have one link", "write Bundle 1 in Tier 0"));
        }
        let racks_per_pod = share(
            &topo.pod_size,
            low.down.value,
            "hosts of a pod",
            "of a rack",
        )?;
        let up = up_of(low);
        let in_pod = share(up, middle.bundle.value, "links up", "of a bundle")?;
        fits(
            &middle.down,
            racks_per_pod * middle.bundle.value,
            "Radix_Down of Tier 1",
        )?;
        refuse_other_oversubscription(low)?;
        let cores = match topo.tiers.get(2) {
            None => None,
            Some(top) => {
                let each = share(up_of(middle), top.bundle.value, "links up", "of a bundle")?;
                fits(&top.down, pods * top.bundle.value, "Radix_Down of Tier 2")?;
                Some(in_pod * each)
            }
        };
        Ok(Self::Tiers(Tiers {
            topo: topo.clone(),
            pods,
            racks_per_pod,
            middle: in_pod,
            cores,
        }))
    }

    /// Returns the keys of the table `[topology]`.
    pub(super) fn table(&self) -> String {
        match self {
            Self::KAry { ports } => format!(
                "kind = \"fat-tree\"\nk = {ports}\nhost_rate = \"100Gbps\"\n\
                 fabric_rate = \"100Gbps\"\nlink_delay = \"1us\"\n"
            ),
            Self::Tiers(tiers) => tiers.table(),
        }
    }

    /// Returns properties of the fabric that the scenario lacks or changes.
    pub(super) fn left_out(&self) -> Vec<LeftOut> {
        let Self::Tiers(Tiers { topo, .. }) = self else {
            return Vec::new();
        };
        let mut found = Vec::new();
        if topo.tiers.iter().any(|tier| tier.has_queues) {
            found.push(LeftOut {
                keys: vec!["Queue_Up".into(), "Queue_Down".into()],
                reason: "the queues of a switch share its buffer: [switch] buffer".to_owned(),
            });
        }
        if topo.tiers.iter().any(|tier| tier.switch_latency.value > 0) {
            found.push(LeftOut::new(
                "Switch_Latency_ns",
                "half of it is part of the delay of each link of the switch, so that every path \
                 between hosts is as long as in htsim",
            ));
        }
        found
    }
}

impl Tiers {
    fn table(&self) -> String {
        let (low, middle) = (&self.topo.tiers[0], &self.topo.tiers[1]);
        let mut text = format!(
            "kind = \"clos\"\nhosts_per_rack = {}\nhost_rate = \"{}Gbps\"\nhost_delay = \"{}\"\n\
             tiers = [\n",
            low.down.value,
            low.speed_gbps.value,
            delay(low, None),
        );
        let links = |below: &Tier, above: &Tier| {
            format!(
                "uplinks = {}, uplink_rate = \"{}Gbps\", uplink_delay = \"{}\"",
                up_of(below).value,
                above.speed_gbps.value,
                delay(above, Some(below))
            )
        };
        let racks = self.racks_per_pod;
        text += &format!("    {{ switches = {racks}, {} }},\n", links(low, middle));
        match (self.cores, self.topo.tiers.get(2)) {
            (Some(cores), Some(top)) => {
                let (in_pod, pods) = (self.middle, self.pods);
                text += &format!(
                    "    {{ switches = {in_pod}, pods = {pods}, {} }},\n    {{ switches = {cores}, \
                     planes = {in_pod} }},\n",
                    links(middle, top)
                );
            }
            _ => text += &format!("    {{ switches = {} }},\n", self.middle),
        }
        text + "]\n"
    }
}

/// Returns the delay of the links below `tier`, including half of the latency of the switches at
/// both ends. The sum over a path between hosts is then the delay of its links and its switches.
fn delay(tier: &Tier, below: Option<&Tier>) -> String {
    let switches = tier.switch_latency.value + below.map_or(0, |tier| tier.switch_latency.value);
    let halves = 2 * tier.latency.value + switches;
    match halves % 2 {
        0 => format!("{}ns", halves / 2),
        _ => format!("{}.5ns", halves / 2),
    }
}

/// Returns the upward links of a tier other than the highest.
fn up_of(tier: &Tier) -> &Number {
    tier.up.as_ref().expect("only the highest tier has none")
}

/// Divides `whole` into parts of `part`; an error unless it divides evenly.
fn share(whole: &Number, part: u64, what: &str, of: &str) -> Result<u64, InputError> {
    if part > 0 && whole.value > 0 && whole.value.is_multiple_of(part) {
        return Ok(whole.value / part);
    }
    Err(whole.wrong(
        format!(
            "{} {what} are not a multiple of the {part} {of}",
            whole.value
        ),
        "correct one of them",
    ))
}

/// Rejects a number of ports that contradicts the other numbers.
fn fits(given: &Number, made: u64, name: &str) -> Result<(), InputError> {
    if given.value == made {
        return Ok(());
    }
    Err(given.wrong(
        format!("{name} is {}, and {made} links lead there", given.value),
        format!("write {made}, or correct Podsize, Radix_Up, Radix_Down or Bundle"),
    ))
}

/// Rejects an oversubscription of racks that contradicts their links, as in htsim.
fn refuse_other_oversubscription(low: &Tier) -> Result<(), InputError> {
    let made = low.down.value / up_of(low).value;
    if made == low.oversubscribed.value {
        return Ok(());
    }
    Err(low.oversubscribed.wrong(
        format!(
            "racks have {} links down and {} up, and are oversubscribed {} times",
            low.down.value,
            up_of(low).value,
            low.oversubscribed.value
        ),
        format!("write Oversubscribed {made} in Tier 0"),
    ))
}
