//! The knowledge of this rank about nodes on other ranks.

use super::Network;
use super::applications::Applications;
use super::node::Node;
use crate::plugin::{Application, Model, Observer};
use fabricsim_base::checkpoint::{LoadError, Reader, SaveError, Stored, Writer};
use fabricsim_base::id::NodeId;
use fabricsim_base::ranks::{ALIKE, gather};

/// Observers and applications that represent the ones on other ranks.
#[derive(Debug)]
pub(super) struct Remote<M: Model> {
    /// Observers, in the order of nodes.
    pub(super) observers: Vec<(NodeId, M::Observer)>,
    /// Applications, in the order of hosts, and at each host in the order they were added.
    pub(super) applications: Vec<(NodeId, Box<dyn Application>)>,
}

impl<M: Model> Default for Remote<M> {
    fn default() -> Self {
        Self {
            observers: Vec::new(),
            applications: Vec::new(),
        }
    }
}

impl<M: Model> Remote<M> {
    /// Returns the applications of `host`, which is on another rank.
    fn of(&self, host: NodeId) -> impl Iterator<Item = &dyn Application> {
        let first = self.applications.partition_point(|(at, _)| *at < host);
        let own = self.applications[first..].iter();
        own.take_while(move |(at, _)| *at == host)
            .map(|(_, application)| &**application)
    }
}

/// The state of the nodes of one rank, or the reason why it cannot be sent to other ranks.
#[derive(Stored)]
struct Told {
    refused: Option<SaveError>,
    bytes: Vec<u8>,
}

impl<M: Model> Network<M> {
    /// Collects the state of the observers and applications of all nodes at this rank. Does nothing
    /// without ranks.
    ///
    /// # Errors
    /// Fails if some state cannot be sent to another rank.
    pub fn gather(&mut self) -> Result<(), SaveError> {
        let Some(shares) = self.engine.shares() else {
            return Ok(());
        };
        let mut out = Writer::default();
        for (index, node) in self.engine.processes() {
            index.store(&mut out);
            out.section(|out| node.observer().save_state(out));
            if let Some(host) = node.host() {
                for application in host.applications() {
                    out.section(|out| application.save_state(out));
                }
            }
        }
        let own = match out.finish() {
            Ok(bytes) => Told {
                refused: None,
                bytes,
            },
            Err(refused) => Told {
                refused: Some(refused),
                bytes: Vec::new(),
            },
        };
        let own_rank = shares.ranks.rank();
        let all = gather(Some(&*shares.ranks), own);
        if let Some(refused) = all.iter().find_map(|told| told.refused.clone()) {
            return Err(refused);
        }
        for (rank, told) in all.iter().enumerate() {
            if rank != own_rank {
                let taken = self.take_over(&mut Reader::new(&told.bytes));
                taken.expect(ALIKE);
            }
        }
        Ok(())
    }

    fn take_over(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        while !input.rest().is_empty() {
            let node = NodeId::from_index(usize::fetch(input)?);
            let Remote {
                observers,
                applications,
            } = &mut self.remote;
            let at = observers.partition_point(|(other, _)| *other < node);
            let (_, observer) = &mut observers[at];
            input.section("observer", |input| observer.load_state(input))?;
            let first = applications.partition_point(|(at, _)| *at < node);
            let own = applications[first..].iter_mut();
            for (_, application) in own.take_while(|(at, _)| *at == node) {
                input.section("application", |input| application.load_state(input))?;
            }
        }
        Ok(())
    }

    /// Returns the observers of all nodes, in the order of node ids. Nodes on other ranks have the
    /// state of the last [`Self::gather`].
    pub fn observers(&self) -> impl Iterator<Item = &M::Observer> {
        let mut remote = self.remote.observers.iter();
        (0..self.engine.count()).filter_map(move |index| match self.engine.process(index) {
            Some(node) => Some(node.observer()),
            None => remote.next().map(|(_, observer)| observer),
        })
    }

    /// Returns the applications of all hosts, in the order of hosts, and at each host in the order
    /// they were added. Hosts on other ranks have the state of the last [`Self::gather`].
    pub fn applications(&self) -> impl Iterator<Item = (NodeId, &dyn Application)> {
        self.hosts.iter().flat_map(|&host| {
            let here = self.engine.process(host.index()).and_then(Node::host);
            let here = here.map(|host| host.applications());
            let elsewhere = here.is_none().then(|| self.remote.of(host));
            let own = here.into_iter().flatten();
            own.chain(elsewhere.into_iter().flatten())
                .map(move |application| (host, application))
        })
    }

    /// Calls `visit` with the applications of this rank, in the order of their hosts.
    pub fn for_each_application(&mut self, mut visit: impl FnMut(NodeId, &mut dyn Application)) {
        for &host in &*self.hosts {
            self.engine.update(host.index(), |node| {
                let own = node.host_mut().and_then(|host| host.own_applications_mut());
                let applications = own.into_iter().flat_map(Applications::iter_mut);
                applications.for_each(|application| visit(host, &mut **application));
            });
        }
    }
}
