//! Stages of a target, driven without measuring: checks, loading data, cleaning up.

use tenbin_plan::Workload;
use tenbin_workloads::Stage;

use super::LiveTarget;
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
            let note = format!("target \"{}\", {what}: {sentence}", self.running.name);
            (controls.progress)(Progress::Note(&note));
        }
        match staged.failure {
            // Requests in flight at Ctrl-C fail.
            _ if staged.stopped && must_succeed => Err(RunError::Interrupted),
            Some(why) if must_succeed => Err(RunError::Preparation {
                target: self.running.name.clone(),
                workload: work.name.clone(),
                what,
                why,
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
            let refusals = match refused {
                0 => String::new(),
                1 => ", 1 request refused and sent again".to_owned(),
                _ => format!(", {refused} requests refused and sent again"),
            };
            if let Some(sentence) = forecast.first(done) {
                let name = &self.running.name;
                progress(Progress::Note(&format!("target \"{name}\", {sentence}")));
            }
            let left = forecast.left(done);
            progress(Progress::Stage {
                target: &self.running.name,
                workload: &work.name,
                what: &format!("{what}{refusals}{left}"),
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
