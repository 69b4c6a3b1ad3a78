use super::*;

#[test]
fn errors_name_their_key() {
    let key = |change: fn(&mut CollectiveConfig)| {
        let size = Bytes::new(1_000_000);
        let mut config = CollectiveConfig::new(CollectiveOperation::AllReduce, size);
        change(&mut config);
        let refused = config.applications(&context(12, 1), ClassId(0)).err();
        let expected = config.expected(&context(12, 1)).err();
        let key = |error: Option<ConfigError>| error.map_or("", |error| error.key);
        assert_eq!(key(refused.clone()), key(expected));
        key(refused)
    };
    use CollectiveAlgorithm as A;
    assert_eq!(key(|_| {}), "");
    assert_eq!(key(|c| c.algorithm = Some(A::Binomial)), "algorithm");
    assert_eq!(key(|c| c.algorithm = Some(A::HalvingDoubling)), "algorithm");
    assert_eq!(key(|c| c.algorithm = Some(A::Hierarchical)), "local_size");
    assert_eq!(key(|c| c.algorithm = Some(A::Nccl)), "");
    let nodes = |c: &mut CollectiveConfig| {
        (c.algorithm, c.local_size) = (Some(A::Nccl), Some(16));
    };
    assert_eq!(key(nodes), "local_size");
    let ring = |c: &mut CollectiveConfig| {
        (c.protocol, c.local_size) = (Some(Protocol::Ll), Some(5));
    };
    assert_eq!(key(ring), "local_size");
    let halving = |c: &mut CollectiveConfig| {
        (c.algorithm, c.protocol) = (Some(A::BidirectionalRing), Some(Protocol::Ll));
    };
    assert_eq!(key(halving), "protocol");
    assert_eq!(key(|c| c.tuner = Some(Vec::new())), "tuner");
    let chunks = |c: &mut CollectiveConfig| (c.algorithm, c.chunks) = (Some(A::Nccl), 2);
    assert_eq!(key(chunks), "chunks");
    assert_eq!(key(|c| c.root = 12), "root");
    assert_eq!(key(|c| c.root = 1), "root");
    assert_eq!(key(|c| c.local_size = Some(4)), "local_size");
    assert_eq!(key(|c| c.size = Bytes::new(11)), "");
    assert_eq!(key(|c| c.size = Bytes::ZERO), "");
    assert_eq!(key(|c| c.size = Bytes::new(1_000_000_000_000_001)), "size");
    assert_eq!(key(|c| c.channels = Some(0)), "channels");
    assert_eq!(key(|c| c.chunks = 0), "chunks");
    assert_eq!(key(|c| c.iterations = 0), "iterations");
    assert_eq!(key(|c| c.ranks = Some(13)), "ranks");
    assert_eq!(key(|c| c.ranks = Some(1)), "");
    assert_eq!(key(|c| c.group_size = Some(1)), "");
    assert_eq!(key(|c| c.skip = 11), "");
    assert_eq!(key(|c| c.group_size = Some(5)), "group_size");
    assert_eq!(key(|c| c.group_stride = 2), "group_stride");
    assert_eq!(key(|c| c.job = Some("a,b".to_owned())), "job");
    let large = |c: &mut CollectiveConfig| {
        c.size = Bytes::new(1_000_000_000_000);
        (c.channels, c.chunks) = (Some(1_024), 65_536);
    };
    assert_eq!(key(large), "chunks");
    assert_eq!(key(|c| c.priority = 0), "priority");
    assert_eq!(key(|c| c.compute = Duration::MAX), "compute");
}
