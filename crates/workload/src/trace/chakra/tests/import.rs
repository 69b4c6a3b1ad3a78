//! Settings of an import.

use super::*;

/// Rules that replace values, and the settings of an import.
#[test]
fn an_import_tells_its_rules_and_refuses_settings_that_do_not_fit() {
    let collective = |id, size: u64| {
        let what = [
            attribute("comm_type", 9, 0),
            attribute("comm_size", 9, size),
        ];
        node(id, 7, &what)
    };
    let bare = node(8, 7, &[number(7, 40)]);
    let one = RankTrace::new(
        TraceForm::Protobuf,
        file(&[collective(6, u64::MAX), collective(7, 12), bare]),
    );
    let import = |replay, copies, dimensions: Option<&str>| TraceImport {
        replay,
        copies,
        dimensions: dimensions.map(|text| text.parse().unwrap()),
        ..TraceImport::new("ring")
    };
    let error = import(false, Some(2), None)
        .convert(std::slice::from_ref(&one))
        .unwrap_err();
    assert!(
        error.message.contains("no attribute `comm_type`"),
        "{error}"
    );
    assert!(error.help.contains("--replay"), "{error}");
    let trace = import(true, Some(2), None)
        .convert(std::slice::from_ref(&one))
        .unwrap();
    assert_eq!(trace.ranks, 2);
    assert!(trace.csv.contains("1,6,all-reduce,,0,"), "{}", trace.csv);
    assert!(trace.csv.contains("1,8,calc,,,,40000,0,"), "{}", trace.csv);
    assert_eq!(trace.notes.len(), 2, "{:?}", trace.notes);
    assert!(trace.notes[0].starts_with("2 nodes with a negative"));
    assert!(trace.notes[1].starts_with("2 nodes without a size"));
    let two = [one.clone(), one.clone()];
    for (files, settings, words) in [
        (&two[..], import(true, Some(4), None), "files of 2 ranks"),
        (&two[..1], import(true, Some(0), None), "to represent 0"),
        (&two[..], import(true, None, Some("2x2")), "have 4 ranks"),
    ] {
        let error = settings.convert(files).unwrap_err();
        assert!(error.message.contains(words), "{error}");
    }
    let send = node(
        5,
        5,
        &[attribute("comm_dst", 5, 1), attribute("comm_size", 9, 8)],
    );
    let message = RankTrace::new(TraceForm::Protobuf, file(&[send]));
    let error = import(false, Some(2), None)
        .convert(&[message])
        .unwrap_err();
    assert!(
        error.message.contains("node 5 (`name`) is a message"),
        "{error}"
    );
    let packed = RankTrace::new(TraceForm::Protobuf, vec![0x1f, 0x8b, 8, 0]);
    let error = import(false, None, None).convert(&[packed]).unwrap_err();
    assert!(error.help.contains("gunzip"), "{error}");
    let both = RankTrace {
        kineto: Some(Vec::new()),
        ..one
    };
    let error = import(true, None, None).convert(&[both]).unwrap_err();
    assert!(error.message.contains("already"), "{error}");
}

#[test]
fn dimensions_are_the_groups_of_collectives() {
    let what = [attribute("comm_type", 9, 2), attribute("comm_size", 9, 64)];
    let trace = |values: &[u8]| {
        let list = bytes(28, &bytes(1, values));
        let list = bytes(10, &[bytes(1, b"involved_dim"), list].concat());
        RankTrace::new(
            TraceForm::Protobuf,
            file(&[node(6, 7, &[what.concat(), list])]),
        )
    };
    let convert = |values: &[u8], dimensions: &str| {
        let import = TraceImport {
            dimensions: Some(dimensions.parse().unwrap()),
            ..TraceImport::new("ring")
        };
        let files: Vec<RankTrace> = (0..4).map(|_| trace(values)).collect();
        import.convert(&files).map(|trace| trace.csv)
    };
    let csv = convert(&[1, 0], "2x2").unwrap();
    for row in ["0,6,all-gather,0;1,128,", "3,6,all-gather,2;3,128,"] {
        assert!(csv.contains(row), "{csv}");
    }
    assert!(
        convert(&[0, 1], "2x2")
            .unwrap()
            .contains("1,6,all-gather,1;3,128,")
    );
    assert!(
        convert(&[1, 1], "2x2")
            .unwrap()
            .contains("1,6,all-gather,,256,")
    );
    // ASTRA-sim's four values for two dimensions.
    assert!(convert(&[1, 0, 1, 1], "2x2").is_ok());
    for (values, dimensions) in [(&[0u8][..], "2x2"), (&[1, 0, 0], "2x2")] {
        let error = convert(values, dimensions).unwrap_err();
        assert!(error.message.contains("for 2 dimensions of 2x2"), "{error}");
    }
}

#[test]
fn a_rank_may_have_nothing_to_do() {
    let files = [file(&[node(1, 4, &[])]), file(&[]), file(&[])];
    let csv = chakra_to_csv(&files, "ring", &ProcessGroups::default()).unwrap();
    assert!(csv.ends_with("\n1,idle,calc,,,,0,65535,,\n2,idle,calc,,,,0,65535,,\n"));
}

/// Computations with operations and bytes have columns for a roofline. ASTRA-sim's has no time for
/// those on the processor and for those without bytes.
#[test]
fn operations_and_bytes_of_computations_are_columns() {
    let work = |id, micros: u64, is_cpu: u64, (operations, size): (u64, u64)| {
        let own = [
            number(7, micros),
            attribute("is_cpu_op", 27, is_cpu),
            attribute("num_ops", 9, operations),
            attribute("tensor_size", 13, size),
        ];
        node(id, 4, &own)
    };
    let first = file(&[
        work(1, 0, 0, (1_000_000, 2_000_000)),
        work(2, 5, 0, (4_000, 8)),
        work(3, 0, 0, (4_000, 0)),
        work(4, 6, 1, (4_000, 8)),
        work(5, 0, 0, (0, 6_700)),
        node(
            6,
            5,
            &[attribute("comm_dst", 5, 1), attribute("comm_size", 9, 8)],
        ),
    ]);
    let second = file(&[node(1, 6, &[attribute("comm_src", 5, 0)])]);
    let files = [first, second].map(|file| RankTrace::new(TraceForm::Protobuf, file));
    let trace = TraceImport::new("ring").convert(&files).unwrap();
    let mut rows = trace.csv.lines();
    let header = rows.next().unwrap();
    assert!(
        header.ends_with(",algorithm,flops,memory_bytes"),
        "{header}"
    );
    let rows: Vec<&str> = rows.collect();
    assert_eq!(
        rows,
        [
            "0,1,calc,,,,,0,,,1000000,2000000",
            "0,2,calc,,,,5000,0,,,4000,8",
            "0,3,calc,,,,1,0,,,,",
            "0,4,calc,,,,6000,1,,,,",
            "0,5,calc,,,,,0,,,0,6700",
            "0,6,send,1,8,0,,,,,,",
            "1,1,recv,0,,0,,,,,,",
        ]
    );
    assert_eq!(trace.notes.len(), 1);
    assert!(
        trace.notes[0].starts_with("2 nodes with `num_ops`"),
        "{:?}",
        trace.notes
    );
    let json = r#"{"workload_graph": [
        {"Id": 1, "NodeType": 4, "num_ops": 1000000, "tensor_size": 2000000}]}"#;
    let json = RankTrace::new(TraceForm::Json, json.as_bytes().to_vec());
    let trace = TraceImport::new("ring").convert(&[json]).unwrap();
    assert!(
        trace.csv.ends_with("0,1,calc,,,,,0,,,1000000,2000000\n"),
        "{}",
        trace.csv
    );
}
