//! Targets with different connection settings or proxies.

use tenbin_plan::{HttpVersion, Reach, Target};
use tenbin_result::format::plural;
use tenbin_result::{Cause, Finding, Severity};

use crate::evidence::Evidence;
use crate::findings::rule_info::RuleInfo;
use crate::words::tame;

/// Names of proxies and caches in the `Server` header.
const INTERMEDIARIES: [&str; 12] = [
    "akamai",
    "awselb",
    "bunnycdn",
    "cloudflare",
    "cloudfront",
    "envoy",
    "fastly",
    "haproxy",
    "squid",
    "sucuri",
    "traefik",
    "varnish",
];

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "unequal_paths",
    summary: "two targets are reached in different ways: TLS, HTTP/2, sockets, hosts, proxies",
    severities: &[Severity::Note, Severity::Suspect],
    explanation: include_str!("unequal_paths.md"),
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
    let (theirs, mine): (Vec<String>, Vec<String>) = connection_settings(baseline)
        .into_iter()
        .zip(connection_settings(target))
        .filter(|(theirs, mine)| theirs != mine)
        .unzip();
    (!mine.is_empty()).then(|| Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Note,
        cause: Cause::Plan,
        workload: None,
        target: Some(target.name.clone()),
        evidence: format!(
            "{} is reached over {}, {} over {}",
            target.name,
            mine.join(" and "),
            baseline.name,
            theirs.join(" and ")
        ),
        advice: "the ratio is that of server and connection together; to compare only the \
                 servers, use the same kind of connection for both"
            .to_owned(),
    })
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
    Some(Finding {
        rule: RULE.name.to_owned(),
        severity: Severity::Suspect,
        cause: Cause::Setup,
        workload: None,
        target: Some(target.name.clone()),
        evidence: format!(
            "responses of {} name {} as their server, which is a proxy or a cache; those of the \
             other target do not",
            who.name,
            tame(says)
        ),
        advice: "send requests to both servers directly, or to both through the same proxy: a \
                 proxy may respond from its cache"
            .to_owned(),
    })
}

fn intermediary(header: &str) -> bool {
    let header = header.to_ascii_lowercase();
    INTERMEDIARIES.iter().any(|name| header.contains(name))
}

/// The connection settings of a target, one per element.
fn connection_settings(target: &Target) -> [String; 4] {
    let connect = &target.connect;
    let tls = if is_encrypted(target) {
        "TLS"
    } else {
        "plain TCP"
    };
    let http = match connect.http {
        HttpVersion::Http1 => "HTTP/1.1",
        HttpVersion::Http2 => "HTTP/2",
    };
    let socket = match connect.unix {
        Some(_) => "a Unix socket",
        None => "the network",
    };
    let hosts = plural(connect.hosts.len().max(1), "host");
    [tls.to_owned(), http.to_owned(), socket.to_owned(), hosts]
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
