//! Builds the program of a rank from operations and dependencies.

use super::foreseen;
use super::program::{Edge, Operation, Program, Record, Span, Step};

/// Largest number of operations of one rank: edges store the numbers in 31 bits.
pub(crate) const MAX_OPERATIONS: usize = 1 << 31;

/// Operations that wait for one another in a cycle, each for the next one in the list.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Cycle {
    pub(crate) operations: Vec<u32>,
    /// The first operations of the cycle, in words.
    pub(crate) described: Vec<String>,
}

/// Number of operations of a cycle that are described.
const DESCRIBED: usize = 6;

/// The operations of one rank under construction.
#[derive(Debug, Default)]
pub(crate) struct ProgramBuilder {
    records: Vec<Record>,
    /// Each edge with the operation that it waits for.
    edges: Vec<(u32, Edge)>,
    spans: Vec<Span>,
    names: Vec<Box<str>>,
}

impl ProgramBuilder {
    /// Adds an operation and returns its number.
    pub(crate) fn add(&mut self, step: Step) -> u32 {
        let number = self.len();
        self.records.push(Record::new(step));
        number
    }

    /// Returns the number of operations.
    pub(crate) fn len(&self) -> u32 {
        debug_assert!(self.records.len() < MAX_OPERATIONS);
        u32::try_from(self.records.len()).expect("numbers of operations fit 31 bits")
    }

    /// Names the operations, in their order.
    pub(crate) fn name(&mut self, names: Vec<Box<str>>) {
        self.names = names;
    }

    /// Makes `operation` wait for the end of `before`.
    pub(crate) fn after_end(&mut self, operation: u32, before: u32) {
        self.edges.push((before, Edge::AfterEnd(operation)));
    }

    /// Makes `operation` wait for the start of `before`.
    pub(crate) fn after_start(&mut self, operation: u32, before: u32) {
        self.edges.push((before, Edge::AfterStart(operation)));
    }

    /// Begins a collective, and returns its first operation.
    pub(crate) fn begin_span(&mut self) -> u32 {
        self.add(Step::Fixed(Operation::Join))
    }

    /// Ends the collective number `instance`, which consists of the operations since `begin`.
    /// Returns the operation that ends when all of them have ended.
    pub(crate) fn end_span(&mut self, begin: u32, instance: u32) -> u32 {
        let end = self.add(Step::Fixed(Operation::Join));
        self.spans.push(Span {
            begin,
            end,
            instance,
        });
        end
    }

    /// Returns the program of a rank that its own messages name `own`.
    ///
    /// # Errors
    /// Fails if operations wait for one another in a cycle.
    pub(crate) fn finish(mut self, own: u32) -> Result<Program, Cycle> {
        let mut records = self.records;
        let (first_edge, edges) = sorted(records.len(), &std::mem::take(&mut self.edges));
        for (record, first) in records.iter_mut().zip(first_edge) {
            record.first_edge = first;
        }
        for bits in &edges {
            records[(bits >> 1) as usize].need();
        }
        for span in &self.spans {
            // The end also needs all other operations of the span to have ended.
            records[span.end as usize].need();
        }
        for record in &mut records {
            if record.step.receipt().is_some_and(|(from, _)| from != own) {
                record.travel();
            }
        }
        let roots = (0..).zip(&records).filter(|(_, one)| one.needs() == 0);
        let mut program = Program {
            roots: roots.map(|(number, _)| number).collect(),
            records: records.into(),
            edges: edges.into(),
            foreseen: Box::default(),
            spans: self.spans.into(),
            names: self.names.into(),
        };
        if let Some(cycle) = find_cycle(&program) {
            return Err(cycle);
        }
        foreseen::index(&mut program, own);
        Ok(program)
    }
}

/// Sorts the edges of `count` operations by the operation that they wait for. Returns the position
/// of the first edge of each operation, followed by the end of the last ones, and the packed edges.
/// A repeated dependency counts once.
fn sorted(count: usize, edges: &[(u32, Edge)]) -> (Vec<u32>, Vec<u32>) {
    let mut begins = vec![0u32; count + 2];
    for &(before, _) in edges {
        begins[before as usize + 2] += 1;
    }
    for at in 1..=count {
        begins[at + 1] += begins[at];
    }
    // While edges are placed, `begins[before + 1]` is the position of the next edge of `before`.
    let mut placed = vec![0u32; edges.len()];
    for &(before, edge) in edges {
        let next = &mut begins[before as usize + 1];
        placed[*next as usize] = edge.packed();
        *next += 1;
    }
    begins.pop();
    let (mut kept, mut from) = (0, 0);
    for at in 0..count {
        let end = begins[at + 1] as usize;
        placed[from..end].sort_unstable();
        let mut last = None;
        for place in from..end {
            let edge = placed[place];
            if last != Some(edge) {
                placed[kept as usize] = edge;
                kept += 1;
            }
            last = Some(edge);
        }
        from = end;
        begins[at + 1] = kept;
    }
    placed.truncate(kept as usize);
    (begins, placed)
}

/// Finds operations that wait for one another: after all possible operations have been done (Kahn's
/// algorithm), the remaining ones contain a cycle.
fn find_cycle(program: &Program) -> Option<Cycle> {
    let mut needs: Vec<u32> = program.records.iter().map(Record::needs).collect();
    let mut left: Vec<u32> = program.spans.iter().map(Span::inner).collect();
    let mut ready = program.roots.to_vec();
    let mut done = 0;
    while let Some(operation) = ready.pop() {
        done += 1;
        let mut met = |waiting: u32| {
            needs[waiting as usize] -= 1;
            if needs[waiting as usize] == 0 {
                ready.push(waiting);
            }
        };
        for edge in program.edges(operation) {
            let (Edge::AfterEnd(waiting) | Edge::AfterStart(waiting)) = edge;
            met(waiting);
        }
        if let Some(at) = program.span_of(operation) {
            let span = program.spans[at];
            if operation == span.begin && span.inner() == 0 {
                met(span.end);
            } else if operation > span.begin && operation < span.end {
                left[at] -= 1;
                if left[at] == 0 {
                    met(span.end);
                }
            }
        }
    }
    (done < program.len()).then(|| {
        let operations = walk(program, &needs);
        let described = operations.iter().take(DESCRIBED);
        Cycle {
            described: described.map(|&at| describe(program, at)).collect(),
            operations,
        }
    })
}

/// Describes an operation of a file. The messages of collectives follow one another, so no cycle is
/// among them.
fn describe(program: &Program, at: u32) -> String {
    match program.records[at as usize].step {
        Step::Fixed(operation) => program.describe(at, operation, u32::MAX),
        Step::Send(_) | Step::Receive(_) => "a message of a collective".to_owned(),
    }
}

/// Follows the dependencies of blocked operations until one repeats.
fn walk(program: &Program, needs: &[u32]) -> Vec<u32> {
    let blocked = |operation: u32| needs[operation as usize] > 0;
    let mut waits_for: Vec<Option<u32>> = vec![None; program.len()];
    for before in (0..).take(program.len()).filter(|&one| blocked(one)) {
        for edge in program.edges(before) {
            let (Edge::AfterEnd(waiting) | Edge::AfterStart(waiting)) = edge;
            waits_for[waiting as usize] = Some(before);
        }
        if let Some(span) = program.span_of(before).map(|at| program.spans[at])
            && before < span.end
        {
            waits_for[span.end as usize] = Some(before);
        }
    }
    let mut seen = vec![false; program.len()];
    let mut path = Vec::new();
    let mut at = (0..).take(program.len()).find(|&one| blocked(one));
    while let Some(operation) = at {
        if seen[operation as usize] {
            let first = path.iter().position(|&one| one == operation);
            return path.split_off(first.unwrap_or(0));
        }
        seen[operation as usize] = true;
        path.push(operation);
        at = waits_for[operation as usize];
    }
    path
}
