//! The congestion-control algorithms that a scenario can name. A new algorithm is one file and one line here:
//! from the line follow parsing, did-you-mean, `fabricsim list`, dispatch and the conformance tests.

use fabricsim_core::id::ClassId;
use fabricsim_core::input::ConfigError;
use fabricsim_core::plugin::{
    Ack, CcConfig, CcContext, CongestionControl, ControllerFactory, FlowStart, Loss,
    MarkingThresholds,
};
use fabricsim_core::units::{Bytes, Rate, Time};
use fabricsim_hpcc::{HpccConfig, IntHeader};
use fabricsim_pint::{PintConfig, PintHeader};
use fabricsim_transport::cc::{DcqcnConfig, DctcpConfig, NoneConfig, TimelyConfig};
use fabricsim_transport::tcp::TCP_CONGESTION_CONTROLS;
use serde::Serialize;

pub use fabricsim_transport::Transport;

use crate::cc::custom::{CcRegistry, CustomCc, CustomController, CustomFactories};
use crate::cc::tcp_class::TcpClass;
use crate::text::document::{Document, Section};
use crate::text::error::Error;

/// What an algorithm reads in acknowledgements.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Needs {
    /// Nothing that switches write.
    Nothing,
    /// In-band network telemetry: an entry of each hop.
    Int,
    /// The digest of PINT.
    Digest,
}

/// An algorithm in the registry.
#[derive(Clone, Copy, Debug)]
pub struct CcEntry {
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

/// Every algorithm: those of RDMA in the order of the list below, then those of TCP.
pub const CONGESTION_CONTROLS: &[CcEntry] = &{
    let mut all = [RDMA_CONGESTION_CONTROLS[0];
        RDMA_CONGESTION_CONTROLS.len() + TCP_CONGESTION_CONTROLS.len()];
    let mut index = 0;
    while index < all.len() {
        all[index] = if index < RDMA_CONGESTION_CONTROLS.len() {
            RDMA_CONGESTION_CONTROLS[index]
        } else {
            let cc = TCP_CONGESTION_CONTROLS[index - RDMA_CONGESTION_CONTROLS.len()];
            CcEntry {
                name: cc.name,
                about: cc.about,
                keys: cc.keys,
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
        /// The `[cc]` table: an algorithm and its settings.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(tag = "kind")]
        pub enum AnyCcConfig {
            $($(#[doc = $about])* #[serde(rename = $name)] $variant($config),)*
            /// An algorithm of TCP.
            #[serde(untagged)]
            Tcp(TcpClass),
            /// An algorithm from outside the registry.
            #[serde(untagged)]
            Custom(CustomCc),
        }

        const RDMA_CONGESTION_CONTROLS: &[CcEntry] = &[$(CcEntry {
            name: $name,
            about: concat!($($about),*),
            keys: <$config as CcConfig>::KEYS,
            needs: Needs::$needs,
            transport: Transport::Rdma,
        },)*];

        impl AnyCcConfig {
            /// The algorithm called `name` with its default settings.
            #[must_use]
            pub fn by_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant(Default::default())),)*
                    _ => TcpClass::by_name(name).map(Self::Tcp),
                }
            }

            /// The algorithm's name.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                    Self::Tcp(class) => class.cc.name(),
                    Self::Custom(custom) => custom.name,
                }
            }

            pub(crate) fn read<'a>(
                document: &Document<'a>,
                mut section: Section<'a>,
                custom: &CcRegistry,
            ) -> Result<Self, Error> {
                let names: Vec<&'static str> =
                    CONGESTION_CONTROLS.iter().map(|cc| cc.name).chain(custom.names()).collect();
                let kind = document.kind(&mut section, &names)?;
                let config = match kind {
                    $($name => Self::$variant(document.settings(&section, <$config as CcConfig>::KEYS)?),)*
                    name => {
                        let keys = entry(name).map_or(&[][..], |cc| cc.keys);
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
            pub fn resolved(&self, context: &CcContext<'_>) -> Self {
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
            pub fn telemetry_bytes(&self, context: &CcContext<'_>) -> u16 {
                match self {
                    $(Self::$variant(config) => config.telemetry_bytes(context),)*
                    Self::Tcp(_) => 0,
                    Self::Custom(custom) => custom.config.telemetry_bytes(context),
                }
            }

            /// The marks that an algorithm of RDMA wants from switch ports at `nic_rate`.
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

            /// Whether the published script lets answers leave a paused host under this algorithm.
            #[must_use]
            pub fn ack_high_priority(&self) -> bool {
                match self {
                    $(Self::$variant(config) => config.ack_high_priority(),)*
                    Self::Tcp(_) => false,
                    Self::Custom(custom) => custom.config.ack_high_priority(),
                }
            }

            /// The factory of the algorithms, where they are of RDMA.
            #[must_use]
            pub fn factory(&self, context: &CcContext<'_>) -> Option<AnyFactory> {
                Some(match self {
                    $(Self::$variant(config) => AnyFactory::$variant(config.factory(context)),)*
                    Self::Tcp(_) => return None,
                    Self::Custom(custom) => AnyFactory::Custom(CustomFactories(custom.config.factory(context))),
                })
            }
        }

        /// The factory of any algorithm.
        #[derive(Clone, Debug)]
        pub enum AnyFactory {
            $($(#[doc = $about])* $variant(<$config as CcConfig>::Factory),)*
            /// An algorithm from outside the registry.
            Custom(CustomFactories),
        }

        /// Any algorithm; one match for each call.
        #[derive(Debug)]
        pub enum AnyController<H: IntHeader + PintHeader> {
            $($(#[doc = $about])* $variant(<<$config as CcConfig>::Factory as ControllerFactory<H>>::Controller),)*
            /// An algorithm from outside the registry.
            Custom(CustomController),
        }

        impl<H: IntHeader + PintHeader> ControllerFactory<H> for AnyFactory {
            type Controller = AnyController<H>;

            fn build(&self, start: &FlowStart) -> AnyController<H> {
                match self {
                    $(Self::$variant(factory) => AnyController::$variant(ControllerFactory::<H>::build(factory, start)),)*
                    Self::Custom(factory) => AnyController::Custom(factory.build(start)),
                }
            }
        }

        impl<H: IntHeader + PintHeader> CongestionControl<H> for AnyController<H> {
            #[inline]
            fn prepare(&mut self, header: &mut H) -> u16 {
                match self {
                    $(Self::$variant(cc) => cc.prepare(header),)*
                    Self::Custom(cc) => cc.prepare(header),
                }
            }

            #[inline]
            fn on_sent(&mut self, wire: Bytes) {
                match self {
                    $(Self::$variant(cc) => CongestionControl::<H>::on_sent(cc, wire),)*
                    Self::Custom(cc) => CongestionControl::<H>::on_sent(cc, wire),
                }
            }

            #[inline]
            fn on_ack(&mut self, ack: &Ack<'_, H>) {
                match self {
                    $(Self::$variant(cc) => cc.on_ack(ack),)*
                    Self::Custom(cc) => cc.on_ack(ack),
                }
            }

            #[inline]
            fn window(&self) -> Option<Bytes> {
                match self {
                    $(Self::$variant(cc) => CongestionControl::<H>::window(cc),)*
                    Self::Custom(cc) => CongestionControl::<H>::window(cc),
                }
            }

            #[inline]
            fn pacing_rate(&self) -> Option<Rate> {
                match self {
                    $(Self::$variant(cc) => CongestionControl::<H>::pacing_rate(cc),)*
                    Self::Custom(cc) => CongestionControl::<H>::pacing_rate(cc),
                }
            }

            #[inline]
            fn retimes(&self) -> bool {
                match self {
                    $(Self::$variant(cc) => CongestionControl::<H>::retimes(cc),)*
                    Self::Custom(cc) => CongestionControl::<H>::retimes(cc),
                }
            }

            fn on_loss(&mut self, loss: &Loss) {
                match self {
                    $(Self::$variant(cc) => CongestionControl::<H>::on_loss(cc, loss),)*
                    Self::Custom(cc) => CongestionControl::<H>::on_loss(cc, loss),
                }
            }

            #[inline]
            fn deadline(&self) -> Time {
                match self {
                    $(Self::$variant(cc) => CongestionControl::<H>::deadline(cc),)*
                    Self::Custom(cc) => CongestionControl::<H>::deadline(cc),
                }
            }

            fn on_timer(&mut self, now: Time) {
                match self {
                    $(Self::$variant(cc) => CongestionControl::<H>::on_timer(cc, now),)*
                    Self::Custom(cc) => CongestionControl::<H>::on_timer(cc, now),
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
    "none": Nothing => NoControl(NoneConfig),
}

impl AnyCcConfig {
    /// What the algorithm reads in acknowledgements.
    #[must_use]
    pub fn needs(&self) -> Needs {
        entry(self.name()).map_or(Needs::Nothing, |cc| cc.needs)
    }

    /// What carries the algorithm's flows.
    #[must_use]
    pub const fn transport(&self) -> Transport {
        match self {
            Self::Tcp(_) => Transport::Tcp,
            _ => Transport::Rdma,
        }
    }
}

/// The algorithm called `name`.
fn entry(name: &str) -> Option<&'static CcEntry> {
    CONGESTION_CONTROLS.iter().find(|cc| cc.name == name)
}

/// The algorithms of RDMA in a run: one for each class that has its own, one for all others.
#[derive(Clone, Debug)]
pub struct ClassFactories {
    default: Option<AnyFactory>,
    /// By class number.
    own: Vec<Option<AnyFactory>>,
}

impl ClassFactories {
    /// The algorithms of `default`, and of `own` for the classes that it lists by number.
    #[must_use]
    pub fn new<'a>(
        default: &AnyCcConfig,
        own: impl IntoIterator<Item = (ClassId, &'a AnyCcConfig)>,
        context: &CcContext<'_>,
    ) -> Self {
        let mut by_class = Vec::new();
        for (class, config) in own {
            let index = usize::from(class.0);
            if by_class.len() <= index {
                by_class.resize_with(index + 1, || None);
            }
            by_class[index] = config.factory(context);
        }
        Self {
            default: default.factory(context),
            own: by_class,
        }
    }
}

impl ClassFactories {
    /// From now on the plan of queries says which packets carry the digests that algorithms read.
    pub fn follow_plan(&mut self) {
        for factory in self.own.iter_mut().flatten().chain(&mut self.default) {
            if let AnyFactory::HpccPint(factory) = factory {
                factory.follow_plan();
            }
        }
    }
}

impl<H: IntHeader + PintHeader> ControllerFactory<H> for ClassFactories {
    type Controller = AnyController<H>;

    fn build(&self, start: &FlowStart) -> AnyController<H> {
        let class = usize::from(start.flow.request.class.0);
        let factory = self.own.get(class).and_then(Option::as_ref);
        let factory = factory.or(self.default.as_ref());
        factory
            .expect("TCP builds the algorithms of its classes itself")
            .build(start)
    }
}
