use std::collections::BTreeMap;

use fabricsim_base::units::Duration;

use super::*;
use crate::collective::CollectiveOperation;
use crate::graph::{Instance, Program};

/// Two layers of a model with two experts, on groups of two GPUs.
const WORKLOAD: &str = "\
HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 1 vpp: 8 ga: 1 all_gpus: 8 \
checkpoints: 0 checkpoint_initiates: 0
2
embedding -1 1000 ALLREDUCE 100 500 NONE 0 250 REDUCESCATTER 80000 7
experts\t-1\t2000\tALLTOALL_EP\t8192\t3000\tALLTOALL_EP\t8192\t0\tALLGATHER_DP_EP\t40000\t0
";

fn instances(loaded: &Loaded) -> Vec<(CollectiveOperation, u32, u64)> {
    let one = |instance: &Instance| (instance.operation, instance.ranks, instance.size.get());
    loaded.instances.iter().map(one).collect()
}

/// Returns the spans of the computations of a program.
fn spans(program: &Program) -> Vec<u64> {
    let span = |operation: &Operation| match operation {
        Operation::Compute { span, .. } => Some(span.as_ps() / 1_000),
        _ => None,
    };
    program.operations().iter().filter_map(span).collect()
}

fn peers(program: &Program) -> BTreeMap<u32, usize> {
    let mut peers = BTreeMap::new();
    for operation in program.operations() {
        if let Operation::Send { to, .. } = operation {
            *peers.entry(to).or_default() += 1;
        }
    }
    peers
}

#[test]
fn a_pass_goes_forward_and_back() {
    use CollectiveOperation as Is;
    let loaded = parse(WORKLOAD, 8).unwrap();
    assert_eq!(loaded.programs.len(), 8);
    // Forward collectives have at least 4096 bytes; 4 groups of 2 GPUs each, and 2 groups of 4 GPUs
    // with the same place.
    let mut counts: BTreeMap<(&str, u32, u64), u32> = BTreeMap::new();
    for (operation, ranks, size) in instances(&loaded) {
        *counts.entry((operation.name(), ranks, size)).or_default() += 1;
    }
    let expected = [
        ((Is::AllGather.name(), 2, 40_000), 4),
        ((Is::AllReduce.name(), 2, 4_096), 4),
        ((Is::AllToAll.name(), 2, 8_192), 8),
        ((Is::ReduceScatter.name(), 4, 80_000), 2),
    ];
    assert_eq!(counts, BTreeMap::from(expected));
    // Forward, with 7 ns after the all-reduce; back through the layers in reverse order. This time
    // is not added without a collective, or if no operation waits for it.
    assert_eq!(
        spans(&loaded.programs[5]),
        [1_000, 7, 2_000, 3_000, 500, 250]
    );
    assert!(loaded.bytes > 0.0 && loaded.messages > 0.0);
}

#[test]
fn groups_are_those_of_simai() {
    let loaded = parse(WORKLOAD, 8).unwrap();
    // GPU 5 has tensor group {4, 5}, data {1, 3, 5, 7}, experts {5, 7}, and their data {1, 5}.
    let peers = peers(&loaded.programs[5]);
    assert_eq!(peers.keys().copied().collect::<Vec<_>>(), [1, 4, 7]);
    let sizes = read(WORKLOAD).unwrap().0.sizes;
    let groups = Groups::new(8, &sizes).unwrap();
    let of = |gpu: u32| groups.of(gpu).map(|members| members.to_vec());
    assert_eq!(
        of(5),
        [vec![4, 5], vec![1, 3, 5, 7], vec![5, 7], vec![1, 5]]
    );
    assert_eq!(
        of(2),
        [vec![2, 3], vec![0, 2, 4, 6], vec![0, 2], vec![2, 6]]
    );
    for gpu in 0..8 {
        for members in of(gpu) {
            assert!(members.contains(&gpu) && members.is_sorted());
            assert!(members.iter().all(|&member| of(member).contains(&members)));
        }
    }
}

#[test]
fn collectives_without_bytes_or_others_are_none() {
    let text = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1\n1\n\
                a -1 5 ALLREDUCE 9999 0 ALLGATHER 0 0 ALLREDUCE 0 100\n";
    let loaded = parse(text, 4).unwrap();
    assert!(loaded.instances.is_empty());
    assert_eq!(spans(&loaded.programs[3]), [5]);
    assert_eq!(parse(WORKLOAD, 8).unwrap().instances.len(), 18);
    let span = Duration::from_ns(5);
    assert_eq!(read(text).unwrap().1[0].0.forward.span, span);
}

#[test]
fn what_the_simulation_passes_over_is_said() {
    assert_eq!(
        simai_passed_over(WORKLOAD).unwrap(),
        [
            (
                "vpp 8".to_owned(),
                "messages between stages of a pipeline are not in the file, and SimAI simulates \
                 none, either"
                    .to_owned()
            ),
            (
                "all_gpus 8".to_owned(),
                "each host of the workload is a GPU".to_owned()
            ),
        ]
    );
    let text = WORKLOAD.replace("2000\tALLTOALL_EP", "2000\tBROADCAST");
    let said = simai_passed_over(&text).unwrap();
    assert_eq!(said.last().unwrap().0, "BROADCAST");
    assert_eq!(parse(&text, 8).unwrap().instances.len(), 14);
}

#[test]
fn what_is_wrong_is_said_at_its_word() {
    for (right, wrong, at, says) in [
        ("group: 2", "group: 3", "3", "8 hosts cannot be divided"),
        ("group: 2", "group: 0", "0", "groups of 0 GPUs"),
        ("ep: 2", "ep: 3", "3", "cannot be divided by 3"),
        ("ep: 2", "tp: 2", "tp:", "no key `tp`"),
        ("ep: 2", "ep: two", "two", "not a number"),
        ("checkpoints: 0", "checkpoints: 1", "1", "not simulated"),
        (
            "initiates: 0",
            "initiates:",
            "checkpoint_initiates:",
            "must follow",
        ),
        (
            "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
            "MICRO",
            "MICRO",
            "not simulated",
        ),
        (
            "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
            "DATA",
            "DATA",
            "not simulated",
        ),
        (
            "model_parallel_NPU_group: 2 ",
            "",
            TRANSFORMER,
            "has no model_parallel",
        ),
        ("\n2\n", "\n3\n", "3", "2 of 3 layers"),
        ("\n2\n", "\n1\n", "experts", "after the last of the 1"),
        ("\n2\n", "\nx\n", "x", "not a number of layers"),
        ("500 NONE 0", "500 NONE", "embedding", "12 words"),
        (
            "ALLREDUCE 100",
            "ALLREDUCEALLTOALL 100",
            "ALLREDUCEALLTOALL",
            "not simulated",
        ),
        (
            "ALLREDUCE 100",
            "ALLREDUCE_PP 100",
            "ALLREDUCE_PP",
            "not simulated",
        ),
        (
            "ALLREDUCE 100",
            "ALLREDUCE 1e3",
            "1e3",
            "not a number of bytes",
        ),
        (
            "-1 1000",
            "-1 18446744073709551615",
            "18446744073709551615",
            "too long",
        ),
        ("-1 1000", "-1 18446744073709551", "ALLREDUCE", "too long"),
    ] {
        // The changed text must differ, so that no row of the table is without effect.
        let text = WORKLOAD.replacen(right, wrong, 1);
        assert_ne!(text, WORKLOAD, "{right}");
        let error = parse(&text, 8).unwrap_err();
        assert!(error.message.contains(says), "{wrong}: {error:?}");
        assert!(
            text[error.span.clone()].starts_with(at),
            "{wrong}: {error:?}"
        );
    }
    let error = parse(WORKLOAD, 1).unwrap_err();
    assert!(error.message.contains("1 hosts cannot"), "{error:?}");
}

#[test]
fn workloads_are_told_from_other_graphs() {
    assert!(is_simai_workload(WORKLOAD) && is_simai_workload("MICRO\n1\n"));
    assert!(!is_simai_workload("rank,id,op\n") && !is_simai_workload("num_ranks 2\n"));
    assert!(!is_simai_workload(""));
}
