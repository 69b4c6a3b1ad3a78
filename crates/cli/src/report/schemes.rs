//! Groups of runs that differ only in the seed.

use super::differences::flatten;
use super::runs::Run;

/// Runs that differ only in the seed.
#[derive(Debug)]
pub(super) struct Scheme<'r> {
    pub(super) name: String,
    pub(super) runs: Vec<&'r Run>,
}

/// Groups `runs` by their settings without the seed, in the order of first appearance. A run with
/// unknown settings is a group of its own.
pub(super) fn schemes(runs: &[Run]) -> Vec<Scheme<'_>> {
    let mut known: Vec<_> = Vec::new();
    let mut schemes: Vec<Scheme<'_>> = Vec::new();
    for run in runs.iter().filter(|run| run.flows > 0) {
        let settings = run.summary.get("scenario").map(|scenario| {
            let mut settings = flatten(scenario);
            // Seeds of parts follow from the scenario's seed.
            settings.retain(|key, _| key != "name" && key != "seed" && !key.ends_with(".seed"));
            settings
        });
        let place = settings
            .as_ref()
            .and_then(|settings| known.iter().position(|own| own == &Some(settings.clone())));
        match place {
            Some(place) => schemes[place].runs.push(run),
            None => {
                known.push(settings);
                schemes.push(Scheme {
                    name: String::new(),
                    runs: vec![run],
                });
            }
        }
    }
    for scheme in &mut schemes {
        let names: Vec<&str> = scheme.runs.iter().map(|run| run.name.as_str()).collect();
        scheme.name = common_name(&names);
    }
    schemes
}

/// Returns a name for runs called `names`: their common axes, or their common prefix.
fn common_name(names: &[&str]) -> String {
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
