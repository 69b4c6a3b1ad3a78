//! Collectives that do not end.

use fabricsim::outcome::Status;

use crate::row::run;

#[test]
fn ranks_that_are_cut_off_say_what_they_wait_for() {
    for (cc, connections) in [
        ("hpcc", "kept"),
        ("newreno", "kept"),
        ("none", "per-message"),
    ] {
        let text = format!(
            "[topology]\nkind = \"star\"\nhosts = 4\n[cc]\nkind = \"{cc}\"\n[run]\n\
             stall_after = \"20ms\"\n[routing]\nconvergence = \"1us\"\n[[event]]\nat = \"50us\"\n\
             kind = \"link-down\"\nlink = [0, 4]\n[[workload]]\nkind = \"collective\"\n\
             operation = \"all-reduce\"\nsize = \"400KB\"\niterations = 1000\n\
             job = \"train\"\nconnections = \"{connections}\"\n"
        );
        let (summary, _, rows) = run(&text, 1);
        assert_eq!(summary.status, Status::Stalled, "{cc}");
        let job = &summary.jobs[0];
        assert_eq!((job.ranks_finished, job.completion_ns), (0, None), "{cc}");
        assert_eq!(job.iterations, rows.len() as u64);
        assert_eq!(job.waiting.len(), 4, "{:?}", job.waiting);
        assert!(
            job.waiting
                .iter()
                .all(|words| words.contains("of job `train`") && words.contains("rank ")),
            "{:?}",
            job.waiting
        );
        assert!(
            job.waiting[1].contains("receives from rank 0"),
            "{:?}",
            job.waiting
        );
    }
}
