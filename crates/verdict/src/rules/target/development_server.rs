//! Servers that their authors made for development.

use tenbin_result::{Cause, Finding, Severity, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::tame;

/// How the `Server` headers of these servers begin, in lower case.
const FOR_DEVELOPMENT: &[&str] = &[
    "werkzeug/", "wsgiserver/", "simplehttp/", "basehttp/", "webrick/",
];

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "development_server",
    summary: Texts {
        english: "a target is a server for development, which is slower than its program in production",
        japanese: "ターゲットが開発用のサーバーで、本番の構成より遅い",
    },
    severities: &[Severity::Note],
    explanation: pages!("development_server"),
    messages: Messages {
        english: r#"
            for-development =
                responses of { $target } name { $server } as their server, which is made for development
            use-production-server =
                measure the application on the server that it has in production, such as gunicorn, uWSGI or
                Puma
            compare-production-servers =
                the ratio is that of servers for development, and in production it may be another one: compare
                the programs on the servers that they have there
        "#,
        japanese: r#"
            for-development =
                { $target } の応答の Server ヘッダーは { $server } で、開発用のサーバーを示す
            use-production-server =
                gunicorn、uWSGI、Puma など、本番で使うサーバーの上でアプリケーションを測る
            compare-production-servers =
                比は開発用のサーバーどうしのもので、本番では異なる可能性がある。
                本番で使うサーバーの上でプログラムを比べる
        "#,
    },
    tier: Tier::Cause,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let targets = &evidence.plan.targets;
    let found: Vec<(&str, &str)> = targets
        .iter()
        .filter_map(|target| {
            let known = evidence.environment.targets.get(&target.name)?;
            let header = known.server_header.as_deref()?;
            is_for_development(header).then_some((target.name.as_str(), header))
        })
        .collect();
    let compared = found.len() > 1 && found.len() == targets.len();
    let findings = found.iter();
    findings
        .map(|(target, header)| finding(target, header, compared))
        .collect()
}

fn is_for_development(header: &str) -> bool {
    let header = header.trim_start().to_ascii_lowercase();
    let mut names = FOR_DEVELOPMENT.iter();
    names.any(|name| header.starts_with(name))
}

/// The finding on one target. `compared`: all targets are servers for development.
fn finding(target: &str, header: &str, compared: bool) -> Finding {
    let found = message!("for-development", target, server = tame(header));
    let advice = if compared {
        message!("compare-production-servers")
    } else {
        message!("use-production-server")
    };
    let finding = RULE.finding(Severity::Note, Cause::Setup, found, advice);
    finding.of_target(target)
}

#[cfg(test)]
mod tests {
    use tenbin_record::TargetEnvironment;

    use super::*;
    use crate::testing::Run;

    fn findings_with(header: &str) -> Vec<Finding> {
        findings_of(&[("b", header)])
    }

    fn findings_of(headers: &[(&str, &str)]) -> Vec<Finding> {
        let mut run = Run::pair(8);
        for (target, header) in headers {
            let known = TargetEnvironment {
                server_header: Some((*header).to_owned()),
                ..TargetEnvironment::default()
            };
            run.environment.targets.insert((*target).to_owned(), known);
        }
        run.findings(&RULE)
    }

    #[test]
    fn a_server_for_development_is_named() {
        for header in [
            "Werkzeug/3.0.1 Python/3.12.3",
            "WSGIServer/0.2 CPython/3.12.3",
            "SimpleHTTP/0.6 Python/3.12.3",
            "WEBrick/1.8.1 (Ruby/3.2.3/2024-01-18)",
        ] {
            let findings = findings_with(header);
            assert_eq!(findings.len(), 1, "{header}");
            assert_eq!(findings[0].target.as_deref(), Some("b"));
            let expected = format!("responses of b name {header} as their server");
            assert!(findings[0].evidence.starts_with(&expected), "{findings:?}");
        }
    }

    #[test]
    fn a_server_for_production_is_not_nor_one_that_mentions_the_name() {
        for header in [
            "nginx", "gunicorn", "uvicorn", "", "nginx (before Werkzeug/3)",
        ] {
            assert_eq!(findings_with(header), [], "{header}");
        }
    }

    #[test]
    fn a_ratio_of_two_servers_for_development_is_said_to_be_one() {
        let one = findings_of(&[("a", "nginx"), ("b", "Werkzeug/3.0.1")]);
        assert!(
            one[0].advice.starts_with("measure the application"),
            "{one:?}"
        );
        let both = findings_of(&[("a", "WSGIServer/0.2"), ("b", "Werkzeug/3.0.1")]);
        assert_eq!(both.len(), 2);
        for finding in &both {
            assert!(
                finding
                    .advice
                    .starts_with("the ratio is that of servers for"),
                "{finding:?}"
            );
        }
    }
}
