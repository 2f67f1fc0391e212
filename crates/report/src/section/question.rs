//! The question that a run answers, in one sentence.

use tenbin_result::{Document, Message, Value, message};

use crate::language::say;

/// Maximum number of targets or workloads named. With more workloads, the sentence states their
/// number; with more targets, how many are not named.
const NAMED: usize = 3;

/// The question that the run answers, in one sentence in the language of the document.
pub(crate) fn question(document: &Document) -> String {
    say(document, &asked(document))
}

fn asked(document: &Document) -> Message {
    let works = document.workloads.iter().map(|work| work.name.as_str());
    let works: Vec<&str> = works.collect();
    let twin = document.run.twin.as_deref();
    let targets = document.targets.iter().map(|target| target.name.as_str());
    let targets: Vec<&str> = targets.filter(|name| Some(*name) != twin).collect();
    let at = |question: Message| match works.len() {
        0 => question,
        1..=NAMED => message!(
            "question-at",
            question,
            workloads = listed(&works, Joint::And)
        ),
        count => message!(
            "question-at",
            question,
            workloads = message!("workloads", count)
        ),
    };
    let question = if let Some(search) = document.searches.first() {
        at(message!(
            "highest-rate",
            slo = &search.slo,
            targets = named(&targets, Joint::And)
        ))
    } else if let Some(families) = families(document, &works) {
        match targets.as_slice() {
            [only] => message!("connections-of-one", target = *only, families),
            several => message!(
                "connections-of-several",
                targets = named(several, Joint::Or),
                families
            ),
        }
    } else {
        match targets.as_slice() {
            [] => message!("what-was-measured"),
            [only] => at(message!("how-fast", target = *only)),
            several => at(message!(
                "which-is-faster",
                targets = named(several, Joint::Or)
            )),
        }
    };
    message!("question", question)
}

/// The names of the concurrency sweeps, if the run has no other workloads.
fn families(document: &Document, works: &[&str]) -> Option<Message> {
    let levels = document
        .concurrency_sweeps
        .iter()
        .flat_map(|sweep| &sweep.levels);
    let levels: Vec<&str> = levels.map(|level| level.workload.as_str()).collect();
    if levels.is_empty() || !works.iter().all(|work| levels.contains(work)) {
        return None;
    }
    let mut families: Vec<&str> = document
        .concurrency_sweeps
        .iter()
        .map(|it| &*it.family)
        .collect();
    families.sort_unstable();
    families.dedup();
    families.truncate(NAMED);
    Some(listed(&families, Joint::And))
}

/// The word before the last name of a list.
#[derive(Clone, Copy)]
enum Joint {
    And,
    Or,
}

fn named(targets: &[&str], joint: Joint) -> Message {
    if targets.len() <= NAMED {
        return listed(targets, joint);
    }
    let more = message!("more-targets", count = targets.len() + 1 - NAMED);
    list(&targets[..NAMED - 1], joint, more)
}

/// Joins names: `a`, `a and b`, `a, b and c`.
fn listed(names: &[&str], joint: Joint) -> Message {
    match names {
        [] => message!("text", text = ""),
        [only] => message!("text", text = *only),
        [before @ .., last] => list(before, joint, message!("text", text = *last)),
    }
}

fn list(names: &[&str], joint: Joint, last: Message) -> Message {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let joint = match joint {
        Joint::And => "and",
        Joint::Or => "or",
    };
    message!("list", names, joint = Value::Word(joint.to_owned()), last)
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
