//! Tests with handmade scoreboards.

use super::*;

const RTT: Duration = Duration::from_ms(10);

fn at(us: u64) -> Time {
    Time::ZERO + Duration::from_us(us)
}

/// Returns ten segments of 100 bytes, sent 100 us apart, and their loss detection.
fn ten(detection: Detection) -> (Scoreboard, Rack) {
    let mut board = Scoreboard::new(detection);
    for number in 0..10 {
        board.send(at(number * 100), number * 100, 100, false);
    }
    (board, Rack::default())
}

fn block(offset: i32, len: u32) -> SackBlock {
    SackBlock { offset, len }
}

/// Acknowledges one round trip after segment `cause` was sent.
fn acknowledge(
    (board, rack): &mut (Scoreboard, Rack),
    cause: u64,
    cumulative: u64,
    blocks: &[SackBlock],
) -> Delivery {
    rack.begin(at(cause * 100) + RTT, Some(at(cause * 100)), RTT);
    board.acknowledge(cumulative, blocks, rack)
}

#[test]
fn reports_are_counted_once() {
    let mut state = ten(Detection::Rack);
    let first = acknowledge(&mut state, 3, 200, &[block(100, 100)]);
    assert_eq!((first.segments, first.cumulative, first.bytes), (3, 2, 200));
    let second = acknowledge(&mut state, 5, 200, &[block(300, 100), block(100, 100)]);
    assert_eq!((second.segments, second.cumulative), (1, 0));
    // In flight: 2, 4 and 6 to 9.
    assert_eq!((state.0.in_flight(), state.0.sacked()), (6, 2));
    let filled = acknowledge(&mut state, 4, 600, &[]);
    assert_eq!(
        (filled.segments, filled.cumulative, filled.bytes),
        (2, 4, 400)
    );
    assert_eq!((state.0.in_flight(), state.0.sacked()), (4, 0));
}

#[test]
fn a_second_copy_is_told_from_a_block_beyond() {
    let mut state = ten(Detection::Rack);
    acknowledge(&mut state, 3, 400, &[]);
    let copy = acknowledge(&mut state, 3, 400, &[block(-300, 100), block(100, 100)]);
    assert!(copy.duplicate);
    assert_eq!(copy.segments, 1);
}

#[test]
fn what_was_sent_before_a_delivered_segment_is_lost_when_the_window_has_passed() {
    let mut state = ten(Detection::Rack);
    acknowledge(&mut state, 5, 100, &[block(400, 100)]);
    let (board, rack) = (&mut state.0, &state.1);
    let now = at(500) + RTT;
    // No loss within a quarter of a round trip, then one segment after another.
    assert_eq!(
        board.detect(now, rack, Duration::from_us(2_500)),
        (0, at(2_600) + RTT)
    );
    assert_eq!(
        board.detect(at(2_750) + RTT, rack, Duration::from_us(2_500)),
        (2, at(2_800) + RTT)
    );
    assert_eq!(
        board.detect(at(2_750) + RTT, rack, Duration::ZERO),
        (2, Time::MAX)
    );
    assert_eq!((board.lost(), board.in_flight()), (4, 4));
    let order: Vec<u64> = std::iter::from_fn(|| board.resend_lost(at(20_000)))
        .map(|segment| segment.seq)
        .collect();
    assert_eq!(order, [100, 200, 300, 400]);
    assert_eq!((board.lost(), board.in_flight()), (0, 8));
}

#[test]
fn a_lost_retransmission_is_found_by_a_later_one() {
    let mut state = ten(Detection::Rack);
    acknowledge(&mut state, 9, 0, &[block(200, 800)]);
    let (board, rack) = &mut state;
    board.detect(at(900) + RTT, rack, Duration::ZERO);
    assert_eq!(
        board.resend_lost(at(11_000)).map(|segment| segment.seq),
        Some(0)
    );
    assert_eq!(
        board.resend_lost(at(11_100)).map(|segment| segment.seq),
        Some(100)
    );
    // The second one arrives.
    rack.begin(at(11_100) + RTT, Some(at(11_100)), RTT);
    board.acknowledge(0, &[block(100, 900)], rack);
    assert_eq!(
        board.detect(at(11_100) + RTT, rack, Duration::ZERO),
        (1, Time::MAX)
    );
    assert_eq!(
        board.resend_lost(at(22_000)).map(|segment| segment.seq),
        Some(0)
    );
}

#[test]
fn a_timeout_spares_what_was_sent_lately() {
    let mut state = ten(Detection::Rack);
    state.0.lose_on_timeout(at(450));
    assert_eq!((state.0.lost(), state.0.in_flight()), (5, 5));
    state.0.lose_on_timeout(Time::ZERO);
    assert_eq!(state.0.lost(), 5);
}

#[test]
fn duplicates_stand_for_segments_that_have_left_the_network() {
    let mut state = ten(Detection::DupAcks);
    let board = &mut state.0;
    assert_eq!(
        [
            board.count_duplicate(),
            board.count_duplicate(),
            board.count_duplicate()
        ],
        [1, 2, 3]
    );
    assert!(board.lose_first() && !board.lose_first());
    assert_eq!(board.in_flight(), 6);
    assert_eq!(
        board.resend_lost(at(9_000)).map(|segment| segment.seq),
        Some(0)
    );
    assert_eq!(board.in_flight(), 7);
    // The retransmission fills the hole: four segments, three of them already counted.
    let filled = acknowledge(&mut state, 90, 400, &[]);
    assert_eq!((filled.segments, filled.cumulative), (1, 4));
    assert_eq!(state.0.in_flight(), 6);
    // There are never more duplicates than segments other than the missing one.
    for _ in 0..20 {
        state.0.count_duplicate();
    }
    assert_eq!(state.0.in_flight(), 1);
}

#[test]
fn a_probe_sends_the_last_segment_that_was_not_reported() {
    let mut state = ten(Detection::Rack);
    acknowledge(&mut state, 9, 100, &[block(800, 100)]);
    let last = state.0.resend_last(at(30_000)).map(|segment| segment.seq);
    assert_eq!(last, Some(800));
}

/// Returns the number of the segment in flight with the earliest last send time, by checking all.
fn earliest_of_all(board: &Scoreboard) -> Option<u64> {
    let numbers = board.segments.numbers();
    let numbered = numbers.filter_map(|number| Some((number, board.segments.get(number)?)));
    let in_flight = numbered.filter(|(_, segment)| segment.state == SegmentState::InFlight);
    let earliest = in_flight.min_by_key(|(_, segment)| segment.sent_at);
    earliest.map(|(number, _)| number)
}

proptest::proptest! {
    #[test]
    fn transmissions_are_judged_in_the_order_of_their_times(
        events in proptest::collection::vec((0u8..9, 0u64..12), 1..120),
    ) {
        let mut board = Scoreboard::new(Detection::Rack);
        let (mut rack, mut sent, mut acknowledged) = (Rack::default(), 0, 0);
        for (time, (event, count)) in (0..).zip(events) {
            let now = at(time);
            match event {
                0..3 => {
                    board.send(now, sent * 100, 100, false);
                    sent += 1;
                }
                3 => drop(board.resend_lost(now)),
                4 => drop(board.resend_last(now)),
                5 => drop(board.lose_first()),
                6 => board.lose_on_timeout(at(time.saturating_sub(count))),
                _ => {
                    acknowledged = (acknowledged + count / 4).min(sent);
                    let beyond = acknowledged + count;
                    let is_sent = event == 8 && beyond < sent;
                    let offset = i32::try_from(count * 100).expect("small");
                    let block = is_sent.then_some(block(offset, 100));
                    rack.begin(now, None, RTT);
                    board.acknowledge(acknowledged * 100, block.as_slice(), &mut rack);
                }
            }
            let expected = earliest_of_all(&board);
            let found = board.earliest_in_flight().map(|(number, _)| number);
            proptest::prop_assert_eq!(found, expected);
        }
    }
}
