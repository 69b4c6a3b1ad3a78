//! The words of a `.topo`: a header, and a paragraph for each tier.

use std::ops::Range;

use fabricsim_base::input::InputError;

use crate::text::messages::nearest;

/// Maximum number of tiers of such a fabric.
pub(super) const TIERS: usize = 3;

/// Keys of the header.
const HEADER: [&str; 3] = ["nodes", "tiers", "podsize"];

/// Keys of a tier, with their defaults.
const OF_TIER: [(&str, Option<u64>); 9] = [
    ("downlink_speed_gbps", None),
    ("radix_up", None),
    ("radix_down", None),
    ("queue_up", Some(0)),
    ("queue_down", Some(0)),
    ("oversubscribed", Some(1)),
    ("bundle", Some(1)),
    ("switch_latency_ns", Some(0)),
    ("downlink_latency_ns", None),
];

/// A number of the file, with its position.
#[derive(Clone, Debug)]
pub(super) struct Number {
    pub(super) value: u64,
    pub(super) span: Range<usize>,
}

impl Number {
    /// Creates an error at this number.
    pub(super) fn wrong(&self, message: impl Into<String>, help: impl Into<String>) -> InputError {
        InputError::new(self.span.clone(), message, help)
    }
}

/// A tier of switches, from the hosts up.
#[derive(Clone, Debug)]
pub(super) struct Tier {
    pub(super) speed_gbps: Number,
    /// Number of uplinks of a switch; `None` at the top tier.
    pub(super) up: Option<Number>,
    pub(super) down: Number,
    pub(super) oversubscribed: Number,
    /// Parallel links of each pair of switches below this tier.
    pub(super) bundle: Number,
    pub(super) switch_latency: Number,
    pub(super) latency: Number,
    /// `true` if the tier has sizes of queues.
    pub(super) has_queues: bool,
}

/// A fabric in htsim's terms.
#[derive(Clone, Debug)]
pub(super) struct Topo {
    pub(super) nodes: Number,
    pub(super) pod_size: Number,
    pub(super) tiers: Vec<Tier>,
}

/// The keys of a section with their values.
type Entries = Vec<(&'static str, Number)>;

impl Topo {
    /// Parses a `.topo`. Keys may be in upper case; a line may end with a comment (`#`).
    ///
    /// # Errors
    /// Fails at an unknown, repeated or missing key, and at a value that is not a whole number.
    pub(super) fn parse(text: &str) -> Result<Self, InputError> {
        let mut header = Entries::new();
        let mut tiers: [Option<Entries>; TIERS] = [None, None, None];
        let mut current = None;
        for (line, offset) in lines(text) {
            let (word, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let key = word.to_lowercase();
            let place = offset..offset + word.len();
            let value = number(value, offset + word.len(), &place)?;
            if key == "tier" {
                current = Some(begin_tier(&value, &mut tiers)?);
                continue;
            }
            let known = HEADER
                .iter()
                .find(|known| **known == key)
                .map(|known| (*known, None));
            let of_tier = OF_TIER
                .iter()
                .find(|known| known.0 == key)
                .map(|known| (known.0, current));
            let entries = match known.or(of_tier) {
                Some((name, None)) if HEADER.contains(&name) => &mut header,
                Some((_, Some(tier))) => tiers[tier].get_or_insert_default(),
                Some((name, None)) => {
                    let help = "write `Tier 0` before the settings of the lowest switches";
                    return Err(InputError::new(
                        place,
                        format!("`{name}` belongs to no tier"),
                        help,
                    ));
                }
                None => return Err(unknown(word, place)),
            };
            let name = known.or(of_tier).map_or("", |(name, _)| name);
            if entries.iter().any(|(other, _)| *other == name) {
                let message = format!("a second `{word}`");
                return Err(InputError::new(place, message, "keep one of them"));
            }
            entries.push((name, value));
        }
        Self::of(text, &header, tiers)
    }

    fn of(
        text: &str,
        header: &Entries,
        tiers: [Option<Entries>; TIERS],
    ) -> Result<Self, InputError> {
        let end = text.len()..text.len();
        let need = |name: &str| {
            let found = header.iter().find(|(known, _)| *known == name);
            found.map(|(_, number)| number.clone()).ok_or_else(|| {
                let help = "begin the file with Nodes, Tiers and Podsize";
                InputError::new(
                    end.clone(),
                    format!("there is no `{name}` in the header"),
                    help,
                )
            })
        };
        let count = need("tiers")?;
        if !(2..=TIERS as u64).contains(&count.value) {
            return Err(count.wrong(
                format!("a fabric of {} tiers", count.value),
                "write 2 (leaves and spines) or 3 (with cores above)",
            ));
        }
        let mut read = Vec::new();
        for (place, entries) in tiers.iter().enumerate() {
            let top = place as u64 + 1 == count.value;
            match (entries, (place as u64) < count.value) {
                (Some(entries), true) => read.push(Tier::of(entries, place, top, &end)?),
                (None, true) => {
                    let message = format!("there is no `Tier {place}`");
                    return Err(InputError::new(end, message, "describe each tier"));
                }
                (Some(_), false) => {
                    return Err(count.wrong(
                        format!("there is a `Tier {place}` beyond the {} tiers", count.value),
                        "correct the number of tiers",
                    ));
                }
                (None, false) => {}
            }
        }
        Ok(Self {
            nodes: need("nodes")?,
            pod_size: need("podsize")?,
            tiers: read,
        })
    }
}

impl Tier {
    fn of(
        entries: &Entries,
        place: usize,
        top: bool,
        end: &Range<usize>,
    ) -> Result<Self, InputError> {
        let given = |name: &str| entries.iter().find(|(known, _)| *known == name);
        let value = |name: &str| {
            if let Some((_, number)) = given(name) {
                return Ok(number.clone());
            }
            let default = OF_TIER
                .iter()
                .find(|known| known.0 == name)
                .and_then(|known| known.1);
            let missing = || {
                let message = format!("`Tier {place}` has no `{name}`");
                InputError::new(end.clone(), message, format!("add `{name}` and a number"))
            };
            let value = default.ok_or_else(missing)?;
            Ok(Number {
                value,
                span: end.clone(),
            })
        };
        // Only the top tier has no links upwards, so the key is required below it and an error in
        // it.
        let up = match (given("radix_up"), top) {
            (Some((_, number)), true) => {
                return Err(number.wrong(
                    "the highest tier has no links upwards",
                    "remove `Radix_Up` from it",
                ));
            }
            (_, true) => None,
            (_, false) => Some(value("radix_up")?),
        };
        // Zero would mean a tier without links, or a division by zero later.
        for name in [
            "downlink_speed_gbps",
            "radix_down",
            "oversubscribed",
            "bundle",
            "radix_up",
        ] {
            if let Some((_, number)) = given(name).filter(|(_, number)| number.value == 0) {
                return Err(number.wrong(format!("`{name}` is 0"), "write at least 1"));
            }
        }
        Ok(Self {
            speed_gbps: value("downlink_speed_gbps")?,
            up,
            down: value("radix_down")?,
            oversubscribed: value("oversubscribed")?,
            bundle: value("bundle")?,
            switch_latency: value("switch_latency_ns")?,
            latency: value("downlink_latency_ns")?,
            has_queues: given("queue_up").is_some() || given("queue_down").is_some(),
        })
    }
}

/// Yields the lines that are neither blank nor comments, with their positions.
fn lines(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut offset = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = offset;
        offset += line.len();
        let content = line.split('#').next().unwrap_or(line);
        let indent = content.len() - content.trim_start().len();
        let content = content.trim();
        (!content.is_empty()).then_some((content, start + indent))
    })
}

/// Parses the whole number in `text`, which begins at `offset`, after the key at `key`.
fn number(text: &str, offset: usize, key: &Range<usize>) -> Result<Number, InputError> {
    const MOST: u64 = 1 << 24;
    let word = text.trim();
    let start = offset + (text.len() - text.trim_start().len()) + 1;
    let span = if word.is_empty() {
        key.clone()
    } else {
        start..start + word.len()
    };
    match word.parse::<u64>().ok().filter(|value| *value <= MOST) {
        Some(value) => Ok(Number { value, span }),
        None => Err(InputError::new(
            span,
            format!("`{word}` is no whole number up to {MOST}"),
            "write digits alone behind the key, as in `Nodes 1024`",
        )),
    }
}

/// Begins the tier with the number `value`.
fn begin_tier(value: &Number, tiers: &mut [Option<Entries>; TIERS]) -> Result<usize, InputError> {
    let place = usize::try_from(value.value)
        .ok()
        .filter(|place| *place < TIERS);
    let Some(place) = place else {
        return Err(value.wrong(
            format!("there is no tier {}", value.value),
            "tiers are numbered 0 (at the hosts) to 2",
        ));
    };
    if tiers[place].replace(Entries::new()).is_some() {
        return Err(value.wrong(
            format!("a second `Tier {place}`"),
            "describe each tier once",
        ));
    }
    Ok(place)
}

fn unknown(word: &str, place: Range<usize>) -> InputError {
    let keys: Vec<&str> = HEADER
        .iter()
        .copied()
        .chain(OF_TIER.iter().map(|known| known.0))
        .collect();
    let help = match nearest(&word.to_lowercase(), &keys) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("the keys are {} and tier", keys.join(", ")),
    };
    InputError::new(place, format!("htsim reads no key `{word}`"), help)
}
