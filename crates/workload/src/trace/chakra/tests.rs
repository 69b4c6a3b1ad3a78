mod import;

use super::*;

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).unwrap());
    bytes
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
    [
        varint(field << 3 | 2),
        varint(value.len() as u64),
        value.to_vec(),
    ]
    .concat()
}

fn attribute(name: &str, field: u64, value: u64) -> Vec<u8> {
    bytes(
        10,
        &[bytes(1, name.as_bytes()), number(field, value)].concat(),
    )
}

fn node(id: u64, kind: u64, rest: &[Vec<u8>]) -> Vec<u8> {
    let body = [
        number(1, id),
        bytes(2, b"name"),
        number(3, kind),
        rest.concat(),
    ]
    .concat();
    [varint(body.len() as u64), body].concat()
}

fn file(nodes: &[Vec<u8>]) -> Vec<u8> {
    let metadata = bytes(1, b"0.0.4");
    [varint(metadata.len() as u64), metadata, nodes.concat()].concat()
}

#[test]
fn nodes_become_rows() {
    let gpu = || attribute("is_cpu_op", 27, 0);
    let first = file(&[
        node(1, 4, &[number(7, 5), gpu()]),
        node(
            2,
            5,
            &[
                bytes(5, &[1]),
                number(4, 1),
                gpu(),
                attribute("comm_dst", 5, 1),
                attribute("comm_tag", 5, 9),
                attribute("comm_size", 9, 1_000_000),
            ],
        ),
        node(
            3,
            7,
            &[
                bytes(5, &[1, 2]),
                attribute("comm_type", 13, 2),
                attribute("comm_size", 13, 500),
            ],
        ),
    ]);
    let second = file(&[
        node(
            2,
            6,
            &[attribute("comm_src", 15, 0), attribute("comm_tag", 15, 18)],
        ),
        node(300, 4, &[bytes(5, &[2]), attribute("is_cpu_op", 27, 1)]),
        node(301, 1, &[]),
        node(
            3,
            7,
            &[
                bytes(5, &[0xac, 0x02]),
                attribute("comm_type", 13, 2),
                attribute("comm_size", 13, 500),
            ],
        ),
    ]);
    // The algorithm applies to all-reduces only, so no row here has it.
    let csv = chakra_to_csv(
        &[first, second],
        "double-binary-tree",
        &ProcessGroups::default(),
    )
    .unwrap();
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert_eq!(
        rows,
        [
            "0,1,calc,,,,5000,0,,",
            "0,2,send,1,1000000,9,,,1,",
            "0,3,all-gather,,1000,,,,1;2,",
            "1,2,recv,0,,9,,,,",
            "1,300,calc,,,,1,1,2,",
            "1,301,calc,,,,0,65535,,",
            "1,3,all-gather,,1000,,,,300,",
        ]
    );
    // The rows are a valid graph.
    let mut config = crate::GraphConfig::new("trace.csv");
    let context = crate::context::testing::context(2, 1);
    crate::Workload::load(&mut config, &csv, &context, crate::FlowTimes::Exact).unwrap();
    let all_reduce = node(
        1,
        7,
        &[attribute("comm_type", 9, 0), attribute("comm_size", 9, 8)],
    );
    let csv = chakra_to_csv(&[file(&[all_reduce])], "ring", &ProcessGroups::default()).unwrap();
    assert!(csv.ends_with("0,1,all-reduce,,8,,,,,ring\n"), "{csv}");
}

#[test]
fn what_is_no_trace_is_refused_with_its_rank() {
    let good = file(&[node(1, 4, &[])]);
    let error = |file: Vec<u8>| {
        let error =
            chakra_to_csv(&[good.clone(), file], "ring", &ProcessGroups::default()).unwrap_err();
        assert_eq!(error.rank, 1);
        error.message
    };
    assert!(error(Vec::new()).contains("empty"));
    let idle = file(&[]);
    for length in (1..good.len()).filter(|length| *length != idle.len()) {
        let message = error(good[..length].to_vec());
        assert!(message.contains("ends inside"), "{length}: {message}");
    }
    let nothing = chakra_to_csv(&[idle.clone(), idle], "ring", &ProcessGroups::default());
    assert!(nothing.unwrap_err().message.contains("no nodes"));
    assert!(error(vec![0xff; 40]).contains("ends inside"));
    assert!(error(file(&[node(1, 2, &[])])).contains("memory"));
    assert!(error(file(&[node(1, 99, &[])])).contains("type 99"));
    assert!(error(file(&[node(1, 5, &[])])).contains("`comm_dst`"));
    assert!(
        error(file(&[node(
            1,
            7,
            &[attribute("comm_type", 9, 3), attribute("comm_size", 9, 9)]
        )]))
        .contains("type 3")
    );
    let group = bytes(10, &[bytes(1, b"pg_name"), bytes(29, b"3")].concat());
    assert!(error(file(&[node(1, 7, &[group])])).contains("process group 3"));
}

#[test]
fn collectives_of_process_groups_have_the_ranks_of_their_group() {
    let groups = ProcessGroups::parse("{\"1\": [2, 0], \"2\": [1]}").unwrap();
    let name = |group: &[u8]| bytes(10, &[bytes(1, b"pg_name"), bytes(29, group)].concat());
    let gather = |group: &[u8]| {
        let kind = [attribute("comm_type", 9, 2), attribute("comm_size", 9, 8)];
        file(&[node(1, 7, &[kind.concat(), name(group)])])
    };
    let files = [gather(b"1"), gather(b"2"), gather(b"1")];
    let csv = chakra_to_csv(&files, "ring", &groups).unwrap();
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert_eq!(
        rows,
        [
            "0,1,all-gather,0;2,16,,,,,",
            "1,1,all-gather,1,8,,,,,",
            "2,1,all-gather,0;2,16,,,,,"
        ]
    );
    let named = [gather(b"1.0"), gather(b"2.0"), gather(b"1.0")];
    assert_eq!(chakra_to_csv(&named, "ring", &groups).unwrap(), csv);
    let all = [gather(b"0.0"), gather(b"")];
    let csv = chakra_to_csv(&all, "ring", &groups).unwrap();
    assert!(csv.ends_with("1,1,all-gather,,16,,,,,\n"), "{csv}");
    let zero = ProcessGroups::parse("{\"0\": [0], \"1\": [1]}").unwrap();
    let csv = chakra_to_csv(&[gather(b"0"), gather(b"1")], "ring", &zero).unwrap();
    assert!(csv.ends_with("0,1,all-gather,0,8,,,,,\n1,1,all-gather,1,8,,,,,\n"));
    let error = |files: &[Vec<u8>]| chakra_to_csv(files, "ring", &groups).unwrap_err().message;
    assert!(error(&[gather(b"2")]).contains("does not have rank 0"));
    assert!(error(&[gather(b"1")]).contains("only ranks of the trace"));
    for (text, words) in [
        ("{\"1\": [0, 0]}", "one twice"),
        ("{\"one\": [0]}", "`one` is not a number"),
        ("{\"1\": 5}", "expected a sequence"),
        ("", "EOF"),
    ] {
        let message = ProcessGroups::parse(text).unwrap_err().message;
        assert!(message.contains(words), "{message}");
    }
}

/// PyTorch prints its process groups into the inputs of a metadata node.
#[test]
fn traces_state_process_groups_themselves() {
    let stated = |text: &str| bytes(8, &bytes(1, text.as_bytes()));
    let name = |group: &[u8]| bytes(10, &[bytes(1, b"pg_name"), bytes(29, group)].concat());
    let trace = |text: &str, group: &[u8]| {
        let kind = [attribute("comm_type", 9, 0), attribute("comm_size", 9, 8)];
        let compute = node(
            3,
            4,
            &[stated("[\"[{\"pg_name\": \"1\", \"ranks\": [9]}]\"]")],
        );
        file(&[
            node(1, 1, &[stated(text)]),
            node(2, 7, &[kind.concat(), name(group)]),
            compute,
        ])
    };
    let text = "[\"[{\"pg_name\": \"1\", \"backend\": \"nccl\", \"ranks\": [2, 0]}, \
                {\"pg_name\": \"2\", \"ranks\": [1]}, {\"pg_name\": \"7\", \"ranks\": []}]\"]";
    let files = [trace(text, b"1"), trace(text, b"2"), trace(text, b"1")];
    // Groups in a trace have precedence over the file of groups.
    let groups = ProcessGroups::parse("{\"1\": [0, 1, 2]}").unwrap();
    let csv = chakra_to_csv(&files, "ring", &groups).unwrap();
    let rows: Vec<&str> = csv
        .lines()
        .filter(|row| row.contains("all-reduce"))
        .collect();
    assert_eq!(
        rows,
        [
            "0,2,all-reduce,0;2,8,,,,,ring",
            "1,2,all-reduce,1,8,,,,,ring",
            "2,2,all-reduce,0;2,8,,,,,ring"
        ]
    );
    let all = [trace(text, b"7"), trace(text, b"7"), trace(text, b"7")];
    let csv = chakra_to_csv(&all, "ring", &groups).unwrap();
    assert!(csv.contains("2,2,all-reduce,0;1;2,8,"), "{csv}");
    for text in ["", "x", "[\"[{\"pg_name\": 1}]\"]", "\u{e9}\u{e9}"] {
        let error = chakra_to_csv(&[trace(text, b"1")], "ring", &ProcessGroups::default());
        assert!(error.unwrap_err().message.contains("not known"), "{text}");
    }
}

/// PyTorch's call of a collective, with its duration, and the kernel that executes it.
#[test]
fn a_collective_is_done_once_by_the_accelerator() {
    let on_cpu = |micros: u64, more: &[Vec<u8>]| {
        let own = [number(7, micros), attribute("is_cpu_op", 27, 1)];
        node(1, 7, &[own.concat(), more.concat()])
    };
    let what = [attribute("comm_type", 9, 0), attribute("comm_size", 9, 64)];
    let kernel = || {
        let own = [bytes(5, &[1]), attribute("is_cpu_op", 27, 0)];
        node(2, 7, &[own.concat(), what.concat()])
    };
    let convert = |nodes: &[Vec<u8>]| {
        let files = [file(nodes), file(nodes)];
        chakra_to_csv(&files, "ring", &ProcessGroups::default())
    };
    for stated in [&[][..], &what[..]] {
        let csv = convert(&[on_cpu(30, stated), kernel()]).unwrap();
        assert!(csv.contains("\n0,1,calc,,,,30000,1,,\n0,2,all-reduce,,64,,,,1,ring\n"));
        assert_eq!(csv.matches("all-reduce").count(), 2, "{csv}");
    }
    let csv = convert(&[on_cpu(0, &[])]).unwrap();
    assert!(csv.contains("\n0,1,calc,,,,1,1,,\n"), "{csv}");
    // Without a kernel, the collective would not be executed at all.
    let error = convert(&[on_cpu(30, &what)]).unwrap_err();
    assert!(error.message.starts_with("node 1 (`name`) "), "{error}");
    assert!(error.message.contains("is_cpu_op"), "{error}");
}

#[test]
fn collectives_of_some_dimensions_are_refused() {
    let of = |list: Vec<u8>| {
        let what = [attribute("comm_type", 9, 0), attribute("comm_size", 9, 64)];
        let list = bytes(10, &[bytes(1, b"involved_dim"), list].concat());
        let one = file(&[node(6, 7, &[what.concat(), list])]);
        chakra_to_csv(&[one.clone(), one], "ring", &ProcessGroups::default())
    };
    // Packed, and one by one.
    let packed = |values: &[u8]| of(bytes(28, &bytes(1, values)));
    assert!(packed(&[1, 1]).unwrap().contains("0,6,all-reduce,,64"));
    for refused in [
        packed(&[1, 0]),
        of(bytes(28, &[number(1, 0), number(1, 1)].concat())),
        of(number(27, 1)),
    ] {
        let error = refused.unwrap_err().message;
        assert!(
            error.starts_with("node 6 (`name`): `involved_dim`"),
            "{error}"
        );
    }
}

#[test]
fn sizes_that_nothing_has_are_refused_with_their_node() {
    let of = |kind: u64, field: u64, value: u64| {
        let what = [
            attribute("comm_type", 9, kind),
            attribute("comm_size", field, value),
        ];
        let one = file(&[node(6, 7, &what)]);
        chakra_to_csv(&[one.clone(), one], "ring", &ProcessGroups::default())
    };
    const MOST: u64 = 1_000_000_000_000_000;
    for (kind, field, value, words) in [
        (0, 13, u64::MAX, "is 18446744073709551615"),
        (0, 13, 1 << 63, "is 9223372036854775808"),
        (5, 13, MOST + 1, "is 1000000000000001"),
        (2, 13, MOST / 2 + 1, "at each of 2 ranks"),
    ] {
        let error = of(kind, field, value).unwrap_err().message;
        assert!(
            error.starts_with("node 6 (`name`): `comm_size` is"),
            "{error}"
        );
        assert!(error.contains(words), "{error}");
    }
    assert!(of(0, 13, MOST).is_ok() && of(2, 9, MOST / 2).is_ok());
    assert!(of(0, 9, 0).unwrap().contains("all-reduce,,0,"));
    // A negative size is a placeholder.
    for (field, value) in [(9, u64::MAX), (7, u64::MAX), (15, 5), (17, 5)] {
        assert!(of(0, field, value).unwrap().contains("all-reduce,,0,"));
    }
    // A barrier has no bytes, and 8 is a reduce-scatter.
    let barrier = file(&[node(6, 7, &[attribute("comm_type", 9, 9)])]);
    let files = [barrier.clone(), barrier];
    let csv = chakra_to_csv(&files, "ring", &ProcessGroups::default()).unwrap();
    assert!(csv.contains("1,6,all-reduce,,0,,,,,ring"), "{csv}");
    assert!(of(8, 9, 6).unwrap().contains("reduce-scatter,,6,"));
}

#[test]
fn what_no_graph_can_be_is_refused_with_its_rank_and_node() {
    let waits = |id: u64, for_id: u64| node(id, 4, &[number(5, for_id), number(7, 1)]);
    let send = |peer: u64| {
        let ends = [attribute("comm_dst", 5, peer), attribute("comm_size", 9, 8)];
        node(5, 5, &ends)
    };
    let refused = |second: Vec<u8>| {
        let first = file(&[node(1, 4, &[])]);
        chakra_to_csv(&[first, file(&[second])], "ring", &ProcessGroups::default()).unwrap_err()
    };
    let error = refused(waits(1, 9));
    assert_eq!(error.rank, 1);
    assert!(
        error.message.contains("node 1 (`name`) waits for node 9"),
        "{error}"
    );
    // Chakra's converter leaves calls out that others name as their callers.
    let called = node(1, 4, &[number(4, 9), number(7, 1)]);
    let one = RankTrace::new(TraceForm::Protobuf, file(&[called]));
    let trace = TraceImport::new("ring").convert(&[one]).unwrap();
    assert!(
        trace.csv.ends_with("0,1,calc,,,,1000,0,,\n"),
        "{}",
        trace.csv
    );
    assert!(
        trace.notes[0].contains("control dependencies"),
        "{:?}",
        trace.notes
    );
    let cycle = file(&[
        node(1, 4, &[number(4, 2), number(7, 1)]),
        node(2, 4, &[number(5, 1), number(7, 1)]),
        node(3, 4, &[number(4, 1), number(7, 1)]),
    ]);
    let one = RankTrace::new(TraceForm::Protobuf, cycle);
    let trace = TraceImport::new("ring").convert(&[one]).unwrap();
    assert!(
        trace
            .csv
            .ends_with("0,2,calc,,,,1000,0,1,\n0,3,calc,,,,1000,0,,\n")
    );
    assert!(
        trace.notes[0].starts_with("2 nodes with control"),
        "{:?}",
        trace.notes
    );
    let error = refused(send(4));
    assert_eq!(error.rank, 1);
    assert!(error.message.starts_with("node 5 (`name`): "), "{error}");
    let reduce = [attribute("comm_type", 9, 0), attribute("comm_size", 9, 8)].concat();
    let three: Vec<Vec<u8>> = (0..3)
        .map(|_| file(&[node(1, 7, std::slice::from_ref(&reduce))]))
        .collect();
    let error = chakra_to_csv(&three, "halving-doubling", &ProcessGroups::default()).unwrap_err();
    assert!(error.message.contains("power of two"), "{error}");
}
