//! The algorithm of a configuration.

use fabricsim_base::input::InputError;

use super::LeftOut;
use super::config::Configuration;
use super::dialect::Dialect;
use super::lines::{Lines, demand, float};
use super::mode::Mode;
use crate::cc::registry::{AnyCcConfig, CONGESTION_CONTROLS};
use crate::text::document::Document;
use crate::text::error::Error;

/// Returns the algorithm of `config`.
pub(super) fn mode_of(config: &Configuration<'_>) -> Result<Mode, InputError> {
    let value = config.value("CC_MODE")?;
    let help = match has_pint(config) {
        true => "write 1 (DCQCN), 3 (HPCC), 7 (TIMELY), 8 (DCTCP) or 10 (HPCC-PINT)",
        false => "write 1 (DCQCN), 3 (HPCC), 7 (TIMELY) or 8 (DCTCP)",
    };
    let mode = Mode::named(value.word()).filter(|mode| has_pint(config) || *mode != Mode::HpccPint);
    mode.ok_or_else(|| {
        value.wrong(
            format!("there is no algorithm `{}` here", value.word()),
            help,
        )
    })
}

fn has_pint(config: &Configuration<'_>) -> bool {
    config.dialect() != Dialect::ConWeave
}

/// Writes `[cc]`.
pub(super) fn write(
    config: &Configuration<'_>,
    mode: Mode,
    lines: &mut Lines,
) -> Result<(), InputError> {
    lines.table("[cc]");
    lines.quoted_key("kind", mode.kind(), &config.value("CC_MODE")?);
    write_keys(config, mode, lines)
}

/// Tables of the configuration's other algorithms.
#[derive(Debug, Default)]
pub(super) struct Schemes {
    pub(super) lines: Lines,
    /// Algorithms without usable values in the configuration.
    pub(super) without: Vec<(Mode, InputError)>,
}

impl Schemes {
    /// Returns the algorithms of `config` other than `mode`.
    pub(super) fn beside(config: &Configuration<'_>, mode: Mode) -> Self {
        let mut schemes = Self::default();
        schemes.lines.blank();
        schemes.lines.comment(
            "The tables that `--cc NAME` uses instead of [cc], with the values of this file.",
        );
        let others = Mode::ALL.into_iter().filter(|&other| other != mode);
        for other in others.filter(|&other| has_pint(config) || other != Mode::HpccPint) {
            let mut lines = Lines::default();
            lines.table("[[scheme]]");
            lines.text_key("kind", other.kind());
            let written = write_keys(config, other, &mut lines);
            match written.and_then(|()| check(&lines)) {
                Ok(()) => schemes.lines.append(lines),
                Err(error) => schemes.without.push((other, error)),
            }
        }
        schemes
    }

    /// Returns the reason for omitting a key that only `modes` read, if a scenario of `mode` has no
    /// table for any of them.
    pub(super) fn reason(&self, modes: &[Mode], mode: Mode) -> Option<String> {
        let lacks = |other: &Mode| self.without.iter().any(|(without, _)| without == other);
        let is_used = modes.iter().any(|other| *other == mode || !lacks(other));
        (!is_used).then(|| {
            let names: Vec<String> = modes.iter().map(|it| format!("`{}`", it.kind())).collect();
            format!("for {} alone", names.join(", "))
        })
    }

    /// Yields the algorithms without a table.
    pub(super) fn left_out(&self) -> impl Iterator<Item = LeftOut> {
        self.without.iter().map(|(mode, error)| {
            let reason = format!("the file has no such scheme: {}", error.message);
            LeftOut::new(format!("--cc {}", mode.kind()), reason)
        })
    }

    /// Writes the tables.
    pub(super) fn write(self, lines: &mut Lines) {
        lines.append(self.lines);
    }
}

/// Rejects a `[[scheme]]` with values that its algorithm rejects.
fn check(scheme: &Lines) -> Result<(), InputError> {
    let document = Document::new("scheme", scheme.text());
    let read = || {
        let tables = document.sections(&mut document.parse()?, "scheme")?;
        for table in tables {
            AnyCcConfig::read_algorithm(&document, table, CONGESTION_CONTROLS)?;
        }
        Ok::<(), Error>(())
    };
    read().map_err(|error| match error.diagnostic() {
        Some(found) => InputError::new(0..0, found.message(), found.help()),
        None => InputError::new(0..0, error.to_string(), "correct the value"),
    })
}

fn write_keys(config: &Configuration<'_>, mode: Mode, lines: &mut Lines) -> Result<(), InputError> {
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

/// Writes the keys of the window: if there is one, and if it follows the rate.
fn window(config: &Configuration<'_>, mode: Mode, lines: &mut Lines) -> Result<(), InputError> {
    let has_window = config.value("HAS_WIN")?;
    match mode {
        Mode::Hpcc => demand(
            &has_window,
            "1",
            "HPCC divides by its window and cannot be without one",
            "write HAS_WIN 1",
        )?,
        _ => lines.key("window", has_window.flag()?, &has_window),
    }
    let follows = config.value("VAR_WIN")?;
    if has_window.flag()? && !follows.flag()? {
        lines.key("fixed_window", true, &follows);
    }
    Ok(())
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
