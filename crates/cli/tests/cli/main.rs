//! The command from the user's view: run as a process in its own folder.

mod bad_input;
mod buffers;
mod captured;
mod checkpoints;
mod closed_loop;
mod comparison;
mod crates;
mod dependencies;
mod documents;
#[cfg(unix)]
mod escapes;
mod explain;
mod export;
mod fast_forward;
mod glossary;
mod guide;
mod harm;
mod import;
mod import_formats;
mod import_keys;
mod import_simai;
mod import_trace;
#[cfg(unix)]
mod inputs;
mod interrupt;
mod kept;
mod language;
mod list;
mod losses;
mod packages;
mod parallelism;
mod pint;
mod plot;
mod public_api;
mod queries;
#[cfg(all(feature = "mpi", target_os = "linux"))]
#[path = "../../../fabricsim/tests/support/random_scenario.rs"]
mod random_scenario;
mod ranks;
#[cfg(all(feature = "mpi", target_os = "linux"))]
mod ranks_run;
mod reference_tables;
mod rendering;
mod report;
mod reproduce;
mod runs;
mod scale;
mod schema;
mod shape;
mod signals;
mod slowdown;
mod sql;
mod streams;
mod support;
mod sweep;
mod terminal;
mod threads;
mod timeline;
mod tools;
mod view;
mod warnings;
mod words;
