//! `fabricsim explain`: the parts of completion times in words.

use crate::support::Folder;

/// Two classes: a long flow, and a burst of 24 hosts into the leaf of its receiver.
const SCENARIO: &str = r#"
    [topology]
    kind = "leaf-spine"
    leaves = 2
    spines = 2
    hosts_per_leaf = 16
    [[workload]]
    kind = "permutation"
    size = "2MB"
    [[workload]]
    kind = "incast"
    fan_in = 24
    size = "64KB"
    receiver = 3
    at = "20us"
    [cc]
    kind = "dctcp"
    [observe]
    delays = true
"#;

/// Returns the shares in the first column of `text`, in percent.
fn shares(text: &str) -> Vec<f64> {
    let words = text
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let shares = words.filter_map(|word| word.strip_suffix('%'));
    shares.filter_map(|share| share.parse().ok()).collect()
}

#[test]
fn classes_are_explained_with_their_tails() {
    let folder = Folder::new();
    folder.write("mix.toml", SCENARIO);
    folder
        .run(&["run", "mix.toml", "--out", "mix", "-q"])
        .succeeded();
    let text = folder.run(&["explain", "mix"]).succeeded().stdout;
    for sentence in [
        "permutation flows: 32 flows",
        "incast flows: 24 flows",
        "slowest, p95 and above",
        "is queue, leaf to host; of it",
        "behind incast flows",
        "sending its bytes",
        "last acknowledgement: propagation",
    ] {
        assert!(text.contains(sentence), "{sentence}:\n{text}");
    }
    // Rows below 0.05% are left out.
    let one = folder
        .run(&["explain", "mix", "--class", "1"])
        .succeeded()
        .stdout;
    assert!(!one.contains("permutation flows: "), "{one}");
    let rows: Vec<&str> = one.lines().filter(|line| line.starts_with("   ")).collect();
    let sum: f64 = shares(&rows.join("\n")).iter().sum();
    assert!((97.0..100.5).contains(&sum), "{sum}:\n{one}");
    let ports = folder
        .run(&["explain", "mix", "--by", "port"])
        .succeeded()
        .stdout;
    assert!(ports.contains("leaf0 -> host3"), "{ports}");
}

#[test]
fn one_flow_adds_up_and_the_slowest_come_first() {
    let folder = Folder::new();
    folder.write("mix.toml", SCENARIO);
    folder
        .run(&["run", "mix.toml", "--out", "mix", "-q"])
        .succeeded();
    let list = folder
        .run(&["explain", "mix", "--slowest", "4"])
        .succeeded()
        .stdout;
    let slowdowns: Vec<f64> = (list.lines().skip(1))
        .map(|line| line.split_whitespace().nth(7).expect("a column"))
        .map(|word| word.parse().expect("a slowdown"))
        .collect();
    assert!(
        slowdowns.len() == 4 && slowdowns.is_sorted_by(|a, b| a >= b),
        "{list}"
    );
    let flow = list
        .lines()
        .nth(1)
        .and_then(|line| line.split_whitespace().next());
    let flow = flow.expect("a flow");
    let text = folder
        .run(&["explain", "mix", "--flow", flow])
        .succeeded()
        .stdout;
    let fct = folder.read("mix/fct.csv");
    let row = fct
        .lines()
        .find(|line| line.starts_with(&format!("{flow},")));
    let fct: f64 = row
        .and_then(|row| row.split(',').nth(6))
        .expect("a row")
        .parse()
        .expect("ns");
    let last = text.lines().last().expect("a line");
    let words: Vec<&str> = last.split_whitespace().collect();
    let total: f64 = words[0].parse().expect("ns");
    assert!((total - fct).abs() < 1e-6 && words[1] == "100.0%", "{text}");
    let parts = text
        .lines()
        .skip(2)
        .filter_map(|line| line.split_whitespace().next());
    let parts: Vec<f64> = parts.filter_map(|word| word.parse().ok()).collect();
    let sum: f64 = parts[..parts.len() - 1].iter().sum();
    assert!((sum - total).abs() < 1e-3, "{text}");
}

#[test]
fn results_without_delays_and_wrong_choices_are_refused() {
    let folder = Folder::new();
    let plain = SCENARIO.replace("delays = true", "links = true");
    folder.write("plain.toml", &plain);
    folder
        .run(&["run", "plain.toml", "--out", "plain", "-q"])
        .succeeded();
    folder.write("mix.toml", SCENARIO);
    folder
        .run(&["run", "mix.toml", "--out", "mix", "-q"])
        .succeeded();
    folder.write("bad.csv", "flow,class\n1,2\n");
    for (arguments, message, help) in [
        (
            &["plain"][..],
            "the run has not observed delays",
            "observe.delays=true",
        ),
        (&["nowhere"], "nowhere", ""),
        (&["mix", "--class", "7"], "class 7", "0, 1"),
        (&["mix", "--flow", "9999"], "no flow 9999", "column `flow`"),
        (&["bad.csv"], "no column `src`", "name flow, class"),
    ] {
        let outcome = folder.run(&[&["explain"], arguments].concat());
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {}", outcome.stderr);
        for words in [message, help] {
            assert!(
                outcome.stderr.contains(words),
                "{arguments:?}: {}",
                outcome.stderr
            );
        }
    }
}

/// A ring of eight in which the link to host 5 becomes four times slower after the first iteration.
#[test]
fn an_iteration_is_decided_by_the_slow_link() {
    let folder = Folder::new();
    folder.write(
        "ring.toml",
        r#"
        [topology]
        kind = "star"
        hosts = 8
        [[workload]]
        kind = "collective"
        job = "train"
        operation = "all-reduce"
        algorithm = "ring"
        size = "8MB"
        iterations = 3
        compute = "50us"
        [[event]]
        at = "2ms"
        kind = "link-rate"
        link = [5, 8]
        rate = "25Gbps"
        [cc]
        kind = "dctcp"
        [observe]
        delays = true
    "#,
    );
    folder
        .run(&["run", "ring.toml", "--out", "ring", "-q"])
        .succeeded();
    let text = folder
        .run(&["explain", "ring", "--iteration", "2"])
        .succeeded()
        .stdout;
    assert!(
        text.starts_with("all-reduce (ring) of train, iteration 2: "),
        "{text}"
    );
    let (list, sums) = text.split_once("together ").expect("a sum");
    let messages = list.lines().filter(|line| line.contains(" -> ")).count();
    assert!(
        messages >= 14,
        "two steps less than twice the ranks: {text}"
    );
    let sum: f64 = shares(sums).iter().sum();
    assert!((99.0..101.0).contains(&sum), "{sum}: {text}");
    let first = sums.lines().nth(1).expect("a line");
    let slow = [
        "queue, switch0 -> host5",
        "sending its bytes",
        "window of earlier messages: propagation",
    ];
    assert!(slow.iter().any(|cause| first.contains(cause)), "{text}");
    let wrong = folder.run(&["explain", "ring", "--iteration", "9"]);
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong
            .stderr
            .contains("the jobs are train, with iterations 0 to 2"),
        "{}",
        wrong.stderr
    );
}
