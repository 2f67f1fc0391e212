//! Stages of a target, driven without measuring: checks, loading data, cleaning up.

use tenbin_plan::{Sentence, Workload, sentence};
use tenbin_workloads::Stage;

use super::{LiveTarget, of_target};
use crate::controls::Controls;
use crate::data::loading_forecast::StageForecast;
use crate::error::RunError;
use crate::progress::Progress;
use crate::stage::{self, Staged};

impl LiveTarget {
    /// Runs a stage and returns its most frequent failure. The failure is an error if the stage
    /// must succeed.
    pub(crate) fn stage(
        &mut self,
        work: &Workload,
        stage: Option<Stage>,
        controls: &mut Controls<'_>,
    ) -> Result<Option<String>, RunError> {
        let Some(stage) = stage else { return Ok(None) };
        let (what, must_succeed) = (stage.what.clone(), stage.must_succeed);
        let staged = self.drive_stage(work, stage, controls)?;
        if let Some(sentence) = staged.refusals()
            && self.noted.insert(work.name.clone())
        {
            let note = sentence!(
                "stage-refused",
                "target \"{target}\", {what}: {refused}",
                target = self.running.name,
                what,
                refused = sentence
            );
            let parts = note.with_part("what", [what.clone()]);
            (controls.progress)(Progress::Note(&parts.with_part("refused", [sentence])));
        }
        match staged.failure {
            // Requests in flight at Ctrl-C fail.
            _ if staged.stopped && must_succeed => Err(RunError::Interrupted),
            Some(why) if must_succeed => Err(RunError::Preparation {
                target: self.running.name.clone(),
                workload: work.name.clone(),
                what: what.clone(),
                why: why.into(),
            }),
            _ if staged.stopped => Err(RunError::Interrupted),
            tolerated => Ok(tolerated),
        }
    }

    pub(crate) fn drive_stage(
        &self,
        work: &Workload,
        stage: Stage,
        controls: &mut Controls<'_>,
    ) -> Result<Staged, RunError> {
        let (what, total) = (stage.what.clone(), stage.total);
        let progress = &mut *controls.progress;
        let mut forecast = StageForecast::new(work, &stage, self.noted.contains(&work.name));
        let mut tell = |done, refused: u64| {
            let refusals = (refused > 0).then(|| {
                let s = if refused == 1 { "" } else { "s" };
                sentence!(
                    "refused-again",
                    ", {requests} request{s} refused and sent again",
                    requests = refused,
                    s
                )
            });
            if let Some(sentence) = forecast.first(done) {
                progress(Progress::Note(&of_target(&self.running.name, sentence)));
            }
            let left = forecast.left(done);
            let shown =
                |part: &Option<Sentence>| part.as_ref().map_or("", Sentence::text).to_owned();
            let now = sentence!(
                "stage-now",
                "{what}{refusals}{left}",
                what,
                refusals = shown(&refusals),
                left = shown(&left)
            );
            let now = now.with_part("what", [what.clone()]);
            let now = now.with_part("refusals", refusals).with_part("left", left);
            progress(Progress::Stage {
                target: &self.running.name,
                workload: &work.name,
                what: &now,
                done,
                total,
            });
        };
        tell(0, 0);
        let timeout = work.load.timeout;
        Ok(stage::run(
            stage,
            self.destination(work),
            timeout,
            controls.stop,
            &mut tell,
        )?)
    }
}
