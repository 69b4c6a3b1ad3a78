//! Execution traces of PyTorch (`ExecutionTraceObserver`) with Kineto's traces of the device.
//!
//! Chakra's `chakra_trace_link` (`src/trace_link` of mlcommons/chakra) adds durations and kernels of
//! Kineto to the calls of the host, and `chakra_converter PyTorch` (`src/converter`) converts the
//! linked calls to nodes. Both run here in one step ([`link`], [`convert`]); a linked file, in which
//! calls have a category `cat`, is read without a trace of Kineto.

mod align;
mod convert;
mod device;
mod host;
mod link;

use super::error::ChakraError;
use super::node::Node;
pub(super) use host::{HostNode, HostTrace};

/// A call of the host or a kernel of the device.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
struct Call {
    id: u64,
    name: String,
    parent: Option<u64>,
    is_kernel: bool,
    /// Without the calls inside it.
    duration_ns: u64,
    start_ns: i64,
    stream: i64,
    /// The last call of another thread before a pause of this thread.
    other_thread: Option<u64>,
    group: Option<String>,
    /// Bytes of the tensors that the call receives.
    size: i128,
    /// The process groups, in a call that creates them.
    stated_groups: Option<String>,
}

/// Returns the nodes of one rank, and the number of kernels without a call.
///
/// # Errors
/// Fails if a trace has another form, if the traces do not belong together, or if calls of the host
/// have no durations and kernels.
pub(super) fn nodes(
    host: &HostTrace,
    kineto: Option<&[u8]>,
) -> Result<(Vec<Node>, u64), ChakraError> {
    host.check()?;
    let (calls, lost) = match kineto {
        Some(kineto) if !host.is_linked() => link::link(host, device::read(kineto)?)?,
        Some(_) => {
            return Err(ChakraError::new(
                "the execution trace has been linked with Kineto's already: its calls have a `cat`",
                "leave --kineto out",
            ));
        }
        None if host.is_linked() => (host.linked()?, 0),
        None => {
            return Err(ChakraError::new(
                "the execution trace has calls of the host alone, without durations and kernels",
                "give Kineto's trace of the same steps, too: --kineto NAME for NAME.0.json",
            ));
        }
    };
    Ok((convert::convert(&calls), lost))
}

#[cfg(test)]
mod tests;
