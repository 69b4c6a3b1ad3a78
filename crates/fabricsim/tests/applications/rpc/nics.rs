//! Queries between hosts with several NICs.

use fabricsim::outcome::Status;

use crate::rpc::row::run;

fn testbed(routing: &str, workload: &str, cc: &str) -> String {
    format!(
        r#"
            [topology]
            kind = "testbed"
            [routing]
            {routing}
            [cc]
            kind = "{cc}"
            [[workload]]
            kind = "rpc"
            query = "4KB"
            duration = "200us"
            outstanding = 8
            {workload}
        "#
    )
}

/// Three cases: addresses of the client's NIC and of the server that are equal modulo the number of
/// nodes, NICs at different switches, and NICs in turn.
#[test]
fn every_query_has_its_response_whatever_nics_are_used() {
    let one = r#"clients = ["2"]
        servers = ["1"]"#;
    for (routing, workload) in [
        ("nics = [{ class = 0, to = 0 }]", one),
        ("nics = [{ class = 0, from = 1, to = 0 }]", one),
        ("nics = [{ class = 0, from = 0, to = 1 }]", one),
        (r#"nic = "round-robin""#, "connections = 2"),
    ] {
        for cc in ["hpcc", "newreno"] {
            let text = testbed(routing, workload, cc);
            let (summary, file, rows) = run(&text, 1);
            assert_eq!(summary.status, Status::Finished, "{text}");
            assert_eq!(summary.rpc[0].unfinished, 0, "{text}");
            assert!(rows.len() > 50, "{} of {text}", rows.len());
            for threads in [2, 3] {
                let (_, other, _) = run(&text, threads);
                assert!(other == file, "{threads} threads: {text}");
            }
        }
    }
}
