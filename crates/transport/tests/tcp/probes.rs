//! Tests of probes for controllers that need them: one per round trip regardless of losses, and
//! none on an idle connection.

use std::sync::{Arc, Mutex};

use fabricsim_base::input::Keys;
use fabricsim_base::units::{Bytes, Duration, Rate, Time};
use fabricsim_core::packet::{Flags, PacketKind};
use fabricsim_core::plugin::{
    Ack, CcConfig, CongestionControl, ControllerFactory, FlowStart, ProbeForm, Probes,
    ReturnedProbe, Transport,
};
use fabricsim_transport::cc::NewRenoConfig;
use fabricsim_transport::tcp::{ClassConfig, Opening, Pattern, Reuse, TcpConfig, TcpProfile};

use crate::network::{Fate, Network, Path, Segment, at_ms, is_data, ms};

/// A returned probe: its arrival time, and the sender's `snd_nxt` at departure and at arrival.
#[derive(Clone, Copy, Debug)]
struct Back {
    at: Time,
    sent_next: u64,
    next_seq: u64,
}

/// A window of ten segments that records probes.
#[derive(Clone, Debug)]
struct Probed {
    form: ProbeForm,
    back: Arc<Mutex<Vec<Back>>>,
}

impl CcConfig for Probed {
    const KEYS: Keys = &[];
    const TRANSPORT: Transport = Transport::Tcp;
}

impl<H> ControllerFactory<H> for Probed {
    type Controller = Self;

    fn build(&self, _start: &FlowStart<'_>) -> Self {
        self.clone()
    }
}

impl<H> CongestionControl<H> for Probed {
    fn on_ack(&mut self, _ack: &Ack<'_, H>) {}

    fn probes(&self) -> Option<Probes> {
        Some(Probes {
            form: self.form,
            telemetry_bytes: 42,
        })
    }

    fn on_probe(&mut self, probe: &ReturnedProbe<'_, H>) {
        self.back.lock().unwrap().push(Back {
            at: probe.now,
            sent_next: probe.sent_next,
            next_seq: probe.next_seq,
        });
    }

    fn window(&self) -> Option<Bytes> {
        Some(Bytes::new(10 * 1_448))
    }

    fn pacing_rate(&self) -> Option<Rate> {
        None
    }
}

/// Number of transmitted probe packets, by direction and fate.
#[derive(Clone, Copy, Debug, Default)]
struct Carried {
    forth: u64,
    forth_lost: u64,
    back: u64,
    back_lost: u64,
    last: Time,
}

/// Results of 500 segments over a round-trip time of 40 ms.
struct Outcome {
    back: Vec<Back>,
    carried: Carried,
    fct_ms: f64,
}

/// Transmits 500 segments. Every `lose`-th packet of a probe is lost, and all packets in the time
/// `dark`.
fn transfer(form: ProbeForm, lose: u64, dark: std::ops::Range<u64>, class: ClassConfig) -> Outcome {
    let probed = Probed {
        form,
        back: Arc::default(),
    };
    let class = ClassConfig {
        cc: Arc::new(probed.clone()),
        ..class
    };
    let carried = Arc::new(Mutex::new(Carried::default()));
    let count = Arc::clone(&carried);
    // Count probe packets, check their sizes, and lose the selected ones.
    let fate = move |at: Time, packet: &Segment| {
        let is_dark = dark.contains(&(at.as_ns() / 1_000_000));
        if !packet.flags.has(Flags::PROBE) {
            return if is_dark { Fate::Lost } else { Fate::Arrives };
        }
        let mut count = count.lock().unwrap();
        count.last = at;
        let lost = is_dark || (count.forth + count.back) % lose == lose - 1;
        match packet.kind() {
            PacketKind::Data => {
                let expected = match form {
                    ProbeForm::Packet => 64 + 42,
                    ProbeForm::Data => packet.payload + 66 + 42,
                };
                assert_eq!(packet.wire, expected);
                count.forth += 1;
                count.forth_lost += u64::from(lost);
            }
            _ => {
                assert_eq!(packet.wire, 106);
                count.back += 1;
                count.back_lost += u64::from(lost);
            }
        }
        if lost { Fate::Lost } else { Fate::Arrives }
    };
    let config = TcpConfig::default();
    let mut network = Network::new(2, Path::wan(ms(40), 1 << 20), &config, class, fate);
    network.flow(0, 1, 500 * 1_448, Time::ZERO, 0);
    network.finish();
    // Packets still in flight arrive, but nothing new begins.
    network.run_until(at_ms(3_000_000));
    let (back, carried) = (
        probed.back.lock().unwrap().clone(),
        *carried.lock().unwrap(),
    );
    Outcome {
        back,
        carried,
        fct_ms: network.fct_ms()[0],
    }
}

fn open() -> ClassConfig {
    ClassConfig {
        opening: Opening::Open,
        ..ClassConfig::default()
    }
}

const FORMS: [ProbeForm; 2] = [ProbeForm::Packet, ProbeForm::Data];

#[test]
fn a_probe_leaves_in_each_round_trip() {
    for form in FORMS {
        let outcome = transfer(form, u64::MAX, 0..0, open());
        // Ten segments per slightly more than 40 ms: 50 round trips.
        let (trips, probes) = (outcome.fct_ms / 40.5, outcome.back.len() as f64);
        assert!(
            (probes - trips).abs() < 2.5,
            "{form:?}: {probes} of {trips}"
        );
        for pair in outcome.back.windows(2) {
            assert!(pair[1].at.since(pair[0].at) >= ms(40));
            // The next probe left at once, when the sender was at the reported byte or later.
            assert!(pair[1].sent_next >= pair[0].next_seq, "{form:?} {pair:?}");
            if form == ProbeForm::Packet {
                assert_eq!(pair[1].sent_next, pair[0].next_seq);
            }
            assert!(pair[1].next_seq > pair[1].sent_next);
        }
    }
}

#[test]
fn every_probe_comes_back_or_is_lost() {
    for form in FORMS {
        for lose in [u64::MAX, 7, 3, 2] {
            let Outcome { back, carried, .. } = transfer(form, lose, 0..0, open());
            // The last probe may arrive at a connection that has ended, or return to one.
            let there = carried.forth - carried.forth_lost;
            assert!(
                (carried.back..=carried.back + 1).contains(&there),
                "{form:?} {lose}: {carried:?}"
            );
            let arrived = carried.back - carried.back_lost;
            let noted = back.len() as u64;
            assert!(
                (arrived.saturating_sub(1)..=arrived).contains(&noted),
                "{form:?} {lose}: {noted} of {carried:?}"
            );
            if lose < 10 {
                assert!(carried.forth_lost + carried.back_lost > 2, "{carried:?}");
            }
        }
    }
}

/// All probes and data between 100 ms and 10 s are lost. The timeouts of both double, and both
/// continue when the network works again.
#[test]
fn probes_go_on_after_a_flap() {
    for form in FORMS {
        let outcome = transfer(form, u64::MAX, 100..10_000, open());
        let lost = outcome.carried.forth_lost + outcome.carried.back_lost;
        assert!((1..12).contains(&lost), "{form:?}: {lost}");
        let after = outcome.back.iter().filter(|back| back.at > at_ms(10_000));
        let span = outcome.fct_ms - 20_000.0;
        assert!(span < 3_000.0, "{form:?}: {}", outcome.fct_ms);
        assert!(after.count() > 20, "{form:?}");
    }
}

/// The server's connection stays open after the response has been sent.
#[test]
fn an_idle_connection_sends_no_probes() {
    for form in FORMS {
        let fetch = ClassConfig {
            pattern: Pattern::Fetch,
            reuse: Reuse::LateBinding,
            ..ClassConfig::default()
        };
        let outcome = transfer(form, u64::MAX, 0..0, fetch);
        assert!(outcome.back.len() > 40, "{form:?}: {}", outcome.back.len());
        let last = outcome.carried.last.as_ns() as f64 / 1e6;
        assert!(
            last < outcome.fct_ms + 50.0,
            "{form:?}: {last} and {}",
            outcome.fct_ms
        );
    }
}

/// The profile of a user-space stack: one acknowledgement for up to eight segments, after 4 us, and
/// timeouts of 2, 2 + 4 and 2 + 4 + 8 ms if nothing else indicates the loss.
#[test]
fn timeouts_of_a_stack_in_user_space_are_multiples_of_two_milliseconds() {
    let config = TcpConfig {
        profile: TcpProfile::UserSpace,
        ..TcpConfig::default()
    };
    let path = Path {
        nic: Rate::from_gbps(25),
        rate: Rate::from_gbps(25),
        delay: Duration::from_us(6),
        buffer: 256 * 1_024,
        mark_above: u64::MAX,
    };
    for (copies, expected) in [(0, 0.0), (1, 2.0), (2, 6.0), (3, 14.0)] {
        let mut left = copies;
        // The last one of 30 segments, so no duplicate indicates its loss.
        let fate = move |_: Time, packet: &Segment| {
            if is_data(packet) && packet.seq == 29 * 1_448 && left > 0 {
                left -= 1;
                Fate::Lost
            } else {
                Fate::Arrives
            }
        };
        let class = ClassConfig {
            cc: Arc::new(NewRenoConfig::default()),
            ..open()
        };
        let mut network = Network::new(2, path, &config, class, fate);
        network.flow(0, 1, 30 * 1_448, Time::ZERO, 0);
        network.finish();
        let late = network.fct_ms()[0] - expected;
        assert!((0.0..0.1).contains(&late), "{copies}: {late}");
        assert_eq!(network.counters(0).timeouts, copies);
    }
}
