//! The command as one of several processes that an MPI launcher has started.

use crate::support::{Folder, Outcome};

/// Runs the command as process `rank` of `count`, in the environment of Open MPI's `mpirun`,
/// without `mpirun`.
fn pretend(folder: &Folder, args: &[&str], rank: &str, count: &str) -> Outcome {
    let mut command = folder.command(args);
    command.env("OMPI_COMM_WORLD_RANK", rank);
    command.env("OMPI_COMM_WORLD_SIZE", count);
    command.output().expect("the command starts").into()
}

fn assert_silent(outcome: &Outcome) {
    assert_eq!(outcome.code, Some(2));
    assert_eq!((&*outcome.stdout, &*outcome.stderr), ("", ""));
}

#[test]
fn a_command_for_one_process_is_refused_once() {
    let folder = Folder::new();
    let first = pretend(&folder, &["list", "cc"], "0", "4");
    assert_eq!((first.code, &*first.stdout), (Some(2), ""));
    let words = "works in one process, and an MPI launcher has started 4";
    assert!(first.stderr.contains(words), "{}", first.stderr);
    assert!(first.stderr.contains("srun --mpi=none"), "{}", first.stderr);
    assert_silent(&pretend(&folder, &["list", "cc"], "3", "4"));
}

#[test]
fn wrong_arguments_are_said_by_the_first_process() {
    let folder = Folder::new();
    let first = pretend(&folder, &["run", "--treads", "2"], "0", "2");
    assert_eq!(first.code, Some(2));
    assert!(first.stderr.contains("--treads"), "{}", first.stderr);
    assert_silent(&pretend(&folder, &["run", "--treads", "2"], "1", "2"));
}

#[test]
fn one_process_of_a_launcher_works_as_any_other() {
    let folder = Folder::new();
    pretend(&folder, &["list", "cc"], "0", "1").succeeded();
}

#[test]
fn tasks_of_an_array_are_no_ranks() {
    let folder = Folder::new();
    let mut command = folder.command(&["list", "cc"]);
    for (name, value) in [
        ("SLURM_JOB_ID", "7"),
        ("SLURM_ARRAY_TASK_ID", "3"),
        ("SLURM_ARRAY_TASK_COUNT", "8"),
        ("SLURM_NTASKS", "4"),
        ("SLURM_PROCID", "0"),
    ] {
        command.env(name, value);
    }
    Outcome::from(command.output().expect("the command starts")).succeeded();
}

#[test]
fn a_measurement_needs_two_ranks() {
    let outcome = Folder::new().run(&["mpi-probe"]);
    assert_eq!((outcome.code, &*outcome.stdout), (Some(2), ""));
    let help = match cfg!(feature = "mpi") {
        true => "mpirun -n 2 fabricsim mpi-probe",
        false => "--features mpi",
    };
    assert!(outcome.stderr.contains(help), "{}", outcome.stderr);
}

#[cfg(not(feature = "mpi"))]
#[test]
fn a_build_without_mpi_says_so_once() {
    let folder = Folder::new();
    let first = pretend(&folder, &["mpi-probe"], "0", "4");
    assert_eq!((first.code, &*first.stdout), (Some(2), ""));
    for words in [
        "4 processes were started by an MPI launcher, but this build has no MPI",
        "cargo install --locked --path crates/cli --features mpi",
    ] {
        assert!(first.stderr.contains(words), "{}", first.stderr);
    }
    assert_silent(&pretend(&folder, &["mpi-probe"], "1", "4"));
}

/// Commands under `mpirun`.
#[cfg(feature = "mpi")]
mod mpirun {
    use std::process::Command;

    use serde_json::Value;

    use super::{Folder, Outcome};

    /// Runs the command over `count` ranks; `None` if `mpirun` is missing.
    fn over(count: &str, folder: &Folder, args: &[&str]) -> Option<Outcome> {
        let one = folder.command(args);
        let mut command = Command::new("mpirun");
        command
            .args(["-n", count, "--oversubscribe", "--quiet"])
            .arg(one.get_program())
            .args(one.get_args())
            .current_dir(folder.path("."))
            .env("NO_COLOR", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        match command.output() {
            Ok(output) => Some(output.into()),
            Err(error) => {
                eprintln!("skipped: mpirun cannot be started: {error}");
                None
            }
        }
    }

    #[test]
    fn costs_of_messages_are_shown_and_written() {
        let folder = Folder::new();
        let args = ["mpi-probe", "--time", "1ms", "--out", "probe.json"];
        let Some(outcome) = over("3", &folder, &args) else {
            return;
        };
        let outcome = outcome.succeeded();
        for words in [
            "3 on 1 machine\n",
            "latency ",
            "per byte ",
            "\n    4194304 ",
        ] {
            assert_eq!(
                outcome.stdout.matches(words).count(),
                1,
                "{}",
                outcome.stdout
            );
        }
        let probe: Value = serde_json::from_str(&folder.read("probe.json")).expect("JSON");
        assert_eq!(probe["ranks"], 3);
        let largest = |key: &str| {
            let pairs = probe["pairs"].as_array().expect("pairs").iter();
            let values = pairs.map(|pair| pair[key].as_f64().expect("a number"));
            values.fold(0.0, f64::max)
        };
        for key in ["latency_us", "overhead_us", "ns_per_byte"] {
            assert!(largest(key) > 0.0);
            assert_eq!(probe[key], largest(key), "{key}");
        }
        for key in ["gather_us", "exchange_us"] {
            assert!(probe[key].as_f64().is_some_and(|time| time > 0.0), "{key}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_is_said_once_and_ends_all() {
        let folder = Folder::new();
        let args = ["mpi-probe", "--time", "1ms", "--out", "missing/probe.json"];
        let Some(outcome) = over("2", &folder, &args) else {
            return;
        };
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        let said = outcome.stderr.matches("cannot write").count();
        assert_eq!(said, 1, "{}", outcome.stderr);
        assert!(outcome.stderr.contains("rank 0 of 2"), "{}", outcome.stderr);
        assert!(!folder.has("missing"));
    }

    #[test]
    fn what_is_refused_is_said_once() {
        let folder = Folder::new();
        for (args, words) in [
            (&["list"][..], "works in one process"),
            (
                &["mpi-probe", "--tim", "1ms"],
                "unexpected argument '--tim'",
            ),
            (&["mpi-probe", "--time", "1"], "`1` has no unit"),
        ] {
            let Some(outcome) = over("3", &folder, args) else {
                return;
            };
            assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
            let said = outcome.stderr.matches(words).count();
            assert_eq!(said, 1, "{}", outcome.stderr);
        }
    }

    #[test]
    fn processes_that_mpi_does_not_bring_together_are_refused() {
        // As `mpiexec` of another MPI would start them.
        let folder = Folder::new();
        let mut command = folder.command(&["mpi-probe"]);
        command.env("PMI_RANK", "0").env("PMI_SIZE", "4");
        let outcome = Outcome::from(command.output().expect("the command starts"));
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        let words = "4 processes were started by an MPI launcher, but the MPI of this build sees 1";
        assert!(outcome.stderr.contains(words), "{}", outcome.stderr);
    }
}
