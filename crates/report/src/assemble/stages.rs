//! What targets told of their own stages.

use tenbin_verdict::{Band, StageFigures};

use super::figure;
use crate::document::{StageBand, StageBandResult, StageResult, StagesOf};

pub(super) fn stages(figures: &StageFigures) -> StagesOf {
    StagesOf {
        operation: figures.operation.clone(),
        answers: figures.answers,
        carrying: figures.carrying,
        unreadable: figures.unreadable,
        bands: figures
            .bands
            .iter()
            .map(|band| StageBandResult {
                band: band_of(band.band),
                service: figure(band.service),
                total: figure(band.total),
                remainder: figure(band.remainder),
                carrying: figure(band.carrying),
            })
            .collect(),
        stages: figures
            .stages
            .iter()
            .map(|stage| StageResult {
                stage: stage.stage.clone(),
                named: stage.named,
                bands: stage.bands.iter().map(|mean| figure(*mean)).collect(),
            })
            .collect(),
    }
}

fn band_of(band: Band) -> StageBand {
    match band {
        Band::FastestHalf => StageBand::FastestHalf,
        Band::P50ToP90 => StageBand::P50ToP90,
        Band::P90ToP99 => StageBand::P90ToP99,
        Band::AboveP99 => StageBand::AboveP99,
    }
}
