//! Algorithms that this workspace does not know: registered by whoever embeds the simulator.

use std::fmt::Debug;
use std::sync::Arc;

use fabricsim_core::input::ConfigError;
use fabricsim_core::packet::Header;
use fabricsim_core::plugin::{
    Ack, CcConfig, CcContext, CongestionControl, ControllerFactory, FlowStart, Loss,
    MarkingThresholds,
};
use fabricsim_core::units::{Bytes, Rate, Time};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cc::registry::CONGESTION_CONTROLS;
use crate::schema::keys::Keys;
use crate::text::document::{Document, Section};
use crate::text::error::Error;

/// Algorithms beyond the registry, by the names that scenarios give them. They see acknowledgements without
/// telemetry of switches: sizes, times, round trips, marks and losses.
///
/// ```
/// use fabricsim_scenario::cc::custom::CcRegistry;
/// use fabricsim_scenario::Scenario;
/// # use fabricsim_core::input::ConfigError;
/// # use fabricsim_core::plugin::*;
/// # use fabricsim_core::units::{Bytes, Rate};
/// # #[derive(Clone, Debug, Default, serde::Deserialize, serde::Serialize)]
/// # struct HalfRate {}
/// # impl CcConfig for HalfRate {
/// #     const KEYS: &'static [(&'static str, &'static str)] = &[];
/// #     type Algorithms = Self;
/// #     fn validate(&self) -> Result<(), ConfigError> { Ok(()) }
/// #     fn algorithms(&self, _: &CcContext<'_>) -> Self { self.clone() }
/// # }
/// # #[derive(Debug)]
/// # struct Half(Rate);
/// # impl ControllerFactory<()> for HalfRate {
/// #     type Algorithm = Half;
/// #     fn build(&self, start: &FlowStart) -> Half {
/// #         Half(Rate::from_bps(start.line_rate.as_bps() / 2).unwrap())
/// #     }
/// # }
/// # impl CongestionControl<()> for Half {
/// #     fn on_ack(&mut self, _: &Ack<'_, ()>) {}
/// #     fn window(&self) -> Option<Bytes> { None }
/// #     fn pacing_rate(&self) -> Option<Rate> { Some(self.0) }
/// # }
/// let mut algorithms = CcRegistry::default();
/// algorithms.register::<HalfRate>("half-rate", "half of the line rate, whatever happens");
/// let text = r#"
/// [topology]
/// kind = "star"
/// hosts = 2
/// [[workload]]
/// kind = "permutation"
/// size = "1MB"
/// [cc]
/// kind = "half-rate"
/// "#;
/// let scenario = Scenario::from_toml_with(text, &algorithms)?;
/// assert_eq!(scenario.cc.name(), "half-rate");
/// # Ok::<(), fabricsim_scenario::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CcRegistry {
    entries: Vec<Entry>,
}

/// Reads the table of an algorithm.
type ReadTable = fn(&Document<'_>, &Section<'_>) -> Result<Arc<dyn CustomConfig>, Error>;

#[derive(Clone, Debug)]
struct Entry {
    name: &'static str,
    about: &'static str,
    keys: Keys,
    read: ReadTable,
}

impl CcRegistry {
    /// Adds an algorithm: scenarios call it `name`, and `C` is its table.
    ///
    /// # Panics
    /// When there is an algorithm of that name.
    pub fn register<C>(&mut self, name: &'static str, about: &'static str)
    where
        C: CcConfig + DeserializeOwned + Serialize + Send + Sync + 'static,
        C::Factory: ControllerFactory<()> + 'static,
    {
        let known = self
            .names()
            .chain(CONGESTION_CONTROLS.iter().map(|cc| cc.name));
        assert!(
            !known.collect::<Vec<_>>().contains(&name),
            "there is an algorithm called `{name}` already"
        );
        self.entries.push(Entry {
            name,
            about,
            keys: C::KEYS,
            read: |document, section| {
                let config: C = document.settings(section, C::KEYS)?;
                config
                    .validate()
                    .map_err(|error| document.refuse(section, error))?;
                Ok(Arc::new(config))
            },
        });
    }

    /// The names, in the order of registration.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.entries.iter().map(|entry| entry.name)
    }

    /// Name, description and keys of each algorithm, in the order of registration.
    pub fn list(&self) -> impl Iterator<Item = (&'static str, &'static str, Keys)> {
        self.entries
            .iter()
            .map(|entry| (entry.name, entry.about, entry.keys))
    }

    /// Reads the table of the algorithm called `name`.
    pub(crate) fn read(
        &self,
        name: &str,
        document: &Document<'_>,
        section: &Section<'_>,
    ) -> Option<Result<CustomCc, Error>> {
        let entry = self.entries.iter().find(|entry| entry.name == name)?;
        let config = (entry.read)(document, section);
        Some(config.map(|config| CustomCc {
            name: entry.name,
            config,
        }))
    }
}

/// The table of an algorithm from outside the registry.
#[derive(Clone, Debug)]
pub struct CustomCc {
    pub(crate) name: &'static str,
    pub(crate) config: Arc<dyn CustomConfig>,
}

impl PartialEq for CustomCc {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.config.value() == other.config.value()
    }
}

impl Serialize for CustomCc {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serde_json::Map::new();
        table.insert("kind".to_owned(), self.name.into());
        if let serde_json::Value::Object(keys) = self.config.value() {
            table.extend(keys);
        }
        table.serialize(serializer)
    }
}

/// [`CcConfig`] without its types.
pub(crate) trait CustomConfig: Debug + Send + Sync {
    fn value(&self) -> serde_json::Value;
    fn validate(&self) -> Result<(), ConfigError>;
    fn resolved(&self, context: &CcContext<'_>) -> Arc<dyn CustomConfig>;
    fn factory(&self, context: &CcContext<'_>) -> Arc<dyn CustomFactory>;
    fn telemetry_bytes(&self, context: &CcContext<'_>) -> u16;
    fn marking(&self, nic_rate: Rate) -> Option<MarkingThresholds>;
    fn lowest_rate(&self) -> Option<Rate>;
    fn ack_high_priority(&self) -> bool;
}

impl<C> CustomConfig for C
where
    C: CcConfig + Serialize + Send + Sync + 'static,
    C::Factory: ControllerFactory<()> + 'static,
{
    fn value(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn validate(&self) -> Result<(), ConfigError> {
        CcConfig::validate(self)
    }

    fn resolved(&self, context: &CcContext<'_>) -> Arc<dyn CustomConfig> {
        Arc::new(CcConfig::resolved(self, context))
    }

    fn factory(&self, context: &CcContext<'_>) -> Arc<dyn CustomFactory> {
        Arc::new(CcConfig::factory(self, context))
    }

    fn telemetry_bytes(&self, context: &CcContext<'_>) -> u16 {
        CcConfig::telemetry_bytes(self, context)
    }

    fn marking(&self, nic_rate: Rate) -> Option<MarkingThresholds> {
        CcConfig::marking(self, nic_rate)
    }

    fn lowest_rate(&self) -> Option<Rate> {
        CcConfig::lowest_rate(self)
    }

    fn ack_high_priority(&self) -> bool {
        CcConfig::ack_high_priority(self)
    }
}

/// [`ControllerFactory`] without its types.
pub(crate) trait CustomFactory: Debug + Send + Sync {
    fn build(&self, start: &FlowStart) -> Box<dyn CongestionControl<()>>;
}

impl<F> CustomFactory for F
where
    F: ControllerFactory<()>,
    F::Controller: 'static,
{
    fn build(&self, start: &FlowStart) -> Box<dyn CongestionControl<()>> {
        Box::new(ControllerFactory::build(self, start))
    }
}

/// The factory of an algorithm from outside the registry.
#[derive(Clone, Debug)]
pub struct CustomFactories(pub(crate) Arc<dyn CustomFactory>);

impl CustomFactories {
    /// The algorithm of a flow that starts now.
    #[must_use]
    pub fn build(&self, start: &FlowStart) -> CustomController {
        CustomController(self.0.build(start))
    }
}

/// An algorithm from outside the registry, behind one dynamic call for each acknowledgement.
#[derive(Debug)]
pub struct CustomController(pub(crate) Box<dyn CongestionControl<()>>);

impl<H: Header> CongestionControl<H> for CustomController {
    fn prepare(&mut self, _header: &mut H) -> u16 {
        self.0.prepare(&mut ())
    }

    fn on_sent(&mut self, wire: Bytes) {
        self.0.on_sent(wire);
    }

    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        self.0.on_ack(&Ack {
            now: ack.now,
            cumulative: ack.cumulative,
            newly_acked: ack.newly_acked,
            next_seq: ack.next_seq,
            rtt: ack.rtt,
            congestion: ack.congestion,
            telemetry: &(),
        });
    }

    fn window(&self) -> Option<Bytes> {
        self.0.window()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.0.pacing_rate()
    }

    fn retimes(&self) -> bool {
        self.0.retimes()
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.0.on_loss(loss);
    }

    fn deadline(&self) -> Time {
        self.0.deadline()
    }

    fn on_timer(&mut self, now: Time) {
        self.0.on_timer(now);
    }
}
