//! Compares statuses and headers.

use tenbin_record::Frequencies;
use tenbin_result::{Severity, Value, message};

use super::Difference;
use super::responses::TargetResponses;
use crate::words::tame;

/// Difference in the share of a header of caches or proxies above which there is a finding.
const MARKS: f64 = 0.2;

/// Difference in the share of a status above which there is a finding.
const STATUSES: f64 = 0.01;

/// Counts some of the responses before or under load.
type Count = fn(&Frequencies) -> u64;

impl TargetResponses<'_> {
    /// Compares headers that caches and proxies add.
    pub(super) fn caches(&self, baseline: &Self) -> Option<Difference> {
        let marks: [(&str, Count); 3] = [
            ("hit", |one| one.hit),
            ("age", |one| one.age),
            ("via", |one| one.via),
        ];
        marks.into_iter().find_map(|(mark, of)| {
            let (mine, other) = (self.share(of)?, baseline.share(of)?);
            ((mine - other).abs() > MARKS).then(|| {
                let seen = message!(
                    "marks-differ",
                    share = Value::Share(mine),
                    target = self.target,
                    mark = Value::word(mark),
                    baseline_share = Value::Share(other),
                    baseline = baseline.target
                );
                (Severity::Suspect, seen)
            })
        })
    }

    /// Share of the responses before and under load that `of` counts.
    fn share(&self, of: impl Fn(&Frequencies) -> u64) -> Option<f64> {
        let stages = [
            self.expected?.before.as_ref()?,
            self.expected?.load.as_ref()?,
        ];
        let all: u64 = stages.iter().map(|stage| stage.responses).sum();
        let hits: u64 = stages.iter().map(|stage| of(stage)).sum();
        (all > 0).then(|| hits as f64 / all as f64)
    }

    /// Compares media types.
    pub(super) fn types(&self, baseline: &Self) -> Option<Difference> {
        let kind = |side: &Self| {
            let name = side.expected?.content_type.as_deref()?;
            let name = name.split(';').next().unwrap_or(name);
            Some(name.trim().to_ascii_lowercase())
        };
        let (mine, other) = (kind(self)?, kind(baseline)?);
        (mine != other).then(|| {
            let seen = message!(
                "types-differ",
                target = self.target,
                media_type = tame(&mine),
                baseline = baseline.target,
                baseline_type = tame(&other)
            );
            (Severity::Note, seen)
        })
    }

    /// Compares the shares of statuses.
    pub(super) fn statuses(&self, baseline: &Self) -> Option<Difference> {
        if self.statuses.is_empty() || baseline.statuses.is_empty() {
            return None;
        }
        let known = self.statuses.keys().chain(baseline.statuses.keys());
        let (status, mine, other) = known
            .map(|status| {
                let share = |side: &Self| *side.statuses.get(status).unwrap_or(&0.0);
                (*status, share(self), share(baseline))
            })
            .max_by(|a, b| (a.1 - a.2).abs().total_cmp(&(b.1 - b.2).abs()))?;
        ((mine - other).abs() > STATUSES).then(|| {
            let seen = message!(
                "statuses-differ",
                share = Value::Share(mine),
                target = self.target,
                status = Value::Plain(status.into()),
                baseline_share = Value::Share(other),
                baseline = baseline.target
            );
            (Severity::Invalid, seen)
        })
    }
}
