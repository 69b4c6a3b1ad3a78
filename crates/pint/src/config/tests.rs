//! Tests of both profiles' defaults, and of rejected values.

use fabricsim_base::units::Duration;

use super::*;

fn context(quirks: Quirks) -> CcContext {
    CcContext {
        base_rtt: Duration::from_ns(12_240),
        longest_path: 5,
        seed: 1,
        quirks,
        ..CcContext::of_nics(Rate::from_gbps(100))
    }
}

#[test]
fn the_default_is_the_paper_and_exact() {
    let config = PintConfig::default().resolved(&context(Quirks::EXACT));
    assert_eq!(config.digest_bits, Some(8));
    assert_eq!(config.rounding, Some(Rounding::Log));
    assert_eq!(config.arithmetic, Some(Arithmetic::Exact));
    assert_eq!(config.log_table_bits, None);
    assert_eq!(config.additive_increase, Some(Rate::from_mbps(50)));
    assert_eq!(config.telemetry_bytes(&context(Quirks::EXACT)), 1);
}

#[test]
fn the_profile_takes_over_the_published_arithmetic() {
    let config = PintConfig::default().resolved(&context(Quirks::PUBLISHED));
    assert_eq!(config.rounding, Some(Rounding::Value));
    assert_eq!(config.arithmetic, Some(Arithmetic::Tables));
    assert_eq!(config.log_table_bits, Some(16));
    assert_eq!(config.exp_table_bits, None);
    assert_eq!(config.utilization_bits, Some(13));
    assert_eq!(config.additive_increase, Some(Rate::from_mbps(40)));
    assert_eq!(config.telemetry_bytes(&context(Quirks::PUBLISHED)), 2);
}

#[test]
fn a_finer_base_takes_two_bytes() {
    let config = PintConfig {
        log_base: Some(1.01),
        ..PintConfig::default()
    };
    let context = context(Quirks::EXACT);
    assert_eq!(config.resolved(&context).digest_bits, Some(11));
    assert_eq!(config.telemetry_bytes(&context), 2);
}

#[test]
fn the_size_of_a_table_asks_for_tables() {
    let config = PintConfig {
        log_table_bits: Some(8),
        ..PintConfig::default()
    };
    let resolved = config.resolved(&context(Quirks::EXACT));
    assert_eq!(resolved.arithmetic, Some(Arithmetic::Tables));
    assert_eq!(resolved.log_table_bits, Some(8));
    assert_eq!(resolved.utilization_bits, Some(20));
}

#[test]
fn what_is_resolved_resolves_to_itself() {
    for quirks in [Quirks::EXACT, Quirks::PUBLISHED] {
        let context = context(quirks);
        let resolved = PintConfig::default().resolved(&context);
        assert_eq!(resolved.validate(), Ok(()));
        assert_eq!(resolved.resolved(&context), resolved);
    }
}

#[test]
fn values_without_a_meaning_are_refused() {
    type Change = fn(&mut PintConfig);
    let cases: &[(&str, Change)] = &[
        ("eta", |c| c.eta = 1.5),
        ("eta", |c| c.eta = f64::NAN),
        ("log_base", |c| c.log_base = Some(1.0)),
        ("log_base", |c| c.log_base = Some(f64::NAN)),
        ("log_base", |c| c.log_base = Some(17.0)),
        ("digest_bits", |c| c.digest_bits = Some(0)),
        ("digest_bits", |c| c.digest_bits = Some(17)),
        // 1.05^127 / 512 is 0.96.
        ("digest_bits", |c| c.digest_bits = Some(7)),
        ("digest_fraction", |c| c.digest_fraction = 0.0),
        ("digest_fraction", |c| c.digest_fraction = 1.1),
        ("log_table_bits", |c| c.log_table_bits = Some(3)),
        ("exp_table_bits", |c| c.exp_table_bits = Some(21)),
        ("utilization_bits", |c| c.utilization_bits = Some(7)),
        ("utilization_bits", |c| {
            c.arithmetic = Some(Arithmetic::Exact);
            c.utilization_bits = Some(13);
        }),
    ];
    for (key, change) in cases {
        let mut config = PintConfig::default();
        change(&mut config);
        assert_eq!(config.validate().map_err(|error| error.key), Err(*key));
    }
    for base in [1.0002, 16.0] {
        let config = PintConfig {
            log_base: Some(base),
            ..PintConfig::default()
        };
        assert_eq!(config.validate(), Ok(()));
    }
}
