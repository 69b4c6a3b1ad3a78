//! The scheduler of an instance: it composes the batch of each step anew.
//!
//! This is the iteration-level scheduling of Orca (Yu et al., OSDI 2022, section 4.1), with the
//! order of vLLM and Sarathi-Serve (Agrawal et al., OSDI 2024, algorithm 3): decodes first, then
//! prompts that have begun, then new prompts in the order of arrival, up to a number of tokens.

use std::collections::VecDeque;

use fabricsim_base::checkpoint::Stored;
use fabricsim_base::units::Time;

use super::timing::StepLoad;

/// Limits of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Sequences of an instance at a time.
    pub(super) sequences: u32,
    /// Tokens of a step.
    pub(super) tokens: u32,
    /// Prompt tokens of a sequence in a step; `None` if prompts are not divided.
    pub(super) chunk: Option<u32>,
    /// Tokens of the KV cache.
    pub(super) kv: u64,
    /// Batches that are under way at the same time: the stages of the pipeline.
    pub(super) batches: u32,
}

/// A request at an instance.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Stored)]
#[checkpoint(plain)]
pub(super) struct Sequence {
    pub(super) request: u32,
    pub(super) input: u32,
    /// Tokens to generate here, the earlier ones included.
    pub(super) output: u32,
    /// Prompt tokens that have been computed.
    pub(super) prefilled: u32,
    pub(super) generated: u32,
    /// Prompt tokens in the step that is under way.
    pub(super) chunk: u32,
    /// The beginning of its first step.
    pub(super) begun: Option<Time>,
}

impl Sequence {
    /// Returns the tokens that it occupies in the KV cache when it ends. The last token is never
    /// read.
    fn reserved(&self) -> u64 {
        u64::from(self.input) + u64::from(self.output) - 1
    }

    const fn decodes(&self) -> bool {
        self.prefilled == self.input
    }
}

/// The sequences of an instance.
#[derive(Debug, Default, Stored)]
#[checkpoint(plain)]
pub(super) struct Scheduler {
    waiting: VecDeque<Sequence>,
    /// Sequences that are in no step.
    idle: Vec<Sequence>,
    /// Batches under way, the first one first.
    batches: VecDeque<Vec<Sequence>>,
    /// Sequences that have been admitted.
    admitted: u32,
    /// Tokens of the KV cache that are reserved for them.
    reserved: u64,
}

impl Scheduler {
    /// Adds a request to the end of the queue.
    pub(super) fn add(&mut self, sequence: Sequence) {
        self.waiting.push_back(sequence);
    }

    /// Returns the number of requests that have not ended.
    pub(super) fn live(&self) -> usize {
        self.waiting.len() + self.admitted as usize
    }

    /// Composes the next batch at `now`. Returns its work, or `None` if there is nothing to do or
    /// if enough batches are under way.
    pub(super) fn begin(&mut self, now: Time, limits: &Limits) -> Option<StepLoad> {
        if self.batches.len() >= limits.batches as usize {
            return None;
        }
        let mut batch = Vec::new();
        let mut load = StepLoad::default();
        self.take_decodes(limits, &mut batch, &mut load);
        self.take_prompts(limits, &mut batch, &mut load);
        self.admit(limits, &mut batch, &mut load);
        if batch.is_empty() {
            return None;
        }
        for sequence in &mut batch {
            sequence.begun.get_or_insert(now);
        }
        self.batches.push_back(batch);
        Some(load)
    }

    /// Takes sequences that decode: with several batches at a time, each takes an equal share.
    fn take_decodes(&mut self, limits: &Limits, batch: &mut Vec<Sequence>, load: &mut StepLoad) {
        let share = self.admitted.div_ceil(limits.batches).min(limits.tokens);
        self.idle.retain(|sequence| {
            let taken = sequence.decodes() && load.decode < u64::from(share);
            if taken {
                batch.push(count(*sequence, 0, load));
            }
            !taken
        });
    }

    /// Takes prompts that have begun.
    fn take_prompts(&mut self, limits: &Limits, batch: &mut Vec<Sequence>, load: &mut StepLoad) {
        self.idle.retain(|sequence| {
            let chunk = chunk(sequence, limits, load);
            let taken = !sequence.decodes() && chunk > 0;
            if taken {
                batch.push(count(*sequence, chunk, load));
            }
            !taken
        });
    }

    /// Admits requests in the order of arrival, until one does not fit.
    fn admit(&mut self, limits: &Limits, batch: &mut Vec<Sequence>, load: &mut StepLoad) {
        while let Some(&first) = self.waiting.front() {
            let chunk = chunk(&first, limits, load);
            let has_room = self.admitted < limits.sequences
                && self.reserved + first.reserved() <= limits.kv
                && load.tokens() < u64::from(limits.tokens);
            if !has_room || (!first.decodes() && chunk == 0) {
                return;
            }
            self.waiting.pop_front();
            self.admitted += 1;
            self.reserved += first.reserved();
            batch.push(count(first, chunk, load));
        }
    }

    /// Ends the first batch. Calls `visit` with each of its sequences, after its new tokens have
    /// been counted; a sequence for which it returns `true` leaves.
    pub(super) fn end(&mut self, mut visit: impl FnMut(&Sequence) -> bool) {
        let batch = self.batches.pop_front().unwrap_or_default();
        for mut sequence in batch {
            sequence.prefilled += sequence.chunk;
            sequence.chunk = 0;
            if sequence.decodes() {
                sequence.generated += 1;
                if visit(&sequence) {
                    self.admitted -= 1;
                    self.reserved -= sequence.reserved();
                    continue;
                }
            }
            self.idle.push(sequence);
        }
    }
}

/// Returns the prompt tokens of `sequence` that fit into a step with `load`: all that are left, if
/// prompts are not divided.
fn chunk(sequence: &Sequence, limits: &Limits, load: &StepLoad) -> u32 {
    let left = sequence.input - sequence.prefilled;
    let room = u64::from(limits.tokens).saturating_sub(load.tokens());
    let room = u32::try_from(room).unwrap_or(u32::MAX);
    match limits.chunk {
        Some(most) => left.min(most).min(room),
        None if left <= room => left,
        None => 0,
    }
}

/// Adds a sequence with `chunk` prompt tokens, or one decoded token, to `load`.
fn count(sequence: Sequence, chunk: u32, load: &mut StepLoad) -> Sequence {
    let before = u64::from(sequence.prefilled);
    if sequence.decodes() {
        let context = before + u64::from(sequence.generated);
        load.decode += 1;
        load.context += context;
        load.pairs += context;
    } else {
        let chunk = u64::from(chunk);
        load.prefill += chunk;
        load.context += before;
        load.pairs += chunk * before + chunk * (chunk + 1) / 2;
    }
    Sequence { chunk, ..sequence }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits {
        sequences: 3,
        tokens: 100,
        chunk: None,
        kv: u64::MAX,
        batches: 1,
    };

    fn sequence(request: u32, input: u32, output: u32) -> Sequence {
        Sequence {
            request,
            input,
            output,
            prefilled: 0,
            generated: 0,
            chunk: 0,
            begun: None,
        }
    }

    /// Runs all requests. Returns prompt tokens, decoded tokens and context of each step.
    fn steps(limits: &Limits, requests: &[(u32, u32)]) -> Vec<(u64, u64, u64)> {
        let mut scheduler = Scheduler::default();
        for (&(input, output), number) in requests.iter().zip(0..) {
            scheduler.add(sequence(number, input, output));
        }
        let mut steps = Vec::new();
        while let Some(load) = scheduler.begin(Time::ZERO, limits) {
            steps.push((load.prefill, load.decode, load.context));
            scheduler.end(|sequence| sequence.generated == sequence.output);
        }
        assert_eq!((scheduler.live(), scheduler.reserved), (0, 0));
        steps
    }

    #[test]
    fn prompts_join_running_decodes_within_the_tokens_of_a_step() {
        // The third prompt does not fit beside the first two; it joins their decodes.
        let found = steps(&LIMITS, &[(60, 3), (40, 2), (70, 1)]);
        assert_eq!(found, [(100, 0, 0), (70, 2, 61 + 41), (0, 1, 62)]);
    }

    #[test]
    fn a_chunk_fills_the_step_that_decodes_leave() {
        let limits = Limits {
            chunk: Some(64),
            ..LIMITS
        };
        let found = steps(&limits, &[(10, 4), (150, 1)]);
        assert_eq!(
            found,
            [
                (10 + 64, 0, 0),
                (64, 1, 11 + 64),
                (22, 1, 12 + 128),
                (0, 1, 13)
            ]
        );
    }

    #[test]
    fn sequences_and_the_cache_limit_what_is_admitted() {
        let one = Limits {
            sequences: 1,
            ..LIMITS
        };
        assert_eq!(
            steps(&one, &[(5, 2), (6, 1)]),
            [(5, 0, 0), (0, 1, 6), (6, 0, 0)]
        );
        let little = Limits { kv: 11, ..LIMITS };
        // 5 + 2 - 1 and 6 + 1 - 1 tokens are 12.
        assert_eq!(
            steps(&little, &[(5, 2), (6, 1)]),
            [(5, 0, 0), (0, 1, 6), (6, 0, 0)]
        );
    }

    #[test]
    fn stages_of_a_pipeline_share_the_decodes() {
        let limits = Limits {
            batches: 2,
            ..LIMITS
        };
        let mut scheduler = Scheduler::default();
        (0..2).for_each(|number| scheduler.add(sequence(number, 10, 9)));
        assert!(scheduler.begin(Time::ZERO, &limits).is_some());
        assert_eq!(
            scheduler.begin(Time::ZERO, &limits),
            None,
            "all are under way"
        );
        scheduler.end(|_| false);
        for _ in 0..2 {
            let load = scheduler.begin(Time::ZERO, &limits).expect("a decode");
            assert_eq!(load.decode, 1);
        }
        assert_eq!(scheduler.begin(Time::ZERO, &limits), None);
    }
}
