//! The sentences of findings in every language, in Fluent syntax.
//!
//! A rule has its messages in its own file; those that several rules use are in `en.ftl` and
//! `ja.ftl` beside this file, and those of verdicts in `verdicts.en.ftl` and `verdicts.ja.ftl`, and those of
//! limits in `limits.en.ftl` and `limits.ja.ftl`. A finding carries the id of its message and the arguments, so that the
//! sentence is printed last, in the language of the reader.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use fluent_bundle::types::{FluentNumber, FluentNumberOptions};
use fluent_bundle::{FluentArgs, FluentBundle, FluentResource, FluentValue};
use tenbin_result::format::{
    ENGLISH, TIME, Words, bandwidth, bit_rate, bytes, change, cores, count, digits, exact_bytes,
    exact_rate, fixed, is_factor, percent, points, rate, ratio, time, typed,
};
use tenbin_result::{Figure, Interval, Language, Message, Trust, Value, message};

/// The messages of a rule, in Fluent syntax: <https://projectfluent.org>. Lines can be indented as
/// the code around them. A line break is a space in English, and nothing in Japanese.
#[derive(Debug, Clone, Copy)]
pub struct Messages {
    /// The messages in English.
    pub english: &'static str,
    /// The same messages with the same arguments in Japanese.
    pub japanese: &'static str,
}

impl Messages {
    /// Only the messages that all share.
    pub const NONE: Self = Self {
        english: "",
        japanese: "",
    };

    fn texts(self, language: Language) -> [&'static str; 4] {
        match language {
            Language::English => [
                include_str!("en.ftl"),
                include_str!("verdicts.en.ftl"),
                include_str!("limits.en.ftl"),
                self.english,
            ],
            Language::Japanese => [
                include_str!("ja.ftl"),
                include_str!("verdicts.ja.ftl"),
                include_str!("limits.ja.ftl"),
                self.japanese,
            ],
        }
    }

    /// The message in English.
    pub fn in_english(self, message: &Message) -> String {
        let said = self.say(message, Language::English);
        debug_assert!(said.is_some(), "no text for {message:?}");
        said.unwrap_or_else(|| message.id.clone())
    }

    /// The message in a language; `None` if it has no text there, or lacks an argument.
    pub fn say(self, message: &Message, language: Language) -> Option<String> {
        let bundle = bundle(self, language);
        let text = printed(&bundle, message, language)?;
        Some(one_line(&text, language))
    }
}

/// Parts of a sentence with "and" between them; `None` without parts.
pub(crate) fn with_and(parts: impl IntoIterator<Item = Message>) -> Option<Message> {
    let both = |first, second| message!("and", first, second);
    parts.into_iter().reduce(both)
}

/// Clauses one after the other.
pub(crate) fn clauses(clauses: impl IntoIterator<Item = Message>) -> Message {
    let clauses = Value::Clauses(clauses.into_iter().collect());
    message!("clauses", clauses)
}

/// The figure as a value, or the word for an unknown one.
pub(crate) fn known(figure: Option<f64>, value: impl FnOnce(f64) -> Value) -> Value {
    figure.map_or_else(|| message!("unknown").into(), value)
}

/// Both ends of an interval, or the word for an unknown one.
pub(crate) fn interval(ends: Option<String>) -> Value {
    ends.map_or_else(|| message!("interval-unknown").into(), Value::Text)
}

/// Both ends of the interval of a ratio, or the words for an unknown one.
pub(crate) fn ratio_ends(figure: Figure) -> Message {
    figure.interval.map_or_else(
        || message!("interval-unknown"),
        |Interval { low, high, .. }| {
            message!(
                "ratio-ends",
                low = Value::Ratio(low),
                high = Value::Ratio(high)
            )
        },
    )
}

/// Both ends of the interval of a ratio, in the form that [`Value::Change`] has for the ratio.
pub fn change_ends(of: f64, low: f64, high: f64) -> Message {
    if is_factor(of) {
        message!(
            "ratio-ends",
            low = Value::Ratio(low),
            high = Value::Ratio(high)
        )
    } else {
        message!("change-ends", low = points(low), high = points(high))
    }
}

/// The claim as the trust in its figures allows. Of figures that cannot be trusted, the sentence
/// gives no verdict on what it is `about`.
pub(crate) fn qualified(trust: Trust, claim: Message, about: Message) -> Message {
    match trust {
        Trust::Valid => claim,
        Trust::Suspect => message!("suspect", sentence = claim),
        Trust::Invalid => message!("no-verdict", about),
    }
}

/// A confidence in percent, rounded down, so that the stated confidence is never too high.
pub fn whole_percent(confidence: f64) -> Value {
    Value::Count((confidence * 100.0).floor() as u64)
}

type Bundle = FluentBundle<FluentResource>;

/// The messages of a rule and those of all rules, parsed once per thread.
fn bundle(messages: Messages, language: Language) -> Rc<Bundle> {
    thread_local! {
        static PARSED: RefCell<HashMap<(*const u8, &'static str), Rc<Bundle>>> = RefCell::default();
    }
    let key = (messages.english.as_ptr(), language.tag());
    PARSED.with_borrow_mut(|parsed| {
        let bundle = parsed
            .entry(key)
            .or_insert_with(|| Rc::new(parse(messages, language)));
        Rc::clone(bundle)
    })
}

fn parse(messages: Messages, language: Language) -> Bundle {
    let locales = language.tag().parse().into_iter().collect();
    let mut bundle = Bundle::new(locales);
    bundle.set_use_isolating(false);
    bundle.set_formatter(Some(|value, _| match value {
        FluentValue::Number(number) if number.options.use_grouping => {
            Some(count(number.value as u64))
        }
        FluentValue::Number(number) => Some(number.value.to_string()),
        _ => None,
    }));
    for text in messages.texts(language) {
        // A test parses all messages, so that what is left out here does not occur.
        let (Ok(resource) | Err((resource, _))) = FluentResource::try_new(without_indent(text));
        bundle.add_resource_overriding(resource);
    }
    bundle
}

/// `text` without the indentation that all its lines have.
fn without_indent(text: &str) -> String {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let indents = lines().map(|line| line.len() - line.trim_start().len());
    let common = indents.min().unwrap_or(0);
    lines()
        .map(|line| format!("{}\n", &line[common..]))
        .collect()
}

/// Share above which the digits say nothing more: 1,000 %.
const MOST_SHARE: f64 = 10.0;

fn printed(bundle: &Bundle, message: &Message, language: Language) -> Option<String> {
    let pattern = bundle.get_message(&message.id)?.value()?;
    let mut args = FluentArgs::new();
    for (name, value) in &message.args {
        args.set(name.as_str(), argument(bundle, value, language)?);
    }
    let mut errors = Vec::new();
    let text = bundle.format_pattern(pattern, Some(&args), &mut errors);
    errors.is_empty().then(|| text.into_owned())
}

fn argument<'v>(bundle: &Bundle, value: &'v Value, language: Language) -> Option<FluentValue<'v>> {
    Some(match value {
        Value::Count(number) => (*number).into(),
        Value::Plain(number) => FluentNumber::new(*number as f64, ungrouped()).into(),
        Value::Ordinal(number) => ordinal(*number, language).into(),
        Value::Share(share) if *share > MOST_SHARE => format!("> {}", percent(MOST_SHARE)).into(),
        Value::Share(share) => percent(*share).into(),
        Value::Seconds(seconds) => time(*seconds).into(),
        Value::SecondsWithInterval(figure) => {
            let words = words(bundle, language)?;
            TIME.with_interval(Some(*figure), &words).into()
        }
        Value::Rate(per_second) => rate(*per_second).into(),
        Value::ExactRate(per_second) => exact_rate(*per_second).into(),
        Value::Ratio(value) => ratio(*value).into(),
        Value::Change(of) => change(*of).into(),
        Value::Bytes(size) => bytes(*size).into(),
        Value::ExactBytes(size) => exact_bytes(*size).into(),
        Value::BitRate(per_second) => bit_rate(*per_second).into(),
        Value::Bandwidth(per_second) => bandwidth(*per_second).into(),
        Value::Cores(used) => cores(*used).into(),
        Value::Fixed(number, decimals) => fixed(*number, *decimals).into(),
        Value::Number(number) => digits(*number).into(),
        Value::Typed(number) => typed(*number).into(),
        Value::Unknown => printed(bundle, &message!("unknown"), language)?.into(),
        Value::Text(text) | Value::Word(text) => text.as_str().into(),
        Value::Flag(true) => "true".into(),
        Value::Flag(false) => "false".into(),
        Value::Texts(texts) => texts.join(comma(language)).into(),
        Value::Message(message) => printed(bundle, message, language)?.into(),
        Value::Messages(messages) => {
            let each = each_printed(bundle, messages, language)?;
            each.join(comma(language)).into()
        }
        Value::Clauses(messages) => {
            let each = each_printed(bundle, messages, language)?;
            each.join(between_clauses(language)).into()
        }
    })
}

fn words(bundle: &Bundle, language: Language) -> Option<Words> {
    let word = |message: &Message| Some(printed(bundle, message, language)?.into());
    Some(Words {
        unknown: word(&message!("unknown"))?,
        interval_unknown: word(&message!("interval-unknown"))?,
    })
}

/// The words that stand for what is missing of a figure, in a language.
pub fn figure_words(language: Language) -> Words {
    let words = words(&bundle(Messages::NONE, language), language);
    words.unwrap_or(ENGLISH)
}

fn ungrouped() -> FluentNumberOptions {
    FluentNumberOptions {
        use_grouping: false,
        ..FluentNumberOptions::default()
    }
}

fn each_printed(bundle: &Bundle, messages: &[Message], language: Language) -> Option<Vec<String>> {
    let each = messages.iter();
    each.map(|message| printed(bundle, message, language))
        .collect()
}

fn ordinal(number: f64, language: Language) -> String {
    let suffix = match (language, number.fract() == 0.0, number as u64) {
        (Language::Japanese, _, _) => "",
        (Language::English, true, 11..=13) => "th",
        (Language::English, true, whole) if whole % 10 == 1 => "st",
        (Language::English, true, whole) if whole % 10 == 2 => "nd",
        (Language::English, true, whole) if whole % 10 == 3 => "rd",
        (Language::English, _, _) => "th",
    };
    format!("{number}{suffix}")
}

fn comma(language: Language) -> &'static str {
    match language {
        Language::English => ", ",
        Language::Japanese => "、",
    }
}

fn between_clauses(language: Language) -> &'static str {
    match language {
        Language::English => "; ",
        Language::Japanese => "。",
    }
}

/// `text` with line breaks, and the spaces around them, as the language joins lines.
fn one_line(text: &str, language: Language) -> String {
    let joint = match language {
        Language::English => " ",
        Language::Japanese => "",
    };
    let mut lines = text.lines().map(str::trim_end);
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |all, line| all + joint + line.trim_start())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::rules::RULES;
    use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
    use fluent_syntax::parser;

    const MESSAGES: Messages = Messages {
        english: r#"
            closed =
                the target closed { $count ->
                    [one] a connection
                   *[other] { $count } connections
                }{ $alike ->
                    [true] , as all do
                   *[other] {""}
                } ({ $share },
                { $basis })
        "#,
        japanese: r#"
            closed =
                ターゲットが接続を { $count } 本閉じた{ $alike ->
                    [true] (全ターゲット共通)
                   *[other] {""}
                }
                ({ $share }、{ $basis })
        "#,
    };

    #[test]
    fn numbers_select_the_plural_and_are_printed_as_everywhere() {
        let closed = |count: u64, alike: bool| {
            let basis = message!("median-of-slices", slices = 8_u64);
            message!("closed", count, alike, share = Value::Share(0.041), basis)
        };
        let said = |message: &Message| MESSAGES.in_english(message);
        assert_eq!(
            said(&closed(12_345, true)),
            "the target closed 12,345 connections, as all do (4.1 %, median of 8 slices)"
        );
        assert_eq!(
            said(&closed(1, false)),
            "the target closed a connection (4.1 %, median of 8 slices)"
        );
        let japanese = MESSAGES.say(&closed(12_345, true), Language::Japanese);
        assert_eq!(
            japanese.as_deref(),
            Some("ターゲットが接続を 12,345 本閉じた(全ターゲット共通)(4.1 %、8 スライスの中央値)")
        );
    }

    #[test]
    fn a_share_of_many_times_is_cut() {
        let share = |share| argument_of(&Value::Share(share));
        assert_eq!(share(9.5), "950 %");
        assert_eq!(share(2_547.51), "> 1000 %");
    }

    fn argument_of(value: &Value) -> String {
        const SHARE: Messages = Messages {
            english: "share = { $share }",
            japanese: "share = { $share }",
        };
        SHARE.in_english(&message!("share", share = value.clone()))
    }

    #[test]
    fn percentiles_are_ordinals_in_english_only() {
        let english = |number| ordinal(number, Language::English);
        let said = [50.0, 91.0, 92.0, 93.0, 11.0, 12.0, 13.0, 99.9].map(english);
        let expected = [
            "50th", "91st", "92nd", "93rd", "11th", "12th", "13th", "99.9th",
        ];
        assert_eq!(said, expected);
        assert_eq!(ordinal(91.0, Language::Japanese), "91");
    }

    #[test]
    fn a_message_without_text_or_argument_is_not_printed() {
        assert_eq!(MESSAGES.say(&message!("other"), Language::English), None);
        assert_eq!(MESSAGES.say(&message!("closed"), Language::English), None);
    }

    #[test]
    fn every_message_has_the_same_arguments_in_all_languages() {
        let common = &Messages::NONE.texts(Language::English).join("\n");
        let common_ja = &Messages::NONE.texts(Language::Japanese).join("\n");
        assert_eq!(arguments(common), arguments(common_ja));
        for rule in RULES {
            let Messages { english, japanese } = rule.info.messages;
            let shared = arguments(common);
            let own = arguments(english);
            let hidden: Vec<&String> = own.keys().filter(|id| shared.contains_key(*id)).collect();
            assert_eq!(hidden, Vec::<&String>::new(), "{}", rule.info.name);
            assert_eq!(own, arguments(japanese), "{}", rule.info.name);
        }
    }

    /// Japanese has no plural: a number selects `[1]` or another exact number, never `[one]`.
    #[test]
    fn japanese_has_no_plural() {
        let common = Messages::NONE.texts(Language::Japanese).join("\n");
        assert!(!common.contains("[one]"));
        for rule in RULES {
            let text = rule.info.messages.japanese;
            assert!(!text.contains("[one]"), "{}", rule.info.name);
        }
    }

    /// The arguments of each message.
    fn arguments(text: &str) -> BTreeMap<String, BTreeSet<String>> {
        let text = without_indent(text);
        let parsed = parser::parse(text.as_str()).expect("Fluent syntax");
        let mut all = BTreeMap::new();
        for entry in &parsed.body {
            match entry {
                Entry::Message(message) => {
                    let mut found = BTreeSet::new();
                    of_pattern(message.value.as_ref().expect("a text"), &mut found);
                    let before = all.insert(message.id.name.to_owned(), found);
                    assert_eq!(before, None, "{} occurs twice", message.id.name);
                }
                Entry::Comment(_) | Entry::GroupComment(_) | Entry::ResourceComment(_) => {}
                other => panic!("{other:?}"),
            }
        }
        all
    }

    fn of_pattern(pattern: &Pattern<&str>, found: &mut BTreeSet<String>) {
        for element in &pattern.elements {
            if let PatternElement::Placeable { expression } = element {
                of_expression(expression, found);
            }
        }
    }

    fn of_expression(expression: &Expression<&str>, found: &mut BTreeSet<String>) {
        match expression {
            Expression::Inline(inline) => of_inline(inline, found),
            Expression::Select { selector, variants } => {
                of_inline(selector, found);
                for variant in variants {
                    of_pattern(&variant.value, found);
                }
            }
        }
    }

    fn of_inline(inline: &InlineExpression<&str>, found: &mut BTreeSet<String>) {
        match inline {
            InlineExpression::VariableReference { id } => {
                found.insert(id.name.to_owned());
            }
            InlineExpression::Placeable { expression } => of_expression(expression, found),
            _ => {}
        }
    }
}
