//! Queries between hosts with several NICs.

use fabricsim::outcome::Status;

use crate::row::run;

fn testbed(routing: &str, workload: &str, cc: &str) -> String {
    format!(
        "[topology]\nkind = \"testbed\"\n[routing]\n{routing}\n[cc]\nkind = \"{cc}\"\n\
         [[workload]]\nkind = \"rpc\"\nquery = \"4KB\"\nduration = \"200us\"\noutstanding = 8\n{workload}\n"
    )
}

/// A client whose NIC has the number of the server's address modulo the number of nodes, NICs that
/// are apart, and NICs in turn.
#[test]
fn every_query_has_its_response_whatever_nics_are_used() {
    let one = "clients = [\"2\"]\nservers = [\"1\"]";
    for (routing, workload) in [
        ("nics = [{ class = 0, to = 0 }]", one),
        ("nics = [{ class = 0, from = 1, to = 0 }]", one),
        ("nics = [{ class = 0, from = 0, to = 1 }]", one),
        ("nic = \"round-robin\"", "connections = 2"),
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

#[test]
fn an_open_loop_goes_on_when_a_server_has_no_route() {
    let text = "[topology]\nkind = \"star\"\nhosts = 3\n[cc]\nkind = \"hpcc\"\n\
                [[event]]\nat = \"0s\"\nkind = \"link-down\"\nlink = [1, 3]\n\
                [[event]]\nat = \"50us\"\nkind = \"link-up\"\nlink = [1, 3]\n\
                [[workload]]\nkind = \"rpc\"\nclients = [\"0\"]\nservers = [\"1..3\"]\nmode = \"poisson\"\n\
                rate = 1000000\nquery = \"4KB\"\nduration = \"1ms\"\n";
    let (summary, _, rows) = run(text, 1);
    assert!(summary.flows.unreachable > 5);
    assert!(rows.len() > 900, "{}", rows.len());
}
