//! Merges the results of several clients that ran at the same time.

use std::time::{Duration, UNIX_EPOCH};

use tenbin_record::rfc3339;
use tenbin_verdict::lint::Judged;

use super::{Imported, Operation, SECOND};

/// Two results count as measured at the same time if they overlap for at least this share of the
/// shorter result's time. Clients started by hand start seconds apart.
const AT_THE_SAME_TIME: f64 = 0.5;

impl Imported {
    /// Merges several results: the requests of all, over the time from the first start to the last
    /// end.
    ///
    /// # Errors
    /// One sentence if two results did not run at the same time: throughputs of different times
    /// cannot be added.
    pub fn merge(parts: impl IntoIterator<Item = Self>) -> Result<Self, String> {
        let mut parts = parts.into_iter().peekable();
        let first = parts.peek().ok_or("there is nothing to merge")?;
        let mut whole = Self {
            tool: first.tool,
            files: Vec::new(),
            command_line: None,
            operations: Vec::new(),
            caveats: Vec::new(),
            judged: None,
        };
        let mut stretches: Vec<Stretch> = Vec::new();
        for part in parts {
            let file = part.files.join(", ");
            for operation in &part.operations {
                let stretch = Stretch::of(&file, operation);
                let mut known = stretches.iter();
                if let Some(apart) = known.find(|known| known.is_apart(&stretch)) {
                    return Err(apart.refusal(&stretch));
                }
                stretches.push(stretch);
            }
            whole.add(part);
        }
        Ok(whole)
    }

    fn add(&mut self, part: Self) {
        // The worst run decides the trust in the whole.
        let trust = |judged: &Option<Judged>| judged.as_ref().map(|judged| judged.trust);
        if trust(&part.judged) > trust(&self.judged) {
            self.judged = part.judged;
        }
        self.files.extend(part.files);
        for operation in part.operations {
            let mut mine = self.operations.iter_mut();
            match mine.find(|own| own.name == operation.name) {
                Some(own) => own.add(operation),
                None => self.operations.push(operation),
            }
        }
        for caveat in part.caveats {
            if !self.caveats.contains(&caveat) {
                self.caveats.push(caveat);
            }
        }
    }
}

/// The period in which one operation of one result was measured.
struct Stretch {
    file: String,
    operation: String,
    /// Start and end, nanoseconds since 1970; `None` if unknown.
    between: Option<(i64, i64)>,
}

impl Stretch {
    fn of(file: &str, operation: &Operation) -> Self {
        let (start, end) = (operation.start, operation.end);
        Self {
            file: file.to_owned(),
            operation: operation.name.clone(),
            between: (start <= end).then_some((start, end)),
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
