//! The style sheet of pages.

use std::fmt::Write;

use crate::figure::palette::{DARK, LIGHT, ON_DARK, ON_LIGHT};

/// Style rules that do not depend on the light or dark theme.
const LAYOUT: &str = "\
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif; }
main { max-width: 80rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin-top: 2.5rem; padding-bottom: .2rem; border-bottom: 1px solid var(--rule); }
h3 { font-size: 1.05rem; margin-top: 1.8rem; }
h2, h3, p, figcaption, summary { overflow-wrap: anywhere; }
a { color: var(--series-0); }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; }
.warning { border-left: 4px solid var(--bad); background: var(--tint); padding: .6rem .9rem; }
.statements { font-size: 1.1rem; padding-left: 1.2rem; }
.statements li { margin: .35rem 0; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
th, td { white-space: nowrap; }
th { font-weight: 600; }
.long { white-space: normal; min-width: 18rem; }
.number { text-align: right; }
.good { color: var(--good); }
.bad { color: var(--bad); font-weight: 600; }
figure { margin: 1.2rem 0 2rem; }
.picture { overflow-x: auto; }
.picture svg { display: block; max-width: 100%; height: auto; margin: 0 auto; }
figcaption { font-size: .9rem; opacity: .85; max-width: 60rem; margin: .4rem auto 0; }
details { margin: .5rem 0; }
summary { cursor: pointer; }
pre { overflow-x: auto; background: var(--tint); padding: .8rem; font-size: .82rem; line-height: 1.4; }
@media (max-width: 40rem) {
  body { font-size: 15px; }
  .picture svg { max-width: none; width: 46rem; }
}
";

/// Rules for printing: white paper without scroll bars.
const PRINT: &str = "\
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  nav, .appendix { display: none; }
  h1 { font-size: 16pt; margin: 0 0 2mm; }
  h2 { font-size: 12pt; margin: 4mm 0 1mm; }
  p, ul { margin: 1.5mm 0; }
  .statements { font-size: 10.5pt; }
  .statements li { margin: .8mm 0; }
  figure { margin: 2mm 0; }
  figcaption { font-size: 8pt; margin-top: 1mm; }
  figure, tr, .warning { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  .table, .picture, pre { overflow: visible; }
  table { width: 100%; }
  th, td { white-space: normal; overflow-wrap: anywhere; padding-right: .4rem; }
  .long { min-width: 0; }
  table { font-size: 7.5pt; }
  th, td { padding-top: .4mm; padding-bottom: .4mm; }
  .picture svg { max-width: 100%; width: auto; max-height: 62mm; }
  pre { white-space: pre-wrap; }
";

/// Returns the whole style sheet.
pub(super) fn style() -> String {
    let light = properties(
        LIGHT,
        ["#d4d7da", "#f3f4f6", "#00734f", "#b3261e"],
        &ON_LIGHT,
    );
    let dark = properties(DARK, ["#3a4046", "#1e2328", "#4fd1a1", "#ff8a80"], &ON_DARK);
    format!(
        ":root {{ color-scheme: light dark;{light} }}\n\
         @media (prefers-color-scheme: dark) {{ :root {{{dark} }} }}\n\
         {LAYOUT}\
         @page {{ size: A4; margin: 14mm; }}\n\
         @media print {{\n  :root {{ color-scheme: light;{light} }}\n{PRINT}}}\n"
    )
}

/// Returns the custom properties of a look: background and text, then rule, tint, good and bad,
/// then the colors of series.
fn properties((page, ink): (&str, &str), others: [&str; 4], series: &[&str]) -> String {
    let [rule, tint, good, bad] = others;
    let mut text = format!(
        " --page:{page}; --ink:{ink}; --rule:{rule}; --tint:{tint}; --good:{good}; --bad:{bad};"
    );
    for (i, color) in series.iter().enumerate() {
        write!(text, " --series-{i}:{color};").expect("a string takes everything");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_match_and_every_property_has_a_value_in_each_look() {
        let style = style();
        assert_eq!(style.matches('{').count(), style.matches('}').count());
        for property in [
            "--page",
            "--ink",
            "--rule",
            "--tint",
            "--good",
            "--bad",
            "--series-6",
        ] {
            // Light, dark and print.
            assert_eq!(
                style.matches(&format!("{property}:")).count(),
                3,
                "{property}"
            );
        }
        assert!(style.contains("prefers-color-scheme: dark") && style.contains("@media print"));
    }
}
