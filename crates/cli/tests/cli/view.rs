//! `fabricsim view`: the data of the page, counted in another way than the command does.

mod wrong_files;

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::support::Folder;

/// Two racks with a burst into host 0, and a link and a switch that fail.
const SCENARIO: &str = r#"
    name = "burst"
    [topology]
    kind = "leaf-spine"
    leaves = 2
    spines = 2
    hosts_per_leaf = 4
    [[workload]]
    kind = "incast"
    fan_in = 6
    size = "100KB"
    receiver = 0
    at = "5us"
    [[event]]
    at = "30us"
    kind = "link-down"
    link = ["leaf0", "spine1"]
    [[event]]
    at = "40us"
    kind = "switch-down"
    switch = "spine1"
    [cc]
    kind = "hpcc"
    [run]
    stop_at = "200us"
"#;

/// Runs the scenario with these tables of `[observe]` into `dir`.
fn run(folder: &Folder, dir: &str, observed: &[&str]) {
    folder.write("burst.toml", SCENARIO);
    let mut args = vec!["run", "burst.toml", "--quiet", "--out", dir];
    let set: Vec<String> = (observed.iter())
        .map(|key| format!("observe.{key}"))
        .collect();
    for key in &set {
        args.extend(["--set", key]);
    }
    let outcome = folder.run(&args);
    assert!(matches!(outcome.code, Some(0 | 3)), "{}", outcome.stderr);
}

const ALL: [&str; 4] = [
    "links=true",
    "queues=true",
    "delays=true",
    "hop_delays=true",
];

/// Returns the data of a page.
fn data(folder: &Folder, page: &str) -> Value {
    let html = folder.read(page);
    let (_, after) = html
        .split_once("<script id=\"data\" type=\"application/json\">")
        .expect("the data");
    let (data, _) = after.split_once("</script>").expect("the end of the data");
    serde_json::from_str(data).expect("JSON")
}

fn view(folder: &Folder, args: &[&str]) -> Value {
    let args = [&["view"], args, &["-o", "page.html"]].concat();
    let outcome = folder.run(&args).succeeded();
    assert_eq!(outcome.stdout, "page.html\n");
    data(folder, "page.html")
}

/// Decodes base64.
fn bytes(value: &Value) -> Vec<u8> {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text = value.as_str().expect("base64").trim_end_matches('=');
    let mut all = Vec::new();
    let (mut bits, mut count) = (0usize, 0);
    for letter in text.chars() {
        bits = ((bits << 6) | letters.find(letter).expect("a letter of base64")) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            all.push(u8::try_from((bits >> count) & 0xff).expect("eight bits"));
        }
    }
    all
}

fn integers(value: &Value) -> Vec<u32> {
    let bytes = bytes(value);
    let words = bytes.as_chunks::<4>().0.iter();
    words.map(|four| u32::from_le_bytes(*four)).collect()
}

/// Returns the rows of a CSV file by the names of their columns.
fn rows(folder: &Folder, file: &str) -> Vec<BTreeMap<String, String>> {
    let text = folder.read(file);
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let row = |line: &str| {
        let fields = names.iter().zip(line.split(','));
        fields
            .map(|(name, field)| ((*name).to_owned(), field.to_owned()))
            .collect()
    };
    lines.map(row).collect()
}

/// Returns the bytes of port `port` of the quantity `of` by step; `None` if it was not observed.
fn series(data: &Value, of: &str, port: usize) -> Option<Vec<u8>> {
    let steps = data["series"]["steps"]["ends_ns"].as_array()?.len();
    let own = &data["series"][of];
    match integers(&own["rows"])[port] {
        0 => None,
        u32::MAX => Some(vec![0; steps]),
        row => {
            let from = (row as usize - 1) * steps;
            Some(bytes(&own["values"])[from..from + steps].to_vec())
        }
    }
}

#[test]
fn the_fabric_has_every_node_and_link() {
    let folder = Folder::new();
    run(&folder, "a", &ALL);
    let data = view(&folder, &["a"]);
    let topology = rows(&folder, "a/topology.csv");
    let fabric = &data["fabric"];
    assert_eq!(fabric["names"].as_array().expect("names").len(), 8 + 4);
    assert_eq!(
        bytes(&fabric["is_host"])
            .iter()
            .filter(|own| **own == 1)
            .count(),
        8
    );
    let [node, other, rate] = ["node", "other", "rate"].map(|key| integers(&fabric[key]));
    assert_eq!((topology.len(), node.len()), (2 * (8 + 4), 2 * (8 + 4)));
    for (port, row) in topology.iter().enumerate() {
        let name = |port: usize| fabric["names"][node[port] as usize].as_str();
        assert_eq!(name(port), Some(&*row["name"]));
        assert_eq!(name(other[port] as usize), Some(&*row["peer_name"]));
        assert_eq!(
            fabric["rates_bps"][rate[port] as usize].to_string(),
            row["rate_bps"]
        );
    }
    // The link has two ends, the switch has a place.
    let events = data["events"].as_array().expect("events");
    assert_eq!(events[0]["words"], "link leaf0 - spine1 down");
    let mut ends: Vec<&str> = integers_of(&events[0]["ports"])
        .map(|port| {
            fabric["names"][node[port] as usize]
                .as_str()
                .expect("a name")
        })
        .collect();
    ends.sort_unstable();
    assert_eq!(ends, ["leaf0", "spine1"]);
    let node = events[1]["node"].as_u64().expect("a switch");
    assert_eq!(
        fabric["names"][usize::try_from(node).expect("small")],
        "spine1"
    );
}

fn integers_of(list: &Value) -> impl Iterator<Item = usize> {
    let list = list.as_array().expect("a list").iter();
    list.map(|own| usize::try_from(own.as_u64().expect("a number")).expect("small"))
}

#[test]
fn merged_steps_are_means_and_longest_queues() {
    let folder = Folder::new();
    run(&folder, "a", &ALL);
    let data = view(&folder, &["a", "--steps", "7"]);
    let links = rows(&folder, "a/links.csv");
    let number = |text: &String| text.parse::<f64>().expect("a number");
    let mut times: Vec<f64> = links.iter().map(|row| number(&row["time_ns"])).collect();
    times.dedup();
    let ends: Vec<f64> =
        serde_json::from_value(data["series"]["steps"]["ends_ns"].clone()).expect("times");
    assert_eq!(
        (ends.len(), data["series"]["steps"]["samples"].as_u64()),
        (7, Some(times.len() as u64))
    );
    assert_eq!(ends.last(), times.last());

    // The port to the receiver of the burst, from both files.
    let topology = rows(&folder, "a/topology.csv");
    let is_own = |row: &&BTreeMap<String, String>| row["name"] == "leaf0" && row["port"] == "0";
    let port = topology
        .iter()
        .position(|row| is_own(&row))
        .expect("the port");
    let (utilization, queue) = (
        series(&data, "utilization", port),
        series(&data, "queue", port),
    );
    let (utilization, queue) = (utilization.expect("observed"), queue.expect("observed"));
    let queues = rows(&folder, "a/queues.csv");
    let unit = data["series"]["queue"]["unit_bytes"]
        .as_f64()
        .expect("bytes");
    let (mut begin, mut longest_of_all) = (0.0, 0.0f64);
    for (step, end) in ends.iter().enumerate() {
        let within = |row: &&BTreeMap<String, String>| {
            let time = number(&row["time_ns"]);
            is_own(row) && time > begin && time <= *end
        };
        // Samples are 10 us apart, but for the end of the run.
        let own: Vec<f64> = links
            .iter()
            .filter(within)
            .map(|row| number(&row["utilization"]))
            .collect();
        let mean = own.iter().sum::<f64>() / own.len() as f64;
        assert!(
            (f64::from(utilization[step]) / 250.0 - mean).abs() <= 0.5 / 250.0 + 1e-6,
            "{step}: {mean}"
        );
        let own = queues
            .iter()
            .filter(within)
            .map(|row| number(&row["queue_bytes"]));
        let longest = own.fold(0.0, f64::max);
        longest_of_all = longest_of_all.max(longest);
        let code = u32::from(queue[step]);
        let shown = match code {
            0..32 => f64::from(code),
            _ => f64::from(16 + code % 16) * f64::from(1u32 << (code / 16 - 1)),
        } * unit;
        assert!(
            shown >= longest && shown <= longest * 17.0 / 16.0 + unit,
            "{step}: {shown}, {longest}"
        );
        begin = *end;
    }
    assert!(
        longest_of_all > 50_000.0,
        "the burst has a queue: {longest_of_all}"
    );
    // Hosts have no observed queue.
    let host = topology
        .iter()
        .position(|row| row["name"] == "host0")
        .expect("a host");
    assert_eq!(series(&data, "queue", host), None);
    assert!(series(&data, "utilization", host).is_some());
}

#[test]
fn flows_have_their_parts_and_their_path() {
    let folder = Folder::new();
    run(&folder, "a", &ALL);
    let data = view(&folder, &["a", "--flows", "3"]);
    let flows = &data["flows"];
    assert_eq!(
        (flows["from"].as_str(), flows["all"].as_u64()),
        (Some("delays.csv"), Some(6))
    );
    let list = flows["rows"].as_array().expect("flows");
    assert_eq!(list.len(), 3);
    let fct = rows(&folder, "a/fct.csv");
    let mut slowest: Vec<&BTreeMap<String, String>> = fct.iter().collect();
    slowest.sort_by(|a, b| {
        b["slowdown"]
            .parse::<f64>()
            .expect("a number")
            .total_cmp(&a["slowdown"].parse().expect("a number"))
    });
    let node = integers(&data["fabric"]["node"]);
    let topology = rows(&folder, "a/topology.csv");
    for (place, row) in list.iter().enumerate() {
        assert_eq!(row[0].to_string(), slowest[place]["flow"]);
        let parts = flows["parts"][place].as_array().expect("parts");
        let sum: f64 = parts
            .iter()
            .map(|part| part[4].as_f64().expect("a time"))
            .sum();
        assert!(
            (sum - row[6].as_f64().expect("a time")).abs() < 1e-2,
            "{sum}"
        );
        // The last switch port of the path leads to the receiver.
        let last = integers_of(&flows["paths"][place]).last().expect("a path");
        assert_eq!(node[last], 8, "leaf0 follows the eight hosts");
        assert_eq!(topology[last]["peer_name"], "host0");
    }
    assert!(
        view(&folder, &["a", "--flows", "0"])["flows"]["rows"]
            .as_array()
            .expect("a list")
            .is_empty()
    );
}

#[test]
fn without_observations_the_page_has_the_fabric_and_says_how_to_get_more() {
    let folder = Folder::new();
    run(&folder, "a", &[]);
    let data = view(&folder, &["a", "--title", "mine"]);
    assert_eq!(data["title"], "mine");
    assert_eq!(data["fabric"]["names"].as_array().expect("names").len(), 12);
    assert!(data["series"].is_null() && data["flows"]["from"] == "fct.csv");
    let notes = data["notes"].to_string();
    for key in ["links", "queues", "delays"] {
        assert!(
            notes.contains(&format!("`{key} = true` in `[observe]`")),
            "{notes}"
        );
    }
}

#[test]
fn parquet_is_named_as_the_reason() {
    let folder = Folder::new();
    run(&folder, "a", &[]);
    fs::write(folder.path("a/links.parquet"), b"PAR1").expect("a file");
    let notes = view(&folder, &["a"])["notes"].to_string();
    assert!(
        notes.contains("Parquet") && notes.contains("format = \\\"csv\\\""),
        "{notes}"
    );
}

#[test]
fn the_same_results_make_the_same_page() {
    let folder = Folder::new();
    run(&folder, "a", &ALL);
    view(&folder, &["a"]);
    let first = folder.read("page.html");
    view(&folder, &["a"]);
    assert!(first == folder.read("page.html"));
}
