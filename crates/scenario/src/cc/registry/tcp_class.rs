//! Keys that the tables of all TCP algorithms have in common.

use fabricsim_base::settings;
use fabricsim_core::plugin::Feedback;
use fabricsim_transport::tcp::Opening;

settings! {
    /// The keys that the tables of all algorithms of TCP have in common.
    pub struct TcpClassKeys {
        /// Feedback of marks.
        ///
        /// By default, the feedback for which the algorithm was designed.
        pub ecn: Option<Feedback> = none,
        /// Connection setup.
        pub opening: Opening = "handshake",
    }
}
