//! Ideal query completion times if paths differ: the time over the NICs of a bound connection, and
//! otherwise the least over all shortest paths.

use std::collections::BTreeSet;

use fabricsim::Scenario;
use fabricsim::outcome::run_to_folder;

use crate::rpc::row::{Row, rows};

/// One query after the other from host 0 to host 1, spread evenly over its connections, over the
/// link list `links`.
fn alone(links: &str, tables: &str, workload: &str) -> Vec<Row> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("links.txt"), links).unwrap();
    let text = format!(
        r#"
            [topology]
            kind = "file"
            path = "links.txt"
            {tables}
            [[workload]]
            kind = "rpc"
            clients = ["0"]
            servers = ["1"]
            targets = "random"
            think = "20us"
            {workload}
        "#
    );
    let path = dir.path().join("scenario.toml");
    std::fs::write(&path, &text).unwrap();
    let scenario =
        Scenario::from_file(&path, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let out = dir.path().join("out");
    run_to_folder(&scenario, &out, 1, &mut ()).unwrap();
    rows(&std::fs::read_to_string(out.join("rpc.csv")).unwrap())
}

const RDMA: &str = r#"
    [cc]
    kind = "dcqcn""#;
const TCP: &str = r#"
    [cc]
    kind = "cubic"
    opening = "open"
    [tcp]
    quick_acks = 0"#;

/// Two hosts, each with a NIC at switch 2 and one at switch 3.
const TWO_NICS: &str = "4 2 5\n2 3\n0 2 100Gbps 1us 0\n0 3 25Gbps 1us 0\n1 2 40Gbps 1us 0\n\
                        1 3 10Gbps 1us 0\n2 3 100Gbps 1us 0\n";

#[test]
fn a_query_takes_the_ideal_time_of_the_nics_that_its_connection_uses() {
    for routing in [
        r#"nic = "round-robin""#,
        "nics = [{ class = 0, from = 0 }]",
        "nics = [{ class = 0, from = 1 }]",
        "nics = [{ class = 0, to = 0 }]",
        "nics = [{ class = 0, to = 1 }]",
        "nics = [{ class = 0, from = 0, to = 1 }]",
        "nics = [{ class = 0, from = 1, to = 0 }]",
        "nics = [{ class = 0, from = 1, to = 1 }]",
    ] {
        for (cc, query) in [(RDMA, "4KB"), (TCP, "1KB")] {
            let tables = format!("[routing]\n{routing}\n{cc}");
            let workload = format!(
                r#"query = "{query}"
                queries = 12
                connections = 3"#
            );
            let rows = alone(TWO_NICS, &tables, &workload);
            assert_eq!(rows.len(), 12, "{tables}");
            for row in &rows {
                assert_eq!(row.qct, row.ideal, "{tables}: {row:?}");
                assert_eq!((row.client, row.server), (0, 1));
            }
        }
    }
}

/// Four packets of 1,048 bytes take 335.36 ns each at 25 Gbps and 838.4 ns at 10 Gbps. In return
/// there are 60 bytes, the ACK, and 112 bytes, the response.
#[test]
fn the_ideal_over_named_nics_is_what_one_works_out_by_hand() {
    let tables = format!("[routing]\nnics = [{{ class = 0, from = 1, to = 1 }}]\n{RDMA}");
    let rows = alone(
        TWO_NICS,
        &tables,
        r#"query = "4KB"
        queries = 3"#,
    );
    let forth = 335_360 + 4 * 838_400 + 2_000_000;
    let back = 48_000 + 89_600 + 35_840 + 2_000_000;
    assert_eq!(rows.len(), 3);
    assert!(
        rows.iter().all(|row| row.ideal == forth + back),
        "{:?}",
        rows[0]
    );
}

/// Two switches with a fast and a slow link between them. The hash gives each connection one of
/// them for each direction. The ideal uses the fast link, as for flows.
#[test]
fn the_ideal_is_the_least_over_parallel_links() {
    let links = "4 2 4\n2 3\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 3 25Gbps 1us 0\n\
                 2 3 100Gbps 1us 0\n";
    let rows = alone(
        links,
        RDMA,
        r#"query = "1KB"
            queries = 200
            connections = 40"#,
    );
    let ideal = 3 * 83_840 + 3_000_000 + 4_800 + 3 * 8_960 + 3_000_000;
    assert!(rows.iter().all(|row| row.ideal == ideal), "{:?}", rows[0]);
    // A packet takes four times as long on the slow link, and the response waits for the ACK there.
    let (forth, back) = (3 * 83_840, 19_200 + 35_840 - 4_800 - 8_960 - 8_960 + 4_800);
    let expected = [0, forth, back, forth + back].map(|more| ideal + more);
    let seen: BTreeSet<u64> = rows.iter().map(|row| row.qct).collect();
    assert_eq!(seen, BTreeSet::from(expected));
}
