//! The `[pint]` and `[[query]]` tables: data that packets collect on their way.

use std::collections::BTreeSet;

use fabricsim_base::id::NodeId;
use fabricsim_base::input::ConfigError;
use fabricsim_base::settings;
use fabricsim_base::units::Duration;
use fabricsim_core::plugin::Quirks;
use fabricsim_pint::PintConfig;
use fabricsim_pint::query::{Queries, QueryConfig, QueryNetwork};
use fabricsim_topology::Topology;
use serde::Serialize;

use crate::schema::name::is_plain;
use crate::schema::part::{Part, Refused};
use crate::schema::profile::Profile;

settings! {
    /// The `[pint]` table.
    pub struct BudgetSettings {
        /// Bits that each packet has for the digests of all queries.
        #[range(from 1, to 64)]
        pub bits: u32 = 16,
        /// Record true values of hops beside the estimates.
        pub truth: bool = true,
    }
}

/// Maximum length of a name, which becomes part of a file name.
const LONGEST_NAME: usize = 100;

/// The queries of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuerySettings {
    /// Settings shared by all queries.
    pub pint: BudgetSettings,
    /// The queries, in the order of the scenario.
    pub queries: Vec<QueryConfig>,
}

impl QuerySettings {
    /// Checks query `number`, counted from 1, and adds its name to `names`. A query without a name
    /// is named by its number; two equal names are an error.
    ///
    /// # Errors
    /// Fails if a value has no meaning; the error has the key, a message and help.
    fn admit(
        query: &mut QueryConfig,
        number: usize,
        names: &mut BTreeSet<String>,
    ) -> Result<(), ConfigError> {
        query.validate()?;
        let name = query.name.get_or_insert_with(|| format!("query{number}"));
        let refuse = |message: String, help: &str| Err(ConfigError::new("name", message, help));
        if name.len() > LONGEST_NAME {
            return refuse(
                format!("a name of {} letters is too long for a file's", name.len()),
                "give one of up to 100",
            );
        }
        if !is_plain(name) {
            return refuse(
                format!("`{name}` cannot be part of a file name"),
                "use letters, digits, dots, dashes and underscores, and begin with none of `.` and `-`",
            );
        }
        // Some file systems do not distinguish upper case from lower case.
        if !names.insert(name.to_lowercase()) {
            return refuse(
                format!("two queries have the name `{name}`"),
                "give each a name of its own: it names the file of the results",
            );
        }
        Ok(())
    }

    /// Checks all queries and names the ones without a name.
    ///
    /// # Errors
    /// Fails at the first query that cannot be served.
    pub(crate) fn admit_all(&mut self) -> Result<(), Refused> {
        let mut names = BTreeSet::new();
        for (index, query) in self.queries.iter_mut().enumerate() {
            Self::admit(query, index + 1, &mut names)
                .map_err(|error| Part::Query(index).refused(error))?;
        }
        Ok(())
    }

    /// Builds the queries for the switches and sinks in `network`; `cc` is the configuration of
    /// HPCC-PINT, if the scenario uses it.
    ///
    /// # Errors
    /// Fails if a query cannot be served: its number, or `None` for all queries together, and the
    /// reason.
    pub fn build(
        &self,
        seed: u64,
        cc: Option<&PintConfig>,
        network: &QueryNetwork,
    ) -> Result<Queries, (Option<usize>, ConfigError)> {
        let code = cc.map(|cc| cc.log_code(&Quirks::EXACT));
        Queries::new(&self.queries, self.pint.bits, seed, code.as_ref(), network)
    }

    /// Rejects queries that no network could serve, or not together with these algorithms.
    pub(crate) fn check(
        &self,
        (seed, profile): (u64, Option<Profile>),
        algorithms: &[&PintConfig],
        topology: &Topology,
    ) -> Result<(), Refused> {
        let refuse = |message: String, help: &str| Err(Part::Query(0).refused_whole(message, help));
        if profile.is_some() {
            return refuse(
                "the published simulator has no queries, only the digest of HPCC-PINT".to_owned(),
                "leave out the profile, or the queries",
            );
        }
        if let Some(cc) = algorithms.iter().find(|cc| cc.digest_fraction < 1.0) {
            return refuse(
                format!(
                    "`digest_fraction` is {} in [cc], and beside queries the plan says which packets carry \
                     the algorithm's digest",
                    cc.digest_fraction
                ),
                "leave it out there, and set `frequency` in the query that the algorithm reads",
            );
        }
        // Path lengths matter only to traces, and their schemes exist for every length.
        let network = query_network(topology, 5, Duration::from_us(1));
        let built = self.build(seed, algorithms.first().copied(), &network);
        let queries =
            built.map_err(|(index, error)| index.map_or(Part::Pint, Part::Query).refused(error))?;
        if queries.cc().is_none() && !algorithms.is_empty() {
            return refuse(
                "hpcc-pint reads a digest, which must be one of the queries if there are any"
                    .to_owned(),
                "add `[[query]]` with `value = \"egress-utilization\"` and `aggregation = \"max\"`",
            );
        }
        Ok(())
    }
}

/// Returns the properties of `topology` that queries use.
#[must_use]
pub fn query_network(topology: &Topology, longest_path: u16, base_rtt: Duration) -> QueryNetwork {
    let is_switch = |node: NodeId| !topology.is_host(node);
    let switches: Vec<NodeId> = topology.switches().collect();
    let between = topology
        .links()
        .iter()
        .map(|link| (link.a, link.b))
        .filter(|&(a, b)| is_switch(a) && is_switch(b));
    let ports = switches.iter().map(|&node| topology.ports(node).len());
    QueryNetwork {
        longest_path,
        base_rtt,
        links: between.collect(),
        most_ports: ports
            .max()
            .map_or(0, |most| u16::try_from(most).unwrap_or(u16::MAX)),
        switches,
    }
}
