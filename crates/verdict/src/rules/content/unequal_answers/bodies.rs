//! Compares the sizes and the content of response bodies.

use tenbin_plan::MayDiffer;
use tenbin_record::{ExpectedResponse, Sameness};
use tenbin_result::{Message, Severity, Value, message};

use super::Difference;
use super::responses::TargetResponses;
use crate::words::tame;

/// Difference of two body sizes, as a share of the larger size, below which there is no finding.
const SAME: f64 = 0.01;

/// As [`SAME`], for bodies of varying length whose difference is not chance.
const SAME_VARYING: f64 = 0.005;

/// Number of standard errors of a difference of mean lengths that can be chance.
const BY_CHANCE: f64 = 5.0;

/// Fewest responses from which content is compared.
const FEWEST: u64 = 16;

/// Number of features from which the list of a target is incomplete.
const MOST_FEATURES: usize = 128;

/// Difference of two body sizes, as a share of the larger size, above which the targets did
/// different work.
const OTHER: f64 = 0.05;

/// Difference of two body sizes that does not affect the transfer time, bytes.
const NO_TIME: f64 = 64.0;

impl TargetResponses<'_> {
    /// Compares the parts of documents: paths of JSON with types, and tags.
    pub(super) fn features(&self, baseline: &Self) -> Option<Difference> {
        let missing = |has: &Self, lacks: &Self| {
            let (one, other) = (has.expected?, lacks.expected?);
            let (all, rest) = (one.before.as_ref()?, other.before.as_ref()?);
            if all.responses < FEWEST || rest.responses < FEWEST {
                return None;
            }
            let parts = one.features.iter().zip(&all.features);
            let mut parts = parts.filter(|(name, count)| {
                let is_constant_value = name.contains(": = ") || name.starts_with('"');
                !is_constant_value && **count == all.responses
            });
            let missing = parts.find(|(name, _)| {
                let at = other.features.iter().position(|known| known == *name);
                let known = at.and_then(|at| rest.features.get(at));
                known.is_none_or(|count| *count * 2 < rest.responses)
                    && other.features.len() < MOST_FEATURES
            });
            missing.map(|(name, _)| {
                let seen = message!(
                    "feature-missing",
                    target = has.target,
                    feature = tame(name),
                    other = lacks.target
                );
                (Severity::Suspect, seen)
            })
        };
        missing(self, baseline).or_else(|| missing(baseline, self))
    }

    /// Compares whether the content varies.
    pub(super) fn variation(&self, baseline: &Self) -> Option<Difference> {
        let is_new_each_time = |side: &Self| {
            let before = side.expected?.before.as_ref()?;
            let is_known = before.responses >= FEWEST && before.compared > 0;
            is_known.then(|| (side.content(), before.repeated * 2 < before.compared))
        };
        let (mine, other) = (is_new_each_time(self)?, is_new_each_time(baseline)?);
        let (constant, varying) = match (mine, other) {
            ((Sameness::Same, _), (Sameness::Varies, true)) => (self, baseline),
            ((Sameness::Varies, true), (Sameness::Same, _)) => (baseline, self),
            _ => return None,
        };
        let seen = message!(
            "only-one-varies",
            constant = constant.target,
            varying = varying.target
        );
        Some((Severity::Suspect, seen))
    }

    fn content(&self) -> Sameness {
        self.expected
            .map(|expected| expected.content)
            .unwrap_or_default()
    }

    /// Whether the content was the same throughout the run.
    fn is_always_the_same(&self) -> bool {
        let stages = self
            .expected
            .map(|one| [&one.before, &one.load, &one.after]);
        self.content() == Sameness::Same
            && stages.is_some_and(|stages| {
                let known = || stages.iter().copied().flatten();
                known().count() > 0 && known().all(|stage| stage.same == stage.responses)
            })
    }

    /// Whether a difference of mean lengths can be chance: both pages have bodies of different
    /// lengths.
    fn is_chance(&self, baseline: &Self, difference: f64) -> bool {
        let variance = |side: &Self| {
            let load = side.expected?.load.as_ref()?;
            let lengths: Vec<f64> = load.lengths.iter().map(|&one| one as f64).collect();
            if lengths.len() < FEWEST as usize {
                return None;
            }
            let sd = tenbin_stats::standard_deviation(&lengths)?;
            Some(sd * sd / side.responses.max(1) as f64)
        };
        let variances = variance(self).zip(variance(baseline));
        variances.is_some_and(|(one, other)| difference.abs() < BY_CHANCE * (one + other).sqrt())
    }

    /// Compares mean body sizes.
    pub(super) fn sizes(&self, baseline: &Self, may_differ: MayDiffer) -> Option<Difference> {
        if may_differ.body {
            return None;
        }
        let (Some(mine), Some(other)) = (self.body, baseline.body) else {
            return Some((Severity::Note, message!("sizes-unknown")));
        };
        if self.is_chance(baseline, mine - other) {
            return None;
        }
        let both_vary =
            self.content() == Sameness::Varies && baseline.content() == Sameness::Varies;
        let least = if both_vary { SAME_VARYING } else { SAME };
        let (severity, share) = apart((mine, other), least)?;
        let (severity, remark) = self.remark_on_sizes(baseline, may_differ, severity);
        let seen = message!(
            "sizes-differ",
            target = self.target,
            bytes = Value::whole(mine),
            baseline = baseline.target,
            baseline_bytes = Value::whole(other),
            share = Value::Share(share),
            remark
        );
        Some((severity, seen))
    }

    /// The severity of a difference between body sizes, and a remark on its reason.
    fn remark_on_sizes(
        &self,
        baseline: &Self,
        may_differ: MayDiffer,
        severity: Severity,
    ) -> (Severity, Option<Message>) {
        match (self.encoded(baseline), self.decoded(baseline)) {
            (Some(encodings), Some(Decoded::Alike(how))) => {
                let remark = message!("by-compression", encodings, decoded = how);
                let is_permitted = may_differ.size || may_differ.headers;
                let severity = if is_permitted {
                    Severity::Note
                } else {
                    Severity::Suspect
                };
                (severity, Some(remark))
            }
            // `contents` judges the content.
            (_, Some(_)) if may_differ.size => (Severity::Note, Some(message!("permitted"))),
            (encodings, None) if may_differ.size => {
                let encodings = encodings.map(|encodings| message!("in-brackets", encodings));
                let remark = message!("permitted-not-compared", encodings);
                (Severity::Note, Some(remark))
            }
            (Some(encodings), None) => (severity, Some(message!("not-decoded", encodings))),
            _ => (severity, None),
        }
    }

    /// Compares the decoded content of bodies.
    pub(super) fn contents(&self, baseline: &Self, may_differ: MayDiffer) -> Option<Difference> {
        let Some(Decoded::Apart(how)) = self.decoded(baseline).filter(|_| !may_differ.body) else {
            return None;
        };
        // A page that shows the time differs too.
        let is_constant = self.is_always_the_same() && baseline.is_always_the_same();
        let has_same_words = || {
            let words = |side: &Self| side.expected?.words_crc64.clone();
            words(self)
                .zip(words(baseline))
                .is_some_and(|(one, two)| one == two)
        };
        let severity = if !is_constant && has_same_words() {
            Severity::Note
        } else {
            Severity::Suspect
        };
        let seen = message!(
            "contents-differ",
            target = self.target,
            baseline = baseline.target,
            how
        );
        Some((severity, seen))
    }

    /// A clause on the content encodings; `None` if no body has an encoding.
    fn encoded(&self, baseline: &Self) -> Option<Message> {
        let encoding = |side: &Self| {
            let name = side.expected?.encoding.as_deref()?;
            (!name.eq_ignore_ascii_case("identity")).then(|| name.to_owned())
        };
        let (mine, other) = (encoding(self), encoding(baseline));
        if mine.is_none() && other.is_none() {
            return None;
        }
        let named = |name: Option<String>| {
            let name = name.map(|name| tame(&name).into());
            name.unwrap_or_else(|| Value::word("none"))
        };
        Some(message!(
            "encodings",
            encoding = named(mine),
            baseline_encoding = named(other)
        ))
    }

    /// The result of comparing the decoded bodies; `None` if unknown.
    fn decoded(&self, baseline: &Self) -> Option<Decoded> {
        let (mine, other) = (self.expected?, baseline.expected?);
        let (a, b) = (mine.decoded_mean?, other.decoded_mean?);
        let is_same = |side: &ExpectedResponse| side.content == Sameness::Same;
        if is_same(mine)
            && is_same(other)
            && let (Some(one), Some(two)) = (&mine.decoded_crc64, &other.decoded_crc64)
        {
            return Some(if one == two {
                Decoded::Alike(message!("decoded-equal", bytes = Value::Plain(a)))
            } else if a == b {
                Decoded::Apart(message!("other-bytes", bytes = Value::Plain(a)))
            } else {
                Decoded::Apart(other_lengths(a, b))
            });
        }
        // Pages that vary between responses have no fixed content: compare sizes.
        let far = apart((a as f64, b as f64), SAME);
        let far = far.filter(|_| !self.is_chance(baseline, a as f64 - b as f64));
        Some(match far {
            None => Decoded::Alike(message!(
                "decoded-alike",
                bytes = Value::Plain(a),
                baseline_bytes = Value::Plain(b)
            )),
            Some(_) => Decoded::Apart(other_lengths(a, b)),
        })
    }
}

/// The result of comparing decoded bodies.
enum Decoded {
    Alike(Message),
    Apart(Message),
}

fn other_lengths(bytes: u64, baseline_bytes: u64) -> Message {
    message!(
        "other-lengths",
        bytes = Value::Plain(bytes),
        baseline_bytes = Value::Plain(baseline_bytes)
    )
}

/// The severity of a difference between two sizes, and the difference as a share of the larger
/// size; `None` for a small difference.
fn apart((mine, other): (f64, f64), least: f64) -> Option<(Severity, f64)> {
    let difference = (mine - other).abs();
    let share = difference / mine.max(other);
    if share > OTHER && difference > NO_TIME {
        Some((Severity::Invalid, share))
    } else if share > least {
        Some((Severity::Suspect, share))
    } else {
        None
    }
}
