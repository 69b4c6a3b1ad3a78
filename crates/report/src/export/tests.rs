//! Each format with a small folder of results.

use super::*;

const TOPOLOGY: &str = "node,name,kind,tier,port,peer,peer_name,peer_port,rate_bps,delay_ns\n\
    0,host0,host,,0,2,leaf0,0,100,1\n1,host1,host,,0,3,leaf1,0,100,1\n\
    2,leaf0,switch,,0,0,host0,0,100,1\n2,leaf0,switch,,1,4,spine0,0,100,1\n\
    3,leaf1,switch,,0,1,host1,0,100,1\n3,leaf1,switch,,1,4,spine0,1,100,1\n\
    4,spine0,switch,,0,2,leaf0,1,100,1\n4,spine0,switch,,1,3,leaf1,1,100,1\n";

fn results() -> Results {
    Results {
        fct_csv: Some(
            "flow,src,dst,class,size_bytes,start_ns,fct_ns,ideal_fct_ns,slowdown,retransmitted_bytes\n\
             1,1,0,0,9,2000,3000.5,3000,1.0,0\n0,0,1,0,2000000,0,180128,180160,1.0,0\n"
                .to_owned(),
        ),
        fct_txt: Some("0b000001 0b000101 10000 100 2000000 2000000000 180128 180160\n".to_owned()),
        pauses: Some(
            "time_ns,node,port,priority,event\n1500.25,0,0,3,pause\n1600,4,1,3,resume\n".to_owned(),
        ),
        queue_distribution: Some(
            "node,port,from_bytes,upto_bytes,time_ns\n2,0,0,1,850\n2,0,1,1000,60\n2,0,1000,2000,30\n\
             2,0,2000,3000,160\n4,1,0,1,1100\n"
                .to_owned(),
        ),
        links: Some(
            "time_ns,node,port,name,tier,peer,sent_bytes,utilization,marked_packets,dropped_packets,paused_ns\n\
             100,2,0,,,,7,0,0,0,0\n100,2,1,,,,5,0,0,0,0\n100,4,0,,,,3,0,0,0,0\n200,2,1,,,,6,0,0,0,0\n"
                .to_owned(),
        ),
        topology: Some(TOPOLOGY.to_owned()),
        mtu: Some(Bytes::new(1_000)),
        observed: None,
        id: "7".to_owned(),
    }
}

fn exported(name: &str, results: &Results) -> Vec<(String, String)> {
    let files = exporter(name)
        .expect("a form")
        .export(results)
        .expect("files");
    files
        .into_iter()
        .map(|file| (file.name, file.text))
        .collect()
}

fn files(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    pairs.iter().map(owned).collect()
}

#[test]
fn files_of_the_published_simulator() {
    let wanted = files(&[
        (
            "fct.txt",
            "0b000001 0b000101 10000 100 2000000 2000000000 180128 180160\n",
        ),
        ("pfc.txt", "1500 0 0 1 1\n1600 4 1 2 0\n"),
        (
            "qlen.txt",
            "time: 0\n2 1 1\n4 2 1\ntime: 1100\n2 1 10 0 2\n4 2 12\n",
        ),
    ]);
    assert_eq!(exported("hpcc", &results()), wanted);
    let bare = Results {
        fct_txt: results().fct_txt,
        ..Results::default()
    };
    assert_eq!(exported("hpcc", &bare), wanted[..1]);
}

/// The original samples at 2 s and then every 100 ns, and writes at multiples of 100 ms.
#[test]
fn queues_are_sampled_to_the_end_of_the_observation_and_ports_add_up() {
    let observed = Some(Observed {
        from: Duration::from_ms(2_000),
        until: Some(Duration::from_ms(2_250)),
    });
    let files = exported(
        "hpcc",
        &Results {
            observed,
            ..results()
        },
    );
    let (_, text) = &files[2];
    assert_eq!(
        text,
        "time: 2000000000\n2 1 1\n4 2 1\n\
         time: 2100000000\n2 1 999999 0 2\n4 2 1000001\n\
         time: 2200000000\n2 1 1999999 0 2\n4 2 2000001\n"
    );
}

#[test]
fn files_of_conweave() {
    let wanted = files(&[
        (
            "7_out_fct.txt",
            "0 1 10000 100 2000000 2000000000 180128 180160\n",
        ),
        ("7_out_pfc.txt", "1500 0 0 1 1\n1600 4 1 2 0\n"),
        ("7_out_uplink.txt", "100,2,2,5\n200,2,2,11\n"),
    ]);
    assert_eq!(exported("conweave", &results()), wanted);
}

#[test]
fn lines_of_htsim() {
    let wanted = files(&[(
        "htsim.log",
        "Flow Eqds_1_0 flowId 2 eqdsSrc 2 finished at 5.0005 total packets 1 RTS 0 total bytes 9\n\
         Flow Eqds_0_1 flowId 1 eqdsSrc 1 finished at 180.128 total packets 2000 RTS 0 total bytes \
         2000000\n",
    )]);
    assert_eq!(exported("htsim", &results()), wanted);
}

#[test]
fn what_is_missing_or_wrong_is_said() {
    let refused = |name: &str, results: &Results| {
        let error = exporter(name).expect("a form").export(results);
        error.expect_err("refused")
    };
    let nothing = Results::default();
    for (name, wanted) in [
        ("hpcc", "fct.txt"),
        ("conweave", "fct.txt"),
        ("htsim", "fct.csv"),
    ] {
        let error = refused(name, &nothing);
        assert!(
            matches!(error, ExportError::Missing { file, .. } if file == wanted),
            "{error:?}"
        );
    }
    let wide = Results {
        queue_distribution: Some(
            "node,port,from_bytes,upto_bytes,time_ns\n2,0,0,2000,900\n".to_owned(),
        ),
        ..results()
    };
    let error = refused("hpcc", &wide);
    assert!(
        format!("{error:?}").contains("distribution_bin"),
        "{error:?}"
    );
    let broken = Results {
        fct_txt: Some("host0 0b000101 10000 100 9 2 1 1\n".to_owned()),
        ..results()
    };
    let error = refused("conweave", &broken);
    assert!(
        matches!(&error, ExportError::In { file: "fct.txt", error } if error.span == (0..5)),
        "{error:?}"
    );
}
