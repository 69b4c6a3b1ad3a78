//! An algorithm in the registry.

use std::any::Any;
use std::sync::Arc;

use fabricsim_base::input::{ConfigError, Key};
use fabricsim_base::units::{Bytes, Rate};
use fabricsim_core::plugin::{
    CcConfig, CcContext, ControllerFactory, CreditRules, DynFactory, Feedback, MarkingThresholds,
    TelemetryId, TelemetryView, Transport,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::tcp_class::TcpClassKeys;
use crate::text::document::{Document, Section};
use crate::text::error::Error;
use fabricsim_base::input::Keys;

/// Reader of an algorithm's table in a scenario.
type ReadTable = fn(&Document<'_>, &Section<'_>) -> Result<Arc<dyn DynCcConfig>, Error>;

/// Constructor of the factory of boxed controllers.
type MakeFactory = fn(&dyn DynCcConfig) -> Arc<dyn DynFactory>;

/// An algorithm in the registry.
#[derive(Clone, Copy, Debug)]
pub struct CcEntry {
    /// Name in a scenario.
    pub name: &'static str,
    /// One-line description.
    pub about: &'static str,
    /// The telemetry that the algorithm reads, if any.
    pub telemetry: Option<TelemetryId>,
    /// Transport of the algorithm's flows.
    pub transport: Transport,
    /// The keys of the algorithm's configuration.
    pub(super) keys: Keys,
    /// The configuration with all defaults; `None` for algorithms from outside the workspace.
    pub(super) default: Option<fn() -> Arc<dyn DynCcConfig>>,
    pub(super) read_table: ReadTable,
    /// The factory of boxed controllers; `None` if the controllers are compiled for each header.
    pub(super) factory: Option<MakeFactory>,
}

impl CcEntry {
    /// Returns an algorithm of the workspace with controllers that are compiled for each header. It
    /// must be in the list of `controllers.rs` in the crate `fabricsim-network`.
    pub(super) const fn compiled<C>(name: &'static str, about: &'static str) -> Self
    where
        C: CcConfig + Default + DeserializeOwned + Serialize + Send + Sync + 'static,
    {
        Self {
            name,
            about,
            telemetry: C::TELEMETRY,
            transport: C::TRANSPORT,
            keys: C::KEYS,
            default: Some(default::<C>),
            read_table: read_table::<C>,
            factory: None,
        }
    }

    /// Returns an algorithm of the workspace with boxed controllers.
    pub(super) const fn new<C>(name: &'static str, about: &'static str) -> Self
    where
        C: CcConfig
            + ControllerFactory<TelemetryView>
            + Default
            + DeserializeOwned
            + Serialize
            + 'static,
        C::Controller: 'static,
    {
        Self {
            factory: Some(factory::<C>),
            ..Self::compiled::<C>(name, about)
        }
    }

    /// Returns an algorithm from outside the workspace.
    pub(super) const fn registered<C>(name: &'static str, about: &'static str) -> Self
    where
        C: CcConfig + ControllerFactory<TelemetryView> + DeserializeOwned + Serialize + 'static,
        C::Controller: 'static,
    {
        Self {
            name,
            about,
            telemetry: C::TELEMETRY,
            transport: C::TRANSPORT,
            keys: C::KEYS,
            default: None,
            read_table: read_table::<C>,
            factory: Some(factory::<C>),
        }
    }

    /// Returns the keys of its table; the keys that all algorithms of TCP have are last.
    #[must_use]
    pub fn keys(&self) -> Vec<Key> {
        let shared = match self.transport {
            Transport::Rdma => &[],
            Transport::Tcp => TcpClassKeys::KEYS,
        };
        [self.keys, shared].concat()
    }
}

fn default<C>() -> Arc<dyn DynCcConfig>
where
    C: CcConfig + Default + Serialize + Send + Sync + 'static,
{
    Arc::new(C::default())
}

fn read_table<C>(
    document: &Document<'_>,
    section: &Section<'_>,
) -> Result<Arc<dyn DynCcConfig>, Error>
where
    C: CcConfig + DeserializeOwned + Serialize + Send + Sync + 'static,
{
    Ok(Arc::new(document.settings::<C>(section, C::KEYS)?))
}

fn factory<C>(config: &dyn DynCcConfig) -> Arc<dyn DynFactory>
where
    C: CcConfig + ControllerFactory<TelemetryView> + 'static,
    C::Controller: 'static,
{
    let config = config.as_any().downcast_ref::<C>();
    Arc::new(config.expect("an entry is of one type").clone())
}

/// An object-safe [`CcConfig`].
pub trait DynCcConfig: std::fmt::Debug + Send + Sync {
    /// Returns the configuration, for downcasting.
    fn as_any(&self) -> &dyn Any;
    /// Returns the `[cc]` table as JSON.
    fn value(&self) -> serde_json::Value;
    /// Like [`CcConfig::validate`].
    ///
    /// # Errors
    /// Fails if a value has no meaning; the error has the key, a message and help.
    fn validate(&self) -> Result<(), ConfigError>;
    /// Like [`CcConfig::resolved`].
    fn resolved(&self, network: &CcContext) -> Arc<dyn DynCcConfig>;
    /// Like [`CcConfig::telemetry_bytes`].
    fn telemetry_bytes(&self, network: &CcContext) -> u16;
    /// Like [`CcConfig::marking`].
    fn marking(&self, rate: Rate) -> Option<MarkingThresholds>;
    /// Like [`CcConfig::credit`].
    fn credit(&self, mtu: Bytes, network: &CcContext) -> Option<CreditRules>;
    /// Like [`CcConfig::lowest_rate`].
    fn lowest_rate(&self) -> Option<Rate>;
    /// Like [`CcConfig::feedback`].
    fn feedback(&self) -> Feedback;
}

impl<C> DynCcConfig for C
where
    C: CcConfig + Serialize + Send + Sync + 'static,
{
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn value(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn validate(&self) -> Result<(), ConfigError> {
        CcConfig::validate(self)
    }

    fn resolved(&self, network: &CcContext) -> Arc<dyn DynCcConfig> {
        Arc::new(CcConfig::resolved(self, network))
    }

    fn telemetry_bytes(&self, network: &CcContext) -> u16 {
        CcConfig::telemetry_bytes(self, network)
    }

    fn marking(&self, rate: Rate) -> Option<MarkingThresholds> {
        CcConfig::marking(self, rate)
    }

    fn credit(&self, mtu: Bytes, network: &CcContext) -> Option<CreditRules> {
        CcConfig::credit(self, mtu, network)
    }

    fn lowest_rate(&self) -> Option<Rate> {
        CcConfig::lowest_rate(self)
    }

    fn feedback(&self) -> Feedback {
        CcConfig::feedback(self)
    }
}
