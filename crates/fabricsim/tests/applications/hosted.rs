//! Applications at hosts: closed loops with timelines that are known to the picosecond.

mod closed_loop;
mod connections;
mod endings;
mod player;
mod random;
mod seams;
mod timeline;
mod transports;
