//! `tenbin doctor`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::json;
use tenbin_plan::{Agents, Plan, Sentence, sentence};
use tenbin_runner::{Examination, Progress, RunContext, examine};
use tenbin_targets::doctor::{CheckResult, State};
use unicode_width::UnicodeWidthStr as _;

use crate::args::{DoctorArgs, DoctorCommand, DoctorMachineArgs, DoctorS3Args};
use crate::commands::measure::plan::{resolve, resolve_agents};
use crate::exit::Exit;
use crate::sentences::said;
use crate::{interrupt, output};

/// Version of the JSON document.
const DOCUMENT_VERSION: u32 = 1;

/// Prints the check results.
pub(crate) fn doctor(args: &DoctorArgs) -> Exit {
    let asked = match &args.command {
        None => Parsed::of_machine(&args.machine),
        Some(DoctorCommand::S3(args)) => Parsed::of_s3(args),
    };
    let asked = match asked {
        Ok(asked) => asked,
        Err(exit) => return exit,
    };
    match visit(&asked) {
        Ok(exit) => exit,
        Err(error) => {
            output::failed(&error);
            Exit::Internal
        }
    }
}

/// What to check, and the output format.
struct Parsed {
    plan: Option<Plan>,
    agents: Option<Agents>,
    connections: Option<u64>,
    ports: Vec<u16>,
    data: BTreeMap<String, PathBuf>,
    out: PathBuf,
    json: bool,
    /// Time for which to measure the noise of the machine; zero skips this measurement.
    watch: Duration,
}

impl Parsed {
    fn of_machine(args: &DoctorMachineArgs) -> Result<Self, Exit> {
        Ok(Self {
            plan: None,
            agents: resolve_agents(&args.agents.0)?,
            connections: Some(args.connections.into()),
            ports: args.port.clone(),
            data: BTreeMap::new(),
            out: args.out.clone(),
            json: args.json,
            watch: args.duration.0,
        })
    }

    fn of_s3(args: &DoctorS3Args) -> Result<Self, Exit> {
        let plan = match args.draft() {
            Ok(None) => None,
            Ok(Some(draft)) => Some(resolve(Ok(draft))?),
            Err(refusal) => Some(resolve(Err(refusal))?),
        };
        Ok(Self {
            agents: resolve_agents(&args.agents.0)?,
            connections: args.connections.map(u64::from),
            ports: args.port.clone(),
            data: args.data(&names(plan.as_ref())),
            plan,
            out: args.out.clone(),
            json: args.json,
            watch: Duration::ZERO,
        })
    }
}

fn names(plan: Option<&Plan>) -> Vec<String> {
    let targets = plan.map_or(&[][..], |plan| &plan.targets);
    targets.iter().map(|target| target.name.clone()).collect()
}

fn visit(asked: &Parsed) -> anyhow::Result<Exit> {
    use anyhow::Context as _;

    let stop = interrupt::stop(|_| {})?;
    let bench = RunContext {
        root: asked.out.clone(),
        plan_directory: std::env::current_dir().context(sentence!(
            "no-working-directory-here",
            "cannot read the working directory"
        ))?,
        executable: std::env::current_exe().context(sentence!(
            "no-own-file",
            "cannot find this program's own file"
        ))?,
        count_allocations: || None,
        rounds_end: |_, _| None,
        departs: |_, _, _| false,
        lengthen_slices: false,
    };
    let plan = asked.plan.as_ref();
    let examination = Examination {
        plan,
        agents: asked.agents.as_ref(),
        connections: asked.connections,
        ports: asked.ports.clone(),
        watch: asked.watch,
        data: asked.data.clone(),
    };
    let names = names(plan);
    let widest = names.iter().map(|name| name.width()).max();
    let widest = widest.unwrap_or(0).max(said(&here()).width());
    let width = match &asked.agents {
        None => widest,
        Some(_) => widest + said(&from_agent("", "")).width() + USUAL_AGENT_NAME,
    };
    let mut findings = Vec::new();
    let mut progress = |progress: Progress<'_>| {
        if let Progress::Note(sentence) = progress {
            output::say_note(sentence);
        }
    };
    let ended = examine(&examination, &bench, &stop, &mut progress, &mut |finding| {
        if !asked.json {
            output::print_text(line(&finding, width));
        }
        findings.push(finding);
    });
    if let Err(error) = ended {
        output::failure(&error);
        return Ok(Exit::of_run(&error));
    }
    let alone = asked.watch > Duration::ZERO;
    let text = match (asked.json, alone) {
        (true, _) => document(&findings)?,
        (false, true) => format!("{}{}\n", summary(&findings), said(&fitness(&findings))),
        (false, false) => summary(&findings),
    };
    output::print_text(&text);
    if !alone && plan.is_none() && asked.ports.is_empty() {
        output::say_note(&sentence!(
            "no-server-checked",
            "no server was checked; name one with --target"
        ));
    }
    Ok(match count(&findings, State::Failed) {
        0 => Exit::Done,
        _ => Exit::Target,
    })
}

/// The name of a check, with the agent that ran it.
fn name_of(finding: &CheckResult) -> String {
    match &finding.agent {
        None => finding.check.to_string(),
        Some(agent) => said(&sentence!(
            "check-of-agent",
            "{check} of agent \"{agent}\"",
            check = finding.check,
            agent
        )),
    }
}

/// Whether the machines are fit to measure, in one sentence.
fn fitness(findings: &[CheckResult]) -> Sentence {
    let named = |state| {
        let found = findings.iter().filter(|finding| finding.state == state);
        let mut names: Vec<String> = found.map(name_of).collect();
        names.dedup();
        names.join(", ")
    };
    let (failed, warned) = (named(State::Failed), named(State::Warning));
    if !failed.is_empty() {
        sentence!("not-fit", "not fit to measure: {checks}", checks = failed)
    } else if !warned.is_empty() {
        sentence!(
            "fit-to-compare",
            "fit to compare targets in interleaved rounds; do not trust absolute figures until this \
             is solved: {checks}",
            checks = warned
        )
    } else {
        sentence!("fit", "fit to measure")
    }
}

/// Entry for this machine in the column of target names.
fn here() -> Sentence {
    sentence!("here", "(here)")
}

/// The names of a target and of the agent that checked it.
fn from_agent(target: &str, agent: &str) -> Sentence {
    sentence!("from-agent", "{target} from {agent}", target, agent)
}

/// Width for the name of an agent, whose name is not known when the first line is printed.
const USUAL_AGENT_NAME: usize = 8;

fn line(finding: &CheckResult, width: usize) -> String {
    let CheckResult {
        check,
        agent,
        target,
        state,
        evidence,
        advice,
    } = finding;
    let whose = match (agent, target) {
        (None, None) => said(&here()),
        (None, Some(target)) => target.clone(),
        (Some(agent), None) => format!("({agent})"),
        (Some(agent), Some(target)) => said(&from_agent(target, agent)),
    };
    let found = match advice {
        None => said(evidence),
        Some(advice) => {
            let both = sentence!("then", "{first}; {next}", first = evidence, next = advice);
            let both = both.with_part("first", [evidence.clone()]);
            said(&both.with_part("next", [advice.clone()]))
        }
    };
    let space = width.saturating_sub(whose.width());
    let line = format!(
        "{:<7}  {whose}{:space$}  {check:<14}  {found}",
        state.name(),
        ""
    );
    // Evidence can contain text from servers and from logs, so control characters are escaped.
    let lines = line.lines().map(tenbin_report::for_terminal);
    lines.map(|line| line + "\n").collect()
}

fn summary(findings: &[CheckResult]) -> String {
    let counts = sentence!(
        "check-counts",
        "{failed} failed, {warned} with a warning, {ok} ok, {unknown} unknown",
        failed = count(findings, State::Failed),
        warned = count(findings, State::Warning),
        ok = count(findings, State::Ok),
        unknown = count(findings, State::Unknown)
    );
    format!("\n{}\n", said(&counts))
}

fn document(findings: &[CheckResult]) -> anyhow::Result<String> {
    let listed = findings.iter().map(|finding| {
        json!({
            "check": finding.check,
            "agent": finding.agent,
            "target": finding.target,
            "state": finding.state,
            "evidence": finding.evidence.text(),
            "advice": finding.advice.as_ref().map(Sentence::text),
        })
    });
    let listed: Vec<serde_json::Value> = listed.collect();
    let document = json!({
        "version": DOCUMENT_VERSION,
        "fit": fit(findings),
        "failed": count(findings, State::Failed),
        "warnings": count(findings, State::Warning),
        "findings": listed,
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// Whether the machine is fit to measure: `yes`, `no`, or `ratios` if only the ratios between
/// targets can be trusted.
fn fit(findings: &[CheckResult]) -> &'static str {
    let has = |state| count(findings, state) > 0;
    match (has(State::Failed), has(State::Warning)) {
        (true, _) => "no",
        (false, true) => "ratios",
        (false, false) => "yes",
    }
}

fn count(findings: &[CheckResult], state: State) -> usize {
    let found = findings.iter().filter(|finding| finding.state == state);
    found.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_cannot_move_the_cursor() {
        let finding = CheckResult {
            check: "reach".into(),
            agent: None,
            target: Some("a".to_owned()),
            state: State::Failed,
            evidence: "\u{1b}[2Jgone".into(),
            advice: None,
        };
        let shown = line(&finding, 1);
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
        assert!(shown.contains("gone"));
    }
}
