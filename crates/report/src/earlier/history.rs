//! How much an experiment varies from run to run, from other runs of it.

use tenbin_result::Trust;
use tenbin_stats::RunSpread;
use tenbin_verdict::Series;

use super::Results;
use super::shared::Identity;

impl Results {
    /// The same results, with other runs of the same experiment. The other runs show how much the
    /// experiment varies from run to run; runs that are not VALID, of another machine or of other
    /// work are ignored.
    #[must_use]
    pub fn with_history(self, others: Vec<Self>) -> Self {
        Self { others, ..self }
    }
}

/// The variation of `series` relative to the `controls` from run to run: inside the runs that may
/// have the target of the earlier run, and inside those that may have that of the later run. `None`
/// with too few runs.
pub(super) fn run_to_run(
    before: &Results,
    after: &Results,
    series: &Series,
    controls: &[String],
) -> Option<RunSpread> {
    let target = series.target.as_deref()?;
    let (then, now) = (identity(before, target)?, identity(after, target)?);
    let others = before.others.iter().filter(|other| {
        let is_other = other.name != before.name && other.name != after.name;
        is_other && is_alike(before, other, &series.workload, controls)
    });
    let others: Vec<&Results> = others.collect();
    let logs = |of: &Identity, own: &Results| -> Vec<f64> {
        let mine = others.iter().copied().filter(|other| {
            let known = identity(other, target);
            known.is_some_and(|known| known.may_be_same(of))
        });
        let all = mine.chain([own]);
        all.filter_map(|run| log(run, series, target, controls))
            .collect()
    };
    let mut groups = vec![logs(then, before)];
    if !then.may_be_same(now) {
        groups.push(logs(now, after));
    }
    RunSpread::measured(&groups)
}

fn identity<'a>(run: &'a Results, target: &str) -> Option<&'a Identity> {
    run.targets.identities.get(target)
}

/// Whether another run is a VALID run of the same work on the same machine with the same controls.
fn is_alike(run: &Results, other: &Results, workload: &str, controls: &[String]) -> bool {
    let same = |name: &String| {
        let both = identity(run, name).zip(identity(other, name));
        both.is_some_and(|(one, another)| one.may_be_same(another))
    };
    let terms = run.terms.get(workload).zip(other.terms.get(workload));
    other
        .trust
        .as_ref()
        .is_some_and(|it| it.trust == Trust::Valid)
        && run.host == other.host
        && terms.is_some_and(|(one, another)| one.difference(another).is_none())
        && controls.iter().all(same)
}

fn log(run: &Results, series: &Series, target: &str, controls: &[String]) -> Option<f64> {
    let relative = run.blocks.relative(&series.workload, target, controls);
    let of_run = Series {
        relative,
        ..series.clone()
    };
    of_run.relative_log()
}
