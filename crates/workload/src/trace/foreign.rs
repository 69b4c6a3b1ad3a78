//! Files of other tools that users take for lists of operations, each with the way to convert it.

use fabricsim_base::input::InputError;

use crate::text::lines;

/// Returns the error of a file in a known format that no workload reads.
pub(super) fn refused(text: &str) -> Option<InputError> {
    let first = lines(text).next()?;
    let of_aicb = ["comm_type,comm_group", "[rank"];
    let (message, help) = if of_aicb.iter().any(|begin| first.text.starts_with(begin)) {
        (
            "this is a workload of AICB for GPUs, without the durations of computations",
            "generate it with AICB for SimAI: a text that begins with \
             HYBRID_TRANSFORMER_FWD_IN_BCKWD",
        )
    } else if first.text.starts_with(['{', '[']) {
        (
            "this is JSON, and no list of operations",
            "convert traces of Chakra and PyTorch with `fabricsim import-trace`",
        )
    } else if first.text.starts_with("MPI_") {
        (
            "this is a trace of MPI calls by liballprof",
            "convert the traces of all ranks to GOAL with Schedgen of LogGOPSim: schedgen -p trace \
             --traces FILE -o job.goal",
        )
    } else {
        return None;
    };
    Some(first.error(message, help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_tools_name_their_way() {
        for (text, words) in [
            ("# collprof 0.9\n\nMPI_Init:-:14:1.0\n", "schedgen"),
            ("{\"workload_graph\": []}", "import-trace"),
            ("comm_type,comm_group,msg_size\n", "HYBRID_TRANSFORMER"),
            ("[rank0 ~ rank127] all_reduce\n", "HYBRID_TRANSFORMER"),
        ] {
            let error = refused(text).unwrap();
            assert!(error.help.contains(words), "{text}: {error}");
        }
        assert_eq!(refused("rank,id,op\n"), None);
        assert_eq!(refused(""), None);
    }
}
