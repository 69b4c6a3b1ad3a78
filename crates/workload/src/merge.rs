//! Merges several workloads into one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

use fabricsim_base::checkpoint::{Checkpointed, LoadError, Reader, Stored, Writer};
use fabricsim_base::flow::{FlowRequest, FlowSource};
use fabricsim_base::units::Time;

/// Sources merged in the order of (start, position of the source).
///
/// Returning a flow costs O(log k) for k sources.
pub struct Merge {
    sources: Vec<Box<dyn FlowSource>>,
    due: BinaryHeap<Reverse<(Time, usize)>>,
}

impl Merge {
    /// Merges `sources`; their order decides between flows that start at the same time.
    #[must_use]
    pub fn new(sources: Vec<Box<dyn FlowSource>>) -> Self {
        let due = sources
            .iter()
            .enumerate()
            .filter_map(|(i, source)| source.next_start().map(|start| Reverse((start, i))))
            .collect();
        Self { sources, due }
    }
}

impl FlowSource for Merge {
    fn next_start(&self) -> Option<Time> {
        self.due.peek().map(|Reverse((start, _))| *start)
    }

    fn next_flow(&mut self) -> Option<FlowRequest> {
        let Reverse((_, i)) = self.due.pop()?;
        let flow = self.sources[i].next_flow();
        if let Some(start) = self.sources[i].next_start() {
            self.due.push(Reverse((start, i)));
        }
        flow
    }

    fn save_state(&self, out: &mut Writer) {
        let Self { sources, due } = self;
        due.store(out);
        out.number(sources.len());
        for source in sources {
            out.section(|out| source.save_state(out));
        }
    }

    fn load_state(&mut self, input: &mut Reader<'_>) -> Result<(), LoadError> {
        let Self { sources, due } = self;
        due.load(input)?;
        input.expect_number(sources.len())?;
        for (index, source) in sources.iter_mut().enumerate() {
            let name = format!("workload {index}");
            input.section(&name, |input| source.load_state(input))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Merge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Merge")
            .field("sources", &self.sources.len())
            .field("due", &self.due)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use fabricsim_base::id::ClassId;
    use fabricsim_base::units::{Bytes, Duration};

    use super::*;
    use crate::context::testing::context;
    use crate::workload::Workload;
    use crate::{AllToAllConfig, PermutationConfig, PoissonConfig};

    #[test]
    fn equal_starts_come_in_the_order_of_the_workloads() {
        let context = context(3, 1);
        let permutation = PermutationConfig::new(Bytes::new(10))
            .build(&context, ClassId(0))
            .unwrap();
        let all = AllToAllConfig::new(Bytes::new(10))
            .build(&context, ClassId(1))
            .unwrap();
        let mut merge = Merge::new(vec![permutation, all]);
        let classes: Vec<u16> = std::iter::from_fn(|| merge.next_flow())
            .map(|f| f.class.0)
            .collect();
        assert_eq!(classes, [0, 0, 0, 1, 1, 1, 1, 1, 1]);
        assert_eq!(merge.next_start(), None);
    }

    #[test]
    fn nothing_is_lost_and_starts_never_decrease() {
        let sources = |class: u16| {
            let mut context = context(8, 5);
            context.index = u64::from(class);
            let config = PoissonConfig::new("hadoop", 0.5, Duration::from_us(300));
            config.build(&context, ClassId(class)).unwrap()
        };
        let count =
            |mut source: Box<dyn FlowSource>| std::iter::from_fn(|| source.next_flow()).count();
        let alone = count(sources(0)) + count(sources(1));
        let mut merge = Merge::new(vec![sources(0), sources(1)]);
        let mut starts = Vec::new();
        while let Some(start) = merge.next_start() {
            let flow = merge.next_flow().expect("start");
            assert_eq!(flow.start, start);
            starts.push(flow.start);
        }
        assert!(starts.is_sorted());
        assert_eq!(starts.len(), alone);
    }
}
