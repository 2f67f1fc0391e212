//! The comparison of two runs in a few lines: the answer, the table and one next step.

use tenbin_result::format::ratio_interval;
use tenbin_result::{
    Doubt, Earlier, EarlierChange, EarlierOutcome, EarlierPart, Language, Message, Trust, Value,
    Withheld, message,
};
use tenbin_verdict::lint::LINT_RULES;

use super::table;
use super::words::{beyond, of_doubts, reason, remarks};
use crate::block::Block;
use crate::formats::shown;
use crate::language::{clauses, say_in};

/// Most changes that the answer names for each outcome.
const MOST_NAMED: usize = 3;

/// The outcomes in the order of the answer.
const OUTCOMES: [EarlierOutcome; 9] = [
    EarlierOutcome::Slower,
    EarlierOutcome::Faster,
    EarlierOutcome::Equivalent,
    EarlierOutcome::Differs,
    EarlierOutcome::Drift,
    EarlierOutcome::CannotTell,
    EarlierOutcome::TooFew,
    EarlierOutcome::NoRatio,
    EarlierOutcome::NoVerdict,
];

/// The short form: the answer, the table, one next step, and where the rest is.
pub(crate) fn brief_of(earlier: &Earlier, language: Language) -> Vec<Block> {
    let invalid = count_invalid(earlier);
    let mut blocks: Vec<Block> = of_doubts(earlier, language)
        .iter()
        .take(invalid)
        .map(|doubt| Block::sentence(doubt))
        .collect();
    blocks.extend(answer(earlier, language));
    blocks.extend(table(earlier, language));
    blocks.extend(next_step(earlier, language));
    let rest = message!(
        "compare-rest",
        before = earlier.before.as_str(),
        after = earlier.after.as_str(),
        notes = remarks(earlier, language).len() + earlier.doubts.len() - invalid
    );
    blocks.push(Block::sentence(&say_in(language, &rest)));
    blocks
}

/// What the comparison shows, in one sentence. `None` if a run is INVALID, because the sentence about
/// that run is the answer.
pub(crate) fn answer(earlier: &Earlier, language: Language) -> Option<Block> {
    if count_invalid(earlier) > 0 {
        return None;
    }
    let tested = tested(earlier);
    let has_several = tested.iter().any(|one| one.target != tested[0].target);
    let mut parts = OUTCOMES.iter().filter_map(|outcome| {
        let mut all = tested.iter().copied();
        let first = all.find(|each| each.change == *outcome)?;
        let same: Vec<&EarlierChange> = std::iter::once(first)
            .chain(all.filter(|each| each.change == *outcome))
            .collect();
        Some(message!(
            "compare-answer",
            outcome = Value::word(kind(*outcome)),
            names = names(&same, has_several),
            figure = figure(&same),
            why = why(earlier, *outcome, language)
        ))
    });
    let answer = match parts.next() {
        Some(first) => clauses(first, parts),
        None => message!("compare-only-controls"),
    };
    Some(Block::sentence(&say_in(language, &answer)))
}

/// What to do next; `None` if every change has a verdict.
pub(crate) fn next_step(earlier: &Earlier, language: Language) -> Option<Block> {
    let is_open = tested(earlier)
        .iter()
        .any(|each| each.change.is_undecided());
    let is_unjudged = earlier
        .withheld
        .iter()
        .any(|why| matches!(why, Withheld::Unjudged(_)));
    let step = match earlier.doubts.first() {
        Some(doubt) => {
            let step = if is_found_by_lint(doubt) {
                "lint"
            } else {
                "repeat"
            };
            message!(
                "compare-next",
                step = Value::word(step),
                name = doubt.name.as_str()
            )
        }
        None if !is_open => return None,
        None => {
            let step = if is_unjudged { "tenbin" } else { "together" };
            message!("compare-next", step = Value::word(step), name = "")
        }
    };
    Some(Block::sentence(&say_in(language, &step)))
}

/// Whether `tenbin lint` prints the reason: a rule about files of other tools found it in a file that
/// can be read again.
fn is_found_by_lint(doubt: &Doubt) -> bool {
    let is_of_file = doubt.finding.is_none() && doubt.data.is_none();
    let has_path = doubt.name != shown("-");
    let rule = doubt.why.split(':').next();
    let mut rules = LINT_RULES.iter();
    is_of_file && has_path && rules.any(|known| Some(known.info.name) == rule)
}

/// Number of the INVALID runs, whose doubts come first.
fn count_invalid(earlier: &Earlier) -> usize {
    let doubts = earlier.doubts.iter();
    doubts.filter(|it| it.trust == Trust::Invalid).count()
}

/// The changes that the answer is about: those of speeds and times; without any, those of other
/// figures.
fn tested(earlier: &Earlier) -> Vec<&EarlierChange> {
    let changes = earlier.changes.iter();
    let mut tested: Vec<&EarlierChange> = changes
        .filter(|each| each.part != EarlierPart::Control)
        .collect();
    if tested.iter().any(|each| each.unit.is_none()) {
        tested.retain(|each| each.unit.is_none());
    }
    tested
}

/// Names of the changes, with the targets if there are several.
fn names(changes: &[&EarlierChange], with_target: bool) -> Vec<String> {
    let name = |each: &&EarlierChange| match each.target.as_ref().filter(|_| with_target) {
        Some(target) => format!("{} ({target})", each.workload),
        None => each.workload.clone(),
    };
    let mut names: Vec<String> = changes.iter().take(MOST_NAMED).map(name).collect();
    names.dedup();
    names.extend((changes.len() > MOST_NAMED).then(|| "…".to_owned()));
    names
}

/// The ratio that decides, if there is one change and it is one of speed.
fn figure(changes: &[&EarlierChange]) -> Option<Message> {
    let [only] = changes else {
        return None;
    };
    let found = only.divided.or(only.ratio);
    let found = found.filter(|_| only.unit.is_none())?;
    Some(message!(
        "compare-figure",
        ratio = Value::Ratio(found.value),
        interval = ratio_interval(Some(found))
    ))
}

/// The word that selects the sentence about an outcome.
fn kind(outcome: EarlierOutcome) -> &'static str {
    match outcome {
        EarlierOutcome::Faster => "faster",
        EarlierOutcome::Slower => "slower",
        EarlierOutcome::Equivalent => "equivalent",
        EarlierOutcome::Differs => "differs",
        _ => "unknown",
    }
}

/// Why there is no other outcome.
fn why(earlier: &Earlier, outcome: EarlierOutcome, language: Language) -> Message {
    let of = |kind: &str| message!("compare-why", kind = Value::word(kind));
    match outcome {
        EarlierOutcome::Drift => of("drift"),
        EarlierOutcome::CannotTell => of("open"),
        EarlierOutcome::NoRatio => of("zero"),
        EarlierOutcome::TooFew => withheld(earlier, language).unwrap_or_else(|| of("few")),
        EarlierOutcome::NoVerdict => withheld(earlier, language).unwrap_or_else(|| of("work")),
        _ => withheld(earlier, language).unwrap_or_else(|| of("control")),
    }
}

/// Why no change can be attributed: a run that is not VALID, files of other tools, or a control.
fn withheld(earlier: &Earlier, language: Language) -> Option<Message> {
    if let Some(doubt) = earlier.doubts.first() {
        return Some(message!(
            "compare-doubt",
            name = doubt.name.as_str(),
            trust = doubt.trust.word(),
            why = reason(doubt, language)
        ));
    }
    let files = earlier.withheld.iter().filter_map(|why| match why {
        Withheld::Unjudged(name) => Some(name.clone()),
        Withheld::NotValid(_) | Withheld::ControlMoved { .. } => None,
    });
    let files: Vec<String> = files.collect();
    if !files.is_empty() {
        let count = files.len();
        return Some(message!("compare-unjudged", count, files));
    }
    earlier.withheld.iter().find_map(|why| match why {
        Withheld::ControlMoved { ratio, limit } => Some(message!(
            "compare-control-moved",
            moved = beyond(*ratio, *limit),
            limit = Value::Typed(*limit)
        )),
        Withheld::NotValid(_) | Withheld::Unjudged(_) => None,
    })
}
