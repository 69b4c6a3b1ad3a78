//! Reproduction of published figures: presets with their scenarios, and a scorecard of the
//! deviations from the published results.
//!
//! A [`Preset`] is a [`Sweep`] with a question. [`Preset::sweep`] sets the duration of the traffic,
//! and [`crate::sweep::run`] runs the sweep. [`Preset::judge`] reads the results and compares them
//! with curves read off the published figures, if the project has them. It also tests the papers'
//! claims in words. [`Scorecard::page`] shows everything on one page.
//!
//! ```
//! use fabricsim_base::units::Duration;
//! use fabricsim_experiments::reproduce::{PRESETS, Preset};
//!
//! let preset = Preset::named("hpcc-results").expect("the results page of HPCC");
//! let sweep = preset.sweep(Duration::from_ms(1), &[])?;
//! assert_eq!(sweep.points().len(), 2 * 3 * 5);
//! assert!(PRESETS.iter().all(|preset| preset.sweep(Duration::from_ms(1), &[]).is_ok()));
//! # Ok::<(), fabricsim::Error>(())
//! ```

mod buffers;
mod claim;
mod claims;
mod collectives;
mod curves;
mod fraction;
mod goodput;
mod measured;
mod page;
mod panel;
mod picture;
mod point_facts;
mod routing;
mod scorecard;
pub mod studies;

use std::path::Path;

use fabricsim_base::units::{Duration, Time};
use fabricsim_report::{Cut, CutEnd};

use crate::sweep::Sweep;
use fabricsim_scenario::text::error::Error;
use measured::Measured;

pub use buffers::{
    BufferSizing, ParameterRow, QueueFigures, Row, RunFigures, SizeRow, Verdict, VictimFigures,
};
pub use claim::{Claim, Outcome};
pub use collectives::CollectiveTime;
pub use goodput::GoodputRow;
pub use panel::{PanelScore, RegionMeans};
pub use point_facts::PointFacts;
pub use routing::RoutingRow;
pub use scorecard::Scorecard;
pub use studies::{STUDIES, Study, StudyCard, StudyKind};

/// A published figure and the sweep that reproduces it.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Name of the preset on the command line.
    pub name: &'static str,
    /// Description in one line.
    pub about: &'static str,
    /// Publication of the figure.
    pub source: &'static str,
    /// The sweep, as TOML.
    text: &'static str,
    question: Question,
}

/// Evaluation of the results of a preset.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Question {
    /// The slowdowns of the results page, and its statements.
    Results,
    /// Effect of a higher target utilization.
    Eta,
    /// The goodput of long flows over the load.
    Goodput,
    /// Slowdowns under INT and PINT.
    Slowdown,
    /// Effect of digests on fewer packets.
    Fraction,
    /// Slowdowns beside incasts.
    Incast,
    /// Floods of queries and the queries of a storage system, over TCP and RDMA.
    Buffers,
    /// A permutation under routing policies.
    Routing,
    /// Collectives by algorithm, size and routing policy.
    Collectives,
}

macro_rules! preset {
    ($name:literal, $question:ident, $about:literal, $source:literal) => {
        Preset {
            name: $name,
            about: $about,
            source: $source,
            text: include_str!(concat!("../data/presets/", $name, ".toml")),
            question: Question::$question,
        }
    };
}

/// All presets.
pub const PRESETS: &[Preset] = &[
    preset!(
        "hpcc-results",
        Results,
        "five schemes, two workloads, three loads: slowdown over flow size",
        "the results page of HPCC, https://hpcc-group.github.io/results.html"
    ),
    preset!(
        "hpcc-eta",
        Eta,
        "target utilization of 95% against 99%, both forms of HPCC",
        "the results page of HPCC, section on the effect of eta"
    ),
    preset!(
        "hpcc-incast",
        Incast,
        "WebSearch at 30% beside 60-to-1 incasts of 500 KB at 2%",
        "Li et al., HPCC, SIGCOMM 2019, figure 11a"
    ),
    preset!(
        "pint-goodput",
        Goodput,
        "goodput of flows above 10 MB over the load, INT against PINT",
        "Ben Basat et al., PINT, SIGCOMM 2020, figure 7a"
    ),
    preset!(
        "pint-slowdown",
        Slowdown,
        "slowdown over flow size at 50%, INT against PINT",
        "Ben Basat et al., PINT, SIGCOMM 2020, figures 7b and 7c"
    ),
    preset!(
        "pint-fraction",
        Fraction,
        "HPCC on PINT when 1, 1/16 or 1/256 of the packets carry a digest",
        "Ben Basat et al., PINT, SIGCOMM 2020, figure 8"
    ),
    preset!(
        "buffer-sizing",
        Buffers,
        "queues and queries of TCP and RDMA with and without HPCC, open parameters varied",
        "Miao et al., Buffer sizing with HPCC, BS 2019"
    ),
    preset!(
        "routing",
        Routing,
        "a permutation of 1,024 hosts under ECMP, flowlets, adaptive routing and spraying",
        "random packet spraying (INFOCOM 2013), DRILL and LetFlow (SIGCOMM and NSDI 2017)"
    ),
    preset!(
        "collectives",
        Collectives,
        "rings, trees and all-to-all of 128 hosts over sizes and routing policies",
        "Thakur, Rabenseifner and Gropp 2005: time by latency and bandwidth"
    ),
];

impl Preset {
    /// Returns `true` if you can choose the time during which flows arrive. In all other presets,
    /// all flows start at once and count.
    #[must_use]
    pub const fn has_traffic(&self) -> bool {
        !matches!(self.question, Question::Routing | Question::Collectives)
    }

    /// Default time during which flows arrive; zero if it cannot be chosen.
    #[must_use]
    pub const fn usual(&self) -> Duration {
        match self.question {
            Question::Buffers => Duration::from_ms(200),
            Question::Routing | Question::Collectives => Duration::ZERO,
            _ => Duration::from_ms(50),
        }
    }

    /// Returns the preset called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// Returns the sweep of the preset, with flows that arrive for `traffic`. Before that,
    /// `overrides` (`key=value`, dotted keys) change the base scenario.
    ///
    /// # Errors
    /// If an override is no key of a scenario, or its value is invalid.
    pub fn sweep(&self, traffic: Duration, overrides: &[String]) -> Result<Sweep, Error> {
        let workloads = self.text.matches("[[scenario.workload]]").count();
        let mut changes = overrides.to_vec();
        if self.has_traffic() {
            changes.extend((0..workloads).map(|k| format!("workload.{k}.duration={traffic}")));
        }
        if self.question == Question::Buffers {
            // Queues are weighed over the time in which queries count.
            let cut = Self::cut(traffic);
            changes.push(format!("observe.from={}", cut.warm_up));
            if let CutEnd::Until(until) = cut.end {
                changes.push(format!("observe.until={}", until.since(Time::ZERO)));
            }
        }
        let source = format!("{}.toml", self.name);
        Sweep::from_text(&source, self.text, Path::new("."), &changes)
    }

    /// Returns the cut that selects the flows that count: they start after the first fifth of
    /// `traffic` and before its last tenth.
    ///
    /// Before that, the number of long flows still grows (30 MB take 20 ms at half load). After
    /// that, no new flows replace finished ones.
    #[must_use]
    pub const fn cut(traffic: Duration) -> Cut {
        let ps = traffic.as_ps();
        Cut {
            warm_up: Duration::from_ps(ps / 5),
            end: CutEnd::Until(Time::from_ps(ps - ps / 10)),
        }
    }

    /// Judges the results of `sweep` in `dir`, which have `traffic`. Points without results are
    /// left out and listed in the scorecard.
    ///
    /// # Errors
    /// If a file of results cannot be read.
    pub fn judge(&self, sweep: &Sweep, dir: &Path, traffic: Duration) -> Result<Scorecard, Error> {
        let mut card = Scorecard::new(self, traffic);
        let mut measured = Measured::new(sweep, dir, Self::cut(traffic));
        match self.question {
            Question::Results => {
                card.panels = panel::judge(&mut measured, &["hpcc-results"])?;
                claims::of_results(&mut card);
            }
            Question::Eta => {
                card.panels = panel::judge(&mut measured, &["hpcc-eta"])?;
                claims::of_eta(&mut card);
            }
            Question::Goodput => {
                let (rows, claim) = goodput::judge(&mut measured)?;
                card.goodput = rows;
                card.claims.push(claim);
            }
            Question::Slowdown => {
                card.panels = panel::judge(&mut measured, &[])?;
                claims::of_slowdown(&mut card);
            }
            Question::Fraction => {
                card.panels = panel::judge(&mut measured, &[])?;
                fraction::judge(&mut card);
            }
            Question::Incast => {
                card.panels = panel::judge(&mut measured, &[])?;
                claims::of_incast(&mut card);
            }
            Question::Buffers => {
                let (buffers, claims) = buffers::judge(&mut measured)?;
                card.buffers = Some(buffers);
                card.claims = claims;
            }
            Question::Routing => (card.routing, card.claims) = routing::judge(&mut measured),
            Question::Collectives => {
                (card.collectives, card.claims) = collectives::judge(&mut measured);
            }
        }
        card.points = measured.into_facts();
        Ok(card)
    }

    /// Returns the sweep as TOML.
    #[must_use]
    pub const fn text(&self) -> &'static str {
        self.text
    }
}
