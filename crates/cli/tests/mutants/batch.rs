//! Checks many mutants one after another: in this process, or in child processes with limits.

use std::io::Write;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, exit};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cpu_time::{ProcessTime, ThreadTime};

use crate::seeds::{seeds, write_beside};
use crate::targets::{Verdict, judge};
use crate::{ALLOCATOR, mutant};

/// CPU time and bytes that a mutant may use. Other tests of the process use time, too, so the time is
/// that of its thread.
const TIME: Duration = Duration::from_secs(5);
const MEMORY: usize = 1 << 30;

/// Virtual memory of a process in KiB. It is more than a mutant may use, so that the test can
/// distinguish excessive use from the end of the process.
const LIMIT: u64 = 4 << 20;

/// Mutants of a process.
const SIZE: u64 = 1_000;

/// The mutants of a process: the first one and the end, separated by a comma.
const VARIABLE: &str = "FABRICSIM_MUTANTS";

/// Numbers of used and refused mutants, and the failures.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) used: u64,
    pub(crate) refused: u64,
    pub(crate) bad: Vec<String>,
}

/// Message of the last panic, with its place in the source.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// Checks mutants in this process.
pub(crate) fn check(numbers: Range<u64>) -> Found {
    let mut found = Found::default();
    each(numbers, |number, verdict| match verdict {
        Ok(Verdict::Used) => found.used += 1,
        Ok(Verdict::Refused) => found.refused += 1,
        Err(what) => found.bad.push(format!("mutant {number}: {what}")),
    });
    found
}

fn each(numbers: Range<u64>, mut tell: impl FnMut(u64, Result<Verdict, String>)) {
    let seeds = seeds();
    let folder = tempfile::tempdir().expect("a folder");
    write_beside(folder.path(), &seeds);
    for number in numbers {
        let (seed, bytes) = mutant(&seeds, number);
        let text = String::from_utf8_lossy(&bytes);
        let (begin, before) = (ThreadTime::now(), ALLOCATOR.current_usage());
        ALLOCATOR.reset_peak_usage();
        let judged = catch_unwind(AssertUnwindSafe(|| judge(seed.kind, &text, folder.path())));
        let took = begin.elapsed();
        let memory = ALLOCATOR.peak_usage().saturating_sub(before);
        let verdict = match judged {
            Err(_) => Err(PANIC.lock().expect("no panic here").clone()),
            Ok(Ok(_)) if took > TIME => Err(format!("takes {took:?}")),
            Ok(Ok(_)) if memory > MEMORY => Err(format!("takes {memory} bytes")),
            Ok(verdict) => verdict,
        };
        tell(
            number,
            verdict.map_err(|what| format!("{}: {what}", seed.name)),
        );
    }
}

/// The mutants of this process.
pub(crate) struct Batch(Range<u64>);

impl Batch {
    pub(crate) fn of_environment() -> Option<Self> {
        let text = std::env::var(VARIABLE).ok()?;
        let (first, end) = text.split_once(',')?;
        Some(Self(first.parse().ok()?..end.parse().ok()?))
    }

    /// Checks the mutants and prints each result; for a single mutant also its text.
    pub(crate) fn run(self) {
        std::panic::set_hook(Box::new(|panic| {
            *PANIC.lock().expect("no panic here") = panic.to_string().replace('\n', " ");
        }));
        static NOW: AtomicU64 = AtomicU64::new(0);
        let Self(numbers) = self;
        NOW.store(numbers.start, Ordering::SeqCst);
        if numbers.end - numbers.start == 1 {
            let seeds = seeds();
            let (seed, bytes) = mutant(&seeds, numbers.start);
            say(&format!(
                "{}:\n{}",
                seed.name,
                String::from_utf8_lossy(&bytes)
            ));
        }
        // A mutant that never ends is identified by its number.
        std::thread::spawn(|| {
            let (mut number, mut begin) = (NOW.load(Ordering::SeqCst), ProcessTime::now());
            loop {
                std::thread::sleep(Duration::from_millis(200));
                let now = NOW.load(Ordering::SeqCst);
                if now != number {
                    (number, begin) = (now, ProcessTime::now());
                } else if begin.elapsed() > 2 * TIME {
                    say(&format!("bad {number}: does not come back"));
                    exit(1);
                }
            }
        });
        each(numbers, |number, verdict| {
            match verdict {
                Ok(verdict) => say(&format!("good {number}: {verdict:?}")),
                Err(what) => say(&format!("bad {number}: {}", what.replace('\n', " "))),
            }
            NOW.store(number + 1, Ordering::SeqCst);
        });
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n{line}").expect("somebody listens");
    out.flush().expect("somebody listens");
}

/// Checks the mutants up to `end` in processes with bounded memory and returns the failures.
pub(crate) fn in_processes(end: u64) -> Vec<String> {
    let mut bad = Vec::new();
    let mut first = 0;
    while first < end {
        let upto = (first + SIZE).min(end);
        let output = Command::new("sh")
            .args(["-c", &format!("ulimit -v {LIMIT}; exec \"$@\""), "sh"])
            .arg(std::env::current_exe().expect("a test is a program"))
            .args(["--exact", "a_batch_of_mutants", "--ignored", "--nocapture"])
            .env(VARIABLE, format!("{first},{upto}"))
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut next = first;
        for line in said.lines() {
            let number = |rest: &str| {
                let digits = rest.split(':').next()?;
                digits.trim().parse::<u64>().ok()
            };
            if let Some(done) = line.strip_prefix("good ").and_then(number) {
                next = done + 1;
            } else if let Some(rest) = line.strip_prefix("bad ") {
                next = number(rest).expect("a number") + 1;
                eprintln!("mutant {rest}");
                bad.push(format!("mutant {rest}"));
            }
        }
        if next < upto && (next == first || !said.contains("does not come back")) {
            let error = String::from_utf8_lossy(&output.stderr);
            let last = error.lines().last().unwrap_or_default();
            eprintln!("mutant {next} ends the process: {last}");
            bad.push(format!("mutant {next} ends the process: {last}"));
            next += 1;
        }
        first = next;
    }
    bad
}
