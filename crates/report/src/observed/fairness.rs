//! Fairness between flows, over time.

use fabricsim_base::id::{ClassId, FlowId, NodeId};
use fabricsim_base::input::InputError;
use fabricsim_base::units::Time;
use serde::Serialize;

use crate::table::read_columns;

/// A live flow at an instant: a row of `flows.csv`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowSample {
    /// Time of the sample.
    pub at: Time,
    /// Number of the flow.
    pub flow: FlowId,
    /// The sending host.
    pub src: NodeId,
    /// The receiving host.
    pub dst: NodeId,
    /// Class of the flow.
    pub class: ClassId,
    /// The rate that the congestion control allows the flow, in bit/s; zero in the last row of a
    /// flow that has ended.
    pub rate_bps: f64,
    /// Payload acknowledged in the interval that ends now, in bits per second.
    pub throughput_bps: f64,
}

/// Jain's index at an instant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FairnessPoint {
    /// Time of the sample, in picoseconds.
    pub at_ps: u64,
    /// Number of live flows.
    pub flows: usize,
    /// Jain's index of their throughputs.
    pub index: f64,
}

/// Reads `flows.csv`, in the order of its rows.
///
/// # Errors
/// Fails at the offending word.
pub fn read_flow_samples(text: &str) -> Result<Vec<FlowSample>, InputError> {
    let columns = [
        "time_ns",
        "flow",
        "src",
        "dst",
        "class",
        "rate_bps",
        "throughput_bps",
    ];
    read_columns(
        text,
        "flows.csv",
        columns,
        |[at, flow, src, dst, class, rate, throughput]| {
            Ok(FlowSample {
                at: Time::from_ps(at.nanoseconds("time_ns")?),
                flow: FlowId(flow.integer("flow")?),
                src: NodeId(src.integer("src")?),
                dst: NodeId(dst.integer("dst")?),
                class: ClassId(class.integer("class")?),
                rate_bps: rate.number("rate_bps")?,
                throughput_bps: throughput.number("throughput_bps")?,
            })
        },
    )
}

/// Computes Jain's fairness index, (sum of x)^2 / (n times the sum of x^2): 1 if all are equal, 1/n
/// if one has everything (Jain, Chiu, Hawe, "A quantitative measure of fairness and discrimination
/// for resource allocation in shared computer systems", DEC-TR-301, 1984, equation 2). `None` if
/// there are no values, or if all are zero.
#[must_use]
pub fn jain_index(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().sum();
    let squares: f64 = values.iter().map(|value| value * value).sum();
    (squares > 0.0).then(|| sum * sum / (values.len() as f64 * squares))
}

/// Computes Jain's index of throughput over the flows that are live at each instant of
/// `samples`, which must be in time order. A flow that has ended since the previous sample is not
/// live. Instants without any throughput are omitted. Pass only flows that share a bottleneck:
/// there is no reason for other flows to be equal.
#[must_use]
pub fn fairness_over_time(samples: &[FlowSample]) -> Vec<FairnessPoint> {
    samples
        .chunk_by(|a, b| a.at == b.at)
        .filter_map(|live| {
            let live: Vec<&FlowSample> = live.iter().filter(|one| one.rate_bps > 0.0).collect();
            let rates: Vec<f64> = live.iter().map(|sample| sample.throughput_bps).collect();
            Some(FairnessPoint {
                at_ps: live.first()?.at.as_ps(),
                flows: live.len(),
                index: jain_index(&rates)?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_index_is_one_when_all_are_equal() {
        assert_eq!(jain_index(&[5.0; 7]), Some(1.0));
        assert_eq!(jain_index(&[9.0, 0.0, 0.0, 0.0]), Some(0.25));
        // The paper's example of one user with twice the share of the other: 9/10.
        assert_eq!(jain_index(&[1.0, 2.0]), Some(0.9));
        assert_eq!(jain_index(&[]), None);
        assert_eq!(jain_index(&[0.0, 0.0]), None);
    }

    proptest! {
        #[test]
        fn the_index_lies_between_one_nth_and_one(values in prop::collection::vec(0.001f64..1e9, 1..50)) {
            let index = jain_index(&values).expect("positive values");
            prop_assert!(index >= 1.0 / values.len() as f64 - 1e-12 && index <= 1.0 + 1e-12);
        }
    }

    #[test]
    fn instants_are_told_apart() {
        let text = "\
time_ns,flow,src,dst,class,rate_bps,window_bytes,acknowledged_bytes,throughput_bps
1000,0,0,9,0,50000000000,,1000,40000000000
2000,0,0,9,0,50000000000,,9000,30000000000
2000,1,1,9,0,50000000000,100,9000,10000000000.5
2000,2,1,9,0,0,,9000,1000000000
3000.5,1,1,9,0,50000000000,100,9000,0
";
        let samples = read_flow_samples(text).expect("five rows");
        assert_eq!(samples[2].src, NodeId(1));
        let points = fairness_over_time(&samples);
        let found: Vec<_> = points.iter().map(|p| (p.at_ps, p.flows)).collect();
        assert_eq!(found, [(1_000_000, 1), (2_000_000, 2)]);
        assert!((points[1].index - 0.8).abs() < 1e-9);
    }
}
