//! What the comparisons come to in plain words, below the table of results.

use tenbin_result::{
    Decider, Document, Known, Language, Message, PlainAnswer, Trust, Undecided, Value, message,
};
use tenbin_verdict::said_plainly;

use crate::block::{Block, Look, Text};
use crate::language::{say, text};

/// Most answers that are printed one by one; more are counted.
const ONE_BY_ONE: usize = 3;
/// Most undecided workloads that are named.
const NAMED: usize = 4;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let answers = document.plain_answers.iter();
    let answers: Vec<&PlainAnswer> = answers.filter(|it| still_holds(document, it)).collect();
    match answers.as_slice() {
        [] => Vec::new(),
        few if few.len() <= ONE_BY_ONE => {
            let each = few.iter().map(|answer| one(document, answer));
            vec![Block::List(each.collect())]
        }
        many => vec![Block::Paragraph(counted(document, many))],
    }
}

/// Whether no finding that became known after the assessment makes the figures unusable.
fn still_holds(document: &Document, answer: &PlainAnswer) -> bool {
    let untrusted = Known::Undecided {
        because: Undecided::Untrusted,
    };
    let mut figures = answer.figures.iter();
    if figures.any(|figure| figure.known == untrusted) {
        return true;
    }
    let mut compared = document.questions();
    let found = compared.find(|it| {
        (&it.workload, &it.baseline, &it.challenger)
            == (&answer.workload, &answer.baseline, &answer.challenger)
    });
    found.is_some_and(|it| it.trust != Trust::Invalid)
}

/// The sentence of an answer, and what would decide what is undecided.
fn one(document: &Document, answer: &PlainAnswer) -> Text {
    let (sentence, advice) = said_plainly(answer, document.language);
    let line = message!(
        "in-words-line",
        is_only = document.workloads.len() == 1,
        workload = &answer.workload,
        sentence,
        is_decided = advice.is_none(),
        advice = advice.unwrap_or_default()
    );
    labelled(document, &line)
}

fn labelled(document: &Document, line: &Message) -> Text {
    let word = Text::default().and(Look::Strong, text(document, "in words"));
    word.and(Look::Plain, say(document, line))
}

/// How many answers are a difference, how many the same, and which are undecided.
fn counted(document: &Document, answers: &[&PlainAnswer]) -> Text {
    let count = |is: fn(&Known) -> bool| answers.iter().filter(|it| is(leading(it))).count();
    let undecided = answers
        .iter()
        .filter(|it| matches!(leading(it), Known::Undecided { .. }));
    let undecided: Vec<&PlainAnswer> = undecided.copied().collect();
    let names = undecided.iter().take(NAMED).map(|it| named(document, it));
    // The answer that needs most says what would decide all.
    let advice = undecided
        .iter()
        .filter(|it| it.advice.is_some())
        .max_by_key(|it| rounds(it));
    let advice = advice.and_then(|it| said_plainly(it, document.language).1);
    let line = message!(
        "in-words-counted",
        all = answers.len(),
        differ = count(|known| *known == Known::Differs),
        same = count(|known| matches!(known, Known::Same { .. })),
        undecided = undecided.len(),
        names = Value::Texts(names.collect()),
        more = undecided.len().saturating_sub(NAMED),
        is_decided = advice.is_none(),
        advice = advice.unwrap_or_default()
    );
    labelled(document, &line)
}

/// What is known of the figure that decides.
fn leading(answer: &PlainAnswer) -> &Known {
    const NOTHING: Known = Known::Undecided {
        because: Undecided::NotMeasured,
    };
    let decides = answer.figures.iter().find(|figure| figure.decides);
    decides.map_or(&NOTHING, |figure| &figure.known)
}

/// The workload, with the target if several are compared with the baseline.
fn named(document: &Document, answer: &PlainAnswer) -> String {
    if document.challengers().nth(1).is_none() {
        return answer.workload.clone();
    }
    match document.language {
        Language::English => format!("{} of {}", answer.workload, answer.challenger),
        Language::Japanese => format!("{} の {}", answer.challenger, answer.workload),
    }
}

/// Rounds that would decide an answer; 0 if the number is unknown.
fn rounds(answer: &PlainAnswer) -> u64 {
    let rounds = answer.would_decide.iter().filter_map(|it| match it {
        Decider::Rounds { rounds, .. } => Some(*rounds),
        _ => None,
    });
    rounds.max().unwrap_or(0)
}
