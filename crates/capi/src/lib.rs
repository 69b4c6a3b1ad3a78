//! libfabricsim: the simulator for programs in C and in languages that can call C.
//!
//! `include/fabricsim.h` documents every function; `docs/embedding.md` explains how to use them. A
//! program opens a simulation from a scenario and refers to it by a handle, a number that each call
//! checks. It sends messages, receives their events at the exact time, and reacts.
//!
//! No panic leaves the library, and no function keeps a pointer of the program, except the one of
//! `fabricsim_set_callback`. Exported Apache Arrow streams belong to the program.

mod callback;
mod error;
mod export;
mod open;
mod pointers;
mod queries;
mod run;
mod session;
mod table;
#[cfg(test)]
mod tests;
mod traffic;
mod types;

pub use export::{fabricsim_export_file, fabricsim_export_flows};
pub use open::{
    fabricsim_abi_version, fabricsim_close, fabricsim_last_error, fabricsim_open_file,
    fabricsim_open_text, fabricsim_version,
};
pub use queries::{
    fabricsim_find_host, fabricsim_host_name, fabricsim_host_node, fabricsim_hosts,
    fabricsim_ideal_time, fabricsim_keep_flows, fabricsim_node_host, fabricsim_now,
    fabricsim_statistics, fabricsim_write_flows,
};
pub use run::{
    fabricsim_ignore_acknowledgements, fabricsim_run_until, fabricsim_run_until_next,
    fabricsim_set_callback, fabricsim_stop,
};
pub use traffic::{fabricsim_cancel_timer, fabricsim_send, fabricsim_send_at, fabricsim_set_timer};
pub use types::*;
