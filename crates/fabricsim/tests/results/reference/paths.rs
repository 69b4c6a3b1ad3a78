//! Every flow takes the path that it took in the published runs.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use fabricsim::Simulation;
use fabricsim_base::flow::FlowKey;
use fabricsim_base::id::NodeId;

use crate::reference::runs::{PROFILE, SourcePorts, reference, scenario};

/// Returns the next hops of the published simulator for each (node, destination), in its order.
fn published_next_hops(table: &str) -> HashMap<(u32, u32), Vec<u32>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../topology/tests/data")
        .join(table);
    let mut hops = HashMap::new();
    for line in fs::read_to_string(path).unwrap().lines().skip(2) {
        let (ranges, list) = line.rsplit_once(',').unwrap();
        let ranges: Vec<u32> = ranges.split(',').map(|n| n.parse().unwrap()).collect();
        for node in ranges[0]..=ranges[1] {
            for dst in ranges[2]..=ranges[3] {
                let list = match list {
                    "destination" => vec![dst],
                    list => list.split(' ').map(|n| n.parse().unwrap()).collect(),
                };
                hops.insert((node, dst), list);
            }
        }
    }
    hops
}

/// `MurmurHash3_x86_32` of `words` in little-endian order, by its published definition.
fn murmur3(words: [u32; 3], seed: u32) -> u32 {
    let scrambled = |word: u32| {
        word.wrapping_mul(0xcc9e_2d51)
            .rotate_left(15)
            .wrapping_mul(0x1b87_3593)
    };
    let mut hash = words.iter().fold(seed, |hash, &word| {
        let mixed = (hash ^ scrambled(word)).rotate_left(13);
        mixed.wrapping_mul(5).wrapping_add(0xe654_6b64)
    });
    hash ^= 12; // bytes
    for (shift, factor) in [(16, 0x85eb_ca6b_u32), (13, 0xc2b2_ae35)] {
        hash = (hash ^ (hash >> shift)).wrapping_mul(factor);
    }
    hash ^ (hash >> 16)
}

/// Checks that every flow of `case` takes the path that follows from the published simulator's
/// tables and hash.
fn assert_paths_agree(case: &str, table: &str) {
    const DST_PORT: u16 = 100;
    let hops = published_next_hops(table);
    let simulation = Simulation::new(&scenario(case, PROFILE, r#"kind = "hpcc""#), 1).unwrap();
    let address = |NodeId(i)| 0x0b00_0001 + (i / 256) * 0x1_0000 + (i % 256) * 0x100;
    let mut ports = SourcePorts::default();
    let mut switches = 0;
    for flow in &reference(case, "hpcc") {
        let src_port = ports.next(flow);
        let words = [
            address(flow.src),
            address(flow.dst),
            u32::from(src_port) | u32::from(DST_PORT) << 16,
        ];
        let mut path = vec![flow.src.0];
        while path[path.len() - 1] != flow.dst.0 {
            let node = path[path.len() - 1];
            let choices = &hops[&(node, flow.dst.0)];
            let choice = murmur3(words, node) as usize % choices.len();
            path.push(choices[choice]);
        }
        let key = FlowKey {
            src: flow.src,
            dst: flow.dst,
            src_port,
            dst_port: DST_PORT,
        };
        let traced: Vec<u32> = simulation
            .routes()
            .trace(&key)
            .iter()
            .map(|n| n.0)
            .collect();
        assert_eq!(traced, path, "{case}: {}", flow.flow);
        switches += path.len() - 2;
    }
    eprintln!("{case}: the same {switches} switches on all paths");
}

#[test]
fn flows_take_the_published_paths_on_64_hosts() {
    assert_paths_agree("mid64", "mid64_next_hops.csv");
}

#[test]
fn flows_take_the_published_paths_on_320_hosts() {
    assert_paths_agree("fat320", "fat320_next_hops.csv");
}
