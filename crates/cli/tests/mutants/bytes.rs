//! Mutants of texts as bytes.

use crate::draw::Draw;

/// Texts to insert: numbers out of range, control characters, and words with a meaning somewhere.
const WORDS: &[&str] = &[
    "0",
    "-1",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775807",
    "4294967296",
    "65536",
    "1e308",
    "1e-308",
    "1e400",
    "NaN",
    "inf",
    "0x7f",
    "\u{1b}[31m",
    "\0",
    "\u{7f}",
    "\u{202e}",
    "\r",
    "\n",
    "\n\n",
    "\t",
    ",",
    ";",
    "\"",
    "'",
    "\"\"\"",
    "#",
    "[",
    "]",
    "[[",
    "{",
    "}",
    "=",
    ".",
    "<",
    ">",
    "&lt;",
    "<!DOCTYPE x>",
    "é",
    "漢",
    "\u{feff}",
    "1ps",
    "1bps",
    "1B",
    "999999999s",
    "99999Tbps",
    "..",
    "0..4294967295",
];

/// Returns a mutant of `text` with one to three changes, mostly one. Inserted parts may come from
/// `other`.
pub(crate) fn mutant(text: &[u8], other: &[u8], draw: &mut Draw) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..=draw.below(6).saturating_sub(3) {
        change(&mut bytes, other, draw);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], draw: &mut Draw) {
    let at = draw.below(bytes.len() + 1);
    let part = |draw: &mut Draw, bytes: &[u8]| {
        let from = draw.below(bytes.len() + 1);
        let most = (bytes.len() - from).min(64);
        from..from + draw.below(most + 1)
    };
    match draw.below(11) {
        0 if at < bytes.len() => bytes[at] ^= 1 << draw.below(8),
        1 if at < bytes.len() => drop(bytes.remove(at)),
        2 => bytes.insert(at, draw.byte()),
        3 => {
            let gone = part(draw, bytes);
            drop(bytes.drain(gone));
        }
        4 => {
            let twice = part(draw, bytes);
            let twice = bytes[twice].to_vec();
            drop(bytes.splice(at..at, twice));
        }
        5 => {
            let taken = part(draw, other);
            drop(bytes.splice(at..at, other[taken].iter().copied()));
        }
        6 => bytes.truncate(at),
        7 => replace_number(bytes, at, draw),
        8 => swap_lines(bytes, draw),
        _ => {
            let word = WORDS[draw.below(WORDS.len())];
            drop(bytes.splice(at..at, word.bytes()));
        }
    }
}

/// Replaces the first number from `at` on.
fn replace_number(bytes: &mut Vec<u8>, at: usize, draw: &mut Draw) {
    let Some(from) = (at..bytes.len()).find(|&at| bytes[at].is_ascii_digit()) else {
        return;
    };
    let digits = bytes[from..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit());
    let to = from + digits.count();
    let word = WORDS[draw.below(12)];
    drop(bytes.splice(from..to, word.bytes()));
}

fn swap_lines(bytes: &mut Vec<u8>, draw: &mut Draw) {
    let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    let (a, b) = (draw.below(lines.len()), draw.below(lines.len()));
    lines.swap(a, b);
    *bytes = lines.join(&b'\n');
}
