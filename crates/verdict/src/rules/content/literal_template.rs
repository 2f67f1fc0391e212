//! Text in a request that looks like a template and was sent literally.

use tenbin_plan::{LiteralTemplate, TemplateMeaning, TemplatePart};
use tenbin_result::{Cause, Finding, Language, Message, Severity, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::tame;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "literal_template",
    summary: Texts {
        english: "a request contains a placeholder of another tool, which was sent literally",
        japanese: "ほかのツールのプレースホルダーを、そのまま送信した",
    },
    severities: &[Severity::Suspect],
    explanation: pages!("literal_template"),
    messages: Messages {
        english: r#"
            template-sent =
                { $part } contains "{ $text }", which looks like a template and was sent literally
            path = the path
            body = the body
            pattern-path = a path of the patterns
            header = header { $name }
            target-url = the URL of target { $name }
            send-file = to send the content of a file, use --body-file FILE
            send-variable =
                to send the value of an environment variable in a header, write {"{env:NAME}"}; a shell
                replaces $(…) and {"${…}"} only outside single quotes
            send-terms =
                search terms are replaced only in by_target of a plan file, with a file of terms in
                patterns: see docs/patterns.md
            send-patterns =
                only {"{env:NAME}"} is filled in: write the different requests to a file, such as
                {"{\"patterns\": [{\"path\": \"/login\", \"body\": {\"user\": \"u1\"}}, …]}"}, and send
                them with --patterns FILE (docs/patterns.md#different-users)
            send-numbers =
                only {"{env:NAME}"} is filled in: to send the numbers from { $first } to { $last } at random,
                write a path for each to a file, such as
                seq -f '/items/%.0f' { $first } { $last } > requests.txt, and send them with
                --patterns requests.txt (docs/patterns.md#different-users)
        "#,
        japanese: r#"
            template-sent =
                { $part }の "{ $text }" はテンプレートに見えるが、そのまま送信された
            path = パス
            body = ボディ
            pattern-path = パターンのパス
            header = ヘッダー { $name }{" "}
            target-url = ターゲット { $name } の URL{" "}
            send-file = ファイルの内容を送るには --body-file FILE を使う
            send-variable =
                ヘッダーに環境変数の値を入れるには {"{env:NAME}"} と書く。
                $(…) と {"${…}"} をシェルが置き換えるのは単一引用符の外だけである
            send-terms =
                検索語が置き換えられるのは、
                patterns に検索語のファイルを指定したプランファイルの by_target だけである(docs/patterns.md を参照)
            send-patterns =
                置き換えられるのは {"{env:NAME}"} だけである。異なるリクエストを
                {"{\"patterns\": [{\"path\": \"/login\", \"body\": {\"user\": \"u1\"}}, …]}"} のようにファイルに書き、
                --patterns FILE で送る(docs/patterns.md#different-users)
            send-numbers =
                置き換えられるのは {"{env:NAME}"} だけである。{ $first } から { $last } までの数をランダムに送るには、
                seq -f '/items/%.0f' { $first } { $last } > requests.txt のように数ごとのパスをファイルに書き、
                --patterns requests.txt で送る(docs/patterns.md#different-users)
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let found = evidence.plan.literal_templates().into_iter();
    found
        .map(|(workload, found)| {
            let text = tame(&found.text);
            let seen = message!("template-sent", part = part(&found.part), text);
            let finding = RULE.finding(Severity::Suspect, Cause::Plan, seen, remedy(&found));
            finding.of_workload(workload)
        })
        .collect()
}

/// The part of a request that has text which looks like a template, and how to send what the text
/// probably means; both in a language.
pub fn template_in(found: &LiteralTemplate, language: Language) -> [String; 2] {
    [part(&found.part), remedy(found)].map(|message| {
        let said = RULE.messages.say(&message, language);
        said.unwrap_or_else(|| RULE.messages.in_english(&message))
    })
}

fn part(part: &TemplatePart) -> Message {
    match part {
        TemplatePart::Path => message!("path"),
        TemplatePart::Body => message!("body"),
        TemplatePart::PatternPath => message!("pattern-path"),
        TemplatePart::Header(name) => message!("header", name = format!("{name:?}")),
        TemplatePart::TargetUrl(name) => message!("target-url", name = format!("{name:?}")),
    }
}

fn remedy(found: &LiteralTemplate) -> Message {
    match found.meaning() {
        TemplateMeaning::File => message!("send-file"),
        TemplateMeaning::Variable => message!("send-variable"),
        TemplateMeaning::Terms => message!("send-terms"),
        TemplateMeaning::Numbers { first, last } if is_path(&found.part) => message!(
            "send-numbers",
            first = first.to_string(),
            last = last.to_string()
        ),
        TemplateMeaning::Values | TemplateMeaning::Numbers { .. } => message!("send-patterns"),
    }
}

/// Whether a file with a path in each line can send the values.
fn is_path(part: &TemplatePart) -> bool {
    match part {
        TemplatePart::Path | TemplatePart::PatternPath | TemplatePart::TargetUrl(_) => true,
        TemplatePart::Body | TemplatePart::Header(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;

    #[test]
    fn fires_for_a_placeholder_and_not_for_json() {
        let with = |path: &str| {
            let mut run = Run::pair(8);
            run.sends_to(path);
            run.findings(&RULE)
        };
        let found = with("/json?x={random}");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].severity, Severity::Suspect);
        assert!(found[0].evidence.contains("\"{random}\""), "{found:?}");
        assert!(found[0].advice.contains("--patterns"), "{found:?}");
        assert_eq!(with("/json?filter={}"), []);
        let advice = &with("/items/{random:1-1000}")[0].advice;
        assert!(advice.contains("'/items/%.0f' 1 1000 >"), "{advice}");
        let advice = &with("/items/{random:9-1}")[0].advice;
        assert!(advice.contains("--patterns FILE"), "{advice}");
    }
}
