use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};

use super::*;
use crate::units::{Duration, Time};

/// Returns the bytes of `state`.
fn saved(state: &impl Checkpointed) -> Vec<u8> {
    let mut out = Writer::default();
    state.save(&mut out);
    out.finish().expect("nothing is refused")
}

fn fetched<T: Stored>(bytes: &[u8]) -> Result<T, LoadError> {
    let mut input = Reader::new(bytes);
    let value = T::fetch(&mut input)?;
    input.end().map(|()| value)
}

#[derive(Clone, Debug, PartialEq, Stored)]
#[checkpoint(plain)]
enum Shape {
    Point,
    Circle(f64),
    Named {
        name: String,
        corners: Vec<(u16, i64)>,
    },
}

type Values = (
    Shape,
    (BTreeMap<u32, Option<bool>>, VecDeque<u64>),
    ([u8; 3], u128),
);

proptest::proptest! {
    #[test]
    fn values_come_back(
        number in 0u64..,
        radius in proptest::num::f64::ANY,
        name in ".{0,8}",
        corners in proptest::collection::vec((0u16.., proptest::num::i64::ANY), 0..5),
        map in proptest::collection::btree_map(0u32.., proptest::option::of(proptest::bool::ANY), 0..5),
        queue in proptest::collection::vec_deque(0u64.., 0..5),
        wide in 0u128..,
    ) {
        let shapes = [Shape::Point, Shape::Circle(radius), Shape::Named { name, corners }];
        for shape in shapes {
            let values: Values = (shape, (map.clone(), queue.clone()), ([1, 2, 3], wide));
            let bytes = saved(&values);
            let again: Values = fetched(&bytes).expect("what was stored");
            proptest::prop_assert_eq!(saved(&again), bytes.clone());
            // No prefix can be read as the whole.
            for end in 0..bytes.len() {
                proptest::prop_assert!(fetched::<Values>(&bytes[..end]).is_err());
            }
        }
        proptest::prop_assert_eq!(fetched::<u64>(&saved(&number)), Ok(number));
    }

    #[test]
    fn any_bytes_are_a_value_or_refused(bytes in proptest::collection::vec(0u8.., 0..60)) {
        if let Ok(values) = fetched::<Values>(&bytes) {
            let again: Values = fetched(&saved(&values)).expect("what was stored");
            proptest::prop_assert_eq!(saved(&again), saved(&values));
        }
    }
}

#[test]
fn maps_are_stored_in_the_order_of_their_keys() {
    let pairs = [(7u32, 1u8), (3, 2), (900, 3)];
    let one: HashMap<u32, u8> = pairs.into_iter().collect();
    let other: HashMap<u32, u8> = pairs.into_iter().rev().collect();
    assert_eq!(saved(&one), saved(&other));
    assert_eq!(fetched(&saved(&one)), Ok(one));
    let heap = BinaryHeap::from([5u64, 1, 9]);
    let again: BinaryHeap<u64> = fetched(&saved(&heap)).expect("what was stored");
    assert_eq!(again.into_sorted_vec(), [1, 5, 9]);
}

#[derive(Checkpointed, Debug)]
#[checkpoint(plain)]
struct Port {
    queued: u64,
    #[checkpoint(rebuilt)]
    every: Duration,
}

#[derive(Checkpointed, Debug)]
enum Source {
    Idle,
    Busy {
        #[checkpoint(each)]
        ports: Vec<Port>,
        until: Time,
    },
}

fn busy(queued: &[u64], until: u64) -> Source {
    let every = Duration::from_us(1);
    let ports = queued.iter().map(|&queued| Port { queued, every });
    Source::Busy {
        ports: ports.collect(),
        until: Time::from_ns(until),
    }
}

#[test]
fn state_is_put_into_what_has_been_built() {
    let bytes = saved(&busy(&[3, 4], 10));
    let mut again = busy(&[0, 0], 0);
    again
        .load(&mut Reader::new(&bytes))
        .expect("the same shape");
    assert_eq!(saved(&again), bytes);
    // Fields that follow from the configuration are as built.
    let Source::Busy { ports, .. } = &again else {
        panic!("it is busy");
    };
    assert!(ports.iter().all(|port| port.every == Duration::from_us(1)));
    let refused = |mut other: Source| {
        let error = other.load(&mut Reader::new(&bytes));
        error.expect_err("another shape").to_string()
    };
    assert_eq!(
        refused(busy(&[0], 0)),
        "it has 2 entries, and there are 1 here"
    );
    assert_eq!(refused(Source::Idle), "it holds another kind of Source");
}

#[test]
fn sections_say_where_something_is_wrong() {
    let mut out = Writer::default();
    out.section(|out| out.section(|out| out.whole(300)));
    let bytes = out.finish().expect("nothing is refused");
    let read = |take: usize| {
        let mut input = Reader::new(&bytes);
        let result = input.section("node 3", |input| {
            input.section("buffer", |input| input.bytes(take).map(|_| ()))
        });
        result.map_err(|error| error.to_string())
    };
    assert_eq!(read(2), Ok(()));
    assert_eq!(read(1), Err("node 3: buffer: 1 bytes are left".to_owned()));
    assert_eq!(read(3), Err("node 3: buffer: it ends too early".to_owned()));
}

#[test]
fn what_is_refused_has_a_name() {
    let mut out = Writer::default();
    out.refuse("the application", "Player");
    out.refuse("the queue", "Late");
    let error = out.finish().expect_err("it is refused");
    assert_eq!(error.to_string(), "the application Player cannot be saved");
}
