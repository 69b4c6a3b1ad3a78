//! Claims of the paper in words, and consequences of the design of its experiments.

use super::super::claim::Claim;
use super::run::RunFigures;
use super::{BufferSizing, DCQCN, FLOODING, NEWRENO, RDMA_HPCC, SCHEMES, STORAGE, TCP_HPCC};

/// Largest deviation from Little's formula. It is due to queries in flight at the start and end of
/// the time that counts.
const LITTLE: f64 = 0.01;

/// Tests all claims.
pub(super) fn of(results: &BufferSizing) -> Vec<Claim> {
    let mut claims = vec![little(results)];
    claims.extend(orders(results));
    claims.push(timeouts(results));
    claims.push(pacing(results));
    claims.push(bursts(results, "two", "connections-2"));
    claims.push(bursts(results, "eight", FLOODING));
    claims.push(connections(results));
    claims
}

/// Tests Little's formula: queries per second equal outstanding queries over their mean time.
fn little(results: &BufferSizing) -> Claim {
    let ratio = |scheme| Some(results.run(FLOODING, scheme)?.victim.as_ref()?.little());
    let ratios: Option<Vec<f64>> = SCHEMES.iter().copied().map(ratio).collect();
    Claim::tested(
        "flood: the victim's queries per second are 16 over its mean QCT (Little's formula), within 1%"
            .to_owned(),
        ratios.map(|ratios| {
            let holds = ratios.iter().all(|ratio| (ratio - 1.0).abs() <= LITTLE);
            let named = SCHEMES.iter().zip(&ratios);
            let figures: Vec<String> = named
                .map(|(scheme, ratio)| format!("{scheme} {:+.2}%", (ratio - 1.0) * 1e2))
                .collect();
            (holds, figures.join(", "))
        }),
    )
}

/// Tests the order of every pair of schemes.
fn orders(results: &BufferSizing) -> Vec<Claim> {
    let kb = |run: &RunFigures| Some(run.queue.p99_bytes / 1e3);
    let short = |run: &RunFigures| Some(run.short.as_ref()?.p99);
    let mut claims = Vec::new();
    for (hpcc, other) in [(TCP_HPCC, NEWRENO), (RDMA_HPCC, DCQCN)] {
        for (what, experiment, value) in [
            (
                "flood: the queue at p99 is shorter",
                FLOODING,
                &kb as &dyn Fn(&RunFigures) -> Option<f64>,
            ),
            ("storage: the queue at p99 is shorter", STORAGE, &kb),
            (
                "storage: short queries have a smaller slowdown at p99",
                STORAGE,
                &short,
            ),
        ] {
            let of = |scheme| value(results.run(experiment, scheme)?);
            claims.push(Claim::tested(
                format!("{what} under {hpcc} than under {other}"),
                of(hpcc)
                    .zip(of(other))
                    .map(|(hpcc, other)| (hpcc < other, format!("{hpcc:.1} and {other:.1}"))),
            ));
        }
    }
    claims
}

/// Tests if timeouts cause the tail of `NewReno`, which then is 2 ms or more.
fn timeouts(results: &BufferSizing) -> Claim {
    let share = |scheme| Some(results.run(FLOODING, scheme)?.victim.as_ref()?.above_ms);
    let both = share(NEWRENO).zip(share(TCP_HPCC));
    Claim::tested(
        "flood: more than 1% of the victim's queries wait for a timeout (2 ms) under NewReno, fewer \
         than 0.1% under HPCC-TCP"
            .to_owned(),
        both.map(|(newreno, hpcc)| {
            let evidence = format!("{:.2}% and {:.3}%", newreno * 1e2, hpcc * 1e2);
            (newreno > 0.01 && hpcc < 0.001, evidence)
        }),
    )
}

fn median(results: &BufferSizing, experiment: &str, scheme: &str) -> Option<f64> {
    Some(results.run(experiment, scheme)?.queue.p50_bytes / 1e3)
}

/// Tests "One way to mitigate those bursts is to pace packets" (section 2.2).
fn pacing(results: &BufferSizing) -> Claim {
    let of = |scheme| median(results, FLOODING, scheme);
    Claim::tested(
        "flood: pacing makes the queue of HPCC-TCP shorter".to_owned(),
        of("HPCC-TCP+paced")
            .zip(of(TCP_HPCC))
            .map(|(paced, bursts)| {
                let evidence = format!("median {paced:.2} and {bursts:.2} KB");
                (paced < bursts, evidence)
            }),
    )
}

/// Tests if senders send a burst after an acknowledgement of many segments (section 2.2).
///
/// With eight connections per client, all windows are at their minimum, and the queue holds the
/// windows minus the packets in flight. A receiver that delays acknowledgements then keeps packets
/// out of the queue. With two connections, windows are larger.
fn bursts(results: &BufferSizing, connections: &str, experiment: &str) -> Claim {
    let p99 = |scheme| Some(results.run(experiment, scheme)?.queue.p99_bytes / 1e3);
    Claim::tested(
        format!(
            "flood, {connections} connections of each client: the queue of HPCC-TCP is longer at p99 with \
             an ACK for ten segments than with one for each"
        ),
        p99("HPCC-TCP+ack10")
            .zip(p99("HPCC-TCP+ack1"))
            .map(|(ten, one)| (ten > one, format!("{ten:.2} and {one:.2} KB"))),
    )
}

/// Tests if the queue grows with connections: windows of whole segments add up, rates do not.
fn connections(results: &BufferSizing) -> Claim {
    let of = |scheme| {
        let few = median(results, "connections-4", scheme)?;
        let usual = median(results, FLOODING, scheme)?;
        let many = median(results, "connections-16", scheme)?;
        Some([few, usual, many])
    };
    Claim::tested(
        "flood: the queue of HPCC-TCP grows with the connections (4, 8 and 16 of each client), the \
         queue of HPCC-RDMA by less than a tenth as much"
            .to_owned(),
        of(TCP_HPCC).zip(of(RDMA_HPCC)).map(|(tcp, rdma)| {
            let rises = tcp[0] < tcp[1] && tcp[1] < tcp[2];
            let holds = rises && rdma[2] - rdma[0] < (tcp[2] - tcp[0]) / 10.0;
            let list = |values: [f64; 3]| values.map(|kb| format!("{kb:.2}")).join(", ");
            let evidence = format!(
                "medians: HPCC-TCP {} KB; HPCC-RDMA {} KB",
                list(tcp),
                list(rdma)
            );
            (holds, evidence)
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::claim::Outcome;
    use super::super::run::QueueFigures;
    use super::super::testing::as_published;
    use super::*;

    fn results(runs: Vec<RunFigures>) -> BufferSizing {
        BufferSizing {
            rows: Vec::new(),
            parameters: Vec::new(),
            runs,
        }
    }

    fn outcome(claims: &[Claim], part: &str) -> Outcome {
        let mut claims = claims.iter();
        let claim = claims.find(|claim| claim.what.contains(part));
        claim.expect("a statement").outcome
    }

    #[test]
    fn statements_need_their_runs_and_hold_for_what_the_paper_found() {
        let claims = of(&results(as_published()));
        assert_eq!(outcome(&claims, "Little"), Outcome::Holds);
        assert_eq!(
            outcome(&claims, "the queue at p99 is shorter"),
            Outcome::Holds
        );
        assert_eq!(outcome(&claims, "pacing"), Outcome::Untested);
        assert_eq!(outcome(&claims, "connections"), Outcome::Untested);
    }

    #[test]
    fn windows_add_up_over_connections_and_rates_do_not() {
        let with = |rdma: f64| {
            let run = |experiment: &str, scheme: &str, kb: f64| RunFigures {
                queue: QueueFigures::of(kb, kb * 1e3, kb * 1e3),
                ..RunFigures::empty(experiment, scheme)
            };
            let runs = vec![
                run("connections-4", TCP_HPCC, 2.0),
                run(FLOODING, TCP_HPCC, 25.0),
                run("connections-16", TCP_HPCC, 100.0),
                run("connections-4", RDMA_HPCC, 1.0),
                run(FLOODING, RDMA_HPCC, 2.0),
                run("connections-16", RDMA_HPCC, rdma),
            ];
            outcome(&of(&results(runs)), "grows with the connections")
        };
        assert_eq!(with(4.0), Outcome::Holds);
        assert_eq!(with(40.0), Outcome::Fails);
    }
}
