//! What packets carry in a network of RDMA and TCP.

use fabricsim_core::packet::{Causes, Header};
use fabricsim_core::plugin::{Hop, IntHop};
use fabricsim_core::units::{Bytes, Time};
use fabricsim_hpcc::{IntHeader, IntScale, PortLabel};
use fabricsim_pint::PintHeader;
use fabricsim_transport::tcp::{TcpFields, TcpHeader, WithTcp};

/// The header of TCP beside the telemetry `S`, which algorithms of RDMA read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MixedHeader<S>(WithTcp<S>);

impl<S: Header> Header for MixedHeader<S> {
    const CAUSAL: bool = S::CAUSAL;
    const PARTIAL: bool = S::PARTIAL;

    #[inline]
    fn assign(&mut self, other: &Self) {
        self.0.assign(&other.0);
    }

    #[inline]
    fn causes(&self) -> Causes {
        self.0.causes()
    }

    #[inline]
    fn touch(&self) -> u64 {
        self.0.touch()
    }

    #[inline]
    fn set_causes(&mut self, causes: Causes) {
        self.0.set_causes(causes);
    }
}

impl<S: Header> TcpFields for MixedHeader<S> {
    #[inline]
    fn tcp(&self) -> &TcpHeader {
        &self.0.tcp
    }

    #[inline]
    fn tcp_mut(&mut self) -> &mut TcpHeader {
        &mut self.0.tcp
    }
}

impl<S: IntHeader> IntHeader for MixedHeader<S> {
    const CAPACITY: usize = S::CAPACITY;

    #[inline]
    fn push(&mut self, hop: &Hop, label: PortLabel, scale: &IntScale) {
        self.0.telemetry.push(hop, label, scale);
    }

    #[inline]
    fn hops(&self) -> usize {
        self.0.telemetry.hops()
    }

    #[inline]
    fn same_path(&self, earlier: &Self) -> bool {
        self.0.telemetry.same_path(&earlier.0.telemetry)
    }

    #[inline]
    fn interval_ns(&self, index: usize, earlier: &Self) -> f64 {
        let earlier = &earlier.0.telemetry;
        self.0.telemetry.interval_ns(index, earlier)
    }

    #[inline]
    fn sent_since(&self, index: usize, earlier: &Self, scale: &IntScale) -> u64 {
        let earlier = &earlier.0.telemetry;
        self.0.telemetry.sent_since(index, earlier, scale)
    }

    #[inline]
    fn queue(&self, index: usize, scale: &IntScale) -> Bytes {
        self.0.telemetry.queue(index, scale)
    }

    #[inline]
    fn rate_code(&self, index: usize) -> u8 {
        self.0.telemetry.rate_code(index)
    }

    #[inline]
    fn copy_hops(&mut self, other: &Self, wanted: impl Fn(usize) -> bool) {
        self.0.telemetry.copy_hops(&other.0.telemetry, wanted);
    }

    fn path(&self) -> u32 {
        self.0.telemetry.path()
    }

    fn hop(&self, index: usize, now: Time, scale: &IntScale) -> Option<IntHop> {
        self.0.telemetry.hop(index, now, scale)
    }
}

impl<S: PintHeader> PintHeader for MixedHeader<S> {
    #[inline]
    fn digest(&self) -> Option<u16> {
        self.0.telemetry.digest()
    }

    #[inline]
    fn carry(&mut self) {
        self.0.telemetry.carry();
    }

    #[inline]
    fn raise(&mut self, code: u16) {
        self.0.telemetry.raise(code);
    }
}
