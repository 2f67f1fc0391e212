//! The section on the plan: schedule, workloads and targets.

use tenbin_result::Document;
use tenbin_result::format::{UNKNOWN, plural};

use crate::asked::{schedule, seconds};
use crate::block::{Block, Cell, Look, Table, Text};

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let run = &document.run;
    let text = format!(
        "Run {}, started {}: {} for each target and workload, {} of warm-up, {}, seed {}. ",
        run.id,
        run.started,
        schedule(document),
        seconds(run.warmup_seconds),
        match run.threads {
            Some(threads) => plural(threads, "generator thread"),
            None => format!("{UNKNOWN} generator threads"),
        },
        run.seed
            .map_or_else(|| UNKNOWN.to_owned(), |seed| seed.to_string())
    );
    let text = if run.is_imported() {
        Text::plain("The results were imported; nothing was run here.".to_owned())
    } else {
        Text::plain(text)
            .and(Look::Plain, "Repeat the run with ")
            .and(
                Look::Code,
                format!("tenbin run {}/plan.toml", run.directory),
            )
            .and(Look::Plain, ".")
    };
    let mut blocks = vec![Block::Paragraph(text)];
    let mut workloads = Table::new(1, ["workload", "what", "load"]);
    for workload in &document.workloads {
        workloads.push([
            workload.name.clone().into(),
            workload.description.clone().into(),
            workload.load.clone().into(),
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
pub(super) fn file(document: &Document) -> Vec<Block> {
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
