//! Opening and closing simulations, versions, and the last error.

use std::ffi::c_char;
use std::path::Path;

use facade::Registry;
use facade::{Scenario, Simulation};

use crate::error::{Failure, guard, last};
use crate::session::Session;
use crate::types::{FABRICSIM_ABI_VERSION, FABRICSIM_ERROR_SCENARIO, FabricsimHandle};
use crate::{pointers, table};

/// The version of the library, with a terminating zero for C.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// Returns the version of the library's functions and types: compare it with FABRICSIM_ABI_VERSION.
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_abi_version() -> u32 {
    FABRICSIM_ABI_VERSION
}

/// Returns the version of the library, such as "0.2.0". The text stays valid.
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_version() -> *const c_char {
    VERSION.as_ptr().cast()
}

/// Copies the message of the last error of this thread to `buffer`, as much as fits into `room`
/// bytes with a terminating zero. Returns the number of bytes that the whole message needs,
/// including the zero. `buffer` may be null if `room` is 0.
///
/// # Safety
/// `buffer` is null or points to `room` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_last_error(buffer: *mut c_char, room: usize) -> usize {
    // SAFETY: the caller vouches for `buffer`.
    unsafe { pointers::copy(&last(), buffer, room) }
}

/// Opens a simulation of the scenario `toml`. Its paths are relative to the working folder. It
/// needs no `[[workload]]`. `threads` is 1 or more; results do not depend on it. Writes the handle
/// to `simulation`.
///
/// # Safety
/// `toml` ends with a zero; `simulation` points to room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_open_text(
    toml: *const c_char,
    threads: u32,
    simulation: *mut FabricsimHandle,
) -> i32 {
    guard(|| {
        // SAFETY: the caller vouches for `toml` and `simulation`.
        let toml = unsafe { pointers::text(toml, "toml") }?;
        // SAFETY: as above.
        unsafe { pointers::write(simulation, 0, "simulation") }?;
        let registry = Registry::default().with_optional_workloads();
        let scenario = Scenario::from_toml_with(toml, registry).map_err(Failure::scenario)?;
        let handle = open(&scenario, threads)?;
        // SAFETY: as above.
        unsafe { pointers::write(simulation, handle, "simulation") }
    })
}

/// Like fabricsim_open_text(), from the file at `path`. Each of the `count` texts of `settings`
/// changes a key of the scenario, such as "cc.kind=hpcc"; `settings` may be null if `count` is 0.
///
/// # Safety
/// `path` and each of `settings` end with a zero; `simulation` points to room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fabricsim_open_file(
    path: *const c_char,
    settings: *const *const c_char,
    count: usize,
    threads: u32,
    simulation: *mut FabricsimHandle,
) -> i32 {
    guard(|| {
        // SAFETY: the caller vouches for the pointers.
        let path = unsafe { pointers::text(path, "path") }?;
        // SAFETY: as above.
        let settings = unsafe { pointers::texts(settings, count, "settings") }?;
        // SAFETY: as above.
        unsafe { pointers::write(simulation, 0, "simulation") }?;
        let registry = Registry::default().with_optional_workloads();
        let scenario = Scenario::from_file_with(Path::new(path), &settings, registry);
        let handle = open(&scenario.map_err(Failure::scenario)?, threads)?;
        // SAFETY: as above.
        unsafe { pointers::write(simulation, handle, "simulation") }
    })
}

fn open(scenario: &Scenario, threads: u32) -> Result<FabricsimHandle, Failure> {
    let Ok(threads) = usize::try_from(threads) else {
        return Err(Failure::argument("too many threads"));
    };
    if threads == 0 {
        return Err(Failure::argument(
            "`threads` is 0, and there is one at least",
        ));
    }
    let simulation = Simulation::new(scenario, threads).map_err(Failure::scenario)?;
    if simulation.routes().topology().hosts().is_empty() {
        let text = "the network has no hosts";
        return Err(Failure::new(FABRICSIM_ERROR_SCENARIO, text));
    }
    table::add(Session::new(simulation))
}

/// Closes a simulation: its handle becomes invalid. A callback of the simulation cannot call this.
#[unsafe(no_mangle)]
pub extern "C" fn fabricsim_close(simulation: FabricsimHandle) -> i32 {
    guard(|| table::remove(simulation))
}
