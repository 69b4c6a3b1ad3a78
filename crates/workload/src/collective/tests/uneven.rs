//! All-to-all-v: parts of different sizes.

use super::*;

#[test]
fn pairs_with_nothing_to_say_send_nothing() {
    let mut config = CollectiveConfig::new(CollectiveOperation::AllToAllV, Bytes::new(1_000));
    config.weights = Some(vec![
        vec![0.0, 700.0, 300.0],
        vec![0.0, 9.0, 0.0],
        vec![5.0, 10.0, 0.0],
    ]);
    for (channels, algorithm) in [
        (1, CollectiveAlgorithm::Direct),
        (3, CollectiveAlgorithm::Pairwise),
    ] {
        config.channels = Some(channels);
        config.algorithm = Some(algorithm);
        let shape = config.shape(3, RATE).unwrap();
        let expected = (4.0 * f64::from(channels), 1_015.0);
        assert_eq!(shape.traffic(), expected);
        assert_eq!(of_programs(&shape), expected);
    }
    // A part of 5 bytes on 6 channels: 6 messages of a byte.
    config.channels = Some(6);
    let shape = config.shape(3, RATE).unwrap();
    assert_eq!(shape.traffic(), (24.0, 1_016.0));
    assert_eq!(of_programs(&shape), (24.0, 1_016.0));
    // The share is below one byte, but a message is sent.
    config.channels = None;
    config.size = Bytes::ZERO;
    assert_eq!(of_programs(&config.shape(3, RATE).unwrap()), (4.0, 4.0));
    config.size = Bytes::new(1_000);
    config.skew = 1.0;
    assert_eq!(config.shape(3, RATE).unwrap_err().key, "weights");
    config.operation = CollectiveOperation::AllToAll;
    config.algorithm = None;
    assert_eq!(config.shape(3, RATE).unwrap_err().key, "skew");
}

/// The bus bandwidth of an all-to-all-v follows from the busiest link. In these cases this is the
/// link from the first member, which keeps no bytes, or the link to the second one, to which all
/// other members send.
#[test]
fn the_bus_bandwidth_of_uneven_parts_is_that_of_the_busiest_link() {
    let mut config = CollectiveConfig::new(CollectiveOperation::AllToAllV, Bytes::new(3_000));
    let mut expect = |weights: &[&[u32]], expected: f64| {
        let rows: Vec<Vec<f64>> = (weights.iter())
            .map(|row| row.iter().copied().map(f64::from).collect())
            .collect();
        config.weights = Some(rows);
        let ranks = u32::try_from(weights.len()).unwrap();
        let found = config.shape(ranks, RATE).unwrap().bus_factor();
        assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
    };
    expect(&[&[0, 3], &[1, 0]], 1.0);
    expect(&[&[1, 1, 1], &[1, 1, 1], &[1, 1, 1]], 2.0 / 3.0);
    expect(&[&[0, 3, 0], &[0, 3, 0], &[0, 3, 0]], 2.0);
    config.weights = None;
    let even = config.shape(4, RATE).unwrap().bus_factor();
    assert!((even - 0.75).abs() < 1e-9, "{even}");
}
