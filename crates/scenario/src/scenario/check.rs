//! Checks across the parts of a scenario.

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::priority::PrioritySet;
use fabricsim_base::units::Bytes;
use fabricsim_core::plugin::Quirks;
use fabricsim_pint::PintConfig;
use fabricsim_pint::query::{Aggregation, QueryConfig, Value};
use fabricsim_report::HEADER_BYTES;

use crate::scenario::Scenario;
use crate::schema::part::{Part, Refused, WithoutText};
use crate::schema::queries::{BudgetSettings, QuerySettings};
use crate::text::error::Error;

impl Scenario {
    /// Makes all checks that need more than one table.
    ///
    /// # Errors
    /// Fails at the first part that contradicts another one.
    pub(crate) fn check(&self) -> Result<(), Refused> {
        let part =
            |part: Part| move |error: ConfigError| part.refused_whole(error.message, error.help);
        self.check_ecn_rates()
            .and_then(|()| self.check_ecn_priorities())
            .map_err(part(Part::SwitchRules))?;
        self.check_fetches()?;
        self.check_lowest_rates()
            .and_then(|()| self.check_digests())
            .and_then(|()| self.check_int_multiple())
            .and_then(|()| self.check_tags())
            .and_then(|()| self.check_transports())
            .and_then(|()| self.check_credit())
            .and_then(|()| self.check_long_paths())
            .map_err(part(Part::Cc))?;
        self.check_routes().map_err(part(Part::Topology))?;
        self.check_queues()?;
        self.check_queries()?;
        self.check_nics()?;
        (self.check_forwarding()).map_err(|error| Part::Host.refused(error))?;
        self.check_slow_ports()?;
        (self.check_path_stability()).map_err(part(Part::RoutingPolicy))?;
        self.check_buffer().map_err(part(Part::SwitchBuffer))?;
        (self.check_lossy_limit()).map_err(|error| Part::Switch.refused(error))?;
        (self.check_trimming()).map_err(|error| Part::Switch.refused(error))?;
        self.wanted_marks().map_err(part(Part::Cc))?;
        Ok(())
    }

    fn check_nics(&self) -> Result<(), Refused> {
        let checked = self.routing.validate_nics(&self.topology);
        checked.map_err(|error| Part::Routing.refused(error))?;
        if self.routing.binds_nics() && self.queries.is_some() {
            let key = if self.routing.nics.is_empty() {
                "nic"
            } else {
                "nics"
            };
            return Err(Part::Routing.refused(ConfigError::new(
                key,
                "queries identify flows by their hosts, and these flows run between NICs",
                "leave out this key, or the queries",
            )));
        }
        Ok(())
    }

    fn check_queries(&self) -> Result<(), Refused> {
        let Some(settings) = &self.queries else {
            return Ok(());
        };
        let algorithms: Vec<PintConfig> = self.pint_configs().collect();
        let algorithms: Vec<&PintConfig> = algorithms.iter().collect();
        let streams = (self.seed, self.profile);
        settings.check(streams, &algorithms, &self.topology)
    }

    /// Returns a switch with too little buffer: in addition to the reserves, its ports have no room
    /// for a full RDMA packet. Also returns the number of bytes that a port may use of the shared
    /// part.
    #[must_use]
    pub fn with_reserves_alone(&self) -> Option<(NodeId, Bytes)> {
        if self.lossy().priorities == PrioritySet::DATA {
            return None;
        }
        let longest_packet = self.transport.mtu + HEADER_BYTES;
        let buffer = self.buffer_config();
        (self.switch).with_reserves_alone(&self.topology, &buffer, longest_packet)
    }

    fn check_buffer(&self) -> Result<(), ConfigError> {
        let longest_packet = self.transport.mtu + HEADER_BYTES;
        let buffer = self.buffer_config();
        let checked = self
            .switch
            .validate_for(&self.topology, &buffer, longest_packet);
        checked.map_err(|error| ConfigError {
            message: format!("[switch], key `{}`: {}", error.key, error.message),
            ..error
        })
    }

    /// Returns a query for the latencies of hops and, if the scenario's algorithm reads digests,
    /// the query that it needs.
    ///
    /// # Errors
    /// Fails if the scenario has a profile, because profiles do not support queries.
    pub fn latency_queries(&self) -> Result<QuerySettings, Error> {
        if self.profile.is_some() {
            return Err(self.refuse(
                Part::Profile,
                "the published simulator has no queries",
                "leave out the profile",
            ));
        }
        let mut queries = vec![QueryConfig::new(Value::HopLatency)];
        if let Some(cc) = self.pint_configs().next() {
            queries.push(QueryConfig {
                aggregation: Some(Aggregation::Max),
                bits: cc.log_code(&Quirks::EXACT).bits(),
                ..QueryConfig::new(Value::EgressUtilization)
            });
        }
        Ok(QuerySettings {
            pint: BudgetSettings {
                bits: queries.iter().map(|query| query.bits).sum(),
                ..BudgetSettings::default()
            },
            queries,
        })
    }

    /// Returns the source of diagnostics for a scenario that a program has changed.
    pub(crate) fn without_text(&self) -> WithoutText {
        WithoutText {
            scenario: self.name.clone(),
        }
    }

    /// Returns the scenario with `queries` instead of its own.
    ///
    /// # Errors
    /// Fails if the scenario cannot serve them.
    pub fn with_queries(&self, mut queries: QuerySettings) -> Result<Self, Error> {
        let admitted = queries.admit_all();
        let scenario = Self {
            queries: Some(queries),
            ..self.clone()
        };
        let checked = admitted.and_then(|()| scenario.check());
        checked.map_err(|refused| self.without_text().refuse(refused))?;
        Ok(scenario)
    }
}
