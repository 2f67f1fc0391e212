//! Files of the run directory that were changed after the run wrote them.

use tenbin_record::Change;
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "changed_record",
    summary: Texts {
        english: "a file of the run directory was changed after the run wrote it",
        japanese: "実行の書き込み後に、実行ディレクトリーのファイルが変更された",
    },
    severities: &[Severity::Note, Severity::Invalid],
    explanation: pages!("changed_record"),
    messages: Messages {
        english: r#"
            file-changed = { $file } was changed after the run wrote it
            lines-changed =
                { $several ->
                    [true]
                        lines { $lines }{ $further } of intervals.jsonl were changed after the run wrote
                        them, or lines before them were removed
                   *[false]
                        line { $lines } of intervals.jsonl was changed after the run wrote it, or the
                        line before it was removed
                }
            further-lines = {" "}and { $further } more
            histogram-lines-changed =
                { $several ->
                    [true] one of the lines { $first } to { $last }
                   *[false] line { $first }
                } of latency.hlog was changed after the run wrote it{ $followed ->
                    [true] , and later lines do not match either
                   *[false] {""}
                }
            histograms-changed =
                the histograms of slice { $slice } in slices.bin do not match its seconds: they were
                changed after the run wrote them{ $further }
            further-slices = , and those of { $further } more
            lines-added = lines were added to the end of latency.hlog after the run wrote it
            bytes-added = bytes were added to the end of slices.bin after the run wrote it
            histograms-removed = the end of slices.bin was removed after the run wrote it
            end-removed = the end of the record was removed: result.json belongs to a complete run
            restore = restore the files from a copy, or repeat the run
            unchecked =
                a version without check values wrote this run, so changes to its files cannot be
                detected
            run-again = to have the files checked, repeat the run with this version
        "#,
        japanese: r#"
            file-changed = { $file } が実行後に変更された
            lines-changed =
                intervals.jsonl の{ $several ->
                    [true] 行({ $lines }{ $further })
                   *[false] {" "}{ $lines } 行目
                }が実行後に変更されたか、その前の行が削除された
            further-lines = 、ほか { $further } 行
            histogram-lines-changed =
                latency.hlog の { $several ->
                    [true] { $first }〜{ $last } 行目のいずれか
                   *[false] { $first } 行目
                }が実行後に変更された{ $followed ->
                    [true] 。以降の行も一致しない
                   *[false] {""}
                }
            histograms-changed =
                slices.bin にあるスライス { $slice } のヒストグラムが各秒の記録と一致せず、
                実行後に変更されている{ $further }
            further-slices = (ほか { $further } スライスも同様)
            lines-added = 実行後に latency.hlog の末尾に行が追加された
            bytes-added = 実行後に slices.bin の末尾にバイト列が追加された
            histograms-removed = 実行後に slices.bin の末尾が削除された
            end-removed = 記録の末尾が削除された。result.json は完了した実行のもの
            restore = ファイルを控えから戻すか、再実行する
            unchecked = 検査値のないバージョンの記録なので、ファイルの変更を検出できない
            run-again = ファイルを検査するには、このバージョンで再実行する
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let integrity = evidence.integrity;
    let (severity, evidence, advice) = if !integrity.changed.is_empty() {
        let changed = integrity.changed.iter().map(clause).collect();
        let changed = message!("clauses", clauses = Value::Clauses(changed));
        (Severity::Invalid, changed, message!("restore"))
    } else if integrity.is_unchecked {
        (Severity::Note, message!("unchecked"), message!("run-again"))
    } else {
        return Vec::new();
    };
    vec![RULE.finding(severity, Cause::Setup, evidence, advice)]
}

fn clause(change: &Change) -> Message {
    match change {
        Change::File(name) => message!("file-changed", file = *name),
        Change::Lines { listed, further } => {
            let lines: Vec<String> = listed.iter().map(u64::to_string).collect();
            message!(
                "lines-changed",
                several = lines.len() > 1,
                lines,
                further = more("further-lines", *further)
            )
        }
        Change::HistogramLines {
            first,
            last,
            is_followed,
        } => message!(
            "histogram-lines-changed",
            several = last > first,
            first = Value::Plain(*first),
            last = Value::Plain(*last),
            followed = *is_followed
        ),
        Change::Histograms { slice, further } => message!(
            "histograms-changed",
            slice = Value::Plain((*slice).into()),
            further = more("further-slices", *further)
        ),
        Change::LinesAdded => message!("lines-added"),
        Change::BytesAdded => message!("bytes-added"),
        Change::HistogramsRemoved => message!("histograms-removed"),
        Change::EndRemoved => message!("end-removed"),
    }
}

fn more(id: &str, further: u64) -> Option<Message> {
    (further > 0).then(|| Message::new(id).with("further", Value::Plain(further)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;
    use tenbin_result::Trust;

    #[test]
    fn a_changed_file_makes_the_run_and_every_comparison_invalid() {
        let mut run = Run::pair(8);
        run.integrity.changed = every_change();
        let assessment = run.assess();
        assert_eq!(assessment.trust, Trust::Invalid);
        assert!(
            assessment
                .primary()
                .all(|each| each.trust == Trust::Invalid)
        );
        assert_eq!(assessment.findings[0].rule, "changed_record");
        assert_eq!(assessment.findings[0].evidence, run.integrity.changes());
    }

    /// Every kind of change, with and without further ones.
    fn every_change() -> Vec<Change> {
        let lines = |listed: &[u64], further| Change::Lines {
            listed: listed.to_vec(),
            further,
        };
        let histogram_lines = |last, is_followed| Change::HistogramLines {
            first: 1_200,
            last,
            is_followed,
        };
        let histograms = |further| Change::Histograms { slice: 3, further };
        vec![
            Change::File("plan.toml"),
            lines(&[17], 0),
            lines(&[17, 1_018], 0),
            lines(&[17, 18], 1_234),
            histogram_lines(1_200, false),
            histogram_lines(1_300, true),
            histograms(0),
            histograms(1_234),
            Change::LinesAdded,
            Change::BytesAdded,
            Change::HistogramsRemoved,
            Change::EndRemoved,
        ]
    }

    #[test]
    fn a_run_of_an_older_version_gets_a_note() {
        let mut run = Run::pair(8);
        run.integrity.is_unchecked = true;
        let assessment = run.assess();
        assert_eq!(assessment.trust, Trust::Valid);
        assert_eq!(assessment.findings[0].severity, Severity::Note);
    }

    #[test]
    fn silent_when_all_files_are_as_written() {
        assert_eq!(Run::pair(8).findings(&RULE), []);
    }
}
