//! The flow-size tables that papers on datacenter transports share: (bytes, percent).

/// The names of the tables.
pub(super) const NAMES: &[&str] = &["websearch", "hadoop", "alistorage"];

/// Returns the table called `name`.
pub(super) fn table(name: &str) -> Option<&'static [(f64, f64)]> {
    match name {
        "websearch" => Some(WEB_SEARCH),
        "hadoop" => Some(HADOOP),
        "alistorage" => Some(ALI_STORAGE),
        _ => None,
    }
}

/// Web search (Alizadeh et al., "Data Center TCP", SIGCOMM 2010); mean 1,711,250 B.
const WEB_SEARCH: &[(f64, f64)] = &[
    (0.0, 0.0),
    (10_000.0, 15.0),
    (20_000.0, 20.0),
    (30_000.0, 30.0),
    (50_000.0, 40.0),
    (80_000.0, 53.0),
    (200_000.0, 60.0),
    (1e6, 70.0),
    (2e6, 80.0),
    (5e6, 90.0),
    (1e7, 97.0),
    (3e7, 100.0),
];

/// Hadoop at Facebook (Roy et al., "Inside the Social Network's (Datacenter) Network", SIGCOMM
/// 2015); mean 120,421 B.
const HADOOP: &[(f64, f64)] = &[
    (0.0, 0.0),
    (100.0, 1.0),
    (200.0, 2.0),
    (300.0, 5.0),
    (350.0, 15.0),
    (400.0, 20.0),
    (500.0, 30.0),
    (600.0, 40.0),
    (700.0, 50.0),
    (1_000.0, 60.0),
    (2_000.0, 67.0),
    (7_000.0, 70.0),
    (30_000.0, 72.0),
    (50_000.0, 82.0),
    (80_000.0, 87.0),
    (120_000.0, 90.0),
    (300_000.0, 95.0),
    (1e6, 97.5),
    (2e6, 99.0),
    (1e7, 100.0),
];

/// Storage at Alibaba, 2019.
const ALI_STORAGE: &[(f64, f64)] = &[
    (0.0, 0.0),
    (4_000.0, 22.93),
    (8_000.0, 69.21),
    (16_000.0, 80.61),
    (32_000.0, 90.47),
    (64_000.0, 93.53),
    (128_000.0, 96.77),
    (256_000.0, 97.53),
    (2e6, 100.0),
];
