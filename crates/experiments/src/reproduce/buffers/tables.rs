//! Results as CSV, on a page and on a terminal.

use std::fmt;
use std::io;

use fabricsim_plot::html::{Cell, Page};

use super::{BufferSizing, Row, RunFigures, Verdict};

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.4}"))
}

impl BufferSizing {
    /// Writes the rows of the scorecard as CSV.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_rows(&self, out: &mut impl io::Write) -> io::Result<()> {
        writeln!(
            out,
            "id,quantity,unit,measured,published,ratio,low,high,verdict,section,evidence"
        )?;
        for row in &self.rows {
            writeln!(
                out,
                "{},{},{},{},{},{},{},{},{},{},{}",
                row.id,
                quoted(row.quantity),
                row.unit,
                number(row.measured),
                number(row.published),
                number(row.ratio),
                number(row.low),
                number(row.high),
                row.verdict.word(),
                row.section,
                quoted(&row.evidence)
            )?;
        }
        Ok(())
    }

    /// Writes the open parameters as CSV.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_parameters(&self, out: &mut impl io::Write) -> io::Result<()> {
        writeln!(out, "parameter,value,reason,tried,effect")?;
        for row in &self.parameters {
            let cells = [row.parameter, row.value, row.reason, row.tried].map(quoted);
            let effect = quoted(&row.effect.join("; "));
            writeln!(out, "{},{effect}", cells.join(","))?;
        }
        Ok(())
    }

    /// Writes slowdowns by size as CSV.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_sizes(&self, out: &mut impl io::Write) -> io::Result<()> {
        writeln!(
            out,
            "experiment,scheme,seed,upto_bytes,queries,slowdown_p50,slowdown_p99"
        )?;
        for run in &self.runs {
            for row in &run.sizes {
                writeln!(
                    out,
                    "{},{},{},{},{},{:.4},{:.4}",
                    run.experiment,
                    run.scheme,
                    run.seed,
                    row.upto_bytes,
                    row.queries,
                    row.p50,
                    row.p99
                )?;
            }
        }
        Ok(())
    }

    /// Writes figures of all runs as CSV.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_runs(&self, out: &mut impl io::Write) -> io::Result<()> {
        writeln!(
            out,
            "experiment,scheme,seed,victim_qps,qct_mean_us,qct_p50_us,qct_p95_us,qct_p99_us,qct_p999_us,\
             share_above_2ms,queue_mean_bytes,queue_p50_bytes,queue_p99_bytes,drops,\
             retransmitted_bytes,pfc_pauses,pfc_paused_ns"
        )?;
        for run in &self.runs {
            write!(out, "{},{},{}", run.experiment, run.scheme, run.seed)?;
            match &run.victim {
                Some(victim) => write!(
                    out,
                    ",{:.1},{:.3},{:.3},{:.3},{:.3},{:.3},{:.6}",
                    victim.qps,
                    victim.mean_us,
                    victim.p50_us,
                    victim.p95_us,
                    victim.p99_us,
                    victim.p999_us,
                    victim.above_ms
                )?,
                None => write!(out, ",,,,,,,")?,
            }
            writeln!(
                out,
                ",{:.1},{:.0},{:.0},{},{},{},{:.0}",
                run.queue.mean_bytes,
                run.queue.p50_bytes,
                run.queue.p99_bytes,
                run.drops,
                run.retransmitted_bytes,
                run.pfc_pauses,
                run.pfc_paused_ns
            )?;
        }
        Ok(())
    }

    /// Adds the scorecard and the victim's queries to `page`.
    pub(in super::super) fn rows_on(&self, page: &mut Page) {
        page.section("Measured and published");
        let cell = |value: Option<f64>| value.map_or_else(Cell::default, cell_of);
        let row = |row: &Row| {
            vec![
                Cell::from(row.id),
                Cell::from(format!("{} {}", row.quantity, row.unit)),
                cell(row.measured),
                cell(row.published),
                cell(row.ratio),
                Cell::from(row.band()),
                match row.verdict {
                    Verdict::Inside => Cell::good("inside"),
                    Verdict::Outside => Cell::bad("outside"),
                    Verdict::Opposite => Cell::bad("opposite"),
                    other => Cell::from(other.word()),
                },
                Cell::from(row.evidence.as_str()),
            ]
        };
        let rows: Vec<Vec<Cell>> = self.rows.iter().map(row).collect();
        page.table(
            &[
                "row", "quantity", "here", "paper", "ratio", "band", "", "figures",
            ],
            &rows,
        );
        page.section("The flood");
        page.paragraph(
            "Queries of 4 KB of the victim that are completed in the time that counts, and the queue of \
             the port towards the server, weighted by time.",
        );
        let floods = self.runs.iter().filter(|run| run.victim.is_some());
        let rows: Vec<Vec<Cell>> = floods.map(flood).collect();
        page.table(
            &[
                "run",
                "queries/s",
                "QCT mean us",
                "p50",
                "p95",
                "p99",
                "p99.9",
                "2 ms or more %",
                "queue p50 KB",
                "p99",
                "drops",
                "pauses",
            ],
            &rows,
        );
    }

    /// Adds the open parameters to `page`.
    pub(in super::super) fn parameters_on(&self, page: &mut Page) {
        page.section("Open parameters");
        page.paragraph("Parameters that the paper does not state, the values here, and the effect of other values.");
        let row = |row: &super::ParameterRow| {
            let cells = [row.parameter, row.value, row.reason, row.tried];
            let effect = Cell::from(row.effect.join("; "));
            cells.into_iter().map(Cell::from).chain([effect]).collect()
        };
        let rows: Vec<Vec<Cell>> = self.parameters.iter().map(row).collect();
        page.table(&["parameter", "value", "reason", "tried", "results"], &rows);
    }
}

fn cell_of(value: f64) -> Cell {
    Cell::from(format!("{value:.3}"))
}

fn flood(run: &RunFigures) -> Vec<Cell> {
    let seed = match run.seed {
        1 => String::new(),
        seed => format!(", seed {seed}"),
    };
    let name = format!("{}, {}{seed}", run.experiment, run.scheme);
    let mut cells = vec![Cell::from(name)];
    if let Some(victim) = &run.victim {
        let times = [
            victim.mean_us,
            victim.p50_us,
            victim.p95_us,
            victim.p99_us,
            victim.p999_us,
        ];
        cells.push(Cell::from(format!("{:.0}", victim.qps)));
        cells.extend(times.map(|us| Cell::from(format!("{us:.1}"))));
        cells.push(Cell::from(format!("{:.3}", victim.above_ms * 1e2)));
    }
    let queues = [run.queue.p50_bytes, run.queue.p99_bytes];
    cells.extend(queues.map(|bytes| Cell::from(format!("{:.1}", bytes / 1e3))));
    cells.push(Cell::from(run.drops.to_string()));
    cells.push(Cell::from(run.pfc_pauses.to_string()));
    cells
}

impl fmt::Display for BufferSizing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |value: Option<f64>| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
        };
        writeln!(
            f,
            "{:<4} {:>9} {:>9} {:>7}  {:<8} {:<15} quantity",
            "row", "here", "paper", "ratio", "", "band"
        )?;
        for row in &self.rows {
            writeln!(
                f,
                "{:<4} {:>9} {:>9} {:>7}  {:<8} {:<15} {} {}",
                row.id,
                text(row.measured),
                text(row.published),
                text(row.ratio),
                row.verdict.word(),
                row.band(),
                row.quantity,
                row.unit
            )?;
            if matches!(row.verdict, Verdict::Outside | Verdict::Opposite) {
                writeln!(f, "       {}", row.evidence)?;
            }
        }
        writeln!(
            f,
            "rows         {} inside their bands, {} outside, {} opposite to the paper, {} without a \
             band, {} missing",
            self.count(Verdict::Inside),
            self.count(Verdict::Outside),
            self.count(Verdict::Opposite),
            self.count(Verdict::Reported),
            self.count(Verdict::Missing)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::as_published;
    use super::super::{parameters, scoring};
    use super::*;

    #[test]
    fn tables_have_a_cell_in_each_column() {
        let runs = as_published();
        let results = BufferSizing {
            rows: scoring::rows(&runs),
            parameters: parameters::rows(&runs),
            runs,
        };
        let mut texts = [const { Vec::new() }; 4];
        results.write_rows(&mut texts[0]).expect("memory");
        results.write_parameters(&mut texts[1]).expect("memory");
        results.write_sizes(&mut texts[2]).expect("memory");
        results.write_runs(&mut texts[3]).expect("memory");
        for text in &texts {
            let mut rows = csv::Reader::from_reader(text.as_slice());
            assert!(rows.records().count() > 3);
            let mut rows = csv::Reader::from_reader(text.as_slice());
            let bad = rows.records().find(Result::is_err);
            assert!(bad.is_none(), "{bad:?}");
        }
        let shown = results.to_string();
        assert!(
            shown.contains("A4b") && !shown.contains("OUTSIDE"),
            "{shown}"
        );
    }
}
