//! The section with figures and ratios by agent, for runs with several agents.

use tenbin_result::format::{RATE, SHARE, TIME, UNKNOWN, ratio, ratio_interval};
use tenbin_result::{AgentRatio, Document, message};
use tenbin_verdict::named_metric;

use crate::block::{Block, Cell, Table};
use crate::language::say;

const ABOUT_FIGURES: &str = "Throughput is the part that the agent completed; p50 and p99 are service times in a closed loop, \
     response times in an open loop. CPU is the busy share of all cores of the agent's machine.";

const ABOUT_RATIOS: &str = "Every agent sends to all targets in turn, so every agent measures the ratio, in the same blocks. \
     Each interval of a ratio holds for itself. \"Compared with the others\" is the agent's ratio \
     divided by the geometric mean of the ratios of the other agents; these intervals hold together. \
     An interval that contains 1 is compatible with agents that agree.";

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    if document.agents.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Paragraph(ABOUT_FIGURES.into())];
    blocks.extend(figures(document).block());
    if let Some(ratios) = ratios(document).block() {
        blocks.push(Block::heading("Ratios by agent"));
        blocks.push(Block::Paragraph(ABOUT_RATIOS.into()));
        blocks.push(ratios);
    }
    blocks
}

fn figures(document: &Document) -> Table {
    let mut table = Table::new(
        3,
        [
            "workload", "target", "agent", "throughput", "p50", "p99", "CPU", "busiest thread",
            "round trip to target", "round trip to coordinator",
        ],
    );
    for part in &document.agents {
        table.push([
            part.workload.clone().into(),
            part.target.clone().into(),
            part.agent.clone().into(),
            Cell::Figure(RATE, part.throughput),
            Cell::Figure(TIME, part.p50),
            Cell::Figure(TIME, part.p99),
            Cell::once(SHARE, part.cpu_busy),
            Cell::once(SHARE, part.busiest_thread),
            Cell::once(TIME, part.min_rtt),
            Cell::once(TIME, part.round_trip),
        ]);
    }
    table
}

fn ratios(document: &Document) -> Table {
    let mut table = Table::new(
        3,
        [
            "workload", "compared by", "agent", "ratio", "interval", "compared with the others",
        ],
    );
    for compared in &document.agent_ratios {
        let by = message!(
            "compared-by",
            metric = named_metric(&compared.metric, &compared.metric_phrase),
            challenger = &compared.challenger,
            baseline = &compared.baseline
        );
        let by = say(document, &by);
        for agent in &compared.agents {
            table.push([
                compared.workload.clone().into(),
                by.clone().into(),
                agent.agent.clone().into(),
                value(agent).into(),
                ratio_interval(agent.ratio).into(),
                Cell::Ratio(agent.to_others),
            ]);
        }
    }
    table
}

fn value(agent: &AgentRatio) -> String {
    agent
        .ratio
        .map_or_else(|| UNKNOWN.to_owned(), |figure| ratio(figure.value))
}
