//! Checks an agent's machine, and targets from there.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bytes::Bytes;
use tenbin_cluster::Assignment;
use tenbin_plan::{Sentence, sentence};
use tenbin_targets::doctor::{CheckConfig, CheckResult, State, examine_machine, examine_target};

use super::Machine;
use crate::doctor::{AgentChecks, check_target};
use crate::generators::{decoded, encoded};
use crate::stop::Stop;

/// Longest check of the noise of the machine.
const LONGEST_WATCH: Duration = Duration::from_secs(3_600);

impl Machine {
    /// The results of the checks that a coordinator ordered.
    pub(super) fn check_results(
        &self,
        assignment: &Assignment,
        request: &[u8],
        stop: &Arc<AtomicBool>,
    ) -> Result<Bytes, Sentence> {
        let checks = decoded::<AgentChecks>(request).filter(|it| it.watch() <= LONGEST_WATCH);
        let checks = checks.ok_or_else(|| {
            sentence!(
                "checks-impossible",
                "the coordinator's checks are not possible"
            )
        })?;
        let config = CheckConfig {
            ports: Vec::new(),
            root: self.directory.clone(),
            records: false,
            connections: checks.connections,
            files: checks.files,
            watch: checks.watch(),
            stop: Arc::clone(stop),
        };
        if assignment.plan.is_empty() {
            let found: Vec<CheckResult> = examine_machine(&config).collect();
            return Ok(encoded(&found));
        }
        let found = self.check_targets(&config, assignment, stop);
        Ok(encoded(&found.unwrap_or_else(|why| vec![refused(why)])))
    }

    fn check_targets(
        &self,
        config: &CheckConfig,
        assignment: &Assignment,
        stop: &Arc<AtomicBool>,
    ) -> Result<Vec<CheckResult>, Sentence> {
        let plan = self.plan_of(assignment)?;
        let (plan, running) = self.bring_up(plan, assignment, stop)?;
        let stop = Stop::both(stop);
        let mut found = Vec::new();
        for (target, running) in plan.targets.iter().zip(&running) {
            let may_ask = self.may_ask();
            let facts = check_target(&plan, target, running, None, &stop, may_ask);
            let facts = facts.map_err(|error| error.sentence())?;
            found.extend(examine_target(config, &facts));
        }
        Ok(found)
    }
}

/// The result for targets that this agent cannot or may not send requests to.
fn refused(why: Sentence) -> CheckResult {
    CheckResult {
        check: "limits".into(),
        agent: None,
        target: None,
        state: State::Failed,
        evidence: why,
        advice: None,
    }
}
