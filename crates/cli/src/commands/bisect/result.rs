//! The result of a search as a document.

use tenbin_plan::Sentence;
use tenbin_result::{BISECT_SCHEMA, Bisect, BisectCommit, BisectOutcome, BisectRatio, GateFigure};
use tenbin_stats::{CONFIDENCE, Posterior, ratio};

use super::search::Search;

impl Search<'_> {
    /// What is known now. `say` gives the words of a reason.
    pub(super) fn result(&self, outcome: BisectOutcome, say: fn(&Sentence) -> String) -> Bisect {
        let posterior = self.is_proven.then(|| self.bisection.posterior());
        let leader = posterior.as_ref().map(|it| self.bisection.leader(it));
        let figure = self.figure.as_ref();
        Bisect {
            schema: BISECT_SCHEMA.to_owned(),
            outcome,
            good: self.good.name.clone(),
            bad: self.bad.name.clone(),
            workload: self.workload.clone(),
            metric: figure.map(|figure| figure.metric.clone()),
            change: match (&posterior, figure) {
                (Some(posterior), Some(figure)) => Some(change(posterior, figure)),
                (None, Some(figure)) => of_ends(figure),
                (_, None) => None,
            },
            wanted_certainty: self.certainty(),
            group: leader.as_ref().map(|(group, _)| {
                let last = group.end.saturating_sub(1);
                (group.start as u64, last as u64)
            }),
            certainty: leader.map(|(_, certainty)| certainty),
            commits: self.commits(posterior.as_ref(), say),
            builds: u64::from(self.pace.builds()),
            blocks: self.bisection.blocks() as u64,
            seconds: self.pace.spent().as_secs_f64(),
            budget_seconds: self.budget().as_secs_f64(),
            whole_seconds: self.pace.whole().as_secs_f64(),
            runs: self.runs.clone(),
        }
    }

    fn commits(
        &self,
        posterior: Option<&Posterior>,
        say: fn(&Sentence) -> String,
    ) -> Vec<BisectCommit> {
        let between = posterior.map_or_else(Vec::new, |it| self.bisection.misfits(it));
        let commits = self.commits.iter().zip(&self.skipped).enumerate();
        let commits = commits.map(|(at, (commit, skipped))| {
            let logs = self.bisection.observed(at);
            BisectCommit {
                commit: commit.name.clone(),
                date: commit.date.clone(),
                subject: commit.subject.clone(),
                probability: posterior.and_then(|it| it.commits.get(at).copied()),
                blocks: logs.len() as u64,
                ratio: self.ratio_of(logs),
                skipped: skipped.as_ref().map(say),
                between: between.contains(&at),
            }
        });
        commits.collect()
    }

    /// The ratio of these blocks; `None` without blocks.
    fn ratio_of(&self, worse: &[f64]) -> Option<f64> {
        let figure = self.figure.as_ref()?;
        let logs: Vec<f64> = worse.iter().map(|log| -sign(figure) * log).collect();
        ratio(&logs, CONFIDENCE).value()
    }
}

/// 1 for a figure whose higher values are better, otherwise -1.
fn sign(figure: &GateFigure) -> f64 {
    if figure.higher_is_better { 1.0 } else { -1.0 }
}

/// The change as all blocks of the search show it.
fn change(posterior: &Posterior, figure: &GateFigure) -> BisectRatio {
    let of = |worse: f64| (-sign(figure) * worse).exp();
    let (one, other) = (of(posterior.interval.0), of(posterior.interval.1));
    BisectRatio {
        value: of(posterior.change),
        low: Some(one.min(other)),
        high: Some(one.max(other)),
    }
}

/// The ratio of both ends, for a search that ends with them.
fn of_ends(figure: &GateFigure) -> Option<BisectRatio> {
    figure.ratio.map(|value| BisectRatio {
        value,
        low: figure.low,
        high: figure.high,
    })
}
