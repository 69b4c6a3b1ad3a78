//! Refuses settings that a harm test cannot have.

use fabricsim_base::input::ConfigError;
use fabricsim_base::units::{Bytes, Duration};

use super::{CCAFCT, DRAWN, HarmSettings};
use crate::harm::algorithms::{tcp_entries, tcp_named};

/// The most flows of all runs; they are drawn before the first one.
const MOST_FLOWS: u64 = 100_000_000;

impl HarmSettings {
    /// Refuses settings that a test cannot have.
    ///
    /// # Errors
    /// Names the first wrong key, the problem and a fix.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.validate_ranges()?;
        self.validate_algorithms()?;
        self.validate_path()?;
        self.validate_lengths()?;
        self.validate_flows()?;
        self.validate_percentiles()
    }

    fn validate_algorithms(&self) -> Result<(), ConfigError> {
        let known = tcp_entries().map(|cc| cc.name).collect::<Vec<_>>();
        let known = known.join(", ");
        if self.cca.is_empty() {
            return Err(ConfigError::new(
                "cca",
                "there is no competitor",
                format!("name one or more of: {known}"),
            ));
        }
        let named = self.cca.iter().map(|name| ("cca", name));
        for (key, name) in named.chain([("baseline", &self.baseline)]) {
            if tcp_named(name).is_none() {
                let message = format!("`{name}` is not a TCP algorithm");
                return Err(ConfigError::new(key, message, format!("known: {known}")));
            }
        }
        for (index, name) in self.cca.iter().enumerate() {
            if self.cca[..index].contains(name) {
                let message = format!("`{name}` occurs twice");
                return Err(ConfigError::new("cca", message, "name each algorithm once"));
            }
        }
        self.tcp.validate().map_err(|error| {
            let message = format!("`{}`: {}", error.key, error.message);
            ConfigError::new("tcp", message, error.help)
        })
    }

    fn validate_path(&self) -> Result<(), ConfigError> {
        if self.rtt.is_empty() {
            return Err(ConfigError::new(
                "rtt",
                "there is no round-trip time",
                "give one or more, such as \"10ms\"",
            ));
        }
        for (index, rtt) in self.rtt.iter().enumerate() {
            if *rtt < Duration::from_us(1) || *rtt > Duration::from_ms(40_000) {
                let message = format!("a path of {rtt} cannot be simulated");
                return Err(ConfigError::new("rtt", message, "give 1us to 40s"));
            }
            if self.rtt[..index].contains(rtt) {
                let message = format!("{rtt} occurs twice");
                return Err(ConfigError::new("rtt", message, "give each one once"));
            }
        }
        self.qdisc.validate()
    }

    fn validate_lengths(&self) -> Result<(), ConfigError> {
        let own = [
            ("mean_arrival", self.mean_arrival.is_some()),
            ("len_p5", self.len_p5.is_some()),
            ("len_p95", self.len_p95.is_some()),
        ];
        if self.workload != DRAWN
            && let Some((key, _)) = own.iter().find(|(_, given)| *given)
        {
            return Err(ConfigError::new(
                key,
                format!("the flows of `{}` are not drawn", self.workload),
                format!("leave `{key}` out, or set `workload = \"{DRAWN}\"`"),
            ));
        }
        let distribution = self.flow_distribution();
        if distribution.len_p5 == Bytes::ZERO || distribution.len_p5 > distribution.len_p95 {
            return Err(ConfigError::new(
                "len_p5",
                format!(
                    "5% of lengths are below {} and 95% below {}",
                    distribution.len_p5, distribution.len_p95
                ),
                "give at least \"1B\", and not more than `len_p95`",
            ));
        }
        Ok(())
    }

    fn validate_flows(&self) -> Result<(), ConfigError> {
        let count = self.flow_count();
        let all = count.saturating_mul(self.repeats.into());
        if all > MOST_FLOWS {
            return Err(ConfigError::new(
                "repeats",
                format!("{} runs of {count} flows are {all} flows", self.repeats),
                format!("choose fewer or shorter runs: up to {MOST_FLOWS} flows in all"),
            ));
        }
        let (least, most) = match self.workload.as_str() {
            DRAWN => (1, 10_000_000),
            CCAFCT => (1, 900),
            _ => return Ok(()),
        };
        if (least..=most).contains(&count) {
            return Ok(());
        }
        let (duration, gap) = (self.duration(), self.flow_distribution().mean_arrival);
        Err(ConfigError::new(
            "duration",
            format!("{duration} at a flow each {gap} are {count} flows"),
            format!("`{}` has {least} to {most}", self.workload),
        ))
    }

    fn validate_percentiles(&self) -> Result<(), ConfigError> {
        let is_percentile = |p: &f64| *p > 0.0 && *p < 100.0;
        match self.percentiles.iter().find(|p| !is_percentile(p)) {
            None => Ok(()),
            Some(wrong) => Err(ConfigError::new(
                "percentiles",
                format!("{wrong} is no percentile"),
                "give numbers above 0 and below 100",
            )),
        }
    }
}
