//! The headers of packets that carry a digest.

use fabricsim_core::packet::{Causes, Header};
use fabricsim_core::plugin::{Hop, IntHop};
use fabricsim_core::units::{Bytes, Time};
use fabricsim_hpcc::{ExactStack, IntHeader, IntScale, PortLabel, PublishedStack};

use crate::query::{Probe, ProbeRoom};

/// A header with room for a digest, or one without where the methods do nothing.
pub trait PintHeader: Header {
    /// The digest, if the packet carries one.
    #[inline]
    fn digest(&self) -> Option<u16> {
        None
    }

    /// From now on the packet carries a digest, of code 0.
    #[inline]
    fn carry(&mut self) {}

    /// Raises the digest to `code` where that is larger (PINT, section 4.3, example 3: the bottleneck
    /// is the maximum). A packet that carries none stays without.
    #[inline]
    fn raise(&mut self, _code: u16) {}

    /// Whether packets serve queries.
    const QUERIES: bool = false;

    /// What the packet carries for queries, where it serves some.
    #[inline]
    fn probe(&self) -> Option<&Probe> {
        None
    }

    /// The same, to change.
    #[inline]
    fn probe_mut(&mut self) -> Option<&mut Probe> {
        None
    }
}

impl PintHeader for () {}

impl<const N: usize> PintHeader for ExactStack<N> {}

impl PintHeader for PublishedStack {}

/// A digest beside the telemetry `S`, for networks in which some algorithms read the one and some the
/// other; and where `Q` is a [`Probe`], the digests of queries.
#[derive(Clone, Copy, Debug, Default)]
pub struct WithDigest<S, Q = ()> {
    int: S,
    digest: Option<u16>,
    queries: Q,
}

/// A digest and nothing else.
pub type PintDigest = WithDigest<()>;

/// A digest of the algorithm beside those of queries.
pub type QueryDigest = WithDigest<(), Probe>;

/// A digest in the published simulator's order of events.
pub type PublishedDigest = WithDigest<CausesOnly>;

impl<S: IntHeader, Q: ProbeRoom> Header for WithDigest<S, Q> {
    const CAUSAL: bool = S::CAUSAL;
    const PARTIAL: bool = S::PARTIAL;

    #[inline]
    fn assign(&mut self, other: &Self) {
        if Self::PARTIAL {
            self.digest = other.digest;
            self.queries = other.queries;
            self.int.assign(&other.int);
        } else {
            *self = *other;
        }
    }

    #[inline]
    fn causes(&self) -> Causes {
        self.int.causes()
    }

    #[inline]
    fn touch(&self) -> u64 {
        self.int.touch()
    }

    #[inline]
    fn set_causes(&mut self, causes: Causes) {
        self.int.set_causes(causes);
    }
}

impl<S: IntHeader, Q: ProbeRoom> PintHeader for WithDigest<S, Q> {
    #[inline]
    fn digest(&self) -> Option<u16> {
        self.digest
    }

    #[inline]
    fn carry(&mut self) {
        self.digest = Some(0);
    }

    #[inline]
    fn raise(&mut self, code: u16) {
        if let Some(digest) = &mut self.digest {
            *digest = code.max(*digest);
        }
    }

    const QUERIES: bool = Q::PRESENT;

    #[inline]
    fn probe(&self) -> Option<&Probe> {
        self.queries.probe()
    }

    #[inline]
    fn probe_mut(&mut self) -> Option<&mut Probe> {
        self.queries.probe_mut()
    }
}

impl<S: IntHeader, Q: ProbeRoom> IntHeader for WithDigest<S, Q> {
    const CAPACITY: usize = S::CAPACITY;

    #[inline]
    fn push(&mut self, hop: &Hop, label: PortLabel, scale: &IntScale) {
        self.int.push(hop, label, scale);
    }

    #[inline]
    fn hops(&self) -> usize {
        self.int.hops()
    }

    #[inline]
    fn same_path(&self, earlier: &Self) -> bool {
        self.int.same_path(&earlier.int)
    }

    #[inline]
    fn interval_ns(&self, index: usize, earlier: &Self) -> f64 {
        self.int.interval_ns(index, &earlier.int)
    }

    #[inline]
    fn sent_since(&self, index: usize, earlier: &Self, scale: &IntScale) -> u64 {
        self.int.sent_since(index, &earlier.int, scale)
    }

    #[inline]
    fn queue(&self, index: usize, scale: &IntScale) -> Bytes {
        self.int.queue(index, scale)
    }

    #[inline]
    fn rate_code(&self, index: usize) -> u8 {
        self.int.rate_code(index)
    }

    #[inline]
    fn copy_hops(&mut self, other: &Self, wanted: impl Fn(usize) -> bool) {
        self.int.copy_hops(&other.int, wanted);
    }

    fn path(&self) -> u32 {
        self.int.path()
    }

    fn hop(&self, index: usize, now: Time, scale: &IntScale) -> Option<IntHop> {
        self.int.hop(index, now, scale)
    }
}

/// No telemetry: only what orders events as the published simulator does.
#[derive(Clone, Copy, Debug, Default)]
pub struct CausesOnly {
    causes: Causes,
}

impl Header for CausesOnly {
    const CAUSAL: bool = true;

    #[inline]
    fn causes(&self) -> Causes {
        self.causes
    }

    #[inline]
    fn set_causes(&mut self, causes: Causes) {
        self.causes = causes;
    }
}

impl PintHeader for CausesOnly {}

impl IntHeader for CausesOnly {
    const CAPACITY: usize = 0;

    fn push(&mut self, _hop: &Hop, _label: PortLabel, _scale: &IntScale) {}

    fn hops(&self) -> usize {
        0
    }

    fn same_path(&self, _earlier: &Self) -> bool {
        true
    }

    fn interval_ns(&self, _index: usize, _earlier: &Self) -> f64 {
        0.0
    }

    fn sent_since(&self, _index: usize, _earlier: &Self, _scale: &IntScale) -> u64 {
        0
    }

    fn queue(&self, _index: usize, _scale: &IntScale) -> Bytes {
        Bytes::ZERO
    }

    fn rate_code(&self, _index: usize) -> u8 {
        0
    }

    fn copy_hops(&mut self, _other: &Self, _wanted: impl Fn(usize) -> bool) {}
}

#[cfg(test)]
mod tests {
    use fabricsim_core::id::{NodeId, PortId};
    use fabricsim_core::packet::Packet;
    use fabricsim_core::units::{Rate, Time};

    use super::*;

    #[test]
    fn a_digest_costs_a_packet_eight_bytes() {
        assert_eq!(size_of::<PintDigest>(), 4);
        assert_eq!(size_of::<Packet<QueryDigest>>(), 80);
        assert_eq!(size_of::<Packet<PintDigest>>(), 56);
        assert_eq!(size_of::<Packet<PublishedDigest>>(), 64);
        let stack = size_of::<Packet<ExactStack<5>>>();
        assert_eq!(size_of::<Packet<WithDigest<ExactStack<5>>>>(), stack + 8);
    }

    #[test]
    fn a_digest_keeps_the_largest_code() {
        let mut header = PintDigest::default();
        header.raise(7);
        assert_eq!(header.digest(), None, "it carries none");
        header.carry();
        assert_eq!(header.digest(), Some(0));
        for (code, largest) in [(3, 3), (9, 9), (5, 9)] {
            header.raise(code);
            assert_eq!(header.digest(), Some(largest));
        }
    }

    #[test]
    fn headers_without_room_take_no_digest() {
        fn refuses<H: PintHeader>() {
            let mut header = H::default();
            header.carry();
            header.raise(7);
            assert_eq!(header.digest(), None);
        }
        refuses::<()>();
        refuses::<CausesOnly>();
        refuses::<ExactStack<5>>();
        refuses::<PublishedStack>();
    }

    #[test]
    fn the_published_order_of_events_is_kept() {
        const { assert!(PublishedDigest::CAUSAL && WithDigest::<PublishedStack>::CAUSAL) };
        const { assert!(!PintDigest::CAUSAL && !WithDigest::<ExactStack<5>>::CAUSAL) };
        let causes = Causes { set: 7, before: 3 };
        let mut header = PublishedDigest::default();
        header.set_causes(causes);
        assert_eq!(header.causes(), causes);
        let mut header = WithDigest::<PublishedStack>::default();
        header.set_causes(causes);
        assert_eq!(header.causes(), causes);
    }

    #[test]
    fn telemetry_and_digest_keep_out_of_each_others_way() {
        let scale = IntScale::exact(vec![Rate::from_gbps(100)]);
        let hop = |ns, sent, queue| Hop {
            now: Time::from_ns(ns),
            arrived: Time::from_ns(ns),
            ingress: PortId(0),
            port: PortId(0),
            rate: Rate::from_gbps(100),
            queue: Bytes::new(queue),
            sent: Bytes::new(sent),
        };
        let [mut both, mut earlier] = [WithDigest::<ExactStack<5>>::default(); 2];
        let [mut alone, mut earlier_alone] = [ExactStack::<5>::default(); 2];
        both.carry();
        let label = PortLabel::new(NodeId(3), PortId(0), 0);
        earlier.push(&hop(100, 1_000, 0), label, &scale);
        earlier_alone.push(&hop(100, 1_000, 0), label, &scale);
        both.push(&hop(900, 7_000, 320), label, &scale);
        both.raise(12);
        alone.push(&hop(900, 7_000, 320), label, &scale);
        assert_eq!(both.digest(), Some(12));
        assert_eq!(both.hops(), 1);
        assert!(both.same_path(&earlier));
        assert!(!both.same_path(&WithDigest::default()));
        assert_eq!(both.queue(0, &scale), Bytes::new(320));
        assert_eq!(both.sent_since(0, &earlier, &scale), 6_000);
        let difference = both.interval_ns(0, &earlier) - alone.interval_ns(0, &earlier_alone);
        assert!(difference.abs() < f64::EPSILON);
        let mut copy = WithDigest::<ExactStack<5>>::default();
        copy.copy_hops(&both, |index| index == 0);
        assert_eq!(copy.queue(0, &scale), Bytes::new(320));
        assert_eq!(copy.digest(), None);
    }
}
