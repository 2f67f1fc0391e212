//! Writes and deletions that were acknowledged and not done.

use tenbin_record::{ReadBack, Uncheckable};
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};
use tenbin_stats::{CONFIDENCE, proportion};

use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::words::{tame, tame_to};

/// Largest number of characters of an example: a long key, a bucket and the response.
const EXAMPLE: usize = 320;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "read_back",
    summary: Texts {
        english: "acknowledged writes or deletions had no effect, or could not be checked",
        japanese: "受理された書き込みまたは削除が実行されていない、または確認できない",
    },
    severities: &[Severity::Note, Severity::Invalid],
    explanation: pages!("read_back"),
    messages: Messages {
        english: r#"
            missed =
                { $operation }: { $missed } of { $objects } { $deletes ->
                    [true] deleted
                   *[false] written
                } objects, drawn at random and read back after the measurement, are not as
                acknowledged{ $interval }: { $kinds }{ $example }
            interval = {" "}({ $share }, 95 % interval { $low } to { $high })
            kind =
                { $objects } { $kind ->
                    [kept] still exist
                    [size] have another size
                    [content] have other content
                    [etag] have the MD5 of other content as ETag
                   *[missing] do not exist
                }
            example = ; for example { $example }
            do-not-use =
                do not use the figures of this operation{ $deletes ->
                    [true] : the target acknowledged deletions that it did not do
                   *[false]
                        , and do not trust the target with data: it acknowledged writes that it did not
                        store as they were sent
                }
            not-checked =
                { $operation }: { $checked ->
                    [0] no { $deletes ->
                        [true] deleted
                       *[false] written
                    } object was
                   *[other] only { $checked } { $deletes ->
                        [true] deleted
                       *[false] written
                    } objects were
                } read back: { $why }
            why-not-checked =
                { $kind ->
                    [never] this operation is not read back
                    [later]
                        deletion is asynchronous on this target: a deleted blob can be read for a while
                    [deleted]
                        all of them were deleted again before the end of the run, and no GET compared
                        their content
                    [unknown]
                        { $unknown } of the sample could not be read: the target refused or did not
                        answer, the time for reading back was over, or the run was interrupted
                   *[rewritten]
                        the other objects of the sample were written again by requests whose outcome is
                        unknown, or deleted
                }
            check-yourself =
                check with another client whether the target has done what it acknowledged
            follow =
                run a delete phase with --until-gone, which reads deleted blobs until they are gone
            compare =
                add a get phase before the deletion (--phases pgd), which compares the content
        "#,
        japanese: r#"
            missed =
                { $operation }: { $deletes ->
                    [true]
                        測定後に無作為に選んで確認した
                        削除済みオブジェクト { $objects } 件のうち { $missed } 件が、
                        応答で受理された状態と異なる
                   *[false]
                        測定後に無作為に選んで読み戻した
                        書き込み済みオブジェクト { $objects } 件のうち { $missed } 件が、
                        応答で受理された内容と異なる
                }{ $interval }: { $kinds }{ $example }
            interval = ({ $share }、95 % 区間 { $low }〜{ $high })
            kind =
                { $objects } 件は{ $kind ->
                    [kept] まだ存在する
                    [size] サイズが異なる
                    [content] 内容が異なる
                    [etag] {" "}ETag が別の内容の MD5
                   *[missing] 存在しない
                }
            example = 。例: { $example }
            do-not-use =
                { $deletes ->
                    [true]
                        この操作の数値は使わないこと。
                        ターゲットは、実行していない削除を受理したと応答した
                   *[false]
                        この操作の数値は使わず、ターゲットにデータを預けないこと。
                        送信どおりに保存していない書き込みを受理したと応答した
                }
            not-checked =
                { $operation }: { $deletes ->
                    [true] { $checked ->
                        [0] 削除したオブジェクトは確認していない
                       *[other] 確認した削除済みオブジェクトは { $checked } 件だけ
                    }
                   *[false] { $checked ->
                        [0] 書き込んだオブジェクトは読み戻していない
                       *[other] 読み戻した書き込み済みオブジェクトは { $checked } 件だけ
                    }
                }: { $why }
            why-not-checked =
                { $kind ->
                    [never] この操作は読み戻しの対象外
                    [later] このターゲットの削除は非同期で、削除した blob もしばらくは読める
                    [deleted]
                        実行が終わる前にすべて削除され、内容を比較する GET もなかった
                    [unknown]
                        標本のうち { $unknown } 件を読めなかった
                        (ターゲットの拒否や無応答、読み戻しの時間切れ、実行の中断のいずれか)
                   *[rewritten]
                        標本のほかのオブジェクトは、結果のわからないリクエストで書き直されたか、削除された
                }
            check-yourself =
                受理したと応答した操作をターゲットが実行したかを、別のクライアントで確認する
            follow =
                --until-gone を付けた削除フェーズを実行する。削除した blob を、消えるまで読んで確かめる
            compare =
                削除の前に get フェーズを加える(--phases pgd)。GET が内容を比較する
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for cell in evidence.cells() {
        let target = evidence.environment.targets.get(&cell.target.name);
        let results = target.and_then(|target| target.read_back.get(&cell.workload.name));
        for result in results.into_iter().flatten() {
            let Some((severity, evidence, advice)) = of_operation(result) else {
                continue;
            };
            let finding = RULE.finding(severity, Cause::Server, evidence, advice);
            findings.push(finding.on(&cell.workload.name, &cell.target.name));
        }
    }
    findings
}

/// Severity, evidence and advice.
fn of_operation(result: &ReadBack) -> Option<(Severity, Message, Message)> {
    if result.missed() > 0 {
        let advice = message!("do-not-use", deletes = result.deletes);
        return Some((Severity::Invalid, misses(result), advice));
    }
    result.not_checked.as_ref()?;
    let kind = match (result.uncheckable, result.acknowledged, result.unknown) {
        (Some(Uncheckable::DeletesLater), ..) => "later",
        (Some(Uncheckable::AllDeleted), ..) => "deleted",
        (None, 0, _) => "never",
        (None, _, 0) => "rewritten",
        (None, ..) => "unknown",
    };
    let advice = match result.uncheckable {
        Some(Uncheckable::DeletesLater) => message!("follow"),
        Some(Uncheckable::AllDeleted) => message!("compare"),
        None => message!("check-yourself"),
    };
    let why = message!(
        "why-not-checked",
        kind = Value::word(kind),
        unknown = result.unknown
    );
    let not_checked = message!(
        "not-checked",
        operation = tame(&result.operation),
        checked = result.checked,
        deletes = result.deletes,
        why
    );
    Some((Severity::Note, not_checked, advice))
}

fn misses(result: &ReadBack) -> Message {
    let missed = result.missed();
    let objects = result.checked.max(missed);
    let share = proportion(missed, objects, CONFIDENCE);
    let interval = share.estimate().map(|share| {
        message!(
            "interval",
            share = Value::Share(share.value),
            low = Value::Share(share.low),
            high = Value::Share(share.high)
        )
    });
    let kinds = [
        (result.missing, "missing"),
        (result.kept, "kept"),
        (result.other_size, "size"),
        (result.other_content, "content"),
        (result.other_etag, "etag"),
    ];
    let kinds = kinds.into_iter().filter(|(objects, _)| *objects > 0);
    let kinds: Vec<Message> = kinds
        .map(|(objects, kind)| message!("kind", objects, kind = Value::word(kind)))
        .collect();
    let example = result.example.as_ref();
    let example = example.map(|text| message!("example", example = tame_to(text, EXAMPLE)));
    message!(
        "missed",
        operation = tame(&result.operation),
        missed,
        objects,
        deletes = result.deletes,
        interval,
        kinds,
        example
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Run;
    use tenbin_plan::S3Operation;
    use tenbin_result::Trust;

    fn with(result: ReadBack) -> Run {
        let mut run = Run::new(&["a", "b"], &["put"], 16).of_s3(S3Operation::Put, 1_000);
        run.each_of("b", |slice| slice.answers(2_000, 0.001));
        let target = run.environment.targets.entry("b".to_owned()).or_default();
        target.read_back.insert("put".to_owned(), vec![result]);
        run
    }

    fn of(checked: u64, missing: u64) -> ReadBack {
        ReadBack {
            operation: "PUT".to_owned(),
            acknowledged: 5_000,
            checked,
            missing,
            ..ReadBack::default()
        }
    }

    #[test]
    fn a_single_miss_is_invalid_and_the_target_is_not_recommended() {
        let run = with(ReadBack {
            example: Some("object k in bucket b: HEAD responded with 404".to_owned()),
            ..of(100, 1)
        });
        let finding = run.findings(&RULE).remove(0);
        assert_eq!(finding.severity, Severity::Invalid);
        assert_eq!(finding.target.as_deref(), Some("b"));
        assert_eq!(
            finding.evidence,
            "PUT: 1 of 100 written objects, drawn at random and read back after the measurement, \
             are not as acknowledged (1 %, 95 % interval 0.2 % to 5.4 %): 1 do not exist; for \
             example object k in bucket b: HEAD responded with 404"
        );
        let assessment = run.assess();
        assert_eq!(assessment.trust, Trust::Invalid);
        assert_eq!(assessment.use_cases[0].target, None);
        let sound = with(of(100, 0));
        assert_eq!(sound.findings(&RULE), []);
        assert_eq!(sound.assess().use_cases[0].target.as_deref(), Some("b"));
    }

    #[test]
    fn deletions_that_were_not_done_are_named() {
        let finding = with(ReadBack {
            operation: "DELETE".to_owned(),
            deletes: true,
            kept: 45,
            ..of(60, 0)
        })
        .findings(&RULE)
        .remove(0);
        assert!(finding.evidence.contains("45 still exist"), "{finding:?}");
        assert!(finding.advice.contains("deletions"), "{finding:?}");
    }

    #[test]
    fn what_was_not_checked_is_said() {
        let finding = with(ReadBack {
            acknowledged: 0,
            not_checked: Some("this operation is not read back".to_owned()),
            ..of(0, 0)
        })
        .findings(&RULE)
        .remove(0);
        assert_eq!(finding.severity, Severity::Note);
        assert_eq!(
            finding.evidence,
            "PUT: no written object was read back: this operation is not read back"
        );
    }

    #[test]
    fn what_cannot_be_checked_is_a_note_that_names_the_next_step() {
        let uncheckable = |why, deletes| {
            let result = ReadBack {
                deletes,
                not_checked: Some("a reason".to_owned()),
                uncheckable: Some(why),
                ..of(0, 0)
            };
            with(result).findings(&RULE).remove(0)
        };
        let later = uncheckable(Uncheckable::DeletesLater, true);
        assert_eq!(later.severity, Severity::Note);
        assert!(later.evidence.contains("asynchronous"), "{later:?}");
        assert!(later.advice.contains("--until-gone"), "{later:?}");
        let deleted = uncheckable(Uncheckable::AllDeleted, false);
        assert_eq!(deleted.severity, Severity::Note);
        assert!(deleted.evidence.contains("deleted again"), "{deleted:?}");
        assert!(deleted.advice.contains("pgd"), "{deleted:?}");
    }
}
