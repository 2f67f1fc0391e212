//! Plain HTTP requests: one repeated request, or requests drawn from patterns.

mod checks;
mod error_message;
mod head;
mod patterns;
mod repeated;
mod responses;

use tenbin_plan::{self as plan, Sentence, WorkloadKind, sentence};

use crate::error::WorkloadError;
use crate::kind::Kind;
use crate::prepared::Prepared;
use crate::site::Site;

/// A note about a workload.
fn of_workload(workload: &str, note: Sentence) -> Sentence {
    let named = sentence!(
        "of-workload",
        "workload \"{workload}\": {text}",
        workload,
        text = note
    );
    named.with_part("text", [note])
}

/// The workload kind `http`.
#[derive(Debug, Clone, Copy)]
pub struct Http;

impl Kind for Http {
    fn name(&self) -> &'static str {
        "http"
    }

    fn summary(&self) -> &'static str {
        "plain HTTP requests: one repeated request, or requests drawn from a file of patterns"
    }

    fn prepare(
        &self,
        work: &plan::Workload,
        target: &Site,
        seed: u64,
        threads: usize,
    ) -> Result<Box<dyn Prepared>, WorkloadError> {
        let WorkloadKind::Http(http) = &work.kind else {
            return Err(WorkloadError::no_kind(work));
        };
        let workers = threads.min(work.load.connections).max(1);
        match &http.patterns {
            None => repeated::prepare(work, http, target, workers),
            Some(patterns) => patterns::prepare(work, http, patterns, target, seed, workers),
        }
    }
}
