//! Capacities for the document.

use crate as verdict;

use super::outcome;
use tenbin_result::{Capacity, CapacityComparison, CapacityLevel, Figure, Knee, UslResult};

pub(super) fn capacities(assessment: &verdict::Assessment) -> Vec<Capacity> {
    assessment.capacities.iter().map(capacity).collect()
}

fn capacity(found: &verdict::Capacity) -> Capacity {
    Capacity {
        family: found.family.clone(),
        target: found.target.clone(),
        levels: found.levels.iter().map(level).collect(),
        knee: found.knee.map(|knee| Knee {
            connections: knee.clients() as u64,
            found: matches!(knee, tenbin_stats::Knee::At { .. }),
        }),
        peak_connections: found.peak_connections.map(|connections| connections as u64),
        peak: Figure::of(found.peak),
        workers: Figure::of(found.workers),
        usl: found.usl.as_ref().map(|fit| UslResult {
            lambda: Figure::of(fit.lambda),
            sigma: Figure::of(fit.sigma),
            kappa: Figure::of(fit.kappa),
            peak_connections: Figure::of(fit.peak_clients),
            peak_throughput: Figure::of(fit.peak_throughput),
            worst_misfit: fit.worst_misfit,
        }),
        hysteresis: Figure::of(found.hysteresis),
        trust: found.trust,
        sentence: found.sentence(),
    }
}

fn level(level: &verdict::CapacityLevel) -> CapacityLevel {
    CapacityLevel {
        workload: level.workload.clone(),
        connections: level.connections as u64,
        throughput: Figure::of(level.throughput),
        residence: Figure::of(level.residence),
        p50: Figure::of(level.p50),
        p90: Figure::of(level.p90),
        p99: Figure::of(level.p99),
        ok: Some(level.ok),
        failed: Some(level.failed),
        little: level.little,
        down_to_up: Figure::of(level.down_to_up),
    }
}

pub(super) fn comparisons(assessment: &verdict::Assessment) -> Vec<CapacityComparison> {
    let comparisons = assessment.capacity_comparisons.iter();
    comparisons
        .map(|found| CapacityComparison {
            family: found.family.clone(),
            baseline: found.baseline.clone(),
            baseline_connections: found.baseline_connections as u64,
            challenger: found.challenger.clone(),
            challenger_connections: found.challenger_connections as u64,
            ratio: Figure::of(found.ratio),
            block_ratios: found.block_ratios.clone(),
            outcome: outcome(&found.outcome),
            trust: found.trust,
            sentence: found.sentence(),
        })
        .collect()
}
