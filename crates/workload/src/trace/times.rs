//! The computing times of a graph: stated in its file, measured, or from the roofline.

use fabricsim_base::choices;
use fabricsim_base::input::{ConfigError, InputError};
use fabricsim_base::units::Duration;

use super::GraphTable;
use crate::compute::{Profile, Rates};
use crate::text::Piece;

choices! {
    /// The computing time that counts if an operation has several.
    #[derive(Default)]
    pub enum ComputeTimes {
        /// The duration in the file, if there is one.
        #[default]
        Stated = "stated" ("a duration in the file, else `profile`, else `roofline`"),
        /// The duration in the file only if there is no other.
        Modeled = "modeled" ("`profile`, else `roofline`, else a duration in the file"),
    }
}

/// The models that computing times came from.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Used {
    pub(super) roofline: bool,
    pub(super) profile: bool,
    /// An operation has a duration in the file and another time, or would have.
    choice: bool,
}

/// The statements of a file about the time of a computation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stated<'t> {
    /// The place of the row.
    pub(super) row: Piece<'t>,
    pub(super) duration: Option<Duration>,
    /// An operation of the profile, and its size.
    pub(super) profiled: Option<(Piece<'t>, u64)>,
    /// Operations, and bytes of the memory.
    pub(super) work: Option<(u64, u64)>,
}

/// The models of computing times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times<'p> {
    which: ComputeTimes,
    rates: Option<Rates>,
    profile: Option<&'p Profile>,
    pub(super) used: Used,
}

impl<'p> Times<'p> {
    /// Returns the models of `table`; `profile` is the content of its file. With an invalid
    /// roofline, which a later check names, nothing takes time.
    pub(super) fn new(table: &GraphTable, profile: Option<&'p Profile>) -> Self {
        let roofline = table.roofline.as_ref();
        Self {
            which: table.compute_times,
            rates: roofline.map(|keys| keys.rates().unwrap_or(Rates::UNLIMITED)),
            profile,
            used: Used::default(),
        }
    }

    /// Returns models for a file that has no scenario yet: every operation with FLOPs or bytes has
    /// a time.
    pub(super) const fn unknown() -> Self {
        Self {
            which: ComputeTimes::Stated,
            rates: Some(Rates::UNLIMITED),
            profile: None,
            used: Used {
                roofline: false,
                profile: false,
                choice: false,
            },
        }
    }

    /// Returns the computing time of an operation.
    ///
    /// # Errors
    /// Fails if nothing has a time for it, or if the profile is to have one and has none.
    pub(super) fn of(&mut self, stated: &Stated<'_>) -> Result<Duration, InputError> {
        let is_measured = self.profile.is_some() && stated.profiled.is_some();
        let is_modeled = self.rates.is_some() && stated.work.is_some();
        self.used.choice |= stated.duration.is_some() && (is_measured || is_modeled);
        if let (Some(duration), ComputeTimes::Stated) = (stated.duration, self.which) {
            return Ok(duration);
        }
        if let (Some(profile), Some((operation, size))) = (self.profile, stated.profiled) {
            self.used.profile = true;
            return (profile.time(operation.text, size))
                .map_err(|(message, help)| operation.error(message, help));
        }
        if let (Some(rates), Some((flops, bytes))) = (self.rates, stated.work) {
            self.used.roofline = true;
            return Ok(rates.time(flops, bytes));
        }
        stated.duration.ok_or_else(|| missing(stated))
    }
}

/// Returns the error for an operation without a time.
fn missing(stated: &Stated<'_>) -> InputError {
    let (message, help) = match (stated.profiled, stated.work) {
        (None, None) => (
            "`calc` needs `duration_ns`",
            "fill the column `duration_ns` in, or `flops` and `memory_bytes` for a `roofline`, or \
             `operation` and `size` for a `profile`",
        ),
        (None, Some(_)) => (
            "the computation has FLOPs and bytes, and the workload has no `roofline`",
            "write for example roofline = { device = \"h100\" }, or fill the column `duration_ns` \
             in",
        ),
        (Some(_), None) => (
            "the computation is an operation of a profile, and the workload has no `profile`",
            "write for example profile = \"h100.csv\", or fill the column `duration_ns` in",
        ),
        (Some(_), Some(_)) => (
            "the computation has FLOPs and an operation of a profile, and the workload has no \
             `roofline` and no `profile`",
            "write for example roofline = { device = \"h100\" }, or fill the column `duration_ns` \
             in",
        ),
    };
    stated.row.error(message, help)
}

impl Used {
    /// Rejects models of `table` that no computation takes its time from, and a choice that nothing
    /// needs.
    pub(super) fn check(self, table: &GraphTable) -> Result<(), ConfigError> {
        let refuse = |key, message: &str, help: &str| {
            Err(ConfigError::new(key, message.to_owned(), help.to_owned()))
        };
        for (key, given, used, columns) in [
            (
                "roofline",
                table.roofline.is_some(),
                self.roofline,
                "the columns `flops` and `memory_bytes`",
            ),
            (
                "profile",
                table.profile.is_some(),
                self.profile,
                "the columns `operation` and `size`",
            ),
        ] {
            if given && !used && self.choice && table.compute_times == ComputeTimes::Stated {
                return refuse(
                    key,
                    "no computation takes its time from it: all have durations in the file",
                    "write compute_times = \"modeled\", or leave the key out",
                );
            }
            if given && !used {
                return refuse(
                    key,
                    "no computation takes its time from it",
                    &format!("give the graph {columns}, or leave the key out"),
                );
            }
        }
        if table.compute_times == ComputeTimes::Modeled && !self.choice {
            return refuse(
                "compute_times",
                "no computation has a duration in the file and another time",
                "leave the key out, or give `roofline` or `profile`",
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::Duration;

    use super::super::GraphConfig;
    use super::*;
    use crate::compute::{Accelerator, RooflineKeys};
    use crate::context::testing::context;
    use crate::graph::Operation;
    use crate::list::FlowTimes;
    use crate::workload::Workload;

    const PROFILE: &str = "operation,size,time_us\nmatmul,10,7\nmatmul,20,9\n";

    /// 2 MB at 3.35 TB/s are 597 ns, and a size of 15 is halfway between two of the profile.
    const GRAPH: &str = "rank,id,op,duration_ns,flops,memory_bytes,operation,size\n\
                         0,a,calc,100,1e6,2000000,matmul,15\n\
                         0,b,calc,,1e6,2000000,matmul,15\n\
                         0,c,calc,,1e6,2000000,,\n\
                         0,d,calc,100,,2000000,,\n\
                         0,e,calc,100,,,,\n";

    fn load(
        text: &str,
        profile: Option<&str>,
        change: impl FnOnce(&mut GraphTable),
    ) -> Result<GraphConfig, InputError> {
        let mut table = GraphTable::with_required("graph.csv".into());
        table.profile = profile.map(|_| "h100.csv".into());
        change(&mut table);
        let mut config = GraphConfig::from(table);
        if let Some(profile) = profile {
            config.load_profile(profile)?;
        }
        config.load(text, &context(8, 1), FlowTimes::Exact)?;
        Ok(config)
    }

    fn spans(config: &GraphConfig) -> Vec<u64> {
        let loaded = config.loaded.as_ref().unwrap();
        let operations = loaded.programs[0].operations().into_iter();
        let spans = operations.map(|operation| match operation {
            Operation::Compute { span, .. } => span.as_ns(),
            other => panic!("{other:?} is no computation"),
        });
        spans.collect()
    }

    fn h100(table: &mut GraphTable) {
        table.roofline = Some(RooflineKeys::of(Accelerator::H100));
    }

    #[test]
    fn a_duration_precedes_the_profile_and_this_the_roofline() {
        let config = load(GRAPH, Some(PROFILE), h100).unwrap();
        assert_eq!(spans(&config), [100, 8_000, 597, 100, 100]);
        assert!(config.expected(&context(8, 1)).is_ok());
        let modeled = |table: &mut GraphTable| {
            h100(table);
            table.compute_times = ComputeTimes::Modeled;
        };
        let config = load(GRAPH, Some(PROFILE), modeled).unwrap();
        assert_eq!(spans(&config), [8_000, 8_000, 597, 597, 100]);
        let config = load(GRAPH, None, modeled).unwrap();
        assert_eq!(spans(&config), [597, 597, 597, 597, 100]);
        let slow = |table: &mut GraphTable| {
            h100(table);
            table.roofline.as_mut().unwrap().launch = Duration::from_us(2);
        };
        let config = load(GRAPH, None, slow).unwrap();
        assert_eq!(spans(&config), [100, 2_597, 2_597, 100, 100]);
    }

    #[test]
    fn a_computation_without_a_time_is_pointed_at() {
        let header = "rank,id,op,duration_ns,flops,memory_bytes,operation,size\n";
        for (row, profile, at, words) in [
            (
                "0,a,calc,,,,,",
                None,
                "0,a,calc,,,,,",
                "needs `duration_ns`",
            ),
            ("0,a,calc,,5,,,", None, "0,a,calc,,5,,,", "no `roofline`"),
            (
                "0,a,calc,,,,matmul,9",
                None,
                "0,a,calc,,,,matmul,9",
                "no `profile`",
            ),
            (
                "0,a,calc,,5,8,matmul,9",
                None,
                "0,a,calc,,5,8,matmul,9",
                "and no `profile`",
            ),
            (
                "0,a,calc,,,,relu,10",
                Some(PROFILE),
                "relu",
                "no operation `relu`",
            ),
            (
                "0,a,calc,,5,8,matmul,9",
                Some(PROFILE),
                "matmul",
                "sizes from 10 to 20",
            ),
            (
                "0,a,calc,5,,,matmul,",
                None,
                "0,a,calc,5,,,matmul,",
                "needs `size`",
            ),
            (
                "0,a,calc,5,,,,7",
                None,
                "0,a,calc,5,,,,7",
                "needs `operation`",
            ),
            (
                "0,a,calc,5,many,,,",
                None,
                "many",
                "not a number of operations",
            ),
            (
                "0,a,calc,5,,-2,,",
                None,
                "-2",
                "not a number for `memory_bytes`",
            ),
            (
                "0,a,calc,5,,,matmul,x",
                None,
                "x",
                "not a number for `size`",
            ),
        ] {
            let text = format!("{header}{row}\n");
            let error = load(&text, profile, |_| ()).unwrap_err();
            assert!(error.message.contains(words), "{row}: {}", error.message);
            assert_eq!(&text[error.span.clone()], at, "{}", error.message);
            assert!(!error.help.is_empty());
        }
        // 2^64 operations at 1 operation in 10^6 s.
        let slow = |table: &mut GraphTable| {
            table.roofline = Some(RooflineKeys {
                peak_tflops: Some(1e-12),
                memory_gb_per_s: Some(1.0),
                ..RooflineKeys::default()
            });
        };
        let text = format!("{header}0,a,calc,,1.8e19,,,\n");
        let error = load(&text, None, slow).unwrap_err();
        assert!(error.message.contains("too long"), "{}", error.message);
    }

    #[test]
    fn models_without_effect_are_refused() {
        let stated = "rank,id,op,duration_ns,flops\n0,a,calc,5,7\n";
        let plain = "rank,id,op,duration_ns\n0,a,calc,5\n";
        let goal = "num_ranks 1\nrank 0 {\na: calc 5\n}\n";
        let modeled = |table: &mut GraphTable| table.compute_times = ComputeTimes::Modeled;
        let refused = |text: &str, profile, change: &dyn Fn(&mut GraphTable)| {
            let config = load(text, profile, change).unwrap();
            let error = config.expected(&context(8, 1)).unwrap_err();
            (error.key, error.message, error.help)
        };
        let (key, message, help) = refused(stated, None, &h100);
        assert_eq!(key, "roofline");
        assert!(message.contains("all have durations"), "{message}");
        assert!(help.contains("compute_times = \"modeled\""), "{help}");
        for text in [plain, goal] {
            let (key, message, help) = refused(text, None, &h100);
            assert_eq!(key, "roofline");
            assert_eq!(message, "no computation takes its time from it");
            assert!(help.contains("`flops`"), "{help}");
            assert_eq!(refused(text, Some(PROFILE), &|_| ()).0, "profile");
            assert_eq!(refused(text, None, &modeled).0, "compute_times");
        }
        let invalid = |table: &mut GraphTable| {
            h100(table);
            table.roofline.as_mut().unwrap().memory_efficiency = 2.0;
        };
        let (key, message, _) = refused("rank,id,op,flops\n0,a,calc,7\n", None, &invalid);
        assert_eq!(key, "roofline");
        assert!(message.contains("`memory_efficiency`"), "{message}");
    }

    #[test]
    fn a_profile_is_read_before_the_graph() {
        let table = GraphTable {
            profile: Some("h100.csv".into()),
            ..GraphTable::with_required("graph.csv".into())
        };
        let mut config = GraphConfig::from(table);
        assert_eq!(config.profile().map(|file| file.path), Some("h100.csv"));
        assert_eq!(config.expected(&context(8, 1)).unwrap_err().key, "profile");
        let error = config.load(GRAPH, &context(8, 1), FlowTimes::Exact);
        assert!(error.unwrap_err().message.contains("profile"));
    }
}
