//! Laws that this workspace does not know: registered by whoever embeds the simulator.

use std::fmt::Debug;
use std::sync::Arc;

use fabricsim_core::input::ConfigError;
use fabricsim_core::packet::Header;
use fabricsim_core::plugin::{
    Ack, CongestionControl, FlowStart, LawConfig, LawContext, LawFactory, Loss, MarkingThresholds,
};
use fabricsim_core::units::{Bytes, Rate, Time};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::document::{Document, Section};
use crate::error::Error;
use crate::registry::LAWS;
use crate::settings::Keys;

/// Laws beyond the registry, by the names that scenarios give them. They see acknowledgements without
/// telemetry of switches: sizes, times, round trips, marks and losses.
///
/// ```
/// use fabricsim::custom::CustomLaws;
/// use fabricsim::Scenario;
/// # use fabricsim::core::input::ConfigError;
/// # use fabricsim::core::plugin::*;
/// # use fabricsim::core::units::{Bytes, Rate};
/// # #[derive(Clone, Debug, Default, serde::Deserialize, serde::Serialize)]
/// # struct HalfRate {}
/// # impl LawConfig for HalfRate {
/// #     const KEYS: &'static [(&'static str, &'static str)] = &[];
/// #     type Laws = Self;
/// #     fn validate(&self) -> Result<(), ConfigError> { Ok(()) }
/// #     fn laws(&self, _: &LawContext<'_>) -> Self { self.clone() }
/// # }
/// # #[derive(Debug)]
/// # struct Half(Rate);
/// # impl LawFactory<()> for HalfRate {
/// #     type Law = Half;
/// #     fn build(&self, start: &FlowStart) -> Half {
/// #         Half(Rate::from_bps(start.line_rate.as_bps() / 2).unwrap())
/// #     }
/// # }
/// # impl CongestionControl<()> for Half {
/// #     fn on_ack(&mut self, _: &Ack<'_, ()>) {}
/// #     fn window(&self) -> Option<Bytes> { None }
/// #     fn pacing_rate(&self) -> Option<Rate> { Some(self.0) }
/// # }
/// let mut laws = CustomLaws::default();
/// laws.register::<HalfRate>("half-rate", "half of the line rate, whatever happens");
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
/// let scenario = Scenario::from_toml_with(text, &laws)?;
/// assert_eq!(scenario.cc.name(), "half-rate");
/// # Ok::<(), fabricsim::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CustomLaws {
    entries: Vec<Entry>,
}

/// Reads the table of a law.
type ReadTable = fn(&Document<'_>, &Section<'_>) -> Result<Arc<dyn CustomConfig>, Error>;

#[derive(Clone, Debug)]
struct Entry {
    name: &'static str,
    about: &'static str,
    keys: Keys,
    read: ReadTable,
}

impl CustomLaws {
    /// Adds a law: scenarios call it `name`, and `C` is its table.
    ///
    /// # Panics
    /// When there is a law of that name.
    pub fn register<C>(&mut self, name: &'static str, about: &'static str)
    where
        C: LawConfig + DeserializeOwned + Serialize + Send + Sync + 'static,
        C::Laws: LawFactory<()> + 'static,
    {
        let known = self.names().chain(LAWS.iter().map(|law| law.name));
        assert!(
            !known.collect::<Vec<_>>().contains(&name),
            "there is a law called `{name}` already"
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

    /// Name, description and keys of each law, in the order of registration.
    pub fn list(&self) -> impl Iterator<Item = (&'static str, &'static str, Keys)> {
        self.entries
            .iter()
            .map(|entry| (entry.name, entry.about, entry.keys))
    }

    /// Reads the table of the law called `name`.
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

/// The table of a law from outside the registry.
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

/// [`LawConfig`] without its types.
pub(crate) trait CustomConfig: Debug + Send + Sync {
    fn value(&self) -> serde_json::Value;
    fn validate(&self) -> Result<(), ConfigError>;
    fn resolved(&self, context: &LawContext<'_>) -> Arc<dyn CustomConfig>;
    fn laws(&self, context: &LawContext<'_>) -> Arc<dyn CustomFactory>;
    fn telemetry_bytes(&self, context: &LawContext<'_>) -> u16;
    fn marking(&self, nic_rate: Rate) -> Option<MarkingThresholds>;
    fn lowest_rate(&self) -> Option<Rate>;
    fn answers_ignore_pause(&self) -> bool;
}

impl<C> CustomConfig for C
where
    C: LawConfig + Serialize + Send + Sync + 'static,
    C::Laws: LawFactory<()> + 'static,
{
    fn value(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    fn validate(&self) -> Result<(), ConfigError> {
        LawConfig::validate(self)
    }

    fn resolved(&self, context: &LawContext<'_>) -> Arc<dyn CustomConfig> {
        Arc::new(LawConfig::resolved(self, context))
    }

    fn laws(&self, context: &LawContext<'_>) -> Arc<dyn CustomFactory> {
        Arc::new(LawConfig::laws(self, context))
    }

    fn telemetry_bytes(&self, context: &LawContext<'_>) -> u16 {
        LawConfig::telemetry_bytes(self, context)
    }

    fn marking(&self, nic_rate: Rate) -> Option<MarkingThresholds> {
        LawConfig::marking(self, nic_rate)
    }

    fn lowest_rate(&self) -> Option<Rate> {
        LawConfig::lowest_rate(self)
    }

    fn answers_ignore_pause(&self) -> bool {
        LawConfig::answers_ignore_pause(self)
    }
}

/// [`LawFactory`] without its types.
pub(crate) trait CustomFactory: Debug + Send + Sync {
    fn build(&self, start: &FlowStart) -> Box<dyn CongestionControl<()>>;
}

impl<F> CustomFactory for F
where
    F: LawFactory<()>,
    F::Law: 'static,
{
    fn build(&self, start: &FlowStart) -> Box<dyn CongestionControl<()>> {
        Box::new(LawFactory::build(self, start))
    }
}

/// The factory of a law from outside the registry.
#[derive(Clone, Debug)]
pub struct CustomFactories(pub(crate) Arc<dyn CustomFactory>);

impl CustomFactories {
    /// The law of a flow that starts now.
    #[must_use]
    pub fn build(&self, start: &FlowStart) -> CustomLaw {
        CustomLaw(self.0.build(start))
    }
}

/// A law from outside the registry, behind one dynamic call for each acknowledgement.
#[derive(Debug)]
pub struct CustomLaw(pub(crate) Box<dyn CongestionControl<()>>);

impl<H: Header> CongestionControl<H> for CustomLaw {
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
