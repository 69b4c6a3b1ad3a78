//! A sender and its controller in a checkpoint.

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored as _, Writer};

use super::TcpSender;
use crate::controller_state;

impl TcpSender {
    /// Saves the sender and its controller.
    pub(in crate::tcp) fn save_with_controller(&self, out: &mut Writer) {
        self.save(out);
        self.cc.events.store(out);
        controller_state::save(&*self.cc, out);
    }

    /// Loads the state from [`Self::save_with_controller`].
    pub(in crate::tcp) fn load_with_controller(
        &mut self,
        input: &mut Reader<'_>,
    ) -> Result<(), LoadError> {
        self.load(input)?;
        self.cc.events.load(input)?;
        if self.cc.tell(|cc| controller_state::load(cc, input))? {
            return Ok(());
        }
        Err(LoadError::new(
            "a connection of TCP cannot go on with another algorithm",
        ))
    }
}
