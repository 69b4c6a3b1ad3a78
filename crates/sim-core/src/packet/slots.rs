//! Headers put together of slots.

use super::header::Header;
use super::stamps::{HasOrder, OrderSlot};
use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};

/// A header of named slots, each of which is `()` and takes no bytes where a network has no use for
/// it.
///
/// A slot is reached by one projection, a trait with an associated type: [`HasOrder`] here, the
/// others in the crates that know what stands in them. What reads or writes a slot asks for its
/// projection and for nothing else.
#[derive(Clone, Copy, Debug, Default, Stored)]
pub struct Slots<Order = (), Int = (), Digest = (), Query = (), Tcp = ()> {
    /// The order of events ([`HasOrder`]).
    pub order: Order,
    /// In-band network telemetry.
    pub int: Int,
    /// The digest of an algorithm.
    pub digest: Digest,
    /// The digests of queries.
    pub query: Query,
    /// The header of TCP, where packets of RDMA have their number of credit.
    pub tcp: Tcp,
}

impl<O, I, D, Q, T> Header for Slots<O, I, D, Q, T>
where
    O: Header,
    I: Header,
    D: Header,
    Q: Header,
    T: Header,
{
    const PARTIAL: bool = O::PARTIAL || I::PARTIAL || D::PARTIAL || Q::PARTIAL || T::PARTIAL;

    #[inline]
    fn is_probed(&self) -> bool {
        self.tcp.is_probed()
    }

    const CREDIT: bool = T::CREDIT;

    #[inline]
    fn credit(&self) -> u64 {
        self.tcp.credit()
    }

    #[inline]
    fn set_credit(&mut self, number: u64) {
        self.tcp.set_credit(number);
    }

    #[inline]
    fn pack(&self, out: &mut Writer) {
        self.order.pack(out);
        self.int.pack(out);
        self.digest.pack(out);
        self.query.pack(out);
        self.tcp.pack(out);
    }

    #[inline]
    fn unpack(input: &mut Reader<'_>) -> Result<Self, LoadError> {
        Ok(Self {
            order: O::unpack(input)?,
            int: I::unpack(input)?,
            digest: D::unpack(input)?,
            query: Q::unpack(input)?,
            tcp: T::unpack(input)?,
        })
    }

    #[inline]
    fn assign(&mut self, other: &Self) {
        if Self::PARTIAL {
            self.order.assign(&other.order);
            self.digest.assign(&other.digest);
            self.query.assign(&other.query);
            self.tcp.assign(&other.tcp);
            self.int.assign(&other.int);
        } else {
            *self = *other;
        }
    }
}

impl<O, I, D, Q, T> HasOrder for Slots<O, I, D, Q, T>
where
    Self: Header,
    O: OrderSlot,
{
    type Order = O;

    #[inline]
    fn order(&self) -> &O {
        &self.order
    }

    #[inline]
    fn order_mut(&mut self) -> &mut O {
        &mut self.order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Packet, Stamps};

    #[test]
    fn empty_slots_take_no_bytes() {
        assert_eq!(size_of::<Packet<Slots>>(), 48);
        assert_eq!(size_of::<Packet<Slots<Stamps>>>(), 56);
    }

    #[derive(Clone, Copy, Debug, Default, Stored)]
    struct Partly(u32, u32);

    impl Header for Partly {
        const PARTIAL: bool = true;

        fn assign(&mut self, other: &Self) {
            self.0 = other.0;
        }
    }

    #[test]
    fn each_slot_is_copied_as_it_asks() {
        let stamps = Stamps { set: 7, before: 3 };
        let other = Slots {
            order: stamps,
            int: Partly(1, 2),
            ..Slots::<Stamps, Partly>::default()
        };
        let mut header = Slots::<Stamps, Partly>::default();
        header.assign(&other);
        assert_eq!(header.order().stamps(), stamps);
        assert_eq!((header.int.0, header.int.1), (1, 0));
        assert_eq!(Slots::<()>::default().order().stamps(), Stamps::default());
    }
}
