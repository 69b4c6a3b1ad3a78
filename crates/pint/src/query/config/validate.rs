//! Rejects meaningless settings of a query.

use fabricsim_base::input::ConfigError;

use super::{Keep, Knowledge, QueryConfig};
use crate::query::value::{Aggregation, FlowDefinition, Value};

/// The lowest quantile with a distinct name.
const LEAST_QUANTILE: f64 = 1e-6;

impl QueryConfig {
    /// Checks the settings.
    ///
    /// # Errors
    /// Returns an error if a value is meaningless. It names the key, the problem and a suggestion.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let refuse = |key, message: String, help: &str| Err(ConfigError::new(key, message, help));
        let aggregation = self.aggregation();
        let value = self.value.name();
        if self.value.is_name() && aggregation != Aggregation::Static {
            return refuse(
                "aggregation",
                format!("`{value}` is a name, which has no quantiles, extremes or sums"),
                "use \"static\", or a value that is a number, such as \"hop-latency\"",
            );
        }
        if !self.value.is_name() && aggregation == Aggregation::Static {
            return refuse(
                "aggregation",
                format!("`{value}` differs from packet to packet"),
                "use \"dynamic\" for quantiles of each hop, or \"max\" over the hops of a packet",
            );
        }
        let most = if aggregation == Aggregation::Static {
            64
        } else {
            16
        };
        if !(1..=most).contains(&self.bits) {
            return refuse(
                "bits",
                format!("a digest of {} bits is not of 1 to {most}", self.bits),
                "give the bits of one digest, such as 8",
            );
        }
        self.validate_ranges()?;
        self.validate_fit(aggregation)?;
        self.validate_statistics()
    }

    /// Checks that the given keys apply to this aggregation.
    fn validate_fit(&self, aggregation: Aggregation) -> Result<(), ConfigError> {
        let is_static = aggregation == Aggregation::Static;
        // A key for another kind of query would have no effect, so reject it.
        for (key, given, fits, kind) in [
            ("instances", self.instances != 1, is_static, "static"),
            ("scheme", self.scheme.is_some(), is_static, "static"),
            (
                "typical_hops",
                self.typical_hops.is_some(),
                is_static,
                "static",
            ),
            ("knowledge", self.knowledge.is_some(), is_static, "static"),
            ("largest", self.largest.is_some(), !is_static, "numeric"),
            (
                "rounding",
                self.rounding.is_some(),
                !is_static && aggregation != Aggregation::Sum,
                "dynamic, \"max\" or \"min\"",
            ),
            ("quantiles", self.quantiles.is_some(), !is_static, "numeric"),
            ("keep", self.keep.is_some(), !is_static, "numeric"),
            ("space", self.space.is_some(), !is_static, "numeric"),
        ] {
            if given && !fits {
                return Err(ConfigError::new(
                    key,
                    format!("it is for {kind} queries, and this one is not"),
                    "leave the key out",
                ));
            }
        }
        // Tracing is possible only if the packets of a flow share a path.
        if is_static && self.flow == FlowDefinition::Destination {
            return Err(ConfigError::new(
                "flow",
                "packets from many hosts to one take many paths",
                "leave the key out, or use \"pair\" if a pair of hosts has one path",
            ));
        }
        if self.knowledge == Some(Knowledge::Links) && self.value != Value::SwitchId {
            return Err(ConfigError::new(
                "knowledge",
                "links join switches, and ports are numbered anew at each",
                "leave the key out",
            ));
        }
        if self.space.is_some() && self.keep.unwrap_or_default() == Keep::All {
            return Err(ConfigError::new(
                "space",
                "if all digests are kept, there is no budget for them",
                "set `keep` to \"sketch\", \"window\" or \"frequent\", or leave the key out",
            ));
        }
        Ok(())
    }

    fn validate_statistics(&self) -> Result<(), ConfigError> {
        if self.quantiles.is_some() && self.keep == Some(Keep::Frequent) {
            return Err(ConfigError::new(
                "quantiles",
                "counters of frequent values do not count smaller values",
                "leave the key out, or use another `keep`",
            ));
        }
        let mut sorted = self.quantiles().to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(ConfigError::new(
                "quantiles",
                format!("{} is there twice", pair[1]),
                "name each share once",
            ));
        }
        let wrong = |q: &&f64| !(**q >= LEAST_QUANTILE && **q <= 1.0);
        match (self.quantiles(), self.quantiles().iter().find(wrong)) {
            ([], _) => Err(ConfigError::new(
                "quantiles",
                "the list is empty",
                "leave the key out for the median and the 99th percentile",
            )),
            (_, Some(wrong)) => Err(ConfigError::new(
                "quantiles",
                format!("a quantile of {wrong} is not between {LEAST_QUANTILE} and 1"),
                "give shares, such as 0.5 for the median",
            )),
            _ if self.flow_ids.as_ref().is_some_and(Vec::is_empty) => Err(ConfigError::new(
                "flow_ids",
                "the list is empty",
                "leave the key out to mean all",
            )),
            _ => Ok(()),
        }
    }
}
