//! Published figures that need no sweep: their data are many trials, or values from a single run.

pub mod latency;
pub mod tracing;
pub mod training;

use std::fmt;

use fabricsim_plot::figure::Figure;
use fabricsim_plot::html::Page;
use serde::Serialize;

use super::claim::Claim;

/// A published figure, and the study that reproduces it.
#[derive(Clone, Copy, Debug)]
pub struct Study {
    /// Name on the command line.
    pub name: &'static str,
    /// Description in one line.
    pub about: &'static str,
    /// Publication of the figure.
    pub source: &'static str,
    /// The kind of data.
    pub kind: StudyKind,
}

/// The data of a study.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum StudyKind {
    /// Errors of latency quantiles.
    Latency,
    /// Packets that decode a path.
    Tracing,
    /// Iterations of training jobs.
    Training,
}

/// All studies.
pub const STUDIES: &[Study] = &[
    Study {
        name: "pint-latency",
        about: "errors of latency quantiles over packets and over the size of the sketch",
        source: "Ben Basat et al., PINT, SIGCOMM 2020, figure 9",
        kind: StudyKind::Latency,
    },
    Study {
        name: "pint-tracing",
        about: "packets that decode a path over its length, PINT against AMS2 and PPM",
        source: "Ben Basat et al., PINT, SIGCOMM 2020, figure 10",
        kind: StudyKind::Tracing,
    },
    Study {
        name: "training",
        about: "three public workloads of training over routing, congestion control, a failure and a \
                slow rank (81 runs)",
        source: "workloads of AICB and SimAI, and a trace of Chakra",
        kind: StudyKind::Training,
    },
];

impl Study {
    /// Returns the study called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        STUDIES.iter().find(|study| study.name == name)
    }
}

/// The results of a study beside the published ones.
#[derive(Clone, Debug, Serialize)]
pub struct StudyCard {
    /// The study.
    pub study: &'static str,
    /// Publication of the original figure.
    pub source: &'static str,
    /// The extent of the data, in words.
    pub extent: String,
    /// Claims that the publication makes in words, with the outcomes of their tests.
    pub claims: Vec<Claim>,
    /// Published values, and reasons why a figure has none.
    pub notes: Vec<String>,
    /// All numbers as CSV.
    #[serde(skip)]
    pub table: String,
    /// The figure.
    #[serde(skip)]
    pub figure: Figure,
}

impl StudyCard {
    /// Returns a self-contained HTML page: claims, figure, and published values.
    #[must_use]
    pub fn page(&self, study: &Study) -> String {
        let mut page = Page::new(&format!("fabricsim: {}", self.study));
        page.paragraph(&format!("{}. After {}.", study.about, self.source));
        page.paragraph(&format!("{}.", self.extent));
        super::page::claims(&mut page, &self.claims);
        page.section("Figure");
        for note in &self.notes {
            page.paragraph(note);
        }
        page.figure(&self.figure, "");
        page.details("All numbers", &self.table);
        page.finish()
    }
}

impl fmt::Display for StudyCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "study        {} ({})", self.study, self.source)?;
        writeln!(f, "extent       {}", self.extent)?;
        for note in &self.notes {
            writeln!(f, "{note}")?;
        }
        for claim in &self.claims {
            writeln!(f, "{claim}")?;
        }
        Ok(())
    }
}
