//! Points that panic.

use fabricsim_base::input::{Key, Keys, ValueKind};
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::plugin::{Ack, CcConfig, CongestionControl, ControllerFactory, FlowStart};
use fabricsim_experiments::sweep::{self, BaseScenario, Ended, Sweep, SweepInput, SweepOptions};

use super::{BASE, column, table};

/// An algorithm that panics.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
struct Fragile {
    breaks: bool,
}

impl CcConfig for Fragile {
    const KEYS: Keys = &[Key::new("breaks", "whether it breaks", ValueKind::Flag)];
}

impl<H> ControllerFactory<H> for Fragile {
    type Controller = Self;
    fn build(&self, _: &FlowStart<'_>) -> Self {
        self.clone()
    }
}

impl<H> CongestionControl<H> for Fragile {
    fn on_ack(&mut self, _: &Ack<'_, H>) {
        assert!(!self.breaks, "the window is never zero");
    }
    fn window(&self) -> Option<Bytes> {
        None
    }
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }
}

#[test]
fn a_point_that_panics_is_told_and_the_others_go_on() {
    let mut input = SweepInput {
        base: Some(BaseScenario {
            source: "base.toml".to_owned(),
            text: BASE.replace("kind = \"hpcc\"\neta = 0.9", "kind = \"fragile\""),
        }),
        ..SweepInput::default()
    };
    input
        .custom
        .congestion_controls
        .register::<Fragile>("fragile", "breaks");
    let text = "[[axis]]\nkey = \"cc.breaks\"\nvalues = [false, true]\n\
                [[axis]]\nkey = \"seed\"\nvalues = [1, 2]\n";
    let sweep = Sweep::from_text_with("s.toml", text, ".".as_ref(), &input).unwrap();
    for threads in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        let options = SweepOptions {
            jobs: 2,
            threads,
            ..SweepOptions::default()
        };
        // Again: a point that has failed is tried again.
        for (first, run) in [(true, 2), (false, 0)] {
            let outcome = sweep::run(&sweep, folder.path(), &options, &mut ()).unwrap();
            assert_eq!(outcome.count_run(), run, "{first}");
            for point in &outcome.points[2..] {
                let Ended::Failed(message) = &point.ended else {
                    panic!("{point:?}");
                };
                assert_eq!(message, "panicked: the window is never zero");
                assert!(!point.folder.join("fct.csv").exists());
                assert!(!point.folder.join("summary.json").exists());
            }
            let status = column(&table(folder.path()), "status");
            assert_eq!(status, ["finished", "finished", "failed", "failed"]);
        }
    }
}
