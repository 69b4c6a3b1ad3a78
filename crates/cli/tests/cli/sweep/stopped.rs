//! Sweeps that are killed or interrupted.

use super::*;

#[test]
fn a_killed_sweep_goes_on_and_gives_the_same_table() {
    let folder = Folder::new();
    let whole = undisturbed(&folder);
    // Killed again and again, whenever one more point is done.
    for round in 1..=3 {
        let args = ["sweep", "s.toml", "--jobs", "1", "--out", "killed"];
        let mut child = folder
            .command(&args)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command starts");
        let begun = Instant::now();
        while ended(&folder, "killed") < round {
            assert!(begun.elapsed() < PATIENCE, "the sweep does not get on");
            sleep(Duration::from_millis(1));
        }
        child.kill().expect("the command is running");
        child.wait().expect("the command has ended");
    }
    let before = ended(&folder, "killed");
    assert!((3..8).contains(&before), "{before}");
    let outcome = folder
        .run(&["sweep", "s.toml", "--out", "killed"])
        .succeeded();
    assert_eq!(told(&outcome, " done before"), before);
    assert_eq!(told(&outcome, " run"), 8 - before);
    assert_eq!(folder.read("killed/points.csv"), whole);
    for point in std::fs::read_dir(folder.path("whole/points")).expect("points") {
        let name = point.expect("a point").file_name();
        let name = name.to_string_lossy();
        let fct = |dir: &str| folder.read(&format!("{dir}/points/{name}/fct.csv"));
        assert_eq!(fct("killed"), fct("whole"), "{name}");
        let files = std::fs::read_dir(folder.path(&format!("killed/points/{name}")));
        let mut files: Vec<_> = files
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        files.sort();
        let all = [
            "buffers.csv",
            "fct.csv",
            "point.json",
            "summary.json",
            "topology.csv",
        ];
        assert_eq!(files, all, "{name}");
    }
}

/// A process may be killed between the last file of a point and the end of its lock.
#[test]
fn the_lock_of_a_killed_process_goes_from_a_point_that_is_done() {
    let folder = quick();
    let sweep = ["sweep", "s.toml", "--out", "out"];
    folder.run(&sweep).succeeded();
    let points = std::fs::read_dir(folder.path("out/points")).expect("points");
    let locks: Vec<_> = points
        .map(|point| point.expect("a point").path().join(".fabricsim.lock"))
        .collect();
    for lock in &locks {
        std::fs::write(lock, "").expect("the point can be written");
    }
    let outcome = folder.run(&sweep).succeeded();
    assert_eq!(told(&outcome, " done before"), 3);
    assert_eq!(locks.len(), 3);
    assert!(locks.iter().all(|lock| !lock.exists()));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_done() {
    let folder = Folder::new();
    let whole = undisturbed(&folder);
    let child = folder
        .command(&["sweep", "s.toml", "--jobs", "1", "--out", "out"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let begun = Instant::now();
    while ended(&folder, "out") < 2 {
        assert!(begun.elapsed() < PATIENCE, "the sweep does not get on");
        sleep(Duration::from_millis(1));
    }
    let signal = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("`kill` is there");
    assert!(signal.success());
    let outcome: Outcome = child.wait_with_output().expect("it ends").into();
    assert_eq!(outcome.code, Some(130), "{}", outcome.stderr);
    let done = ended(&folder, "out");
    assert!((2..8).contains(&done), "{done}");
    let line = format!("interrupted: {done} of 8 points are done");
    assert!(outcome.stderr.contains(&line), "{}", outcome.stderr);
    assert_eq!(rows(&folder, "out"), 8);
    let rest = folder.run(&["sweep", "s.toml", "--out", "out"]).succeeded();
    assert_eq!(told(&rest, " done before"), done);
    assert_eq!(folder.read("out/points.csv"), whole);
}
