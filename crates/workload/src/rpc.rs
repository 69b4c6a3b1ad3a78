//! Remote procedure calls: clients send queries to servers on persistent connections, and servers
//! respond.

mod client;
mod plan;
mod pool;
mod server;
mod workload;

use fabricsim_base::input::ConfigError;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_base::{choices, settings};

use crate::cdf::SizeCdf;
use crate::check;
use crate::context::WorkloadContext;
use crate::host_range::{HostRange, select};
use crate::sizes::Sizes;

pub use client::{RpcClient, RpcQuery};

choices! {
    /// The time of the next query.
    pub enum RpcMode {
        /// Each response triggers the next query, so that `outstanding` queries are always open.
        Window = "window",
        /// Sends `outstanding` queries at once, and the next ones when all of them have their
        /// responses.
        Batch = "batch",
        /// At random times, independent of open queries: an open loop at `load` or `rate`.
        Poisson = "poisson",
    }
}

choices! {
    /// The servers to which a client sends its queries.
    pub enum RpcTargets {
        /// To every server, on every connection: each connection has its own window or batch.
        AllPairs = "all-pairs",
        /// To a server drawn evenly for each query; the client has one window or batch.
        Random = "random",
    }
}

choices! {
    /// The connection of a query in an open loop.
    #[derive(Default)]
    pub enum RpcReuse {
        /// A connection drawn evenly from all of the client, even if queries wait on it.
        #[default]
        Shared = "shared" ("a random one, even if queries wait on it"),
        /// A connection to its server without an open query; if there is none, another one is
        /// opened.
        Idle = "idle" ("an idle one; if there is none, a new one"),
        /// None: query and response are separate flows, which start like any flow.
        Never = "none" ("query and response are flows of their own"),
    }
}

choices! {
    /// Interpolation of query sizes between the points of a distribution.
    pub enum SizeSteps {
        /// Linear from the first point, as the file states.
        Linear = "linear",
        /// The first size with a probability has all of it: no size is smaller.
        Atom = "atom",
    }
}

choices! {
    /// Distribution of the time that a server takes for a query.
    pub enum ServiceTimes {
        /// Always `service`.
        Fixed = "fixed",
        /// Exponential with the mean `service`.
        Exponential = "exponential",
    }
}

settings! {
    /// Remote procedure calls: clients keep connections to servers and send queries on them; a
    /// server responds to each after its service time. A query is complete when the last byte of
    /// its response has been delivered.
    pub struct RpcConfig {
        /// Query sizes: one size such as "4KB", `websearch`, `hadoop`, `alistorage`, or a CDF file.
        pub query: Sizes = required,
        /// Hosts that send queries, such as ["0..16"].
        #[note("(default: all)")]
        pub clients: Option<Vec<HostRange>> = null,
        /// Hosts that respond, such as ["0..16"].
        #[note("(default: all)")]
        pub servers: Option<Vec<HostRange>> = null,
        /// Connections of each client to each server.
        #[range(from 1)]
        #[refused("no connections carry no queries", "write at least 1")]
        pub connections: u32 = 1,
        /// With "poisson": connection that a query takes.
        pub reuse: RpcReuse = "shared",
        /// When the next query is sent.
        pub mode: RpcMode = "window",
        /// Servers of a client's queries ("poisson" draws one for each).
        pub targets: RpcTargets = "all-pairs",
        /// Queries that wait for their responses, with "window" and "batch".
        #[range(from 1)]
        #[refused("without queries nothing is sent", "write at least 1")]
        pub outstanding: u32 = 1,
        /// With "poisson": payload bytes of a client's queries over its link rate.
        #[range(above 0.0, to 2.0)]
        #[refused(check::NO_LOAD, check::LOADS)]
        #[note("(or `rate`)")]
        pub load: Option<f64> = null,
        /// With "poisson": queries of each client per second.
        #[range(above 0.0, to 1e12)]
        #[refused("{value} queries per second are outside the range above 0 up to 1e12", "write for example 100000")]
        #[note("(or `load`)")]
        pub rate: Option<f64> = null,
        /// How query sizes follow the points of a distribution.
        pub size_steps: SizeSteps = "linear",
        /// Payload of each response.
        pub response: Bytes = "64B",
        /// Time from the arrival of a query at its server to the response.
        ///
        /// A server works on any number of queries at a time.
        pub service: Duration = "0s",
        /// Distribution of service times.
        pub service_times: ServiceTimes = "fixed",
        /// Time from a response to the query that it lets go.
        pub think: Duration = "0s",
        /// For how long queries are sent.
        #[note("(or `queries`)")]
        pub duration: Option<Duration> = null,
        /// Queries of each client.
        #[range(from 1)]
        #[refused("no queries are no workload", "write at least 1")]
        #[note("(or `duration`)")]
        pub queries: Option<u64> = null,
        /// Time at which queries begin.
        pub start: Time = "0s",
        /// Priority queue.
        #[range(from 1, to 7)]
        #[refused(check::NO_PRIORITY, check::PRIORITIES)]
        #[note("(default 3); 1 with an algorithm of TCP")]
        pub priority: u8 = 3,
        /// Destination port at the servers.
        pub dst_port: u16 = 300,
    }
}

/// Positions of the clients, and of the servers.
type Ends = (Vec<usize>, Vec<usize>);

impl RpcConfig {
    /// Returns one query after the other between all hosts for `duration`, with the other keys at
    /// their defaults.
    pub fn new(query: impl Into<Sizes>, duration: Duration) -> Self {
        Self {
            duration: Some(duration),
            ..Self::with_required(query.into())
        }
    }

    /// Returns the positions of clients and servers. Every client has a server that is another
    /// host.
    fn ends(&self, context: &WorkloadContext) -> Result<Ends, ConfigError> {
        let clients = select("clients", self.clients.as_deref(), context)?;
        let servers = select("servers", self.servers.as_deref(), context)?;
        match servers[..] {
            [only] if clients.binary_search(&only).is_ok() => Err(ConfigError::new(
                "servers",
                format!(
                    "{} has no server but itself",
                    context.names.label(context.hosts[only].id)
                ),
                "add servers, or leave this host out of `clients`",
            )),
            _ => Ok((clients, servers)),
        }
    }

    /// Returns the distribution of query sizes.
    fn sizes(&self) -> Result<SizeCdf, ConfigError> {
        let cdf = self.query.cdf().ok_or_else(|| {
            ConfigError::new(
                "query",
                format!("the CDF file `{}` has not been loaded", self.query.name()),
                format!("load it, or write one of {}", SizeCdf::BUILTIN.join(", ")),
            )
        })?;
        Ok(match self.size_steps {
            SizeSteps::Linear => cdf.clone(),
            SizeSteps::Atom => cdf.with_atom(),
        })
    }

    /// Checks all keys. Returns the positions of clients and servers.
    fn checked(&self, context: &WorkloadContext) -> Result<Ends, ConfigError> {
        check::two_hosts(context)?;
        self.validate_ranges()?;
        check::instant("start", self.start)?;
        for (key, span) in [("service", self.service), ("think", self.think)] {
            check::span(key, span)?;
        }
        check::size(self.response).map_err(|error| ConfigError {
            key: "response",
            ..error
        })?;
        if let Some(duration) = self.duration {
            check::duration(duration)?;
        } else if self.queries.is_none() {
            return Err(ConfigError::new(
                "duration",
                "nothing says when the queries end",
                "write `duration`, such as \"10ms\", or `queries`, for each client",
            ));
        }
        self.check_mode()?;
        let ends = self.ends(context)?;
        self.check_start(&ends)?;
        Ok(ends)
    }

    /// Checks that the connections, and the queries that are sent at once, fit into a run.
    fn check_start(&self, (clients, servers): &Ends) -> Result<(), ConfigError> {
        let pairs = clients.len() as f64 * servers.len() as f64;
        let connections = pairs * f64::from(self.connections);
        check::together("connections", connections)?;
        let windows = match (self.mode, self.targets) {
            (RpcMode::Poisson, _) => return Ok(()),
            (_, RpcTargets::AllPairs) => connections,
            (_, RpcTargets::Random) => clients.len() as f64,
        };
        check::together("outstanding", windows * f64::from(self.outstanding))
    }

    /// Checks the keys that only some modes have.
    fn check_mode(&self) -> Result<(), ConfigError> {
        let poisson = self.mode == RpcMode::Poisson;
        match (self.load, self.rate) {
            (None, None) if poisson => Err(ConfigError::new(
                "load",
                "nothing says how often queries are sent",
                "write `load`, such as 0.5, or `rate`, in queries per second",
            )),
            (Some(_), Some(_)) => Err(ConfigError::new(
                "load",
                "`load` and `rate` both say how often queries are sent",
                "keep one of them",
            )),
            (load, rate) if !poisson && (load.is_some() || rate.is_some()) => {
                Err(ConfigError::new(
                    if load.is_some() { "load" } else { "rate" },
                    "a closed loop has the rate that responses leave it",
                    "remove it, or write mode = \"poisson\"",
                ))
            }
            _ if !poisson && self.reuse != RpcReuse::Shared => Err(ConfigError::new(
                "reuse",
                "each window and batch has a connection of its own",
                "remove it, or write mode = \"poisson\"",
            )),
            _ if self.reuse == RpcReuse::Never && self.connections > 1 => Err(ConfigError::new(
                "connections",
                "queries that are separate flows have no connection",
                "remove it, or choose another `reuse`",
            )),
            _ if poisson && self.think > Duration::ZERO => Err(ConfigError::new(
                "think",
                "queries at random times wait for no response",
                "remove it, or choose another mode",
            )),
            _ if poisson && self.outstanding > 1 => Err(ConfigError::new(
                "outstanding",
                "queries at random times have no limit",
                "remove it, or choose another mode",
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
