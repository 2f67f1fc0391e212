//! Targets whose responses changed during the run.

use std::collections::BTreeMap;

use tenbin_record::{HostHits, PatternHits, Slice};
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::pattern_name;

/// Share of the patterns sent again after the run that have no number of hits, above which too few
/// patterns were compared.
const WITHOUT_NUMBER: f64 = 0.05;

/// Accepted difference of body sizes, as a share of the expected size.
const SAME: f64 = 0.05;

/// Additional accepted difference, bytes: a number in a body can have more digits than before the
/// run.
const NO_TIME: f64 = 64.0;

/// Body size, as a share of the expected size, below which the target did different work.
const OTHER: f64 = 0.5;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "changed_answers",
    summary: Texts {
        english: "a target's responses changed during or after the run",
        japanese: "実行中または実行後に、ターゲットの応答が変わった",
    },
    severities: &[Severity::Note, Severity::Suspect, Severity::Invalid],
    explanation: pages!("changed_answers"),
    messages: Messages {
        english: r#"
            host-of-target = { $host } of { $target }
            hits-changed =
                { $place } reported different numbers of hits for { $changed } of { $patterns } patterns
                that were sent again, the first of them { $pattern }: { $before } before, { $now } now
            check-under-load =
                find out what the target does under load: a fast response with fewer hits is wrong,
                and if the data change during the run, each slice does different work
            without-number =
                { $place } gave no number of hits for { $without } of { $patterns } patterns when they
                were sent again ({ $share })
            check-log = look at such a response, and at the log of the target
            not-sent-again =
                whether { $target } had the same numbers of hits at the end is unknown: the patterns
                were not sent again
            finish = let the run finish, with a version of Tenbin that sends the patterns again
            other-length =
                in slice { $slice }, a response body of { $target } had { $bytes } bytes on average;
                the same patterns gave { $expected } before the run
            check-responses =
                send requests to the target under load and look at its responses: missing results
                are not sent and cost no time
        "#,
        japanese: r#"
            host-of-target = { $target } の { $host }
            hits-changed =
                { $place } で、再送した { $patterns } パターン中 { $changed } パターンのヒット数が変わった。
                最初は { $pattern }: 以前 { $before }、現在 { $now }
            check-under-load =
                負荷をかけたときのターゲットの動作を調べる。ヒットの少ない速い応答は誤りであり、
                実行中にデータが変わるなら、スライスごとに処理が異なる
            without-number =
                { $place } は、再送した { $patterns } パターン中 { $without } パターンで
                ヒット数を返さなかった({ $share })
            check-log = 該当する応答とターゲットのログを調べる
            not-sent-again =
                { $target } のヒット数が最後まで同じだったかは不明。パターンを再送していない
            finish = パターンを再送するバージョンの Tenbin で、最後まで実行する
            other-length =
                スライス { $slice } で、{ $target } の応答ボディは平均 { $bytes } バイト。
                同じパターンで実行前は { $expected } バイト
            check-responses =
                負荷をかけながらターゲットにリクエストを送り、応答を調べる。
                欠けた結果は送信されず、時間もかからない
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    cells
        .iter()
        .flat_map(|cell| of_cell(evidence, cell))
        .collect()
}

fn of_cell(evidence: &Evidence<'_>, cell: &Cell<'_>) -> Vec<Finding> {
    let workload = cell.workload.name.as_str();
    let Some(known) = evidence.environment.targets.get(&cell.target.name) else {
        return Vec::new();
    };
    let hosts = known.asked.get(workload).map_or(&[][..], Vec::as_slice);
    let labels = evidence.environment.patterns.get(workload);
    let labels = labels.map_or(&[][..], Vec::as_slice);
    let finding = |(severity, seen, advice): Seen| {
        let cause = match severity {
            Severity::Note => Cause::Setup,
            _ => Cause::Server,
        };
        let finding = RULE.finding(severity, cause, seen, advice);
        finding.on(workload, &cell.target.name)
    };
    let found = hosts.iter().filter_map(|host| {
        let target = &cell.target.name;
        let place = match hosts.len() {
            1 => target.into(),
            _ => message!("host-of-target", host = &host.host, target).into(),
        };
        changed(host, place, labels)
    });
    let unasked = (known.hits.contains_key(workload)
        || hosts.iter().any(|host| host.after.is_none()))
    .then(|| {
        let seen = message!("not-sent-again", target = &cell.target.name);
        (Severity::Note, seen, message!("finish"))
    });
    let bytes = body_lengths(hosts);
    let lengths = cell.slices.iter();
    let lengths = lengths.filter_map(|slice| other_lengths(&bytes, slice));
    let lengths = lengths.max_by(|one, other| one.off.total_cmp(&other.off));
    let lengths = lengths.map(|worst| worst.seen(&cell.target.name));
    found.chain(unasked).chain(lengths).map(finding).collect()
}

/// Severity, evidence and advice.
type Seen = (Severity, Message, Message);

/// Compares the numbers of hits of one host after the run with the numbers before the run.
fn changed(host: &HostHits, place: Value, labels: &[String]) -> Option<Seen> {
    let after = host.after.as_ref()?;
    let before = host.before.iter();
    let before: BTreeMap<u32, u64> = before
        .filter_map(|one| Some((one.pattern, one.hits?)))
        .collect();
    let both = after
        .iter()
        .filter_map(|now| Some((now, *before.get(&now.pattern)?)));
    let both: Vec<_> = both.collect();
    let other = |(now, was): &&(&PatternHits, u64)| now.hits.is_some_and(|hits| hits != *was);
    let count = both.iter().filter(other).count();
    if let Some((now, was)) = both.iter().find(other) {
        let seen = message!(
            "hits-changed",
            place,
            changed = Value::Plain(count as u64),
            patterns = Value::Plain(both.len() as u64),
            pattern = pattern_name(now.pattern, labels),
            before = Value::Plain(*was),
            now = Value::Plain(now.hits.unwrap_or_default())
        );
        return Some((Severity::Invalid, seen, message!("check-under-load")));
    }
    let without_number = both.iter().filter(|(now, _)| now.hits.is_none()).count();
    let share = without_number as f64 / both.len().max(1) as f64;
    (share > WITHOUT_NUMBER).then(|| {
        let seen = message!(
            "without-number",
            place,
            without = Value::Plain(without_number as u64),
            patterns = Value::Plain(both.len() as u64),
            share = Value::Share(share)
        );
        (Severity::Suspect, seen, message!("check-log"))
    })
}

/// A slice whose responses differ in length from the responses before the run.
struct OtherLengths {
    /// Position of the slice in the run, from 0.
    slice: u32,
    /// Mean length expected from the responses before the run, bytes; `seen` is the mean length in
    /// the slice.
    expected: f64,
    seen: f64,
    /// The difference as a share of the expected length.
    off: f64,
}

impl OtherLengths {
    fn seen(&self, target: &str) -> Seen {
        let severity = Severity::Suspect.raised_if(self.seen < self.expected * OTHER);
        let seen = message!(
            "other-length",
            slice = Value::Plain(self.slice.into()),
            target,
            bytes = Value::whole(self.seen),
            expected = Value::whole(self.expected)
        );
        (severity, seen, message!("check-responses"))
    }
}

/// Length of the response body of each pattern before the run, bytes: mean over hosts. Patterns of
/// unknown length are left out.
fn body_lengths(hosts: &[HostHits]) -> BTreeMap<u32, f64> {
    let mut lengths: BTreeMap<u32, (Option<u64>, u64)> = BTreeMap::new();
    for asked in hosts.iter().flat_map(|host| &host.before) {
        let (sum, count) = lengths.entry(asked.pattern).or_insert((Some(0), 0));
        *sum = sum.zip(asked.bytes).map(|(sum, bytes)| sum + bytes);
        *count += 1;
    }
    let means = lengths.into_iter();
    means
        .filter_map(|(pattern, (sum, count))| Some((pattern, sum? as f64 / count as f64)))
        .collect()
}

/// Compares body lengths of a slice with the lengths before the run. Closed loop only: there, the
/// counts of requests and responses differ by at most one request per connection at either end.
fn other_lengths(lengths: &BTreeMap<u32, f64>, slice: &Slice) -> Option<OtherLengths> {
    let patterns = &slice.end.singles.as_ref()?.patterns;
    if !slice.closed_loop {
        return None;
    }
    let requests = || slice.requests().filter(|op| op.counts.ok > 0);
    let bytes = requests().map(|op| op.answered).sum::<Option<u64>>()? as f64;
    let ok = requests().map(|op| op.counts.ok).sum::<u64>() as f64;
    let (mut expected, mut sent, mut longest) = (0.0, 0.0, 0.0_f64);
    for count in patterns.iter().filter(|count| count.ok > 0) {
        let length = *lengths.get(&count.pattern)?;
        expected += length * count.ok as f64;
        sent += count.ok as f64;
        longest = longest.max(length);
    }
    let at_the_ends = 2.0 * slice.connections as f64 * longest;
    let apart = (bytes - expected).abs();
    let room = expected * SAME + NO_TIME * sent.max(ok) + at_the_ends;
    (sent > 0.0 && ok > 0.0 && apart > room).then(|| OtherLengths {
        slice: slice.index,
        expected: expected / sent,
        seen: bytes / ok,
        off: apart / expected.max(1.0),
    })
}

#[cfg(test)]
mod tests {
    use tenbin_record::{RecordedPattern, RecordedSamples};

    use super::*;
    use crate::testing::Run;
    use tenbin_result::Trust;

    fn run(after: Option<&[Option<u64>]>) -> Run {
        let mut run = Run::pair(8);
        let before = [Some(5), Some(7)];
        run.ask("a", "one", &before, Some(&before));
        run.ask("b", "one", &before, after);
        let labels = ["GET /d/select?query=tea", "GET /d/select?query=rice"];
        let labels = labels.map(str::to_owned).to_vec();
        run.environment.patterns.insert("get".to_owned(), labels);
        run
    }

    #[test]
    fn different_hits_at_the_end_are_invalid() {
        let run = run(Some(&[Some(5), Some(0)]));
        let findings = run.findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert_eq!(findings[0].target.as_deref(), Some("b"));
        assert_eq!(
            findings[0].evidence,
            "b reported different numbers of hits for 1 of 2 patterns that were sent again, the \
             first of them GET /d/select?query=rice: 7 before, 0 now"
        );
        let trust: Vec<_> = run.assess().primary().map(|c| c.trust).collect();
        assert_eq!(trust, [Trust::Invalid]);
    }

    #[test]
    fn no_numbers_at_the_end_are_suspect_and_not_asking_is_a_note() {
        let findings = run(Some(&[Some(5), None])).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Suspect);
        let findings = run(None).findings(&RULE);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].severity, Severity::Note);
        assert!(findings[0].evidence.contains("is unknown"));
    }

    /// A run in which responses of `b` have `bytes` bytes instead of the expected 1,000 bytes.
    fn with_lengths(bytes: u64) -> Run {
        let mut run = run(Some(&[Some(5), Some(7)]));
        run.each_of("b", |slice| {
            let half = RecordedPattern {
                pattern: 0,
                ok: 500,
                failed: 0,
                sum_ns: 1,
                min_ns: 1,
                max_ns: 1,
            };
            let other = RecordedPattern { pattern: 1, ..half };
            slice.0.end.singles = Some(Box::new(RecordedSamples {
                patterns: vec![half, other],
                ..RecordedSamples::default()
            }));
            slice.0.ops[0].answered = Some(bytes * 1_000);
        });
        run
    }

    #[test]
    fn shorter_responses_under_load_are_invalid() {
        let findings = with_lengths(90).findings(&RULE);
        assert_eq!(findings.len(), 1, "the worst slice is told");
        assert_eq!(findings[0].severity, Severity::Invalid);
        assert!(
            findings[0].evidence.ends_with(
                "a response body of b had 90 bytes on average; the same patterns gave 1000 \
                 before the run"
            ),
            "{findings:?}"
        );
        let findings = with_lengths(800).findings(&RULE);
        assert_eq!(findings[0].severity, Severity::Suspect);
    }

    #[test]
    fn silent_when_nothing_changed_or_no_hits_were_requested() {
        assert_eq!(with_lengths(1_000).findings(&RULE), []);
        assert_eq!(with_lengths(1_060).findings(&RULE), []);
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
