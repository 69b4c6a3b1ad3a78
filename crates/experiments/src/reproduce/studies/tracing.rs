//! Packets that decode a path (PINT, figure 10).

mod claims;

use std::fmt::Write as _;

use fabricsim_base::input::ConfigError;
use fabricsim_engine::Threads;
use fabricsim_pint::tracing::{Layers, Marking, SchemeConfig, Values};
use fabricsim_plot::figure::{Axis, Draw, Figure, Marker, Panel, Series, Style, Unit};

use self::claims::claims;
use super::{Study, StudyCard};
use crate::pint::trace::Network;
use crate::pint::{Paths, Summary, Trials};

/// A network of the figure.
#[derive(Debug)]
struct Place {
    name: &'static str,
    /// Switches of the network. A sink knows their numbers, not their links.
    switches: u32,
    /// The path length for which switches are configured: they xor with probability 1 / d.
    estimate: u8,
    /// Path lengths, the last one of the network's longest shortest path.
    lengths: &'static [u8],
}

/// The networks: sizes as in the Internet Topology Zoo, and d as in PINT, section 6.3.
const PLACES: [Place; 3] = [
    Place {
        name: "Kentucky Datalink",
        switches: 754,
        estimate: 10,
        lengths: &[5, 15, 25, 36, 47, 59],
    },
    Place {
        name: "US Carrier",
        switches: 158,
        estimate: 10,
        lengths: &[4, 12, 20, 28, 36],
    },
    Place {
        name: "fat-tree of 80 switches",
        switches: 80,
        estimate: 5,
        lengths: &[2, 3, 4, 5],
    },
];

/// Half of the packets are overwritten, as in the published code.
const BASELINE_SHARE: f64 = 0.5;

/// Hash functions of AMS2 in PINT's evaluation.
const FUNCTIONS: u8 = 7;

/// Mean packets for the longest path of Kentucky Datalink with two digests of 8 bits (PINT, section
/// 6.3).
const PUBLISHED_MEAN: f64 = 42.0;

/// A scheme of the figure.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Method {
    /// PINT with digests of so many bits, and their number.
    Pint(u32, u32),
    /// Two digests that hold whole numbers of switches.
    Whole,
    /// Two digests of 8 bits; the sink knows the links of the network.
    Links,
    Ams2(u8),
    Ppm,
}

impl Method {
    const TWICE_8: Self = Self::Pint(8, 2);
    const ONE_BIT: Self = Self::Pint(1, 1);
    const PINT: [Self; 3] = [Self::TWICE_8, Self::Pint(4, 1), Self::ONE_BIT];
    const OTHERS: [Self; 3] = [Self::Ams2(5), Self::Ams2(6), Self::Ppm];
    /// Two readings of the paper's decoder, for its longest path alone.
    const READINGS: [Self; 2] = [Self::Whole, Self::Links];

    fn drawn() -> impl Iterator<Item = Self> {
        Self::PINT.into_iter().chain(Self::OTHERS)
    }

    fn name(self) -> String {
        match self {
            Self::Pint(1, 1) => "PINT, 1 bit".to_owned(),
            Self::Pint(bits, 1) => format!("PINT, {bits} bits"),
            Self::Pint(bits, instances) => format!("PINT, {instances}x{bits} bits"),
            Self::Whole => "PINT, two whole numbers".to_owned(),
            Self::Links => "PINT, 2x8 bits, known links".to_owned(),
            Self::Ams2(needed) => format!("AMS2, {needed} hashes"),
            Self::Ppm => "PPM".to_owned(),
        }
    }
}

/// A point of the figure, ready to run.
#[derive(Debug)]
pub struct TracingCell {
    place: &'static Place,
    method: Method,
    trials: Trials,
}

/// A point of the figure.
#[derive(Clone, Debug, PartialEq)]
pub struct TracingRow {
    network: &'static str,
    hops: u8,
    method: Method,
    found: Summary,
}

/// Returns the points of the figure with `trials` of each. A sink that knows links knows the ones
/// of `linked`, a network of the size of Kentucky Datalink.
#[must_use]
pub fn cells(trials: u32, linked: &Network) -> Vec<TracingCell> {
    let mut cells = Vec::new();
    for place in &PLACES {
        let longest = place.lengths.last().copied();
        for &hops in place.lengths {
            let is_published = place.name == PLACES[0].name && Some(hops) == longest;
            let readings = Method::READINGS.iter().filter(|_| is_published);
            for method in Method::drawn().chain(readings.copied()) {
                let paths = match method {
                    Method::Links => linked.paths(),
                    _ => Paths::Random {
                        switches: place.switches,
                    },
                };
                cells.push(TracingCell {
                    place,
                    method,
                    trials: Trials {
                        count: trials,
                        ..Trials::of(hops, paths)
                    },
                });
            }
        }
    }
    cells
}

impl TracingCell {
    /// Returns the network, the length of the path and the scheme, as a title.
    #[must_use]
    pub fn title(&self) -> String {
        format!("{} hops, {}", self.trials.hops, self.method.name())
    }

    /// Runs the trials on `threads`.
    ///
    /// # Errors
    /// If there is no such scheme.
    pub fn run(mut self, threads: &Threads) -> Result<TracingRow, ConfigError> {
        self.trials.threads = threads.clone();
        let layers = Layers {
            baseline_share: BASELINE_SHARE,
            xor: vec![1.0 / f64::from(self.place.estimate)],
        };
        let pint = |bits, instances, values| SchemeConfig {
            digest_bits: bits,
            instances,
            values,
            ..SchemeConfig::new(layers.clone())
        };
        let number_bits = self.place.switches.next_power_of_two().trailing_zeros();
        let found = match self.method {
            Method::Pint(bits, count) => self.trials.pint(&pint(bits, count, Values::Hashed)),
            Method::Links => self.trials.pint(&pint(8, 2, Values::Hashed)),
            Method::Whole => self.trials.pint(&pint(number_bits, 2, Values::Whole)),
            Method::Ams2(needed) => self.trials.traceback(Marking::Hashes {
                functions: FUNCTIONS,
                needed,
            }),
            Method::Ppm => self.trials.traceback(Marking::Fragments),
        }?;
        Ok(TracingRow {
            network: self.place.name,
            hops: self.trials.hops,
            method: self.method,
            found,
        })
    }
}

/// Judges the `rows` of `trials` each.
#[must_use]
pub fn judge(study: &Study, trials: u32, rows: &[TracingRow]) -> StudyCard {
    StudyCard {
        study: study.name,
        source: study.source,
        extent: format!("{trials} trials of each point, each with its own path and hash functions"),
        claims: claims(rows),
        notes: vec![
            format!(
                "Of the published values, only numbers attributed to the paper's text are available, not \
                 compared with it, and no curves: {PUBLISHED_MEAN} packets on average for the 59 hops of Kentucky Datalink with two digests of \
                 8 bits (a cross in the figure), and the factors to the alternatives in the claims."
            ),
            "Sinks know the numbers of all switches of the network and not its links. The paper does not \
             say which switches its decoder considers; the first claim has other readings."
                .to_owned(),
        ],
        table: table(rows),
        figure: figure(rows),
    }
}

fn table(rows: &[TracingRow]) -> String {
    let mut text = "network,hops,scheme,mean,sem,median,p99,given_up,wrong\n".to_owned();
    for row in rows {
        let found = &row.found;
        writeln!(
            text,
            "{},{},\"{}\",{:.4},{:.4},{},{},{},{}",
            row.network,
            row.hops,
            row.method.name(),
            found.mean,
            found.standard_error,
            found.median,
            found.p99,
            found.given_up,
            found.wrong
        )
        .expect("a string takes everything");
    }
    text
}

/// Returns the figure: a column for each network, the mean above the 99th percentile.
fn figure(rows: &[TracingRow]) -> Figure {
    let mut figure = Figure::new("Packets that decode a path");
    figure.columns = PLACES.len();
    for (what, is_mean) in [("mean", true), ("99th percentile", false)] {
        for place in &PLACES {
            let x = Axis::linear("path length (switches)")
                .in_unit(Unit::Count)
                .from(0.0);
            let title = format!("{}: {what}", place.name);
            let mut panel = Panel::new(title, x, Axis::log("packets until the path is known"));
            for (number, method) in Method::drawn().enumerate() {
                let own = rows
                    .iter()
                    .filter(|row| row.network == place.name && row.method == method);
                let points = own.map(|row| {
                    let found = &row.found;
                    let packets = if is_mean {
                        found.mean
                    } else {
                        found.p99 as f64
                    };
                    (f64::from(row.hops), packets)
                });
                panel.series.push(Series::curve(
                    method.name(),
                    Style::nth(number),
                    points.collect(),
                ));
            }
            if is_mean && place.name == PLACES[0].name {
                let style = Style {
                    marker: Some(Marker::Cross),
                    ..Style::nth(Style::COLORS - 1).drawn(Draw::Points)
                };
                let point = vec![(59.0, PUBLISHED_MEAN)];
                panel
                    .series
                    .push(Series::curve("published, PINT, 2x8 bits", style, point));
            }
            figure.panels.push(panel);
        }
    }
    figure
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::Outcome;
    use crate::reproduce::STUDIES;

    fn row(hops: u8, method: Method, mean: f64) -> TracingRow {
        TracingRow {
            network: PLACES[0].name,
            hops,
            method,
            found: Summary {
                mean,
                standard_error: 0.5,
                median: 7,
                p99: 20,
                given_up: 0,
                wrong: 0,
            },
        }
    }

    fn outcomes(rows: &[TracingRow]) -> Vec<Outcome> {
        let card = judge(&STUDIES[1], 10, rows);
        card.claims.iter().map(|claim| claim.outcome).collect()
    }

    #[test]
    fn claims_are_tested_on_the_rows() {
        use Outcome::{Fails, Holds, Untested};
        let as_published = [
            row(25, Method::TWICE_8, 20.0),
            row(59, Method::TWICE_8, 43.0),
            row(59, Method::Pint(4, 1), 80.0),
            row(59, Method::ONE_BIT, 150.0),
            row(59, Method::Ams2(5), 1_100.0),
            row(59, Method::Ams2(6), 1_500.0),
            row(59, Method::Ppm, 1_510.0),
        ];
        assert_eq!(outcomes(&as_published), [Holds; 5]);
        let mut slow = as_published.to_vec();
        slow[1].found.mean = 82.5;
        assert_eq!(outcomes(&slow), [Fails, Fails, Holds, Fails, Fails]);
        assert_eq!(outcomes(&[]), [Untested; 5]);
    }

    #[test]
    fn whole_numbers_of_the_longest_path_need_the_packets_of_the_published_code() {
        let network = "isp:754:59".parse::<crate::pint::trace::NetworkName>();
        let network = network.expect("a network").load().expect("a network");
        let threads = Threads::calling();
        let wanted = cells(100, &network)
            .into_iter()
            .filter(|cell| cell.trials.hops == 59 && cell.method == Method::Whole);
        let found: Vec<TracingRow> = wanted
            .map(|cell| cell.run(&threads).expect("a scheme"))
            .collect();
        assert_eq!(found.len(), 1);
        // An independent model has 44.9 packets, and 100 trials leave about one of uncertainty.
        let mean = found[0].found.mean;
        assert!((mean - 44.9).abs() < 5.0, "{mean}");
        assert_eq!(found[0].found.wrong, 0);
    }
}
