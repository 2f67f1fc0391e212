//! The section on the plan: schedule, workloads and targets.

use tenbin_result::format::UNKNOWN;
use tenbin_result::{Document, Value, message};

use crate::block::{Block, Cell, Look, Table, Text};
use crate::expectations::{schedule, seconds};
use crate::language::{say_text, styled};
use crate::words::load;

pub(in crate::section) fn blocks(document: &Document) -> Vec<Block> {
    let run = &document.run;
    let known = |number: Option<u64>| number.map_or(Value::Unknown, Value::Plain);
    let about = message!(
        "about-run",
        run = &run.id,
        started = &run.started,
        schedule = schedule(document),
        warmup = seconds(run.warmup_seconds),
        threads = run.threads.map_or(Value::Unknown, Value::Count),
        seed = known(run.seed)
    );
    let text = if run.is_imported() {
        Text::plain("The results were imported; nothing was run here.".to_owned())
    } else {
        let command = format!("tenbin run {}/plan.toml", run.directory);
        let repeat = message!("repeat-run", about, command = styled(&command));
        say_text(document, &repeat, Look::Code)
    };
    let mut blocks = vec![Block::Paragraph(text)];
    let mut workloads = Table::new(1, ["workload", "what", "load"]);
    for workload in &document.workloads {
        workloads.push([
            workload.name.clone().into(),
            workload.description.clone().into(),
            load(document, workload).into(),
        ]);
    }
    blocks.extend(workloads.block());
    let mut targets = Table::new(1, ["target", "what", "version", "server header"]);
    for target in &document.targets {
        let known = document.environment.targets.get(&target.name);
        let code = |text: Option<&String>| text.map_or_else(|| Cell::from(UNKNOWN), Cell::code);
        targets.push([
            target.name.clone().into(),
            Cell::code(&target.description),
            code(known.and_then(|known| known.version.as_ref())),
            code(known.and_then(|known| known.server_header.as_ref())),
        ]);
    }
    blocks.extend(targets.block());
    blocks
}

/// The section with the plan file.
pub(in crate::section) fn file(document: &Document) -> Vec<Block> {
    let Some(plan) = document.run.plan.clone() else {
        return Vec::new();
    };
    let about = Text::plain(
        "Everything that was measured, with all defaults and without secrets. Save it as ",
    )
    .and(Look::Code, "plan.toml")
    .and(Look::Plain, " and run it with ")
    .and(Look::Code, "tenbin run plan.toml")
    .and(Look::Plain, ".");
    vec![Block::Paragraph(about), Block::Verbatim(plan)]
}
