//! Times and rates in the format of the tool.

use fabricsim_base::units::Duration;

/// Returns `text` without trailing zeros of its fraction.
fn trimmed(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

/// Formats milliseconds with as many decimals as needed: `10ms`, `2.5ms`.
pub(super) fn milliseconds(duration: Duration) -> String {
    let (whole, rest) = (
        duration.as_ps() / 1_000_000_000,
        duration.as_ps() % 1_000_000_000,
    );
    format!("{}ms", trimmed(&format!("{whole}.{rest:09}")))
}

/// Formats a duration as Go does: `3m0s`, `20s`, `200ms`.
pub(super) fn go_duration(duration: Duration) -> String {
    const SECOND: u64 = 1_000_000_000_000;
    let ps = duration.as_ps();
    if ps == 0 {
        return "0s".to_owned();
    }
    for (unit, name) in [(1_000_000, "ns"), (1_000_000_000, "us"), (SECOND, "ms")] {
        if ps < unit {
            let (whole, rest) = (ps / (unit / 1_000), ps % (unit / 1_000));
            let digits = (unit / 1_000).ilog10() as usize;
            let text = format!("{whole}.{rest:0digits$}");
            return format!("{}{name}", trimmed(&text));
        }
    }
    let (minutes, rest) = (ps / (60 * SECOND), ps % (60 * SECOND));
    let text = format!("{}.{:012}", rest / SECOND, rest % SECOND);
    let seconds = format!("{}s", trimmed(&text));
    match (minutes / 60, minutes % 60) {
        (0, 0) => seconds,
        (0, minutes) => format!("{minutes}m{seconds}"),
        (hours, minutes) => format!("{hours}h{minutes}m{seconds}"),
    }
}

/// Formats a rate with three decimals below ten of its unit, two below a hundred, otherwise one,
/// without trailing zeros.
pub(super) fn bit_rate(bps: f64) -> String {
    let (value, unit) = match bps {
        _ if bps >= 1e9 => (bps / 1e9, "Gbps"),
        _ if bps >= 1e6 => (bps / 1e6, "Mbps"),
        _ => (bps / 1e3, "Kbps"),
    };
    let decimals = match value {
        _ if value < 10.0 => 3,
        _ if value < 100.0 => 2,
        _ => 1,
    };
    format!("{}{unit}", trimmed(&format!("{value:.decimals$}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_those_of_the_tool() {
        for (ms, text) in [
            (180_000, "3m0s"),
            (20_000, "20s"),
            (200, "200ms"),
            (0, "0s"),
            (1_500, "1.5s"),
            (3_723_000, "1h2m3s"),
        ] {
            assert_eq!(go_duration(Duration::from_ms(ms)), text);
        }
        assert_eq!(go_duration(Duration::from_us(1_500)), "1.5ms");
        assert_eq!(go_duration(Duration::from_us(7)), "7us");
        assert_eq!(go_duration(Duration::from_ns(7)), "7ns");
        assert_eq!(milliseconds(Duration::from_ms(160)), "160ms");
        assert_eq!(milliseconds(Duration::from_us(2_500)), "2.5ms");
    }

    #[test]
    fn rates_are_those_of_the_tool() {
        for (bps, text) in [
            (50e6, "50Mbps"),
            (25.827_3e6, "25.83Mbps"),
            (1.234_56e9, "1.235Gbps"),
            (123.45e3, "123.5Kbps"),
            (0.0, "0Kbps"),
        ] {
            assert_eq!(bit_rate(bps), text);
        }
    }
}
