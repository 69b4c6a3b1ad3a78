//! The command as a user meets it: run as a process in a folder of its own.

mod bad_input;
mod comparison;
mod documents;
mod harm;
mod interrupt;
mod parallelism;
mod pint;
mod plot;
mod queries;
mod rendering;
mod report;
mod reproduce;
mod runs;
mod scale;
mod slowdown;
mod support;
mod sweep;
mod threads;
mod words;
