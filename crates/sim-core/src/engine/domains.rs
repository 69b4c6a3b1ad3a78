//! The domains between two windows.

use super::Domain;
use super::group::{Group, earliest};
use super::placement::Place;
use super::post::Post;
use crate::units::{Duration, Time};

/// The domains as the driver sees them between windows.
#[derive(Debug)]
pub struct Domains<'a, D: Domain> {
    pub(super) groups: &'a mut [Group<D>],
    pub(super) post: &'a Post<D::Message>,
    /// The half of the mailboxes that the next window reads.
    pub(super) unread: usize,
    pub(super) places: &'a [Place],
    pub(super) lags: bool,
    pub(super) lookahead: Duration,
}

impl<D: Domain> Domains<'_, D> {
    /// Changes domain `index`, which may move its next event.
    pub fn update<R>(&mut self, index: usize, change: impl FnOnce(&mut D) -> R) -> R {
        let Place { group, place } = self.places[index];
        let Group { slots, agenda, .. } = &mut self.groups[group as usize];
        let place = place as usize;
        let slot = &mut slots[place];
        let result = change(&mut slot.domain);
        let next = slot.domain.next_event().saturating_add(slot.slack);
        if next < agenda.time(place) {
            agenda.put(place, next);
        }
        result
    }

    /// Takes back every message that is on its way to domain `index` over `lane`, as if it had never
    /// been sent, and shows it to `lost`. No domain may lag behind.
    pub fn recall(&mut self, index: usize, lane: usize, mut lost: impl FnMut(&mut D, &D::Message)) {
        let Place { group, place } = self.places[index];
        let Group {
            slots,
            agenda,
            spare,
            ..
        } = &mut self.groups[group as usize];
        let place = place as usize;
        let slot = &mut slots[place];
        // What has been put there is still announced, which costs a look into an empty mailbox.
        slot.inbox.fetch(self.post, index, self.unread, spare);
        let domain = &mut slot.domain;
        slot.inbox.recall(lane, |message| lost(domain, message));
        let next = slot.inbox.first().min(domain.next_event());
        agenda.put(place, next.saturating_add(slot.slack));
    }

    /// The least next event over all domains.
    #[must_use]
    pub fn next_event(&self) -> Time {
        earliest(self.groups)
    }

    /// Calls `visit` with each domain, in their order.
    pub fn for_each(&mut self, mut visit: impl FnMut(&mut D)) {
        for &Place { group, place } in self.places {
            visit(&mut self.groups[group as usize].slots[place as usize].domain);
        }
    }

    /// Calls `visit` with each domain that had results after the last window, in any order.
    pub fn for_each_result(&mut self, mut visit: impl FnMut(&mut D)) {
        for Group { slots, results, .. } in &mut *self.groups {
            for place in results.drain(..) {
                visit(&mut slots[place as usize].domain);
            }
        }
    }

    /// All domains, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &D> {
        let places = self.places.iter();
        places.map(|at| &self.groups[at.group as usize].slots[at.place as usize].domain)
    }

    /// Whether some domains may lag behind others.
    #[must_use]
    pub const fn may_lag(&self) -> bool {
        self.lags
    }

    /// How often domains have been run, in all windows so far.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.groups.iter().map(|group| group.steps).sum()
    }

    /// How many messages domains have taken in so far.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.groups.iter().map(|group| group.messages).sum()
    }

    /// How many domains there are.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.places.len()
    }

    /// The longest window: no message sent in it can arrive in it.
    #[must_use]
    pub const fn lookahead(&self) -> Duration {
        self.lookahead
    }
}
