//! The native part of the Python package `fabricsim`: `fabricsim._native`.
//!
//! Users import the package in `python/fabricsim`. It makes the text of scenarios, and adds
//! properties to results. This crate has the run, the sweep, the driven simulation, tables in the
//! memory layout of Arrow, and figures. `docs/python.md` explains how to use the package.
//!
//! Runs release the interpreter (the GIL) and acquire it again for callbacks, for congestion
//! controls that are written in Python, and to check for Ctrl-C.

mod ack;
mod attend;
mod caller;
mod check;
mod control;
mod error;
mod event;
mod figure;
mod key_path;
mod progress;
mod quantity;
mod run;
mod scenario;
mod session;
mod simulation;
mod sweep;
mod table;
mod tags;

use pyo3::prelude::*;

/// The native part of fabricsim. Import `fabricsim` instead.
#[pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    use crate::ack::{Ack, Congestion, FlowStart, Hop};
    #[pymodule_export]
    use crate::check::check;
    #[pymodule_export]
    use crate::event::Event;
    #[pymodule_export]
    use crate::figure::{Figure, plot};
    #[pymodule_export]
    use crate::progress::{Progress, SweepProgress};
    #[pymodule_export]
    use crate::run::{copy_results, run};
    #[pymodule_export]
    use crate::scenario::Given;
    #[pymodule_export]
    use crate::simulation::{Events, Simulation};
    #[pymodule_export]
    use crate::sweep::sweep;
    #[pymodule_export]
    use crate::table::{Table, critical_path};

    /// The version of fabricsim.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
