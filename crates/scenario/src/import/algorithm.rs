//! The algorithm of a configuration.

use fabricsim_core::input::InputError;

use super::config::Configuration;
use super::dialect::Dialect;
use super::lines::{Lines, demand, float};
use super::mode::Mode;

/// Reads the algorithm of `config`.
pub(super) fn mode_of(config: &Configuration<'_>) -> Result<Mode, InputError> {
    let value = config.value("CC_MODE")?;
    let (help, has_pint) = match config.dialect() {
        Dialect::Published | Dialect::SimAi => (
            "write 1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP) or 10 (HPCC-PINT)",
            true,
        ),
        Dialect::ConWeave => ("write 1 (DCQCN), 3 (HPCC), 7 (TIMELY) or 8 (DCTCP)", false),
    };
    let mode = Mode::named(value.word()).filter(|mode| has_pint || *mode != Mode::HpccPint);
    mode.ok_or_else(|| value.wrong(format!("there is no algorithm `{}`", value.word()), help))
}

/// Writes `[cc]`.
pub(super) fn write(
    config: &Configuration<'_>,
    mode: Mode,
    lines: &mut Lines,
) -> Result<(), InputError> {
    lines.table("[cc]");
    lines.quoted_key("kind", mode.kind(), &config.value("CC_MODE")?);
    match mode {
        Mode::Hpcc | Mode::HpccPint => hpcc(config, mode, lines)?,
        Mode::Dcqcn => dcqcn(config, lines)?,
        Mode::Timely => {
            rate(config, "additive_increase", "RATE_AI", lines)?;
            rate(config, "hyper_increase", "RATE_HAI", lines)?;
        }
        Mode::Dctcp => {
            number(config, "g", "EWMA_GAIN", lines)?;
            rate(config, "additive_increase", "DCTCP_RATE_AI", lines)?;
        }
    }
    rate(config, "min_rate", "MIN_RATE", lines)?;
    window(config, mode, lines)
}

fn hpcc(config: &Configuration<'_>, mode: Mode, lines: &mut Lines) -> Result<(), InputError> {
    number(config, "eta", "U_TARGET", lines)?;
    let stages = config.value("MI_THRESH")?;
    lines.key("max_stage", stages.whole()?, &stages);
    rate(config, "additive_increase", "RATE_AI", lines)?;
    if mode == Mode::HpccPint {
        number(config, "log_base", "PINT_LOG_BASE", lines)?;
        return number(config, "digest_fraction", "PINT_PROB", lines);
    }
    let reaction = config.value("FAST_REACT")?;
    let name = if reaction.flag()? {
        "per-ack"
    } else {
        "per-rtt"
    };
    lines.quoted_key("reaction", name, &reaction);
    flag(config, "per_hop_rates", "MULTI_RATE", lines)?;
    flag(config, "sampled_feedback", "SAMPLE_FEEDBACK", lines)?;
    if config.dialect() == Dialect::Published {
        let multiple = config.value("INT_MULTI")?;
        lines.key("int_multiple", multiple.whole()?, &multiple);
    }
    Ok(())
}

fn dcqcn(config: &Configuration<'_>, lines: &mut Lines) -> Result<(), InputError> {
    for (key, from) in [
        ("alpha_timer", "ALPHA_RESUME_INTERVAL"),
        ("decrease_timer", "RATE_DECREASE_INTERVAL"),
        ("increase_timer", "RP_TIMER"),
    ] {
        let value = config.value(from)?;
        lines.quoted_key(key, value.time("us")?, &value);
    }
    number(config, "g", "EWMA_GAIN", lines)?;
    let steps = config.value("FAST_RECOVERY_TIMES")?;
    lines.key("fast_recovery", steps.whole()?, &steps);
    rate(config, "additive_increase", "RATE_AI", lines)?;
    rate(config, "hyper_increase", "RATE_HAI", lines)?;
    flag(config, "clamp", "CLAMP_TARGET_RATE", lines)
}

/// Writes whether there is a window, which follows the rate.
fn window(config: &Configuration<'_>, mode: Mode, lines: &mut Lines) -> Result<(), InputError> {
    let has_window = config.value("HAS_WIN")?;
    match mode {
        Mode::Hpcc | Mode::HpccPint => demand(
            &has_window,
            "1",
            "HPCC divides by its window and cannot be without one",
            "write HAS_WIN 1",
        )?,
        Mode::Dcqcn | Mode::Timely | Mode::Dctcp => {
            lines.key("window", has_window.flag()?, &has_window);
        }
    }
    if !has_window.flag()? {
        return Ok(());
    }
    demand(
        &config.value("VAR_WIN")?,
        "1",
        "a window that stays as it is while the rate changes is not simulated",
        "write VAR_WIN 1: the window follows the rate",
    )
}

fn rate(
    config: &Configuration<'_>,
    key: &str,
    from: &'static str,
    lines: &mut Lines,
) -> Result<(), InputError> {
    let value = config.value(from)?;
    lines.quoted_key(key, value.rate()?, &value);
    Ok(())
}

fn number(
    config: &Configuration<'_>,
    key: &str,
    from: &'static str,
    lines: &mut Lines,
) -> Result<(), InputError> {
    let value = config.value(from)?;
    lines.key(key, float(value.number()?), &value);
    Ok(())
}

fn flag(
    config: &Configuration<'_>,
    key: &str,
    from: &'static str,
    lines: &mut Lines,
) -> Result<(), InputError> {
    let value = config.value(from)?;
    lines.key(key, value.flag()?, &value);
    Ok(())
}
