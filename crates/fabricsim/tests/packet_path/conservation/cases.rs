//! Random small networks with their traffic and settings.

use std::fmt::Write as _;

use proptest::prelude::*;

/// Packets may be lost nowhere, in switches only, or on links too.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Losses {
    Never,
    InSwitches,
    OnLinks,
}

/// A scenario and the file `topology.txt` that it may refer to.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) scenario: String,
    pub(crate) topology: String,
    pub(crate) losses: Losses,
    pub(crate) threads: usize,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (losses, threads) = (self.losses, self.threads);
        writeln!(f, "losses: {losses:?}, {threads} threads")?;
        writeln!(f, "{}\n# topology.txt\n{}", self.scenario, self.topology)
    }
}

/// The `[topology]` table, its `topology.txt`, its hosts, and `true` if its links lose packets.
#[derive(Clone, Debug)]
struct Net {
    table: String,
    file: String,
    hosts: u32,
    lossy: bool,
}

impl Net {
    fn built(hosts: u32, table: String) -> Self {
        Self {
            table,
            file: String::new(),
            hosts,
            lossy: false,
        }
    }
}

fn rates() -> impl Strategy<Value = u64> {
    prop::sample::select(vec![10u64, 25, 40, 100, 200, 400])
}

/// Delays in nanoseconds.
pub(crate) fn delays() -> impl Strategy<Value = u64> {
    prop_oneof![Just(100u64), 100u64..10_000]
}

fn stars() -> impl Strategy<Value = Net> {
    (2u32..8, rates(), delays()).prop_map(|(hosts, rate, delay)| {
        let table = format!(
            r#"kind = "star"
                hosts = {hosts}
                rate = "{rate}Gbps"
                delay = "{delay}ns""#
        );
        Net::built(hosts, table)
    })
}

fn leaf_spines() -> impl Strategy<Value = Net> {
    let sizes = (2u32..4, 1u32..4, 1u32..4);
    (sizes, (rates(), rates()), (delays(), delays())).prop_map(
        |((leaves, per_leaf, spines), (host_rate, fabric_rate), (link, host))| {
            let table = format!(
                r#"kind = "leaf-spine"
                    leaves = {leaves}
                    hosts_per_leaf = {per_leaf}
                    spines = {spines}
                    host_rate = "{host_rate}Gbps"
                    fabric_rate = "{fabric_rate}Gbps"
                    link_delay = "{link}ns"
                    host_delay = "{host}ns""#
            );
            Net::built(leaves * per_leaf, table)
        },
    )
}

fn dumbbells() -> impl Strategy<Value = Net> {
    (1u32..4, (rates(), rates()), (delays(), delays())).prop_map(
        |(side, (host_rate, bottleneck), (host, middle))| {
            let table = format!(
                r#"kind = "dumbbell"
                    hosts_per_side = {side}
                    host_rate = "{host_rate}Gbps"
                    bottleneck_rate = "{bottleneck}Gbps"
                    host_delay = "{host}ns"
                    bottleneck_delay = "{middle}ns""#
            );
            Net::built(2 * side, table)
        },
    )
}

fn chains() -> impl Strategy<Value = Net> {
    (2u32..9, 1u32..3, rates(), delays()).prop_map(|(switches, hosts, rate, delay)| {
        let table = format!(
            r#"kind = "chain"
                switches = {switches}
                hosts_per_switch = {hosts}
                rate = "{rate}Gbps"
                delay = "{delay}ns""#
        );
        Net::built(switches * hosts, table)
    })
}

/// Hosts around a switch, each with a different link.
fn uneven_stars(losses: BoxedStrategy<f64>) -> impl Strategy<Value = Net> {
    let links = prop::collection::vec((rates(), delays(), losses), 2..8);
    links.prop_map(|links| {
        let hosts = u32::try_from(links.len()).unwrap();
        let mut file = format!("{} 1 {hosts}\n{hosts}\n", hosts + 1);
        for (host, (rate, delay, loss)) in links.iter().enumerate() {
            writeln!(file, "{host} {hosts} {rate}Gbps {delay}ns {loss:.6}").unwrap();
        }
        Net {
            table: r#"kind = "file"
                path = "topology.txt""#
                .to_owned(),
            file,
            hosts,
            lossy: links.iter().any(|(.., loss)| *loss > 0.0),
        }
    })
}

fn networks() -> impl Strategy<Value = Net> {
    prop_oneof![
        stars(),
        leaf_spines(),
        dumbbells(),
        chains(),
        uneven_stars(Just(0.0).boxed()),
        uneven_stars((0.0..0.01f64).boxed()),
    ]
}

fn sizes() -> impl Strategy<Value = u64> {
    prop_oneof![1u64..3_000, 1u64..60_000]
}

/// A `[[workload]]` table for `hosts` hosts.
fn workloads(hosts: u32) -> impl Strategy<Value = String> {
    let start = || 0u64..50_000;
    prop_oneof![
        (1..hosts, sizes(), start()).prop_map(|(fan_in, size, at)| format!(
            r#"kind = "incast"
                fan_in = {fan_in}
                size = "{size}B"
                at = "{at}ns""#
        )),
        (sizes(), 1u32..3, start()).prop_map(|(size, count, gap)| format!(
            r#"kind = "permutation"
                size = "{size}B"
                count = {count}
                gap = "{gap}ns""#
        )),
        (1u64..10_000, start()).prop_map(|(size, stagger)| format!(
            r#"kind = "all-to-all"
                size = "{size}B"
                stagger = "{stagger}ns""#
        )),
        (1_000u64..60_000, 1u32..9, start()).prop_map(|(size, tenths, start)| format!(
            r#"kind = "poisson"
                sizes = "{size}B"
                load = 0.{tenths}
                start = "{start}ns"
                duration = "20us""#
        )),
    ]
}

fn algorithms() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        r#"kind = "hpcc""#,
        r#"kind = "hpcc"
            form = "window"
            reaction = "per-rtt""#,
        r#"kind = "none""#,
        r#"kind = "none"
            window_bdp = 0.0"#,
    ])
}

/// The `[switch]` table. With PFC it has room for all headroom, and thresholds down to almost zero.
/// Without PFC it has buffers down to a few packets.
fn switches() -> impl Strategy<Value = (bool, String)> {
    prop_oneof![
        (9u32..32, 0i32..13).prop_map(|(mebibytes, shift)| {
            let alpha = 0.5f64.powi(shift);
            let table = format!(
                r#"pfc = true
                buffer = "{mebibytes}MiB"
                alpha = {alpha:?}"#
            );
            (true, table)
        }),
        (40u32..2_000).prop_map(|kibibytes| {
            let table = format!(
                r#"pfc = false
                buffer = "{kibibytes}KiB""#
            );
            (false, table)
        }),
    ]
}

fn recoveries() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["go-back-n", "selective"])
}

pub(crate) fn cases() -> impl Strategy<Value = Case> {
    networks()
        .prop_flat_map(|net| {
            let workloads = prop::collection::vec(workloads(net.hosts), 1..3);
            (
                Just(net),
                workloads,
                algorithms(),
                (switches(), recoveries()),
                0u32..1_000,
                1usize..4,
            )
        })
        .prop_map(|(net, workloads, cc, (switch, recovery), seed, threads)| {
            let (pfc, switch) = switch;
            let losses = match (net.lossy, pfc) {
                (true, _) => Losses::OnLinks,
                (false, false) => Losses::InSwitches,
                (false, true) => Losses::Never,
            };
            // Without losses no sender may time out, however long a pause lasts.
            let rto_min = match losses {
                Losses::Never => "500ms",
                Losses::InSwitches | Losses::OnLinks => "200us",
            };
            let mut scenario = format!(
                r#"seed = {seed}
                    [topology]
                    {}
                    [switch]
                    {switch}
                    [cc]
                    {cc}
                    [rdma]
                    rto_min = "{rto_min}"
                    recovery = "{recovery}"
                "#,
                net.table
            );
            for workload in workloads {
                writeln!(scenario, "[[workload]]\n{workload}").unwrap();
            }
            Case {
                scenario,
                topology: net.file,
                losses,
                threads,
            }
        })
}
