//! Controllers behind pointers in networks of any header.

use std::sync::Arc;

use fabricsim_base::checkpoint::{LoadError, Reader, Stored, Writer};
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::{
    Ack, CcConfig, Congestion, CongestionControl, CreditDemand, DigestCarrier, DynController,
    DynFactory, FlowStart, RequiredTelemetry, TelemetryReader as _, TelemetryView,
};
use fabricsim_hpcc::{HasInt, IntDecoder, int_bytes};
use fabricsim_pint::{DigestSlot as _, HasDigest, LogCode, PintConfig};

/// Makes controllers behind pointers and decodes the telemetry that they require.
#[derive(Clone, Debug)]
pub struct ViewedFactory {
    pub(super) factory: Arc<dyn DynFactory>,
    pub(super) telemetry: RequiredTelemetry,
}

/// Parameters for decoding telemetry; one set for all flows.
#[derive(Debug)]
enum Source {
    Nothing,
    Int {
        decoder: IntDecoder,
        bytes: u16,
    },
    Digest {
        code: LogCode,
        bytes: u16,
        carrier: DigestCarrier,
    },
}

impl ViewedFactory {
    /// Returns the controller of a flow that starts now.
    #[must_use]
    pub fn build(&self, start: &FlowStart<'_>) -> ViewedController {
        ViewedController {
            cc: self.factory.build_dyn(start),
            view: TelemetryView::default(),
            source: self.source(start),
        }
    }

    fn source(&self, start: &FlowStart<'_>) -> Arc<Source> {
        let network = start.network;
        Arc::new(match self.telemetry {
            RequiredTelemetry::Nothing => Source::Nothing,
            RequiredTelemetry::Int => Source::Int {
                decoder: IntDecoder::new(network),
                bytes: int_bytes(network.longest_path),
            },
            RequiredTelemetry::Digest => {
                let config = PintConfig::default();
                Source::Digest {
                    code: config.log_code(&network.quirks),
                    bytes: CcConfig::telemetry_bytes(&config, network),
                    carrier: network.digests,
                }
            }
        })
    }
}

/// A controller behind a pointer: one dynamic call for each method, and a decoded view of the
/// telemetry where it requires some.
#[derive(Debug)]
pub struct ViewedController {
    cc: DynController,
    view: TelemetryView,
    source: Arc<Source>,
}

impl<H: HasInt + HasDigest> CongestionControl<H> for ViewedController {
    fn prepare(&mut self, header: &mut H) -> u16 {
        let own = self.cc.prepare(&mut self.view);
        own + match *self.source {
            Source::Nothing => 0,
            Source::Int { bytes, .. } => bytes,
            Source::Digest { bytes, carrier, .. } => match carrier {
                DigestCarrier::Switch => 0,
                DigestCarrier::Sender => {
                    header.digest_mut().carry();
                    bytes
                }
            },
        }
    }

    fn on_sent(&mut self, wire: Bytes) {
        self.cc.on_sent(wire);
    }

    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        match &*self.source {
            Source::Nothing => {}
            Source::Int { decoder, .. } => {
                decoder.read(ack.telemetry, ack.now, &mut self.view);
            }
            Source::Digest { code, .. } => {
                let digest = ack.telemetry.digest().code();
                self.view
                    .set_digest(digest.map(|digest| code.decode(digest)));
            }
        }
        self.cc.on_ack(&ack.with_telemetry(&self.view));
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.cc.on_congestion(congestion);
    }

    fn on_trimmed(&mut self, congestion: &Congestion) {
        self.cc.on_trimmed(congestion);
    }

    fn on_recovery_exit(&mut self, most: Option<Bytes>) {
        self.cc.on_recovery_exit(most);
    }

    fn on_idle(&mut self, idle: Duration, restart: Option<Bytes>) {
        self.cc.on_idle(idle, restart);
    }

    fn window(&self) -> Option<Bytes> {
        self.cc.window()
    }

    fn has_credit(&self) -> bool {
        self.cc.has_credit()
    }

    fn ask_for_credit(&mut self, demand: &CreditDemand) -> Option<u64> {
        self.cc.ask_for_credit(demand)
    }

    fn on_credit(&mut self, now: Time, granted: u64) {
        self.cc.on_credit(now, granted);
    }

    fn slow_start_threshold(&self) -> Option<Bytes> {
        self.cc.slow_start_threshold()
    }

    fn in_slow_start(&self) -> bool {
        self.cc.in_slow_start()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.cc.pacing_rate()
    }

    fn reschedules(&self) -> bool {
        self.cc.reschedules()
    }

    fn deadline(&self) -> Time {
        self.cc.deadline()
    }

    fn on_timer(&mut self, now: Time) {
        self.cc.on_timer(now);
    }

    fn type_name(&self) -> &'static str {
        self.cc.type_name()
    }

    fn save_state(&self, out: &mut Writer) {
        self.view.store(out);
        self.cc.save_state(out);
    }

    fn load_state(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        self.view = TelemetryView::fetch(input)?;
        self.cc.load_state(input)
    }
}
