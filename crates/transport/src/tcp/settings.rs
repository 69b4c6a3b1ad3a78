//! Settings of a host's TCP, shared by all hosts.

use std::sync::Arc;

use fabricsim_base::choices;
use fabricsim_base::id::ClassId;
use fabricsim_base::units::Rate;
pub use fabricsim_core::plugin::Reuse;
use fabricsim_core::plugin::{CcContext, DynFactory, Feedback};

use super::config::{TcpConfig, TcpParameters};
use crate::cc::CubicConfig;

choices! {
    /// Kind of transfer for the flows of a class.
    #[derive(Default)]
    pub enum Pattern {
        /// The source opens a connection and sends the bytes. The flow ends when the last byte is
        /// acknowledged.
        #[default]
        Plain = "plain",
        /// The source requests the bytes from the destination, like HTTP. The flow ends when the
        /// last byte has been read.
        Fetch = "fetch",
    }
}

choices! {
    /// Method of opening connections.
    #[derive(Default)]
    pub enum Opening {
        /// By a handshake, which takes a round trip.
        #[default]
        Handshake = "handshake",
        /// Without a handshake: the first segment carries payload, as on a persistent connection.
        /// Fetches always have a handshake.
        Open = "open" ("the first segment carries payload"),
    }
}

/// Settings for the flows of a class.
#[derive(Clone, Debug)]
pub struct ClassConfig {
    /// Factory of the controllers at both sides.
    pub cc: Arc<dyn DynFactory>,
    /// The network context for the controllers.
    pub network: Arc<CcContext>,
    /// Feedback of marks that the source requests.
    pub feedback: Feedback,
    /// The highest feedback that the destination agrees to.
    pub accepts: Feedback,
    /// Kind of transfer for a flow.
    pub pattern: Pattern,
    /// The connection that a fetch uses.
    pub reuse: Reuse,
    /// Method of opening connections.
    pub opening: Opening,
}

impl Default for ClassConfig {
    fn default() -> Self {
        Self {
            cc: Arc::new(CubicConfig::default()),
            network: Arc::new(CcContext::of_nics(Rate::from_gbps(100))),
            feedback: Feedback::None,
            accepts: Feedback::Accurate,
            pattern: Pattern::Plain,
            reuse: Reuse::None,
            opening: Opening::Handshake,
        }
    }
}

/// Settings of a host's TCP.
#[derive(Debug)]
pub struct TcpSettings {
    pub(super) parameters: Arc<TcpParameters>,
    default: ClassConfig,
    own: Vec<Option<ClassConfig>>,
}

impl TcpSettings {
    /// Returns settings with `default` for all classes except the ones in `own`.
    #[must_use]
    pub fn new(
        config: &TcpConfig,
        default: ClassConfig,
        own: impl IntoIterator<Item = (ClassId, ClassConfig)>,
    ) -> Self {
        let mut by_class = Vec::new();
        for (class, config) in own {
            if by_class.len() <= class.index() {
                by_class.resize_with(class.index() + 1, || None);
            }
            by_class[class.index()] = Some(config);
        }
        Self {
            parameters: Arc::new(config.parameters()),
            default,
            own: by_class,
        }
    }

    /// Returns the settings for the flows of `class`.
    #[must_use]
    pub fn class(&self, class: ClassId) -> &ClassConfig {
        let own = self.own.get(class.index()).and_then(Option::as_ref);
        own.unwrap_or(&self.default)
    }
}
