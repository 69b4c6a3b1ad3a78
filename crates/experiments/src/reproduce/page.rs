//! Scorecards as one page.

use fabricsim_plot::html::{Cell, Page};

use super::Preset;
use super::claim::Outcome;
use super::collectives;
use super::routing;
use super::scorecard::Scorecard;
use crate::judge::chain;

/// Adds `claims` with the outcomes of their tests to `page`.
pub(super) fn claims(page: &mut Page, claims: &[super::Claim]) {
    if claims.is_empty() {
        return;
    }
    page.section("Published claims");
    let row = |claim: &super::Claim| {
        let outcome = match claim.outcome {
            Outcome::Holds => Cell::good("holds"),
            Outcome::Fails => Cell::bad("does not hold"),
            Outcome::Untested => Cell::from("untested"),
        };
        vec![
            Cell::from(claim.what.as_str()),
            outcome,
            Cell::from(claim.evidence.as_str()),
        ]
    };
    let rows: Vec<Vec<Cell>> = claims.iter().map(row).collect();
    page.table(&["claim", "here", "figures"], &rows);
}

impl Scorecard {
    /// Returns a self-contained HTML page: the question, claims, distances, figures, orders, and
    /// the runs.
    #[must_use]
    pub fn page(&self, preset: &Preset) -> String {
        let mut page = Page::new(&format!("fabricsim: {}", self.preset));
        page.paragraph(&format!("{}. After {}.", preset.about, self.source));
        page.paragraph(&format!("{}.", self.cut_in_words()));
        let missing = self.missing();
        if !missing.is_empty() {
            page.warning(&format!("runs without results: {}", missing.join(", ")));
        }
        if let Some(buffers) = &self.buffers {
            buffers.rows_on(&mut page);
        }
        claims(&mut page, &self.claims);
        routing::show(&self.routing, &mut page);
        collectives::show(&self.collectives, &mut page);
        self.distances_on(&mut page);
        let figures = self.figures();
        if !figures.is_empty() {
            page.section("Figures");
        }
        for (_, figure) in figures {
            page.figure(&figure, "");
        }
        if let Some(buffers) = &self.buffers {
            buffers.parameters_on(&mut page);
        }
        self.orders_on(&mut page);
        self.runs_on(&mut page);
        page.details("The sweep", preset.text());
        page.finish()
    }

    fn distances_on(&self, page: &mut Page) {
        let mut rows = Vec::new();
        for panel in &self.panels {
            for curve in &panel.curves {
                let percent = |value: f64| Cell::from(format!("{:.1}%", value * 100.0));
                let mut row = vec![Cell::from(panel.title()), Cell::from(curve.scheme.as_str())];
                if let Some(ticks) = &curve.ticks {
                    row.push(percent(ticks.median));
                    row.push(Cell::from(format!("{:+.1}%", ticks.bias * 100.0)));
                    row.push(percent(ticks.greatest));
                    let worst = curve.worst_tick.as_ref().map(|tick| {
                        let interval = tick.interval.as_ref().map_or(String::new(), |interval| {
                            format!(
                                "; 95% of {:+.0} to {:+.0}%",
                                interval.low * 100.0,
                                interval.high * 100.0
                            )
                        });
                        format!(
                            "{:.2} of {:.2} up to {} bytes ({} flows{interval})",
                            tick.ours, tick.published, tick.size_bytes, tick.flows
                        )
                    });
                    row.push(Cell::from(worst.unwrap_or_default()));
                }
                rows.push(row);
            }
        }
        if rows.is_empty() {
            return;
        }
        page.section("Distance to the published curves");
        page.paragraph(
            "Median over the ticks (every tenth of the flows) of |ours / published - 1|, the median with its \
             sign (+ is slower than published), the greatest, and the tick with the greatest deviation. At the \
             99th percentile, both curves are smoothed by medians over two percent of the flows on either \
             side. A 95% interval assumes independent flows. Flows of one run share queues, so the interval \
             is too narrow.",
        );
        page.table(
            &[
                "panel",
                "scheme",
                "median",
                "side",
                "greatest",
                "worst tick (ours of published)",
            ],
            &rows,
        );
    }

    fn orders_on(&self, page: &mut Page) {
        if self.panels.is_empty() {
            return;
        }
        page.section("Order of the schemes");
        page.paragraph(
            "Geometric mean over the bins of a region, lowest first; = is a tie (within 1%, or the error \
             of reading the figure).",
        );
        let mut rows = Vec::new();
        for panel in &self.panels {
            for means in &panel.regions {
                let mut orders = panel.orders.iter();
                let order = orders.find(|order| order.region == means.region);
                rows.push(vec![
                    Cell::from(panel.title()),
                    Cell::from(format!(
                        "{}, up to {} bytes",
                        means.region, means.upto_bytes
                    )),
                    Cell::from(chain(&means.ranked)),
                    order.map_or_else(Cell::default, |order| Cell::from(chain(&order.published))),
                    match order {
                        None => Cell::from("no curve"),
                        Some(order) if order.agrees() => Cell::good("agrees"),
                        Some(_) => Cell::bad("another order"),
                    },
                ]);
            }
        }
        page.table(&["panel", "flows", "here", "published", ""], &rows);
    }

    fn runs_on(&self, page: &mut Page) {
        page.section("Runs");
        let row = |point: &super::PointFacts| {
            let text = |value: &Option<String>| Cell::from(value.clone().unwrap_or_default());
            let number = |value: u64| Cell::from(value.to_string());
            vec![
                Cell::from(point.point.as_str()),
                text(&point.status),
                number(point.finished),
                if point.unfinished == 0 {
                    number(0)
                } else {
                    Cell::bad(point.unfinished.to_string())
                },
                Cell::from(point.counted.to_string()),
                number(point.packet_hops),
                number(point.pfc_pauses),
                number(point.buffer_drops),
                Cell::from(format!("{:.0}", point.cpu_s)),
                text(&point.checksum),
            ]
        };
        let rows: Vec<Vec<Cell>> = self.points.iter().map(row).collect();
        page.table(
            &[
                "run",
                "status",
                "flows finished",
                "unfinished",
                "counted",
                "packet-hops",
                "PFC pauses",
                "drops",
                "CPU (s)",
                "checksum",
            ],
            &rows,
        );
    }
}
