//! Remote procedure calls as a workload.

use std::sync::Arc;

use fabricsim_base::id::{ClassId, NodeId};
use fabricsim_base::input::{ConfigError, InputError};
use fabricsim_base::priority::Priority;
use fabricsim_base::rng::{Purpose, Stream, mix};
use fabricsim_base::units::{Duration, Time};
use fabricsim_core::plugin::Application;

use super::client::RpcClient;
use super::plan::Plan;
use super::server::RpcServer;
use super::{RpcConfig, RpcMode};
use crate::application::HostApplications;
use crate::arrivals::bytes_per_second;
use crate::check;
use crate::context::{Expected, WorkloadContext};
use crate::list::FlowTimes;
use crate::offered::{CostOf, FlowCost, Offered, Traffic, mean_cost};
use crate::sizes::Sizes;
use crate::workload::{FileContent, FileState, NamedFile, Workload};

impl RpcConfig {
    /// Returns the mean time between two queries of the client at position `client` in an open
    /// loop.
    fn mean_gap_secs(&self, context: &WorkloadContext, client: usize, mean: f64) -> f64 {
        match (self.load, self.rate) {
            (Some(load), _) => mean / bytes_per_second(context.hosts[client].rate, load),
            (None, Some(rate)) => 1.0 / rate,
            (None, None) => f64::INFINITY,
        }
    }
}

impl Workload for RpcConfig {
    fn applications(
        &self,
        context: &WorkloadContext,
        class: ClassId,
    ) -> Result<HostApplications, ConfigError> {
        let (clients, servers) = self.checked(context)?;
        let sizes = self.sizes()?;
        let mean = sizes.mean();
        let servers: Arc<[NodeId]> = servers.iter().map(|&at| context.hosts[at].id).collect();
        let plan = Arc::new(Plan {
            class,
            priority: check::priority(self.priority)?,
            dst_port: self.dst_port,
            servers: Arc::clone(&servers),
            connections: self.connections,
            reuse: self.reuse,
            mode: self.mode,
            targets: self.targets,
            outstanding: self.outstanding,
            sizes,
            response: self.response,
            service: self.service,
            service_times: self.service_times,
            think: self.think,
            start: self.start,
            end: (self.duration).map_or(Time::MAX, |span| self.start.saturating_add(span)),
            limit: self.queries.unwrap_or(u64::MAX),
            seed: mix(context.seed ^ mix(context.index)),
        });
        let mut all = HostApplications::new();
        for &server in servers.iter() {
            let plan = Arc::clone(&plan);
            let server_application: Box<dyn Application> = Box::new(RpcServer::new(plan));
            all.push((server, server_application));
        }
        for client in clients {
            let host = context.hosts[client].id;
            let stream = |purpose| Stream::new(context.seed, context.host_entity(host), purpose);
            let application = RpcClient::new(
                Arc::clone(&plan),
                host,
                self.mean_gap_secs(context, client, mean),
                stream(Purpose::Arrivals),
                stream(Purpose::Destinations),
            );
            all.push((host, Box::new(application)));
        }
        Ok(all)
    }

    /// Counts queries and responses. For a closed loop that is limited by time, this is the most
    /// that the links of its clients, or of its servers, can carry.
    fn expected(&self, context: &WorkloadContext) -> Result<Expected, ConfigError> {
        let (clients, servers) = self.checked(context)?;
        let mean = self.sizes()?.mean();
        let span = self.duration.map(Duration::as_secs_f64);
        let limit = self
            .queries
            .map(|count| count as f64 * clients.len() as f64);
        let timed = span.map(|secs| match self.mode {
            RpcMode::Poisson => {
                let gaps = clients
                    .iter()
                    .map(|&at| self.mean_gap_secs(context, at, mean));
                gaps.map(|gap| secs / gap).sum()
            }
            RpcMode::Window | RpcMode::Batch => {
                let rate = |ends: &[usize]| -> f64 {
                    let rates = ends.iter().map(|&at| context.hosts[at].rate);
                    rates.map(|rate| bytes_per_second(rate, 1.0)).sum()
                };
                // Each client sends its first query at any rate.
                (secs * rate(&clients).min(rate(&servers)) / mean).max(clients.len() as f64)
            }
        });
        let queries = match (timed, limit) {
            (Some(timed), Some(limit)) => timed.min(limit),
            (timed, limit) => timed.or(limit).unwrap_or(0.0),
        };
        let expected = Expected {
            flows: 2.0 * queries,
            bytes: queries * (mean + self.response.as_f64()),
        };
        match (self.mode, self.queries) {
            (RpcMode::Poisson, None) => check::amount("duration", expected),
            (_, Some(_)) => check::amount("queries", expected),
            (RpcMode::Window | RpcMode::Batch, None) => Ok(expected),
        }
    }

    fn users(&self, own: ClassId) -> Vec<(Priority, ClassId)> {
        check::sole_user(self.priority, own)
    }

    fn set_priority(&mut self, priority: Priority) {
        self.priority = priority.get();
    }

    fn file(&self) -> Option<NamedFile<'_>> {
        // After a file has been read, `query` no longer says that it was one, so look at the name
        // again.
        let is_file = Sizes::from(self.query.name()).file().is_some();
        is_file.then(|| NamedFile {
            key: "query",
            path: self.query.name(),
            content: FileContent::Sizes,
            state: match self.query.file() {
                Some(_) => FileState::Missing,
                None => FileState::Loaded,
            },
        })
    }

    /// Returns the traffic of an open loop: queries in one direction, responses in the other.
    fn offered(
        &self,
        context: &WorkloadContext,
        cost: CostOf<'_>,
    ) -> Result<Option<Offered>, ConfigError> {
        let (clients, servers) = self.checked(context)?;
        let sizes = self.sizes()?;
        let Some(duration) = self.duration.filter(|_| self.mode == RpcMode::Poisson) else {
            return Ok(None);
        };
        let hosts = context.hosts.len();
        let (mut sent, mut taken) = (vec![0.0; hosts], vec![0.0; hosts]);
        for &server in &servers {
            taken[server] = 1.0;
        }
        for client in clients {
            let choices = servers.len() as f64 - taken[client];
            let queries = 1.0 / self.mean_gap_secs(context, client, sizes.mean());
            sent[client] = queries / choices.max(1.0);
        }
        let (query, response) = (mean_cost(&sizes, cost), cost(self.response));
        Ok(Some(Offered {
            longer: 0,
            from: self.start,
            until: self.start.saturating_add(duration),
            traffic: Traffic::Product {
                sent,
                taken,
                cost: FlowCost {
                    forth: query.forth + response.back,
                    back: query.back + response.forth,
                },
            },
        }))
    }

    fn load(
        &mut self,
        text: &str,
        _context: &WorkloadContext,
        _times: FlowTimes,
    ) -> Result<(), InputError> {
        self.query.load(text)
    }
}
