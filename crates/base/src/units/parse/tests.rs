//! Quantities as people and other simulators write them.

use proptest::prelude::*;

use super::*;

/// Units of rates in ns-3's `DataRate`, and other common ones, with their bits.
const RATES: [(&str, u64); 44] = [
    ("bps", 1),
    ("b/s", 1),
    ("Bps", 8),
    ("B/s", 8),
    ("kbps", 1_000),
    ("kb/s", 1_000),
    ("Kbps", 1_000),
    ("Kb/s", 1_000),
    ("kBps", 8_000),
    ("kB/s", 8_000),
    ("KBps", 8_000),
    ("KB/s", 8_000),
    ("Kib/s", 1_024),
    ("KiB/s", 8_192),
    ("Mbps", 1_000_000),
    ("Mb/s", 1_000_000),
    ("MBps", 8_000_000),
    ("MB/s", 8_000_000),
    ("Mib/s", 1_048_576),
    ("MiB/s", 8_388_608),
    ("Gbps", 1_000_000_000),
    ("Gb/s", 1_000_000_000),
    ("GBps", 8_000_000_000),
    ("GB/s", 8_000_000_000),
    ("Gib/s", 1_073_741_824),
    ("GiB/s", 8_589_934_592),
    ("GiBps", 8_589_934_592),
    ("Tbps", 1_000_000_000_000),
    ("TB/s", 8_000_000_000_000),
    ("TiB/s", 8_796_093_022_208),
    ("mbps", 1_000_000),
    ("gbps", 1_000_000_000),
    ("gb/s", 1_000_000_000),
    ("mB/s", 8_000_000),
    ("gBps", 8_000_000_000),
    ("bit/s", 1),
    ("kbit/s", 1_000),
    ("Mbit/s", 1_000_000),
    ("MBit/s", 1_000_000),
    ("GBIT/s", 1_000_000_000),
    ("byte/s", 8),
    ("Mbyte/s", 8_000_000),
    ("GByte/s", 8_000_000_000),
    ("mib/s", 1_048_576),
];

/// Units of sizes with their bytes.
const SIZES: [(&str, u64); 16] = [
    ("B", 1),
    ("byte", 1),
    ("kB", 1_000),
    ("KB", 1_000),
    ("mB", 1_000_000),
    ("MB", 1_000_000),
    ("MByte", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1_024),
    ("kiB", 1_024),
    ("KIB", 1_024),
    ("MiB", 1_048_576),
    ("Mibyte", 1_048_576),
    ("GiB", 1_073_741_824),
    ("TiB", 1_099_511_627_776),
];

#[test]
fn reads_what_people_write() {
    assert_eq!("100Gbps".parse(), Ok(Rate::from_gbps(100)));
    assert_eq!("40Mb/s".parse(), Ok(Rate::from_mbps(40)));
    assert_eq!("1.6 Tbps".parse(), Ok(Rate::from_gbps(1600)));
    assert_eq!("0.001ms".parse(), Ok(Duration::from_us(1)));
    assert_eq!("3.33us".parse(), Ok(Duration::from_ns(3_330)));
    assert_eq!("32MiB".parse(), Ok(Bytes::new(32 << 20)));
    assert_eq!("400KB".parse(), Ok(Bytes::new(400_000)));
    assert_eq!("1_000B".parse(), Ok(Bytes::new(1_000)));
    assert_eq!("50GB/s".parse(), Ok(Rate::from_gbps(400)));
    assert_eq!("2.5e-1MB".parse(), Ok(Bytes::new(250_000)));
}

#[test]
fn says_what_is_wrong() {
    let message = |r: Result<Rate, UnitError>| r.expect_err("bad").to_string();
    assert_eq!(
        message("100".parse()),
        "`100` has no unit; write it like `100Gbps`"
    );
    assert_eq!(
        message("1us".parse()),
        "`1us` has an unknown unit `us`; write it like `100Gbps`"
    );
    assert_eq!(
        message("fast".parse()),
        "`fast` does not begin with a number; write it like `100Gbps`"
    );
    assert_eq!(
        message("-1Gbps".parse()),
        "`-1Gbps` is negative; write it like `100Gbps`"
    );
    assert_eq!(
        message("0Gbps".parse()),
        "`0Gbps` is zero; write it like `100Gbps`"
    );
    assert_eq!(
        message("1bps".parse()),
        "`1bps` is too small: 1Kbps is the least that can be simulated; write it like `100Gbps`"
    );
    assert_eq!(
        message("100.000001Tbps".parse()),
        "`100.000001Tbps` is too large: 100Tbps is the most that can be simulated; write it like \
         `100Gbps`"
    );
    let huge = "99999999999999s".parse::<Duration>().expect_err("too long");
    assert!(huge.to_string().contains("1000000s is the most"), "{huge}");
    assert!(
        "0.00000000000000000000000000000000000001s"
            .parse::<Duration>()
            .is_err()
    );
    assert!(
        "0.9999999999999999999999999999999999999s"
            .parse::<Duration>()
            .is_err()
    );
    assert!("1.5B".parse::<Bytes>().is_err());
    assert!("1.2.3us".parse::<Duration>().is_err());
}

#[test]
fn bits_are_not_taken_for_bytes_nor_bytes_for_bits() {
    let size = |text: &str| text.parse::<Bytes>().expect_err(text).to_string();
    assert_eq!(
        size("1Gb"),
        "`1Gb` is in bits, as many as 125MB, and a size is in bytes; write it like `1GB` or `125MB`"
    );
    assert_eq!(
        size("8b"),
        "`8b` is in bits, as many as 1B, and a size is in bytes; write it like `8B` or `1B`"
    );
    assert_eq!(
        size("1b"),
        "`1b` is in bits, and a size is in bytes; write it like `1B`"
    );
    for text in ["400kb", "1Mbit", "2gib", "0.5Tb", "9000Tb"] {
        assert!(size(text).contains("in bits"), "{text}");
    }
    let rate = |text: &str| text.parse::<Rate>().expect_err(text).to_string();
    assert_eq!(
        rate("100GBPS"),
        "`100GBPS` is ambiguous between bits and bytes; write it like `100Gbps` or `100GBps`"
    );
    assert!(rate("3MB/S").contains("`3Mbps` or `3MBps`"));
    for text in ["1GB", "1Gb", "1G", "1b/", "1Bbps", "1iB/s"] {
        assert!(rate(text).contains("unknown unit"), "{text}");
    }
}

#[test]
fn ns3_reads_numbers_without_a_unit() {
    assert_eq!(Rate::from_ns3("25000000000"), Ok(Rate::from_gbps(25)));
    assert_eq!(Rate::from_ns3("25000000000.0"), Ok(Rate::from_gbps(25)));
    assert_eq!(Rate::from_ns3("3GBps"), Ok(Rate::from_gbps(24)));
    assert_eq!(Duration::from_ns3("0.000001"), Ok(Duration::from_us(1)));
    assert_eq!(Duration::from_ns3("1e-06"), Ok(Duration::from_us(1)));
    assert_eq!(Duration::from_ns3("1us"), Ok(Duration::from_us(1)));
    let low = Rate::from_ns3("40").expect_err("40 bit/s").to_string();
    assert!(low.contains("too small"), "{low}");
}

#[test]
fn the_limits_themselves_can_be_written() {
    assert_eq!(TIME.most.1.parse(), Ok(limits::MAX_TIME));
    assert_eq!(DURATION.most.1.parse(), Ok(limits::MAX_DURATION));
    assert_eq!(RATE.most.1.parse(), Ok(limits::MAX_RATE));
    assert_eq!(SIZE.most.1.parse(), Ok(limits::MAX_SIZE));
    assert_eq!("1Kbps".parse(), Ok(limits::MIN_RATE));
    assert!("1000000.000000000001s".parse::<Time>().is_err());
    assert!("1000.000000000001TB".parse::<Bytes>().is_err());
}

proptest! {
    #[test]
    fn display_and_parse_agree(size in 1..=limits::MAX_SIZE.get(),
                               ps in 1..=limits::MAX_DURATION.as_ps(),
                               bps in limits::MIN_RATE.as_bps()..=limits::MAX_RATE.as_bps()) {
        prop_assert_eq!(Bytes::new(size).to_string().parse(), Ok(Bytes::new(size)));
        let span = Duration::from_ps(ps);
        prop_assert_eq!(span.to_string().parse(), Ok(span));
        prop_assert_eq!(Time::from_ps(ps).to_string().parse(), Ok(Time::from_ps(ps)));
        let rate = Rate::from_bps(bps).expect("non-zero");
        prop_assert_eq!(rate.to_string().parse(), Ok(rate));
    }

    #[test]
    fn no_text_is_read_as_more_than_the_most(number in 0u128.., fraction in 0u64.., scale in 0usize..40) {
        let units = TIME_UNITS.iter().map(|(name, _)| *name);
        for name in units.chain(RATES.map(|(name, _)| name)).chain(SIZES.map(|(name, _)| name)) {
            let text = format!("{}.{}{name}", number >> scale, fraction >> scale);
            let time = text.parse::<Time>().is_ok_and(|time| time > limits::MAX_TIME);
            let span = text.parse::<Duration>().is_ok_and(|span| span > limits::MAX_DURATION);
            let size = text.parse::<Bytes>().is_ok_and(|size| size > limits::MAX_SIZE);
            let rate = text.parse::<Rate>().is_ok_and(|rate| !(limits::MIN_RATE..=limits::MAX_RATE).contains(&rate));
            prop_assert!(!(time || span || size || rate), "{}", text);
        }
    }

    /// Any number in any unit is parsed to exactly the bit/s or bytes of the tables above. It is
    /// rejected if the result is not a whole number or exceeds a limit.
    #[test]
    fn every_spelling_is_exact(
        digits in prop_oneof![0..2_000u64, 0..u64::MAX / 10_000_000_000],
        places in 0usize..12,
        space in prop_oneof![Just(""), Just(" ")],
    ) {
        let number = match format!("{digits:0>width$}", width = places + 1) {
            whole if places == 0 => whole,
            digits => {
                let (whole, fraction) = digits.split_at(digits.len() - places);
                format!("{whole}.{fraction}")
            }
        };
        let expected = |of_unit: u64, least: u64, most: u64| {
            let scaled = u128::from(digits) * u128::from(of_unit);
            let power = 10u128.pow(u32::try_from(places).expect("few"));
            let value = u64::try_from(scaled / power).ok();
            value.filter(|value| scaled.is_multiple_of(power) && (least..=most).contains(value))
        };
        for (unit, bits) in RATES {
            let read = format!("{number}{space}{unit}").parse::<Rate>().ok();
            let (least, most) = (limits::MIN_RATE.as_bps(), limits::MAX_RATE.as_bps());
            prop_assert_eq!(read.map(Rate::as_bps), expected(bits, least, most), "{} {}", number, unit);
        }
        for (unit, bytes) in SIZES {
            let read = format!("{number}{space}{unit}").parse::<Bytes>().ok();
            let most = limits::MAX_SIZE.get();
            prop_assert_eq!(read.map(Bytes::get), expected(bytes, 0, most), "{} {}", number, unit);
        }
    }

    /// Sizes in bits and rates in capitals are rejected, for every number.
    #[test]
    fn no_factor_of_8_is_guessed(number in 1u64..1_000_000, unit in 0..RATES.len()) {
        let unit = RATES[unit].0;
        let size = unit.trim_end_matches("/s").trim_end_matches("ps");
        if bits(size).is_some() {
            let read = format!("{number}{size}").parse::<Bytes>();
            prop_assert!(read.is_err(), "{}", size);
        }
        let capitals = unit.to_ascii_uppercase();
        let is_word = capitals.contains("BIT") || capitals.contains("BYTE");
        let read = format!("{number}{capitals}").parse::<Rate>();
        prop_assert!(read.is_err() || is_word, "{}", capitals);
    }
}
