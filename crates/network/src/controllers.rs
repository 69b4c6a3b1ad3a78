//! Creates the controllers of RDMA flows from the algorithms of a scenario. A call to a listed
//! algorithm costs one `match`; a call to any other algorithm is a dynamic call.

mod view;

use std::any::Any;
use std::sync::Arc;

use fabricsim_base::checkpoint::{LoadError, Reader, Writer};
use fabricsim_base::id::ClassId;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::{
    Ack, CcConfig, CcContext, Congestion, CongestionControl, ControllerFactory, CreditDemand,
    Departure, DynFactory, FlowStart, SendLimits, TelemetryId,
};
use fabricsim_hpcc::{HasInt, HpccConfig, PowerTcpConfig, ThetaPowerTcpConfig};
use fabricsim_pint::{HasDigest, PintConfig};
use fabricsim_transport::cc::{
    DcqcnConfig, DctcpConfig, NoneConfig, NsccConfig, RcccConfig, SwiftConfig, TimelyConfig,
};

use self::view::ViewedFactory;

pub use self::view::ViewedController;

/// Defines the enums of the algorithms that are compiled for each header, and `each!`, a `match`
/// over them.
macro_rules! compiled {
    (($d:tt) $($variant:ident($config:ty),)*) => {
        /// The factory of the controllers of any algorithm.
        #[derive(Clone, Debug)]
        pub enum AnyFactory {
            $(#[doc = concat!("[`", stringify!($config), "`].")] $variant($config),)*
            /// Any other algorithm.
            Viewed(ViewedFactory),
        }

        /// An RDMA controller of any algorithm. Each call is one `match`.
        #[derive(Debug)]
        pub enum AnyController<H: HasInt + HasDigest> {
            $(#[doc = concat!("Of [`", stringify!($config), "`].")]
            $variant(<$config as ControllerFactory<H>>::Controller),)*
            /// Any other algorithm.
            Viewed(ViewedController),
        }

        impl AnyFactory {
            /// Returns the factory of the algorithm with the configuration `config` if the
            /// algorithm is compiled for each header.
            #[must_use]
            pub fn compiled(config: &dyn Any) -> Option<Self> {
                $(if let Some(config) = config.downcast_ref::<$config>() {
                    return Some(Self::$variant(config.clone()));
                })*
                None
            }

            fn lowest_rate_of(&self, start: &FlowStart<'_>) -> Option<Rate> {
                match self {
                    $(Self::$variant(config) => CcConfig::lowest_rate_of(config, start),)*
                    Self::Viewed(factory) => factory.factory.lowest_rate_of(start),
                }
            }

            fn build<H: HasInt + HasDigest>(&self, start: &FlowStart<'_>) -> AnyController<H> {
                match self {
                    $(Self::$variant(config) => AnyController::$variant(ControllerFactory::<H>::build(config, start)),)*
                    Self::Viewed(factory) => AnyController::Viewed(factory.build(start)),
                }
            }
        }

        macro_rules! each {
            ($d controller:expr, $d method:ident($d($d argument:expr),*)) => {
                match $d controller {
                    $(Self::$variant(cc) => CongestionControl::<H>::$d method(cc, $d($d argument),*),)*
                    Self::Viewed(cc) => CongestionControl::<H>::$d method(cc, $d($d argument),*),
                }
            };
        }
    };
}

compiled! { ($)
    Hpcc(HpccConfig),
    HpccPint(PintConfig),
    PowerTcp(PowerTcpConfig),
    ThetaPowerTcp(ThetaPowerTcpConfig),
    Dcqcn(DcqcnConfig),
    Timely(TimelyConfig),
    Dctcp(DctcpConfig),
    Swift(SwiftConfig),
    Nscc(NsccConfig),
    Rccc(RcccConfig),
    NoControl(NoneConfig),
}

/// Methods that only TCP calls keep their default implementations, because no TCP flow has such a
/// controller.
impl<H: HasInt + HasDigest> CongestionControl<H> for AnyController<H> {
    #[inline]
    fn prepare(&mut self, header: &mut H) -> u16 {
        each!(self, prepare(header))
    }

    #[inline]
    fn on_sent(&mut self, wire: Bytes) {
        each!(self, on_sent(wire));
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        each!(self, on_ack(ack));
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        each!(self, on_congestion(congestion));
    }

    fn on_trimmed(&mut self, congestion: &Congestion) {
        each!(self, on_trimmed(congestion));
    }

    fn reads_rounds(&self) -> bool {
        each!(self, reads_rounds())
    }

    #[inline]
    fn window(&self) -> Option<Bytes> {
        each!(self, window())
    }

    #[inline]
    fn has_credit(&self) -> bool {
        each!(self, has_credit())
    }

    #[inline]
    fn ask_for_credit(&mut self, demand: &CreditDemand) -> Option<u64> {
        each!(self, ask_for_credit(demand))
    }

    fn on_credit(&mut self, now: Time, granted: u64) {
        each!(self, on_credit(now, granted));
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        each!(self, pacing_rate())
    }

    #[inline]
    fn reschedules(&self) -> bool {
        each!(self, reschedules())
    }

    #[inline]
    fn deadline(&self) -> Time {
        each!(self, deadline())
    }

    fn on_timer(&mut self, now: Time) {
        each!(self, on_timer(now));
    }

    #[inline]
    fn limits(&self) -> SendLimits {
        each!(self, limits())
    }

    #[inline]
    fn acknowledge(&mut self, ack: &Ack<'_, H>, limits: &mut SendLimits) -> bool {
        each!(self, acknowledge(ack, limits))
    }

    #[inline]
    fn send(&mut self, header: &mut H, wire: u16) -> Departure {
        each!(self, send(header, wire))
    }

    fn type_name(&self) -> &'static str {
        each!(self, type_name())
    }

    fn save_state(&self, out: &mut Writer) {
        each!(self, save_state(out));
    }

    fn load_state(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        each!(self, load_state(input))
    }
}

/// The factory of a class of flows, with the network for which it creates controllers.
#[derive(Clone, Debug)]
struct ClassFactory {
    factory: AnyFactory,
    network: CcContext,
    /// The lowest rate of flows from NICs of the network's rate.
    lowest_rate: Option<Rate>,
}

impl AnyFactory {
    /// Returns the factory of an algorithm that is called dynamically and reads `telemetry`.
    #[must_use]
    pub const fn viewed(factory: Arc<dyn DynFactory>, telemetry: Option<TelemetryId>) -> Self {
        Self::Viewed(ViewedFactory { factory, telemetry })
    }
}

impl ClassFactory {
    fn new(factory: AnyFactory, network: &CcContext) -> Self {
        // Only the rate of the NIC matters.
        let start = FlowStart::new(network.nic_rate, Duration::ZERO, Bytes::ZERO, network);
        Self {
            lowest_rate: factory.lowest_rate_of(&start),
            factory,
            network: network.clone(),
        }
    }
}

/// The RDMA factories of a run: one for each class with its own algorithm, and one for all
/// other classes.
#[derive(Clone, Debug)]
pub struct ClassFactories {
    default: Option<ClassFactory>,
    /// Indexed by class number.
    own: Vec<Option<ClassFactory>>,
}

impl ClassFactories {
    /// Returns the factories of a run: `own` for the listed classes, `default` for all other
    /// classes. `None` means that the algorithm is one of TCP.
    #[must_use]
    pub fn new(
        default: Option<AnyFactory>,
        own: impl IntoIterator<Item = (ClassId, Option<AnyFactory>)>,
        network: &CcContext,
    ) -> Self {
        let mut by_class = Vec::new();
        for (class, factory) in own {
            let index = usize::from(class.0);
            if by_class.len() <= index {
                by_class.resize_with(index + 1, || None);
            }
            by_class[index] = factory.map(|factory| ClassFactory::new(factory, network));
        }
        Self {
            default: default.map(|factory| ClassFactory::new(factory, network)),
            own: by_class,
        }
    }

    fn of(&self, class: ClassId) -> &ClassFactory {
        let own = self.own.get(usize::from(class.0));
        let factory = own.and_then(Option::as_ref).or(self.default.as_ref());
        factory.expect("TCP builds the controllers of its classes itself")
    }
}

impl<H: HasInt + HasDigest> ControllerFactory<H> for ClassFactories {
    type Controller = AnyController<H>;

    fn build(&self, start: &FlowStart<'_>) -> AnyController<H> {
        let class = self.of(start.class);
        class.factory.build(&FlowStart {
            network: &class.network,
            ..*start
        })
    }

    fn lowest_rate_of(&self, start: &FlowStart<'_>) -> Option<Rate> {
        let class = self.of(start.class);
        let nic_rate = start.default_nic_rate();
        if nic_rate == class.network.nic_rate {
            return class.lowest_rate;
        }
        class.factory.lowest_rate_of(&FlowStart {
            network: &class.network,
            ..*start
        })
    }
}
