//! Results of hosts that the driver collects after an epoch.

use crate::network::applications::AppNews;
use crate::network::node::Node;
use crate::plugin::Model;
use fabricsim_base::checkpoint::Stored;
use fabricsim_base::flow::{Completion, Flow};
use fabricsim_engine::Processes;

/// Results of the hosts of one rank, for the drivers of all ranks.
#[derive(Debug, Default, Stored)]
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

/// Collects the results of hosts: appends ended flows to `completions`, and returns the activity of
/// applications.
pub(super) fn take_results<M: Model>(
    processes: &mut Processes<'_, Node<M>>,
    completions: &mut Vec<Completion>,
) -> Vec<AppNews> {
    let mut news = Vec::new();
    processes.for_each_result(|node| {
        if let Node::Host(host) = node {
            completions.extend(host.drain_completions());
            news.extend(host.take_app_news());
        }
    });
    news
}
