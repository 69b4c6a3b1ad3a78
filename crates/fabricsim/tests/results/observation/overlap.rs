//! Computations that messages slow down: intervals by hand, and random graphs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use fabricsim_base::rng::mix;

use crate::observation::{run, table};
use crate::random_scenario::Dice;

pub(super) type Row = BTreeMap<String, String>;

/// Reads a cell in nanoseconds as picoseconds.
pub(super) fn ps(row: &Row, column: &str) -> u64 {
    let text = &row[column];
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{fraction:0<3}").parse().unwrap()
}

/// Runs a graph on a star of four hosts with `keys`. Returns its operations.
fn operations(graph: &str, keys: &str, (dir, threads): (&Path, usize)) -> Vec<Row> {
    let path = dir.join("graph.csv");
    std::fs::write(&path, graph).unwrap();
    let text = format!(
        r#"
        [topology]
        kind = "star"
        hosts = 4
        [cc]
        kind = "none"
        [[workload]]
        kind = "graph"
        path = {path:?}
        {keys}
        [observe]
        operations = true"#
    );
    run(&text, dir, threads);
    table(dir, "operations.csv")
}

pub(super) fn named<'a>(rows: &'a [Row], name: &str) -> &'a Row {
    rows.iter().find(|row| row["name"] == name).unwrap()
}

const GRAPH: &str = "rank,id,op,peer,bytes,duration_ns,stream,tag,after
0,c,calc,,,100000,0,,
0,d,calc,,,30000,1,,
0,s,send,1,100000,,,0,
0,t,send,1,50000,,,1,d
1,r,recv,0,,,,0,
1,q,recv,0,,,,1,r
1,e,calc,,,50000,0,,
";

/// At two thirds of the speed, a message that is under way for `s` delays an end by s / 3: `d` by
/// the first message, `c` by both. Rank 1 waits for one message or the other until the second is
/// there.
#[test]
fn messages_delay_computations_by_hand() {
    let dir = tempfile::tempdir().unwrap();
    let keys = "overlap = { compute = 1.5 }";
    let rows = operations(GRAPH, keys, (dir.path(), 1));
    let end = |name: &str| ps(named(&rows, name), "end_ns");
    let first = end("s");
    assert!((10_000_000..20_000_000).contains(&first), "{first}");
    // Of a slow time, two thirds are done; the rest is rounded up.
    let after = |span: u64, slow: u64| span + slow - 2 * slow / 3;
    assert_eq!(end("d"), after(30_000_000, first));
    let second = ps(named(&rows, "t"), "start_ns");
    assert_eq!(second, end("d"));
    let both = first + end("t") - second;
    assert_eq!(end("c"), after(100_000_000, both));
    assert_eq!(end("e"), after(50_000_000, end("q")));
    // Messages that a rank only receives do not count then.
    let keys = "overlap = { compute = 1.5, receipts = false }";
    let rows = operations(GRAPH, keys, (dir.path(), 1));
    assert_eq!(ps(named(&rows, "e"), "end_ns"), 50_000_000);
    assert_eq!(ps(named(&rows, "d"), "end_ns"), end("d"));
    // A message that has been posted is still under way.
    let keys = "overlap = { compute = 1.5 }\nsend_end = \"posted\"";
    let rows = operations(GRAPH, keys, (dir.path(), 1));
    assert_eq!(ps(named(&rows, "s"), "end_ns"), 0);
    assert_eq!(ps(named(&rows, "c"), "end_ns"), end("c"));
    let plain = operations(GRAPH, "", (dir.path(), 1));
    let twice = operations(GRAPH, "overlap = { compute = 1 }", (dir.path(), 1));
    assert_eq!(plain, twice);
    assert_eq!(ps(named(&plain, "c"), "end_ns"), 100_000_000);
}

/// An operation that a random graph waits for, or that waits itself.
struct Made {
    rank: u64,
    after: Vec<usize>,
    /// Of a computation.
    span: Option<u64>,
    receives: bool,
}

/// Returns random computations and messages of four ranks, and their list. Operations wait for
/// earlier ones alone, so there is no standstill.
fn random_graph(dice: &mut Dice) -> (Vec<Made>, String) {
    let mut made: Vec<Made> = Vec::new();
    let mut text = "rank,id,op,peer,bytes,duration_ns,stream,tag,after\n".to_owned();
    let mut add = |dice: &mut Dice, (rank, span, receives): (u64, Option<u64>, bool), row| {
        let own = (0..made.len()).filter(|&one| made[one].rank == rank);
        let after: Vec<usize> = own.filter(|_| dice.one_in(3)).collect();
        let names: Vec<String> = after.iter().map(|one| format!("o{one}")).collect();
        let (number, names) = (made.len(), names.join(";"));
        writeln!(text, "{rank},o{number},{row},{names}").unwrap();
        made.push(Made {
            rank,
            after,
            span,
            receives,
        });
    };
    for tag in 0..24 {
        let rank = dice.roll(4);
        if dice.one_in(2) {
            let (span, stream) = (dice.roll(40_000), dice.roll(3));
            let row = format!("calc,,,{span},{stream},");
            add(dice, (rank, Some(span * 1_000), false), row);
        } else {
            let (to, bytes) = ((rank + 1 + dice.roll(3)) % 4, 1 + dice.roll(150_000));
            let row = format!("send,{to},{bytes},,,{tag}");
            add(dice, (rank, None, false), row);
            add(dice, (to, None, true), format!("recv,{rank},,,,{tag}"));
        }
    }
    (made, text)
}

/// Returns the times in which messages of `rank` are under way: of sent messages by the completion
/// times of their flows, if they are flows, of others from the end of all that the receipt waits for.
fn busy(made: &[Made], rows: &[Row], flows: &BTreeMap<&str, u64>, rank: u64) -> Vec<(u64, u64)> {
    let end = |at: usize| ps(named(rows, &format!("o{at}")), "end_ns");
    let mut busy = Vec::new();
    for (at, one) in made.iter().enumerate().filter(|(_, one)| one.rank == rank) {
        let row = named(rows, &format!("o{at}"));
        if one.receives {
            let posted = one.after.iter().map(|&before| end(before)).max();
            busy.push((posted.unwrap_or(0), end(at)));
        } else if one.span.is_none() {
            let start = ps(row, "start_ns");
            let acknowledged = flows.get(&*row["flow"]).map(|span| start + span);
            busy.push((start, acknowledged.unwrap_or_else(|| end(at))));
        }
    }
    busy.sort_unstable();
    busy
}

/// Returns how much of the time from `start` to `end` some interval of `busy` covers.
fn covered(busy: &[(u64, u64)], (start, end): (u64, u64)) -> u64 {
    let (mut sum, mut reached) = (0, start);
    for &(from, to) in busy {
        let (from, to) = (from.max(reached), to.min(end));
        if from < to {
            sum += to - from;
            reached = to;
        }
    }
    sum
}

/// In random graphs, each computation has done its work at its end, and not a picosecond before, by
/// the recorded times of messages.
#[test]
fn random_computations_end_when_their_work_is_done() {
    let dir = tempfile::tempdir().unwrap();
    let (mut slowed, mut part) = (0, 0);
    for seed in 0..30 {
        let dice = &mut Dice(mix(seed));
        let (made, graph) = random_graph(dice);
        let factor = 1_000_001 + dice.roll(3_000_000);
        // A posted message on a kept connection has no record of its acknowledgement.
        let sends = dice.pick(&[
            "connections = \"kept\"",
            "connections = \"per-message\"",
            "connections = \"per-message\"\nsend_end = \"posted\"",
        ]);
        let factor_text = factor as f64 / 1e6;
        // The end of a computation follows from the messages, whatever their rate.
        let communication = 1.0 + dice.roll(2_000_000) as f64 / 1e6;
        let keys = format!(
            "overlap = {{ compute = {factor_text}, communication = {communication} }}\n{sends}"
        );
        let rows = operations(&graph, &keys, (dir.path(), 1));
        let bytes = std::fs::read(dir.path().join("operations.csv")).unwrap();
        let fct = table(dir.path(), "fct.csv");
        let flows = fct.iter().map(|row| (&*row["flow"], ps(row, "fct_ns")));
        let flows: BTreeMap<&str, u64> = flows.collect();
        for (at, one) in made.iter().enumerate() {
            let Some(span) = one.span else { continue };
            let row = named(&rows, &format!("o{at}"));
            let (start, end) = (ps(row, "start_ns"), ps(row, "end_ns"));
            let slow = covered(&busy(&made, &rows, &flows, one.rank), (start, end));
            let done = (end - start - slow) * factor + slow * 1_000_000;
            let work = span * factor;
            assert!(
                (work..work + factor).contains(&done),
                "{seed}: {row:?} is slow for {slow} ps\n{keys}\n{graph}"
            );
            slowed += u64::from(slow > 0);
            part += u64::from(slow > 0 && slow < end - start);
        }
        for threads in [2, 3] {
            operations(&graph, &keys, (dir.path(), threads));
            let again = std::fs::read(dir.path().join("operations.csv")).unwrap();
            assert!(bytes == again, "{seed}: {threads} threads");
        }
    }
    // Enough happened for the comparison to mean something.
    assert!(slowed > 150 && part > 50, "{slowed} {part}");
}

/// Two stages and two micro-batches: a stage is slow while it waits for an activation or a gradient.
/// The second stage computes both forward before any gradient is sent.
#[test]
fn stages_of_a_pipeline_are_slow_while_they_wait() {
    let text = |overlap: &str| {
        format!(
            r#"
            [topology]
            kind = "star"
            hosts = 2
            [cc]
            kind = "none"
            [[workload]]
            kind = "collective"
            operation = "pipeline"
            size = "2B"
            chunks = 2
            forward = ["40us"]
            backward = ["80us"]
            {overlap}
            [observe]
            operations = true"#
        )
    };
    let dir = tempfile::tempdir().unwrap();
    let computed = |overlap: &str| {
        run(&text(overlap), dir.path(), 1);
        let rows = table(dir.path(), "operations.csv");
        let own = rows
            .iter()
            .filter(|row| row["rank"] == "0" && row["kind"] == "compute");
        let spans: Vec<u64> = own
            .map(|row| ps(row, "end_ns") - ps(row, "start_ns"))
            .collect();
        spans
    };
    let plain = [40_000_000, 40_000_000, 80_000_000, 80_000_000];
    assert_eq!(computed(""), plain);
    let spans = computed("overlap = { compute = 1.25 }");
    // The receipts of gradients wait from the beginning of the iteration to the last gradient.
    assert_eq!(spans[..2], [50_000_000, 50_000_000]);
    let spans = computed("overlap = { compute = 1.25, receipts = false }");
    // Of the first activation, a fifth of the time is lost in the second computation.
    assert!(spans[0] == 40_000_000 && spans[1] > 40_000_000, "{spans:?}");
}
