//! Builds the programs of all ranks from the statements of a file, and checks that they match.

use std::collections::BTreeMap;
use std::sync::Arc;

use fabricsim_base::input::InputError;
use fabricsim_base::limits::{MAX_DURATION, MAX_SIZE};
use fabricsim_base::units::Bytes;

use super::Loaded;
use super::times::Used;
use crate::collective::{CollectiveAlgorithm, CollectiveOperation, Detail, Member, Shape};
use crate::graph::{Instance, Operation, ProgramBuilder, Step};
use crate::text::Piece;

/// Largest number of ranks of a file.
pub(super) const MAX_RANKS: u32 = 1 << 20;

/// Largest number of operations of all collectives of a file.
const MAX_COLLECTIVE_OPERATIONS: u64 = 100_000_000;

/// The operations of one statement of a file: a single one, or all of a collective.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Placed {
    pub(super) first: u32,
    pub(super) last: u32,
}

/// A collective as one rank states it.
#[derive(Clone, Debug)]
pub(super) struct Stated<'t> {
    pub(super) operation: CollectiveOperation,
    pub(super) algorithm: Option<CollectiveAlgorithm>,
    pub(super) size: Bytes,
    /// The ranks of the group, in ascending order.
    pub(super) members: Arc<[u32]>,
    pub(super) place: Piece<'t>,
}

/// One rank under construction.
#[derive(Default)]
struct Rank {
    builder: ProgramBuilder,
    names: Vec<Box<str>>,
    /// For each group, the number of its collectives that the rank has stated.
    turns: BTreeMap<Arc<[u32]>, u32>,
}

/// The statements of one collective: its shape, the position of the first statement, and the number
/// of statements. The size is the largest that a member states.
struct Collective<'t> {
    shape: Shape,
    /// The size in the first statement.
    first_size: Bytes,
    first_tag: u64,
    place: Piece<'t>,
    stated: u32,
}

/// The ranks of a file.
pub(super) struct Assembly<'t> {
    ranks: Vec<Rank>,
    /// For each sender, receiver and tag: the number of sends minus the number of receipts, and a
    /// position in the file.
    balance: BTreeMap<(u32, u32, u64), (i64, Piece<'t>)>,
    /// Numbers of the groups; then the numbers of the collectives by group and turn.
    groups: BTreeMap<Arc<[u32]>, u32>,
    numbers: BTreeMap<(u32, u32), u32>,
    collectives: Vec<(u32, Collective<'t>)>,
    /// The first tag that no collective uses so far.
    next_tag: u64,
    messages: f64,
    bytes: f64,
    /// Approximate number of operations of collectives.
    operations: u64,
}

impl<'t> Assembly<'t> {
    /// Returns `ranks` ranks without operations.
    pub(super) fn new(ranks: u32) -> Self {
        Self {
            ranks: (0..ranks).map(|_| Rank::default()).collect(),
            balance: BTreeMap::new(),
            groups: BTreeMap::new(),
            numbers: BTreeMap::new(),
            collectives: Vec::new(),
            next_tag: 0,
            messages: 0.0,
            bytes: 0.0,
            operations: 0,
        }
    }

    /// Returns `true` if `rank` exists.
    pub(super) fn has(&self, rank: u32) -> bool {
        rank < self.count()
    }

    fn count(&self) -> u32 {
        u32::try_from(self.ranks.len()).expect("ranks are at most MAX_RANKS")
    }

    /// Checks that a peer is a rank.
    fn peer(&self, peer: u32, place: Piece<'t>) -> Result<(), InputError> {
        if self.has(peer) {
            return Ok(());
        }
        Err(place.error(
            format!("there is no rank {peer}"),
            format!("name a rank, 0 to {}", self.count() - 1),
        ))
    }

    /// Adds an operation of `rank`; `place` is the statement. A message of zero bytes is sent as
    /// one byte, as LogGOPSim does.
    pub(super) fn add(
        &mut self,
        rank: u32,
        name: &str,
        mut operation: Operation,
        place: Piece<'t>,
    ) -> Result<Placed, InputError> {
        let balanced = match &mut operation {
            Operation::Send { to, size, tag, .. } => {
                self.peer(*to, place)?;
                *size = (*size).max(Bytes::new(1));
                if *size > MAX_SIZE {
                    return Err(place.error(
                        format!("{size} is too large: {MAX_SIZE} is the most of a message"),
                        "divide it",
                    ));
                }
                // A message of a rank to itself is not a flow.
                if *to != rank {
                    self.messages += 1.0;
                    self.bytes += size.as_f64();
                }
                Some(((rank, *to, *tag), 1))
            }
            Operation::Receive { from, tag } => {
                self.peer(*from, place)?;
                Some(((*from, rank, *tag), -1))
            }
            Operation::Compute { span, .. } if *span > MAX_DURATION => {
                return Err(place.error(
                    format!("{span} is too long: {MAX_DURATION} is the most that can be simulated"),
                    "write a shorter time",
                ));
            }
            Operation::Compute { .. } | Operation::Join => None,
        };
        if let Some((key, one)) = balanced {
            let (count, _) = self.balance.entry(key).or_insert((0, place));
            *count += one;
        }
        let rank = &mut self.ranks[rank as usize];
        rank.names.push(name.into());
        let number = rank.builder.add(Step::Fixed(operation));
        Ok(Placed {
            first: number,
            last: number,
        })
    }

    /// Adds a collective of `rank`. The k-th statements of all members of a group belong to the
    /// same collective.
    pub(super) fn collective(
        &mut self,
        rank: u32,
        name: &str,
        stated: Stated<'t>,
    ) -> Result<Placed, InputError> {
        let place = stated.place;
        // A statement without its own rank in the group would have no part in the collective.
        let Ok(member) = stated.members.binary_search(&rank) else {
            return Err(place.error(
                format!("rank {rank} is no member of the group of its collective"),
                "add it to `peer`",
            ));
        };
        let ranks = u32::try_from(stated.members.len()).unwrap_or(u32::MAX);
        let shape = Shape {
            operation: stated.operation,
            algorithm: stated
                .algorithm
                .unwrap_or_else(|| stated.operation.usual_algorithm()),
            size: stated.size,
            ranks,
            channels: 1,
            chunks: 1,
            division: None,
            local_size: 8,
            root: 0,
            detail: Detail::None,
        };
        if shape.algorithm.is_in_network() {
            return Err(place.error(
                format!(
                    "\"{}\" is an algorithm of `kind = \"collective\"` alone",
                    shape.algorithm.name()
                ),
                "choose an algorithm of ranks, such as ring",
            ));
        }
        if shape.algorithm == CollectiveAlgorithm::Nccl {
            return Err(place.error(
                "a graph has no rates from which NCCL could choose an algorithm",
                "write for example ring or double-binary-tree",
            ));
        }
        let shape = shape
            .checked()
            .map_err(|error| place.error(error.message, error.help))?;
        // The longest program, of a ring, has 2 * (ranks - 1) sends and as many receipts, and two
        // joins.
        self.operations += 4 * u64::from(ranks) + 2;
        if self.operations > MAX_COLLECTIVE_OPERATIONS {
            return Err(place.error(
                format!(
                    "the collectives up to here have more than {MAX_COLLECTIVE_OPERATIONS} \
                     messages and receipts"
                ),
                "divide the file, or use fewer ranks",
            ));
        }
        // Members agree on a collective by the order of their statements, so each counts its turns.
        let next = u32::try_from(self.groups.len()).unwrap_or(u32::MAX);
        let group = *(self.groups)
            .entry(Arc::clone(&stated.members))
            .or_insert(next);
        let turn = self.ranks[rank as usize]
            .turns
            .entry(Arc::clone(&stated.members))
            .or_default();
        let key = (group, *turn);
        *turn += 1;
        let (number, first_tag) = self.numbered(key, &shape, place)?;
        let own = &mut self.ranks[rank as usize];
        let members = &stated.members;
        let member = u32::try_from(member).expect("a group has as many members as ranks at most");
        let own_part = Member {
            shape: &shape,
            member,
            first_tag,
            rank_of: &|member| members[member as usize],
        };
        let step = |step| Step::Fixed(own_part.operation(step));
        let form = shape.form(member, Vec::new());
        let (first, last) = shape.append(&mut own.builder, number, &form, &step);
        own.names.resize(own.builder.len() as usize, name.into());
        Ok(Placed { first, last })
    }

    /// Returns the number of the `turn`-th collective of `group`, and its first tag. All members
    /// must state it in the same way.
    fn numbered(
        &mut self,
        (group, turn): (u32, u32),
        shape: &Shape,
        place: Piece<'t>,
    ) -> Result<(u32, u64), InputError> {
        let next = u32::try_from(self.collectives.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry((group, turn)).or_insert(next);
        if number == next {
            let (messages, bytes) = shape.traffic();
            self.messages += messages;
            self.bytes += bytes;
            let collective = Collective {
                shape: shape.clone(),
                first_size: shape.size,
                first_tag: self.next_tag,
                place,
                stated: 0,
            };
            self.next_tag += shape.blocks();
            self.collectives.push((group, collective));
        }
        let (_, collective) = &mut self.collectives[number as usize];
        // Each member of an all-to-all divides its own data, which traces of training state.
        if shape.operation == CollectiveOperation::AllToAll
            && shape.size != collective.first_size
            && shape.has_form_of(&collective.shape)
        {
            let first = Shape {
                size: collective.first_size,
                ..shape.clone()
            };
            self.bytes += (shape.traffic().1 - first.traffic().1) / f64::from(shape.ranks);
            collective.shape.size = collective.shape.size.max(shape.size);
        } else if !shape.has_form_of(&collective.shape) || shape.size != collective.first_size {
            let other = &collective.shape;
            return Err(place.error(
                format!(
                    "this is number {turn} of the collectives of its group, {}; another member \
                     has {} there",
                    shape.in_words(),
                    other.in_words()
                ),
                "let all members of a group have the same collectives in the same order",
            ));
        }
        collective.stated += 1;
        Ok((number, collective.first_tag))
    }

    /// Makes `operation` of `rank` wait for the end of `before`.
    pub(super) fn after_end(&mut self, rank: u32, operation: Placed, before: Placed) {
        let builder = &mut self.ranks[rank as usize].builder;
        builder.after_end(operation.first, before.last);
    }

    /// Makes `operation` of `rank` wait for the start of `before`.
    pub(super) fn after_start(&mut self, rank: u32, operation: Placed, before: Placed) {
        let builder = &mut self.ranks[rank as usize].builder;
        builder.after_start(operation.first, before.first);
    }

    /// Returns the programs.
    ///
    /// # Errors
    /// Fails if a message is sent but not received or vice versa, if a collective lacks a member,
    /// or if operations wait for one another in a cycle. `text` is the whole file.
    pub(super) fn finish(self, text: &'t str) -> Result<Loaded, InputError> {
        // A message without its counterpart would make a rank wait without end.
        for (&(from, to, tag), &(balance, place)) in &self.balance {
            let (more, less) = if balance > 0 {
                ("sends", "receives")
            } else {
                ("receives", "sends")
            };
            if balance != 0 {
                let (one, other) = if balance > 0 { (from, to) } else { (to, from) };
                return Err(place.error(
                    format!(
                        "rank {one} {more} {} more messages from rank {from} to rank {to} with \
                         tag {tag} than rank {other} {less}",
                        balance.unsigned_abs()
                    ),
                    "let each message be sent once and received once",
                ));
            }
        }
        // The same holds for a collective that lacks a member.
        for (_, collective) in &self.collectives {
            if collective.stated != collective.shape.ranks {
                return Err(collective.place.error(
                    format!(
                        "{} of the {} members of the group have this collective",
                        collective.stated, collective.shape.ranks
                    ),
                    "let all members of a group have the same collectives in the same order",
                ));
            }
        }
        let instance = |(group, collective): &(u32, Collective<'_>)| Instance {
            group: *group,
            operation: collective.shape.operation,
            algorithm: collective.shape.algorithm_label(),
            ranks: collective.shape.ranks,
            size: collective.shape.size,
            bus_factor: collective.shape.bus_factor(),
        };
        let instances = self.collectives.iter().map(instance).collect();
        let mut programs = Vec::new();
        for (rank, own) in (0..).zip(self.ranks) {
            let mut builder = own.builder;
            builder.name(own.names);
            let program = builder.finish(rank).map_err(|cycle| {
                InputError::new(
                    0..text.len().min(1),
                    format!(
                        "rank {rank}: {} operations wait for one another and none can start: {}",
                        cycle.operations.len(),
                        cycle.described.join(", after ")
                    ),
                    "remove one of these dependencies",
                )
            })?;
            programs.push(Arc::new(program));
        }
        Ok(Loaded {
            programs,
            instances,
            messages: self.messages,
            bytes: self.bytes,
            used: Used::default(),
        })
    }
}
