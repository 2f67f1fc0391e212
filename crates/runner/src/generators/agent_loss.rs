//! Continues a run after an agent was lost: the part of the run in which the agent was lost is void
//! and is repeated.

use std::time::Duration;

use tenbin_plan::{OnLoss, Sentence, sentence};
pub(crate) use tenbin_record::RunPart as Part;
use tenbin_record::{Environment, LostAgent, Outage, RunDirectory};

use crate::controls::Controls;
use crate::error::RunError;
use crate::progress::Progress;

/// The run ends when this number of parts in a row was void.
const MOST_IN_A_ROW: u32 = 3;

/// What happens to a part of a run, as the end of a sentence.
pub(crate) fn again(part: Part) -> Sentence {
    let (how, kind, block) = match part {
        Part::Preparation => ("repeated", "preparation", 0),
        Part::WarmUp => ("repeated", "warm-up", 0),
        Part::FirstRate => ("repeated", "first-rate", 0),
        Part::Block(block) => ("measured again", "block", block + 1),
        Part::Probe => ("measured again", "probe", 0),
        Part::Stretch => ("measured again", "stretch", 0),
    };
    let again = sentence!("again", "{part} is {how}", part, how);
    again.with("part", kind).with("block", block)
}

/// The agents lost so far, and what to do when an agent is lost.
pub(crate) struct Losses<'a> {
    directory: &'a RunDirectory,
    pub(crate) environment: &'a mut Environment,
    on_loss: OnLoss,
    /// How long to look for another agent.
    wait: Duration,
    in_a_row: u32,
}

impl<'a> Losses<'a> {
    pub(crate) fn new(
        directory: &'a RunDirectory,
        environment: &'a mut Environment,
        (on_loss, wait): (OnLoss, Duration),
    ) -> Self {
        Self {
            directory,
            environment,
            on_loss,
            wait,
            in_a_row: 0,
        }
    }

    /// A part of the run has ended without a loss.
    pub(crate) fn part_done(&mut self) {
        self.in_a_row = 0;
    }

    /// Adds an outage of a target to the environment.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn keep_outage(&mut self, outage: Outage) -> Result<(), RunError> {
        self.environment.outages.push(outage);
        Ok(self.directory.write_environment(self.environment)?)
    }

    /// Continues with other agents if `error` is the loss of an agent, so that `part` can be
    /// repeated. `next_slice` is the number of the next slice.
    ///
    /// # Errors
    /// The error that ends the run: `error` if it is something else or the plan says so, or the
    /// reason why no agents can continue.
    pub(crate) fn continue_after(
        &mut self,
        error: RunError,
        part: Part,
        next_slice: u32,
        controls: &mut Controls<'_>,
    ) -> Result<(), RunError> {
        let RunError::AgentLost { agent, why } = error else {
            return Err(error);
        };
        self.in_a_row += 1;
        let time = match self.on_loss {
            OnLoss::Repeat => self.wait,
            OnLoss::Continue => Duration::ZERO,
            OnLoss::Stop => return Err(RunError::Agents(why)),
        };
        if self.in_a_row == MOST_IN_A_ROW {
            return Err(RunError::Agents(sentence!(
                "agents-lost-often",
                "{why}; agents were lost {most_in_a_row} times in a row",
                most_in_a_row = MOST_IN_A_ROW,
                why
            )));
        }
        if !time.is_zero() {
            (controls.progress)(Progress::Note(&sentence!(
                "looking-for-agent",
                "{why}; looking for up to {seconds} s for an agent in its place",
                why,
                seconds = time.as_secs()
            )));
        }
        let regrouped = controls.generators.regroup(&agent, time, controls.stop);
        let further = regrouped.map_err(|error| match error {
            RunError::Agents(then) => RunError::Agents(sentence!(
                "then",
                "{first}; {next}",
                first = why,
                next = then
            )),
            error => error,
        })?;
        let agents = controls.generators.environment();
        let count = agents.len();
        let plural = if count == 1 { "" } else { "s" };
        let with_agents = sentence!(
            "again-with-agents",
            "{why}; {again} with {agents} agent{s}",
            why,
            again = again(part),
            agents = count,
            s = plural
        );
        let with_agents = with_agents.with_part("again", [again(part)]);
        (controls.progress)(Progress::Note(&with_agents));
        let names: Vec<String> = agents.iter().map(|agent| agent.name.clone()).collect();
        for agent in agents {
            if !self.environment.agents.contains(&agent) {
                self.environment.agents.push(agent);
            }
        }
        let lost = std::iter::once((agent, why.to_string())).chain(further);
        let lost = lost.map(|(name, reason)| LostAgent {
            name,
            reason,
            during: part.to_string(),
            part: Some(part),
            agents: names.clone(),
            next_slice,
        });
        self.environment.lost_agents.extend(lost);
        Ok(self.directory.write_environment(self.environment)?)
    }

    /// Executes a part of the run before the first slice, again after each loss of an agent.
    pub(crate) fn repeat<T>(
        &mut self,
        part: Part,
        controls: &mut Controls<'_>,
        mut execute: impl FnMut(&mut Controls<'_>) -> Result<T, RunError>,
    ) -> Result<T, RunError> {
        loop {
            match execute(controls) {
                Ok(done) => {
                    self.part_done();
                    return Ok(done);
                }
                Err(error) => self.continue_after(error, part, 0, controls)?,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;
    use crate::generators::Generators;
    use crate::stop::Stop;

    /// What happens after each of `losses` losses in a row, and whether a part ends after the
    /// second one.
    fn lose(on_loss: OnLoss, losses: usize, ends_part: bool) -> Vec<Result<(), String>> {
        let root = std::env::temp_dir().join(format!(
            "tenbin-loss-{}-{}-{losses}-{ends_part}",
            std::process::id(),
            on_loss.name()
        ));
        let directory = RunDirectory::create(&root, "loss", SystemTime::now()).expect("created");
        let mut environment = Environment::default();
        let mut all = Losses::new(
            &directory,
            &mut environment,
            (on_loss, Duration::from_secs(1)),
        );
        let stop = Stop::new();
        let mut controls = Controls {
            stop: &stop,
            progress: &mut |_| {},
            generators: Generators::Here,
        };
        let results = (0..losses).map(|at| {
            if at == 2 && ends_part {
                all.part_done();
            }
            let lost = RunError::AgentLost {
                agent: "load2".to_owned(),
                why: "lost".into(),
            };
            let next = all.continue_after(lost, Part::Block(1), 6, &mut controls);
            next.map_err(|error| error.to_string())
        });
        let results = results.collect();
        assert!(
            environment
                .lost_agents
                .iter()
                .all(|it| it.during == "block 2")
        );
        std::fs::remove_dir_all(&root).expect("removed");
        results
    }

    #[test]
    fn the_run_ends_after_three_losses_in_a_row() {
        let third = "lost; agents were lost 3 times in a row".to_owned();
        for on_loss in [OnLoss::Repeat, OnLoss::Continue] {
            assert_eq!(
                lose(on_loss, 3, false),
                [Ok(()), Ok(()), Err(third.clone())]
            );
            assert_eq!(lose(on_loss, 4, true), [Ok(()), Ok(()), Ok(()), Ok(())]);
        }
        assert_eq!(lose(OnLoss::Stop, 1, false), [Err("lost".to_owned())]);
    }
}
