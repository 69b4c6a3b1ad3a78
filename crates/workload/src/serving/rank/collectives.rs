//! The collectives of a step at one rank.

use fabricsim_base::id::NodeId;
use fabricsim_core::plugin::AppContext;

use super::super::plan::{Phase, Place};
use super::super::tag::{Message, Step};
use super::ServingRank;

impl ServingRank {
    /// Begins an all-reduce by a ring (Patarasuk and Yuan, JPDC 2009): each of n ranks sends
    /// 2 (n - 1) blocks to the next one, each block except the first after it has received one.
    pub(super) fn begin_all_reduce(
        &mut self,
        context: &mut AppContext<'_>,
        step: Step,
        times: u64,
    ) {
        self.ring = 0;
        self.send_block(context, step, times);
        self.advance(context);
    }

    /// Sends the block of the current step of the ring.
    fn send_block(&mut self, context: &mut AppContext<'_>, step: Step, times: u64) {
        let tp = self.plan.layout.tp;
        let (first, own) = (self.place.member / tp * tp, self.place.member % tp);
        let next = self.plan.layout.host(Place {
            member: first + (own + 1) % tp,
            ..self.place
        });
        let back = u32::try_from(self.ring % u64::from(tp)).expect("below tp");
        let block = (own + tp - back) % tp;
        let size = self.plan.block(step.tokens, times, block);
        self.send(context, next, (size, Message::Block));
    }

    /// Sends the tokens of other ranks' experts to each of them.
    pub(super) fn begin_exchange(&mut self, context: &mut AppContext<'_>, step: Step, times: u64) {
        let (width, own) = (self.plan.layout.width, self.place.member);
        let size = self.plan.expert_tokens(step.tokens, times);
        // Each rank begins with its neighbor, so that not all send to the same one first.
        for distance in 1..width {
            let peer = self.plan.layout.host(Place {
                member: (own + distance) % width,
                ..self.place
            });
            self.send(context, peer, (size, Message::Tokens));
        }
        self.advance(context);
    }

    pub(super) fn take_tokens(&mut self, from: NodeId) {
        let layout = &self.plan.layout;
        let members = 0..layout.width;
        let host = |member| {
            layout.host(Place {
                member,
                ..self.place
            })
        };
        if let Some(member) = members.clone().find(|&member| host(member) == from) {
            *self.exchanged.entry(member).or_default() += 1;
        }
    }

    /// Continues the current collective after a message.
    pub(super) fn advance(&mut self, context: &mut AppContext<'_>) {
        let (Some(number), Some(&step)) = (self.phase, self.steps.front()) else {
            return;
        };
        let index = usize::try_from(number).expect("phases are few");
        let ends = match self.plan.phases[index] {
            Phase::Compute { .. } => false,
            Phase::AllReduce { times } => {
                let last = 2 * u64::from(self.plan.layout.tp - 1);
                while self.blocks > 0 && self.ring < last {
                    self.blocks -= 1;
                    self.ring += 1;
                    if self.ring < last {
                        self.send_block(context, step, times);
                    }
                }
                self.ring == last
            }
            Phase::AllToAll { .. } => self.use_exchange(),
        };
        if ends {
            self.enter(context, number + 1);
        }
    }

    /// Returns `true` if all other members have sent their tokens, which are used up then.
    fn use_exchange(&mut self) -> bool {
        let others = self.plan.layout.width as usize - 1;
        let ready = self.exchanged.values().filter(|&&count| count > 0).count();
        if ready < others {
            return false;
        }
        self.exchanged.values_mut().for_each(|count| *count -= 1);
        true
    }
}
