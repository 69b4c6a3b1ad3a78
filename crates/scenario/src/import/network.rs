//! Network, traffic and switches of a configuration, and when a run of it ends.

use fabricsim_core::input::InputError;
use fabricsim_core::units::{Duration, Rate};

use super::config::Configuration;
use super::conweave;
use super::dialect::Dialect;
use super::lines::{Lines, demand, float};
use super::mode::Mode;
use super::value::Value;
use super::{LeftOut, Surroundings};

/// Time at which traffic starts by convention, and from which failures are counted.
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
    refuse_losses(config)?;
    let flows = config.value("FLOW_FILE")?;
    lines.table("[[workload]]");
    lines.text_key("kind", "list");
    lines.quoted_key("path", (around.path)(flows.word()), &flows);
    if around.more_flows {
        lines.plain_key("ignore_rest", true);
    }
    Ok(())
}

/// Refuses losses of links that say nothing of losses.
pub(super) fn refuse_losses(config: &Configuration<'_>) -> Result<(), InputError> {
    let losses = config.value("ERROR_RATE_PER_LINK")?;
    match losses.number()? > 0.0 {
        false => Ok(()),
        true => Err(losses.wrong(
            "a loss that all links have is not taken over",
            "write the loss into the last column of each link of the topology file, and 0 here",
        )),
    }
}

/// Adds what of the files that a configuration names is left out.
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
            let reason = format!("what follows the {what} is passed over, as the original does");
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

/// Thresholds that no queue reaches.
const NEVER: &str = "kmin = \"100TB\", kmax = \"100TB\", pmax = 0.0";

/// Writes `[switch]`: the buffer, and thresholds of marks where the algorithm reads marks.
pub(super) fn write_marks(
    config: &Configuration<'_>,
    mode: Mode,
    around: &Surroundings<'_>,
    lines: &mut Lines,
) -> Result<(), InputError> {
    lines.table("[switch]");
    let buffer = config.value("BUFFER_SIZE")?;
    lines.quoted_key("buffer", format!("{}MiB", buffer.whole()?), &buffer);
    if config.dialect() == Dialect::ConWeave {
        conweave::write_switch(config, lines)?;
        lines.plain_key("alpha", 0.0625);
    }
    if !matches!(mode, Mode::Dcqcn | Mode::Dctcp) {
        return Ok(());
    }
    let marks = config.value("ENABLE_QCN")?;
    if !marks.flag()? {
        lines.key("ecn", format!("{{ {NEVER} }}"), &marks);
        return Ok(());
    }
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
    lines.list("ecn_rules", &rules, &kmin);
    Ok(())
}

/// Returns the place of the value that `map` has for links of `rate`. The published simulator ends
/// where there is none, too.
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

/// Writes `[rdma]`, and refuses what hosts cannot do.
pub(super) fn write_transport(
    config: &Configuration<'_>,
    lines: &mut Lines,
) -> Result<(), InputError> {
    demand(
        &config.value("L2_ACK_INTERVAL")?,
        "1",
        "every packet is acknowledged",
        "write L2_ACK_INTERVAL 1",
    )?;
    demand(
        &config.value("L2_BACK_TO_ZERO")?,
        "0",
        "to go back to the start of a chunk after a loss is not simulated",
        "write L2_BACK_TO_ZERO 0: senders go back to what is lost",
    )?;
    demand(
        &config.value("RATE_BOUND")?,
        "1",
        "senders that do not keep to their rates are not simulated",
        "write RATE_BOUND 1",
    )?;
    lines.table("[rdma]");
    let payload = config.value("PACKET_PAYLOAD_SIZE")?;
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
            // Its hosts send ACKs from a queue that no pause stops, whatever the configuration says.
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
