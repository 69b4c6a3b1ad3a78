//! A process with its channels, as a member of a partition.

use std::hint::black_box;

use super::channel::SendBuffer;
use super::epoch::Turn;
use super::inbox::Inbox;
use super::mailboxes::Neighbor;
use super::message::Message;
use super::probe::Probe;
use super::process::LogicalProcess;
use fabricsim_base::checkpoint::{Reader, Writer};
use fabricsim_base::units::{Duration, Time};

/// Maximum number of messages that a process handles between two checks of the interrupt.
pub(super) const MOST_AT_ONCE: usize = 1 << 14;
/// Longest span of simulated time between two checks of the interrupt.
pub(super) const LONGEST_AT_ONCE: Duration = Duration::from_ms(1);

/// A process with its inbox and its send buffers.
#[derive(Debug)]
pub(super) struct Member<D: LogicalProcess> {
    pub(super) process: D,
    pub(super) index: usize,
    /// Index of the process's mailbox.
    pub(super) mailbox: usize,
    pub(super) inbox: Inbox<D::Message>,
    pub(super) send_buffer: SendBuffer<D::Message>,
    pub(super) neighbors: Vec<Neighbor>,
    /// Simulated time by which the process may be behind the other processes: the amount by which
    /// the delay of its messages exceeds the lookahead.
    pub(super) margin: Duration,
}

impl<D: LogicalProcess> Member<D> {
    /// Finds the messages that arrive in `[start, end)` and lets the process prepare them.
    #[inline(always)]
    pub(super) fn gather(&mut self, due: (Time, Time)) {
        let process = &mut self.process;
        let prepare = |messages: &mut [D::Message]| process.prepare(messages);
        self.inbox.gather::<D::Order>(due, prepare);
    }

    /// Reports the messages of the process in this epoch to `probe`.
    #[cold]
    pub(super) fn tell_sends(&self, probe: &mut (impl Probe + ?Sized)) {
        for &(channel, _) in &self.send_buffer.used {
            let messages = &*self.send_buffer.channels[channel as usize];
            let mut pack = || {
                let mut out = Writer::default();
                messages.iter().for_each(|message| message.pack(&mut out));
                let bytes = out.finish().expect("messages are never refused");
                let mut input = Reader::new(&bytes);
                while !input.rest().is_empty() {
                    let message = D::Message::unpack(&mut input);
                    black_box(message.expect("it has just been packed"));
                }
                bytes.len()
            };
            probe.sends(self.index, channel as usize, messages.len(), &mut pack);
        }
    }

    /// Runs the process to the end of the epoch in parts, until the run is interrupted.
    #[cold]
    pub(super) fn run_in_parts(&mut self, turn: Turn<'_>) {
        let end = turn.epoch.end;
        while !turn.interrupt.is_raised() {
            let next = self.inbox.next_time().min(self.process.next_event());
            if next >= end {
                return;
            }
            // A part contains at least all events of one time.
            let crowded = self.inbox.time_of(MOST_AT_ONCE);
            let part = next
                .saturating_add(LONGEST_AT_ONCE)
                .min(crowded.max(next.saturating_add(Duration::from_ps(1))))
                .min(end);
            self.process
                .run(part, &mut self.inbox, &mut self.send_buffer);
        }
    }
}
