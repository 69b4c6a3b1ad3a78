//! The headers of all networks, and the slots that the packets of each network have.

use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_core::packet::{Header, Stamps};
use fabricsim_hpcc::{ExactStack, HasInt, IntHeader, PublishedStack};
use fabricsim_pint::query::{HasProbe, Probe};
use fabricsim_pint::{Digest, HasDigest};
use fabricsim_transport::tcp::{HasSegment, HasTcp, TcpHeader};

/// The parts of a packet's header that the observers of nodes read.
pub(crate) trait Observed: HasInt + HasDigest + HasProbe + HasSegment {}

impl<H: HasInt + HasDigest + HasProbe + HasSegment> Observed for H {}

/// The types of the slots of a header. A slot that a network does not use is `()` and takes no
/// bytes.
pub(crate) trait Layout:
    Copy + Default + std::fmt::Debug + Send + Stored + Sync + 'static
{
    /// The order of events.
    type Order: Header;
    /// In-band network telemetry.
    type Int: IntHeader;
    /// The digest of an algorithm.
    type Digest: HasDigest;
    /// The digests of queries.
    type Query: HasProbe;
    /// Telemetry of an algorithm that has its own format.
    type Tag: Header;
    /// The header of TCP. RDMA packets store their amount of credit there.
    type Tcp: HasSegment;
}

/// A header with the slots of `L`.
#[derive(Clone, Copy, Debug, Default, Stored)]
pub(crate) struct Slots<L: Layout> {
    order: L::Order,
    int: L::Int,
    digest: L::Digest,
    query: L::Query,
    tag: L::Tag,
    tcp: L::Tcp,
}

/// The slot of telemetry in a format that only its algorithm and its switch telemetry know.
#[derive(Clone, Copy, Debug, Default, Stored)]
#[checkpoint(absolute)]
pub(crate) struct Tag(u64);

impl Header for Tag {
    #[inline]
    fn tag(&self) -> u64 {
        self.0
    }

    #[inline]
    fn set_tag(&mut self, tag: u64) {
        self.0 = tag;
    }
}

/// The type of a slot: `()` unless the layout names another type.
macro_rules! slot {
    () => {
        ()
    };
    ($content:ty) => {
        $content
    };
}

/// Defines a layout type for each list of slots.
macro_rules! layouts {
    ($(
        $(#[$doc:meta])*
        $name:ident {
            $(order: $order:ty,)? $(int: $int:ty,)? $(digest: $digest:ty,)? $(query: $query:ty,)?
            $(tag: $tag:ty,)? $(tcp: $tcp:ty,)?
        }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, Stored)]
                pub(crate) struct $name;

        impl Layout for $name {
            type Order = slot!($($order)?);
            type Int = slot!($($int)?);
            type Digest = slot!($($digest)?);
            type Query = slot!($($query)?);
            type Tag = slot!($($tag)?);
            type Tcp = slot!($($tcp)?);
        }
    )*};
}

layouts! {
    /// No slots: algorithms read no telemetry.
    Plain {}
    /// INT for paths of up to 5 switches.
    Int { int: ExactStack<5>, }
    /// The digest of PINT.
    Pint { digest: Digest, }
    /// The published INT header and a digest. Simultaneous events occur in insertion order.
    Inserted { order: Stamps, int: PublishedStack, digest: Digest, }
    /// The header of TCP.
    Tcp { tcp: TcpHeader, }
    /// The header of TCP, INT and a digest.
    TcpAndInt { int: ExactStack<5>, digest: Digest, tcp: TcpHeader, }
    /// Every slot.
    Full { int: ExactStack<10>, digest: Digest, query: Probe, tag: Tag, tcp: TcpHeader, }
    /// Every slot, and INT for paths of up to 128 switches.
    FullLong { int: ExactStack<128>, digest: Digest, query: Probe, tag: Tag, tcp: TcpHeader, }
}

impl<L: Layout> Header for Slots<L> {
    const PARTIAL: bool = L::Int::PARTIAL;

    #[inline]
    fn is_probed(&self) -> bool {
        self.tcp.is_probed()
    }

    const CREDIT: bool = L::Tcp::CREDIT;

    #[inline]
    fn credit(&self) -> u64 {
        self.tcp.credit()
    }

    #[inline]
    fn set_credit(&mut self, number: u64) {
        self.tcp.set_credit(number);
    }

    const STAMPED: bool = L::Order::STAMPED;

    #[inline]
    fn stamps(&self) -> Stamps {
        self.order.stamps()
    }

    #[inline]
    fn set_stamps(&mut self, stamps: Stamps) {
        self.order.set_stamps(stamps);
    }

    #[inline]
    fn tag(&self) -> u64 {
        self.tag.tag()
    }

    #[inline]
    fn set_tag(&mut self, tag: u64) {
        self.tag.set_tag(tag);
    }

    #[inline]
    fn pack(&self, out: &mut Writer) {
        self.order.pack(out);
        self.int.pack(out);
        self.digest.pack(out);
        self.query.pack(out);
        self.tag.pack(out);
        self.tcp.pack(out);
    }

    #[inline]
    fn unpack(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        Ok(Self {
            order: Header::unpack(input)?,
            int: Header::unpack(input)?,
            digest: Header::unpack(input)?,
            query: Header::unpack(input)?,
            tag: Header::unpack(input)?,
            tcp: Header::unpack(input)?,
        })
    }

    #[inline]
    fn assign(&mut self, other: &Self) {
        if Self::PARTIAL {
            let Self {
                order,
                int,
                digest,
                query,
                tag,
                tcp,
            } = other;
            self.order = *order;
            self.digest = *digest;
            self.query = *query;
            self.tag = *tag;
            self.tcp = *tcp;
            self.int.assign(int);
        } else {
            *self = *other;
        }
    }
}

impl<L: Layout> HasInt for Slots<L> {
    type Int = L::Int;

    #[inline]
    fn int(&self) -> &L::Int {
        &self.int
    }

    #[inline]
    fn int_mut(&mut self) -> &mut L::Int {
        &mut self.int
    }
}

impl<L: Layout> HasDigest for Slots<L> {
    #[inline]
    fn digest(&self) -> Option<u16> {
        self.digest.digest()
    }

    #[inline]
    fn carry_digest(&mut self) {
        self.digest.carry_digest();
    }

    #[inline]
    fn raise_digest(&mut self, code: u16) {
        self.digest.raise_digest(code);
    }
}

impl<L: Layout> HasProbe for Slots<L> {
    const PROBED: bool = L::Query::PROBED;

    #[inline]
    fn probe(&self) -> Option<&Probe> {
        self.query.probe()
    }

    #[inline]
    fn probe_mut(&mut self) -> Option<&mut Probe> {
        self.query.probe_mut()
    }
}

impl<L: Layout> HasSegment for Slots<L> {
    fn segment(&self) -> Option<&TcpHeader> {
        self.tcp.segment()
    }
}

impl<L: Layout<Tcp = TcpHeader>> HasTcp for Slots<L> {
    #[inline]
    fn tcp(&self) -> &TcpHeader {
        &self.tcp
    }

    #[inline]
    fn tcp_mut(&mut self) -> &mut TcpHeader {
        &mut self.tcp
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_core::packet::Packet;

    use super::*;

    /// Returns the size of a packet with the slots of `L` in memory, in bytes.
    const fn bytes<L: Layout>() -> usize {
        size_of::<Packet<Slots<L>>>()
    }

    #[test]
    fn packets_are_as_small_as_their_slots_allow() {
        assert_eq!(bytes::<Plain>(), 48);
        assert_eq!(bytes::<Pint>(), 56);
        assert_eq!(bytes::<Int>(), 112);
        assert_eq!(bytes::<Inserted>(), 104);
        assert_eq!(bytes::<Tcp>(), 72);
        assert_eq!(bytes::<TcpAndInt>(), 144);
        assert_eq!(bytes::<Full>(), 232);
        assert_eq!(bytes::<FullLong>(), 1_648);
    }

    #[test]
    fn each_slot_is_copied_as_it_asks() {
        let mut other = Slots::<FullLong>::default();
        other.set_tag(7);
        other.carry_digest();
        other.set_credit(9);
        let mut header = Slots::<FullLong>::default();
        header.assign(&other);
        assert_eq!(
            (header.tag(), header.digest(), header.credit()),
            (7, Some(0), 9)
        );
        assert_eq!(Slots::<Plain>::default().tag(), 0);
    }
}
