//! Names of runs that differ only in the seed.

/// Returns a name for runs called `names`: their common axes, or their common prefix.
pub(super) fn common_name(names: &[&str]) -> String {
    let [first, others @ ..] = names else {
        return String::new();
    };
    if first.contains('=') {
        let has = |axis: &&str| {
            let is_seed = axis.starts_with("seed=");
            !is_seed
                && others
                    .iter()
                    .all(|name| name.split(',').any(|own| own == *axis))
        };
        let shared: Vec<&str> = first.split(',').filter(has).collect();
        if !shared.is_empty() {
            return shared.join(",");
        }
    }
    if others.is_empty() {
        return (*first).to_owned();
    }
    let begins = |text: &str| others.iter().all(|name| name.starts_with(text));
    let end = (0..=first.len())
        .rev()
        .find(|end| first.get(..*end).is_some_and(begins));
    let shared = &first[..end.unwrap_or(0)];
    let shared = shared.trim_end_matches(|c: char| c.is_ascii_digit() || "-_. /".contains(c));
    let shared = shared.strip_suffix('=').unwrap_or(shared);
    let shared = shared.strip_suffix("seed").unwrap_or(shared);
    match shared.trim_end_matches(['-', '_', '.', ' ', '/']) {
        "" => format!("{first} and {} more", others.len()),
        shared => shared.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_have_the_name_of_what_they_share() {
        for (names, shared) in [
            (&["hpcc"][..], "hpcc"),
            (&["cc=hpcc,seed=1"], "cc=hpcc"),
            (
                &["cc=hpcc,load=0.5,seed=1", "cc=hpcc,load=0.5,seed=2"],
                "cc=hpcc,load=0.5",
            ),
            (&["hpcc-seed1", "hpcc-seed2"], "hpcc"),
            (&["results/hpcc/1", "results/hpcc/2"], "results/hpcc"),
            (&["seed=1", "seed=2"], "seed=1 and 1 more"),
            (&["a", "b", "c"], "a and 2 more"),
        ] {
            assert_eq!(common_name(names), shared);
        }
    }
}
