//! Measures slices: one workload on one target for a few seconds each.

use std::thread;
use std::time::{Duration, Instant};

use tenbin_plan::{Load, Plan, Relaunch, Sentence, Turn, sentence};
use tenbin_record::{Ended, RateProbe, RequestLogWriter, RunWriter, Slice};
use tenbin_targets::TargetError;

use crate::context::{CountAllocations, Departs, RoundsEnd};
use crate::controls::Controls;
use crate::error::{Ending, RunError};
use crate::generators::agent_loss::{self, Losses};
use crate::machine::Machine;
use crate::slice::request_list::ListedSoFar;
use crate::slice::segments::AllSegments;
use crate::slice::warm_up::catch_up;
use crate::stop::Stop;
use crate::target::live::{Launcher, LiveTarget};
use crate::target::restarts;

/// A slice to measure.
pub(crate) struct SliceRequest<'a> {
    pub(crate) turn: &'a Turn,
    pub(crate) load: Load,
    /// Settling time; `None` for that of the plan.
    pub(crate) lead: Option<Duration>,
    pub(crate) window: Duration,
    pub(crate) part: SlicePart,
}

/// The part of the run that a slice belongs to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SlicePart {
    /// The rounds.
    Round,
    /// A maximum-rate search.
    Search(RateProbe),
    /// The probes of other loads after the rounds.
    LimitProbe,
    /// The continuous stretches after the rounds.
    Stretch,
}

impl SliceRequest<'_> {
    /// The offered rate, for a probe of a maximum-rate search.
    pub(crate) fn rate_probe(&self) -> Option<RateProbe> {
        match self.part {
            SlicePart::Search(probe) => Some(probe),
            _ => None,
        }
    }

    /// Whether a slice in which every operation fails is a valid result.
    pub(crate) fn may_fail(&self) -> bool {
        matches!(self.part, SlicePart::Search(_) | SlicePart::LimitProbe)
    }

    /// Whether the slice sends a segment of the request sequence that every target is sent.
    pub(crate) fn sends_segment(&self) -> bool {
        matches!(self.part, SlicePart::Round | SlicePart::Search(_))
    }
}

/// The measured part of a run: consecutive slices on prepared targets.
pub(crate) struct Measurement<'r, 'w> {
    pub(crate) plan: &'r Plan,
    pub(crate) launcher: Launcher<'r>,
    pub(crate) machine: Machine,
    pub(crate) live_targets: &'r mut [LiveTarget],
    pub(crate) segments: AllSegments,
    pub(crate) writer: RunWriter,
    /// Start of the run: the instant of `started_unix_ns`, to which all times are relative.
    pub(crate) started: Instant,
    /// By workload: how often each connection is opened per slice; `None` where the plan's setting
    /// applies.
    pub(crate) reopen: Vec<Option<u32>>,
    pub(crate) slices: Vec<Slice>,
    /// The requests that `slices` list.
    pub(crate) listed: ListedSoFar,
    /// The continuous stretches after the rounds.
    pub(crate) sustained: Vec<Slice>,
    /// The probes of other loads after the rounds.
    pub(crate) limit_probes: Vec<Slice>,
    /// The log of requests, if the plan sets one.
    pub(crate) request_log: Option<RequestLogWriter>,
    pub(crate) losses: Losses<'r>,
    /// Number of outages in the current part of the run.
    pub(crate) outages_in_a_row: u32,
    pub(crate) controls: &'r mut Controls<'w>,
    pub(crate) count_allocations: CountAllocations,
    pub(crate) rounds_end: RoundsEnd,
    pub(crate) departs: Departs,
}

impl Measurement<'_, '_> {
    /// Measures the rounds.
    pub(crate) fn measure(&mut self, turns: &[Turn]) -> Result<Ending, RunError> {
        let (mut first, mut is_again) = (0, false);
        while let Some(turn) = turns.get(first) {
            let (kept, from) = (self.slices.len(), self.writer.next_slice());
            match self.measure_block(turns, first, is_again) {
                Ok(Some(ending)) => return Ok(ending),
                Ok(None) => {
                    first += turns[first..].partition_point(|it| it.block == turn.block);
                    is_again = false;
                    self.part_done();
                }
                Err(error) => {
                    let part = agent_loss::Part::Block(turn.block);
                    if let Some(ending) = self.void(error, part, (kept, from))? {
                        return Ok(ending);
                    }
                    is_again = true;
                }
            }
        }
        Ok(Ending::Complete(match self.plan.rounds.until {
            None => Ended::Planned,
            Some(_) => (self.rounds_end)(self.plan, &self.slices).unwrap_or(Ended::MostRounds),
        }))
    }

    /// A part of the run has ended, and nothing of it is void.
    pub(crate) fn part_done(&mut self) {
        self.losses.part_done();
        self.outages_in_a_row = 0;
    }

    /// Measures the block that begins at `first`, or measures this block again. Returns `Some` if
    /// the run must end.
    fn measure_block(
        &mut self,
        turns: &[Turn],
        first: usize,
        is_again: bool,
    ) -> Result<Option<Ending>, RunError> {
        if (first > 0 || is_again)
            && let Some(ending) = self.restart_for_block()?
        {
            return Ok(Some(ending));
        }
        if is_again {
            self.catch_up()?;
        }
        for (index, turn) in turns.iter().enumerate().skip(first) {
            let load = self.plan.workloads[turn.workload].load.clone();
            let request = SliceRequest {
                turn,
                load: Load {
                    reopen: load.reopen.or(self.reopen[turn.workload]),
                    ..load
                },
                lead: None,
                window: self.plan.rounds.slice,
                part: SlicePart::Round,
            };
            if let Some(ending) = self.measure_slice(&request)? {
                return Ok(Some(ending));
            }
            if ends_block(turns, index) {
                let is_last = index + 1 == turns.len();
                let ended = if is_last { None } else { self.is_enough(turn) };
                return Ok(ended.map(Ending::Complete));
            }
        }
        Ok(None)
    }

    /// After an agent was lost or a target stopped responding: continues with other agents, or when
    /// the target responds, and declares the slices after the first `kept`, whose numbers begin at
    /// `from`, void. Returns `Some` if the run must end.
    pub(crate) fn void(
        &mut self,
        error: RunError,
        part: agent_loss::Part,
        (kept, from): (usize, u32),
    ) -> Result<Option<Ending>, RunError> {
        let why = error.to_string();
        let next = self.writer.next_slice();
        let continued = match error {
            RunError::Outage(outage) => match self.wait_out(&outage, part) {
                Ok(Some(ending)) => return Ok(Some(ending)),
                Ok(None) => Ok(()),
                Err(error) => Err(error),
            },
            error => self.losses.continue_after(error, part, next, self.controls),
        };
        let voided = continued.and_then(|()| Ok(self.writer.void(from, &why)?));
        if let Err(error) = voided {
            return ending_of(error).map(Some);
        }
        self.slices.truncate(kept);
        if self.plan.rounds.relaunch == Relaunch::Slice {
            for live in self.live_targets.iter_mut() {
                live.running.halt()?;
            }
        }
        Ok(None)
    }

    /// Sends every target the requests that it missed in a void block. Targets that are restarted
    /// before each slice do not run between slices.
    fn catch_up(&mut self) -> Result<(), RunError> {
        let runs_only_in_slices = self.plan.rounds.relaunch == Relaunch::Slice;
        if runs_only_in_slices {
            for (target, live) in self.live_targets.iter_mut().enumerate() {
                if self.segments.is_behind(target) {
                    live.restart(&self.launcher, self.controls)?;
                }
            }
        }
        catch_up(
            self.plan, self.live_targets, &mut self.segments, self.controls,
        )?;
        if runs_only_in_slices {
            for live in self.live_targets.iter_mut() {
                live.running.halt()?;
            }
        }
        Ok(())
    }

    /// Restarts all targets before a block if the plan requires restarts per block. Returns `Some`
    /// if the run must end.
    pub(crate) fn restart_for_block(&mut self) -> Result<Option<Ending>, RunError> {
        if self.plan.rounds.relaunch != Relaunch::Block {
            return Ok(None);
        }
        let live_targets = &mut *self.live_targets;
        match restarts::restart_all(
            self.plan, &self.launcher, live_targets, &mut self.segments, self.controls,
        ) {
            Ok(()) => Ok(None),
            Err(error) => Ok(Some(match ending_of(error)? {
                Ending::TargetFailed { target, why } => Ending::TargetFailed {
                    target,
                    why: sentence!(
                        "restart-failed",
                        "restarting before a block: {why}; to start each target once, use \
                         --relaunch=never",
                        why
                    ),
                },
                ending => ending,
            })),
        }
    }

    /// Why the rounds end after `turn`, the last slice of its block; `None` if they go on.
    fn is_enough(&self, turn: &Turn) -> Option<Ended> {
        let rounds = &self.plan.rounds;
        let has_fewest = (turn.block + 1) * self.plan.rounds_per_block() >= rounds.count;
        if rounds.until.is_none() || !has_fewest {
            return None;
        }
        (self.rounds_end)(self.plan, &self.slices)
    }
}

/// Whether the slice at `index` of the schedule is the last slice of its block: no slice of any
/// workload follows in the block.
fn ends_block(turns: &[Turn], index: usize) -> bool {
    let next = turns.get(index + 1);
    next.is_none_or(|next| next.block != turns[index].block)
}

/// Converts an error during the measured part into an ending that keeps the earlier slices.
pub(crate) fn ending_of(error: RunError) -> Result<Ending, RunError> {
    match error {
        RunError::Interrupted | RunError::Target(TargetError::Interrupted { .. }) => {
            Ok(Ending::Interrupted)
        }
        RunError::Target(error) => Ok(Ending::target_failed(error.target(), error.sentence())),
        RunError::Agents(why) => Ok(Ending::TargetFailed { target: None, why }),
        RunError::NotForAgents { target, why } => Ok(Ending::target_failed(&target, why)),
        RunError::Record(error) => Ok(Ending::RecordFailed(error)),
        RunError::Preparation {
            target, what, why, ..
        } => {
            let why = sentence!(
                "preparation-of-target",
                "target \"{target}\": {what} failed: {why}",
                target,
                what,
                why
            );
            Ok(Ending::target_failed(&target, why))
        }
        error => Err(error),
    }
}

/// Returns an error text for a slice with failures and no successful operation, after which
/// continuing would only measure how fast the target fails.
pub(crate) fn completed_nothing(slice: &Slice) -> Option<Sentence> {
    if !slice.gave_nothing() {
        return None;
    }
    let worst = worst_failure(slice);
    let what = if slice.requests().any(|op| op.counts.ok > 0) {
        sentence!("no-operation", "completed no operation")
    } else {
        sentence!("no-correct-response", "gave no correct response")
    };
    Some(sentence!(
        "gave-nothing",
        "target \"{target}\" {what} in a whole slice of \"{workload}\": {worst}",
        target = slice.target,
        workload = slice.workload,
        worst,
        what
    ))
}

/// The most frequent failure of a slice, with its count.
pub(crate) fn worst_failure(slice: &Slice) -> String {
    // Each operation is checked separately: a sub-request and its transaction must not be summed.
    let texts = slice.ops.iter().flat_map(|op| &op.failures);
    let texts = texts.map(|(text, count)| (text.clone(), *count));
    let statuses = slice.ops.iter().flat_map(|op| &op.statuses);
    let statuses = statuses.map(|(status, count)| (format!("status {status}"), *count));
    let classes = slice.ops.iter().flat_map(|op| &op.errors);
    let classes = classes.map(|(class, count)| (format!("{} error", class.name()), *count));
    // The most informative texts must come last: of equal elements, `max_by_key` returns the last.
    classes
        .chain(statuses)
        .chain(texts)
        .max_by_key(|(_, count)| *count)
        .map_or_else(
            || "no reason given".to_owned(),
            |(text, count)| format!("{text} ({count} times)"),
        )
}

/// Sleeps, or until the user stops the run.
pub(crate) fn rest(gap: Duration, stop: &Stop) {
    let until = Instant::now() + gap;
    while !stop.is_asked() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        thread::sleep(left.min(Duration::from_millis(50)));
    }
}
