//! Samples of queues.

use fabricsim_base::id::{NodeId, PortId};
use fabricsim_base::input::InputError;
use fabricsim_base::units::{Bytes, Time};

use crate::table::read_columns;

/// Length of the queue of a port at a time: a row of `queues.csv`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct QueueSample {
    /// Time of the sample.
    pub at: Time,
    /// The switch.
    pub node: NodeId,
    /// Egress port of the switch.
    pub port: PortId,
    /// Length over all priorities.
    pub queue: Bytes,
}

/// Reads `queues.csv`, in the order of its rows.
///
/// # Errors
/// Fails at the offending word.
pub fn read_queues(text: &str) -> Result<Vec<QueueSample>, InputError> {
    let columns = ["time_ns", "node", "port", "queue_bytes"];
    read_columns(text, "queues.csv", columns, |[at, node, port, queue]| {
        Ok(QueueSample {
            at: Time::from_ps(at.nanoseconds("time_ns")?),
            node: NodeId(node.integer("node")?),
            port: PortId(port.integer("port")?),
            queue: Bytes::new(queue.integer("queue_bytes")?),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_decide() {
        let text =
            "time_ns,node,port,name,tier,peer,queue_bytes\n1.5,9,2,leaf0,leaf to spine,spine1,5\n";
        let samples = read_queues(text).expect("a row");
        let expected = QueueSample {
            at: Time::from_ps(1_500),
            node: NodeId(9),
            port: PortId(2),
            queue: Bytes::new(5),
        };
        assert_eq!(samples, [expected]);
        let error = read_queues(&text.replace(",5\n", ",-5\n")).expect_err("refused");
        assert!(error.message.contains("`-5`"), "{error:?}");
    }
}
