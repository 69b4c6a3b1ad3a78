//! The open simulations, by handle.
//!
//! A handle is the number of a slot and the slot's generation. The generation grows when a
//! simulation is closed, so a closed handle never refers to a later simulation. The table is the
//! only state that the whole library shares, because functions of C have no other place for it.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Failure;
use crate::session::Session;
use crate::types::FabricsimHandle;

struct Slot {
    generation: u32,
    session: Option<Arc<Session>>,
}

static OPEN: Mutex<Vec<Slot>> = Mutex::new(Vec::new());

const fn handle(index: u32, generation: u32) -> FabricsimHandle {
    (generation as u64) << 32 | (index as u64 + 1)
}

/// Returns the slot number of a handle in the table, and its generation.
fn place(handle: FabricsimHandle) -> Option<(usize, u32)> {
    let index = (handle & u64::from(u32::MAX)).checked_sub(1)?;
    let generation = u32::try_from(handle >> 32).ok()?;
    Some((usize::try_from(index).ok()?, generation))
}

/// Stores a session in the first free slot of the table.
pub(crate) fn add(session: Session) -> Result<FabricsimHandle, Failure> {
    let session = Some(Arc::new(session));
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    // A slot that has used all its generations stays empty.
    let free = |slot: &Slot| slot.session.is_none() && slot.generation < u32::MAX;
    let index = open.iter().position(free).unwrap_or(open.len());
    let Ok(number) = u32::try_from(index) else {
        return Err(Failure::argument("too many simulations are open"));
    };
    if index == open.len() {
        let generation = 0;
        open.push(Slot {
            generation,
            session: None,
        });
    }
    let slot = &mut open[index];
    slot.session = session;
    Ok(handle(number, slot.generation))
}

/// Returns the session of a handle.
pub(crate) fn get(handle: FabricsimHandle) -> Result<Arc<Session>, Failure> {
    let (index, generation) = place(handle).ok_or_else(Failure::handle)?;
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let slot = open.get(index).filter(|slot| slot.generation == generation);
    let session = slot.and_then(|slot| slot.session.clone());
    session.ok_or_else(Failure::handle)
}

/// Removes the session of a handle from the table, or fails while another call uses it.
pub(crate) fn remove(handle: FabricsimHandle) -> Result<(), Failure> {
    let (index, generation) = place(handle).ok_or_else(Failure::handle)?;
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let slot = open.get_mut(index);
    let slot = slot.filter(|slot| slot.generation == generation && slot.session.is_some());
    let slot = slot.ok_or_else(Failure::handle)?;
    let session = slot.session.as_ref().ok_or_else(Failure::handle)?;
    // Every call in progress holds a reference of its own.
    if Arc::strong_count(session) > 1 {
        return Err(Failure::busy());
    }
    slot.generation += 1;
    let session = slot.session.take();
    drop(open);
    drop(session);
    Ok(())
}
