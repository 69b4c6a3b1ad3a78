use super::*;

const MTU: u64 = 1_000;
const NEXT: u64 = 20_000;

/// Returns the time of the first transmission of packet `number`.
fn left(number: u64) -> Time {
    Time::from_ns(number * 100)
}

/// Returns the packets that are retransmitted at `now`, until none is left.
fn resend(board: &mut Scoreboard, now: Time) -> Vec<u64> {
    std::iter::from_fn(|| {
        let byte = board.lost()?;
        board.resent(now);
        Some(byte / MTU)
    })
    .collect()
}

#[test]
fn only_what_lies_below_a_report_is_lost() {
    let mut board = Scoreboard::new((3_000, NEXT), MTU, Overtaking::Never);
    let mut report = |beyond: u32| {
        let sent_at = left(3 + u64::from(beyond));
        let episode = board.report(3_000, beyond, sent_at, NEXT);
        (episode, resend(&mut board, left(30)))
    };
    assert_eq!(report(1), (Episode::Begins, vec![3]));
    assert_eq!(report(2), (Episode::GoesOn, vec![]));
    assert_eq!(report(5), (Episode::GoesOn, vec![6, 7]));
    assert_eq!(report(5), (Episode::GoesOn, vec![]));
    assert!(!board.advance(6_000, NEXT));
    assert!(!board.advance(9_000, NEXT));
    assert!(board.advance(20_000, NEXT));
}

#[test]
fn a_gap_that_is_all_one_knows_of_is_its_first_packet() {
    let mut board = Scoreboard::new((3_000, NEXT), MTU, Overtaking::Never);
    board.report(3_000, 0, left(70_000), NEXT);
    assert_eq!(resend(&mut board, left(70_100)), [3]);
}

#[test]
fn what_is_overtaken_by_little_is_not_lost() {
    let overtaking = Overtaking::Packets(3);
    let mut board = Scoreboard::new((0, NEXT), MTU, overtaking);
    assert_eq!(board.report(0, 3, left(3), NEXT), Episode::GoesOn);
    assert_eq!(resend(&mut board, left(30)), []);
    assert!(!board.advance(2_000, NEXT), "3 is beyond a gap");
    assert_eq!(board.report(2_000, 3, left(5), NEXT), Episode::GoesOn);
    assert_eq!(board.report(2_000, 4, left(6), NEXT), Episode::Begins);
    assert_eq!(resend(&mut board, left(31)), [2]);
    assert_eq!(board.report(2_000, 6, left(50), NEXT), Episode::GoesOn);
    assert_eq!(resend(&mut board, left(51)), [4], "2 has its second copy");
    assert!(board.advance(20_000, NEXT));
}

#[test]
fn a_second_copy_that_was_overtaken_is_lost() {
    let mut board = Scoreboard::new((0, NEXT), MTU, Overtaking::Never);
    board.report(0, 3, left(3), NEXT);
    assert_eq!(resend(&mut board, left(30)), [0, 1, 2]);
    // This packet left before the second copies, so it gives no information on them.
    board.report(0, 4, left(29), NEXT);
    assert_eq!(resend(&mut board, left(31)), []);
    // The second copies of 1 and 2 arrive, so the second copy of 0 is lost.
    board.report(0, 1, left(30), NEXT);
    assert_eq!(resend(&mut board, left(50)), [0, 2]);
    board.report(0, 2, left(50), NEXT);
    assert_eq!(resend(&mut board, left(70)), [0]);
}

#[test]
fn what_was_reported_outlives_its_episode() {
    let mut board = Scoreboard::new((0, NEXT), MTU, Overtaking::Never);
    board.report(0, 1, left(1), 10_000);
    assert_eq!(resend(&mut board, left(30)), [0]);
    // New packets are sent and 15 is lost.
    board.report(0, 16, left(16), 18_000);
    assert_eq!(resend(&mut board, left(31)), (2..16).collect::<Vec<_>>());
    assert!(!board.advance(15_000, NEXT), "16 is still beyond a gap");
    assert_eq!(board.report(15_000, 2, left(17), 18_000), Episode::Begins);
    assert_eq!(resend(&mut board, left(40)), [], "15 is under way");
    assert!(board.advance(18_000, NEXT));
}

#[test]
fn a_packet_that_was_trimmed_is_sent_again_once_and_first() {
    let mut board = Scoreboard::new((0, NEXT), MTU, Overtaking::AnyOrder);
    board.note_arrival(0, 3);
    assert_eq!((board.lost(), board.held()), (None, 1_000));
    assert_eq!(board.note_trimmed(0, 5, NEXT), Episode::Begins);
    assert_eq!(board.note_trimmed(0, 2, NEXT), Episode::Extends);
    assert_eq!(board.note_trimmed(0, 2, NEXT), Episode::GoesOn);
    assert_eq!(
        board.note_trimmed(0, 3, NEXT),
        Episode::GoesOn,
        "3 is there"
    );
    assert_eq!(board.held(), 3_000);
    assert_eq!(resend(&mut board, left(30)), [2, 5]);
    assert_eq!((board.lost(), board.held()), (None, 1_000));
    // The second copy is also trimmed.
    board.note_trimmed(0, 5, NEXT);
    assert_eq!(resend(&mut board, left(40)), [5]);
    board.note_trimmed(0, 7, NEXT);
    board.advance(8_000, NEXT);
    assert_eq!((board.lost(), board.held()), (None, 0), "7 has come");
}

#[test]
fn each_packet_that_arrives_in_any_order_is_news_once() {
    let mut board = Scoreboard::new((0, 10_000), MTU, Overtaking::AnyOrder);
    for packet in [2, 3, 3] {
        board.note_arrival(0, packet);
    }
    assert_eq!(board.take_news(), 2_000);
    assert_eq!(board.take_news(), 0);
    // The first two arrive: all four are acknowledged, and two of them are already reported.
    board.advance(4_000, 10_000);
    assert_eq!(board.take_news(), -2_000);
    board.note_arrival(4, 7);
    assert_eq!(board.take_news(), 1_000);
}

#[test]
fn what_waits_to_be_sent_again_is_counted_once() {
    let mut board = Scoreboard::new((0, 10_000), MTU, Overtaking::AnyOrder);
    board.note_arrival(0, 2);
    board.note_trimmed(0, 5, 10_000);
    assert_eq!(board.waiting(), 1);
    board.time_out(0, 10_000);
    // All but the second of the ten, trimmed or not.
    assert_eq!(board.waiting(), 9);
    board.note_trimmed(0, 6, 10_000);
    assert_eq!(board.waiting(), 9, "6 waits since the timeout");
    assert_eq!(resend(&mut board, left(60)), [0, 1, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(board.waiting(), 0);
}

#[test]
fn in_any_order_a_timeout_is_about_what_is_older_than_the_last_progress() {
    let mut board = Scoreboard::new((0, 4_000), MTU, Overtaking::AnyOrder);
    board.note_arrival(0, 2);
    board.advance(1_000, 6_000);
    board.note_arrival(1, 4);
    board.time_out(1_000, 9_000);
    assert_eq!(resend(&mut board, left(30)), [1, 3, 5]);
    board.time_out(1_000, 9_000);
    assert_eq!(resend(&mut board, left(60)), [1, 3, 5, 6, 7, 8]);
}

#[test]
fn a_timeout_sends_again_what_was_not_reported() {
    let mut board = Scoreboard::new((1_000, NEXT), MTU, Overtaking::Never);
    board.report(1_000, 2, left(3), 5_500);
    assert_eq!(resend(&mut board, left(30)), [1, 2]);
    board.time_out(1_000, 5_500);
    assert_eq!(resend(&mut board, left(90)), [1, 2, 4, 5]);
    assert!(!board.advance(5_000, NEXT));
}
