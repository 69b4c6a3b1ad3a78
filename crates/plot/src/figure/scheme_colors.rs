//! Colors that follow the names of series: a scheme has one color in all figures.

use std::collections::BTreeMap;

use super::style::Style;

/// Algorithms with the index of their color. The first five, with the colors in the order of the
/// published results page, are compared most often; newer ones share colors with algorithms that
/// they are rarely compared with.
const ALGORITHMS: [(&str, usize); 21] = [
    ("hpcc", 0),
    ("hpcc-int", 0),
    ("hpcc-pint", 1),
    ("dcqcn", 2),
    ("timely", 3),
    ("dctcp", 4),
    ("swift", 5),
    ("none", 6),
    ("powertcp", 1),
    ("theta-powertcp", 3),
    ("nscc", 1),
    ("rccc", 3),
    ("csig", 5),
    ("cubic", 0),
    ("bbr", 1),
    ("prague", 2),
    ("newreno", 3),
    ("reno", 3),
    ("tcp-dctcp", 4),
    ("tcp-hpcc", 5),
    ("l4s", 2),
];

impl Style {
    /// Returns the looks of series with these names, in order.
    ///
    /// The color belongs to the name, not to its position: a name with the word of an algorithm
    /// (`HPCC`, `scheme=DCQCN+w`) has the color of this algorithm, and any other name a color by its
    /// letters. Names that differ only in case or seed have one color, with different dashes and
    /// markers. If different names of a figure have the same color, they are sorted (the plain names
    /// of algorithms first), the first one keeps it, and the next ones take free colors; so the
    /// order of `names` never matters. The first 35 looks of a figure are different.
    #[must_use]
    pub fn of_names<S: AsRef<str>>(names: &[S]) -> Vec<Self> {
        let subjects: Vec<String> = names.iter().map(|name| subject(name.as_ref())).collect();
        let mut sorted: Vec<(bool, &String)> = subjects
            .iter()
            .map(|subject| (!ALGORITHMS.iter().any(|(own, _)| own == subject), subject))
            .collect();
        sorted.sort();
        sorted.dedup();
        let mut used: Vec<usize> = Vec::new();
        let mut indices: BTreeMap<&String, usize> = BTreeMap::new();
        for (_, subject) in sorted {
            let home = home(subject);
            // All colors once, from the home on; then again with other dashes and markers.
            let rounds = (0..).flat_map(|round| (0..Self::COLORS).map(move |step| (round, step)));
            let mut wanted =
                rounds.map(|(round, step)| round * Self::COLORS + (home + step) % Self::COLORS);
            let index = wanted.find(|index| !used.contains(index));
            let index = index.expect("there is always another round");
            used.push(index);
            indices.insert(subject, index);
        }
        // Series of one subject keep its color.
        let mut seen: Vec<&String> = Vec::new();
        let looks = subjects.iter().map(|subject| {
            let index = indices[subject];
            if !seen.contains(&subject) {
                seen.push(subject);
                return Self::nth(index);
            }
            let mut later = (1..).map(|round| index + round * Self::COLORS);
            let free = later.find(|index| !used.contains(index));
            let free = free.expect("there is always another round");
            used.push(free);
            Self::nth(free)
        });
        looks.collect()
    }
}

/// Returns the subject of a name: in small letters, without the seed, and only the value if it is
/// the value of a single axis.
fn subject(name: &str) -> String {
    let name = name.to_lowercase();
    let is_seed = |part: &&str| {
        let last = part.split_once('=').map_or("", |(axis, _)| axis);
        last.trim().rsplit('.').next() == Some("seed")
    };
    let parts: Vec<&str> = name.split(',').filter(|part| !is_seed(part)).collect();
    match &parts[..] {
        [] => name,
        [one] => one
            .split_once('=')
            .map_or(*one, |(_, value)| value)
            .trim()
            .to_owned(),
        _ => parts.join(","),
    }
}

/// Returns the index of the color that `subject` prefers.
fn home(subject: &str) -> usize {
    let algorithms = ALGORITHMS
        .iter()
        .filter(|(name, _)| has_word(subject, name));
    match algorithms.max_by_key(|(name, _)| name.len()) {
        Some((_, color)) => *color,
        None => by_letters(subject),
    }
}

/// Returns `true` if `text` has `word` with no letter or digit beside it.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let beside = [
            text[..at].chars().next_back(),
            text[at + word.len()..].chars().next(),
        ];
        beside
            .into_iter()
            .flatten()
            .all(|letter| !letter.is_alphanumeric())
    })
}

/// Returns a color other than gray by the letters of a name (the hash FNV-1a).
fn by_letters(name: &str) -> usize {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let colors = u64::try_from(Style::COLORS - 1).expect("a few colors");
    usize::try_from(hash % colors).expect("less than the number of colors")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colors(names: &[&str]) -> Vec<usize> {
        Style::of_names(names)
            .iter()
            .map(|style| style.color)
            .collect()
    }

    #[test]
    fn a_scheme_looks_the_same_in_any_company_and_order() {
        assert_eq!(Style::of_names(&["DCTCP"]), [Style::nth(4)]);
        assert_eq!(colors(&["HPCC", "DCQCN"]), [0, 2]);
        assert_eq!(colors(&["DCQCN", "mine", "HPCC"])[..1], [2]);
        assert_eq!(colors(&["DCQCN", "mine", "HPCC"])[2], 0);
        assert_eq!(
            colors(&["scheme=DCQCN+w,seed=1", "results/hpcc", "first-dctcp"]),
            [2, 0, 4]
        );
        let own = colors(&["mine"]);
        assert_eq!(colors(&["ecmp", "mine"]), {
            let mut turned = colors(&["mine", "ecmp"]);
            turned.reverse();
            turned
        });
        assert_eq!(colors(&["Mine"]), own);
    }

    #[test]
    fn different_names_have_different_looks() {
        assert_eq!(colors(&["hpcc-int", "HPCC"]), [1, 0]);
        let names: Vec<String> = (0..35).map(|index| format!("name {index}")).collect();
        let looks = Style::of_names(&names);
        for (i, a) in looks.iter().enumerate() {
            for b in &looks[..i] {
                assert!(a.color != b.color || a.dash != b.dash, "{a:?} {b:?}");
            }
        }
        let mut first: Vec<usize> = looks[..].iter().map(|look| look.color).collect();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), Style::COLORS);
    }

    #[test]
    fn seeds_of_a_scheme_share_its_color() {
        let looks = Style::of_names(&[
            "scheme=HPCC,seed=1",
            "scheme=HPCC,seed=2",
            "scheme=DCQCN,seed=1",
        ]);
        assert_eq!(looks[0].color, looks[1].color);
        assert_ne!(looks[0].dash, looks[1].dash);
        assert_eq!(looks[2].color, 2);
    }
}
