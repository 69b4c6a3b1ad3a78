//! The messages that ranks exchange from epoch to epoch.

use super::batch::Batch;
use super::mailboxes::{ChannelBatch, Mailboxes, Neighbor};
use super::message::Message;
use super::position::Position;
use super::spare::Spare;
use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_base::ranks::{ALIKE, Ranks, Shares, gather};
use fabricsim_base::units::Time;

/// State of the engine in a run over several ranks.
///
/// Ranks run the same epochs. At the end of each, a rank sends to every other rank the messages for
/// its processes, the earliest next event of its own processes, and the report of its driver.
#[derive(Debug)]
pub(super) struct Exchange<M> {
    pub(super) shares: Shares,
    /// The far end of each channel to another rank: its process, and its channel there.
    far_ends: Vec<(u32, u32)>,
    /// Packed messages for each rank.
    packed: Vec<Vec<u8>>,
    batches: Vec<ChannelBatch<M>>,
    spare: Spare<M>,
    /// Sums over all ranks, at the end of the last epoch.
    pub(super) totals: Totals,
}

/// Progress that ranks share at the end of an epoch.
#[derive(Clone, Copy, Debug, Stored)]
#[checkpoint(plain)]
pub(super) struct Totals {
    /// Time of the earliest next event.
    pub(super) next: Time,
    /// Number of process runs.
    pub(super) steps: u64,
    /// Number of messages that processes have received.
    pub(super) messages: u64,
    /// `true` if the run was interrupted.
    pub(super) is_broken: bool,
    /// `true` if some process has results.
    pub(super) has_results: bool,
}

impl Totals {
    /// Adds the totals of another rank.
    fn add(&mut self, other: &Self) {
        self.next = self.next.min(other.next);
        self.steps += other.steps;
        self.messages += other.messages;
        self.is_broken |= other.is_broken;
        self.has_results |= other.has_results;
    }
}

impl<M: Message> Exchange<M> {
    pub(super) fn new(shares: Shares) -> Self {
        let count = shares.ranks.count();
        Self {
            shares,
            far_ends: Vec::new(),
            packed: (0..count).map(|_| Vec::new()).collect(),
            batches: Vec::new(),
            spare: Spare::new(None),
            totals: Totals {
                next: Time::MAX,
                steps: 0,
                messages: 0,
                is_broken: false,
                has_results: false,
            },
        }
    }

    /// Returns the address of `channel` of `process`, which is on another rank.
    pub(super) fn neighbor(
        &mut self,
        mailboxes: &Mailboxes<M>,
        process: u32,
        channel: u32,
    ) -> Neighbor {
        let number = u32::try_from(self.far_ends.len()).expect("channels are numbered by u32");
        self.far_ends.push((process, channel));
        mailboxes.neighbor_at(self.shares.owners[process as usize], number)
    }

    /// Packs the messages for other ranks in the half with `parity`.
    fn pack(&mut self, mailboxes: &Mailboxes<M>, parity: usize) {
        for (rank, packed) in self.packed.iter_mut().enumerate() {
            let mut out = Writer::reusing(std::mem::take(packed));
            mailboxes.exchange(mailboxes.of_rank(rank), parity, &mut self.batches);
            for batch in self.batches.drain(..) {
                let (process, channel) = self.far_ends[batch.channel as usize];
                process.store(&mut out);
                channel.store(&mut out);
                out.number(batch.messages.len());
                for message in &*batch.messages {
                    message.pack(&mut out);
                }
                self.spare.recycle(batch.messages);
            }
            *packed = out.finish().expect("messages are never refused");
        }
    }

    /// Stores messages from another rank in the half of the mailboxes with `parity`.
    fn unpack(
        bytes: &[u8],
        (mailboxes, positions): (&Mailboxes<M>, &[Position]),
        spare: &mut Spare<M>,
        parity: usize,
    ) -> Result<(), LoadError> {
        let mut input = Reader::new(bytes);
        while !input.rest().is_empty() {
            let (process, channel) = (u32::fetch(&mut input)?, u32::fetch(&mut input)?);
            let count = input.number()?;
            let class = Batch::<M>::class_for(count);
            let mut messages: Batch<M> = spare.take(class).unwrap_or_default();
            for _ in 0..count {
                messages.push(&M::unpack(&mut input)?);
            }
            let batch = ChannelBatch {
                channel,
                first: messages.first().map_or(Time::MAX, Message::arrival),
                messages,
            };
            let to = mailboxes.neighbor_from_afar(positions[process as usize], channel);
            mailboxes.put(to, batch, parity);
        }
        Ok(())
    }

    /// Ends an epoch: `inner` runs the processes without a channel to another rank, and returns the
    /// totals of this rank with the report of its driver. Returns the reports of all ranks.
    pub(super) fn end_epoch(
        &mut self,
        (mailboxes, positions): (&Mailboxes<M>, &[Position]),
        parity: usize,
        inner: &mut dyn FnMut(&mut Writer) -> Totals,
    ) -> Vec<Vec<u8>> {
        self.pack(mailboxes, parity);
        let ranks: &dyn Ranks = &*self.shares.ranks;
        let mut reports = vec![Vec::new(); ranks.count()];
        let mut own = None;
        let mut totals = None;
        let mut meanwhile = |late: &mut Vec<u8>| {
            let mut report = Writer::default();
            let sums = inner(&mut report);
            let report = report.finish().expect("results are never refused");
            let mut out = Writer::reusing(std::mem::take(late));
            sums.store(&mut out);
            out.bytes(&report);
            *late = out.finish().expect("numbers are never refused");
            totals = Some(sums);
            own = Some(report);
        };
        let mut others = Vec::new();
        let spare = &mut self.spare;
        let mut receive = |rank: usize, early: &[u8], late: &[u8]| {
            Self::unpack(early, (mailboxes, positions), spare, parity).expect(ALIKE);
            let mut input = Reader::new(late);
            others.push(Totals::fetch(&mut input).expect(ALIKE));
            reports[rank] = input.rest().to_vec();
        };
        ranks.exchange(&self.packed, &mut meanwhile, &mut receive);
        let mut totals = totals.expect("an exchange runs what is to be done meanwhile");
        others.iter().for_each(|other| totals.add(other));
        reports[ranks.rank()] = own.expect("an exchange runs what is to be done meanwhile");
        self.totals = totals;
        reports
    }

    /// Adds up `own` over all ranks, between two epochs.
    pub(super) fn add_up(&mut self, own: Totals) {
        let all = gather(Some(&*self.shares.ranks), own);
        let mut all = all.into_iter();
        let mut totals = all.next().expect("there is a rank");
        all.for_each(|other| totals.add(&other));
        self.totals = totals;
    }
}
