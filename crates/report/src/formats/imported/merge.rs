//! Merges the results of several clients that ran at the same time.

use std::time::{Duration, UNIX_EPOCH};

use hdrhistogram::Histogram;
use tenbin_record::rfc3339;
use tenbin_verdict::lint::{Judged, Measurement, Reported, SECOND, Said};

use super::{add_windows, unquoted, with_figures};

/// Two results count as measured at the same time if they overlap for at least this share of the
/// shorter result's time. Clients started by hand start seconds apart.
const AT_THE_SAME_TIME: f64 = 0.5;

/// Merges several results: the requests of all, over the time from the first start to the last end.
///
/// # Errors
/// One sentence if two results did not run at the same time: throughputs of different times cannot
/// be added.
pub fn merge(parts: impl IntoIterator<Item = Reported>) -> Result<Reported, String> {
    let mut parts = parts.into_iter().peekable();
    let first = parts.peek().ok_or("there is nothing to merge")?;
    let mut whole = Reported {
        tool: first.tool,
        ..Reported::default()
    };
    let mut stretches: Vec<Stretch> = Vec::new();
    for part in parts {
        let file = part.file();
        for of in &part.measurements {
            let stretch = Stretch::of(&file, of);
            let mut known = stretches.iter();
            if let Some(apart) = known.find(|known| known.is_apart(&stretch)) {
                return Err(apart.refusal(&stretch));
            }
            stretches.push(stretch);
        }
        add_result(&mut whole, part);
    }
    Ok(whole)
}

fn add_result(whole: &mut Reported, part: Reported) {
    // The worst run decides the trust in the whole.
    let trust = |judged: &Option<Judged>| judged.as_ref().map(|judged| judged.trust);
    if trust(&part.judged) > trust(&whole.judged) {
        whole.judged = part.judged;
    }
    whole.files.extend(part.files);
    for other in part.measurements {
        let mut all = whole.measurements.iter_mut();
        match all.find(|own| own.name() == other.name()) {
            Some(own) => *own = added(std::mem::take(own), other),
            None => whole.measurements.push(other),
        }
    }
    for caveat in part.caveats {
        if !whole.caveats.contains(&caveat) {
            whole.caveats.push(caveat);
        }
    }
}

/// The requests of both measurements, which were made at the same time.
fn added(mut own: Measurement, other: Measurement) -> Measurement {
    own.ended = both(own.ended, &other.ended);
    own.connections = both(own.connections, &other.connections);
    own.bytes = own
        .bytes
        .zip(other.bytes)
        .and_then(|(own, other)| own.checked_add(other));
    // Measured at the same time: the longer of the two times counts.
    let longer = |one: Said<_>, other: Said<_>| {
        let is_longer = |of: &Said<tenbin_verdict::lint::Range>| of.value.middle();
        if is_longer(&one) < is_longer(&other) {
            other
        } else {
            one
        }
    };
    own.seconds = match (own.seconds.take(), other.seconds.clone()) {
        (Some(one), Some(other)) => Some(longer(one, other)),
        (one, other) => one.or(other),
    };
    for failed in &other.failures {
        match own.failures.iter_mut().find(|own| own.what == failed.what) {
            Some(own) => own.count = own.count.saturating_add(failed.count),
            None => own.failures.push(failed.clone()),
        }
    }
    add_times(&mut own, &other);
    if let (Some(mine), Some(theirs)) = (&mut own.listed, &other.listed) {
        mine.objects = mine
            .objects
            .zip(theirs.objects)
            .and_then(|(own, other)| own.checked_add(other));
        theirs.span.into_iter().for_each(|span| mine.extend(span));
        mine.rounding.times = mine.rounding.times.max(theirs.rounding.times);
        mine.rounding.clock = mine.rounding.clock.max(theirs.rounding.clock);
        mine.first_byte = sum(mine.first_byte.take(), theirs.first_byte.as_ref());
        mine.known_seconds = match (mine.known_seconds, theirs.known_seconds) {
            (Some(own), Some(others)) => Some((own.0.min(others.0), own.1.max(others.1))),
            (one, other) => one.or(other),
        };
        for (second, part) in &theirs.seconds {
            mine.add_second(*second, *part);
        }
        for (text, count) in &theirs.failures {
            mine.add_failure(text, *count);
        }
    }
    with_figures(own)
}

/// Adds the times of `other`: exact if both have the time of every request, and unknown if either
/// has none.
fn add_times(own: &mut Measurement, other: &Measurement) {
    let theirs = other
        .listed
        .as_ref()
        .and_then(|listed| listed.times.as_ref());
    let mine = own.listed.as_mut().and_then(|listed| listed.times.take());
    let is_list = mine.is_some() && theirs.is_some();
    if let Some(listed) = &mut own.listed {
        listed.times = sum(mine, theirs);
    }
    if is_list || other.samples == Some(0) {
        return;
    }
    if own.samples == Some(0) {
        own.min = other.min.clone();
        own.mean = other.mean.clone();
        own.max = other.max.clone();
        own.percentiles = other.percentiles.clone();
        (own.samples, own.windows) = (other.samples, other.windows.clone());
    } else if own.mean.is_some() && other.mean.is_some() {
        add_windows(own, other);
    } else {
        (own.min, own.mean, own.max) = (None, None, None);
        own.percentiles.clear();
    }
}

/// The sum of two histograms; unknown if either is unknown.
fn sum(one: Option<Histogram<u64>>, other: Option<&Histogram<u64>>) -> Option<Histogram<u64>> {
    let (mut sum, part) = (one?, other?);
    sum.auto(true);
    sum.add(part)
        .expect("a histogram that resizes itself takes any other");
    Some(sum)
}

/// The sum of two counts; unknown if either is unknown.
fn both(one: Option<Said<u64>>, other: &Option<Said<u64>>) -> Option<Said<u64>> {
    one?.value.checked_add(other.as_ref()?.value).map(unquoted)
}

/// The period in which one operation of one result was measured.
struct Stretch {
    file: String,
    operation: String,
    /// Start and end, nanoseconds since 1970; `None` if unknown.
    between: Option<(i64, i64)>,
}

impl Stretch {
    fn of(file: &str, of: &Measurement) -> Self {
        Self {
            file: file.to_owned(),
            operation: of.name(),
            between: of.listed.as_ref().and_then(|listed| listed.span),
        }
    }

    /// Whether two periods belong to the same operation but were not provably measured at the same
    /// time.
    fn is_apart(&self, other: &Self) -> bool {
        self.operation == other.operation && !self.is_together(other).unwrap_or(false)
    }

    fn is_together(&self, other: &Self) -> Option<bool> {
        let ((a_start, a_end), (b_start, b_end)) = self.between.zip(other.between)?;
        let length = |start: i64, end: i64| end as f64 - start as f64;
        let common = length(a_start.max(b_start), a_end.min(b_end));
        let shorter = length(a_start, a_end).min(length(b_start, b_end));
        Some(common >= AT_THE_SAME_TIME * shorter)
    }

    fn refusal(&self, other: &Self) -> String {
        let shown = |stretch: &Self| {
            let when = stretch.between.map_or_else(
                || "at an unknown time".to_owned(),
                |(start, end)| format!("from {} to {}", clock(start), clock(end)),
            );
            format!("{} {when}", stretch.file)
        };
        format!(
            "the results did not run {} at the same time ({}; {}), and throughputs of different \
             times do not add up; show them one by one with analyze, or one against the other with \
             cmp",
            self.operation,
            shown(self),
            shown(other)
        )
    }
}

/// Formats a time for display, to the second.
fn clock(nanoseconds: i64) -> String {
    let seconds = u64::try_from(nanoseconds / SECOND).unwrap_or(0);
    rfc3339(UNIX_EPOCH + Duration::from_secs(seconds))
}
