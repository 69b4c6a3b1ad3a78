//! The congestion control laws that a scenario can name. A new law is one file and one line here:
//! from the line follow parsing, did-you-mean, `fabricsim list`, dispatch and the conformance tests.

use fabricsim_core::id::ClassId;
use fabricsim_core::input::ConfigError;
use fabricsim_core::plugin::{
    Ack, CongestionControl, FlowStart, LawConfig, LawContext, LawFactory, Loss, MarkingThresholds,
};
use fabricsim_core::units::{Bytes, Rate, Time};
use fabricsim_hpcc::{HpccConfig, IntHeader};
use fabricsim_pint::{PintConfig, PintHeader};
use fabricsim_transport::cc::{DcqcnConfig, DctcpConfig, LineRateConfig, TimelyConfig};
use fabricsim_transport::tcp::TCP_LAWS;
use serde::Serialize;

pub use fabricsim_transport::Transport;

use crate::custom::{CustomCc, CustomFactories, CustomLaw, CustomLaws};
use crate::document::{Document, Section};
use crate::error::Error;
use crate::tcp_class::TcpClass;

/// What a law reads in acknowledgements.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Needs {
    /// Nothing that switches write.
    Nothing,
    /// In-band network telemetry: an entry of each hop.
    Int,
    /// The digest of PINT.
    Digest,
}

/// A law in the registry.
#[derive(Clone, Copy, Debug)]
pub struct LawEntry {
    /// Its name in a scenario.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    /// The keys of its table, each with what it means.
    pub keys: &'static [(&'static str, &'static str)],
    /// What it reads.
    pub needs: Needs,
    /// What carries its flows.
    pub transport: Transport,
}

/// Every law: those of RDMA in the order of the list below, then those of TCP.
pub const LAWS: &[LawEntry] = &{
    let mut all = [RDMA_LAWS[0]; RDMA_LAWS.len() + TCP_LAWS.len()];
    let mut index = 0;
    while index < all.len() {
        all[index] = if index < RDMA_LAWS.len() {
            RDMA_LAWS[index]
        } else {
            let law = TCP_LAWS[index - RDMA_LAWS.len()];
            LawEntry {
                name: law.name,
                about: law.about,
                keys: law.keys,
                needs: Needs::Nothing,
                transport: Transport::Tcp,
            }
        };
        index += 1;
    }
    all
};

macro_rules! congestion_controls {
    ($($(#[doc = $about:literal])* $name:literal: $needs:ident => $variant:ident($config:ty),)*) => {
        /// The `[cc]` table: a law and its settings.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(tag = "kind")]
        pub enum CcConfig {
            $($(#[doc = $about])* #[serde(rename = $name)] $variant($config),)*
            /// A law of TCP.
            #[serde(untagged)]
            Tcp(TcpClass),
            /// A law from outside the registry.
            #[serde(untagged)]
            Custom(CustomCc),
        }

        const RDMA_LAWS: &[LawEntry] = &[$(LawEntry {
            name: $name,
            about: concat!($($about),*),
            keys: <$config as LawConfig>::KEYS,
            needs: Needs::$needs,
            transport: Transport::Rdma,
        },)*];

        impl CcConfig {
            /// The law called `name` with its default settings.
            #[must_use]
            pub fn by_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant(Default::default())),)*
                    _ => TcpClass::by_name(name).map(Self::Tcp),
                }
            }

            /// The law's name.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                    Self::Tcp(class) => class.law.name(),
                    Self::Custom(custom) => custom.name,
                }
            }

            pub(crate) fn read<'a>(
                document: &Document<'a>,
                mut section: Section<'a>,
                custom: &CustomLaws,
            ) -> Result<Self, Error> {
                let names: Vec<&'static str> =
                    LAWS.iter().map(|law| law.name).chain(custom.names()).collect();
                let kind = document.kind(&mut section, &names)?;
                let config = match kind {
                    $($name => Self::$variant(document.settings(&section, <$config as LawConfig>::KEYS)?),)*
                    name => {
                        let keys = entry(name).map_or(&[][..], |law| law.keys);
                        if let Some(class) = TcpClass::read(name, keys, document, &section) {
                            Self::Tcp(class?)
                        } else if let Some(config) = custom.read(name, document, &section) {
                            Self::Custom(config?)
                        } else {
                            unreachable!("`kind` answers with one of the names it was given")
                        }
                    }
                };
                config.validate().map_err(|error| document.refuse(&section, error))?;
                Ok(config)
            }

            /// Refuses values without a meaning.
            ///
            /// # Errors
            /// Names the key, what is wrong and what would be right.
            pub fn validate(&self) -> Result<(), ConfigError> {
                match self {
                    $(Self::$variant(config) => config.validate(),)*
                    Self::Tcp(class) => class.validate(),
                    Self::Custom(custom) => custom.config.validate(),
                }
            }

            /// The settings with every default filled in.
            #[must_use]
            pub fn resolved(&self, context: &LawContext<'_>) -> Self {
                match self {
                    $(Self::$variant(config) => Self::$variant(config.resolved(context)),)*
                    Self::Tcp(class) => Self::Tcp(class.resolved()),
                    Self::Custom(custom) => Self::Custom(CustomCc {
                        name: custom.name,
                        config: custom.config.resolved(context),
                    }),
                }
            }

            /// Bytes of telemetry on a full data packet.
            #[must_use]
            pub fn telemetry_bytes(&self, context: &LawContext<'_>) -> u16 {
                match self {
                    $(Self::$variant(config) => config.telemetry_bytes(context),)*
                    Self::Tcp(_) => 0,
                    Self::Custom(custom) => custom.config.telemetry_bytes(context),
                }
            }

            /// The marks that a law of RDMA wants from switch ports at `nic_rate`.
            #[must_use]
            pub fn marking(&self, nic_rate: Rate) -> Option<MarkingThresholds> {
                match self {
                    $(Self::$variant(config) => config.marking(nic_rate),)*
                    Self::Tcp(_) => None,
                    Self::Custom(custom) => custom.config.marking(nic_rate),
                }
            }

            /// The lowest rate that the user has set.
            #[must_use]
            pub fn lowest_rate(&self) -> Option<Rate> {
                match self {
                    $(Self::$variant(config) => config.lowest_rate(),)*
                    Self::Tcp(_) => None,
                    Self::Custom(custom) => custom.config.lowest_rate(),
                }
            }

            /// Whether the published script lets answers leave a paused host under this law.
            #[must_use]
            pub fn answers_ignore_pause(&self) -> bool {
                match self {
                    $(Self::$variant(config) => config.answers_ignore_pause(),)*
                    Self::Tcp(_) => false,
                    Self::Custom(custom) => custom.config.answers_ignore_pause(),
                }
            }

            /// The factory of the laws, where they are of RDMA.
            #[must_use]
            pub fn laws(&self, context: &LawContext<'_>) -> Option<AnyLaws> {
                Some(match self {
                    $(Self::$variant(config) => AnyLaws::$variant(config.laws(context)),)*
                    Self::Tcp(_) => return None,
                    Self::Custom(custom) => AnyLaws::Custom(CustomFactories(custom.config.laws(context))),
                })
            }
        }

        /// The factory of any law.
        #[derive(Clone, Debug)]
        pub enum AnyLaws {
            $($(#[doc = $about])* $variant(<$config as LawConfig>::Laws),)*
            /// A law from outside the registry.
            Custom(CustomFactories),
        }

        /// Any law; one match for each call.
        #[derive(Debug)]
        pub enum AnyLaw<H: IntHeader + PintHeader> {
            $($(#[doc = $about])* $variant(<<$config as LawConfig>::Laws as LawFactory<H>>::Law),)*
            /// A law from outside the registry.
            Custom(CustomLaw),
        }

        impl<H: IntHeader + PintHeader> LawFactory<H> for AnyLaws {
            type Law = AnyLaw<H>;

            fn build(&self, start: &FlowStart) -> AnyLaw<H> {
                match self {
                    $(Self::$variant(laws) => AnyLaw::$variant(LawFactory::<H>::build(laws, start)),)*
                    Self::Custom(laws) => AnyLaw::Custom(laws.build(start)),
                }
            }
        }

        impl<H: IntHeader + PintHeader> CongestionControl<H> for AnyLaw<H> {
            #[inline]
            fn prepare(&mut self, header: &mut H) -> u16 {
                match self {
                    $(Self::$variant(law) => law.prepare(header),)*
                    Self::Custom(law) => law.prepare(header),
                }
            }

            #[inline]
            fn on_sent(&mut self, wire: Bytes) {
                match self {
                    $(Self::$variant(law) => CongestionControl::<H>::on_sent(law, wire),)*
                    Self::Custom(law) => CongestionControl::<H>::on_sent(law, wire),
                }
            }

            #[inline]
            fn on_ack(&mut self, ack: &Ack<'_, H>) {
                match self {
                    $(Self::$variant(law) => law.on_ack(ack),)*
                    Self::Custom(law) => law.on_ack(ack),
                }
            }

            #[inline]
            fn window(&self) -> Option<Bytes> {
                match self {
                    $(Self::$variant(law) => CongestionControl::<H>::window(law),)*
                    Self::Custom(law) => CongestionControl::<H>::window(law),
                }
            }

            #[inline]
            fn pacing_rate(&self) -> Option<Rate> {
                match self {
                    $(Self::$variant(law) => CongestionControl::<H>::pacing_rate(law),)*
                    Self::Custom(law) => CongestionControl::<H>::pacing_rate(law),
                }
            }

            #[inline]
            fn retimes(&self) -> bool {
                match self {
                    $(Self::$variant(law) => CongestionControl::<H>::retimes(law),)*
                    Self::Custom(law) => CongestionControl::<H>::retimes(law),
                }
            }

            fn on_loss(&mut self, loss: &Loss) {
                match self {
                    $(Self::$variant(law) => CongestionControl::<H>::on_loss(law, loss),)*
                    Self::Custom(law) => CongestionControl::<H>::on_loss(law, loss),
                }
            }

            #[inline]
            fn deadline(&self) -> Time {
                match self {
                    $(Self::$variant(law) => CongestionControl::<H>::deadline(law),)*
                    Self::Custom(law) => CongestionControl::<H>::deadline(law),
                }
            }

            fn on_timer(&mut self, now: Time) {
                match self {
                    $(Self::$variant(law) => CongestionControl::<H>::on_timer(law, now),)*
                    Self::Custom(law) => CongestionControl::<H>::on_timer(law, now),
                }
            }
        }
    };
}

congestion_controls! {
    /// HPCC on in-band telemetry (SIGCOMM 2019)
    "hpcc": Int => Hpcc(HpccConfig),
    /// HPCC on the probabilistic digest of PINT (SIGCOMM 2020)
    "hpcc-pint": Digest => HpccPint(PintConfig),
    /// DCQCN: marks and timers, as NIC vendors build it or as its paper has it (SIGCOMM 2015)
    "dcqcn": Nothing => Dcqcn(DcqcnConfig),
    /// TIMELY: the gradient of the round-trip time (SIGCOMM 2015)
    "timely": Nothing => Timely(TimelyConfig),
    /// DCTCP in hardware: the share of marked packets (SIGCOMM 2010)
    "dctcp": Nothing => Dctcp(DctcpConfig),
    /// line rate for ever, with a fixed window: no congestion control
    "line-rate": Nothing => LineRate(LineRateConfig),
}

impl CcConfig {
    /// What the law reads in acknowledgements.
    #[must_use]
    pub fn needs(&self) -> Needs {
        entry(self.name()).map_or(Needs::Nothing, |law| law.needs)
    }

    /// What carries the law's flows.
    #[must_use]
    pub const fn transport(&self) -> Transport {
        match self {
            Self::Tcp(_) => Transport::Tcp,
            _ => Transport::Rdma,
        }
    }
}

/// The law called `name`.
fn entry(name: &str) -> Option<&'static LawEntry> {
    LAWS.iter().find(|law| law.name == name)
}

/// The laws of RDMA in a run: one for each class that has its own, one for all others.
#[derive(Clone, Debug)]
pub struct ClassLaws {
    default: Option<AnyLaws>,
    /// By class number.
    own: Vec<Option<AnyLaws>>,
}

impl ClassLaws {
    /// The laws of `default`, and of `own` for the classes that it lists by number.
    #[must_use]
    pub fn new<'a>(
        default: &CcConfig,
        own: impl IntoIterator<Item = (ClassId, &'a CcConfig)>,
        context: &LawContext<'_>,
    ) -> Self {
        let mut by_class = Vec::new();
        for (class, config) in own {
            let index = usize::from(class.0);
            if by_class.len() <= index {
                by_class.resize_with(index + 1, || None);
            }
            by_class[index] = config.laws(context);
        }
        Self {
            default: default.laws(context),
            own: by_class,
        }
    }
}

impl ClassLaws {
    /// From now on the plan of queries says which packets carry the digests that laws read.
    pub(crate) fn follow_plan(&mut self) {
        for laws in self.own.iter_mut().flatten().chain(&mut self.default) {
            if let AnyLaws::HpccPint(laws) = laws {
                laws.follow_plan();
            }
        }
    }
}

impl<H: IntHeader + PintHeader> LawFactory<H> for ClassLaws {
    type Law = AnyLaw<H>;

    fn build(&self, start: &FlowStart) -> AnyLaw<H> {
        let class = usize::from(start.flow.request.class.0);
        let laws = self.own.get(class).and_then(Option::as_ref);
        let laws = laws.or(self.default.as_ref());
        laws.expect("TCP builds the laws of its classes itself")
            .build(start)
    }
}
