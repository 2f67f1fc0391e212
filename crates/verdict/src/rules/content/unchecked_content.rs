//! Targets whose responses were not compared with those of the unloaded server.

use tenbin_record::Unchecked;
use tenbin_result::{Cause, Finding, Message, Severity, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::tame;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "unchecked_content",
    summary: Texts {
        english: "the content of responses was not compared with that of the unloaded server",
        japanese: "応答の内容を、無負荷のサーバーの応答と比べていない",
    },
    severities: &[Severity::Note],
    explanation: pages!("unchecked_content"),
    messages: Messages {
        english: r#"
            unchecked = content not checked: { $why }
            only-lengths = requests are drawn from patterns, and only lengths are compared
            permitted = --may-differ body permits any content
            not-unloaded =
                no response of the unloaded server is known, only responses under load
            few-before =
                { $responses ->
                    [0] the server sent no response to compare with
                   *[other] the content varies, and the unloaded server sent only { $responses ->
                        [one] 1 response
                       *[other] { $responses } responses
                    }
                }
            few-under-load =
                the content varies, and only { $responses ->
                    [one] 1 response was
                   *[other] { $responses } responses were
                } read under load
            encoding = the content varies, and the encoding { $name } cannot be decoded
            state-checks =
                state what a correct response is with --check, per group of patterns if needed
            leave-out =
                leave out --may-differ body if the responses are alike: Tenbin accepts values that
                vary
            warm-up =
                give the run a warm-up (--warmup): its first requests are sent without other load
            longer-slices = measure longer slices, or compare responses by hand
            request-gzip = request gzip or no compression with --header Accept-Encoding
        "#,
        japanese: r#"
            unchecked = 内容は未確認: { $why }
            only-lengths = リクエストをパターンから選んでおり、比べるのは長さのみ
            permitted = --may-differ body によりどの内容も許容
            not-unloaded = 無負荷時の応答がなく、負荷時の応答しかない
            few-before =
                { $responses ->
                    [0] 比較の基準となる応答がない
                   *[other] 内容が一定でなく、無負荷時の応答が { $responses } 件しかない
                }
            few-under-load =
                内容が一定でなく、負荷時に読んだ応答が { $responses } 件しかない
            encoding = 内容が一定でなく、エンコーディング { $name } を復号できない
            state-checks =
                正しい応答の条件を --check で指定する。必要ならパターンのグループごとに指定する
            leave-out = 応答が同種なら --may-differ body を外す。値が変わることは許容される
            warm-up =
                ウォームアップを付ける(--warmup)。最初のリクエストはほかの負荷なしで送られる
            longer-slices = スライスを長くするか、手で応答を比べる
            request-gzip = --header Accept-Encoding で gzip または無圧縮を要求する
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let found = cells.iter().filter_map(|cell| {
        let target = evidence.environment.targets.get(&cell.target.name)?;
        let (why, advice) = match target.responses.get(&cell.workload.name) {
            Some(expected) => {
                let why = expected.unchecked.as_ref()?;
                (reason(why), advice(why))
            }
            None if cell.workload.facts().compares_only_lengths() => {
                (message!("only-lengths"), message!("state-checks"))
            }
            None => return None,
        };
        let unchecked = message!("unchecked", why);
        let finding = RULE.finding(Severity::Note, Cause::Setup, unchecked, advice);
        Some(finding.on(&cell.workload.name, &cell.target.name))
    });
    found.collect()
}

fn reason(why: &Unchecked) -> Message {
    match why {
        Unchecked::MayDiffer => message!("permitted"),
        Unchecked::NotUnloaded => message!("not-unloaded"),
        Unchecked::FewBefore(count) => message!("few-before", responses = *count),
        Unchecked::FewUnderLoad(count) => message!("few-under-load", responses = *count),
        Unchecked::Encoding(name) => message!("encoding", name = tame(name)),
    }
}

fn advice(why: &Unchecked) -> Message {
    match why {
        Unchecked::MayDiffer => message!("leave-out"),
        Unchecked::NotUnloaded | Unchecked::FewBefore(0) => message!("warm-up"),
        Unchecked::FewBefore(_) | Unchecked::FewUnderLoad(_) => message!("longer-slices"),
        Unchecked::Encoding(_) => message!("request-gzip"),
    }
}

#[cfg(test)]
mod tests {
    use tenbin_record::ExpectedResponse;

    use super::*;
    use crate::testing::Run;

    #[test]
    fn the_reason_is_named() {
        let found = |unchecked| {
            let mut run = Run::single(8);
            let expected = ExpectedResponse {
                unchecked,
                ..ExpectedResponse::default()
            };
            let target = run.environment.targets.entry("a".to_owned()).or_default();
            target.responses.insert("get".to_owned(), expected);
            run.findings(&RULE)
        };
        assert_eq!(found(None), []);
        let findings = found(Some(Unchecked::Encoding("b\u{1b}r".to_owned())));
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(
            findings[0].evidence,
            "content not checked: the content varies, and the encoding b\\u{1b}r cannot be decoded"
        );
        let findings = found(Some(Unchecked::MayDiffer));
        assert!(
            findings[0]
                .evidence
                .starts_with("content not checked: --may-differ")
        );
    }
}
