//! Operations that failed.

use std::collections::BTreeMap;

use tenbin_record::{ErrorClass, Retried, Role, TargetEnvironment};
use tenbin_result::{Cause, Finding, Message, Severity, Value, message};

use crate::cell::Cell;
use crate::evidence::Evidence;
use crate::findings::messages::Messages;
use crate::findings::rule_info::{RuleInfo, Texts, Tier, pages};
use crate::rules::responses::errors::tally::{Tally, add};
use crate::words::tame;

mod named_cause;
mod out_of_space;
mod tally;

/// Share of failures of any kind above which no figure can be trusted.
const ANY: f64 = 0.01;

pub(crate) const RULE: RuleInfo = RuleInfo {
    name: "errors",
    summary: Texts {
        english: "operations failed, or a slice has no correct response",
        japanese: "操作が失敗した、または正しい応答のないスライスがある",
    },
    severities: &[Severity::Suspect, Severity::Invalid],
    explanation: pages!("errors"),
    messages: Messages {
        english: r#"
            no-failure = no operation failed
            sub-requests-failed =
                none of { $operations } operations failed, but { $failed ->
                    [one] 1 sub-request
                   *[other] { $failed } sub-requests
                } failed: { $classes }
            operations-failed =
                { $failed } of { $operations } operations failed ({ $share }): { $classes }
            statuses = responses with status { $statuses }
            most-often = most often { $text }
            without-success =
                { $without } of { $slices ->
                    [one] 1 slice
                   *[other] { $slices } slices
                } without a { $sub_requests ->
                    [true] completed operation
                   *[false] correct response
                }
            times =
                { $kind ->
                    [unexpected-body] unexpected body
                    [check-failed] check failed
                   *[other] { $kind }
                } ×{ $count }
            odd-success =
                { $count } responses have a success status that is not defined for the operation, most
                often { $status }
            full-by-status = status 507 ({ $count } times) reports that the target has no space left
            full-by-text = the error text reports that the target has no space left
            full-disk =
                { $free } were free on the disk with the run directory, which holds the data of
                launched targets
            full-at-target =
                { $free } of { $size } were free on a disk that the target uses, after the
                measurement
            retries-succeed =
                rejected requests succeed when they are sent again: with up to { $retries } retries,
                { $failed } of { $operations } operations failed, and { $failed_requests } of
                { $requests } requests ({ $seconds } s measured after the run at the same load). warp
                reports such operations as successes without errors, because its library repeats a
                request up to ten times; their times include the rejected requests and the waits
            blobs-unread =
                { $unread } of { $followed } blobs could not be read before their deletion ({ $share }),
                so that polls cannot show whether the deletion had an effect
            no-effect =
                { $failed } of { $followed } acknowledged operations that were polled had no effect in
                time ({ $share })

            find-out-unread =
                find out why the target does not return what was stored: without that, nothing is
                known of its deletions
            set-gone-within =
                compare deletions only between targets where they take effect, or set --gone-within
                to the target's deletion delay
            read-log-of-deletions =
                read the target's log: its responses do not show whether a blob is deleted
            run-with-retries = to measure as warp does, run with --retries 10
            free-space =
                free space on the target's disk, which is full; or measure with fewer or smaller
                objects
            check-address =
                find out what responds at this address: a store that implements this operation does
                not respond with that status, so it is unknown whether the operation was done
            not-passed-on =
                read the log of the access layer, and check that its proxy and Kafka run: the access
                layer could not pass these deletions on, so the blobs are still stored
            check-disks =
                check that all disks and nodes of the target are up: too few of them took part in
                the operation; fewer connections do not change that
            wait-for-start = wait until the target has started completely, and run again
            raise-limit =
                the target limits its load: use fewer connections or a lower rate, or raise the
                target's limit of concurrent requests
            was-unavailable =
                read the target's log: it was unavailable, because it is overloaded, has started or
                is being maintained; a run with few connections shows whether the load is the reason
            internal-error =
                read the target's log for the reason of the internal error; if a run with few
                connections fails as well, the load is not the reason
            look-at-space =
                look at the free space on the target's disk and read the target's log: responses with
                status 500 without a reason can mean that the disk is full
            bad-gateway =
                read the log of the proxy in front of the target: it got no valid response from the
                server behind it
            refuses-load =
                find what refuses the requests: a rate limit (in nginx: limit_req, limit_conn), or a
                server that is overloaded; raise the limit, or use fewer connections or a lower rate
            gateway-timeout =
                read the log of the proxy in front of the target: the server behind it did not
                respond in time
            renew-keys =
                the target does not, or no longer, accept the temporary keys: let Tenbin get and renew
                them (--assume-role, --web-identity-token-file, --sts-endpoint), or find out why their
                renewal failed
            check-response =
                check that the target responds, and that a slice is long enough for one response
            check-listener =
                check whether the target still runs, its listen backlog, its limit of open files, and
                whether the load generator has free local ports
            reduce-load =
                use fewer connections or a lower rate, or a longer --timeout if responses that late
                are acceptable
            connections-dropped =
                read the target's log: it drops connections, because of a limit or because it crashed
            check-port = check what listens on that port: it does not speak HTTP/1.1
            rate-limiter =
                switch off the rate limiter for the load generator, raise its limit, or stay below the
                limit with --rate: responses with status 429 come from a rate limiter, not from the
                work to be measured
            follow-redirect =
                measure the URL that the server redirects to, with --follow if it is on the same
                server, or accept the redirect with --expect 3xx
            refused =
                check { $check ->
                    [bucket] bucket, credentials and their permissions
                    [store] store and token of the target
                   *[request] path, method, headers and the statuses that count as success
                }: { $check ->
                    [store] it does
                   *[other] the target does
                } not complete the operations
            fails-under-load =
                read the target's log: it fails under this load; use fewer connections or a lower
                rate
            find-cache =
                look for a cache in front of the target, or for nodes that lag behind: it returns
                content that was overwritten before the request
            other-work =
                look at such a response: for some requests, the target does different work than for
                the same request before; if the page is meant to differ, measure with
                --may-differ body
            check-failed =
                look at such a response: its status is a success, but it fails a check or reports an
                error; correct the request or the server, or the condition (--check); to accept
                errors that bodies report, use --no-body-errors
            ends-early =
                read the target's log: it ends responses before all bytes are sent, because a
                connection breaks off, a limit is reached, or content is missing
            other-bytes =
                do not trust the target with data until you know why it returns other bytes than
                those that were stored
        "#,
        japanese: r#"
            no-failure = 失敗した操作はない
            sub-requests-failed =
                { $operations } 操作に失敗はないが、
                その途中の { $failed } 件のサブリクエストが失敗した: { $classes }
            operations-failed =
                { $operations } 操作中 { $failed } 操作が失敗({ $share }): { $classes }
            statuses = 応答のステータス: { $statuses }
            most-often = 最多のエラー: { $text }
            without-success =
                { $slices } スライス中 { $without } スライスで{ $sub_requests ->
                    [true] 完了した操作
                   *[false] 正しい応答
                }がない
            times =
                { $kind ->
                    [connect] 接続失敗
                    [timeout] タイムアウト
                    [reset] リセット
                    [protocol] プロトコル違反
                    [status] ステータス不一致
                    [short] データ不足
                    [wrong] 内容の誤り
                    [stale] 古い内容
                    [unexpected-body] 想定外のボディ
                    [check-failed] チェック不合格
                   *[other] { $kind }
                } ×{ $count }
            odd-success =
                { $count } 件の応答のステータスは、
                成功だがこの操作に定義されていないもの(最多は { $status })
            full-by-status = ステータス 507({ $count } 回)は、ターゲットの空き容量がないことを示す
            full-by-text = エラーの文言は、ターゲットの空き容量がないことを示す
            full-disk =
                実行ディレクトリーのあるディスク(起動したターゲットのデータもここにある)の空きは { $free }
            full-at-target =
                ターゲットが使うディスクの測定後の空きは { $free }(容量 { $size })
            retries-succeed =
                拒否されたリクエストは再送すると成功する。
                最大 { $retries } 回の再試行では { $operations } 操作中 { $failed } 操作、
                { $requests } リクエスト中 { $failed_requests } リクエストが失敗
                (実行後に同じ負荷で { $seconds } 秒測定)。
                warp はライブラリーがリクエストを最大 10 回繰り返すため、
                このような操作をエラーなしの成功と報告する。
                その所要時間には拒否されたリクエストと待ち時間が含まれる
            blobs-unread =
                { $followed } 個の blob のうち { $unread } 個は削除前に読めなかった({ $share })ため、
                ポーリングでは削除が反映されたかを確認できない
            no-effect =
                受理された操作のうち確認した { $followed } 件中 { $failed } 件が、
                期限内に反映されなかった({ $share })

            find-out-unread =
                保存した内容をターゲットが返さない理由を調べる。
                それがわからなければ、削除についても何もわからない
            set-gone-within =
                削除が反映されるターゲットどうしでのみ削除を比較する。
                または --gone-within をターゲットの削除の遅延に合わせる
            read-log-of-deletions =
                ターゲットのログを読む。応答からは blob が削除されたかどうかわからない
            run-with-retries = warp と同じ条件で測るには --retries 10 を付ける
            free-space =
                満杯になったターゲットのディスクを空ける。またはオブジェクトの数かサイズを減らして測る
            check-address =
                このアドレスで何が応答しているかを調べる。
                この操作を実装したストアはそのステータスを返さないので、操作が実行されたかは不明
            not-passed-on =
                アクセス層のログを読み、プロキシーと Kafka が稼働しているかを確認する。
                アクセス層はこれらの削除を次に渡せず、blob は残っている
            check-disks =
                ターゲットのすべてのディスクとノードが稼働しているかを確認する。
                操作に参加した数が足りない。接続数を減らしても変わらない
            wait-for-start = ターゲットの起動が完了するまで待って、再実行する
            raise-limit =
                ターゲットが負荷を制限している。
                接続数またはレートを下げるか、ターゲットの同時リクエスト数の上限を上げる
            was-unavailable =
                ターゲットのログを読む。過負荷、起動直後、または保守中で利用できなかった。
                負荷が原因かどうかは、少ない接続数での実行でわかる
            internal-error =
                内部エラーの理由をターゲットのログで調べる。
                少ない接続数でも失敗するなら、負荷は原因ではない
            look-at-space =
                ターゲットのディスクの空き容量を確認し、ターゲットのログを読む。
                理由のないステータス 500 は、ディスクが満杯のためのことがある
            bad-gateway =
                ターゲットの前にあるプロキシーのログを読む。背後のサーバーから有効な応答を得ていない
            refuses-load =
                リクエストを拒否しているものを探す。レート制限(nginx では limit_req、limit_conn)か、過負荷のサーバー。
                制限を上げる。または同時接続数かレートを下げる
            gateway-timeout =
                ターゲットの前にあるプロキシーのログを読む。背後のサーバーが時間内に応答しなかった
            renew-keys =
                ターゲットが一時的な鍵を受け付けない。Tenbin に取得と更新を任せる
                (--assume-role、--web-identity-token-file、--sts-endpoint)か、更新に失敗した理由を調べる
            check-response =
                ターゲットが応答するか、スライスが 1 応答に足りる長さかを確認する
            check-listener =
                ターゲットが動いているか、listen backlog、オープンできるファイル数の上限、
                負荷生成側のローカルポートの空きを確認する
            reduce-load =
                同時接続数かレートを下げる。そこまで遅い応答でも許容できるなら --timeout を長くする
            connections-dropped =
                ターゲットのログを読む。上限に達したか異常終了したために、接続を切っている
            check-port = そのポートで何が待ち受けているか確認する。HTTP/1.1 で応答していない
            rate-limiter =
                負荷生成側に対するレート制限を解除するか上限を引き上げる。
                または --rate で上限未満に抑える。
                ステータス 429 はレートリミッターの応答であり、測りたい処理の応答ではない
            follow-redirect =
                リダイレクト先の URL を測る(同じサーバーなら --follow)。
                またはリダイレクトを --expect 3xx で成功とみなす
            refused =
                { $check ->
                    [bucket] バケット、認証情報とその権限
                    [store] ターゲットのストアとトークン
                   *[request] パス、メソッド、ヘッダー、成功とみなすステータス
                }を確認する。操作が完了していない
            fails-under-load =
                ターゲットのログを読む。この負荷に耐えられていない。同時接続数かレートを下げる
            find-cache =
                ターゲットの手前のキャッシュや、更新の遅れたノードがないか調べる。
                リクエストより前に上書きされた内容を返している
            other-work =
                該当する応答を調べる。同じリクエストなのに以前と異なる処理をすることがある。
                内容が変わって当然のページなら --may-differ body を付けて測る
            check-failed =
                該当する応答を調べる。
                ステータスは成功だが、チェックを満たさないか、ボディがエラーを示している。
                リクエストかサーバー、または条件(--check)を直す。
                ボディのエラーを許容するなら --no-body-errors を付ける
            ends-early =
                ターゲットのログを読む。
                接続の切断、上限、内容の欠落のため、全バイトを送る前に応答が終わっている
            other-bytes =
                保存したものと異なるバイト列を返す理由がわかるまで、このターゲットにデータを預けない
        "#,
    },
    tier: Tier::Work,
    ..RuleInfo::PLAIN
};

pub(crate) fn judge(evidence: &Evidence<'_>) -> Vec<Finding> {
    let cells = evidence.cells();
    let known = |cell: &Cell<'_>| evidence.environment.targets.get(&cell.target.name);
    let failures = cells.iter().filter_map(|cell| of_cell(cell, known(cell)));
    let without_effect = cells.iter().filter_map(|cell| without_effect(cell));
    failures.chain(without_effect).collect()
}

/// Finding on operations that the target acknowledged, but whose effect was not visible to polls in
/// time.
fn without_effect(cell: &Cell<'_>) -> Option<Finding> {
    let ops = cell.slices.iter().flat_map(|slice| &slice.ops);
    let mut classes = BTreeMap::new();
    let (mut followed, mut failed, mut texts) = (0, 0, BTreeMap::new());
    for op in ops.filter(|op| op.role == Role::Effect) {
        followed += op.counts.ok + op.failed_count();
        failed += op.failed_count();
        add(&mut classes, op.errors.iter().map(|(k, n)| (*k, *n)));
        add(
            &mut texts,
            op.failures.iter().map(|(k, n)| (k.as_str(), *n)),
        );
    }
    if failed == 0 {
        return None;
    }
    let unread = classes.get(&ErrorClass::Unexpected).copied().unwrap_or(0);
    let share = failed as f64 / followed as f64;
    let late = classes.get(&ErrorClass::Timeout).copied().unwrap_or(0);
    let (seen, advice) = if unread == failed {
        let unread = message!(
            "blobs-unread",
            unread = Value::Plain(unread),
            followed = Value::Plain(followed),
            share = Value::Share(share)
        );
        (unread, message!("find-out-unread"))
    } else {
        let no_effect = message!(
            "no-effect",
            failed = Value::Plain(failed),
            followed = Value::Plain(followed),
            share = Value::Share(share)
        );
        let advice = if late > 0 {
            message!("set-gone-within")
        } else {
            message!("read-log-of-deletions")
        };
        (no_effect, advice)
    };
    let most_often = texts.iter().max_by_key(|(_, count)| **count);
    let most_often = most_often.map(|(text, _)| message!("most-often", text = tame(text)));
    let severity = Severity::Suspect.raised_if(share > ANY);
    let seen = clauses([Some(seen), most_often].into_iter().flatten());
    let finding = RULE.finding(severity, Cause::Server, seen, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

fn clauses(clauses: impl Iterator<Item = Message>) -> Message {
    message!("clauses", clauses = Value::Clauses(clauses.collect()))
}

fn of_cell(cell: &Cell<'_>, known: Option<&TargetEnvironment>) -> Option<Finding> {
    let tally = Tally::of(cell);
    let severity = tally.severity()?;
    if tally.is_explained() {
        return None;
    }
    let retried = known.and_then(|known| known.retried.get(&cell.workload.name).copied());
    let retried = retried.filter(|_| severity == Severity::Invalid);
    let hidden = retried.and_then(|retried| what_retries_hide(&retried));
    let disk = known.and_then(|known| known.nearly_full_disk);
    let full = out_of_space::sign(cell, &tally.statuses, &tally.texts, disk);
    let odd = tally.odd_success();
    let named = named_cause::advice(&tally.statuses, &tally.texts);
    let advice = match (&full, &odd, named) {
        (Some(_), ..) => message!("free-space"),
        (None, Some(_), _) => message!("check-address"),
        (None, None, _) if may_be_full(cell, &tally) => message!("look-at-space"),
        (None, None, Some(advice)) if tally.commonest() == Some(ErrorClass::Status) => advice,
        _ => tally.advice(cell.workload.facts()),
    };
    let advice = match hidden {
        Some(_) => clauses([advice, message!("run-with-retries")].into_iter()),
        None => advice,
    };
    let others = [odd, full, hidden].into_iter().flatten();
    let seen = clauses(tally.evidence().into_iter().chain(others));
    let finding = RULE.finding(severity, tally.cause(), seen, advice);
    Some(finding.on(&cell.workload.name, &cell.target.name))
}

/// Whether a full disk is possible and cannot be seen: a target on another machine that should store
/// content fails without a reason.
fn may_be_full(cell: &Cell<'_>, tally: &Tally) -> bool {
    let mut machines = cell.slices.iter().filter_map(|slice| slice.machine());
    let is_here = cell.runs_here() || machines.any(|machine| machine.target_here == Some(true));
    let operations = cell.workload.facts().operations();
    let stores = operations.iter().any(|operation| operation.stores);
    let is_bare = named_cause::is_unexplained(&tally.statuses, &tally.texts);
    !is_here && stores && is_bare && tally.commonest() == Some(ErrorClass::Status)
}

/// What retries hide: rejected requests that succeeded when sent again. `None` if retries did not
/// succeed.
fn what_retries_hide(retried: &Retried) -> Option<Message> {
    let seconds = retried.ns as f64 / 1e9;
    let (ok, refused) = (retried.ok, retried.attempts_failed);
    let all = ok + retried.failed;
    if ok == 0 || refused == 0 || seconds <= 0.0 {
        return None;
    }
    Some(message!(
        "retries-succeed",
        seconds = Value::whole(seconds),
        retries = retried.most,
        failed = Value::Plain(retried.failed),
        operations = Value::Plain(all),
        failed_requests = Value::Plain(refused),
        requests = Value::Plain(refused + retried.attempts_ok)
    ))
}

#[cfg(test)]
mod tests;
