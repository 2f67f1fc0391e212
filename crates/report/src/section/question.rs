//! The question that a run answers, in one sentence.

use tenbin_result::Document;
use tenbin_result::format::plural;

/// Maximum number of targets or workloads named. With more workloads, the sentence states their
/// number; with more targets, how many are not named.
const NAMED: usize = 3;

/// The question that the run answers, in one sentence.
pub(crate) fn question(document: &Document) -> String {
    let works = document.workloads.iter().map(|work| work.name.as_str());
    let works: Vec<&str> = works.collect();
    let twin = document.run.twin.as_deref();
    let targets = document.targets.iter().map(|target| target.name.as_str());
    let targets: Vec<&str> = targets.filter(|name| Some(*name) != twin).collect();
    let at = match works.len() {
        0 => String::new(),
        1..=NAMED => format!(" at {}", listed(&works, "and")),
        count => format!(" at {}", plural(count as u64, "workload")),
    };
    if let Some(search) = document.searches.first() {
        return format!(
            "What is the highest rate within {} of {}{at}?",
            search.slo,
            named(&targets, "and")
        );
    }
    let levels = document
        .capacities
        .iter()
        .flat_map(|capacity| &capacity.levels);
    let levels: Vec<&str> = levels.map(|level| level.workload.as_str()).collect();
    if !levels.is_empty() && works.iter().all(|work| levels.contains(work)) {
        let mut families: Vec<&str> = document.capacities.iter().map(|it| &*it.family).collect();
        families.sort_unstable();
        families.dedup();
        families.truncate(NAMED);
        let families = listed(&families, "and");
        return match targets.as_slice() {
            [only] => format!("How many connections suit {only} at {families}?"),
            several => format!(
                "Which is faster, {}, and how many connections suit each at {families}?",
                named(several, "or")
            ),
        };
    }
    match targets.as_slice() {
        [] => "What was measured?".to_owned(),
        [only] => format!("How fast is {only}{at}?"),
        several => format!("Which is faster, {}{at}?", named(several, "or")),
    }
}

fn named(targets: &[&str], word: &str) -> String {
    match targets.len() {
        0..=NAMED => listed(targets, word),
        count => format!(
            "{} {word} {} more",
            targets[..NAMED - 1].join(", "),
            count + 1 - NAMED
        ),
    }
}

/// Joins names, with `word` before the last: `a`, `a and b`, `a, b and c`.
fn listed(names: &[&str], word: &str) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [before @ .., last] => format!("{} {word} {last}", before.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> Document {
        let pair = include_bytes!("../../tests/documents/pair.json");
        tenbin_result::document_from_json(pair).expect("a document")
    }

    #[test]
    fn a_run_asks_what_its_targets_and_workloads_ask() {
        let mut document = pair();
        let both = "Which is faster, memory or durable at put-1KiB and get-1KiB?";
        assert_eq!(question(&document), both);
        document.run.twin = Some("durable".to_owned());
        document.workloads.truncate(1);
        assert_eq!(question(&document), "How fast is memory at put-1KiB?");
        let mut many = pair();
        let target = many.targets[0].clone();
        many.targets
            .extend(["c", "d", "e"].map(|name| tenbin_result::Target {
                name: name.to_owned(),
                ..target.clone()
            }));
        let workload = many.workloads[0].clone();
        many.workloads.resize(7, workload);
        let asked = "Which is faster, memory, durable or 3 more at 7 workloads?";
        assert_eq!(question(&many), asked);
    }
}
