//! Warnings and notes about a plan before it runs.

use std::time::Duration;

use tenbin_plan::duration::Time;
use tenbin_plan::size::Size;
use tenbin_plan::{Patterns, Plan, Sentence, grouped, hypotheses_within, sentence};
use tenbin_result::Language;
use tenbin_stats::CONFIDENCE;
use tenbin_verdict::template_in;

use self::gate::budget_of_gate;
use crate::language::language;

mod gate;

/// Smallest part size that S3 accepts for all parts but the last, in bytes (Amazon S3 user guide,
/// "Multipart upload limits").
const SMALLEST_PART: u64 = 5 << 20;

/// Shortest slice to suggest: shorter slices consist mostly of settling time.
const SHORT_SLICE: Duration = Duration::from_millis(250);

/// A warning or note about a plan.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Caution {
    /// The run cannot reach its purpose.
    Warning(Sentence),
    /// The run can reach its purpose.
    Note(Sentence),
}

/// The warnings and notes about a plan, one sentence each.
pub(crate) fn cautions(plan: &Plan) -> Vec<Caution> {
    let rounds = too_few_rounds(plan).map(Caution::Warning);
    let gate = budget_of_gate(plan);
    let literals = literal_templates(plan).map(Caution::Warning);
    let rounded = rounded_up(plan).map(Caution::Note);
    let parts = small_parts(plan).map(Caution::Note);
    let containers = unobserved_containers(plan).map(Caution::Note);
    let warnings = rounds.into_iter().chain(literals);
    let patterns = read_patterns(plan).map(Caution::Note);
    let notes = rounded
        .into_iter()
        .chain(parts)
        .chain(containers)
        .chain(patterns);
    warnings.chain(gate).chain(notes).collect()
}

/// A warning for each text in a request that looks like a template of another tool.
fn literal_templates(plan: &Plan) -> impl Iterator<Item = Sentence> {
    plan.literal_templates()
        .into_iter()
        .map(|(workload, found)| {
            let [part, remedy] = template_in(&found, Language::English);
            let warning = sentence!(
                "literal-template",
                "{workload:?}: {part} contains {text:?}, which looks like a template and is sent \
                 literally → {remedy}",
                workload,
                part,
                text = found.text,
                remedy
            );
            let [part, remedy] = template_in(&found, language());
            warning.with("part", part).with("remedy", remedy)
        })
}

/// A note on each file of requests: how many different requests were read.
fn read_patterns(plan: &Plan) -> impl Iterator<Item = Sentence> {
    let mut files: Vec<&Patterns> = Vec::new();
    for patterns in plan.workloads.iter().filter_map(|it| it.patterns()) {
        let is_known = files.iter().any(|known| known.path == patterns.path);
        // Requests that are generated are read later.
        if !is_known && !patterns.set.is_empty() {
            files.push(patterns);
        }
    }
    files.into_iter().map(|patterns| {
        sentence!(
            "patterns-read",
            "{file}: requests read: {all}; different requests: {different}",
            file = patterns.path.display(),
            all = grouped(patterns.set.sequence().len() as u64),
            different = grouped(patterns.set.len() as u64)
        )
    })
}

/// A note if the requested number of rounds was rounded up to a multiple of the balanced order.
fn rounded_up(plan: &Plan) -> Option<Sentence> {
    let (asked, count) = (plan.rounds.asked?, plan.rounds.count);
    let each = plan.rounds_per_block();
    let design = match plan.targets.len() {
        _ if !plan.comparing.workloads.is_empty() => sentence!(
            "order-of-workloads",
            "the balanced order of the compared workloads takes {each} rounds",
            each
        ),
        2 => sentence!(
            "order-of-pair",
            "the balanced order of two targets, A B B A, takes 2 rounds"
        ),
        targets => {
            let twin = match plan.twin() {
                Some(_) => ", the twin of --aa included,",
                None => "",
            };
            let order = sentence!(
                "order-of-targets",
                "the balanced order of {targets} targets{twin} takes {each} rounds",
                targets,
                twin,
                each
            );
            order.with("twin", plan.twin().is_some())
        }
    };
    let rounded = sentence!(
        "rounds-rounded-up",
        "{count} rounds instead of {asked}: {design}, and a run measures multiples of {each} rounds",
        count,
        asked,
        design,
        each
    );
    Some(rounded.with_part("design", [design]))
}

/// A warning if the rounds are too few to show any difference, however large.
fn too_few_rounds(plan: &Plan) -> Option<Sentence> {
    let needed = plan.fewest_rounds().filter(|_| plan.gate.is_none())?;
    let questions = plan.hypotheses();
    let each = plan.rounds_per_block();
    let rounds = plan.rounds.most();
    if rounds / each >= needed / each {
        return None;
    }
    let among = match questions {
        1 => String::new(),
        several => format!(" for {several} comparisons"),
    };
    let offers = shorter(plan, rounds, needed);
    let offered: String = offers.iter().map(Sentence::text).collect();
    let too_few = sentence!(
        "too-few-rounds",
        "no difference can be shown with --rounds {rounds}: at {confidence} % confidence the \
         signed-rank test needs {needed} rounds{among} → use --rounds {needed} or more (about \
         {time}){offers}",
        rounds,
        confidence = format!("{:.0}", CONFIDENCE * 100.0),
        among,
        needed,
        time = Time::rounded(plan.lasting(needed)),
        offers = offered
    );
    let too_few = too_few.with("questions", questions);
    Some(too_few.with_part("offers", chained(offers)))
}

/// Suggests changes of the plan with which its duration is enough for a verdict.
fn shorter(plan: &Plan, rounds: u32, needed: u32) -> Vec<Sentence> {
    let mut offers = Vec::new();
    let slice = plan
        .rounds
        .slice
        .mul_f64(f64::from(rounds) / f64::from(needed));
    let millis = slice.as_millis() / 50 * 50;
    let slice = Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX));
    let in_time = plan
        .workloads
        .iter()
        .all(|work| work.load.requests.is_none());
    if in_time && slice >= SHORT_SLICE {
        offers.push(sentence!(
            "or-keep-time",
            "; or keep the time, with --rounds {needed} --slice {slice}",
            needed,
            slice = Time(slice)
        ));
    }
    let most = hypotheses_within(rounds / plan.rounds_per_block());
    if most > 0 {
        let questions = if most == 1 {
            "1 comparison"
        } else {
            &format!("{most} comparisons")
        };
        let less = sentence!(
            "or-compare-less",
            "; or compare less: at most {questions} in these rounds (a comparison is one workload on \
             one target other than the baseline; the levels of a sweep are one comparison)",
            questions
        );
        offers.push(less.with("questions", most));
    } else if plan.twin().is_some() {
        offers.push(sentence!(
            "or-without-twin",
            "; or leave out the twin (--aa)"
        ));
    }
    offers
}

/// Offers one after the other, as one sentence.
fn chained(offers: Vec<Sentence>) -> Option<Sentence> {
    offers.into_iter().reduce(|first, next| {
        let both = sentence!("chain", "{first}{next}", first, next);
        both.with_part("first", [first]).with_part("next", [next])
    })
}

fn small_parts(plan: &Plan) -> Option<Sentence> {
    plan.workloads.iter().find_map(|workload| {
        let facts = workload.facts();
        let part = facts.part_bytes()?;
        let is_cut = facts.sizes().is_some_and(|sizes| sizes.typical() > part);
        (part < SMALLEST_PART && is_cut).then(|| {
            sentence!(
                "small-parts",
                "{workload:?} has parts of {part}, but most servers refuse parts below {smallest}, except \
                 the last",
                workload = workload.name,
                part = Size(part),
                smallest = Size(SMALLEST_PART)
            )
        })
    })
}

/// A note for each container whose server is not observed.
fn unobserved_containers(plan: &Plan) -> impl Iterator<Item = Sentence> {
    plan.targets.iter().filter_map(|target| {
        let client = target.unobserved_container()?;
        Some(sentence!(
            "container-unobserved",
            "{client} does not start the server of target {name:?} itself, so its CPU time and memory \
             are unknown and count as those of other programs → add --observe {name}=name:PROGRAM \
             with the program of the server",
            client,
            name = target.name
        ))
    })
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{Context, Draft};

    use super::*;

    fn said(rounds: u32, targets: u32, workload: &str, workloads: u32) -> Vec<String> {
        let rounds = format!("[rounds]\ncount = {rounds}\n");
        let found = cautions(&plan(&rounds, targets, workload, workloads));
        let texts = found.iter().map(|caution| match caution {
            Caution::Warning(warning) => format!("warning: {warning}"),
            Caution::Note(note) => format!("note: {note}"),
        });
        texts.collect()
    }

    fn plan(rounds: &str, targets: u32, workload: &str, workloads: u32) -> Plan {
        let mut text = rounds.to_owned();
        for at in 0..targets {
            text += &format!("[[target]]\nname = \"t{at}\"\nbuiltin = \"s3-memory\"\n");
        }
        for at in 0..workloads {
            text += &format!("[[workload]]\nname = \"w{at}\"\nkind = \"s3\"\n{workload}\n");
        }
        let draft = Draft::from_toml(&text, std::path::Path::new("plan.toml"));
        draft
            .unwrap()
            .resolve(&mut Context::of_this_process().unwrap())
            .unwrap()
    }

    #[test]
    fn too_few_rounds_for_a_verdict_are_a_warning() {
        let put = "operation = \"put\"";
        let warning = |text: &str| [format!("warning: {text}")];
        assert_eq!(
            said(8, 2, put, 1),
            warning(
                "no difference can be shown with --rounds 8: at \
                 95 % confidence the signed-rank test needs 12 rounds → use --rounds 12 or more (about \
                 1m6s); or keep the time, with --rounds 12 --slice 1.3s"
            )
        );
        assert_eq!(said(12, 2, put, 1), [""; 0]);
        assert_eq!(
            said(12, 2, put, 4),
            warning(
                "no difference can be shown with --rounds 12: at \
                 95 % confidence the signed-rank test needs 16 rounds for 4 comparisons → use \
                 --rounds 16 or more (about 6m43s); or keep the time, with --rounds 16 --slice 1.5s; \
                 or compare less: at most 1 comparison in these rounds (a comparison is one workload on one \
                 target other than the baseline; the levels of a sweep are one comparison)"
            )
        );
        assert_eq!(said(16, 2, put, 4), [""; 0]);
        assert_eq!(said(1, 1, put, 4), [""; 0], "nothing is compared");
    }

    #[test]
    fn the_default_rounds_can_show_a_difference() {
        for targets in 2..5 {
            for workloads in [1, 4, 11] {
                let plan = plan("", targets, "operation = \"put\"", workloads);
                assert_eq!(
                    cautions(&plan),
                    [],
                    "{targets} targets, {workloads} workloads"
                );
            }
        }
    }

    #[test]
    fn a_sweep_is_one_comparison_per_target() {
        let ramp = "operation = \"put\"\nload = { ramp = \"1,2,3,4,6,8,12,16,24,32,64\" }";
        let sweep = plan("", 4, ramp, 1);
        assert_eq!((sweep.workloads.len(), sweep.rounds.count), (11, 28));
        assert_eq!(cautions(&sweep), []);
    }

    #[test]
    fn rounds_that_are_not_whole_blocks_are_rounded_up_with_a_note() {
        let put = "operation = \"put\"";
        let with_twin = plan(
            "aa = true\n[rounds]\ncount = 16\nslice = \"2s\"\n",
            2,
            put,
            1,
        );
        let found = cautions(&with_twin);
        let [Caution::Warning(warning), Caution::Note(note)] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert!(
            warning.text().contains("use --rounds 36 or more")
                && warning.text().contains("leave out the twin"),
            "{warning}"
        );
        assert_eq!(
            note.text(),
            "18 rounds instead of 16: the balanced order of 3 targets, the twin of --aa included, takes \
             6 rounds, and a run measures multiples of 6 rounds"
        );
        let whole = plan("[rounds]\ncount = 16\n", 2, put, 1);
        assert_eq!(cautions(&whole), []);
    }

    #[test]
    fn a_template_that_is_sent_as_it_is_is_a_warning() {
        let said = |url: &str, work: &str| {
            let text = format!(
                "[[target]]\nurl = \"http://127.0.0.1:8080{url}\"\n[[workload]]\nkind = \"http\"\n{work}"
            );
            let draft = Draft::from_toml(&text, std::path::Path::new("plan.toml")).unwrap();
            let plan = draft.resolve(&mut Context::of_this_process().unwrap());
            cautions(&plan.unwrap())
        };
        let warned = |url: &str, work: &str, words: &[&str]| {
            let found = said(url, work);
            let [Caution::Warning(warning)] = found.as_slice() else {
                panic!("{url} {work}: {found:?}");
            };
            for word in words {
                assert!(warning.text().contains(word), "{warning}");
            }
        };
        let path = "path = '/json?x={random}'";
        warned(
            "/",
            path,
            &["the path contains \"{random}\"", "--patterns FILE"],
        );
        warned(
            "/json?x={random}",
            "",
            &["the URL of target", "\"{random}\""],
        );
        warned("/items/{id}", "", &["the URL of target", "\"{id}\""]);
        warned(
            "/",
            "headers = ['X-Id: ${ID}']",
            &["header \"X-Id\"", "{env:NAME}"],
        );
        warned("/", "body = '{\"id\":{random}}'", &["the body"]);
        warned("/", "body = '@file.json'", &["--body-file FILE"]);
        let levels = "path = '/{id}'\nload = { connections = '1,2,4' }";
        warned("/", levels, &["\"{id}\""]);
        assert_eq!(said("/", "body = '{\"query\":{\"match_all\":{}}}'"), []);
        assert_eq!(said("/", "headers = ['X-Id: {env:PATH}']"), []);
    }

    #[test]
    fn parts_that_most_servers_refuse_are_a_note() {
        let parts = |size: &str| {
            let work = format!("operation = \"multipart\"\nsize = \"16MiB\"\npart_size = {size:?}");
            said(6, 1, &work, 1)
        };
        assert_eq!(parts("5MiB"), [""; 0]);
        let note = "\"w0\" has parts of 1MiB, but most servers refuse parts below 5MiB, except the \
                    last";
        assert_eq!(parts("1MiB"), [format!("note: {note}")]);
    }
}
