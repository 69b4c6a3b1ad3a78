//! Completion time of a flow on an idle network.

use fabricsim_base::flow::PathInfo;
use fabricsim_base::units::{Bytes, Duration};

/// Header bytes per packet in the ideal: 14 PPP, 20 IP, 8 UDP, 6 sequence number. They exclude
/// telemetry so that its cost shows as slowdown.
pub const HEADER_BYTES: Bytes = Bytes::new(48);

/// Computes the ideal flow completion time: the base round trip plus the transmission of all
/// payload and headers at the bottleneck, rounded up to a picosecond.
///
/// `mtu_payload` is the payload of a full packet (at least one byte is assumed). `header` is the
/// number of bytes that every packet adds, usually [`HEADER_BYTES`]. The last column of the HPCC
/// simulator's results is this value before truncation. The base round trip already contains one
/// packet per hop, so short flows take less than the ideal on an idle network.
#[must_use]
pub fn ideal_fct(path: &PathInfo, size: Bytes, mtu_payload: Bytes, header: Bytes) -> Duration {
    let on_wire = wire_bytes(size, mtu_payload, header);
    let total = path
        .base_rtt
        .as_ps()
        .saturating_add(path.bottleneck.transmission(on_wire).as_ps());
    Duration::from_ps(total)
}

/// Computes [`ideal_fct`] like the HPCC simulator, which truncates the round trip and the
/// transmission to whole nanoseconds before adding them.
#[must_use]
pub fn ideal_fct_truncated(
    path: &PathInfo,
    size: Bytes,
    mtu_payload: Bytes,
    header: Bytes,
) -> Duration {
    let bits = u128::from(wire_bytes(size, mtu_payload, header).get()) * 8;
    let transmission = bits * 1_000_000_000 / u128::from(path.bottleneck.as_bps());
    let total = u128::from(path.base_rtt.as_ns()) + transmission;
    u64::try_from(total * 1_000).map_or(Duration::MAX, Duration::from_ps)
}

/// Returns the payload and headers of `size` bytes, saturating.
fn wire_bytes(size: Bytes, mtu_payload: Bytes, header: Bytes) -> Bytes {
    let packets = size.get().div_ceil(mtu_payload.get().max(1));
    Bytes::new(
        size.get()
            .saturating_add(packets.saturating_mul(header.get())),
    )
}

#[cfg(test)]
mod tests {
    use fabricsim_base::units::Rate;

    use super::*;

    const MTU: Bytes = Bytes::new(1_000);

    fn path(base_rtt_ns: u64, gbps: u64) -> PathInfo {
        PathInfo {
            base_rtt: Duration::from_ns(base_rtt_ns),
            bottleneck: Rate::from_gbps(gbps),
            switches: 5,
        }
    }

    #[test]
    fn agrees_with_the_published_simulator() {
        // (base round trip, size, ideal) of flows in that simulator's result files.
        for (rtt, size, ideal) in [
            (12_240, 77_908, 18_772),
            (12_240, 51_028, 16_521),
            (8_200, 15_913, 9_534),
        ] {
            let path = path(rtt, 100);
            let size = Bytes::new(size);
            assert_eq!(
                ideal_fct_truncated(&path, size, MTU, HEADER_BYTES),
                Duration::from_ns(ideal)
            );
            let exact = ideal_fct(&path, size, MTU, HEADER_BYTES);
            assert!(exact >= Duration::from_ns(ideal) && exact < Duration::from_ns(ideal + 1));
        }
    }

    #[test]
    fn exact_to_the_picosecond() {
        let ideal = ideal_fct(&path(4_000, 100), Bytes::new(1_001), MTU, HEADER_BYTES);
        assert_eq!(ideal, Duration::from_ps(4_000_000 + (1_001 + 96) * 80));
    }

    #[test]
    fn huge_flows_saturate() {
        let huge = Bytes::new(u64::MAX);
        assert_eq!(
            ideal_fct(&path(1, 1), huge, Bytes::ZERO, HEADER_BYTES),
            Duration::MAX
        );
        assert_eq!(
            ideal_fct_truncated(&path(1, 1), huge, MTU, HEADER_BYTES),
            Duration::MAX
        );
    }
}
