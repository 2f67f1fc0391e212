//! Targets with different connection settings or proxies.

use tenbin_plan::{HttpVersion, Reach, Target};
use tenbin_result::{Cause, Finding, Message, Severity, message};

use crate::evidence::Evidence;
use crate::findings::messages::{Messages, with_and};
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::tame;

/// Names of proxies and caches in the `Server` header.
const INTERMEDIARIES: [&str; 12] = [
    "akamai", "awselb", "bunnycdn", "cloudflare", "cloudfront", "envoy", "fastly", "haproxy",
    "squid", "sucuri", "traefik", "varnish",
];

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "unequal_paths",
    summary: Texts {
        english: "two targets are reached in different ways: TLS, HTTP/2, sockets, hosts, proxies",
        japanese: "2 つのターゲットへの経路が異なる(TLS、HTTP/2、ソケット、ホスト、プロキシー)",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("unequal_paths"),
    messages: Messages {
        english: r#"
            different-settings =
                { $target } is reached over { $settings }, { $baseline } over { $of_baseline }
            tls =
                { $encrypted ->
                    [true] TLS
                   *[false] plain TCP
                }
            http =
                { $version ->
                    [2] HTTP/2
                   *[1] HTTP/1.1
                }
            socket =
                { $unix ->
                    [true] a Unix socket
                   *[false] the network
                }
            hosts =
                { $hosts ->
                    [one] 1 host
                   *[other] { $hosts } hosts
                }
            same-connection =
                the ratio is that of server and connection together; to compare only the servers, use the same
                kind of connection for both
            proxy =
                responses of { $target } name { $server } as their server, which is a proxy or a cache; those
                of the other target do not
            same-proxy =
                send requests to both servers directly, or to both through the same proxy: a proxy may respond
                from its cache
        "#,
        japanese: r#"
            different-settings =
                { $target } への経路は { $settings }。{ $baseline } への経路は { $of_baseline }
            tls =
                { $encrypted ->
                    [true] TLS
                   *[false] TLS なしの TCP
                }
            http =
                { $version ->
                    [2] HTTP/2
                   *[1] HTTP/1.1
                }
            socket =
                { $unix ->
                    [true] Unix ソケット
                   *[false] ネットワーク
                }
            hosts = { $hosts } ホスト
            same-connection =
                比はサーバーと接続方式を合わせたもの。サーバーだけを比べるには、両方で同じ接続方式を使う
            proxy =
                { $target } の応答の Server ヘッダーは { $server } で、プロキシーまたはキャッシュを示す。
                もう一方のターゲットは異なる
            same-proxy =
                両方のサーバーに直接送るか、両方とも同じプロキシーを経由させる。
                プロキシーはキャッシュから応答することがある
        "#,
    },
    tier: Tier::Cause,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let Some(baseline) = evidence.plan.baseline() else {
        return Vec::new();
    };
    let challengers = evidence.plan.challengers();
    challengers
        .flat_map(|target| {
            [
                planned(baseline, target),
                proxies(baseline, target, evidence),
            ]
        })
        .flatten()
        .collect()
}

/// Finding on different connection settings in the plan.
fn planned(baseline: &Target, target: &Target) -> Option<Finding> {
    let (theirs, mine): (Vec<Message>, Vec<Message>) = connection_settings(baseline)
        .into_iter()
        .zip(connection_settings(target))
        .filter(|(theirs, mine)| theirs != mine)
        .unzip();
    let different = message!(
        "different-settings",
        target = &target.name,
        settings = with_and(mine)?,
        baseline = &baseline.name,
        of_baseline = with_and(theirs)?
    );
    let (severity, advice) = (Severity::Note, message!("same-connection"));
    let finding = RULE.finding(severity, Cause::Plan, different, advice);
    Some(finding.of_target(&target.name))
}

/// Finding on proxies that the `Server` header names.
fn proxies(baseline: &Target, target: &Target, evidence: &Evidence<'_>) -> Option<Finding> {
    let header = |target: &Target| {
        let known = evidence.environment.targets.get(&target.name)?;
        known.server_header.as_deref()
    };
    let (one, other) = (header(baseline)?, header(target)?);
    let (who, says) = match (intermediary(one), intermediary(other)) {
        (true, false) => (baseline, one),
        (false, true) => (target, other),
        (true, true) | (false, false) => return None,
    };
    let proxy = message!("proxy", target = &who.name, server = tame(says));
    let (severity, advice) = (Severity::Suspect, message!("same-proxy"));
    let finding = RULE.finding(severity, Cause::Setup, proxy, advice);
    Some(finding.of_target(&target.name))
}

fn intermediary(header: &str) -> bool {
    let header = header.to_ascii_lowercase();
    INTERMEDIARIES.iter().any(|name| header.contains(name))
}

/// The connection settings of a target, one per element.
fn connection_settings(target: &Target) -> [Message; 4] {
    let connect = &target.connect;
    let version = match connect.http {
        HttpVersion::Http1 => 1_u64,
        HttpVersion::Http2 => 2,
    };
    [
        message!("tls", encrypted = is_encrypted(target)),
        message!("http", version),
        message!("socket", unix = connect.unix.is_some()),
        message!("hosts", hosts = connect.hosts.len().max(1)),
    ]
}

fn is_encrypted(target: &Target) -> bool {
    match &target.reach {
        Reach::Endpoint { url } => url.scheme() == "https",
        Reach::Launched(launch) => launch.url.starts_with("https:"),
        Reach::Builtin(_) | Reach::Files(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use tenbin_record::TargetEnvironment;

    use super::*;
    use crate::testing::Run;

    #[test]
    fn what_the_plan_makes_different_is_a_note() {
        let mut run = Run::pair(8).elsewhere();
        run.plan.targets[1].reach = Reach::Endpoint {
            url: "https://b.example/".parse().unwrap(),
        };
        run.plan.targets[1].connect.http = HttpVersion::Http2;
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(
            findings[0].evidence,
            "b is reached over TLS and HTTP/2, a over plain TCP and HTTP/1.1"
        );
    }

    #[test]
    fn targets_are_compared_with_the_baseline_of_the_plan_and_its_twin_is_not() {
        let mut run = Run::new(&["a", "b", "b-twin"], &["get"], 12).elsewhere();
        run.plan.comparing.baseline = 1;
        run.plan.comparing.twin = Some(2);
        for at in [1, 2] {
            run.plan.targets[at].connect.http = HttpVersion::Http2;
        }
        let findings = run.findings(&RULE);
        let about: Vec<Option<&str>> = findings.iter().map(|it| it.target.as_deref()).collect();
        assert_eq!(about, [Some("a")]);
    }

    fn with_headers(a: &str, b: &str) -> Run {
        let mut run = Run::pair(8);
        for (name, header) in [("a", a), ("b", b)] {
            let known = TargetEnvironment {
                server_header: Some(header.to_owned()),
                ..TargetEnvironment::default()
            };
            run.environment.targets.insert(name.to_owned(), known);
        }
        run
    }

    #[test]
    fn a_proxy_on_one_side_is_suspect() {
        let findings = with_headers("nginx", "Cloudflare\u{1b}[31m").findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert!(
            findings[0]
                .evidence
                .starts_with("responses of b name Cloudflare\\u{1b}[31m as their server"),
            "{findings:?}"
        );
    }

    #[test]
    fn silent_for_equal_connection_settings() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
        assert_eq!(with_headers("nginx", "caddy").findings(&RULE), []);
        assert_eq!(with_headers("envoy", "Envoy").findings(&RULE), []);
    }
}
