//! Lists of flows that wait for other flows.

use std::path::Path;

use fabricsim::Scenario;
use fabricsim::outcome::{Status, Summary, run_to_folder};

const SCENARIO: &str = r#"
    [topology]
    kind = "star"
    hosts = 4
    rate = "100Gbps"
    delay = "1us"
    [cc]
    kind = "none"
    [[workload]]
    kind = "list"
    path = "flows.csv"
"#;

/// Runs `scenario` with the list `flows`. Returns the summary, and the source, destination and
/// start of each flow in picoseconds, sorted by start.
fn run(scenario: &str, flows: &str, threads: usize) -> (Summary, Vec<(u32, u32, u64)>) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("flows.csv"), flows).unwrap();
    let scenario = Scenario::from_text("t.toml", scenario, dir.path(), &[]).unwrap();
    let out = dir.path().join("out");
    let summary = run_to_folder(&scenario, Path::new(&out), threads, &mut ()).unwrap();
    let file = std::fs::read_to_string(out.join("fct.csv")).unwrap();
    let mut rows: Vec<(u32, u32, u64)> = (file.lines().skip(1))
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            let (whole, part) = cells[5].split_once('.').unwrap_or((cells[5], ""));
            let ps = format!("{whole}{part:0<3}").parse().unwrap();
            (cells[1].parse().unwrap(), cells[2].parse().unwrap(), ps)
        })
        .collect();
    rows.sort_unstable_by_key(|&(src, dst, start)| (start, src, dst));
    (summary, rows)
}

#[test]
fn flows_start_when_what_they_wait_for_has_ended() {
    let flows = "id,src,dst,size_bytes,start_ns,after\n\
                 d,2,0,1000,7,b\n\
                 b,1,2,1000,0.5,a\n\
                 a,0,1,1000,100,\n\
                 c,0,3,1000,0,a;a\n";
    let (summary, rows) = run(SCENARIO, flows, 1);
    assert_eq!(summary.status, Status::Finished);
    // Transmission times of 1,048 and 60 bytes at 100 Gbps.
    let (packet, ack) = (83_840, 4_800);
    let delivered = 100_000 + 2_000_000 + 2 * packet;
    let b = delivered + 500;
    let c = delivered + 2_000_000 + 2 * ack;
    // The ACK of a was on its way for some time when b began.
    let d = b + (ack - 500) + 2_000_000 + 2 * packet + 7_000;
    assert_eq!(rows, [(0, 1, 100_000), (1, 2, b), (0, 3, c), (2, 0, d)]);
    for threads in [2, 3, 8] {
        let (other, same) = run(SCENARIO, flows, threads);
        assert_eq!((&other.checksum, &same), (&summary.checksum, &rows));
    }
}

/// Each flow of a ring begins when the flow to its source has arrived, so a token goes around.
#[test]
fn a_token_goes_around_all_transports() {
    for cc in ["hpcc", "dctcp", "cubic"] {
        let scenario = SCENARIO.replace("none", cc);
        let mut flows = "id,src,dst,size_bytes,start_ns,after,class\n".to_owned();
        for hop in 0..12 {
            let before = if hop == 0 {
                String::new()
            } else {
                format!("t{}", hop - 1)
            };
            let (src, dst) = (hop % 4, (hop + 1) % 4);
            flows += &format!("t{hop},{src},{dst},3000,0,{before},{}\n", hop % 2);
        }
        let (summary, rows) = run(&scenario, &flows, 1);
        assert_eq!(summary.status, Status::Finished, "{cc}");
        let ends: Vec<(u32, u32)> = rows.iter().map(|&(src, dst, _)| (src, dst)).collect();
        let around: Vec<(u32, u32)> = (0..12).map(|hop| (hop % 4, (hop + 1) % 4)).collect();
        assert_eq!(ends, around, "{cc}");
        assert!(
            rows.windows(2)
                .all(|pair| pair[1].2 > pair[0].2 + 2_000_000),
            "{cc}"
        );
    }
}

#[test]
fn flows_that_wait_for_what_never_comes_stall_the_run() {
    let scenario = format!(
        r#"
            [run]
            stall_after = "20ms"
            [routing]
            convergence = "1us"
            [[event]]
            at = "1us"
            kind = "link-down"
            link = [0, 4]
            {SCENARIO}"#
    );
    let flows = "id,src,dst,size_bytes,start_ns,after\n\
                 a,0,1,1000000,0,\nb,1,2,1000,0,a\nc,2,3,1000,0,\n";
    let (summary, rows) = run(&scenario, flows, 1);
    assert_eq!(summary.status, Status::Stalled);
    assert_eq!(rows.len(), 1);
}
