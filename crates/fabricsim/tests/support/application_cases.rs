//! Workloads of applications: collectives and serving.

use super::{Case, rdma};

pub(super) fn applications() -> Vec<Case> {
    vec![
        rdma(
            "reduction",
            r#"kind = "dcqcn""#,
            r#"
                [switch]
                reduction_trees = 2
                [[workload]]
                kind = "collective"
                operation = "all-reduce"
                algorithm = "sharp"
                size = "300KB"
                iterations = 4
                [[workload]]
                kind = "collective"
                operation = "all-reduce"
                algorithm = "nvls"
                size = "100KB"
                group_size = 4
                iterations = 3"#,
        ),
        rdma(
            "channels",
            r#"kind = "hpcc""#,
            r#"
                [[workload]]
                kind = "collective"
                operation = "all-reduce"
                algorithm = "nccl"
                local_size = 4
                protocol = "ll"
                chunk_size = "4KB"
                size = "200KB"
                iterations = 3
                [[workload]]
                kind = "collective"
                operation = "all-to-all"
                algorithm = "pxn"
                local_size = 4
                size = "100KB"
                iterations = 3"#,
        ),
        rdma(
            "overlap",
            r#"kind = "dcqcn""#,
            r#"
                [[workload]]
                kind = "collective"
                operation = "pipeline"
                group_size = 4
                size = "900KB"
                chunks = 6
                forward = ["15us"]
                backward = ["30us"]
                overlap = { compute = 1.7, communication = 1.4 }
                compute_jitter = 0.2
                iterations = 2"#,
        ),
        rdma(
            "serving",
            r#"kind = "dcqcn""#,
            r#"
                [[workload]]
                kind = "serving"
                model = "mixtral-8x7b"
                hosts = ["0..11"]
                front_end = 11
                routing = "least-outstanding"
                instances = 5
                prefill_instances = 2
                tp = 2
                rate = 100000
                count = 20
                input_tokens = 20
                output_tokens = 3
                timing = "linear"
                step_time = "5us"
                chunk_tokens = 16"#,
        ),
    ]
}
