//! The reason why the sending half of a connection waits.

use super::TcpSender;

impl TcpSender {
    /// Returns `true` if bytes are left to send, new or lost ones.
    pub(in crate::tcp) fn has_unsent(&self) -> bool {
        self.board.lost() > 0 || self.has_new()
    }

    /// Returns a description of the event that the sender waits for.
    pub(in crate::tcp) fn waits_for(&self) -> String {
        let retries = self.timers.timeouts_in_a_row();
        let in_flight = self.next - self.una;
        if retries > 0 {
            format!("an acknowledgement of {in_flight} bytes, after {retries} timeouts in a row")
        } else if self.may_send() {
            "its turn at the NIC".to_owned()
        } else {
            format!("an acknowledgement of {in_flight} bytes")
        }
    }
}
