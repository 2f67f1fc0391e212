//! Targets whose responses were not compared with those of the unloaded server.

use tenbin_record::Unchecked;
use tenbin_result::format::plural;
use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::words::tame;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "unchecked_content",
    summary: "the content of responses was not compared with that of the unloaded server",
    severities: &[Severity::Note],
    explanation: include_str!("unchecked_content.md"),
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let found = cells.iter().filter_map(|cell| {
        let target = evidence.environment.targets.get(&cell.target.name)?;
        let (reason, advice) = match target.responses.get(&cell.workload.name) {
            Some(expected) => {
                let why = expected.unchecked.as_ref()?;
                (reason(why), advice(why))
            }
            None if cell.workload.facts().compares_only_lengths() => (
                "requests are drawn from patterns, and only lengths are compared".to_owned(),
                "state what a correct response is with --check, per group of patterns if needed",
            ),
            None => return None,
        };
        Some(Finding {
            rule: RULE.name.to_owned(),
            severity: Severity::Note,
            cause: Cause::Setup,
            workload: Some(cell.workload.name.clone()),
            target: Some(cell.target.name.clone()),
            evidence: format!("content not checked: {reason}"),
            advice: advice.to_owned(),
        })
    });
    found.collect()
}

fn reason(why: &Unchecked) -> String {
    match why {
        Unchecked::MayDiffer => "--may-differ body permits any content".to_owned(),
        Unchecked::NotUnloaded => {
            "no response of the unloaded server is known, only responses under load".to_owned()
        }
        Unchecked::FewBefore(0) => "the server sent no response to compare with".to_owned(),
        Unchecked::FewBefore(count) => format!(
            "the content varies, and the unloaded server sent only {}",
            plural(*count, "response")
        ),
        Unchecked::FewUnderLoad(count) => format!(
            "the content varies, and only {} read under load",
            match count {
                1 => "1 response was".to_owned(),
                count => format!("{count} responses were"),
            }
        ),
        Unchecked::Encoding(name) => format!(
            "the content varies, and the encoding {} cannot be decoded",
            tame(name)
        ),
    }
}

fn advice(why: &Unchecked) -> &'static str {
    match why {
        Unchecked::MayDiffer => {
            "leave out --may-differ body if the responses are alike: Tenbin accepts values that \
             vary"
        }
        Unchecked::NotUnloaded | Unchecked::FewBefore(0) => {
            "give the run a warm-up (--warmup): its first requests are sent without other load"
        }
        Unchecked::FewBefore(_) | Unchecked::FewUnderLoad(_) => {
            "measure longer slices, or compare responses by hand"
        }
        Unchecked::Encoding(_) => "request gzip or no compression with --header Accept-Encoding",
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
