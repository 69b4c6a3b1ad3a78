//! Results of hosts that the driver collects after an epoch.

use super::NetworkDriver;
use crate::network::applications::AppNews;
use crate::network::node::Node;
use crate::plugin::Model;
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::{Completion, Flow};
use fabricsim_engine::Processes;

/// Results of the hosts of one rank, for the drivers of all ranks.
#[derive(Debug, Default, Stored)]
#[checkpoint(plain)]
pub(super) struct Report {
    pub(super) completions: Vec<Completion>,
    pub(super) news: Vec<AppNews>,
    /// Flows to hosts of other ranks, with their tags.
    pub(super) leaving: Vec<(Flow, u64)>,
}

impl Report {
    pub(super) const fn is_empty(&self) -> bool {
        self.completions.is_empty() && self.news.is_empty() && self.leaving.is_empty()
    }
}

impl<R> NetworkDriver<'_, R> {
    /// Records the results of an epoch: the completions from index `from` on, and `news`.
    pub(super) fn settle(&mut self, from: usize, news: Vec<AppNews>) {
        for news in news {
            self.follow(news);
        }
        self.state.finished += (self.state.completions.len() - from) as u64;
        self.state.completions[from..].sort_unstable_by_key(|done| (done.finish, done.flow.id));
        if let Some(last) = self.state.completions.last() {
            self.state.settled = self.state.settled.max(last.finish);
        }
        self.callback.completed(&mut self.state.completions);
    }
}

/// Collects the results of hosts: appends ended flows to `completions`, and returns the activity of
/// applications.
pub(super) fn take_results<M: Model>(
    processes: &mut Processes<'_, Node<M>>,
    completions: &mut Vec<Completion>,
) -> Vec<AppNews> {
    let mut news = Vec::new();
    processes.for_each_result(|node| {
        if let Some(host) = node.host_mut() {
            completions.extend(host.drain_completions());
            news.extend(host.take_app_news());
        }
    });
    news
}
