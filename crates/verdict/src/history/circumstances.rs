//! What else is different between two runs.

use tenbin_result::{Circumstance, CircumstanceKind, KnownFact, RunFacts};

/// What begins the modification time in the description of a program.
const MODIFIED: &str = ", modified ";

/// What is known to differ between two runs: of the machine, of the run, of the target and of the
/// anchor. What is unknown in one of them is left out.
pub(super) fn changed(
    before: &RunFacts,
    after: &RunFacts,
    target: &str,
    anchor: Option<&str>,
) -> Vec<Circumstance> {
    let concerns = |known: &&KnownFact| {
        let of = known.of.as_deref();
        of.is_none() || of == Some(target) || of == anchor
    };
    let differs = |now: &KnownFact| {
        let mut earlier = before.circumstances.iter();
        let then = earlier.find(|it| it.what == now.what && it.of == now.of)?;
        let is_anchor = now.of.is_some() && now.of.as_deref() == anchor;
        let is_other = match now.what {
            // A copy of the anchor on another machine has another time.
            CircumstanceKind::Program if is_anchor => size(&then.value) != size(&now.value),
            _ => then.value != now.value,
        };
        is_other.then(|| Circumstance {
            what: now.what,
            of: now.of.clone(),
            before: then.value.clone(),
            after: now.value.clone(),
        })
    };
    let known = after.circumstances.iter().filter(concerns);
    let mut all: Vec<Circumstance> = known.filter_map(differs).collect();
    all.sort();
    all
}

/// A program without its path and its time.
fn size(program: &str) -> &str {
    let rest = program.rsplit_once(" (").map_or(program, |(_, rest)| rest);
    rest.split_once(MODIFIED).map_or(rest, |(size, _)| size)
}
