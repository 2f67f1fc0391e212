//! Waits until a target that stopped responding responds again.

use std::time::{Duration, Instant};

use tenbin_engine::ErrorClass;
use tenbin_plan::{OnOutage, sentence};
use tenbin_record::{self as record, Slice};
use tenbin_targets::preflight;

use crate::error::{Ending, Outage, RunError};
use crate::generators::agent_loss::{Part, again};
use crate::progress::Progress;
use crate::slice::measurement::{
    Measurement, SliceRequest, completed_nothing, rest, worst_failure,
};

/// Time between two requests to a target that does not respond.
const POLL: Duration = Duration::from_millis(100);
/// Time limit of such a request.
const REQUEST: Duration = Duration::from_secs(1);
/// Time between two reports of progress.
const REPORT: Duration = Duration::from_secs(10);
/// The run ends when a target has this number of outages in the same part of the run.
const MOST_IN_A_ROW: u32 = 3;
/// Statuses of a proxy whose server does not respond, and of a server that is starting.
const OUT_OF_SERVICE: [u16; 3] = [502, 503, 504];

/// Whether all failures of a slice mean that the target cannot be reached, or is out of service.
fn is_out_of_service(slice: &Slice) -> bool {
    let is_unreachable = |class: ErrorClass| {
        matches!(
            class,
            ErrorClass::Connect | ErrorClass::Timeout | ErrorClass::Reset
        )
    };
    slice.requests().all(|op| {
        let mut errors = op.errors.iter().filter(|(_, count)| **count > 0);
        let mut statuses = op.statuses.iter().filter(|(_, count)| **count > 0);
        errors.all(|(class, _)| is_unreachable(*class) || *class == ErrorClass::Status)
            && statuses.all(|(status, _)| OUT_OF_SERVICE.contains(status))
    })
}

impl Measurement<'_, '_> {
    /// The outage that a slice has shown, if the run can go on after it: the target responded
    /// before and cannot be reached any more. Probes of a search end the search.
    pub(crate) fn outage(&self, request: &SliceRequest<'_>, slice: &Slice) -> Option<Outage> {
        let turn = request.turn;
        let is_possible = self.plan.rounds.on_outage != OnOutage::Stop
            && !request.may_fail()
            && self.live_targets[turn.target].death().is_none()
            && !self.controls.stop.is_asked()
            && is_out_of_service(slice);
        if !is_possible {
            return None;
        }
        let earlier = self.slices.iter().filter(|one| one.target == slice.target);
        let last_correct = earlier
            .filter(|one| one.ok() > 0)
            .map(|one| one.start + one.end.seconds)
            .reduce(f64::max);
        Some(Outage {
            target: turn.target,
            name: slice.target.clone(),
            why: completed_nothing(slice)?,
            reason: worst_failure(slice),
            last_correct,
            noticed: slice.start,
        })
        // A target that never gave a correct response is not out of service: something is wrong.
        .filter(|outage| {
            let live = &self.live_targets[turn.target];
            let expected = live.prepared[turn.workload].expected_response();
            let was_probed = expected.is_some_and(|expected| expected.probed > 0);
            outage.last_correct.is_some() || live.slowest.is_some() || was_probed
        })
    }

    /// Waits until the target responds, and keeps the outage in the record. Returns `Some` if the run
    /// must end.
    pub(crate) fn wait_out(
        &mut self,
        outage: &Outage,
        part: Part,
    ) -> Result<Option<Ending>, RunError> {
        let OnOutage::Wait(longest) = self.plan.rounds.on_outage else {
            let why = outage.why.clone();
            return Ok(Some(Ending::target_failed(&outage.name, why)));
        };
        self.outages_in_a_row += 1;
        if self.outages_in_a_row >= MOST_IN_A_ROW {
            let why = sentence!(
                "outages-in-a-row",
                "{why}; this was outage {most_in_a_row} in {part}",
                most_in_a_row = MOST_IN_A_ROW,
                part,
                why = outage.why
            );
            return Ok(Some(Ending::target_failed(&outage.name, why)));
        }
        let seconds = longest.as_secs_f64();
        (self.controls.progress)(Progress::Warning(&sentence!(
            "waiting-for-response",
            "{why}; waiting up to {seconds} s for an answer (--on-outage)",
            why = outage.why,
            seconds = format!("{seconds:.0}")
        )));
        let Some(waited) = self.wait_for_response(outage.target, longest) else {
            return Ok(Some(if self.controls.stop.is_asked() {
                Ending::Interrupted
            } else {
                let why = sentence!(
                    "no-answer-in-time",
                    "{why}; it did not answer within {seconds} s (--on-outage TIME waits longer)",
                    seconds = format!("{seconds:.0}"),
                    why = outage.why
                );
                Ending::target_failed(&outage.name, why)
            }));
        };
        let name = outage.name.clone();
        let responds = sentence!(
            "responds-again",
            "target \"{target}\" answers again after {seconds} s; {again}",
            target = name,
            seconds = format!("{:.1}", waited.as_secs_f64()),
            again = again(part)
        );
        let responds = responds.with_part("again", [again(part)]);
        (self.controls.progress)(Progress::Note(&responds));
        self.losses.keep_outage(record::Outage {
            target: name,
            reason: outage.reason.clone(),
            during: part.to_string(),
            part: Some(part),
            last_correct: outage.last_correct,
            noticed: outage.noticed,
            answered: self.started.elapsed().as_secs_f64(),
        })?;
        self.warm_up_again(outage.target)?;
        Ok(None)
    }

    /// Sends requests until the target responds; `None` if it does not within this time, or if the
    /// user stops the run.
    fn wait_for_response(&mut self, target: usize, longest: Duration) -> Option<Duration> {
        let (began, mut reported) = (Instant::now(), Instant::now());
        loop {
            let running = &self.live_targets[target].running;
            let found = preflight::check(running, false, REQUEST).ok();
            let status = found.map(|found| found.response.status);
            if status.is_some_and(|status| status.is_none_or(|it| !OUT_OF_SERVICE.contains(&it))) {
                return Some(began.elapsed());
            }
            if began.elapsed() >= longest || self.controls.stop.is_asked() {
                return None;
            }
            if reported.elapsed() >= REPORT {
                reported = Instant::now();
                (self.controls.progress)(Progress::Note(&sentence!(
                    "no-response-for",
                    "target \"{target}\" has not answered for {seconds} s",
                    target = self.plan.targets[target].name,
                    seconds = format!("{:.0}", began.elapsed().as_secs_f64())
                )));
            }
            rest(POLL, self.controls.stop);
        }
    }

    /// Warms up a target whose process may be a new one, with empty caches.
    fn warm_up_again(&mut self, target: usize) -> Result<(), RunError> {
        let workloads = self.plan.workloads.len();
        let length = self.plan.rounds.warmup / u32::try_from(workloads.max(1)).unwrap_or(u32::MAX);
        for workload in 0..workloads {
            if length.is_zero() || self.controls.stop.is_asked() {
                return Ok(());
            }
            let live = &mut self.live_targets[target];
            live.drive_and_observe(self.plan, workload, length, self.controls)?;
        }
        Ok(())
    }
}
