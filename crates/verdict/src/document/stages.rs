//! What targets told of their own stages.

use crate::{Band, StageFigures};

use tenbin_result::{Figure, StageBand, StageBandResult, StageResult, StagesOf};

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
                service: Figure::of(band.service),
                total: Figure::of(band.total),
                remainder: Figure::of(band.remainder),
                carrying: Figure::of(band.carrying),
            })
            .collect(),
        stages: figures
            .stages
            .iter()
            .map(|stage| StageResult {
                stage: stage.stage.clone(),
                named: stage.named,
                bands: stage.bands.iter().map(|mean| Figure::of(*mean)).collect(),
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
