//! Interrupted sweeps.

use fabricsim_experiments::sweep::{
    self, Ended, Point, PointOutcome, SweepMonitor, SweepOptions, SweepProgress,
};

use super::{BASE, run, table, with_base};

/// Stops a sweep when the first point has ended.
#[derive(Default)]
struct Impatient {
    begun: usize,
    ended: usize,
    shares: Vec<f64>,
}

impl SweepMonitor for Impatient {
    fn begun(&mut self, _: &Point) {
        self.begun += 1;
    }
    fn ended(&mut self, _: &PointOutcome) {
        self.ended += 1;
    }
    fn progress(&mut self, progress: &SweepProgress) -> bool {
        self.shares.push(progress.share());
        self.ended == 0
    }
}

#[test]
fn a_sweep_that_was_stopped_goes_on_later() {
    let folder = tempfile::tempdir().unwrap();
    let (dir, whole) = (folder.path().join("stopped"), folder.path().join("whole"));
    let base = BASE.replace("20KB", "4MB");
    let text = "scenario = \"base.toml\"\n[[axis]]\nkey = \"seed\"\nrange = { from = 1, to = 30 }";
    let sweep = with_base(text, &base).unwrap();
    let mut monitor = Impatient::default();
    let options = SweepOptions {
        jobs: 1,
        ..SweepOptions::default()
    };
    let outcome = sweep::run(&sweep, &dir, &options, &mut monitor).unwrap();
    assert!(outcome.interrupted);
    assert!(outcome.count_run() >= 1);
    assert!(!outcome.is_complete());
    assert!(
        outcome
            .points
            .iter()
            .any(|point| matches!(point.ended, Ended::Stopped))
    );
    assert_eq!(monitor.begun, monitor.ended);
    assert!(monitor.shares.is_sorted());
    assert!(
        monitor
            .shares
            .iter()
            .all(|share| (0.0..1.0).contains(share))
    );
    let rest = run(&sweep, &dir);
    assert_eq!(outcome.count_run() + rest.count_run(), 30);
    run(&sweep, &whole);
    assert_eq!(table(&dir), table(&whole));
}
