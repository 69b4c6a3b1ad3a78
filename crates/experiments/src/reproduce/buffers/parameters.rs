//! Parameters that the paper leaves open: the value here, its reason, and the effect of other
//! values.

use serde::Serialize;

use super::run::RunFigures;
use super::scoring::{facts, slowdowns};
use super::{
    DCQCN, FLOODING, KEPT, NEWRENO, OWN_FLOWS, PAYLOAD, RDMA_HPCC, SCHEMES, SHARED, STORAGE,
    TCP_HPCC, find,
};

/// A parameter that the paper leaves open.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParameterRow {
    /// Name of the parameter.
    pub parameter: &'static str,
    /// The value here.
    pub value: &'static str,
    /// Source of the value, or the reason for it.
    pub reason: &'static str,
    /// Other values that were run; empty if there are none.
    pub tried: &'static str,
    /// Results with the value here and with other values.
    pub effect: Vec<String>,
}

/// An open parameter with the runs that show its effect.
struct Open {
    parameter: &'static str,
    value: &'static str,
    reason: &'static str,
    tried: &'static str,
    /// Experiment and schemes.
    runs: &'static [(&'static str, &'static [&'static str])],
}

/// All open parameters.
const OPEN: &[Open] = &[
    Open {
        parameter: "place of the clients of the flood",
        value: "the pod of the server: all paths cross one switch",
        reason: "not stated; the bottleneck is then the only queue",
        tried: "the other pod",
        runs: &[("other-pod", &SCHEMES)],
    },
    Open {
        parameter: "links between aggregation and core switches",
        value: "each to each, 100 Gbps",
        reason: "not stated; the rate of the links within a pod",
        tried: "",
        runs: &[],
    },
    Open {
        parameter: "delays of links",
        value: "1.2 us at servers, 725 ns between switches",
        reason: "not stated; base RTTs of RDMA of 5.4 us in a rack and 8.5 us in a pod, as in the testbed \
                 of the HPCC paper",
        tried: "",
        runs: &[],
    },
    Open {
        parameter: "pass of a packet through the stack of a host (TCP)",
        value: "2.25 us",
        reason: "the shortest path then has a bandwidth-delay product of 30 MTU, the lower end of the paper's \
                 30 to 50, and the longest one less than 50",
        tried: "2 us, 3 us, 4 us",
        runs: &[(
            FLOODING,
            &[
                "HPCC-TCP+stack2us",
                TCP_HPCC,
                "HPCC-TCP+stack3us",
                "HPCC-TCP+stack4us",
                NEWRENO,
                "NewReno+stack4us",
            ],
        )],
    },
    Open {
        parameter: "buffer of a switch",
        value: "32 MiB",
        reason: "not stated; the switches of the HPCC paper's testbed",
        tried: "2 MiB, 12 MiB",
        runs: &[
            (
                FLOODING,
                &[DCQCN, "DCQCN+12MiB", "DCQCN+2MiB", "HPCC-RDMA+2MiB"],
            ),
            ("other-pod", &["DCQCN+2MiB", "HPCC-RDMA+2MiB"]),
            (STORAGE, &["DCQCN+2MiB"]),
        ],
    },
    Open {
        parameter: "256 KB of one congested queue (TCP)",
        value: "256 KiB, by the share of the free buffer (1/127)",
        reason: "the paper says that buffering is dynamic",
        tried: "a fixed limit",
        runs: &[(FLOODING, &[NEWRENO, "NewReno+static"])],
    },
    Open {
        parameter: "11% of the free buffer (PFC)",
        value: "an eighth of the free buffer, so that one queue settles at 11.1% of the buffer",
        reason: "switches compute it by a shift by three; it has no effect if no pause is sent, as with \
                 32 MiB",
        tried: "",
        runs: &[],
    },
    Open {
        parameter: "n queries \"at a time\"",
        value: "n outstanding at any time",
        reason: "\"continuously\"",
        tried: "batches of n",
        runs: &[("batches", &SCHEMES)],
    },
    Open {
        parameter: "response",
        value: "64 bytes of payload, at once",
        reason: "\"small\"; the cost of the RPC tool is not known",
        tried: "",
        runs: &[],
    },
    Open {
        parameter: "4 KB",
        value: "4000 bytes",
        reason: "as the distribution of the storage system is published",
        tried: "",
        runs: &[],
    },
    Open {
        parameter: "T of HPCC",
        value: "the largest base RTT of the network: 11.6 us (RDMA), 21 us (TCP)",
        reason: "T is not less than any base RTT; the HPCC paper has 9 us for a testbed with at most \
                 8.5 us",
        tried: "9 us (RDMA)",
        runs: &[
            (FLOODING, &[RDMA_HPCC, "HPCC-RDMA+T9us"]),
            (STORAGE, &[RDMA_HPCC, "HPCC-RDMA+T9us"]),
        ],
    },
    Open {
        parameter: "W_AI and maxStage of HPCC",
        value: "80 bytes in each T and 5",
        reason: "the text of the HPCC paper; this paper uses its settings",
        tried: "50 Mbps for each 100 Gbps and 0, as its published code; 50 Mbps and 5",
        runs: &[
            (
                FLOODING,
                &[
                    TCP_HPCC,
                    "HPCC-TCP+stage0",
                    RDMA_HPCC,
                    "HPCC-RDMA+code",
                    "HPCC-RDMA+code-increase",
                ],
            ),
            (STORAGE, &["HPCC-TCP+stage0", "HPCC-RDMA+code"]),
        ],
    },
    Open {
        parameter: "smallest window of HPCC-TCP",
        value: "2 segments",
        reason: "not stated; a window of one waits for the acknowledgement's timer at each segment",
        tried: "1, 3",
        runs: &[(FLOODING, &["HPCC-TCP+floor1", TCP_HPCC, "HPCC-TCP+floor3"])],
    },
    Open {
        parameter: "segments for an acknowledgement (TCP)",
        value: "8",
        reason: "in the paper's range of 5 to 10",
        tried: "1, 10",
        runs: &[
            (FLOODING, &["HPCC-TCP+ack1", TCP_HPCC, "HPCC-TCP+ack10"]),
            (
                "connections-2",
                &["HPCC-TCP+ack1", TCP_HPCC, "HPCC-TCP+ack10"],
            ),
        ],
    },
    Open {
        parameter: "longest wait of an acknowledgement (TCP)",
        value: "4 us",
        reason: "not stated; the end of a batch of received packets",
        tried: "1 us, 100 us",
        runs: &[(
            FLOODING,
            &[
                TCP_HPCC,
                "HPCC-TCP+timer1us",
                "HPCC-TCP+timer100us",
                NEWRENO,
                "NewReno+timer100us",
            ],
        )],
    },
    Open {
        parameter: "pacing of HPCC-TCP",
        value: "off",
        reason: "the paper names it as a mitigation that it does not use",
        tried: "on",
        runs: &[(FLOODING, &[TCP_HPCC, "HPCC-TCP+paced"])],
    },
    Open {
        parameter: "response of HPCC-TCP to a loss",
        value: "the window stays",
        reason: "not stated; telemetry reports the queue",
        tried: "the window is halved",
        runs: &[(FLOODING, &[TCP_HPCC, "HPCC-TCP+halve"])],
    },
    Open {
        parameter: "parameters of DCQCN",
        value: "NIC vendors' values: timers of 1, 4 and 300 us, marks from 100 to 400 KB",
        reason: "the HPCC paper; this paper uses its settings",
        tried: "values of the DCQCN paper",
        runs: &[
            (FLOODING, &[DCQCN, "DCQCN+paper"]),
            (STORAGE, &[DCQCN, "DCQCN+paper"]),
        ],
    },
    Open {
        parameter: "load of the storage benchmark",
        value: "80% of the rate of each link to and from servers, including all bytes on it",
        reason: "\"average link loads\" of 80%: headers, telemetry, acknowledgements and responses use a \
                 part, and queries the rest",
        tried: "payload of queries alone at 80%, as the HPCC results page counts: 86% of a link under TCP, \
                89% under DCQCN and 95% under HPCC, which is its target",
        runs: &[(STORAGE, &SCHEMES), (PAYLOAD, &SCHEMES)],
    },
    Open {
        parameter: "connections of the storage benchmark over RDMA",
        value: "each query is a separate flow",
        reason: "bursts stem from \"newly-instantiated flows\", which start at the line rate",
        tried: "persistent queue pairs, a free one for each query; 8 between two NICs, on which queries \
                wait for one another",
        runs: &[(KEPT, &[DCQCN, RDMA_HPCC]), (SHARED, &[DCQCN, RDMA_HPCC])],
    },
    Open {
        parameter: "connections of the storage benchmark over TCP",
        value: "persistent connections, a free one for each query",
        reason: "not stated; the queries of a trace do not wait for one another",
        tried: "8 between two NICs, on which queries wait for one another; a connection for each query, \
                already open",
        runs: &[
            (SHARED, &[NEWRENO, TCP_HPCC]),
            (OWN_FLOWS, &["NewReno+open", "HPCC-TCP+open"]),
        ],
    },
    Open {
        parameter: "choice of a NIC in the storage benchmark",
        value: "queries from NIC i go to NIC i, half of them each",
        reason: "every NIC then has 80%",
        tried: "",
        runs: &[],
    },
];

/// Returns all rows, with the effects that the runs show.
pub(super) fn rows(runs: &[RunFigures]) -> Vec<ParameterRow> {
    OPEN.iter()
        .map(|open| {
            let found = open.runs.iter().flat_map(|(experiment, schemes)| {
                let found = schemes.iter().map(|scheme| find(runs, experiment, scheme));
                found.flatten()
            });
            ParameterRow {
                parameter: open.parameter,
                value: open.value,
                reason: open.reason,
                tried: open.tried,
                effect: found.map(effect).collect(),
            }
        })
        .collect()
}

fn effect(run: &RunFigures) -> String {
    let figures = if run.is_storage() {
        format!("{}, {}", slowdowns(run), super::scoring::queues(run))
    } else {
        facts(run)
    };
    format!("{}, {figures}", run.experiment)
}

#[cfg(test)]
mod tests {
    use super::super::super::Preset;
    use super::*;
    use fabricsim_base::units::Duration;

    #[test]
    fn every_run_of_the_table_is_one_of_the_preset() {
        let preset = Preset::named("buffer-sizing").expect("a preset");
        let sweep = preset
            .sweep(Duration::from_ms(1), &[])
            .expect("a good sweep");
        for open in OPEN {
            assert_eq!(
                open.tried.is_empty(),
                open.runs.is_empty(),
                "{}",
                open.parameter
            );
            for (experiment, schemes) in open.runs {
                for scheme in *schemes {
                    let known = sweep.points().iter().any(|point| {
                        let name = point.values()[0].split('.').next();
                        name == Some(*experiment) && point.values()[1] == *scheme
                    });
                    assert!(known, "{experiment}, {scheme}");
                }
            }
        }
    }
}
