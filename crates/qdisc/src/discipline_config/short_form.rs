//! Disciplines in one line, in the manner of Linux's `tc`: `fq_codel flows 1`, `codel target 5ms
//! ecn`.

use std::fmt::Display;
use std::ops::Range;
use std::str::FromStr;

use fabricsim_base::input::{ConfigError, InputError};
use fabricsim_base::units::{Bytes, Duration};

use super::{DisciplineConfig, SharedBufferConfig};
use crate::codel_queue::CodelConfig;
use crate::discipline::EcnSelector;
use crate::dualpi2::{ControlledDelay, DualPi2Config, DualScheduler};
use crate::fq_codel::FqCodelConfig;
use crate::red_queue::RedConfig;
use crate::step_marking::StepConfig;
use crate::tail_drop::TailDropConfig;

/// The first words that are understood.
const NAMES: &str = "pfifo, bfifo, red, step, codel, fq_codel, dualpi2, shared-buffer";

/// The words of a line, one after the other.
struct LineWords<'a> {
    text: &'a str,
    /// Offset in bytes at which the unread rest begins.
    rest: usize,
    /// Range of the last word in the text, in bytes.
    last: Range<usize>,
}

impl<'a> LineWords<'a> {
    const fn new(text: &'a str) -> Self {
        Self {
            text,
            rest: 0,
            last: 0..0,
        }
    }

    fn next(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.rest..];
        let start = self.rest + (rest.len() - rest.trim_start().len());
        let word = self.text[start..].split_whitespace().next()?;
        self.last = start..start + word.len();
        self.rest = self.last.end;
        Some(word)
    }

    /// The last word is at fault.
    fn error(&self, message: impl Into<String>, help: impl Into<String>) -> InputError {
        InputError::new(self.last.clone(), message, help)
    }

    /// The last word, an option, is none that `discipline` has.
    fn unknown(&self, discipline: &str, options: &str) -> InputError {
        let word = &self.text[self.last.clone()];
        self.error(
            format!("`{discipline}` has no option `{word}`"),
            format!("its options are {options}"),
        )
    }

    /// The value after the option that was read last.
    fn value<T: FromStr<Err: Display>>(&mut self, example: &str) -> Result<T, InputError> {
        let option = self.text[self.last.clone()].to_owned();
        let Some(word) = self.next() else {
            return Err(InputError::new(
                self.text.len()..self.text.len(),
                format!("`{option}` has no value"),
                format!("write `{option} {example}`"),
            ));
        };
        word.parse().map_err(|error: T::Err| {
            self.error(
                format!("`{word}` is no value of `{option}`: {error}"),
                format!("write `{option} {example}`"),
            )
        })
    }

    fn number(&mut self, example: &str) -> Result<u32, InputError> {
        self.value(example)
    }

    fn duration(&mut self, example: &str) -> Result<Duration, InputError> {
        self.value(example)
    }

    /// A size, in bytes where it has no unit.
    fn size(&mut self, example: &str) -> Result<Bytes, InputError> {
        Ok(self.value::<Size>(example)?.0)
    }

    /// One of `choices`.
    fn choice<T: Copy>(&mut self, choices: [(&str, T); 2]) -> Result<T, InputError> {
        let example = choices[0].0;
        let word: String = self.value(example)?;
        let found = choices.iter().find(|(name, _)| *name == word);
        found.map(|&(_, choice)| choice).ok_or_else(|| {
            self.error(
                format!("`{word}` is not a choice here"),
                format!("write `{}` or `{}`", choices[0].0, choices[1].0),
            )
        })
    }
}

struct Size(Bytes);

impl FromStr for Size {
    type Err = fabricsim_base::units::UnitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(bytes) = text.parse::<u64>() {
            return Ok(Self(Bytes::new(bytes)));
        }
        text.parse().map(Self)
    }
}

/// Percent, with the sign or without.
struct Percent(u8);

impl FromStr for Percent {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.trim_end_matches('%').parse().map(Self)
    }
}

impl FromStr for DisciplineConfig {
    type Err = InputError;

    /// Reads `tc`'s names of disciplines and options, and those of this program where `tc` has
    /// none. Units are those of this program: `256KB` is 256,000 bytes.
    fn from_str(text: &str) -> Result<Self, InputError> {
        let mut words = LineWords::new(text);
        let Some(name) = words.next() else {
            return Err(InputError::new(
                0..text.len(),
                "no queue discipline is named",
                format!("begin with one of {NAMES}"),
            ));
        };
        let config = match name {
            "pfifo" | "bfifo" | "tail-drop" => Self::TailDrop(tail_drop(name, &mut words)?),
            "red" => Self::Red(red(&mut words)?),
            "step" => Self::Step(step(&mut words)?),
            "codel" => Self::Codel(codel(&mut words)?),
            "fq_codel" | "fq-codel" => Self::FqCodel(fq_codel(&mut words)?),
            "dualpi2" => Self::DualPi2(dualpi2(&mut words)?),
            "shared-buffer" => {
                if words.next().is_some() {
                    return Err(words.error(
                        "`shared-buffer` has no options",
                        "the switch's buffer is set in [switch]",
                    ));
                }
                Self::SharedBuffer(SharedBufferConfig {})
            }
            _ => {
                return Err(words.error(
                    format!("`{name}` is not a queue discipline"),
                    format!("begin with one of {NAMES}"),
                ));
            }
        };
        config.validate().map_err(|error| placed(text, &error))?;
        Ok(config)
    }
}

/// Converts an error of `validate` to one at the place of the option that has the key's name.
fn placed(text: &str, error: &ConfigError) -> InputError {
    let mut words = LineWords::new(text);
    let mut place = 0..text.len();
    while let Some(word) = words.next() {
        if word == error.key {
            let start = words.last.start;
            words.next();
            place = start..words.last.end;
        }
    }
    InputError::new(place, error.message.clone(), error.help.clone())
}

fn tail_drop(name: &str, words: &mut LineWords<'_>) -> Result<TailDropConfig, InputError> {
    let mut config = TailDropConfig::default();
    while let Some(option) = words.next() {
        match (option, name) {
            ("limit", "bfifo") => config.limit_bytes = Some(words.size("256KB")?),
            ("limit", _) => config.limit = Some(words.number("1000")?),
            ("limit_bytes", "tail-drop") => config.limit_bytes = Some(words.size("256KB")?),
            (_, "tail-drop") => return Err(words.unknown(name, "limit and limit_bytes")),
            _ => return Err(words.unknown(name, "limit alone")),
        }
    }
    if name == "bfifo" && config.limit_bytes.is_none() {
        return Err(InputError::new(
            0..words.text.len(),
            "`bfifo` has no limit",
            "write `bfifo limit 256KB`",
        ));
    }
    Ok(config)
}

fn red(words: &mut LineWords<'_>) -> Result<RedConfig, InputError> {
    let mut config = RedConfig {
        ecn: false,
        ..RedConfig::default()
    };
    while let Some(option) = words.next() {
        match option {
            "limit" => config.limit_bytes = Some(words.size("1MB")?),
            "min" => config.kmin = words.size("30KB")?,
            "max" => config.kmax = words.size("90KB")?,
            "probability" => config.pmax = words.value("0.1")?,
            "weight" => config.weight = words.value("0.002")?,
            "gentle" => config.gentle = true,
            "nospread" => config.spread = false,
            "ecn" => config.ecn = true,
            "noecn" => config.ecn = false,
            _ => {
                return Err(words.unknown(
                    "red",
                    "limit, min, max, probability, weight, gentle, nospread, ecn and noecn",
                ));
            }
        }
    }
    Ok(config)
}

fn step(words: &mut LineWords<'_>) -> Result<StepConfig, InputError> {
    let mut config = StepConfig::default();
    while let Some(option) = words.next() {
        match option {
            "sojourn" => config.sojourn = Some(words.duration("1ms")?),
            "bytes" => config.bytes = Some(words.size("30KB")?),
            "packets" => config.packets = Some(words.number("20")?),
            "ect1" => config.marks = EcnSelector::Ect1,
            "limit" => config.limit = Some(words.number("1000")?),
            "limit_bytes" => config.limit_bytes = Some(words.size("256KB")?),
            _ => {
                return Err(words.unknown(
                    "step",
                    "sojourn, bytes, packets, ect1, limit and limit_bytes",
                ));
            }
        }
    }
    Ok(config)
}

fn codel(words: &mut LineWords<'_>) -> Result<CodelConfig, InputError> {
    let mut config = CodelConfig::default();
    while let Some(option) = words.next() {
        match option {
            "limit" => config.limit = Some(words.number("1000")?),
            "target" => config.target = words.duration("5ms")?,
            "interval" => config.interval = words.duration("100ms")?,
            "ecn" => config.ecn = true,
            "noecn" => config.ecn = false,
            "ce_threshold" => config.ce_threshold = Some(words.duration("1ms")?),
            "ce_threshold_ect1" => config.ce_threshold_marks = EcnSelector::Ect1,
            "linux_newton" => config.linux_newton = true,
            _ => {
                return Err(words.unknown(
                    "codel",
                    "limit, target, interval, ecn, noecn, ce_threshold, ce_threshold_ect1 and linux_newton",
                ));
            }
        }
    }
    Ok(config)
}

fn fq_codel(words: &mut LineWords<'_>) -> Result<FqCodelConfig, InputError> {
    let mut config = FqCodelConfig::default();
    while let Some(option) = words.next() {
        match option {
            "limit" => config.limit = words.number("10240")?,
            "flows" => config.flows = words.number("1024")?,
            "quantum" => config.quantum = words.size("1514")?,
            "memory_limit" => config.memory_limit = words.size("32MiB")?,
            "drop_batch" => config.drop_batch = words.number("64")?,
            "target" => config.target = words.duration("5ms")?,
            "interval" => config.interval = words.duration("100ms")?,
            "ecn" => config.ecn = true,
            "noecn" => config.ecn = false,
            "ce_threshold" => config.ce_threshold = Some(words.duration("1ms")?),
            "ce_threshold_ect1" => config.ce_threshold_marks = EcnSelector::Ect1,
            "linux_newton" => config.linux_newton = true,
            _ => {
                return Err(words.unknown(
                    "fq_codel",
                    "limit, flows, quantum, memory_limit, drop_batch, target, interval, ecn, noecn, ce_threshold, ce_threshold_ect1 and linux_newton",
                ));
            }
        }
    }
    Ok(config)
}

fn dualpi2(words: &mut LineWords<'_>) -> Result<DualPi2Config, InputError> {
    let mut config = DualPi2Config::default();
    while let Some(option) = words.next() {
        match option {
            "limit" => config.limit = words.number("10000")?,
            "target" => config.target = words.duration("15ms")?,
            "tupdate" => config.tupdate = words.duration("16ms")?,
            "alpha" => config.alpha = words.value("0.16")?,
            "beta" => config.beta = words.value("3.2")?,
            "coupling_factor" | "coupling" => config.coupling = words.value("2")?,
            "step_thresh" | "step" => config.step = words.duration("1ms")?,
            "ramp" => config.ramp = words.duration("400us")?,
            "c_protection" => config.c_protection = words.value::<Percent>("10%")?.0,
            "scheduler" => {
                config.scheduler = words.choice([
                    ("wrr", DualScheduler::Wrr),
                    ("time-shifted", DualScheduler::TimeShifted),
                ])?;
            }
            "time_shift" => config.time_shift = words.duration("50ms")?,
            "delay" => {
                config.delay = words.choice([
                    ("longest", ControlledDelay::Longest),
                    ("classic", ControlledDelay::Classic),
                ])?;
            }
            "drop_on_overload" => config.drop_overload = true,
            "overflow" => config.drop_overload = false,
            _ => {
                return Err(words.unknown(
                    "dualpi2",
                    "limit, target, tupdate, alpha, beta, coupling_factor, step_thresh, ramp, c_protection, scheduler, time_shift, delay, drop_on_overload and overflow",
                ));
            }
        }
    }
    Ok(config)
}
