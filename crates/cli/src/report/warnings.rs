//! Warnings of many runs, each once.

/// Returns each warning once, in the order of first appearance, with the number of `runs` that have
/// it; `what` is their name, such as `points`. Warnings that differ only in their numbers are one, in the words of the first run.
pub(crate) fn counted(runs: &[(&str, Vec<String>)], what: &str) -> Vec<String> {
    let masked = |text: &str| text.replace(|c: char| c.is_ascii_digit() || c == ',', "");
    let mut found: Vec<(String, &str, &str, usize, bool)> = Vec::new();
    for (name, warnings) in runs {
        for warning in warnings {
            let key = masked(warning);
            match found.iter_mut().find(|(own, ..)| *own == key) {
                Some((_, _, first, count, alike)) => {
                    *count += 1;
                    *alike &= *first == warning;
                }
                None => found.push((key, name, warning, 1, true)),
            }
        }
    }
    let of = runs.len();
    let words = |(_, name, text, count, alike): &(String, &str, &str, usize, bool)| match (
        *count, *alike,
    ) {
        (1, _) => format!("{name}: {text}"),
        (count, true) => format!("{count} of {of} {what}: {text}"),
        (count, false) => format!("{count} of {of} {what}, such as {name}: {text}"),
    };
    found.iter().map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_of_several_runs_appears_once() {
        let text = |own: &str| vec![own.to_owned()];
        let runs = [
            ("a", text("93.4% of the rate")),
            ("b", Vec::new()),
            ("c", text("93.4% of the rate")),
            ("d", text("no marks")),
            ("e", text("12 flows left")),
            ("f", text("1,344 flows left")),
        ];
        assert_eq!(
            counted(&runs, "runs"),
            [
                "2 of 6 runs: 93.4% of the rate",
                "d: no marks",
                "2 of 6 runs, such as e: 12 flows left",
            ]
        );
    }
}
