//! The section on agents, in all languages.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[allow(dead_code, reason = "shared with other tests")]
mod made_up;

use made_up::Run;
use tenbin_record::{AgentEnvironment, AgentPart, AgentUse};
use tenbin_report::{Extent, View};
use tenbin_result::{Document, Language, Metric};

const NAMES: [&str; 3] = ["load1", "errors", "load3"];

/// A run of three agents, of which the third completes less of its share on the target `durable`.
fn run() -> Run {
    let mut run = made_up::pair();
    for slice in &mut run.slices {
        let factor = if slice.target == "durable" { 0.5 } else { 1.0 };
        let part = |factor: f64| AgentPart {
            ok: (slice.ok() as f64 / 3.0 * factor) as u64,
            share: 1.0 / 3.0,
            times: slice.ops[0].times.response.clone(),
            machine: AgentUse {
                cpu_busy: Some(0.42),
                min_rtt_ns: Some(123_000),
                ..AgentUse::default()
            },
            ..AgentPart::default()
        };
        slice.agents = [1.0, 1.0, factor].map(part).to_vec();
    }
    let named = NAMES.map(|name| AgentEnvironment {
        name: name.to_owned(),
        hostname: None,
        cores: 4,
        cpu_model: None,
        kernel: None,
    });
    run.environment.agents = named.to_vec();
    run
}

fn section(document: &Document) -> String {
    let view = View {
        width: 200,
        colour: false,
        extent: Extent::Section("agents"),
    };
    tenbin_report::terminal(document, view)
}

#[test]
fn every_agent_has_a_row_with_its_figures_and_its_ratio() {
    let document = run().document();
    let text = section(&document);
    for name in NAMES {
        let lines = text.lines();
        let is_own = |line: &&str| line.contains(&format!(" {name} "));
        // Two workloads on two targets; throughput, p50 and p99 of two workloads.
        assert_eq!(lines.filter(is_own).count(), 4 + 6, "{name}: {text}");
    }
    assert!(text.contains("durable ÷ memory") && text.contains("123 µs"));
    let throughput = document.agent_ratios.iter();
    let mut throughput = throughput.filter(|ratios| ratios.metric == Metric::Throughput);
    let ratios = throughput.next().unwrap();
    let value = |agent: usize| ratios.agents[agent].ratio.unwrap().value;
    assert!((value(2) / value(0) - 0.5).abs() < 0.01, "{ratios:?}");
    let to_others = ratios.agents[2].to_others.unwrap();
    assert!((to_others.value - 0.5).abs() < 0.01, "{to_others:?}");
    assert!(to_others.interval.unwrap().high < 1.0);
}

#[test]
fn the_section_is_japanese_but_the_names_are_not_translated() {
    let mut document = run().document();
    document.language = Language::Japanese;
    let text = section(&document);
    assert!(text.contains("エージェントごとの比"), "{text}");
    for english in [
        "CPU is the busy", "Every agent", "busiest thread", "round trip", "compared with",
    ] {
        assert!(!text.contains(english), "{english}: {text}");
    }
    assert!(text.contains(" errors "), "the name of an agent: {text}");
}

#[test]
fn a_run_without_agents_has_no_such_section() {
    let text = section(&made_up::pair().document());
    assert!(!text.contains("agent"), "{text}");
}
