//! Network, traffic and switches of a configuration, and the end of its runs.

use fabricsim_base::input::InputError;
use fabricsim_base::units::{Duration, Rate};

use super::config::Configuration;
use super::conweave;
use super::dialect::Dialect;
use super::lines::{Lines, demand, float};
use super::mode::Mode;
use super::value::Value;
use super::{LeftOut, Surroundings};

/// Time at which traffic starts by convention; times of failures are relative to it.
pub(super) const TRAFFIC_START: Duration = Duration::from_ms(2_000);

/// Writes the topology and the flows.
pub(super) fn write(
    config: &Configuration<'_>,
    around: &Surroundings<'_>,
    lines: &mut Lines,
) -> Result<(), InputError> {
    let topology = config.value("TOPOLOGY_FILE")?;
    lines.table("[topology]");
    lines.text_key("kind", "file");
    lines.quoted_key("path", (around.path)(topology.word()), &topology);
    if around.more_links {
        lines.plain_key("ignore_rest", true);
    }
    write_losses(config, lines)?;
    let flows = config.value("FLOW_FILE")?;
    lines.table("[[workload]]");
    lines.text_key("kind", "list");
    lines.quoted_key("path", (around.path)(flows.word()), &flows);
    if around.more_flows {
        lines.plain_key("ignore_rest", true);
    }
    Ok(())
}

/// Writes the default loss of links, for links without their own in the topology file.
pub(super) fn write_losses(
    config: &Configuration<'_>,
    lines: &mut Lines,
) -> Result<(), InputError> {
    let losses = config.value("ERROR_RATE_PER_LINK")?;
    if losses.number()? > 0.0 {
        lines.key("loss", float(losses.number()?), &losses);
    }
    Ok(())
}

/// Adds omitted parts of the files that a configuration names.
pub(super) fn add_left_out(around: &Surroundings<'_>, left_out: &mut Vec<LeftOut>) {
    for (is_so, key, what) in [
        (
            around.more_links,
            "TOPOLOGY_FILE",
            "links that its first line announces",
        ),
        (
            around.more_flows,
            "FLOW_FILE",
            "flows that its first line announces",
        ),
    ] {
        if is_so {
            let reason = format!("text after the {what} is ignored, as by the original");
            left_out.push(LeftOut::new(key, reason));
        }
    }
}

/// Writes `[run]`.
pub(super) fn write_end(config: &Configuration<'_>, lines: &mut Lines) -> Result<(), InputError> {
    lines.table("[run]");
    let stop = config.value("SIMULATOR_STOP_TIME")?;
    lines.quoted_key("stop_at", stop.time("s")?, &stop);
    Ok(())
}

/// Thresholds above any possible queue length.
const NEVER: &str = "kmin = \"100TB\", kmax = \"100TB\", pmax = 0.0";

/// Writes `[switch]`: the buffer and the marks.
pub(super) fn write_switch(
    config: &Configuration<'_>,
    marks: &Marks<'_>,
    lines: &mut Lines,
) -> Result<(), InputError> {
    lines.table("[switch]");
    let buffer = config.value("BUFFER_SIZE")?;
    lines.quoted_key("buffer", format!("{}MiB", buffer.whole()?), &buffer);
    match config.dialect() {
        Dialect::ConWeave => {
            conweave::write_switch(config, lines)?;
            lines.plain_key("alpha", 0.0625);
        }
        Dialect::Published | Dialect::SimAi => {
            if let Some(pauses) = config.given_value("ENABLE_PFC") {
                lines.key("pfc", pauses.flag()?, &pauses);
            }
        }
    }
    match marks {
        Marks::Never(asked) => lines.key("ecn", format!("{{ {NEVER} }}"), asked),
        Marks::Rules(rules, from) => lines.list("ecn_rules", rules, from),
        Marks::Missing(_) => {}
    }
    Ok(())
}

/// The marking settings of switches. A scenario has them for every algorithm, since the user may
/// replace the algorithm by one that reads marks.
#[derive(Debug)]
pub(super) enum Marks<'t> {
    /// Switches do not mark.
    Never(Value<'t>),
    /// Rules for the rates of links, and the first of their original keys.
    Rules(Vec<String>, Value<'t>),
    /// The configuration lacks usable settings, but its algorithm does not read marks.
    Missing(InputError),
}

impl<'t> Marks<'t> {
    pub(super) fn of(
        config: &Configuration<'t>,
        mode: Mode,
        around: &Surroundings<'_>,
    ) -> Result<Self, InputError> {
        let asked = config.value("ENABLE_QCN")?;
        if !asked.flag()? {
            return Ok(Self::Never(asked));
        }
        match rules(config, around) {
            Ok((rules, from)) => Ok(Self::Rules(rules, from)),
            Err(error) if mode.reads_marks() => Err(error),
            Err(error) => Ok(Self::Missing(error)),
        }
    }

    /// Returns the omitted keys if the marking settings are missing.
    pub(super) fn left_out(&self, config: &Configuration<'_>) -> Option<LeftOut> {
        let Self::Missing(error) = self else {
            return None;
        };
        let maps = ["KMIN_MAP", "KMAX_MAP", "PMAX_MAP"];
        let given: Vec<_> = maps
            .into_iter()
            .filter(|map| config.file(map).is_some())
            .collect();
        let keys = given.into_iter().map(Into::into).collect::<Vec<_>>();
        let reason = format!("switches have no marks of this file: {}", error.message);
        (!keys.is_empty()).then_some(LeftOut { keys, reason })
    }
}

/// Returns the marking rules for the rates of all links.
fn rules<'t>(
    config: &Configuration<'t>,
    around: &Surroundings<'_>,
) -> Result<(Vec<String>, Value<'t>), InputError> {
    let maps = ["KMIN_MAP", "KMAX_MAP", "PMAX_MAP"].map(|name| config.value(name));
    let [kmin, kmax, pmax] = maps;
    let (kmin, kmax, pmax) = (kmin?, kmax?, pmax?);
    let mut rules = Vec::new();
    for rate in around.unmarked {
        rules.push(format!("{{ rate = \"{rate}\", {NEVER} }}"));
    }
    for &rate in around.rates {
        let kilobytes = |map: &Value<'_>| map.whole_at(place_of(map, rate)?);
        rules.push(format!(
            "{{ rate = \"{rate}\", kmin = \"{}KB\", kmax = \"{}KB\", pmax = {} }}",
            kilobytes(&kmin)?,
            kilobytes(&kmax)?,
            float(pmax.number_at(place_of(&pmax, rate)?)?)
        ));
    }
    Ok((rules, kmin))
}

/// Returns the index of the value in `map` for links of `rate`. It is an error if there is none;
/// the published simulator also aborts.
fn place_of(map: &Value<'_>, rate: Rate) -> Result<usize, InputError> {
    for place in (1..map.words().len()).step_by(2) {
        if map.whole_at(place)? == rate.as_bps() {
            return Ok(place + 1);
        }
    }
    Err(map.wrong(
        format!("it has no value for links of {rate}, which the topology has"),
        format!("add the rate, {} bit/s, and its value", rate.as_bps()),
    ))
}

/// Rejects an interval with which the published simulator does not acknowledge every packet.
///
/// Starting with byte number `L2_ACK_INTERVAL` of a flow, it acknowledges each packet: every packet
/// recomputes the next position for an ACK instead of advancing it.
fn refuse_left_out_acks(
    interval: &Value<'_>,
    payload: u64,
    smallest_flow: Option<u64>,
) -> Result<(), InputError> {
    let (why, help) = match interval.whole()? {
        0 => (
            "at 0 senders ignore acknowledgements, and no flow ends".to_owned(),
            "write L2_ACK_INTERVAL 1",
        ),
        bytes if bytes > payload => (
            format!(
                "no packet is acknowledged before byte {bytes} of its flow, which is not simulated"
            ),
            "write 1, or at most PACKET_PAYLOAD_SIZE: then every packet is acknowledged",
        ),
        bytes => match smallest_flow.filter(|&size| size < bytes) {
            Some(size) => (
                format!(
                    "the published simulator never acknowledges a flow of fewer bytes, such as the \
                     one of {size} B, which then never ends"
                ),
                "write L2_ACK_INTERVAL 1: every packet is acknowledged",
            ),
            None => return Ok(()),
        },
    };
    Err(interval.wrong(why, help))
}

/// Writes `[rdma]`; rejects settings that hosts do not support.
pub(super) fn write_transport(
    config: &Configuration<'_>,
    around: &Surroundings<'_>,
    lines: &mut Lines,
) -> Result<(), InputError> {
    let payload = config.value("PACKET_PAYLOAD_SIZE")?;
    let interval = config.value("L2_ACK_INTERVAL")?;
    refuse_left_out_acks(&interval, payload.whole()?, around.smallest_flow)?;
    demand(
        &config.value("L2_BACK_TO_ZERO")?,
        "0",
        "with it, senders count acknowledged bytes in whole chunks of L2_CHUNK_SIZE, and only flows of \
         whole chunks finish: that is not simulated",
        "write L2_BACK_TO_ZERO 0: senders go back to the lost packet",
    )?;
    demand(
        &config.value("RATE_BOUND")?,
        "1",
        "senders that are paced by the rate of their NIC, moved by changes of their own rate, are not \
         simulated",
        "write RATE_BOUND 1: packets are paced by the flow's rate",
    )?;
    lines.table("[rdma]");
    lines.quoted_key("mtu", format!("{}B", payload.whole()?), &payload);
    let global = config.value("GLOBAL_T")?;
    let reference = if global.flag()? { "largest" } else { "pair" };
    lines.quoted_key("base_rtt", reference, &global);
    match config.dialect() {
        Dialect::Published | Dialect::SimAi => {
            let first = config.value("ACK_HIGH_PRIO")?;
            lines.key("ack_high_priority", first.flag()?, &first);
            Ok(())
        }
        Dialect::ConWeave => {
            // Its hosts always send ACKs from a queue that no pause stops, so no key decides this.
            lines.plain_key("ack_high_priority", true);
            conweave::write_recovery(config, lines)
        }
    }
}

/// Writes the failure of a link.
pub(super) fn write_failure(
    config: &Configuration<'_>,
    lines: &mut Lines,
) -> Result<(), InputError> {
    let down = config.value("LINK_DOWN")?;
    if down.whole()? == 0 {
        return Ok(());
    }
    let start = match config.dialect() {
        Dialect::Published | Dialect::SimAi => TRAFFIC_START,
        Dialect::ConWeave => config.value("FLOWGEN_START_TIME")?.time("s")?,
    };
    let at = start.saturating_add(down.time("us")?);
    let ends = format!("[{}, {}]", down.whole_at(1)?, down.whole_at(2)?);
    lines.table("[[event]]");
    lines.quoted_key("at", at, &down);
    lines.text_key("kind", "link-down");
    lines.key("link", ends, &down);
    Ok(())
}
