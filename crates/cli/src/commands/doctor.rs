//! `tenbin doctor`.

use std::path::PathBuf;

use serde_json::json;
use tenbin_plan::Plan;
use tenbin_targets::doctor::{Finding, State};
use tenbin_weigh::{Bench, Examination, examine};

use super::measure::exit_of;
use super::plan::resolve;
use crate::args::{DoctorCommand, DoctorS3Args};
use crate::exit::Exit;
use crate::{interrupt, output};

/// Version of the JSON document.
const DOCUMENT_VERSION: u32 = 1;

/// Says what is wrong before a run.
pub(crate) fn doctor(command: &DoctorCommand) -> Exit {
    let DoctorCommand::S3(args) = command;
    let plan = match args.draft() {
        Ok(None) => None,
        Ok(Some(draft)) => match resolve(Ok(draft)) {
            Ok(plan) => Some(plan),
            Err(exit) => return exit,
        },
        Err(refusal) => match resolve(Err(refusal)) {
            Ok(plan) => Some(plan),
            Err(exit) => return exit,
        },
    };
    match visit(args, plan.as_ref()) {
        Ok(exit) => exit,
        Err(error) => {
            output::error(&format!("{error:#}"));
            Exit::Internal
        }
    }
}

fn visit(args: &DoctorS3Args, plan: Option<&Plan>) -> anyhow::Result<Exit> {
    use anyhow::Context as _;

    let stop = interrupt::stop(|_| {}).context("cannot listen to Ctrl-C")?;
    let bench = Bench {
        root: PathBuf::from(&args.out),
        plan_directory: std::env::current_dir().context("cannot tell the working directory")?,
        executable: std::env::current_exe().context("cannot find this program's own file")?,
        count_allocations: || None,
        is_precise: |_, _| false,
        lengthen_slices: false,
    };
    let names: Vec<String> = plan.map_or_else(Vec::new, |plan| {
        let targets = plan.targets.iter();
        targets.map(|target| target.name.clone()).collect()
    });
    let examination = Examination {
        plan,
        connections: args.connections.map(u64::from),
        ports: args.port.clone(),
        data: args.data(&names),
    };
    let widest = names.iter().map(|name| name.chars().count()).max();
    let mut findings = Vec::new();
    let ended = examine(&examination, &bench, &stop, &mut |finding| {
        if !args.json {
            output::print(line(&finding, widest).as_bytes());
        }
        findings.push(finding);
    });
    if let Err(error) = ended {
        output::error(&error.to_string());
        return Ok(exit_of(&error));
    }
    let text = if args.json {
        document(&findings)?
    } else {
        summary(&findings)
    };
    output::print(text.as_bytes());
    if plan.is_none() && args.port.is_empty() {
        output::note("no server was looked at; name one with --target");
    }
    Ok(match count(&findings, State::Failed) {
        0 => Exit::Done,
        _ => Exit::Target,
    })
}

/// What this machine is called among the names of targets.
const MACHINE: &str = "(here)";

fn line(finding: &Finding, widest: Option<usize>) -> String {
    let width = widest.unwrap_or(0).max(MACHINE.len());
    let Finding {
        check,
        target,
        state,
        evidence,
        advice,
    } = finding;
    let whose = target.as_deref().unwrap_or(MACHINE);
    let advice = advice.as_deref();
    let advice = advice.map_or_else(String::new, |advice| format!("; {advice}"));
    let line = format!(
        "{:<7}  {whose:<width$}  {check:<14}  {evidence}{advice}",
        state.name()
    );
    // Evidence may quote servers, and a failed launch the lines of its log.
    let lines = line.lines().map(tenbin_report::for_terminal);
    lines.map(|line| line + "\n").collect()
}

fn summary(findings: &[Finding]) -> String {
    let states = [
        (State::Failed, "failed"),
        (State::Warning, "with a warning"),
        (State::Ok, "ok"),
        (State::Unknown, "unknown"),
    ];
    let counts = states.map(|(state, words)| format!("{} {words}", count(findings, state)));
    format!("\n{}\n", counts.join(", "))
}

fn document(findings: &[Finding]) -> anyhow::Result<String> {
    let document = json!({
        "version": DOCUMENT_VERSION,
        "failed": count(findings, State::Failed),
        "warnings": count(findings, State::Warning),
        "findings": findings,
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

fn count(findings: &[Finding], state: State) -> usize {
    let found = findings.iter().filter(|finding| finding.state == state);
    found.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_cannot_move_the_cursor() {
        let finding = Finding {
            check: "reach",
            target: Some("a".to_owned()),
            state: State::Failed,
            evidence: "\u{1b}[2Jgone".to_owned(),
            advice: None,
        };
        let shown = line(&finding, Some(1));
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
        assert!(shown.contains("gone"));
    }
}
