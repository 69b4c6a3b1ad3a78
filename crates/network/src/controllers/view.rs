//! Controllers that are called dynamically, in networks of any header.

use std::fmt;
use std::sync::Arc;

use fabricsim_base::checkpoint::{LoadError, Reader, Writer};
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::plugin::{
    Ack, Congestion, CongestionControl, CreditDemand, DynController, DynFactory, FlowStart,
    TelemetryCarrier, TelemetryId, TelemetryReader as _, TelemetryView,
};
use fabricsim_hpcc::HasInt;
use fabricsim_pint::HasDigest;

use crate::decoder::Decoder;

/// Creates controllers that are called dynamically, and the decoders of the telemetry that they
/// read.
#[derive(Clone, Debug)]
pub struct ViewedFactory {
    pub(super) factory: Arc<dyn DynFactory>,
    pub(super) telemetry: Option<TelemetryId>,
}

/// The telemetry that a controller reads.
#[derive(Debug)]
struct Source {
    decoder: Decoder,
    /// Bytes that the telemetry adds to a packet on the wire.
    bytes: u16,
    carrier: TelemetryCarrier,
}

impl ViewedFactory {
    /// Returns the controller of a flow that starts now.
    #[must_use]
    pub fn build(&self, start: &FlowStart<'_>) -> ViewedController {
        let source = |kind: TelemetryId| Source {
            decoder: Decoder::new(kind, start.network),
            bytes: kind.wire_bytes(start.network),
            carrier: start.network.carrier,
        };
        ViewedController {
            cc: self.factory.build_dyn(start),
            view: TelemetryView::default(),
            source: self.telemetry.map(source).map(Box::new),
        }
    }
}

/// A controller that is called dynamically. If it reads telemetry, it gets a decoded view of it.
pub struct ViewedController {
    cc: DynController,
    /// The telemetry of the last acknowledgement. It is not state: each acknowledgement overwrites
    /// it before the controller reads it, and it is kept only to reuse its allocation.
    view: TelemetryView,
    source: Option<Box<Source>>,
}

/// Omits the view, because that is not state.
impl fmt::Debug for ViewedController {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("ViewedController");
        fields.field("cc", &self.cc).field("source", &self.source);
        fields.finish_non_exhaustive()
    }
}

impl<H: HasInt + HasDigest> CongestionControl<H> for ViewedController {
    fn reads_rounds(&self) -> bool {
        self.cc.reads_rounds()
    }

    fn prepare(&mut self, header: &mut H) -> u16 {
        let own = self.cc.prepare(&mut TelemetryView::default());
        let Some(source) = &self.source else {
            return own;
        };
        // If switches write the digest, the plan of queries decides which packets carry it, and its
        // bytes are already counted there.
        if matches!(source.decoder, Decoder::Digest(_)) {
            match source.carrier {
                TelemetryCarrier::Switch => return own,
                TelemetryCarrier::Sender => header.carry_digest(),
            }
        }
        own + source.bytes
    }

    fn on_sent(&mut self, wire: Bytes) {
        self.cc.on_sent(wire);
    }

    fn on_ack(&mut self, ack: &Ack<'_, H>) {
        if let Some(source) = &self.source {
            source.decoder.read(ack.telemetry, ack.now, &mut self.view);
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
        self.cc.save_state(out);
    }

    fn load_state(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        self.cc.load_state(input)
    }
}
