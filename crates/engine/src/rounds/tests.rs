use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::sleep;
use std::time::Duration;

use super::*;

fn threads(count: usize) -> Threads {
    Threads::start(count).expect("they can be had")
}

#[test]
fn each_item_gets_the_order_of_each_round_once() {
    for count in [1, 2, 3, 8] {
        let mut sums: Vec<u64> = (0..10).collect();
        let add = |sum: &mut u64, order: u64| *sum += order;
        threads(count).in_rounds(10, &add, |rounds| {
            for round in 0..2_000 {
                rounds.run(&mut sums, round);
            }
        });
        let all = (0..2_000).sum::<u64>();
        assert_eq!(sums, (all..all + 10).collect::<Vec<_>>(), "{count} threads");
    }
}

#[test]
fn rounds_may_differ_in_length_and_be_empty() {
    let mut sums = vec![0; 7];
    let add = |sum: &mut u64, ()| *sum += 1;
    threads(3).in_rounds(7, &add, |rounds| {
        for length in (0..=7).cycle().take(800) {
            let mut rest = sums.split_off(length);
            rounds.run(&mut sums, ());
            sums.append(&mut rest);
        }
    });
    assert_eq!(sums, [700, 600, 500, 400, 300, 200, 100]);
}

#[test]
fn threads_that_have_fallen_asleep_wake_up() {
    let mut sums = vec![0; 4];
    let add = |sum: &mut u64, order: u64| {
        sleep(Duration::from_millis(order));
        *sum += 1;
    };
    threads(3).in_rounds(4, &add, |rounds| {
        for round in 0..20 {
            sleep(Duration::from_millis(2));
            rounds.run(&mut sums, round % 3);
        }
    });
    assert_eq!(sums, [20; 4]);
}

/// Items 0 and 4 wait until all other items are done, so the third thread must work on two shares.
#[test]
fn a_thread_takes_what_is_left_to_another() {
    let mut items: Vec<usize> = (0..8).collect();
    let done = AtomicUsize::new(0);
    let work = |item: &mut usize, before: usize| {
        if item.is_multiple_of(4) {
            while done.load(SeqCst) < before + 6 {
                yield_now();
            }
        } else {
            done.fetch_add(1, SeqCst);
        }
    };
    threads(3).in_rounds(8, &work, |rounds| {
        for round in 0..50 {
            rounds.run(&mut items, 6 * round);
        }
    });
    assert_eq!(done.load(SeqCst), 300);
}

#[test]
fn the_first_panic_of_a_round_goes_on_when_the_round_is_over() {
    for culprits in [0..1, 1..2, 2..4, 0..4] {
        let mut items: Vec<usize> = (0..4).collect();
        let work = |item: &mut usize, round: usize| {
            assert!(!culprits.contains(item) || round < 5, "culprit {item}");
        };
        let run = || {
            threads(2).in_rounds(4, &work, |rounds| {
                for round in 0..10 {
                    rounds.run(&mut items, round);
                }
            });
        };
        let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("the sixth round panics");
        let text = panic.downcast_ref::<String>().expect("it has a text");
        assert_eq!(*text, format!("culprit {}", culprits.start));
        assert_eq!(items, [0, 1, 2, 3]);
    }
}

#[test]
fn a_panic_between_rounds_ends_them() {
    let run = || {
        threads(3).in_rounds(3, &|_: &mut u8, ()| {}, |rounds| {
            rounds.run(&mut vec![0; 3], ());
            assert!(rounds.most > 3, "between rounds");
        });
    };
    assert!(catch_unwind(run).is_err());
}

/// The other threads wait for the next round, and do not take part in nested rounds.
#[test]
fn rounds_within_rounds_are_of_the_calling_thread_alone() {
    let threads = threads(3);
    let add = |sum: &mut u64, order: u64| *sum += order;
    let (mut outer, mut inner) = (vec![0; 4], vec![0; 4]);
    threads.in_rounds(4, &add, |rounds| {
        for round in 0..10 {
            rounds.run(&mut outer, round);
            threads.in_rounds(4, &add, |rounds| rounds.run(&mut inner, round));
        }
    });
    assert_eq!((outer, inner), (vec![45; 4], vec![45; 4]));
    // Afterwards all of them take part again.
    let done = AtomicUsize::new(0);
    let meet = |_: &mut u8, ()| {
        done.fetch_add(1, SeqCst);
        while done.load(SeqCst) < 3 {
            yield_now();
        }
    };
    threads.in_rounds(3, &meet, |rounds| rounds.run(&mut vec![0; 3], ()));
    assert_eq!(done.load(SeqCst), 3);
}

#[test]
#[should_panic(expected = "no more items than announced")]
fn more_items_than_announced_are_refused() {
    let mut items = vec![0; 3];
    threads(2).in_rounds(2, &|_, ()| {}, |rounds| rounds.run(&mut items, ()));
}
