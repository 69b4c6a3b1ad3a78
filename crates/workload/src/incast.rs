//! Many hosts that send to one host at the same moment.

mod source;
mod workload;

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::{Bytes, Duration, Time};

use crate::arrivals::bytes_per_second;
use crate::check;
use crate::context::WorkloadContext;

settings! {
    /// Incast events: `fan_in` distinct random hosts send `size` bytes each to one receiver at the
    /// same time.
    ///
    /// Exactly one of `load`, `period` and `at` sets the times. The incast mix of the HPCC paper
    /// (SIGCOMM 2019, Figure 11a) is `fan_in = 60`, `size = "500KB"`, `load = 0.02`.
    pub struct IncastConfig {
        /// Senders per event, fewer than the hosts.
        pub fan_in: u32 = required,
        /// Payload of each flow, such as "500KB".
        pub size: Bytes = required,
        /// Random events: payload bytes over the link rate of all hosts, such as 0.02.
        ///
        /// Events are a Poisson process.
        #[range(above 0.0, to 2.0)]
        #[refused(check::NO_LOAD, check::LOADS)]
        #[note("(or `period`, or `at`)")]
        pub load: Option<f64> = null,
        /// Regular events: time from one to the next.
        ///
        /// The first is at `start`.
        #[note("(or `load`, or `at`)")]
        pub period: Option<Duration> = null,
        /// One event: its time.
        #[note("(or `load`, or `period`)")]
        pub at: Option<Time> = null,
        /// Number of the receiving host.
        #[note("(default: a random one for each event)")]
        pub receiver: Option<NodeId> = null,
        /// For how long events occur.
        #[note("(required with `load` or `period`)")]
        pub duration: Option<Duration> = null,
        /// Time at which events begin; with `load` or `period` only.
        pub start: Time = "0s",
        /// Priority queue.
        #[range(from 1, to 7)]
        #[refused(check::NO_PRIORITY, check::PRIORITIES)]
        #[note("(default 3); 1 with an algorithm of TCP")]
        pub priority: u8 = 3,
        /// Destination port.
        pub dst_port: u16 = 200,
    }
}

/// The times of events, after validation.
#[derive(Clone, Copy, Debug)]
enum Timing {
    Once(Time),
    Every { period: Duration, end: Time },
    Random { mean_gap_secs: f64, end: Time },
}

impl IncastConfig {
    /// Returns one event at time zero, with the other keys at their defaults.
    #[must_use]
    pub fn once(fan_in: u32, size: Bytes) -> Self {
        Self {
            at: Some(Time::ZERO),
            ..Self::with_required(fan_in, size)
        }
    }

    /// Returns random events at `load` for `duration`, with the other keys at their defaults.
    #[must_use]
    pub fn poisson(fan_in: u32, size: Bytes, load: f64, duration: Duration) -> Self {
        Self {
            load: Some(load),
            at: None,
            duration: Some(duration),
            ..Self::once(fan_in, size)
        }
    }

    fn checked(&self, context: &WorkloadContext) -> Result<Timing, ConfigError> {
        check::two_hosts(context)?;
        check::size(self.size)?;
        self.validate_ranges()?;
        check::instant("start", self.start)?;
        check::instant("at", self.at.unwrap_or_default())?;
        check::span("period", self.period.unwrap_or_default())?;
        let hosts = context.hosts.len();
        if self.fan_in == 0 || self.fan_in as usize >= hosts {
            return Err(ConfigError::new(
                "fan_in",
                format!(
                    "{} senders and a receiver do not fit {hosts} hosts",
                    self.fan_in
                ),
                format!("choose 1 to {}", hosts - 1),
            ));
        }
        if let Some(receiver) = self.receiver.filter(|id| context.position(*id).is_none()) {
            return Err(ConfigError::new(
                "receiver",
                format!("{} is not a host", context.names.label(receiver)),
                format!("the hosts are numbered {}", context.host_numbers()),
            ));
        }
        self.timing(context)
    }

    fn timing(&self, context: &WorkloadContext) -> Result<Timing, ConfigError> {
        // Only repeated events need an end.
        let until = || match self.duration {
            Some(duration) => check::duration(duration).map(|span| self.start.saturating_add(span)),
            None => Err(ConfigError::new(
                "duration",
                "repeated events need a duration",
                "add for example duration = \"10ms\"",
            )),
        };
        // Exactly one key sets the times, so that a scenario is unambiguous.
        match (self.load, self.period, self.at) {
            (Some(load), None, None) => {
                let per_second: f64 = context
                    .hosts
                    .iter()
                    .map(|host| bytes_per_second(host.rate, load))
                    .sum();
                let event = f64::from(self.fan_in) * self.size.as_f64();
                Ok(Timing::Random {
                    mean_gap_secs: event / per_second,
                    end: until()?,
                })
            }
            (None, Some(Duration::ZERO), None) => Err(ConfigError::new(
                "period",
                "a period of zero never lets time pass",
                "write for example \"100us\"",
            )),
            (None, Some(period), None) => Ok(Timing::Every {
                period,
                end: until()?,
            }),
            (None, None, Some(at)) if self.duration.is_none() && self.start == Time::ZERO => {
                Ok(Timing::Once(at))
            }
            (None, None, Some(_)) => Err(ConfigError::new(
                "at",
                "a single event has no `start` and no `duration`",
                "remove them, or write `period` or `load` for repeated events",
            )),
            (None, None, None) => Err(ConfigError::new(
                "load",
                "nothing says when the events occur",
                "write one of `load` (random), `period` (regular) and `at` (once)",
            )),
            _ => Err(ConfigError::new(
                "load",
                "more than one key says when the events occur",
                "keep one of `load` (random), `period` (regular) and `at` (once)",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::flow::FlowRequest;
    use fabricsim_base::id::ClassId;

    use super::*;
    use crate::context::testing::context;
    use crate::workload::Workload;

    fn flows(config: &IncastConfig, context: &WorkloadContext) -> Vec<FlowRequest> {
        let mut source = config.build(context, ClassId(0)).unwrap();
        std::iter::from_fn(|| source.next_flow()).collect()
    }

    fn assert_events(flows: &[FlowRequest], fan_in: usize) {
        assert!(flows.is_sorted_by_key(|flow| flow.start));
        for event in flows.chunks(fan_in) {
            let mut senders: Vec<_> = event.iter().map(|flow| flow.src).collect();
            senders.sort_unstable();
            senders.dedup();
            assert_eq!(senders.len(), fan_in, "the senders are distinct");
            assert!(
                event
                    .iter()
                    .all(|f| f.start == event[0].start && f.dst == event[0].dst && f.src != f.dst)
            );
        }
    }

    #[test]
    fn the_papers_mix_makes_two_percent_of_the_capacity() {
        let context = context(320, 4);
        let config = IncastConfig::poisson(60, Bytes::new(500_000), 0.02, Duration::from_ms(200));
        let flows = flows(&config, &context);
        assert_events(&flows, 60);
        let expected = config.expected(&context).unwrap();
        assert!((expected.bytes - 0.02 * 320.0 * 100e9 / 8.0 * 0.2).abs() < 1.0);
        let (events, mean) = (flows.len() as f64 / 60.0, expected.flows / 60.0);
        assert!(
            (events - mean).abs() < 3.0 * mean.sqrt(),
            "{events} events, {mean} expected"
        );
        assert!(flows.iter().all(|flow| flow.dst_port == 200));
    }

    #[test]
    fn regular_events_begin_at_the_start() {
        let mut config = IncastConfig::once(3, Bytes::new(10));
        config.at = None;
        config.period = Some(Duration::from_us(10));
        config.start = Time::from_ns(500);
        config.duration = Some(Duration::from_us(25));
        config.receiver = Some(NodeId(2));
        let flows = flows(&config, &context(4, 1));
        assert_events(&flows, 3);
        let starts: Vec<u64> = flows
            .iter()
            .step_by(3)
            .map(|flow| flow.start.as_ns())
            .collect();
        assert_eq!(starts, [500, 10_500, 20_500]);
        assert!(flows.iter().all(|flow| flow.dst == NodeId(2)));
        assert!((config.expected(&context(4, 1)).unwrap().flows - 9.0).abs() < 1e-9);
    }

    #[test]
    fn one_event_with_every_other_host() {
        let flows = flows(&IncastConfig::once(7, Bytes::new(10)), &context(8, 1));
        assert_eq!(flows.len(), 7);
        assert_events(&flows, 7);
    }

    #[test]
    fn errors_name_their_key() {
        let key = |change: fn(&mut IncastConfig)| {
            let mut config = IncastConfig::poisson(3, Bytes::new(10), 0.1, Duration::from_ms(1));
            change(&mut config);
            config
                .build(&context(4, 1), ClassId(0))
                .err()
                .expect("refused")
                .key
        };
        assert_eq!(key(|c| c.fan_in = 4), "fan_in");
        assert_eq!(key(|c| c.fan_in = 0), "fan_in");
        assert_eq!(key(|c| c.size = Bytes::ZERO), "size");
        assert_eq!(key(|c| c.load = Some(0.0)), "load");
        assert_eq!(key(|c| c.load = None), "load");
        assert_eq!(key(|c| c.period = Some(Duration::from_us(1))), "load");
        assert_eq!(key(|c| c.duration = None), "duration");
        assert_eq!(key(|c| c.receiver = Some(NodeId(4))), "receiver");
        assert_eq!(
            key(|c| (c.load, c.period) = (None, Some(Duration::ZERO))),
            "period"
        );
        assert_eq!(key(|c| (c.load, c.at) = (None, Some(Time::ZERO))), "at");
    }
}
