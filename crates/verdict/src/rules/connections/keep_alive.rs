//! Connections that do not stay open.

use tenbin_record::{Ledger, PackedHistogram, Slice};
use tenbin_result::{Cause, Finding, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

/// Share of requests on a new connection above which there is a finding.
const NOTICEABLE: f64 = 0.01;

/// Share of requests on a new connection above which the figures include much connection setup.
const LARGE: f64 = 0.10;

/// Largest difference between the targets' shares of requests on a new connection at which
/// connection setup counts as affecting all targets equally. In addition, the targets must have
/// caused all new connections except this share, by closing the previous connection.
const ALIKE: f64 = 0.10;

/// Share of the time of an operation, including the time to open its connection, above which
/// opening the connection is a finding.
const SETUP: f64 = 0.20;

const NANOS_PER_SECOND: f64 = 1e9;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "keep_alive",
    summary: Texts {
        english: "connections do not stay open, or opening them takes much of the time",
        japanese: "接続が維持されない、または接続の確立に時間の多くを費やす",
    },
    severities: &[Severity::Note, Severity::Suspect],
    explanation: pages!("keep_alive"),
    messages: Messages {
        english: r#"
            not-kept =
                { $count } of { $requests } requests ({ $share }) needed a new connection although keep-alive
                was on: the target closed { $closed } connections, and { $reset } { $reset ->
                    [one] was
                   *[other] were
                } reset{ $alike ->
                    [true] , as every target of this workload does
                   *[false] {""}
                }
            all-close =
                the figures include opening connections, as for every client of a server that closes the
                connection after its response; if the target can keep connections open, enable keep-alive there
            enable =
                enable keep-alive in the target, or raise its limit of requests per connection (in nginx:
                keepalive_timeout and keepalive_requests); to measure without keep-alive, use --no-keep-alive
                for all targets
            switched-off =
                without keep-alive, opening the connection took { $share } of the time of an operation:
                { $opening } on average{ $handshake }, and { $responding } for the response
            handshake = , { $time } of it for the TLS handshake
            switch-on =
                to measure the responses, remove --no-keep-alive: kept connections give several times the
                throughput
        "#,
        japanese: r#"
            not-kept =
                keep-alive が有効なのに { $requests } リクエスト中 { $count } リクエスト({ $share })で新しい接続が
                必要だった。ターゲットが閉じた接続は { $closed }、リセットは { $reset }{ $alike ->
                    [true] 。このワークロードの全ターゲットで共通
                   *[false] {""}
                }
            all-close =
                数値は接続の確立を含む。応答後に接続を閉じるサーバーではどのクライアントでも同じである。
                ターゲットが接続を維持できるなら、keep-alive を有効にする
            enable =
                ターゲットの keep-alive を有効にするか、1 接続あたりのリクエスト数の上限を上げる
                (nginx では keepalive_timeout と keepalive_requests)。keep-alive なしで測るなら、
                全ターゲットで --no-keep-alive を使う
            switched-off =
                keep-alive なしでは、接続の確立が操作の時間の { $share } を占める。
                平均で確立に { $opening }{ $handshake }、応答に { $responding }
            handshake = (うち TLS ハンドシェイク { $time })
            switch-on = 応答を測るには --no-keep-alive を外す。接続を維持するとスループットは数倍になる
        "#,
    },
    tier: Tier::Cause,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells
        .iter()
        .filter_map(|cell| {
            if !cell.workload.load.keep_alive {
                return switched_off(cell);
            }
            let of_workload = cells
                .iter()
                .filter(|other| other.workload.name == cell.workload.name);
            let several = of_workload.clone().count() > 1;
            let all_alike = all_close_alike(of_workload.map(NewConnections::of));
            not_kept(cell, all_alike, several)
        })
        .collect()
}

fn not_kept(cell: &Cell<'_>, all_alike: bool, several: bool) -> Option<Finding> {
    let new = NewConnections::of(cell);
    let share = new.share()?;
    if share <= NOTICEABLE {
        return None;
    }
    let severity = Severity::Note.raised_if(share > LARGE && !all_alike);
    let not_kept = message!(
        "not-kept",
        count = Value::Plain(new.count),
        requests = Value::Plain(new.requests),
        share = Value::Share(share),
        closed = Value::Plain(new.ledger.closed_by_server),
        reset = Value::Plain(new.ledger.reset),
        alike = all_alike && several
    );
    let advice = if all_alike {
        message!("all-close")
    } else {
        message!("enable")
    };
    let finding = RULE.finding(severity, Cause::Server, not_kept, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

fn switched_off(cell: &Cell<'_>) -> Option<Finding> {
    let setup = Setup::of(&cell.full())?;
    let share = setup.opening / (setup.opening + setup.responding);
    if share <= SETUP {
        return None;
    }
    let handshake = setup.handshake;
    let switched_off = message!(
        "switched-off",
        share = Value::Share(share),
        opening = Value::Seconds(setup.opening),
        handshake = handshake.map(|time| message!("handshake", time = Value::Seconds(time))),
        responding = Value::Seconds(setup.responding)
    );
    let (severity, advice) = (Severity::Note, message!("switch-on"));
    let finding = RULE.finding(severity, Cause::Plan, switched_off, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

/// Whether all targets close many connections, without a reset and about equally often, so that no
/// target has an advantage.
fn all_close_alike(targets: impl Iterator<Item = NewConnections>) -> bool {
    let mut shares: Vec<f64> = Vec::new();
    for new in targets {
        let Some(share) = new.share() else { continue };
        let by_server = new.ledger.closed_by_server as f64;
        if share <= LARGE || by_server < new.count as f64 * (1.0 - ALIKE) {
            return false;
        }
        shares.push(share);
    }
    let most = shares.iter().copied().fold(0.0, f64::max);
    !shares.is_empty() && shares.iter().all(|share| most - share <= ALIKE)
}

/// Connections opened in addition to the planned connections and to one connection per failed
/// request, and the number of all requests.
pub(crate) struct NewConnections {
    count: u64,
    requests: u64,
    ledger: Ledger,
}

impl NewConnections {
    pub(crate) fn of(cell: &Cell<'_>) -> Self {
        let mut new = Self {
            count: 0,
            requests: 0,
            ledger: Ledger::default(),
        };
        for slice in &cell.slices {
            let failed: u64 = slice.requests().map(|op| op.failed_count()).sum();
            // Connections that Tenbin reopens on purpose count as requested.
            let lives = u64::from(slice.reopen.unwrap_or(1));
            let requested = (slice.connections * slice.hosts.len().max(1)) as u64 * lives;
            // A failed request may close its connection.
            new.count += slice.ledger.opened.saturating_sub(requested + failed);
            new.requests += requests_sent(slice.ledger);
            new.ledger += slice.ledger;
        }
        new
    }
}

impl NewConnections {
    /// Share of the requests on a new connection; `None` without requests.
    pub(crate) fn share(&self) -> Option<f64> {
        (self.requests > 0).then(|| self.count as f64 / self.requests as f64)
    }
}

/// Number of requests sent while `ledger` counted connections. The ledger counts until the end of
/// the slice, including requests sent unmeasured after the window closes; figures of operations
/// contain only the window.
fn requests_sent(ledger: Ledger) -> u64 {
    ledger.reused + ledger.opened.saturating_sub(ledger.already_open)
}

/// Mean duration of the parts of an operation with a new connection, seconds.
pub(crate) struct Setup {
    pub(crate) opening: f64,
    pub(crate) responding: f64,
    /// The TLS part of `opening`; `None` without TLS.
    handshake: Option<f64>,
}

impl Setup {
    pub(crate) fn of(slices: &[&Slice]) -> Option<Self> {
        let mut ledger = Ledger::default();
        slices.iter().for_each(|slice| ledger += slice.ledger);
        let requests = || slices.iter().flat_map(|slice| slice.requests());
        let handshakes = slices.iter().map(|slice| &slice.setup.tls);
        Some(Self {
            opening: ledger.connect_nanos as f64 / ledger.opened as f64 / NANOS_PER_SECOND,
            responding: mean(requests().map(|op| &op.times.service))?,
            handshake: mean(handshakes),
        })
        .filter(|setup| setup.opening.is_finite())
    }
}

/// The mean over all histograms, seconds; `None` without samples.
fn mean<'h>(histograms: impl Iterator<Item = &'h PackedHistogram>) -> Option<f64> {
    let (mut count, mut sum) = (0.0, 0.0);
    for histogram in histograms {
        count += histogram.len() as f64;
        sum += histogram.mean() * histogram.len() as f64;
    }
    (count > 0.0).then(|| sum / count / NANOS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use tenbin_record::ErrorClass;

    use super::*;
    use crate::testing::Run;

    fn closing(every: u64) -> Run {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.0.ledger.opened = 2 + 1_000 / every;
            slice.0.ledger.reused = 1_000 - 1_000 / every;
            slice.0.ledger.closed_by_server = 1_000 / every;
        });
        run
    }

    #[test]
    fn fires_when_the_target_closes_after_every_answer() {
        let findings = closing(1).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Suspect);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "16000 of 16032 requests (99.8 %) needed a new connection although keep-alive was \
             on: the target closed 16000 connections, and 0 were reset"
        );
    }

    /// The window closes after a number of requests; the remaining requests of the slice are sent
    /// after the window.
    #[test]
    fn the_share_includes_requests_after_the_window_and_never_exceeds_all() {
        let mut run = closing(1);
        run.each_of("b", |slice| slice.answers(900, 0.002));
        let findings = run.findings(&RULE);
        let evidence = &findings[0].evidence;
        assert!(
            evidence.starts_with("16000 of 16032 requests (99.8 %)"),
            "{evidence}"
        );
    }

    #[test]
    fn it_is_a_note_where_all_targets_close_by_themselves_alike() {
        let mut run = closing(1);
        run.each(|slice| {
            slice.0.ledger.opened = 1_002;
            slice.0.ledger.reused = 0;
            slice.0.ledger.closed_by_server = 1_000;
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 2);
        assert!(findings.iter().all(|f| f.severity == Severity::Note));
        assert!(
            findings[0]
                .evidence
                .ends_with(", as every target of this workload does")
        );
        // One target closes connections less often, or resets connections.
        run.each_of("a", |slice| {
            slice.0.ledger.opened = 502;
            slice.0.ledger.reused = 500;
        });
        assert_eq!(run.findings(&RULE)[0].severity, Severity::Suspect);
        run.each_of("a", |slice| {
            slice.0.ledger.opened = 1_002;
            slice.0.ledger.closed_by_server = 0;
            slice.0.ledger.reset = 1_000;
        });
        assert_eq!(run.findings(&RULE)[0].severity, Severity::Suspect);
    }

    #[test]
    fn a_connection_per_50_requests_is_a_note_and_per_1000_is_not() {
        let findings = closing(50).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Note);
        assert_eq!(closing(1_000).findings(&RULE), []);
    }

    #[test]
    fn silent_when_failures_closed_the_connections() {
        let mut run = Run::pair(8);
        run.each_of("b", |slice| {
            slice.0.ledger.opened = 102;
            slice.fail(ErrorClass::Reset, 100);
        });
        assert_eq!(run.findings(&RULE), []);
    }

    fn without(connecting: u64) -> Run {
        let mut run = Run::pair(8);
        run.plan.workloads[0].load.keep_alive = false;
        run.each(|slice| {
            slice.0.ledger.opened = 1_000;
            slice.0.ledger.connect_nanos = 1_000 * connecting;
        });
        run
    }

    #[test]
    fn switched_off_it_says_what_connecting_takes() {
        let mut run = without(2_000_000);
        run.each_of("b", |slice| {
            slice.0.setup.tls.record_n(1_500_000, 1_000).unwrap();
        });
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 2);
        assert_eq!(
            findings[0].evidence,
            "without keep-alive, opening the connection took 50 % of the time of an operation: \
             2.00 ms on average, and 2.00 ms for the response"
        );
        assert!(
            findings[1]
                .evidence
                .contains("1.50 ms of it for the TLS handshake")
        );
    }

    #[test]
    fn silent_when_connecting_is_quick_or_nothing_is_known_of_it() {
        assert_eq!(without(100_000).findings(&RULE), []);
        assert_eq!(without(0).findings(&RULE), []);
        let mut unknown = Run::pair(8);
        unknown.plan.workloads[0].load.keep_alive = false;
        assert_eq!(unknown.findings(&RULE), []);
    }
}
