//! Selects the packets with a digest that counts.

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Writer};
use fabricsim_base::id::FlowId;
use fabricsim_base::rng::{Purpose, Stream};
use fabricsim_core::plugin::quirks::SamplingDraw;

use crate::hash::GlobalHash;

/// The selection for one flow, if only a fraction of the packets counts. In the paper, a hash of
/// the packet decides if it carries the digest. In the published simulator all packets do, and the
/// sender draws for each ACK.
#[derive(Clone, Debug)]
pub(crate) enum Sampling {
    /// Every packet counts.
    Every,
    /// Switches decide which packets carry digests; every digest that arrives counts.
    BySwitches,
    /// The hash of flow and packet number decides.
    Packets {
        hash: GlobalHash,
        flow: FlowId,
        /// Number of packets sent so far. A retransmission is another packet.
        sent: u64,
        fraction: f64,
    },
    /// A draw for each ACK decides.
    Acks { stream: Stream, fraction: f64 },
}

impl Checkpointed for Sampling {
    fn save(&self, out: &mut Writer) {
        match self {
            Self::Every | Self::BySwitches => {}
            Self::Packets {
                hash: _,
                flow: _,
                sent,
                fraction: _,
            } => sent.save(out),
            Self::Acks {
                stream,
                fraction: _,
            } => stream.save(out),
        }
    }

    fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        match self {
            Self::Every | Self::BySwitches => Ok(()),
            Self::Packets { sent, .. } => sent.load(input),
            Self::Acks { stream, .. } => stream.load(input),
        }
    }
}

impl Sampling {
    /// Returns the selection of `fraction` of the packets of `flow`.
    pub(crate) fn new(fraction: f64, rule: SamplingDraw, seed: u64, flow: FlowId) -> Self {
        if fraction >= 1.0 {
            return Self::Every;
        }
        match rule {
            SamplingDraw::Packets => Self::Packets {
                hash: GlobalHash::new(seed),
                flow,
                sent: 0,
                fraction,
            },
            SamplingDraw::Acks => Self::Acks {
                stream: Stream::new(seed, u64::from(flow.0), Purpose::Sampling),
                fraction: (fraction * 65_536.0).floor() / 65_536.0,
            },
        }
    }

    /// Returns `true` if the next packet to send carries a digest.
    #[inline]
    pub(crate) fn next_packet(&mut self) -> bool {
        match self {
            Self::Packets {
                hash,
                flow,
                sent,
                fraction,
            } => {
                let packet = *sent;
                *sent += 1;
                hash.uniform(u64::from(flow.0), packet) < *fraction
            }
            Self::BySwitches => false,
            Self::Every | Self::Acks { .. } => true,
        }
    }

    /// Returns `true` if the digest of the ACK that arrives now counts.
    #[inline]
    pub(crate) fn next_ack(&mut self) -> bool {
        match self {
            Self::Acks { stream, fraction } => stream.chance(*fraction),
            Self::Every | Self::BySwitches | Self::Packets { .. } => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(mut choice: impl FnMut() -> bool) -> usize {
        (0..64_000).filter(|_| choice()).count()
    }

    #[test]
    fn packets_are_chosen_by_their_hash() {
        let new = |seed, flow| Sampling::new(1.0 / 16.0, SamplingDraw::Packets, seed, FlowId(flow));
        let mut sampling = new(1, 7);
        let count = chosen(|| sampling.next_packet());
        // 4,000 with a standard deviation of 61.
        assert!(count.abs_diff(4_000) < 250, "{count}");
        assert_eq!(chosen(|| sampling.next_ack()), 64_000);
        let first = |mut sampling: Sampling| [(); 200].map(|()| sampling.next_packet());
        assert_eq!(first(new(1, 7)), first(new(1, 7)));
        assert_ne!(first(new(1, 7)), first(new(1, 8)));
        assert_ne!(first(new(1, 7)), first(new(2, 7)));
    }

    #[test]
    fn the_published_sender_chooses_acks() {
        let mut sampling = Sampling::new(1.0 / 16.0, SamplingDraw::Acks, 1, FlowId(7));
        assert_eq!(chosen(|| sampling.next_packet()), 64_000);
        let count = chosen(|| sampling.next_ack());
        assert!(count.abs_diff(4_000) < 250, "{count}");
    }

    #[test]
    fn the_whole_needs_no_choice() {
        for rule in [SamplingDraw::Packets, SamplingDraw::Acks] {
            let sampling = Sampling::new(1.0, rule, 1, FlowId(7));
            assert!(matches!(sampling, Sampling::Every));
        }
    }
}
