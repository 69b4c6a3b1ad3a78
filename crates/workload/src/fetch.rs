//! Requests of one host to one other host, its server.

mod requests;
mod source;
mod workload;

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Time};
use fabricsim_core::plugin::Reuse;

pub use self::requests::{FlowDistribution, WorkloadFlow, ccafct_flows, read_workload};
use crate::check;
use crate::context::WorkloadContext;
use crate::named_list::NamedList;

/// Largest number of drawn requests.
const MOST_DRAWN: u64 = 10_000_000;

settings! {
    /// Requests of a client for responses of a server, over TCP connections. A flow is a request:
    /// it ends when the client has read the last byte of the response.
    ///
    /// The defaults are the requests of heistp/ccafct.
    pub struct FetchConfig {
        /// Number of the host that sends requests.
        pub client: NodeId = required,
        /// Number of the host that sends the bytes.
        pub server: NodeId = required,
        /// "drawn", "ccafct-seed1" (900 requests of heistp/ccafct) or a CSV file of
        /// start_ns,size_bytes.
        pub requests: NamedList<WorkloadFlow> = "drawn",
        /// Time at which the first request can be made.
        pub start: Time = "0s",
        /// Time during which requests are made.
        #[range(above "0s", to "1000000s")]
        #[refused("{value} makes no requests, or more than can be simulated", "write for example \"180s\"")]
        #[note("(default: \"180s\" of drawn ones, else all of them)")]
        pub duration: Option<Duration> = null,
        /// Mean gap between drawn requests, exponentially distributed.
        #[range(above "0s")]
        #[refused("all requests would be made at once", "give more than 0s, such as \"200ms\"")]
        #[note("(default \"200ms\")")]
        pub mean_arrival: Option<Duration> = null,
        /// 5th percentile of drawn lengths, lognormally distributed.
        #[range(from "1B")]
        #[refused("{value} is no length of a response", "give at least \"1B\"")]
        #[note("(default \"64KiB\")")]
        pub len_p5: Option<Bytes> = null,
        /// 95th percentile of drawn lengths.
        #[range(to "1TB")]
        #[refused("5% of lengths would be above {value}", "give at most \"1TB\"")]
        #[note("(default \"2MiB\")")]
        pub len_p95: Option<Bytes> = null,
        /// Connections of requests: one for each, or the one that is available first, as in Go's
        /// HTTP client.
        pub reuse: Reuse = "late-binding",
        /// Priority queue.
        #[range(from 1, to 7)]
        #[refused(check::NO_PRIORITY, check::PRIORITIES)]
        pub priority: u8 = 1,
        /// Port of the server.
        pub dst_port: u16 = 80,
    }
}

impl FetchConfig {
    /// Returns drawn requests of `client`, with the other keys at their defaults.
    #[must_use]
    pub fn new(client: NodeId, server: NodeId) -> Self {
        Self::with_required(client, server)
    }

    /// Returns the distribution of drawn requests.
    fn distribution(&self) -> FlowDistribution {
        let tool = FlowDistribution::default();
        FlowDistribution {
            mean_arrival: self.mean_arrival.unwrap_or(tool.mean_arrival),
            len_p5: self.len_p5.unwrap_or(tool.len_p5),
            len_p95: self.len_p95.unwrap_or(tool.len_p95),
        }
    }

    /// Returns the duration of drawn requests.
    fn duration(&self) -> Duration {
        self.duration.unwrap_or(Duration::from_ms(180_000))
    }

    /// Returns the number of drawn requests.
    fn drawn(&self) -> u64 {
        self.duration().as_ps() / self.distribution().mean_arrival.as_ps().max(1)
    }

    /// Returns the listed requests within the duration, or `None` if requests are drawn.
    fn listed(&self) -> Result<Option<&[WorkloadFlow]>, ConfigError> {
        if self.requests.are_drawn() {
            return Ok(None);
        }
        let Some(all) = self.requests.list() else {
            let message = format!("the file `{}` has not been loaded", self.requests.name());
            return Err(ConfigError::new("requests", message, "load it first"));
        };
        let made = match self.duration {
            Some(duration) => all.partition_point(|request| request.start < duration),
            None => all.len(),
        };
        if made == 0 {
            return Err(ConfigError::new(
                "duration",
                "no request is made within it",
                "give a longer one, or none",
            ));
        }
        Ok(Some(&all[..made]))
    }

    fn checked(&self, context: &WorkloadContext) -> Result<(), ConfigError> {
        check::pair(context, self.client, self.server)?;
        self.validate_ranges()?;
        check::instant("start", self.start)?;
        if self.requests.are_drawn() {
            return self.check_draws();
        }
        let drawn = [
            ("mean_arrival", self.mean_arrival.is_some()),
            ("len_p5", self.len_p5.is_some()),
            ("len_p95", self.len_p95.is_some()),
        ];
        match drawn.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((key, _)) => Err(ConfigError::new(
                key,
                format!("the requests of `{}` are not drawn", self.requests.name()),
                format!("leave `{key}` out, or set `requests = \"drawn\"`"),
            )),
        }
    }

    fn check_draws(&self) -> Result<(), ConfigError> {
        let FlowDistribution {
            mean_arrival,
            len_p5,
            len_p95,
        } = self.distribution();
        if len_p5 > len_p95 {
            return Err(ConfigError::new(
                "len_p5",
                format!("5% of lengths are below {len_p5} and 95% below {len_p95}"),
                "give not more than `len_p95`",
            ));
        }
        let count = self.drawn();
        if (1..=MOST_DRAWN).contains(&count) {
            return Ok(());
        }
        let duration = self.duration();
        Err(ConfigError::new(
            "duration",
            format!("{duration} at a request each {mean_arrival} are {count} requests"),
            format!("make it 1 to {MOST_DRAWN}"),
        ))
    }
}

#[cfg(test)]
mod tests;
