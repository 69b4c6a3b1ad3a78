//! The messages in transit to a process, in a checkpoint.

use super::Inbox;
use crate::mailboxes::ChannelBatch;
use crate::message::Message;
use fabricsim_base::checkpoint::{LoadError, Reader, Writer};
use fabricsim_base::units::Time;

impl<M: Message> Inbox<M> {
    /// Appends the messages in transit, including the messages in `mailboxes`: for each channel
    /// with messages, in the order of arrival.
    pub(crate) fn save(&self, mailboxes: [&[ChannelBatch<M>]; 2], out: &mut Writer) {
        let own = |channel: usize| {
            let carried = self.carried.iter().zip(&self.carried_channels);
            let carried = carried.filter(move |(_, of)| **of as usize == channel);
            let input = &self.channels[channel];
            let unread = input.current[input.cursor..].iter();
            let unread = unread.chain(input.rest.iter().flat_map(|rest| &**rest));
            let sent = mailboxes
                .into_iter()
                .flatten()
                .filter(move |batch| batch.channel as usize == channel);
            let sent = sent.flat_map(|batch| &*batch.messages);
            carried
                .map(|(message, _)| message)
                .chain(unread)
                .chain(sent)
        };
        let busy = (0..self.channels.len()).filter(|&channel| own(channel).next().is_some());
        let busy: Vec<usize> = busy.collect();
        out.number(busy.len());
        for channel in busy {
            out.number(channel);
            out.number(own(channel).count());
            own(channel).for_each(|message| message.store_in_transit(out));
        }
    }

    /// Loads the messages that [`Self::save`] has written into an empty inbox.
    pub(crate) fn load(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        for _ in 0..input.number()? {
            let number = input.number()?;
            let Some(channel) = self.channels.get_mut(number) else {
                return Err(LoadError::new(format!("there is no channel {number}")));
            };
            let mut last = Time::ZERO;
            for _ in 0..input.number()? {
                let message = M::fetch(input)?;
                if message.arrival() < last {
                    return Err(LoadError::new("messages of a channel are out of order"));
                }
                last = message.arrival();
                channel.current.push(&message);
            }
            if let Some(first) = channel.first() {
                self.first = self.first.min(first.arrival());
                let number = u32::try_from(number).expect("a process has at most 2^16 channels");
                self.active.push(number);
            }
        }
        Ok(())
    }
}
