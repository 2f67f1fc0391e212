//! Proxies in front of a server, and the connections that proxies open.

use tenbin_plan::Target;
use tenbin_record::Slice;
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::{Messages, clauses, with_and};
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::{middle, tame};

/// Minimum number of connections per request, opened by programs behind a target, for a finding on
/// these connections: Tenbin's own convention.
const FOR_MOST: f64 = 0.50;
/// Minimum share of slices with a number of connections per request near the median: connections of
/// unrelated programs do not follow the requests.
const STEADY: f64 = 0.80;
/// Minimum number of full slices for a finding on connections behind a target. All programs of the
/// machine open connections: in two or three slices, those of unrelated programs can be alike by
/// chance.
const FEWEST_SLICES: usize = 6;
/// Factor within which a number of connections counts as near the median.
const ALIKE: f64 = 1.25;
/// Share of the target's CPU time from which a program counts as part of the route.
const TAKES_PART: f64 = 0.05;

/// Process names of known proxies.
const PROXIES: [&str; 12] = [
    "nginx", "openresty", "haproxy", "envoy", "traefik", "caddy", "apache2", "httpd", "varnishd",
    "squid", "h2o", "pingora",
];

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "proxy_hop",
    summary: Texts {
        english: "a proxy is in front of a target's server, or opens a connection for each request",
        japanese: "プロキシーがサーバーの手前にある、またはリクエストごとに接続を開いている",
    },
    severities: &[Severity::Note],
    explanation: pages!("proxy_hop"),
    messages: Messages {
        english: r#"
            in-front = { $proxies } is in front of { $servers } of { $target }
            program = { $name } ({ $cores } of a core)
            opened = { $connections } connections were opened behind { $target } per request
            keep-upstream =
                keep the connections from the proxy to its upstream server open: in nginx `keepalive 64;` in
                the upstream block, `proxy_http_version 1.1;` and `proxy_set_header Connection "";`
            includes-proxy =
                the figures include the proxy; to measure the cost of the proxy, add the server without the
                proxy as another target
            keep-open =
                keep these connections open: with upstream keep-alive in a proxy, or with a connection pool or
                persistent connections to the database in an application
        "#,
        japanese: r#"
            in-front = { $target } では { $proxies }が { $servers }の手前にある
            program = { $name }({ $cores } コア)
            opened = { $target } の背後で 1 リクエストあたり { $connections } 個の接続が開かれた
            keep-upstream =
                プロキシーから上流サーバーへの接続を維持する。nginx では upstream ブロックに `keepalive 64;`、
                加えて `proxy_http_version 1.1;` と `proxy_set_header Connection "";`
            includes-proxy =
                数値はプロキシーとサーバーを合わせたものとみなす。プロキシーのコストを測るには、
                プロキシーなしのサーバーを別のターゲットとして加える
            keep-open =
                これらの接続を維持する。プロキシーなら上流との keep-alive、アプリケーションなら接続プールや
                データベースへの持続的接続を使う
        "#,
    },
    tier: Tier::Cause,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let targets = evidence.plan.targets.iter();
    targets
        .filter_map(|target| {
            let mine: Vec<&Cell<'_>> = cells
                .iter()
                .filter(|cell| cell.target.name == target.name)
                .collect();
            of_target(target, &mine, opens_in_pauses(evidence.slices))
        })
        .collect()
}

/// The finding about a target, with the connections per request of the workload that opens the most
/// connections per request.
fn of_target(target: &Target, cells: &[&Cell<'_>], in_pauses: Option<f64>) -> Option<Finding> {
    let slices: Vec<&Slice> = cells.iter().flat_map(|cell| cell.full()).collect();
    let proxy = proxy_in(&slices, &target.name);
    let opened = cells
        .iter()
        .filter_map(|cell| opened_for_each(&cell.full(), in_pauses?))
        .max_by(f64::total_cmp);
    let advice = match (proxy.is_some(), opened.is_some()) {
        (true, true) => message!("keep-upstream"),
        (true, false) => message!("includes-proxy"),
        (false, true) => message!("keep-open"),
        (false, false) => return None,
    };
    let opened = opened.map(|opened| {
        let connections = Value::Fixed(opened, 2);
        message!("opened", connections, target = &target.name)
    });
    let seen = clauses(proxy.into_iter().chain(opened));
    let finding = RULE.finding(Severity::Note, Cause::Server, seen, advice);
    Some(finding.of_target(&target.name))
}

/// Connections per second that programs opened on this machine while no target was loaded.
fn opens_in_pauses(slices: &[Slice]) -> Option<f64> {
    let pauses = slices.iter().filter_map(|slice| slice.machine()?.pause);
    let known: Vec<(u64, f64)> = pauses
        .filter_map(|pause| Some((pause.active_opens?, pause.seconds)))
        .collect();
    let seconds: f64 = known.iter().map(|(_, seconds)| seconds).sum();
    let opens: u64 = known.iter().map(|(opens, _)| opens).sum();
    (seconds > 0.0).then(|| opens as f64 / seconds)
}

/// Median number of connections opened behind a target per request. `None` below [`FOR_MOST`], with
/// fewer slices than [`FEWEST_SLICES`], or if the number of connections does not follow the number
/// of requests.
fn opened_for_each(slices: &[&Slice], in_pauses: f64) -> Option<f64> {
    let each: Vec<f64> = slices
        .iter()
        .filter_map(|slice| opened_behind(slice, in_pauses))
        .collect();
    if each.len() < FEWEST_SLICES {
        return None;
    }
    let median = middle(each.iter().copied())?;
    let is_near = |opened: &&f64| **opened * ALIKE >= median && **opened <= ALIKE * median;
    let near = each.iter().filter(is_near).count();
    (median >= FOR_MOST && near as f64 >= STEADY * each.len() as f64).then_some(median)
}

/// Connections per request that programs other than the load generator opened on this machine,
/// minus the connections that programs would have opened without load. `in_pauses` is the number of
/// connections opened per second without load.
fn opened_behind(slice: &Slice, in_pauses: f64) -> Option<f64> {
    let machine = slice.machine()?;
    if machine.target_here != Some(true) {
        return None;
    }
    // Exclude connections of the settling time, which were opened before the window.
    let own = slice
        .ledger
        .opened
        .saturating_sub(slice.ledger.already_open)
        + slice.ledger.refused;
    let others = machine.tcp.active_opens?.saturating_sub(own) as f64;
    let behind = (others - in_pauses * machine.seconds).max(0.0);
    let requests: u64 = slice
        .requests()
        .map(|op| op.counts.ok + op.failed_count())
        .sum();
    (requests > 0).then(|| behind / requests as f64)
}

/// A clause that names the proxy, if the programs of `target` are a proxy and another program.
fn proxy_in(slices: &[&Slice], target: &str) -> Option<Message> {
    let mut cores: Vec<(String, f64)> = Vec::new();
    let programs = || {
        let machines = slices.iter().filter_map(|slice| slice.machine());
        machines.filter_map(|machine| Some((machine.seconds, machine.target_programs?)))
    };
    let seconds: f64 = programs().map(|(seconds, _)| seconds).sum();
    for program in programs().flat_map(|(_, programs)| programs) {
        let used = program.cpu_seconds / seconds;
        match cores.iter_mut().find(|(name, _)| *name == program.name) {
            Some((_, sum)) => *sum += used,
            None => cores.push((program.name.clone(), used)),
        }
    }
    let all: f64 = cores.iter().map(|(_, cores)| cores).sum();
    cores.retain(|(_, cores)| *cores >= TAKES_PART * all && *cores > 0.0);
    let (proxies, servers): (Vec<_>, Vec<_>) = cores
        .into_iter()
        .partition(|(name, _)| PROXIES.contains(&name.as_str()));
    let named = |programs: Vec<(String, f64)>| {
        with_and(programs.into_iter().map(|(name, cores)| {
            message!("program", name = tame(&name), cores = Value::Cores(cores))
        }))
    };
    let (proxies, servers) = (named(proxies)?, named(servers)?);
    Some(message!("in-front", proxies, servers, target))
}

#[cfg(test)]
mod tests {
    use tenbin_record::{PauseUse, ProgramUse};

    use super::*;
    use crate::testing::Run;

    /// A pause with `active_opens` opened connections.
    fn quiet(active_opens: u64) -> PauseUse {
        PauseUse {
            targets: std::collections::BTreeMap::new(),
            seconds: 0.1,
            programs: Vec::new(),
            active_opens: Some(active_opens),
        }
    }

    /// A run in which `b` is nginx in front of python3; `opens` connections are opened per slice.
    fn proxied(opens: u64) -> Run {
        let mut run = Run::pair(8);
        let program = |name: &str, cpu_seconds| ProgramUse {
            pid: 9,
            name: name.to_owned(),
            cpu_seconds,
            rss_bytes: None,
            processes: None,
        };
        run.each(|slice| {
            let is_proxied = slice.0.target == "b";
            let machine = slice.machine();
            let mut programs = vec![program("python3", 0.6)];
            if is_proxied {
                programs.push(program("nginx", 0.35));
                machine.tcp.active_opens = Some(opens);
            }
            machine.target_programs = Some(programs);
            machine.pause = Some(quiet(0));
        });
        run
    }

    #[test]
    fn a_proxy_that_opens_a_connection_per_request_is_named() {
        let findings = proxied(1_000).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "nginx (0.35 of a core) is in front of python3 (0.60 of a core) of b; 1.00 \
             connections were opened behind b per request"
        );
        assert!(findings[0].advice.contains("keepalive 64;"));
    }

    #[test]
    fn a_proxy_with_upstream_keep_alive_is_named_alone() {
        let findings = proxied(3).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert!(!findings[0].evidence.contains("opened"), "{findings:?}");
    }

    #[test]
    fn an_application_without_a_pool_is_named_without_a_proxy() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.machine().tcp.active_opens = Some(1_000);
            slice.machine().pause = Some(quiet(0));
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].advice.contains("connection pool"));
    }

    #[test]
    fn silent_for_connections_of_other_programs() {
        // The same number of connections is opened in the pauses.
        let mut run = Run::pair(8);
        run.each(|slice| {
            slice.machine().tcp.active_opens = Some(1_000);
            slice.machine().pause = Some(quiet(100));
        });
        assert_eq!(run.findings(&RULE), []);
        // The number of connections varies at random.
        run.each(|slice| {
            slice.machine().pause = Some(quiet(0));
            let opens = [400, 900, 1_600, 700][slice.0.index as usize % 4];
            slice.machine().tcp.active_opens = Some(opens);
        });
        assert_eq!(run.findings(&RULE), []);
        // Without pauses, the number of unrelated connections is unknown.
        run.each(|slice| {
            slice.machine().tcp.active_opens = Some(1_000);
            slice.machine().pause = None;
        });
        assert_eq!(run.findings(&RULE), []);
    }

    #[test]
    fn silent_for_connections_in_few_slices() {
        for (quads, found) in [(2, 0), (3, 1)] {
            let mut run = Run::pair(quads);
            run.each_of("b", |slice| {
                slice.machine().tcp.active_opens = Some(16_500);
                slice.machine().pause = Some(quiet(0));
            });
            assert_eq!(run.findings(&RULE).len(), found, "{quads} quads");
        }
    }

    #[test]
    fn silent_for_connections_of_the_generator_and_for_a_server_alone() {
        let mut run = Run::pair(8);
        run.each(|slice| {
            slice.0.ledger.opened = 1_000;
            slice.machine().pause = Some(quiet(0));
            slice.machine().tcp.active_opens = Some(1_000);
        });
        assert_eq!(run.findings(&RULE), []);
        let mut elsewhere = Run::pair(8);
        elsewhere.each(|slice| {
            slice.machine().tcp.active_opens = Some(1_000);
            slice.machine().target_here = Some(false);
        });
        assert_eq!(elsewhere.findings(&RULE), []);
    }
}
