//! Findings in the language of the reader.

use tenbin_result::{
    AbsoluteTrust, Document, Finding, FindingData, Language, Limit, Message, PlainAnswer,
};

use crate::findings::messages::Messages;
use crate::rules::{self, ABSOLUTE_FIGURES};

/// Evidence and advice of a finding in the language of the reader: in English if the finding comes
/// from an older version or has no text in this language.
pub fn said(finding: &Finding, language: Language) -> (String, String) {
    let data = finding.data.as_ref();
    data.and_then(|data| said_data(&finding.rule, data, language))
        .unwrap_or_else(|| (finding.evidence.clone(), finding.advice.clone()))
}

/// Evidence and advice of a finding of `rule`; `None` if it has no text in this language.
pub fn said_data(rule: &str, data: &FindingData, language: Language) -> Option<(String, String)> {
    translated(rules::named(rule)?.messages, data, language)
}

/// The sentence about a limit and what to do, in the language of the reader: in English if they come
/// from a newer version.
pub fn said_limit(limit: &Limit, language: Language) -> (String, String) {
    let data = limit.data.as_ref();
    data.and_then(|data| translated(Messages::NONE, data, language))
        .unwrap_or_else(|| (limit.evidence.clone(), limit.advice.clone()))
}

/// The sentence of a plain answer and what would decide it, in the language of the reader: in English
/// if they come from a newer version.
pub fn said_plainly(answer: &PlainAnswer, language: Language) -> (String, Option<String>) {
    let say = |data: Option<&Message>| Messages::NONE.say(data?, language);
    let sentence = say(answer.data.as_ref());
    let advice = say(answer.advice_data.as_ref());
    (
        sentence.unwrap_or_else(|| answer.sentence.clone()),
        advice.or_else(|| answer.advice.clone()),
    )
}

/// Why absolute figures are in doubt, in the language of the reader: in English if the reasons come
/// from an older version or have no text in this language.
pub fn said_reasons(absolute: &AbsoluteTrust, language: Language) -> Vec<String> {
    let say = |reason: &Message| {
        let rule = rules::named(ABSOLUTE_FIGURES)?;
        rule.messages.say(reason, language)
    };
    let said: Option<Vec<String>> = absolute.data.iter().map(say).collect();
    said.filter(|said| said.len() == absolute.because.len())
        .unwrap_or_else(|| absolute.because.clone())
}

/// The document without the messages that this version cannot print, because a newer version wrote
/// them: pages print their English sentences instead. `None` if every message can be printed.
pub fn without_unknown_messages(document: &Document) -> Option<Document> {
    let mut messages = Document {
        workloads: document.workloads.clone(),
        expectations: document.expectations.clone(),
        searches: document.searches.clone(),
        comparisons: document.comparisons.clone(),
        curves: document.curves.clone(),
        workload_comparisons: document.workload_comparisons.clone(),
        concurrency_sweep_comparisons: document.concurrency_sweep_comparisons.clone(),
        plain_answers: document.plain_answers.clone(),
        ..Document::default()
    };
    let is_unknown = |message: &&mut Option<Message>| {
        let message = message.as_ref();
        message.is_some_and(|it| Messages::NONE.say(it, Language::English).is_none())
    };
    messages.messages_mut().find(is_unknown)?;
    let mut known = document.clone();
    known
        .messages_mut()
        .filter(is_unknown)
        .for_each(|message| *message = None);
    Some(known)
}

fn translated(
    messages: Messages,
    data: &FindingData,
    language: Language,
) -> Option<(String, String)> {
    let mut evidence = messages.say(&data.evidence, language)?;
    if let Some(also) = &data.also {
        evidence += &messages.say(also, language)?;
    }
    Some((evidence, messages.say(&data.advice, language)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn reasons_are_translated_and_those_of_older_versions_are_not() {
        let mut run = Run::single(8);
        run.each(|slice| slice.machine().pressure.cpu_some_us = Some(300_000));
        let mut absolute = run.assess().absolute;
        assert_eq!(
            said_reasons(&absolute, Language::Japanese),
            ["時間の 30 % でプロセスがコアの空きを待っていた(8 スライスの中央値)"]
        );
        assert_eq!(said_reasons(&absolute, Language::English), absolute.because);
        absolute.data.clear();
        assert_eq!(
            said_reasons(&absolute, Language::Japanese),
            absolute.because
        );
    }
}
