//! Evaluation of the results of a preset.

use std::fmt;
use std::io;

use fabricsim_base::units::Duration;
use fabricsim_report::CutEnd;
use serde::Serialize;

use super::Preset;
use super::buffers::BufferSizing;
use super::claim::{Claim, Outcome};
use super::collectives::{self, CollectiveTime};
use super::goodput::GoodputRow;
use super::panel::PanelScore;
use super::point_facts::PointFacts;
use super::routing::{self, RoutingRow};

/// Comparison of the results of a preset with the published ones. `Display` formats it for a
/// terminal.
#[derive(Clone, Debug, Serialize)]
pub struct Scorecard {
    /// The preset.
    pub preset: &'static str,
    /// Publication of the original figure.
    pub source: &'static str,
    /// Time during which flows arrived, in nanoseconds.
    pub traffic_ns: f64,
    /// Flows that start before this time do not count, in nanoseconds.
    pub warm_up_ns: f64,
    /// Flows that start after this time do not count, in nanoseconds.
    pub until_ns: f64,
    /// Claims that the publication makes in words, with the outcomes of their tests.
    pub claims: Vec<Claim>,
    /// Slowdowns over flow size, a panel for each workload, load and percentile.
    pub panels: Vec<PanelScore>,
    /// Goodput of long flows, for presets about goodput.
    pub goodput: Vec<GoodputRow>,
    /// Queues and queries over TCP and RDMA, for `buffer-sizing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buffers: Option<BufferSizing>,
    /// Slowdowns under routing policies, for `routing`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub routing: Vec<RoutingRow>,
    /// Times of collectives, for `collectives`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collectives: Vec<CollectiveTime>,
    /// The runs.
    pub points: Vec<PointFacts>,
}

impl Scorecard {
    pub(super) fn new(preset: &Preset, traffic: Duration) -> Self {
        let ns = |ps: u64| ps as f64 / 1e3;
        let cut = Preset::cut(traffic);
        let until = match cut.end {
            CutEnd::Until(until) => until.as_ps(),
            CutEnd::CoolDown(span) => traffic.as_ps() - span.as_ps(),
        };
        Self {
            preset: preset.name,
            source: preset.source,
            traffic_ns: ns(traffic.as_ps()),
            warm_up_ns: ns(cut.warm_up.as_ps()),
            until_ns: ns(until),
            claims: Vec::new(),
            panels: Vec::new(),
            goodput: Vec::new(),
            buffers: None,
            routing: Vec::new(),
            collectives: Vec::new(),
            points: Vec::new(),
        }
    }

    /// Returns the number of claims with `outcome`.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> usize {
        let same = |claim: &&Claim| claim.outcome == outcome;
        self.claims.iter().filter(same).count()
    }

    /// Returns the names of points without results.
    #[must_use]
    pub fn missing(&self) -> Vec<&str> {
        let missing = |point: &&PointFacts| point.status.is_none();
        let points = self.points.iter().filter(missing);
        points.map(|point| point.point.as_str()).collect()
    }

    /// Returns a description of the flows that count.
    #[must_use]
    pub fn cut_in_words(&self) -> String {
        if self.traffic_ns <= 0.0 {
            return "all flows start at once, and all count".to_owned();
        }
        format!(
            "{} ms of traffic; flows that start from {} to {} ms count",
            self.traffic_ns / 1e6,
            self.warm_up_ns / 1e6,
            self.until_ns / 1e6
        )
    }

    /// Writes distances to the published curves as CSV: a row for each panel and scheme.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_distances(&self, out: &mut impl io::Write) -> io::Result<()> {
        writeln!(
            out,
            "workload,load_pct,percentile,scheme,flows,ticks,median_distance,bias,greatest_distance,\
             worst_tick_size_bytes,points,points_median_distance,points_bias"
        )?;
        for panel in &self.panels {
            for curve in &panel.curves {
                write!(
                    out,
                    "{},{},{},{},{}",
                    panel.workload,
                    panel.load_pct,
                    panel.percentile.percent(),
                    curve.scheme,
                    curve.flows
                )?;
                match &curve.ticks {
                    Some(ticks) => write!(
                        out,
                        ",{},{:.4},{:.4},{:.4}",
                        ticks.points, ticks.median, ticks.bias, ticks.greatest
                    )?,
                    None => write!(out, ",0,,,")?,
                }
                match &curve.worst_tick {
                    Some(tick) => write!(out, ",{}", tick.size_bytes)?,
                    None => write!(out, ",")?,
                }
                match &curve.clear {
                    Some(clear) => writeln!(
                        out,
                        ",{},{:.4},{:.4}",
                        clear.points, clear.median, clear.bias
                    )?,
                    None => writeln!(out, ",0,,")?,
                }
            }
        }
        Ok(())
    }

    /// Writes slowdowns under routing policies as CSV.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_routing(&self, out: &mut impl io::Write) -> io::Result<()> {
        routing::write(&self.routing, out)
    }

    /// Writes times of collectives as CSV.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_collectives(&self, out: &mut impl io::Write) -> io::Result<()> {
        collectives::write(&self.collectives, out)
    }

    /// Writes mean slowdowns of regions of sizes as CSV: a row for each panel, region and scheme.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_orders(&self, out: &mut impl io::Write) -> io::Result<()> {
        writeln!(
            out,
            "workload,load_pct,percentile,region,from_pct,upto_pct,upto_bytes,rank,scheme,slowdown,\
             tied_with_next,published_rank,published_slowdown"
        )?;
        for panel in &self.panels {
            for region in &panel.regions {
                let order = panel
                    .orders
                    .iter()
                    .find(|order| order.region == region.region);
                for (rank, one) in region.ranked.iter().enumerate() {
                    write!(
                        out,
                        "{},{},{},{},{},{},{},{},{},{:.4},{}",
                        panel.workload,
                        panel.load_pct,
                        panel.percentile.percent(),
                        region.region,
                        region.from_pct,
                        region.upto_pct,
                        region.upto_bytes,
                        rank + 1,
                        one.scheme,
                        one.slowdown,
                        one.tied_with_next
                    )?;
                    let published = order.and_then(|order| {
                        let mut ranks = order.published.iter().zip(1..);
                        ranks.find(|(there, _)| there.scheme == one.scheme)
                    });
                    match published {
                        Some((there, rank)) => writeln!(out, ",{rank},{:.4}", there.slowdown)?,
                        None => writeln!(out, ",,")?,
                    }
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Scorecard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "preset       {} ({})", self.preset, self.source)?;
        writeln!(f, "traffic      {}", self.cut_in_words())?;
        let done = self.points.len() - self.missing().len();
        let hops: u64 = self.points.iter().map(|point| point.packet_hops).sum();
        let cpu: f64 = self.points.iter().map(|point| point.cpu_s).sum();
        writeln!(
            f,
            "runs         {done} of {}, {:.2} billion packet-hops, {cpu:.0} CPU seconds",
            self.points.len(),
            hops as f64 / 1e9
        )?;
        for point in self.missing() {
            writeln!(f, "  missing    {point}")?;
        }
        for row in &self.goodput {
            writeln!(f, "  {row}")?;
        }
        for row in &self.routing {
            writeln!(f, "  {row}")?;
        }
        for row in &self.collectives {
            writeln!(f, "  {row}")?;
        }
        if let Some(buffers) = &self.buffers {
            write!(f, "{buffers}")?;
        }
        if self.panels.iter().any(|panel| !panel.curves.is_empty()) {
            writeln!(
                f,
                "distance to the published curves: median over ticks of |ours / published - 1|, and which \
                 side (+ is slower)"
            )?;
        }
        for panel in &self.panels {
            write!(f, "{panel}")?;
        }
        for claim in &self.claims {
            writeln!(f, "{claim}")?;
        }
        let count = |outcome| self.count(outcome);
        writeln!(
            f,
            "statements   {} hold, {} do not, {} could not be tested",
            count(Outcome::Holds),
            count(Outcome::Fails),
            count(Outcome::Untested)
        )
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// Returns an empty scorecard of 50 ms.
    pub(crate) fn card() -> Scorecard {
        let preset = Preset::named("hpcc-results").expect("a preset");
        Scorecard::new(preset, Duration::from_ms(50))
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_report::Percentile;

    use super::super::panel::testing::panel;
    use super::testing::card;
    use super::*;

    /// One scheme matches the published curve of HPCC-INT; another is a fifth above the curve of
    /// DCTCP.
    #[test]
    fn distances_and_orders_are_tables() {
        let mut card = card();
        let published = panel(70.0, Percentile::P95, &[]).published;
        let drawn = |scheme: &str, factor: f64| {
            let curve = published.curve(scheme).expect("a curve").clone();
            let axis = published.axis.clone();
            move |size: u64| {
                let place = axis.partition_point(|point| point.size.get() < size);
                curve.points[place]
                    .slowdown()
                    .map_or(1.0, |slowdown| slowdown * factor)
            }
        };
        let (int, dctcp) = (drawn("HPCC-INT", 1.0), drawn("DCTCP", 1.2));
        card.panels.push(panel(
            70.0,
            Percentile::P95,
            &[("HPCC-INT", &int), ("DCTCP", &dctcp)],
        ));
        let mut distances = Vec::new();
        card.write_distances(&mut distances)
            .expect("a vector takes everything");
        let distances = String::from_utf8(distances).expect("text");
        let rows: Vec<Vec<&str>> = distances
            .lines()
            .map(|line| line.split(',').collect())
            .collect();
        assert_eq!(rows.len(), 3);
        assert!(
            rows.iter().all(|row| row.len() == rows[0].len()),
            "{distances}"
        );
        assert_eq!(rows[1][..4], ["websearch", "70", "95", "HPCC-INT"]);
        let median = rows[0].iter().position(|&name| name == "median_distance");
        let median = median.expect("a column");
        assert_eq!((rows[1][median], rows[2][median]), ("0.0000", "0.2000"));

        let mut orders = Vec::new();
        card.write_orders(&mut orders)
            .expect("a vector takes everything");
        let orders = String::from_utf8(orders).expect("text");
        assert!(orders.lines().count() > 4, "{orders}");
        assert!(
            orders
                .lines()
                .any(|line| line.starts_with("websearch,70,95,short,"))
        );
        let columns = |line: &str| line.split(',').count();
        let first = orders.lines().next().map(columns);
        assert!(
            orders.lines().all(|line| Some(columns(line)) == first),
            "{orders}"
        );

        let text = card.to_string();
        assert!(text.contains("DCTCP 20.0% (+20.0)"), "{text}");
        assert_eq!(card.figures().len(), 1);
        let (name, figure) = &card.figures()[0];
        assert_eq!(name, "websearch-70");
        let drawn = &figure.panels[0].series;
        assert_eq!(drawn.len(), 4, "two published curves behind two of ours");
        let page = card.page(Preset::named("hpcc-results").expect("a preset"));
        assert!(page.contains("<svg") && page.contains("20.0%"));
    }
}
