# Notes, warnings, errors and progress lines in Japanese. The English text of each stands in the code.

# --- Shared parts
said = { $text }
quoted = 「{ $text }」
then = { $first }。{ $next }
chain = { $first }{ $next }
of-target = ターゲット「{ $target }」: { $said }
of-targets = ターゲット「{ $targets }」: { $note }
of-workload = ワークロード「{ $workload }」: { $text }
cannot-write = { $path } に書けない: { $reason }
file-written = 書き込んだファイル: { $file }
given-twice = { $file } が 2 回指定されている
name-writable-file = { $reason }。書き込めるファイルを指定する

# --- Mistakes on the command line
usual-forms = よく使う形(主なオプションの一覧は tenbin http -h):
tip-target = サーバーは '--target { $url }' で指定する
tip-in-plan = 測定の内容はプランにある。プランのキー(たとえば [load] の connections)で指定する。オプションとキーの対応は docs/plan-file.md
build-first = init がサーバーをビルドするのは --build があるときだけ。先にビルドする: { $build }
build-missing-first = { $program } がない。先にサーバーをビルドする: { $build }
init-building = { $program } がないためビルド中: { $build }
ci-fill-in = { $file } の先頭の TENBIN_VERSION と TENBIN_URL を確認する。CI がダウンロードする Tenbin のリリースを表す
ignore-runs = 結果は { $runs }/ に書かれる。git の対象から外すには: echo { $runs }/ >> .gitignore
no-build = --build がないため、リビジョンを git にあるまま起動した。サーバーをビルドするコマンドを指定する(例: --build make)
nothing-built = { $revision } の作業ツリーに { $program } がない。ビルドするコマンドを --build COMMAND で指定する
tip-k6 = Tenbin はスクリプトを実行しない。k6 の設定に当たる 'tenbin http' のオプションは docs/coming-from.md#k6 にある
tip-plan = プランは 'tenbin run { $plan }' で実行し、'tenbin plan file { $plan }' で確認する
tip-option = このオプションの名前は '{ $name }'
tip-csv = '--patterns FILE' はリクエストをファイルから読む。docs/patterns.md に、CSV ファイルからこのファイルを作る方法がある
tip-tool =
    'tenbin http URL' に --connections、--rate、--duration などのオプションを付ける('tenbin http -h')。
    { $tool } の結果は 'tenbin import FILE' で読める
tip-no-programs = Tenbin が測るのはサーバーで、プログラムではない。{ $tool } の結果は 'tenbin import FILE' で読める
tip-command = このコマンドの名前は '{ $name }'
tip-last-two = 最新の 2 つの実行なら 'tenbin { $command } previous last'
tip-last = 最新の実行なら 'tenbin { $command } last'
out-is-no-file =
    「{ $text }」はファイル名のように終わっているが、--out は実行を置くディレクトリー。ファイルに書くには
    --export { $format }={ $text }

# --- Ctrl-C
no-ctrl-c = Ctrl-C を扱う準備ができない: { $why }
stopping = 停止中。もう一度 Ctrl-C を押すと、結果を残さずすぐに終了する
stopping-clean-up = 後片づけを停止中。結果は残っている。もう一度 Ctrl-C を押すと、すぐに終了する
objects-may-stay =
    { $stopping }。その場合、オブジェクトがターゲットに残ることがあるので、
    tenbin clean { $directory } で削除する
interrupted = 中断した。ここまでの結果は残っている
clean-up-interrupted = 後片づけを中断した。結果は完全で、残っている
target-failed = { $why }。ここまでの結果は残っている
record-failed = { $why }。書き込み済みの結果は残っている

# --- Progress
starting = { $target } を起動中
waiting-for = { $target }: { $awaited } を待っている({ $waited })
is-up = { $target } の準備ができた: { $url }
plan-contains = plan.toml に次の値が含まれる: { $what }。秘密の値の代わりに {"{env:NAME}"} を使う
generating-pages = ページを生成中({ $done })
loading-into = { $target } にページを読み込み中
step = { $target }、{ $workload }: { $what }
making-pages = ページを生成中
loading-pages = { $target }: { $server } にページを読み込み中({ $total } 中 { $loaded })
stage = { $target }、{ $workload }: { $what }({ $done })
stage-now = { $what }{ $refusals }{ $left }
stage-takes = { $what }({ $size })は約 { $time } かかる見込み。これまで毎秒 { $rate } オブジェクト、{ $bytes }/s
stage-refused = ターゲット「{ $target }」、{ $what }: { $refused }
server-refused = サーバーが { $requests } 件のリクエストを拒否し、再送はすべて成功した(同時のリクエストを { $fewest } まで減らした)
refused-again = 、{ $requests } 件のリクエストが拒否され再送
time-left = 、残り約 { $time }
done-of = { $total } 中 { $done }
done = { $done }
warming-up = { $target } を { $workload } でウォームアップ中
stopping-targets = ターゲットを停止中
kept-in = 結果の保存先: { $directory }
slice-of = スライス { $slice } / { $total }
unknown-time = 時間は不明
of-time = / { $time }
until = 、{ $clock } UTC まで
about = 約 { $time }
at-most = 最長 { $time }
a-search = 最大レートの探索
slices = { $slices } スライス
lasting = { $what }、{ $about }
lasting-between = 最大 { $what }、{ $shortest }〜{ $time }
until-requests = { $what }、{ $requests } リクエストが終わるまで
until-requests-or = { $what }、{ $requests } リクエストが終わるまで、または { $time }
if-slower = (あるターゲットがはるかに遅ければ、最長 { $time })
time-parts =
    ({ $targets } ターゲット{ $workloads ->
        [1] {""}
       *[other] {" "}× { $workloads } ワークロード
    } × { $each }、残りは{ $rest ->
        [true] ウォームアップ、休止、ほかの負荷の測定、連続負荷
       *[false] ウォームアップと休止
    }。-d で各ターゲットの時間を指定する)
if-behind = (あるターゲットがレートに追いつかなければ、最長 { $time })
behind =
    遅れている: { $waiting } リクエストが予定時刻を過ぎて接続の空きを待っている。--rate を下げるか、--connections を増やす
after-loading = 。その前に、ターゲットごとに { $objects } 個のオブジェクト({ $size })を読み込む
after-loading-again =
    。その前に、ターゲットごとに { $objects } 個のオブジェクト({ $size })を読み込み、
    各スライスの前にも補充する
probe =
    { $target } の { $workload }: { $rate } の{ $what ->
        [proof] 証明
       *[step] 試行
    }({ $bracket })
maximum-between = 最大レートは { $held } と { $failed } の間
maximum-at-least = 最大レートは { $held } 以上
maximum-below = 最大レートは { $failed } 未満
maximum-unknown = 最大レートはまだ不明

# --- Set-up and clean-up of a target
loading =
    { $objects } { $what ->
        [archive] 個のアーカイブ
        [version] 個のバージョン
       *[object] 個のオブジェクト
    }を{ $in_parts ->
        [true] マルチパートで
       *[false] {""}
    }読み込み中
loading-blobs = { $blobs } 個の blob を読み込み中
deleting-blobs = { $blobs } 個の blob を削除中
deleting-under = { $prefix } 以下をすべて削除中
deleting = { $what }を削除中
deleting-objects = { $objects } 個のオブジェクトを削除中
checking-host = ホスト { $host } の名前にあるバケットを確認中
checking-checksum = 誤った { $header } をサーバーが拒否するかを確認中
checking-hosts = { $hosts } 台のホストを確認中
listing-left = { $prefix } 以下に残ったものを一覧中
listing-objects = { $place }のオブジェクトを一覧中
checking = { $what }を確認中
checking-bucket = バケット { $bucket } を確認中
checking-access = バケット { $bucket } へのアクセスを確認中
checking-support = { $feature } への対応を確認中
aborting-uploads = 未完了のアップロード { $uploads } 件を中止中
reading-unloaded = 負荷をかける前の応答を読み取り中(負荷中の応答と比べる)
reading-back =
    書き込みまたは削除したオブジェクトから { $objects } 個を{ $is_again ->
        [true] 再び
       *[false] {""}
    }読み戻し中(最長 { $seconds } s)
counting-hits =
    { $patterns } パターンのヒット数を{ $is_again ->
        [true] 再び
       *[false] {""}
    }確認中{ $hosts ->
        [1] {""}
       *[other] (ホスト { $host } / { $hosts })
    }
bucket = バケット { $bucket }{" "}
buckets = バケット { $first }〜{ $last }{" "}
no-bucket = バケットなし
kept-for-later = { $prefix } 以下の { $objects } 個のオブジェクトを、以後の実行のために{ $place }に残した
deleted-objects = バケット { $bucket } の { $prefix } 以下から { $objects } 個のオブジェクト({ $bytes } バイト)を削除した
deleted-blobs = セット { $set } の blob を { $blobs } 個削除した
deleted-bucket = 実行が作成したバケット { $bucket } を削除した
in-directory = ディレクトリー { $directory }{" "}
in-set = セット { $set }{" "}
under-in-bucket = バケット { $bucket } の { $prefix } 以下
under-in-buckets = バケット { $first }〜{ $last } の { $prefix } 以下
place-on-target = ターゲット「{ $target }」の{ $place }

# --- Notes of a run
result-page = 結果のページ: { $page }
redirect-followed = 「{ $workload }」: { $from } は { $to } にリダイレクトされるので、リダイレクト先を測る
limit-probes =
    ラウンドの後、何が限界かを調べるため、各ターゲットに { $time } ずつ、1 接続と最大 { $most } 接続(2 倍)で
    負荷をかける(--probes none で無効)
stretch =
    ラウンドの後、休みの後だけ速いサーバーを見つけるため、各ターゲットに { $time } 休みなく負荷をかける
    (--sustain 0 で無効){ $for_all ->
        [true] {""}
       *[false] 。対象外: { $without }
    }
no-stretch =
    ラウンドの後の連続負荷はない{ $for_all ->
        [true] {""}
       *[false] 。対象外: { $without }
    }
not-for = 「{ $workload }」({ $why })
search-has-proof = 最大レートの探索は、最後に長い試行を行う
rate-changes = レートがスライスの中で変わる
uses-up-objects = 操作がオブジェクトを使い切る
measuring-retries = 再試行が隠すものを測定中
differs-sustained =
    「{ $target }」の「{ $workload }」の連続負荷での数値が、ラウンド中と違う。確認のためもう一度測る
connections-reopened =
    ワーカーへの接続の割り当てが偏っているので、このスイープの各スライスで接続を { $times } 回開き直す(--reopen)
cold-caches = 各スライスが冷えたキャッシュから始まる
highest-level-only = スイープでは最も高い段階だけに連続負荷がある
same-requests =
    ワークロード「{ $workload }」: 全ターゲットに同じリクエストを送る。最初は 1 スライスに { $requests } リクエスト: { $times }
seconds-on = 「{ $target }」で約 { $seconds } s
sent-first-only = 「{ $target }」は非常に遅いので、最初の { $share } だけを送る
slices-lengthened =
    スライスを { $slice } から { $longer } に延ばす。ウォームアップで 1 操作に { $median }(中央値)かかり、
    スライスはその { $times } 倍の長さにする。全スライスで約 { $all } になる(長さは --slice で指定できる)
started-once =
    ターゲット「{ $target }」の起動に { $seconds } s かかったので、ターゲットの起動は 1 回だけにする。
    区間に、プログラムの起動ごとの差は含まれない(--relaunch=block なら含まれる)
restarts-take =
    ターゲットを{ $when ->
        [slice] 各スライスの前に
        [round] 各ラウンドの前に
       *[rounds] { $rounds } ラウンドごとに
    }再起動する。ウォームアップを含め、{ $whole } のうち約 { $time } かかる
    (--relaunch=never なら起動は 1 回だけ)
trying-once-more = { $why }。もう一度だけ試す
nothing-measured = 何も測定しなかったので、{ $directory } を削除した
dead-hosts =
    ターゲット「{ $target }」: { $all } 台のホストのうち { $dead } 台が応答しない({ $hosts }): { $reason }。{ $left_out ->
        [true] これらのホストを除外する
       *[false] これらのホストの分のリクエストは失敗する(--dead-hosts leave-out で除外できる)
    }
first-status =
    ターゲット「{ $target }」: GET の応答のステータスは { $status } で、成功に数えない。
    「{ $workload }」のリクエストは失敗する可能性がある
insecure = 証明書を検証しない(insecure)。別のサーバーが代わりに応答してもわからない
bare-line-feed =
    応答の { $line } 行目が CR LF ではなく LF だけで終わっている。Tenbin は受け付けるが(RFC 9112 2.2 節)、
    受け付けないクライアントもある
waiting-for-response = { $why }。応答を最長 { $seconds } s 待つ(--on-outage)
no-response-for = ターゲット「{ $target }」が { $seconds } s 応答していない
responds-again = ターゲット「{ $target }」が { $seconds } s 後に再び応答した。{ $again }
again =
    { $part ->
        [preparation] 準備
        [warm-up] ウォームアップ
        [block] ブロック { $block }{" "}
        [first-rate] 最大レートの探索のウォームアップ
        [probe] 最大レートの探索の試行
       *[stretch] ラウンド後の連続負荷
    }をやり直す
waiting-for-agents = { $agents } 台のエージェントを待っている
agents-found = { $wanted } 台中 { $found } 台のエージェントが見つかった
looking-for-agent = { $why }。代わりのエージェントを最長 { $seconds } s 探す
again-with-agents = { $why }。{ $agents } 台のエージェントで{ $again }
ports-may-run-out =
    ターゲット「{ $target }」: ローカルポートが足りなくなるおそれがある。keep-alive なしでは { $held } s の間に最大
    { $taken } 接続が閉じられ、サーバーが先に閉じない限り、それぞれがその間 TIME_WAIT でポートを占める。ポートは
    { $ports } 個で、すでに { $waiting } 接続が TIME_WAIT にある。keep-alive を使う、レートを下げる、サーバーの
    アドレスを増やす、net.ipv4.ip_local_port_range を広げる、のいずれかにする
request-log = { $requests } 件のリクエストのログ: { $files }
log-too-slow = ログに { $requests } 件のリクエストが欠けている。書き込みが負荷より遅かった
log-full = ログに { $requests } 件のリクエストが欠けている。ログに書けるのは { $most } 件まで
log-ended = リクエストのログが途中で終わった: { $reason }
pages-reused = { $directory } にある { $pages } ページを再利用する(同じ設定で生成したもの)
few-titles = リクエストに使える異なるタイトルは { $titles } 個だけ。ページにそれ以上ない
first-hits = 最初の { $patterns } パターンのヒット数を比べる
no-known-search =
    ヒットのない検索を数えない。Groonga、Droonga(/d/select)、OpenSearch(/_search)の検索とわかるパターンがない。
    応答のどこにヒット数があるかを hits(--hits)で指定する
unknown-searches =
    { $all } パターンのうち { $unknown } パターンは検索かどうかわからないため、ヒット数を数えない。
    応答のどこにヒット数があるかを hits(--hits)で指定する
responses-without-hits =
    ヒットのない検索を数えない。最初のパターンへの応答にヒット数がない。応答のどこにヒット数があるかを
    hits(--hits)で指定する
drawn-from = ファイルの { $all } パターンのうち { $drawn } パターンから選ぶ
counts-as-error = 実行前の応答をエラーに数える: { $response }
looks-like-error =
    実行前の応答がエラーに見える: { $response }。エラーなら、正しい応答が含むものを --check で指定する
live-page = 実行中のページ: { $url }
metrics-page = メトリクス: { $url }

# --- Cautions before a run
too-few-rounds =
    --rounds { $rounds } ではどんな差も示せない。信頼水準 { $confidence } % では、{ $questions ->
        [1] {""}
       *[other] { $questions } 個の比較の
    }符号順位検定に { $needed } ラウンドが必要 → --rounds { $needed } 以上にする(約 { $time }){ $offers }
or-keep-time = 。時間を変えないなら、--rounds { $needed } --slice { $slice }
or-compare-less =
    。または比較を減らし、このラウンド数で最大 { $questions } 個にする(基準以外の 1 ターゲットの 1 ワークロードが
    1 個の比較。スイープの各段階はまとめて 1 個)
or-without-twin = 。または双子(--aa)を外す
rounds-rounded-up = { $asked } ではなく { $count } ラウンドにする。{ $design }、実行は { $each } ラウンドの倍数になる
order-of-workloads = 比べるワークロードの釣り合った順序は { $each } ラウンドで一巡し
order-of-pair = 2 つのターゲットの釣り合った順序(A B B A)は 2 ラウンドで一巡し
order-of-targets =
    { $targets } 個のターゲット{ $twin ->
        [true] (--aa の双子を含む)
       *[false] {""}
    }の釣り合った順序は { $each } ラウンドで一巡し
gate-few-rounds =
    合格にはできない。ゲートは最大 { $most } ラウンドを測り、合格には少なくとも { $needed } ラウンド(約 { $time })が必要
    → --max-rounds を { $needed } 以上にする
gate-budget-too-short =
    合格にはできない。--budget { $budget } で測れるのは { $measured } ラウンドで、合格には少なくとも { $needed } ラウンドが必要
    → --budget を { $enough } 以上にする
gate-budget-short =
    --budget { $budget } で測れるのは { $allowed } ラウンドで、合格には少なくとも { $needed } ラウンドが必要。
    ゲートは { $measured } ラウンドを必ず測ってから終わる → 予算のうちで合格にするには --budget を { $enough } 以上にする
gate-budget =
    ゲートは { $budget } 測ると終わる(--budget)。{ $allowed } ラウンドを測れる。合格には少なくとも { $needed } ラウンド(約 { $enough })が必要
small-parts =
    「{ $workload }」の 1 パートは { $part } だが、ほとんどのサーバーは最後のパートを除き { $smallest } 未満のパートを
    拒否する
literal-template =
    「{ $workload }」: { $part }の "{ $text }" はテンプレートに見えるが、そのまま送信する → { $remedy }

# --- Runs in a directory
no-run-in = { $directory } に実行がない
no-run-like-this = 条件に合う実行がない
newest-listed = 新しい { $most } 件だけを表示した。すべて表示するには --all
no-result = 結果がない。実行が強制終了された。tenbin show で計算できる
no-result-no-slice = 結果がない。何も測定しなかった
no-result-but-logs = 結果がない。何も測定しなかった。実行ディレクトリーの { $logs } を見る
still-running = 実行中
result-unreadable = result.json を読めない。tenbin show で計算し直せる
no-comparison = 比較なし
first-verdict = { $first }(ほか { $more } 件)
run-incomplete = (未完了)
head-run = 実行
head-label = ラベル
head-targets = ターゲット
list-since = 「{ $text }」は日付ではない。2026-01-31 のような日付か、7d のような日数(10000 日まで)を書く
head-question = 内容
head-size = サイズ
head-trust = 信頼性
head-note = メモ
head-result = 結果
history-of-name = { $name } はディレクトリーではないので、runs/ にあるこの名前の実行を示す: { $count } 件
other-series = 最新の実行とは別の実験の系列がほかに { $hidden } 件ある。--all ですべて表示する
row-untrusted = 数値を信用できない
no-title = タイトルは、制御文字も見えない文字もない 1 文字から { $most } 文字までの 1 行にする
no-such-figure = この値のある実行がない。値の一覧は tenbin history --help にある
last-measured = last は { $run }。それより新しい { $newest } は何も測定していない
no-run-directory =
    実行 { $name } はない。この実行ディレクトリーも、runs/ にこのラベルを持つ実行も、名前がこの文字列で始まるか終わる実行もない。
    実行の一覧は tenbin list で見る{ $hint }
did-you-mean-run = 。{ $near } ではないか
not-in-runs = { $run } はこのディレクトリーの { $runs }/ にない。ラベルはそこから探す
label-taken = { $run } がラベル「{ $label }」を使っている。先にそのラベルを外す: tenbin label { $label } ''
no-label =
    「{ $label }」はラベルにできない。{ $longest } 文字までの文字、数字、-、_、. を使う。last と previous は使えない
end-first = { $run } の実行はまだ続いている。先に Ctrl-C で終える
note-refused = メモが不正: { $reason }
is-a-link = { $path } はシンボリックリンク
no-regular-file = { $path } は通常のファイルではない。先に取り除く
run-stays-because = { $run } はそのまま残した: { $left }
page-is-old = { $page } にはまだ反映されていない。書き直すには: tenbin report { $run }
run-labelled = 実行 { $run } のラベルは { $label }
run-unlabelled = 実行 { $run } のラベルを削除した
run-noted = 実行 { $run } のメモ: { $note }
run-without-note = 実行 { $run } から `tenbin note` のメモを削除した
run-is-now = { $run } を { $place } に移した
plan-unreadable = { $run } のプランを読めない: { $reason }
neither-run-nor-file =
    { $name } は実行ディレクトリーでも、パックした実行でも、結果ファイルでもない。
    runs/2026-01-31T120000-s3-put のように実行ディレクトリーを指定する
flag-for-runs = { $flag } は実行にだけ使える。{ $name } は結果ファイル
repeated-measurements =
    { $name } は繰り返した測定を含む。tenbin import で表示するか、tenbin compare でほかの結果と比べる
result-of-tenbin = { $name } は Tenbin の結果。tenbin show で表示する
results-so-far = { $run } の実行はまだ続いている。ここまでの結果を表示する
standard-input-once = 標準入力にできるのは 2 つのファイルの片方だけ。もう片方はファイルを指定する
changed-unknown = --changed の「{ $name }」というワークロードはない。あるのは { $known }
changed-operation-unknown = --changed の「{ $name }」という操作はどのファイルにもない。あるのは { $known }

# --- Clean
cleans-up-itself =
    { $run } の実行はまだ続いており、終わるときに後片づけをする。終わるのを待つか、Ctrl-C で終える
nothing-to-clean =
    削除するものはない。すでに動いていたターゲットには何も保存していないか、残す設定になっており、
    起動したターゲットのデータも残っていない
nothing-left = { $place }には何も残っていない
objects-left = { $place }にオブジェクトが残っている可能性がある
clean-again = 中断した。残りを削除するには、同じコマンドをもう一度実行する
removed = { $what }を削除した
cannot-remove = { $what }を削除できない: { $reason }。手で削除する
data-of-target = { $path } にあるターゲット「{ $target }」のデータ({ $files } ファイル、{ $bytes } バイト)
killed-left-data = 実行が強制終了され、{ $what }が残った。{ $command } で削除する
killed-left-objects = 実行が強制終了された。{ $place }にオブジェクトが残っている可能性がある。{ $command } で削除する

# --- Pack and verify
packed-already = この実行はすでにパックされている
pack-later = { $run } の実行はまだ続いている。終わってからパックする
packed = { $file }: { $files } ファイル、{ $packed }(展開後 { $content })
anybody-can-check = 誰でも検証できる: tenbin verify { $file }
no-readable-result = { $name } に読める { $file } がない({ $reason })。`tenbin show` で結果を計算できる
measured-by =
    { $slices } スライス、{ $targets } ターゲット。測定したのは Tenbin { $version ->
        [unknown] (バージョン不明)
       *[other] { $version }
    }
raw-unchanged = 生データ  変更なし: すべてのチェックサムが一致
raw-changed = 生データ  変更あり: { $evidence }
result-agrees = 結果      各秒のヒストグラムと回数から計算し直した { $figures } 個の数値が、すべて { $file } と一致
result-differs = 結果      { $figures } 個の数値のうち { $different } 個が異なる:
figure-differs = { $path }: { $file } では { $written }、計算では { $computed }
and-more = ほか { $more } 個
other-version = この Tenbin は { $version }。バージョンが違うと、数値の定義が違うことがある
pages-unchanged = ページ    変更なし: { $files }
page-unreadable = ページ    変更あり: { $file } を読めない: { $reason }
page-changed = ページ    変更あり: { $file } はこの結果のファイルではない
page-not-checked = ページ    未検証: { $file } は別のバージョンの Tenbin が書いた
exported = { $format }: { $file }
in-drnbench-format = { $name } の drnbench 形式のファイル: { $file }
result-in-drnbench-format = drnbench 形式の結果: { $file }

# --- Gate
uncommitted = コミットしていない変更は測らない。候補は HEAD
built-before = { $revision } はビルド済み: { $directory }
building = { $directory } で { $revision } をビルド中

# --- Command lines of other tools
version-with-tool = tenbin { $version }({ $tool } のコマンドライン)
latency-distribution = { $name } のレイテンシの分布(ミリ秒):
flag-noted = { $flag }: { $note }
requests = { $requests } リクエスト
time = { $time }
targets-take-turns =
    { $targets } 個のターゲットを交互に測る。ウォームアップの後、それぞれ { $each }のスライスを { $slices } 回。
    このスライス数なら、信頼水準 95 % で差を示せる
messages-lost =
    失われたメッセージ、重複したメッセージ、拒否されたメッセージ、または切断された購読者がある。数値は届いた
    メッセージだけのものなので、このサーバーの評価には使わない
pubsub-slow =
    遅いメッセージ { $number }: 最後の購読者が受信するまで { $last }、最初の購読者まで { $first }。受け付けまで
    { $accepted }。送信はステップの開始から { $start } 後
pubsub-refused =
    失敗したメッセージ { $number }: 受け付けられなかった({ $why })。送信はステップの開始から { $start } 後
pubsub-lost =
    失敗したメッセージ { $number }: 受信した購読者は { $subscribers } 中 { $receivers }。受け付けまで { $accepted }。
    送信はステップの開始から { $start } 後
ab-certificates = 証明書を検証する(ab は検証しない)。--insecure はどの証明書も受け入れる
ab-http-version = リクエストは HTTP/1.1 で送る(ab は HTTP/1.0)
ab-without-k =
    -k がないので、リクエストごとに接続を開き、クライアントが閉じる。Total とパーセンテージには接続を開く時間も含まれる
wrk-certificates = 証明書を検証する(wrk は検証しない)。--insecure はどの証明書も受け入れる
wrk-close = --header: 応答のたびにクライアントが接続を閉じる。接続を開く時間は、リクエストとは別に測る
hsbench-modes = -m: モード c、x、i は測らない。ないバケットは作り、Tenbin が作ったものだけを削除する
hsbench-own-objects = -m: g、d、l には前もって読み込んだ専用のオブジェクトを使う(hsbench は p が残したものを使う)
bench-set = -pr: blob のセットの名前は { $set }
bench-errors = -e: スレッドごとではなく、実行全体の失敗を数える
bench-cluster-manager =
    -c: { $file } にはクラスターマネージャーのホストがある。Tenbin にはアクセス層が必要で、{ $hosts } で探す。
    アクセス層のホストはファイルの "priority_addrs" で指定する
bench-rocksdb = -db rocksdb: 位置は RocksDB ではなく、Tenbin 独自のファイルに保存する
warp-host-select = --host-select: ホストを順番に使う(warp は処理中のリクエストが最も少ないホストを優先する)
warp-objects-existing = --objects: --list-existing と併用すると、使うオブジェクトの数を制限する
warp-versioned-put =
    PUT は、バージョンを残すバケットに専用のオブジェクトを保存する(warp は既存のオブジェクトの新しいバージョンを保存する)
warp-one-put =
    オブジェクトはそれぞれ 1 回の PUT で保存する(warp は 16 MiB を超えるオブジェクトをパートに分ける。ここでは
    warp multipart-put がそれにあたる)
warp-disable-multipart = --disable-multipart: 16 MiB までのオブジェクトは、指定の有無にかかわらず 1 回の PUT で保存する
warp-missing-shares =
    指定のない割合は 0 とする。warp なら既定値({ $defaults })が残り、実際の割合は { $real } パーセントになる

# --- Help on the command lines of other tools
front-usage = 使い方: { $usage }
front-commands = コマンド:
front-flags =
    フラグ(ハイフンは 1 つでも 2 つでもよい)。何も書かれていないフラグの効果は元のツールと同じ。違いは注記にある。
    使えないフラグはエラーになり、理由が表示される。
front-default = {"["}既定: { $default }]
front-env = {"["}環境変数: { $variable }]
front-refused-value = 。{ $value } は使えない: { $reason }
front-noted = 。注記: { $note }
front-refused = 。使えない: { $reason }
front-helper-about = Tenbin で動く { $tool } のコマンドライン。{ $about }。
ab-about =
    Tenbin のエンジンで動く ab のコマンドライン。HTTP/1.0 ではなく 1.1 を使い、失敗をスループットに数えず、
    時間をミリ秒の小数まで示し、判定を下す。
wrk-about =
    Tenbin のエンジンで動く wrk のコマンドライン。パーセンタイルは実際の測定値のもので、時間切れと失敗をスループットに数えず、
    判定を下す。
wrk2-about =
    Tenbin のエンジンで動く wrk2 のコマンドライン。レートは一定で、レイテンシは送信予定時刻から測り、時間切れと失敗を
    スループットに数えず、判定を下す。
hsbench-about =
    Tenbin のエンジンで動く hsbench のコマンドライン。応答は最後のバイトまで測り、エラーをスループットに数えず、
    判定を下す。
bench-about =
    Tenbin のエンジンで動く blobstore-bench のコマンドライン。blob の内容はすべて異なり、読むときに照合する。
    エラーをスループットに数えず、判定を下す。
request-response-about =
    Tenbin のエンジンで動く drnbench-request-response のコマンドライン。クライアント数は指定どおりで、リクエストは尽きず、
    同じリクエストを二重に送らず、判定を下す。
publish-subscribe-about =
    drnbench-publish-subscribe のコマンドライン。HTTP ストリーミングの購読者を、受け取ったメッセージで数える。
warp-about =
    Tenbin のエンジンで動く warp のコマンドライン。数えるのはグッドプットだけで、パーセンタイルは全リクエストのもの。
    判定を下す。
warp-help =
    tenbin warp COMMAND --help で、コマンドのフラグを表示する。プログラムの名前が warp なら、それがこのコマンドになる。

# --- Mistakes on the command lines of other tools
front-added-flag = '{ $arg }' の値「{ $value }」は使えない{ $why }
front-valid-values = 。使える値: { $values }
front-write-integer = 。整数を書く
front-range = 。使える範囲: { $range }
front-because = 。{ $why }
front-flag-elsewhere = ({ $flags } は `{ $instead }` のフラグで、`tenbin { $command }` にはない)
front-value = 「{ $value }」は使えない。{ $reason }
front-takes-no-arguments = { $tool } に引数はなく、「{ $operand }」というフラグもない
front-flag-of-other-command = { $flag } は { $tool } { $commands } のフラグで、{ $title } にはない
front-no-flag = { $title } に { $flag } というフラグはない{ $meant }
front-own-flag = { $title } に { $flag } というフラグはない。{ $own } を使う
front-needs-value = 値が必要
front-word-needs-value = { $word } には値が必要
front-no-switch = 「{ $value }」は true でも false でもない
front-no-integer = 「{ $value }」は 0 以上の整数ではない
front-no-number = 「{ $value }」は 0 以上の数ではない
front-no-choice = 「{ $value }」は使えない。使えるのは { $words }
front-port = ポートは 1 から 65535 までの数
front-too-short =
    { $targets } 個のターゲットをそれぞれ { $slices } スライスずつ交互に測り、1 スライスには少なくとも { $shortest } かかる。
    { $least } 以上にする
front-no-url = { $tool }: URL がない。http://127.0.0.1:8080/ のように最後に書く
front-of-tool = { $tool }: { $why }
front-url-scheme = 「{ $url }」は http:// か https:// で始まる URL ではない。http://127.0.0.1:8080/ のように書く
front-url-path = 「{ $url }」はパスのある URL ではない。127.0.0.1:8080/ や https://example.com/ のように書く
front-no-end = 時間とオブジェクト数の両方を無制限にはできない。-n か -d を指定する
front-no-limit = 「{ $text }」は { $least } 以上の整数でも -1 でもない
front-seconds = { $least } 秒から { $longest } 秒までにする
front-unreadable = { $file } を読めない: { $error }
front-in-file = { $file }: { $why }
ab-connections = 接続数はリクエスト数(-n)より多くできない
ab-two-bodies = -p と -u は同時に使えない
ab-head-body = HEAD で送る本文はない
wrk2-needs-rate =
    指定がない。wrk2 は一定のレートでリクエストを送るので、-R 2000 のように指定する。
    サーバーが応答できるだけ送るには tenbin wrk を使う
wrk-script-argument = { $tool }: URL の後の「{ $argument }」はスクリプトの引数だが、スクリプトは使えない。外す
wrk-needs-rate = レートが必要。-R で指定する
wrk-threads = 接続数より多くできない
wrk-no-number = 「{ $text }」は 1 以上の整数ではない
wrk-no-duration = 「{ $text }」は時間ではない。10s や 2m のように書く
hsbench-no-url = 指定がない。http://127.0.0.1:9000 のようにサーバーの URL を書く
hsbench-no-mode = 「{ $other }」というモードはない。使えるのは c、x、i、p、l、g、d
hsbench-nothing-measured = モード p、g、d、l のどれもないので、測るものがない
hsbench-no-size = 「{ $text }」はサイズではない。4K、64K、1M のように書く
bench-no-directory = 指定がない。位置をディスクに置くにはディレクトリーが必要
bench-starts-empty =
    「{ $modes }」は { $letter } で始まるが、メモリー上の位置は最初は空。p を先にするか、位置をディスクに置き
    (-db rocksdb -r DIR)、同じ -r と -pr で先に -m p を実行する
bench-other-backend =
    blobstore-bench のバックエンドではない。tenbin blob を使う。ファイルなら --target file:///DIR、S3 なら --store s3
bench-no-backend = 「{ $other }」というバックエンドはない。blobstore か dummy と書く
bench-no-conf = 指定がない。ホストのあるファイルを指定するか、{ $variable } を設定する
bench-no-json = JSON ではない:「{ $error }」
bench-no-hosts =
    priority_addrs も cluster_config.clusters もなく、ホストがわからない。アクセス層のホストを指定する。
    例: {"{"}"priority_addrs": ["http://HOST:9500"]{"}"}
bench-database = 「{ $other }」は memory でも rocksdb でもない
bench-modes = 「{ $text }」はモードの並びではない。使えるモードは p、g、d
bench-interval = 「{ $text }」は整数の秒数ではない。数値は 1 秒ごとに記録する
bench-empty-blobs = アクセス層は空の blob を拒否する。1 バイト以上にするか、-b dummy を使う
drnbench-mode =
    「{ $mode }」に必要なエンジンは、もうパッケージのレジストリーにない。使えるのは http だけで、Droonga の HTTP サーバーも
    これを受け付ける
drnbench-fewer-clients = クライアント数 { $end } は最初の段階より少ない
drnbench-steps = 段階の数が上限の { $most } を超える
drnbench-no-patterns = 指定がない。リクエストのファイル(1 行に 1 つのパス、または JSON のグループ)を指定する
drnbench-same-flag = --default-hosts と同じフラグ。片方を外す
drnbench-host-twice = { $host } が 2 回ある。各ホストは 1 回だけ書く
drnbench-no-host = ホストがない
drnbench-subscribers = { $steps } 段階の最後の購読者は { $last } 以上になる。上限は { $most }
drnbench-no-path = 「{ $path }」はパスではない。"/subscribe" のように書く
drnbench-no-mark = { $file } に { $mark } がない。メッセージを区別するために必要
grndump-databases = データベースの指定が { $count } 個ある。パスか、動いているサーバーの URL で 1 つ指定する
grndump-records = 「{ $most }」は 0 以上の数でも、すべてを表す -1 でもない
grndump-pattern = 「{ $pattern }」は正規表現。テーブルを 1 つずつ名前で指定する
droonga-send-rate = 「{ $text }」は 0 より大きい数でも、無制限を表す -1 でもない
warp-refused = warp { $name }: { $reason }
warp-measures-nothing = warp { $name } は何も測らない。"benchmark: get" のように書く
warp-no-command = warp に「{ $name }」というコマンドはない{ $meant }
warp-files =
    warp { $name }: 指定されたファイルは { $count } 個。{ $name ->
        [cmp] 古いものから順に 2 つ指定する
        [merge] 2 つ以上指定する
       *[other] 1 つ以上指定する
    }
warp-segments = 区切りの長さは整数の秒数。"1s" や "5s" のように書く
warp-no-requests = { $file }: 実行ディレクトリーに全リクエストの一覧はないので、一部を選べない。--full が書いた .csv.zst を指定するか、選択の指定を外す
warp-no-shares = すべての割合が 0。どれかを増やす
warp-no-host = 「{ $wrong }」はポートのあるホストではない。"127.0.0.1:9000" のように書き、https には --tls を付ける
warp-empty-host = 空。"127.0.0.1:9000" のように書く
warp-random-weights = 重みと --obj.randsize は一緒に使えない。片方を外す
warp-larger-first = 「{ $text }」は大きいほうが先にある。小さいほうを先に書く
warp-no-sizes =
    「{ $text }」は 1 つのサイズでも、小さいサイズと大きいサイズの組でも、重み付きのサイズの一覧でもない。
    "1MiB"、"1KiB,1MiB"、"1KiB:60,1MiB:40" のように書く
warp-no-weight = 「{ $part }」に重みがない。"1KiB:60,1MiB:40" のように書く
warp-bad-weight = 「{ $weight }」は重みではない。60 のような数を書く
warp-no-weights = すべての重みが 0。どれかを増やす
warp-two-weights = { $size } に重みが 2 つある。1 つにする
warp-takes-no-arguments =
    warp { $name } に引数はなく、「{ $operand }」というフラグもない。オフにするスイッチは --tls=false のように書く
warp-duration = 0 より長くする。"60s" のように書く
warp-random-ranges = ランダムな長さの範囲は使えない。--range-size も指定する
warp-part-concurrent = --parts より多くできない
warp-deletes-more = 混合で削除するのは保存したもの。割合は --put-distrib 以下にする
warp-part-size = 1 バイト以上が必要
warp-needs-signature = --signature=STS_WEB_TOKEN が必要
warp-two-tokens = --sts-web-token と一緒には使えない
warp-no-token = STS_WEB_TOKEN には --sts-web-token が必要
warp-not-with = { $other } と一緒には使えない。片方を外す
warp-random-values = ランダムな値は使えない。値を書く
warp-no-pair = 「{ $text }」は NAME=VALUE の形ではない
warp-run-file = warp run には YAML ファイルを 1 つ指定する: warp run FILE
warp-value-end = "{"{{"}" の終わりがない。"{"{{.NAME}}"}" と書く
warp-no-value = 「{ $inner }」の値がない。"{"{{.NAME}}"}" と書き、--var NAME=VALUE を指定する
warp-line = { $line } 行目: { $why }
warp-empty-key = キーが空
warp-unknown-key = 「{ $first }」というキーはない。すべてのキーは "warp" の下に書く
warp-api = api が「{ $value }」だが、Tenbin が読めるのは v1
warp-key-again = 「{ $key }」は --{ $name } をもう一度設定している
warp-no-api = キー api がない。"warp:" の下に "api: v1" と書く
warp-no-benchmark = キー benchmark がない。"benchmark: get" のように書く
warp-unknown-section = 「{ $unknown }」というセクションはない
warp-unread-yaml = { $line } 行目: Tenbin が読まない YAML。"key: value" の形で書き、一覧は各項目の前に "- " を付ける

# --- Doctor
here = (このマシン)
from-agent = { $target }({ $agent } から)
check-of-agent = エージェント「{ $agent }」の { $check }
check-counts = 失敗 { $failed }、警告 { $warned }、正常 { $ok }、不明 { $unknown }
no-server-checked = サーバーは調べていない。調べるには --target で指定する
fit = 測定に適している
fit-to-compare =
    ターゲットを交互のラウンドで比べるのには適している。次の問題が解決するまで、絶対値は信用しない: { $checks }
not-fit = 測定に適していない: { $checks }
machine-busy =
    { $time } の間、{ $cores } コアの CPU 使用率 { $cpu }、steal { $steal }、負荷平均 { $load }、メモリーの空き { $available }
    (全 { $memory })、スワップの使用 { $swap }、スワップされたページ { $pages }
load-unreadable = このシステムの負荷を読めない
stop-other-work = ほかの処理が終わるのを待つか、止める
other-guests = ハイパーバイザーがほかのゲストに CPU 時間を与えている。ほかのゲストのないホストで測る
memory-swapped = メモリーがスワップされている。メモリーを最も使うプログラムを止める
memory-short = メモリーの空きが少ない。メモリーを最も使うプログラムを止める
cores =
    { $cores } コア、うちこのプロセスが使えるのは { $usable }、ガバナー{ $governor ->
        [unknown] 不明
       *[other] {" "}{ $governor }
    }
share-one-core = 負荷生成側とサーバーが 1 つのコアを分け合うことになる。サーバーを別のマシンで動かす
cores-withheld =
    CPU クォータまたはアフィニティにより、このプロセスが使えないコアがある。比だけを比べるか、制限を外す
frequency-changes = コアの周波数が負荷とともに変わる: cpupower frequency-set -g performance
kernel =
    { $release }{ $virtual ->
        [yes] 、仮想マシン
        [no] 、仮想マシンではない
       *[unknown] {""}
    }
kernel-backlog =
    { $release }{ $virtual ->
        [yes] 、仮想マシン
        [no] 、仮想マシンではない
       *[unknown] {""}
    }。ローカルのサーバーが受け付けるまで待てる接続は { $backlog } まで
release-unreadable = カーネルのリリースを読めない
raise-somaxconn =
    { $connections } 接続を一斉に開くとこの上限を超えることがあり、超えた接続は 1 s 以上遅れる。
    net.core.somaxconn を上げる
clock-source =
    { $source ->
        [unknown] 不明
       *[other] { $source }
    }、時刻の読み取りに { $read } ns。1 ms の sleep の終わりは { $late } µs 遅れる
clock-slow = カーネルが CPU のカウンター(tsc)を使っていない。理由は dmesg で調べる。または別のマシンで測る
timers-late =
    カーネルがスレッドを起こすのが遅い。ほかのプログラムを止めるか、timer slack を小さくする。それまでは、
    1 スレッドあたりの毎秒のリクエストを少なくする
noise =
    1 つのコアを { $seconds } s 調べた: { $slice } ms の間の仕事量のばらつきは ± { $spread }(最小は中央値の { $least })、
    最長の停止は { $pause } ms
no-work = 調べている間、マシンが何も処理しなかった
cores-shared = ほかのプログラムまたはほかのゲストとコアを分け合っている。ラウンドを増やし、比だけを比べる
machine-pauses =
    高いパーセンタイルに、このマシンの停止が含まれる。高いパーセンタイルは比較にだけ使うか、ほかのプログラムを止める
encryption =
    1 コアの暗号化は { $speed }/s(AES-128-GCM)。システムの認証局は { $authorities } 個{ $authorities ->
        [0] で、https には --cacert か --insecure が必要
       *[other] {""}
    }
aes-unmeasured = AES-128-GCM を測れない
aes-slowed =
    プロセッサーに AES の命令があるのに暗号化が遅い。ほかのプログラムがこのコアを使っているか、周波数が低い。
    空いているマシンで調べ直す
aes-missing =
    暗号化が遅いため、TLS では負荷生成側が限界になりうる。プロセッサーに AES の命令がないか、ハイパーバイザーが
    隠している
aes-unknown = 暗号化が遅いため、TLS では負荷生成側が限界になりうる。プロセッサーに AES の命令があるかは不明
process = { $process }
hidden-process = ユーザー ID { $uid } のプロセス(そのユーザーと root にだけ見える)
port-taken =
    { $who } が { $address }{ $more ->
        [0] {""}
       *[other] {" "}ほか { $more } アドレス
    } を待ち受けている
stop-listener = そのプロセスを止めるか、サーバーを別のポートで起動する
port-free = { $port } は空いている
cannot-listen = { $port } を待ち受けられない: { $reason }
another-port = サーバーを別のポートで起動する
outgoing-ports =
    { $connections } 接続に対し、{ $ports } ポート({ $lowest }〜{ $highest })、TIME_WAIT の接続は { $waiting }
range-unreadable = ローカルポートの範囲を読めない
ports-too-few = 接続を減らす、サーバーのアドレスを複数にする、net.ipv4.ip_local_port_range を広げる、のいずれか
ports-short =
    TIME_WAIT が終わるまで 1 分待つ、接続を維持する、net.ipv4.ip_local_port_range を広げる、のいずれか
responds =
    { $addresses } で{ $status ->
        [none] {""}
       *[other] ステータス { $status } の
    }応答がある{ $who ->
        [none] {""}
       *[other] ({ $who })
    }
nothing-listens = { $address } を待ち受けるものがない
check-name = 名前を確認するか、--resolve でアドレスを指定する
start-there-too = サーバーをそのアドレスでも起動するか、--resolve で 1 つのアドレスを選ぶ
certificate-unchecked = 証明書を検証しない。別のサーバーが代わりに応答してもわからない
trust-authority = --insecure の代わりに、--cacert で認証局を信頼する
no-date = サーバーが Date ヘッダーを送らない
clock-off =
    サーバーの時計はこのマシンの時計より { $seconds } s 以上{ $ahead ->
        [true] 進んでいる
       *[false] 遅れている
    }
clock-refused = { $skew }。S3 は 15 分を超えてずれた署名を拒否する
clock-agrees = Date ヘッダーの精度の範囲で、このマシンの時計と一致
set-clock = 2 つの時計のうち誤っているほうを、NTP などで合わせる
check-between = サーバーのログと、このマシンとサーバーの間のプロキシーやファイアウォールを調べる
s3-error-code = S3 のエラーコードで応答する({ $code })
s3-listing = 一覧で応答する
not-s3 = { $response }。S3 の応答ではない
check-api-port =
    これが S3 サーバーの API のポートか確認する。管理コンソールか別のサーバーが待ち受けている可能性がある
region-accepted = { $region } が受け入れられる
response-to-region = { $region } へのリクエストに対し、{ $response }
use-region = サーバーのリージョンを指定する: --region { $region }
set-region = バケットのリージョンを --region で指定する
key-accepted = サーバーが受け入れる
key-unknown = サーバーがこのアクセスキーを知らない。--access-key または TENBIN_ACCESS_KEY で正しいものを指定する
signatures-accepted = この鍵による署名が受け入れられる
secret-key-wrong =
    シークレットキーがこのアクセスキーのものではないか、途中のプロキシーが Host ヘッダーを変えている。
    TENBIN_SECRET_KEY または --secret-key-file で正しいものを指定する
responded = サーバーがステータス { $status } で応答した
responded-code = サーバーが { $status } { $code } で応答した
no-signed-response = サーバーが署名付きのリクエストに応答しなかった
does-not-show = { $response }。これでは判断できない
bucket-exists = { $bucket } があり、一覧できる
before-bucket = { $bucket } を探す前に、{ $response }
bucket-missing = { $bucket } がない
bucket-created = 実行時に作り、終わりに削除する。別のバケットは --bucket で指定する
response-for-bucket = { $bucket } に対し、{ $response }
bucket-denied =
    バケットが別のアカウントのものか、この認証情報では使えない。--bucket で別のバケットを指定するか、権限を得る
see-error-code = サーバーの文書でこのエラーコードを調べる
files-needed = { $connections } 接続には約 { $files } のオープンファイルが必要
files-allowed = { $needed }。このプロセスの上限は { $limit }
limit-raised = { $needed }。上限 { $soft } を、実行時に最大 { $hard } まで上げる
limit-unreadable = 上限を読めない: { $reason }
limit-of-process = { $process } の上限を読めない
raise-hard-limit = 接続を減らすか、ハードリミットを上げる(ulimit -Hn)
server-files =
    サーバーのオープンファイルの上限は { $limit }、現在 { $open } で、実行がさらに { $connections } 接続を開く
raise-server-limit = 上限を上げて起動する(ulimit -n、またはサービスの LimitNOFILE=)
directory-of-runs = 実行を置くディレクトリー { $path }
data-directory =
    { $found ->
        [working] 作業ディレクトリー
        [command] コマンドラインのディレクトリー
        [files] ファイルを開いているディレクトリー
       *[given] データディレクトリー
    } { $path }
free-space-or-out = 空きを作るか、--out で別のディレクトリーを指定する
free-server-disk = サーバーのディスクに空きを作る
choose-out = --out で別のディレクトリーを指定する
cannot-create-in = { $subject }: { $path } にディレクトリーを作れない: { $reason }
data-unknown = データディレクトリーが不明。--data で指定する
no-size = { $subject }: ファイルシステムがサイズを報告しない
space-unreadable = { $subject }: { $reason }
no-inodes = { $subject }: inode を使い切っており、ファイルを作れない
space-free = { $subject }: { $size } のうち空きは { $free }
process-invisible = ここからはプロセスが見えない。そのマシンでログレベルを確認する
command-has = コマンドラインに { $option } がある
environment-has = 環境変数に { $name } がある
log-grew = { $requests } リクエストでログが { $bytes } バイト増えた(1 リクエストあたり { $each } バイト)
debug-suspected = デバッグログの疑い: { $signs }
raise-log-level = ログレベルを上げて起動する。ログの書き込みはサーバーを遅くする
no-debug-option = デバッグログを有効にするオプションも環境変数もない
no-log-file = { $nothing }。ここにログファイルは書いておらず、ほかの場所のログは見えない
log-did-not-grow = { $nothing }。{ $requests } リクエストでログは増えなかった

# --- Lint
lint-file = { $file }: { $tool }、測定 { $measurements } 件
lint-finding = { $severity } { $rule }{ $at }: { $evidence }
lint-nothing = { $rules } 個の規則では何も見つからなかった。規則に必要な数値がファイルにないこともある(docs/lint.md)
lint-found = 所見 { $findings } 件、うち { $invalid } 件は数値を使えなくする
import-suspect = lint の所見が { $problems } 件あり、これらの数値は誤解を招くおそれがある: tenbin lint{ $options } { $file }
import-invalid = lint の所見が { $problems } 件あり、これらの数値は使えない: tenbin lint{ $options } { $file }
lint-alike = { $evidence }。同様の繰り返しがほかに { $repetitions } 回
lint-averaged =
    { $windows } 個の区切りの { $percentile } は { $low }〜{ $high }。{ $tool } が示すのは区切りごとの値の平均で、
    どのリクエストのパーセンタイルでもなく、短い区切りも長い区切りと同じに数える
lint-all-requests = パーセンタイルは全リクエストから求める。warp は --full で .csv.zst に書く
lint-untouched-differ =
    変更が影響しない操作の速度比(変更後 ÷ 変更前): { $speeds }。マシンまたは測り方が、2 つのファイルの間で
    結果を最大 { $factor } 倍変えた
lint-not-the-code = それ以下の大きさの変化をコードによるものとしない。両方のバージョンを 1 回の測定で交互に測る
lint-few-samples =
    { $requests } リクエストの { $percentiles }: { $percentile }({ $time })には { $fewest } リクエスト必要
lint-leave-out-percentiles =
    これらのパーセンタイルを使わないか、長く測る。この 1 回の実行の最も遅いリクエストとほとんど変わらない
lint-filled-in =
    平均レイテンシは { $mean } だが、{ $connections } 接続でこのレートなら最大 { $possible } のはず(平均はその { $times } 倍)。
    スクリプトが 1 つの接続で複数のリクエストを同時に送ったのでなければ、{ $tool } が、送っていないリクエストの
    レイテンシを加えている
lint-use-open-loop =
    パーセンタイルを測定値として使わない。一定のレートで送り、応答時間とサービス時間を別々に示すツール
    (wrk2 -U、--rate を付けた tenbin など)で測る
lint-share-failed = リクエストの { $share } が失敗した。{ $tool } はリクエストの数を示していない
lint-why-fail =
    失敗の理由を調べて測り直す。失敗するリクエストは、正しいものよりはるかに速いか、はるかに遅いことが多い
lint-failures-denied = ファイルは失敗したリクエストがないとしているが、失敗の記載がある: { $failures }{ $share }
lint-failures-hidden =
    失敗がある: { $failures }{ $share }。これらの失敗は { $tool } の{ $counted ->
        [both] レートにも時間にも含まれ
        [times] レートに含まれず
       *[none] レートにも時間にも含まれず
    }、終了コードは 0 のまま
lint-correct-rate-unknown =
    終了コードではなく失敗の数を読み、失敗の理由を調べる。正しい応答のレートは不明
lint-times-of-failures = 終了コードではなく失敗の数を読む。パーセンタイルには失敗の時間も含まれる
lint-failures-untimed =
    終了コードではなく失敗の数を読む。失敗するリクエストは最も遅いことが多く、その時間はパーセンタイルに含まれない
lint-lines-without-figure = 値のない測定の行が { $lines } 行: { $reasons }
lint-own-file =
    欠けたものを測り直すか、ツールの出力だけを 1 つのファイルに書く。残っているのは、たまたま成功したベンチマークだけ
    かもしれない
lint-little =
    { $rate } × ({ $mean }{ $wait })から求めた処理中のリクエストは { $in_flight } だが、ファイルでは { $connections }。
    比は { $printed }(丸めをすべて考慮しても { $least } 以上){ $really ->
        [none] {""}
       *[other] 。実際に動いたのは { $really } クライアント
    }
lint-little-drnbench =
    その行を実際に動いたクライアント数の位置に描くか、測り直す。drnbench はクライアント数をプロセス数の倍数に切り上げる
lint-little-warp =
    --full で書いた warp の .csv.zst の時間を使う。レポートの平均は区切りごとの平均の平均で、短い区切りも長い区切りと
    同じに数える
lint-little-other = レートと時間を一緒に使わない。そのどちらか、または同時接続数が誤っている
lint-not-kept = keep-alive が有効なのに、維持した接続で送ったリクエストがない
lint-ab-connections =
    ファイルに "Keep-Alive requests" の行がない。ab は HTTP/1.0 を使い、実際のクライアントと違って
    リクエストごとに新しい接続を開いた
lint-new-connections = 実際のクライアントと違い、リクエストごとに新しい接続で送っている
lint-use-ab-k = ab -k か、HTTP/1.1 を使うツールで測り直す。このレートは主に接続のコストを示す
lint-keep-connections = 接続を維持して測り直す。このレートは主に接続のコストを示す
lint-aborted =
    { $tool } が、クライアントまたは実行の中断を示している。数値は、より少ないクライアントのもの、または実行の
    一部のもの
lint-why-aborted = 中断の理由を調べて測り直す
lint-impossible-time = 計測時間が { $time } で、ありえない
lint-clock-failed = 測り直す。ツールの時計か実行の終了の処理に問題があり、レートも誤っている
lint-none-succeeded = { $requests } リクエストのうち成功したものがない
lint-none-ended = 終わったリクエストがない
lint-check-address =
    アドレスとサーバーを確認して測り直す。成功したリクエストがなければ、レートも時間もない
lint-own-verdict = ファイルは { $trust } だった tenbin の実行のもの: { $why }
lint-read-findings = 実行ディレクトリーを tenbin show で表示し、実行の所見を読む
lint-failures-counted =
    { $requests } リクエストのうち { $failed }({ $share })が失敗し、{ $rate } に数えられている: { $failures }{ $correct }
lint-rate-of-correct = 。正しい応答: { $correct }
lint-stopped-at-deadline =
    oha が終了時刻に { $requests } 件のリクエストを打ち切った(-w を付けると応答を待つ): リクエストの { $share }
lint-deadline-is-usual =
    最も遅いリクエストが重要でなければ、対処は不要。終了時刻に応答待ちだったリクエストで、接続ごとに 1 件まで。時間は記録されない
lint-use-correct-rate =
    正しい応答のスループットを使い、失敗の理由を調べる。失敗は正しい応答より速いことが多い
lint-single-runs =
    { $before } または { $after } で 1 回しか測っていない操作が { $operations } 個あり、2 つのファイルは交互の測定ではない。
    速度比(変更後 ÷ 変更前)は { $speeds }。繰り返しがないため、同じサーバーの実行ごとのばらつきは不明
lint-repeat-both =
    両方の実行を交互に 6 回以上繰り返すか、交互に測る tenbin でサーバーを比べる
lint-coarse-clock =
    { $exact ->
        [true] すべての
       *[false] ほぼすべての
    }時間が { $step } の倍数で、中央値は { $median }
lint-finer-clock = 差が刻みより小さい時間を比べない。より細かい時計を使うツールで測る
lint-coordinated-omission =
    { $all } のうち { $paused } の間、リクエストがほとんど始まらなかった。クライアントが最大 { $longest } かかった応答を
    待っていたため。途切れなく送っていれば、時間の { $share } がそこに当たっていた
lint-fixed-rate = 一定のレートで送り、予定した開始時刻から時間を数える: tenbin http --rate
lint-fast-errors =
    { $requests } リクエストのうち { $failed } が失敗し、その時間の中央値は { $theirs }。正しいものは { $correct }
lint-correct-times-only =
    tenbin import と同じように、正しいリクエストの時間だけを使う。ツール自身のレポートは両方を数えることが多い
lint-growing-times =
    レートは { $rate } のままで、平均時間が最初の 3 分の 1 の { $first } から最後の 3 分の 1 の { $last } まで
    { $times } 倍に伸びた
lint-lower-rate =
    レートを下げて測る。このレートではターゲットか負荷生成側が過負荷で、時間は実行の長さに左右される
lint-interrupted =
    { $all } のうち { $idle } の間、送ったリクエストも応答を待つリクエストもなかった。ファイルのレートはこの時間も数えている
lint-separate-files = 実行ごとに別のファイルに書く
lint-repeated-rows = { $requests } リクエストのうち { $repeated } の開始時刻と時間が、前の行と同じ
lint-remove-rows = 繰り返された行を除く。ファイルが二重につながれたか、二重に書かれた可能性がある
lint-unsteady-start =
    最初の { $start } のレートは { $rate }、平均時間は { $mean } で、その後は { $later_rate } と { $later_mean }。
    ファイルの数値にはこの開始直後も含まれる
lint-leave-out-start = 開始直後を除く(tenbin warp analyze --analyze.skip)か、ウォームアップをして測る

# --- Errors
lines = { $first }{ $newline }{ $next }
problem = { $place }{ $mistake }
system-error =
    { $kind ->
        [not-found] そのファイルやディレクトリーはない
        [denied] 権限がない
        [directory] ディレクトリーになっている
        [no-directory] ディレクトリーではない
        [exists] すでにある
        [full] 空き容量がない
        [read-only] 読み取り専用のファイルシステムにある
        [address-in-use] そのアドレスは使用中
        [no-address] そのアドレスはこのマシンにない
        [refused] 接続が拒否された
        [reset] 接続が切断された
        [timeout] 時間切れ
        [unreachable] ネットワークから到達できない
        [early-end] 途中で終わっている
       *[other] 「{ $text }」
    }
did-you-mean = 。「{ $meant }」ではないか
meant-flag = 。{ $meant } ではないか
meant-one-of = { $near } ではないか
or-percentile = (または p75 などのパーセンタイル)
not-one-of = { $value } は使えない。使えるのは { $choices }{ $percentile }{ $meant }
no-choice = 「{ $answer }」は使えない。使えるのは { $choices }

# --- Files and runs
unreadable = 読めない。{ $why }
cannot-read = { $path } を読めない。{ $why }
cannot-be-read = { $path } を読めない。{ $source }
cannot-write-file = { $path } に書けない。{ $why }
no-run = このディレクトリーの runs/ に実行がない。実行ディレクトリーを指定する
too-few-runs = runs/ の測定済みの実行は { $there } 件しかなく、新しい方から { $asked } 番目はない。tenbin list で一覧を見る
several-runs = 「{ $word }」で始まる実行がいくつもある({ $runs })。名前をもっと長く書く
several-of-name = 「{ $word }」という名前の実行がいくつもある(新しい順に { $runs })。どれかの名前をすべて書く
no-directory = { $path } はディレクトリーではない。実行のあるディレクトリーを指定する
in-no-run = { $flag }: 「{ $name }」のある実行がない。実行にあるのは { $known }
run-still-running = { $path } の実行はまだ続いており、何も測定していない
disk-full = { $path } を書く空き容量がない。空きを増やすか、--out で別のディレクトリーを指定する
file-error =
    { $path } { $doing ->
        [read] を読めない
        [write] に書けない
        [create] を作れない
        [open] を開けない
        [remove] を削除できない
        [rename] の名前を変えられない
       *[other] を処理できない({ $doing })
    }。{ $source }
not-a-run = { $path } は実行ディレクトリーではない。{ $missing } がない
not-packed = { $path } は pack した実行ではない: { $why }
run-without-slice = { $path } に測定値がない。実行は最初のスライスの前に終わった
damaged = { $path } の { $line } 行目が壊れている: { $what }
run-changed = { $path } の実行を読めない: { $changed }({ $source })。ファイルをコピーから戻す
out-of-order = { $what }を記録できない: { $why }
changes = { $first }。{ $next }
changed-file = { $name } が実行後に変更された
changed-line = { $file } の { $line } 行目が実行後に変更されたか、その前の行が削除された
changed-lines = { $file } の行({ $listed }{ $others })が実行後に変更されたか、その前の行が削除された
further-lines = 、ほか { $further } 行
changed-histogram-lines = { $file } の { $lines }が実行後に変更された{ $others }
one-line = { $first } 行目
one-of-lines = { $first }〜{ $last } 行目のいずれか
later-lines = 。以降の行も一致しない
changed-histograms = { $file } にあるスライス { $slice } のヒストグラムが各秒の記録と一致せず、実行後に変更されている{ $others }
further-slices = (ほか { $further } スライスも同様)
added-lines = 実行後に { $file } の末尾に行が追加された
added-bytes = 実行後に { $file } の末尾にバイト列が追加された
removed-histograms = 実行後に { $file } の末尾が削除された
removed-end = 記録の末尾が削除された。result.json は完了した実行のもの
journal-of-other-version = 形式は { $schema } だが、このバージョンが読むのは { $known }
journal-long-line = 行が { $mebibytes } MiB より長い
journal-operation = ここにはオペレーション { $name } があるはず
journal-host = ここにはホスト { $name } があるはず
second-missing = オペレーションの行の後に second の行がない
second-counts =
    スライス { $slice } の { $second } 秒目の{ $what ->
        [hosts] ホスト
       *[operations] オペレーション
    }は { $found } 個で、{ $expected } 個ではない
second-of-other-slice =
    { $second } 秒目はスライス { $index }({ $target } の { $workload })のもので、
    スライス { $slice }({ $own_target } の { $own_workload })のものではない
impossible-slice =
    スライスの{ $what ->
        [agents] エージェント
       *[threads] スレッド
    }が { $count } 個ある。最大は { $most }
seconds-negative = { $seconds } 秒は負
unknown-line = 行の種類 { $kind } は不明
line-without-slice = この行に対応するスライスが始まっていない
no-histogram = ヒストグラムがあるはず
histogram-kind = ヒストグラムの種類「{ $kind }」は不明
histogram-count = { $kind } のヒストグラムの値は { $count } 個だが、行には { $expected } 個とある
histogram-of-other-count = ヒストグラムの値は { $found } 個だが、行には { $total } 個とある
histogram-no-base64 = ヒストグラムが base64 ではない:「{ $error }」
histogram-undecodable = ヒストグラムを復号できない: { $why }
histogram-too-short = 途中で終わっている
histogram-too-long = カウントの後に余分なデータがある
histogram-too-large =
    ヒストグラムが読める大きさを超えている。カウントが { $bytes } バイトより大きいか、
    有効数字が { $digits } 桁より多い
histogram-line-too-long = 長すぎる
counts-damaged = カウントが壊れている
totals-of-others = オペレーションかホストが各秒の記録と異なる
totals-too-long = ヒストグラムより長い
totals-too-short = ヒストグラムより短い
not-regular = 通常のファイルではない
packed-no-file = 通常のファイルではない
packed-outside = 実行のディレクトリーの外のファイルを含む
packed-foreign-entry = 実行にはない項目を含む
packed-twice = 同じファイルを 2 回含む
packed-too-large = 展開すると、この大きさの実行ではありえないほど大きい
packed-no-plan = plan.toml がない
tag-alone = タグの後に何もない
no-interval = 開始、長さ、最大値、ヒストグラムの行ではない
unexpected-value = 「{ $text }」は、ここに書かれるはずの値ではない
other-longest-value =
    最大値が { $stated } とあるが、ヒストグラムの最大値は { $own } 百万。単位が異なるか、ファイルが壊れている
many-tags = タグが { $most } を超える
file-unreadable = 読めない: { $why }。途中で切れているのかもしれない
no-single-requests = 個々のリクエストのない結果なので、リクエストを選べない
result-too-large = { $most } バイトより大きい。結果のファイルの上限を超えている
packed-often = 圧縮が { $most } 回より多く重なっている
several-sources = { $count } 個の出力元({ $names }、{ $last })の結果が混ざっている。出力元ごとに別のファイルに分ける
several-more = ほか { $more } 個
cannot-unpack = 展開できない: { $error }
result-without-line = 「{ $label }」の行がない。途中で切れているのかもしれない
several-results = { $tool } の結果が複数ある。結果ごとに別のファイルに分ける
result-and-text = { $tool } の結果が複数あるか、ほかのテキストが混ざっている。結果ごとに別のファイルに分ける
not-of-tool = { $tool } が書く形ではない:「{ $what }」。途中で切れているのかもしれない
result-without-member = メンバー { $place } がない。壊れているのかもしれない
unexpected-member = { $path } が、ここに書かれるはずの値ではない:「{ $quote }」
contradicts-rate = 内容が矛盾している。{ $seconds } 秒で { $requests } リクエストなら、毎秒 { $rate } にはならない
contradicts-failures = 内容が矛盾している。{ $requests } リクエストのうち { $failed } が失敗したことになっている
contradicts-order = 内容が矛盾している。{ $less } が { $more } より長い
contradicts-mean = 内容が矛盾している。平均が最短と最長の間にない
contradicts-percentiles = 内容が矛盾している。このパーセンタイルからはこの平均になりえない
result-line-too-long = 行が { $longest } バイトより長い。この形式にそのような行はない
no-column-of-tool = { $tool } が書く列「{ $name }」がない
other-fields = フィールドが { $fields } 個で、1 行目の { $columns } 個と異なる。壊れているのかもしれない
other-cells = セルが { $cells } 個で、1 行目の { $columns } 個と異なる。ファイルが切れているのかもしれない
column-missing = 列「{ $name }」がない。壊れているのかもしれない
two-results = { $format } と { $other } の 2 つの形式の結果がある。結果ごとに別のファイルに分ける
requests-without-hosts = { $tool } のリクエストの一覧にはホストがないので、ホストで選べない
no-bytes = 「{ $cell }」はバイト数ではない
no-http-status = 「{ $status }」は HTTP のステータスではない。100 から 999 のステータスの列か、error= でエラーの列を指定する
other-unit = 「{ $cell }」は上の行とは別の単位の時刻
no-length = 「{ $cell }」は 0 以上の所要時間ではない
no-such-column = 列「{ $name }」はない。列は { $names }
column-without-unit =
    列名「{ $name }」の末尾に単位がない。duration_s={ $name }、または duration_ms、duration_us、
    duration_ns で指定する
no-unix-time =
    「{ $cell }」は 1970 年からの時刻ではない。ほかの時点からの時刻なら time_s=、time_ms=、time_us=、
    time_ns= で指定する
no-date-with-zone =
    「{ $cell }」はタイムゾーンのある日時ではない。2026-01-30T09:00:00.123Z か
    2026-01-30T09:00:00.123+09:00 のように書く
no-own-result = Tenbin の結果ではない:「{ $error }」
result-of-other-version = バージョンが「{ $schema }」だが、この Tenbin が読むのは「{ $known }」
gob-without = { $name } がない
of-gob-message = メッセージ { $number }: { $what }
gob-unreadable = 読めない: { $error }。ファイルが切れているのかもしれない

# --- Targets
of-target-reason = ターゲット「{ $target }」: { $reason }
unresolved = ターゲット「{ $target }」のホスト「{ $host }」の名前を解決できない({ $source })
target-url = ターゲット「{ $target }」の URL「{ $url }」は使えない: { $reason }
exposed-secret = ターゲット「{ $target }」の { $place } に {"{"}secret_key{"}"} があり、このマシンの全ユーザーから読める。env で渡す
target-name = ターゲットの名前「{ $target }」はファイル名に使えない
cannot-start = ターゲット「{ $target }」を起動できない: { $reason }
and-then = { $first }。さらに、{ $then }
target-file =
    ターゲット「{ $target }」の { $path } { $action ->
        [create] を作れない
        [write] に書けない
        [read] を読めない
        [remove] を削除できない
       *[other] を処理できない({ $action })
    }。{ $source }
occupied = ターゲット「{ $target }」を起動できない。{ $address } はほかのプログラムが待ち受けている。それを止めるか、{"{"}port{"}"} でポートを Tenbin に選ばせる
ended-early = ターゲット「{ $target }」は準備ができる前に終わった({ $exit }){ $tail }
ended-early-why = ターゲット「{ $target }」は準備ができる前に終わった({ $exit })。{ $advice }{ $tail }
container-in-background = コンテナはバックグラウンドで動き続けている。{ $client } stop { $id } で止め、-d(--detach)を外して Tenbin がサーバーを止められるようにする
container-not-allowed = このユーザーは { $client } を使えない。ユーザーをグループ { $client } に加えるか、podman を使う
container-no-daemon = { $client } のデーモンに接続できない。systemctl start { $service } などでデーモンを起動する
container-no-image = イメージを取得できない。名前とタグを確かめ、{ $client } login でログインするか、実行の前にイメージをビルドする
container-port-taken = ポートはほかのコンテナが使っている。-p {"{"}port{"}"}:80 のように、Tenbin が選ぶ空いたポートを公開する
container-name-taken = その名前はほかのコンテナが使っている。ターゲットは何度も起動するので、--name を外す
container-pulling = イメージの取得がまだ終わっていない。実行の前に { $client } pull で取得するか、--ready-within を延ばす
container-unpublished = -p {"{"}port{"}"}:PORT がコンテナ内のサーバーのポートであり、サーバーがコンテナ内で 0.0.0.0 を待ち受けることを確かめる
container-late = { $missing }。{ $advice }
container-not-observed = { $client } はサーバーを直接起動しないので、ターゲット「{ $name }」の { $used ->
        [memory] メモリー
       *[other] CPU 時間
    } は観測していない。--observe { $name }=name:PROGRAM でサーバーのプログラムを指定する
container-unobserved = { $client } はサーバーを直接起動しないので、ターゲット「{ $name }」の CPU 時間とメモリーは不明で、ほかのプログラムの使用に数えられる → --observe { $name }=name:PROGRAM でサーバーのプログラムを指定する
ended-after = { $seconds } 秒後に{ $status }
exited = ステータス { $code } で終了した
was-killed = { $signal } で強制終了された
ended-somehow = 終了した(ステータスは不明)
printed-nothing = 。何も出力していない
last-output = 。最後の出力:{ $lines }
not-ready = ターゲット「{ $target }」は { $limit } 以内に準備ができなかった: { $reason }{ $tail }
target-interrupted = ターゲット「{ $target }」の起動中に中断した
unstopped = ターゲット「{ $target }」を停止できなかった: { $reason }
start-dead-hosts = { $hosts }。起動するか、--dead-hosts count か --dead-hosts leave-out を使う
cannot-observe = ターゲット「{ $target }」を観測できない: { $reason }
its-certificate = その証明書

# --- Connections and responses
refused = { $address } を待ち受けるものがない(接続の拒否)。サーバーは起動しているか
no-socket = { $address } がない。サーバーは起動しているか、パスは正しいか
of-address = { $address }: { $reason }
not-http2 = { $address } は HTTP/2 を話さない: { $reason }
connect-timeout = { $address } は { $limit } 以内に接続を受け付けなかった。アドレスとファイアウォールを確かめる
cannot-connect = { $address } に接続できない: { $source }
address-does = { $address } は{ $what }
silent = { $address } は接続を受け付けるが応答しない({ $limit } 待った)
closes = { $address } は接続を受け付けるが、応答せずに閉じる
not-http-response = { $address } は応答するが、HTTP ではない(応答の先頭は「{ $begin }」){ $hint }
switched = { $address } は、別のプロトコルを求めていないリクエストにステータス 101(Switching Protocols)で応答する。何が待ち受けているか確かめる
proxy-page = { $host } の応答はステータス { $status } だが S3 のエラーではない。背後のサーバーに到達できないプロキシの応答とみられる。背後の S3 サーバーが動いているか確かめる
broken = { $address } との接続が切れた: { $source }
abandoned = { $address } を待っている間に中断した
fetch-http1 = Tenbin はこのリクエストを HTTP/1.1 でだけ送る
fetch-status = 応答のステータスは { $text }
fetch-unreadable = 応答が正しい HTTP ではない
unknown-host = そのホストの名前を解決できない。名前を確かめる
no-server-there = そこを待ち受けるサーバーがない(接続の拒否)。起動するか、ポートを確かめる
no-connection-in-time = 時間内に応答がない({ $limit } 以内に接続できない)
no-response-in-time = 時間内に応答がない({ $limit })
response-status = { $path } の応答のステータスは { $status }: { $excerpt }
response-too-long = リクエストが失敗した。応答が { $bytes } バイトを超えている
of-server = { $server }: { $reason }
server-url = サーバー { $url }: { $reason }
server-url-password = サーバーの URL にユーザー名やパスワードを書けない。このマシンの全ユーザーから読めるため。--user と --password-file を使う
interrupted-waiting = サーバーの応答を待っている間に中断した

# --- Runs
preparation-failed = ターゲット「{ $target }」、ワークロード「{ $workload }」: { $what }に失敗した。{ $why }
keys-without = 応答に使える { $name } がない
keys-expiration = 応答の Expiration が UTC の時刻ではない
keys-without-code = サーバーがエラーコードなしのステータス { $status } で応答した。そこで鍵を発行するサーバーか確認する
keys-refused-because = { $meaning }({ $status } { $code })
keys-refused-with = サーバーが { $status } { $code } で応答した:「{ $message }」
keys-refused = サーバーが { $status } { $code } で応答した
keys-expired = このマシンの時計では、鍵の期限がもう切れている。このマシンとサーバーの時計を比べる
keys-no-host = { $host } はホストではない:「{ $error }」
keys-no-address = アドレスがない
keys-header = ヘッダー { $name } を送れない
identity-token-unreadable = トークンのファイル { $path } を読めない: { $error }
no-temporary-keys = ターゲット「{ $target }」の一時的な鍵を { $issuer } から取得できない: { $why }
rejected-method =
    ターゲット「{ $target }」、ワークロード「{ $workload }」: 最初のリクエストが失敗した。
    サーバーはここで GET を受け付けない(ステータス 405)。-X POST か、別のパス(--path)を使う
rejected =
    ターゲット「{ $target }」、ワークロード「{ $workload }」: 最初のリクエストが失敗した。
    GET の応答のステータスは { $status } で、成功に数えない。URL を直すか、
    --expect { $status } でこのステータスを受け入れる
few-descriptors = ターゲット「{ $target }」、ワークロード「{ $workload }」: { $connections } 接続には同時に約 { $needed } 個のファイルを開く必要があるが、このプロセスの上限は { $granted }。接続を減らすか、ハードリミットを上げる(ulimit -Hn)
run-interrupted = 何も測定しないうちに中断した
nodes-alive = ターゲット「{ $target }」: { $expected } ノードのうち { $alive } が動いている({ $why })
thread-cannot-work = 負荷生成スレッド { $thread } が動けない: { $source }
thread-panicked = 負荷生成スレッド { $text } がパニックした。tenbin のバグ

# --- Workloads
unknown-kind = ワークロード { $workload }: 未知の種類のワークロード
work-method = ワークロード { $workload }: メソッド「{ $method }」は GET のような英字の語ではない
work-path = ワークロード { $workload }: パス「{ $path }」は `/` で始め、空白、制御文字、`#` を含めない。%20 などと書く
work-header = ワークロード { $workload }: ヘッダー「{ $name }」は使えない({ $problem })
work-site = { $url } のターゲット: { $what } にヘッダーで送れない文字が含まれる
work-patterns = ワークロード { $workload }: { $reason }
work-bucket = ワークロード { $workload }: 「{ $bucket }」はバケット名に使えない。a-z、0-9、`-`、`.` からなる 3〜63 文字で、最初と最後は英字か数字にする
work-size = ワークロード { $workload }: { $size } バイトのオブジェクトは、1 回の PUT で送れる大きさ({ $most } バイト)を超えている
work-locations = ワークロード { $workload }: 位置を { $path } に保存できない: { $why }
work-found = ワークロード { $workload }: { $why }
no-blobstore = ワークロード { $workload }: { $what } は blobstore プロトコルのターゲットでだけ使える。外すか、ほかのプロトコルのターゲットを除く
work-objects = ワークロード { $workload }: オブジェクトの数は 1〜{ $most } にする。{ $objects } は使えない

# --- Search data
malformed = { $name }、{ $line } 行目({ $byte } バイト): { $reason }
piece-too-long = 1 つの行か値が { $most } MiB を超えている
data-line-not-utf8 = この行は UTF-8 ではない
data-line-too-long = この行は長すぎる
data-no-json = JSON ではない:「{ $error }」
values-for-columns = { $count } 列({ $columns })に対して値が { $values } 個ある
command-missing = コマンドがない
argument-needs-value = --{ $key } の後に値が必要
argument-needs-name = { $name } に名前のない引数「{ $word }」は使えない。--NAME VALUE の形で書く
no-command-name = 「{ $name }」はコマンドの名前ではない
argument-not-utf8 = 「{ $text }」のエスケープを解くと UTF-8 にならない
quote-open = 引用符 { $open } が閉じていない
backslash-last = 最後のバックスラッシュの後に文字がない
escape-no-character = { $escape } は文字ではない
escape-needs-digits = \u の後には 16 進数の 4 桁が必要
load-without-table = load に --table がない
load-of-other-type = load に --input_type { $other } がある。読めるのは json だけ
values-no-json = --values が JSON ではない:「{ $error }」
load-cut = { $line } 行目で始まる load の途中で入力が終わっている。ファイルが切れているのかもしれない
record-begins-with = レコードはオブジェクトか配列にする。「{ $begin }」では始まらない
record-cut = ここで始まるレコードの途中で入力が終わっている。ファイルが切れているのかもしれない
columns-unnamed = 最初の配列には ["_key","title"] のように列の名前を書く
no-record = レコードはオブジェクトか配列にする
dump-begins-with = MediaWiki のダンプではない。先頭が <{ $name }> になっている
dump-too-deep = 要素の入れ子が深すぎる
dump-no-tag-here = XML ではない。タグのあるべきところにテキストがある
dump-text-too-long = 1 つのテキストが 64 MiB を超えている
dump-empty = 空になっている
dump-without-tag = MediaWiki のダンプではない。タグがない
page-without-title = ここで終わるページに <title> がない
page-id-no-number = ここで終わるページ「{ $title }」の <id> は「{ $id }」で、数ではない
dump-not-decompressed = 展開できない:「{ $error }」
dump-no-xml = XML として読めない:「{ $error }」
unknown-entity = 実体 &{ $name }; はない
line-of-array = 1 行には配列ではなくオブジェクトを 1 つ書く。1 行を 1 つの文書にする(例: jq -c '.[]')
line-of-no-object = 1 行にはオブジェクトを 1 つ書く
bulk-action = { $name } は使えない。_bulk で使えるのは index と create だけ
column-unnamed = { $number } 番目の列に名前がない。最初の行には列の名前を書く
columns-same-name = 2 つの列の名前が「{ $name }」になっている
quote-open-in-line = ここで始まる行の引用符が閉じていない。ファイルが切れているのかもしれない
line-from-here-too-long = ここで始まる行は長すぎる
text-after-quote = 閉じた引用符の後にテキストが続いている
document-without-key = 文書に、キー { $key } のテキストか数がない。キーのメンバーを --key で指定するか、--number-keys で文書に番号を付ける
record-without-key = レコードに _key がなく、中断した読み込みを再開すると 2 回追加される
message-no-object = メッセージはオブジェクトにする
message-lacks = メッセージに「{ $name }」がなく、Droonga が理解できない
pages-exist = { $server }: { $what } はすでにある{ $holding }。置き換えるには: { $remove }
and-holds = (レコード { $records } 件)
data-rejected = { $server }: { $reason }。{ $next }

# --- Plans
no-target = 測るターゲットがない。URL か、サーバーごとに --target NAME=URL、起動するなら --launch NAME='COMMAND {"{"}port{"}"}'、またはプランの [[target]] 表で指定する
same-name =
    2 つの{ $what ->
        [target] ターゲット
       *[workload] ワークロード
    }の名前が「{ $name }」。片方の名前を変える
unknown-target = ターゲット「{ $name }」はない。あるのは { $targets }{ $meant }
no-url = 「{ $text }」は URL ではない。「{ $meant }」ではないか
no-credentials =
    ターゲット「{ $target }」のワークロード「{ $workload }」には S3 の認証情報が必要。--access-key と --secret-key
    (または TENBIN_ACCESS_KEY と TENBIN_SECRET_KEY)、プランでは access_key_env と secret_key_env を指定する。
    署名なしのリクエストなら --anonymous、プランでは signature = "none"
script =
    { $tool } のスクリプト。Tenbin はスクリプトを実行しない。`{ $command }` から始める{ $exports }{ $left_out }。
    異なるリクエストは --patterns のファイルに書く。ほかの設定の対応は { $section }
patterns-of-values =
    リクエストではなく値のファイル。--patterns のファイルには、/users/1 のようなパスを 1 行に 1 つ、またはリクエストを JSON で書く。
    行ごとに 1 つのリクエストを作る(docs/patterns.md#requests-from-a-csv-file)
patterns-read = { $file }: 読み込んだリクエストは { $all } 件、そのうち異なるものは { $different } 件
script-further = 異なるリクエストは --patterns のファイルに書く。ほかの設定の対応は { $section }{ $exports }{ $left_out }
script-closest = { $file } は { $tool } のスクリプト。Tenbin はスクリプトを実行しない。最も近いコマンドは次のとおり:
url-is-plan = 「{ $text }」は URL ではない。プランファイルは `tenbin run { $text }` で実行する
url-is-script =
    「{ $text }」は URL ではない。Tenbin はスクリプトを実行しない。k6 や wrk のスクリプトなら、
    `tenbin import { $text }` が最も近いコマンドを表示する
url-is-file = 「{ $text }」は URL ではない。"http://127.0.0.1:8080/" のように書き、リクエストのファイルは --patterns で指定する
script-secrets = (先に export { $variables } を実行する)
script-left-out = (引き継がなかったもの: { $parts })
target-has = ターゲット「{ $target }」に{ $what }
the-value = 値
is-empty = 空になっている
program-empty = 空になっている
key-belongs = 。「{ $meant }」は { $title } に書く
better-name = (「{ $better }」など)
connections-times = { $connections } 接続{ $hosts }{ $depth }
connections-of-hosts = × ターゲット「{ $target }」の { $hosts } ホスト
connections-deep = × 深さ { $depth }
for-operations = 使えるのは { $operations } だけ。この操作は「{ $mix }」
no-s3-workload = このターゲットに S3 のリクエストを送るワークロードがない
keys-need-v4 = 一時的な鍵には signature = "v4" が必要
it-has = { $there } 件しかない
group-has = そのうち { $wanted } 件はグループ「{ $group }」のものになるが、このグループには { $there } 件しかない

# --- Times, rates and sizes
no-duration = 「{ $text }」は時間ではない。"500ms"、"2s"、"1m30s" のように書く
duration-negative = 「{ $text }」は負。"500ms"、"2s"、"1m30s" のように書く
duration-no-unit = 「{ $text }」に単位がない。"500ms"、"2s"、"1m30s" のように書く
duration-unit = 「{ $text }」の単位「{ $unit }」は使えない。単位は h、m、s、ms、us、ns で、"1m30s" のように書く
duration-too-fine = 「{ $text }」は 1 ナノ秒より細かい。"1.5ms" のように書く
duration-too-long = 「{ $text }」は 1 年より長い。"10m" や "1h" のように書く
no-rate = 「{ $text }」はレートではない。"1000/s"、"60/m"、250(毎秒)のように書く
rate-unit = 「{ $text }」の単位「{ $unit }」は使えない。単位は /s、/m、/h で、"1000/s" のように書く
rate-negative = { $text } は負。レートは 0 より大きくする("1000/s" など)
rate-out-of-range = { $text } は範囲外。レートは 0 より大きく 1000000000/s 以下にする("1000/s" など)
not-a-size = 「{ $text }」はサイズではない。"64KiB"、"1MB"、"1000"(バイト)のように書く
size-unit = 「{ $text }」の単位「{ $unit }」は使えない。"64KiB"(2^16 バイト)、"1MB"(10^6)、"1000"(バイト)のように書く
size-fraction = 「{ $text }」は整数のバイト数ではない。"1.5KiB" や "1536" のように書く
size-too-large = 「{ $text }」は大きすぎる。"64MiB" や "5GiB" のように書く
too-small = { $number } は小さすぎる。最小は { $least }
too-large = { $number } は大きすぎる。最大は { $most }
too-short = { $time } は短すぎる。最短は { $least }

# --- Rules
unknown-rule = 規則「{ $name }」はない。{ $hint }
rules-listed = 一覧は `tenbin explain` が表示する

# --- tenbin init
init-missing = 標準入力が端末ではないので質問できない。{ $flags } を指定する
no-default = 既定の答えはない。http://127.0.0.1:8080/ や ./server --port {"{"}port{"}"} のように書く
answer-too-long = 答えが 64 KiB を超えている。短くする
answer-not-utf8 = 答えが UTF-8 のテキストではない。書き直す
only-for = { $option } は { $only } のためのもの。取り除くか、{ $only } を加える
gate-of-one = 判定は 2 つのサーバー、または Tenbin が起動する 1 つのサーバーの 2 つの Git リビジョンを比べる。2 つ目のサーバー(--second)を指定するか、URL の代わりに起動するコマンドを指定する
exists = { $path } はすでにある。{ $option } で別のファイルを指定するか、--force で上書きする
same-file = { $path } はプランと CI のファイルの両方になる。--ci-out で別のファイルを指定する
cannot-write-init = { $path } に書けない。{ $source }。別のファイルを指定するか、ディレクトリーに書けるようにする
not-in-ci = CI のファイルには「{ $text }」を書けない。制御文字があるか、CI システムの式(GitHub では { $github }、GitLab では { $gitlab })で始まる。--ci を外すか、別のテキストにする
init-secret-in-server = { $option } の { $part } には秘密の値があり、プランに残る。環境変数で渡す: 「{ $example }」
init-secret-in-build = --build の { $part } には秘密の値があり、CI のファイルに残る。CI のジョブの変数「{ $example }」を使う
no-ci-variable = CI のファイルでは環境変数「{ $name }」を設定できない。CI のファイル自体が使わない、英数字と _ だけの名前にするか、--ci を外す
input-ended = 最後の質問の前に入力が終わった。何も書いていない
no-input = 答えを読めない: { $text }。何も書いていない
no-trial = サーバーを試せない: { $text }
init-method =
    ターゲット「{ $target }」: サーバーは GET { $path } を受け付けない(ステータス 405)。別のパスを選ぶか(--request)、
    --no-try でプランを書き、[[workload]] に method = "POST" を加える
no-success =
    ターゲット「{ $target }」: GET { $path } の応答のステータスは { $status } で、実行は 2xx だけを成功に数える。
    リクエストを直す(--request)
init-interrupted = 中断した。何も書いていない

# --- Git revisions
no-git = git を実行できない: { $text }。git をインストールするか、2 つのコマンドか URL を比較する
git-failed = git { $what } が失敗した: { $why }
no-repository = ここに git のリポジトリーがない({ $text })。サーバーのリポジトリーで実行する
no-revision = 「{ $name }」は { $repository } のリビジョンではない。取得済みのコミット、ブランチ、タグを指定する
build-failed = { $revision } のビルドに失敗した: { $command }。出力は上にある
build-directory = { $path } を使えない: { $why }。--build-dir で別のディレクトリーを指定する
not-before =
    { $good } は { $bad } の最初の親をたどった祖先ではないため、1 つのコミットでは分けられない。同じブランチの以前のコミットを指定する{ $near ->
        [none] {""}
       *[other] (例: { $near })
    }
same-commit = { $good } と { $bad } は同じコミット。遅くなかったコミットを --good で指定する
no-cache-directory = HOME が設定されていないため、キャッシュディレクトリーがない。--build-dir で指定する

# --- Values of keys and flags
file-too-large = { $limit } MiB を超えている。この種類のファイルはこれより大きいと読まない
no-bucket-name = 「{ $bucket }」はバケット名に使えない。{ $why }。{ $default_bucket } のように書く
no-choice-of-objects = 「{ $text }」は使えない。使えるのは "uniform"、"zipf"、"zipf:1.1"(指数は 0 より大きく 10 以下)、"sequential"、"once"
no-byte-range = 「{ $text }」は範囲ではない。オブジェクトの任意の位置から 64 KiB なら "random:64KiB"、先頭の 1024 バイトなら "0-1023" と書く
no-prefix-tree = 「{ $text }」はプレフィックスの階層ではない。16 個のそれぞれの下に 16 個なら "16/16" と書く。最大 { $most_levels } 階層、1 階層は 1〜{ $most_names } 個
bad-name = 「{ $name }」に「{ $bad }」が含まれる。名前に使えるのは英字、数字、'-'、'_'、'.'{ $hint }
name-start = 「{ $name }」は英字か数字で始まっていない
name-length = 名前は最長 { $longest } 文字
name-of-sweep-length =
    「{ $name }」は名前として長すぎる(最長 { $longest } 文字)。元の{ $what ->
        [target] ターゲット
       *[workload] ワークロード
    }の名前を短くする
empty-name = 名前を空にはできない
no-own-address = 「{ $text }」はこのマシンのアドレスではない。"127.0.0.2" のように書く
no-source-address = { $address } からは接続できない
version-text = 印字できる 1〜{ $longest_version } 文字で書く("13.0.0" など)
no-region = 「{ $region }」はリージョンではない。{ $default_region } のように書く
memory-zero = 0 は使えない。"4GiB" のように書く
no-ready = 「{ $how }」は使えない。使えるのは port、url:URL、log:TEXT
no-session-name = 「{ $name }」は使えない。英字、数字、「_+=,.@-」からなる 2〜64 文字にする
is-not = 「{ $text }」は{ $what }
no-sts-url = { $why }。"http://127.0.0.1:9000" のように書く
no-server-name = 「{ $name }」はサーバーの名前ではない。"db.example" のように書く
no-outage = { $error }。"continue"、"stop"、または待ち時間を書く
slo-twice = 「{ $text }」は同じものを 2 回制限している
no-slo = 「{ $text }」は制限ではない。"{ $example }" のように書く。制限できるのは p50〜p99.99、mean、errors
slo-impossible = { $text } という制限を満たせる操作はない。"{ $example }" のように書く
no-slo-share = 「{ $text }」はエラーの割合ではない。0 % を超え 100 % 以下で、"errors<0.1%" のように書く
no-step = 「{ $text }」は段階ではない。"100/s for 1s" のように書く
step-zero = 「{ $text }」の長さが 0。"100/s for 1s" のように書く
no-sustain = { $error }。測定時間に対する割合なら 20% のように書く
too-few-levels = 「{ $text }」は { $levels } 段階になる。増加には { $fewest_levels } 段階以上が必要。"1..64" のように書く
too-many-levels = 「{ $text }」は { $levels } 段階になる。増加は最大 { $most_levels } 段階。刻みを大きくする
descending-levels = 「{ $text }」は降順。"1..64" のように接続数の少ない方から書く。ラウンドのまとまりの 2 つに 1 つは、段階を下る順に測る
level-out-of-range = 「{ $text }」の { $number } は範囲外。接続数は 1〜{ $most_connections }
no-levels = 「{ $text }」は段階の指定ではない。"1..256"(倍々)、"1,2,4,8"、"10:100:10"(開始、終了、刻み)のように書く
think-no-end = 「{ $text }」に終わりの値がない。"uniform:50ms..150ms" のように書く
think-descending = 「{ $text }」は大きい方の値が先にある。"uniform:{ $to }..{ $from }" と書く
no-think = 「{ $text }」は思考時間ではない。"100ms"、"uniform:50ms..150ms"、"exponential:100ms" のように書く
trace-not-text = { $file } はトレースではない。UTF-8 のテキストではない
trace-too-long = { $file }:{ $number }: 到着が { $most } 件を超えている
in-line = { $file }:{ $number }: { $why }
trace-empty = { $file } に到着がない。1 行に 1 つ、秒数かタイムスタンプで書く
trace-a-year = { $file }:{ $last_line }: { $first_line } 行目から 1 年以上後になっている。数値は秒。最初の到着からの秒数とタイムスタンプは混ぜられない
time-negative = { $quoted } は負。時刻は 0 以上
time-infinite = { $quoted } は時刻ではない。有限の数ではない
no-time = { $quoted } は時刻ではない。0.25 や 1767225600.25 のような秒数、または 2026-01-01T00:00:00.25Z のように書く
no-time-zone = { $quoted } にタイムゾーンがない。後ろに Z または +01:00 のように書く
not-between = 「{ $text }」は { $least }〜{ $most } の範囲にない
no-percentage = 「{ $text }」はパーセントではない。"5%" のように書く
no-percent-sign = 「{ $text }」にパーセント記号がない。"5%" のように書く
no-log-normal = 「{ $text }」は対数正規分布のサイズではない。"lognormal:64KiB:1.5" のように、中央値と、対数の標準偏差(0〜10)を書く
size-no-share = 「{ $text }」に割合(0 より大きい数)がない。"1KiB:60,1MiB:40" のように書く
size-descending = 「{ $sizes }」は大きい方のサイズが先にある。"{ $to }..{ $from }" と書く
size-of-put = { $size } は 1 回の PUT で送れる大きさを超えている。最大は { $largest_object }
on-line = { $at } 行目: { $why }
too-many-sizes = サイズが { $most_sizes } 個を超えている
of-file = { $path }: { $why }
file-without-name = "file:" の後にファイル名が必要
no-sizes = サイズがない。1 行に 1 つ、64KiB や 65536 のように書く
not-utf8 = UTF-8 のテキストではない
line-not-utf8 = UTF-8 のテキストではない
no-relation = 「{ $text }」に < も > もない。{ $example }
no-baseline-ratio = { $figure } はベースラインの値と比較できない。"{ $example }" のように、単位付きの値を書く
as-in = { $error }("{ $example }" のように書く)
no-unit-of-figure = 「{ $text }」に単位がない。"{ $example }" のように書く
no-times-baseline = 「{ $text }」はベースラインの値の倍数ではない。"0.95x baseline" のように書く
variable-not-set = 環境変数「{ $variable }」が設定されていない
variables-too-long = このプランの {"{"}env:…{"}"} の値は合計で、参照できる上限の { $largest_look_up } MiB を超えている
unknown-placeholder = プレースホルダー {"{"}{ $unknown }{"}"} はない。使えるのは {"{"}host{"}"}、{"{"}port{"}"}、{"{"}data{"}"}、{"{"}access_key{"}"}、{"{"}secret_key{"}"}{ $hint }
env-of-target = ターゲット「{ $name }」の env
body-of-workload = ワークロード「{ $name }」の本文
more-problems = 問題はここに示した { $most_problems } 件のほかにもある
too-many-keys = キーと表が { $most_names } 個(プランの上限)を超えている
not-toml = TOML ではない:「{ $message }」
plan-not-utf8 = プランではない。UTF-8 のテキストではない
no-text = { $other } はテキストではない。引用符で囲む
number-in-quotes = { $value } は引用符で囲まれている。引用符なしの数で書く: { $number }
no-whole = { $value } は整数ではない。{ $least } のように書く
no-switch = { $other } は true でも false でもない
flag-cannot-set = { $flag } ではこのキーを設定できない
no-value = 値がない
no-entry = ターゲットの名前、変数、その値を NAME=VARIABLE=VALUE の形で書く
key-of-other-kind = 種類「{ $theirs }」のワークロードのキー。このワークロードの種類は「{ $ours }」
unknown-key = キー「{ $name }」は { $title } にない{ $hint }
double-brackets = [{ $name }] は二重の角括弧 [[{ $name }]] にする。プランには複数書けるため
number-too-large = { $number } は大きすぎる
no-slash = 「{ $base }」はスラッシュで始まっていない
not-encoded = 「{ $base }」に「{ $bad }」が含まれる。パーセントエンコードする(空白なら %20)
stdout-in-plan = 形式を標準出力に書けるのはコマンドラインだけ: --export { $format }=-
export-no-file = 「{ $text }」にファイル名がない。{ $text }FILE と書く
ops-log-name = 「{ $text }」は ops.csv.zst のような名前で終わっていない
no-listen-address = 「{ $text }」はポートでも、127.0.0.1:9464 のようなアドレスでもない
not-a-url = URL ではない({ $error })。{ $hint }
not-http = URL が http:// でも https:// でもない。{ $hint }
url-with-query = URL にクエリーかフラグメントが含まれる。{ $hint }
export-no-name = 形式の名前を "csv" のように書く
note-text = 印字できる 1〜500 文字の 1 行で書く
url-with-password = URL にユーザー名かパスワードが含まれ、plan.toml から読めてしまう
# --- Checks of responses
check-at = 「{ $text }」の { $column } 文字目: { $what }
check-no-part = { $word } の後にコロンの部分はない。{ $word }=… のように書く
check-no-subject = 「{ $word }」は応答の要素ではない。status、length、header:NAME、body、json:/POINTER のどれかを書く
check-expression = 正規表現が正しくない: { $reason }
check-backslash = バックスラッシュの後に書けるのは " \ n r t のどれか
check-number = 数を書く
check-empty = 空になっている。status=200 や json:/error absent のように書く
# --- Checks of responses: what is wrong at a place
check-header-name = ヘッダーの名前がない
check-header = header:X-Cache=HIT のように header:NAME を書く
check-json = json: の後に JSON ポインターを書く(json:/hits/total>0 など)
check-pointer = JSON ポインターは json:/hits/total>0 のようにスラッシュで始める
check-no-test = 検査の条件がない。exists、=VALUE、contains "TEXT" のように書く
check-no-operator = ここに書けるのは = != < <= > >= ~ !~ contains !contains exists absent のどれか
check-no-value = 値がない。空のテキストなら "" と書く
check-open-quote = 引用符が閉じていない
check-rest = 検査はこのテキストの前で終わっている
check-status = ステータスは 100〜599 の数
check-status-compared = ステータスの比較に使えるのは = != < <= > >= のどれか
check-length = 長さは整数のバイト数
check-length-compared = 長さの比較に使えるのは = != < <= > >= のどれか
check-header-order = ヘッダーはテキストで、大小の順序がない。= != ~ contains を使う
check-body-present = 本文の有無は length>0 か length=0 で調べる
check-body-order = 本文はテキストで、大小の順序がない。= != ~ contains を使う
check-no-list = リストやオブジェクトは比較できない。中の値を比較する
# --- Files
file-symbolic-link = シンボリックリンクになっている。実行ディレクトリーのファイルは通常のファイルに限る
file-not-regular = 通常のファイルではない
pipe-without-writer = このパイプに書き込むプログラムがない
# --- Buckets
bucket-length = 3〜63 文字にする
bucket-letters = 使えるのは英小文字、数字、'-'、'.'
bucket-ends = 最初と最後は英小文字か数字にする
bucket-dots = ドットを続けて書けない
bucket-address = IP アドレスの形にはできない
bucket-starts = xn--、sthree-、amzn-s3-demo- で始まる名前は予約されている
bucket-endings = -s3alias、--ol-s3、.mrap で終わる名前は予約されている
# --- Token services
not-a-role = ロールではない。"arn:aws:iam::123456789012:role/bench" のように書く
not-an-external-id = 外部 ID ではない。空白を入れずに書く
sts-no-url = URL ではない
sts-password = ユーザー名かパスワードが含まれ、表示されるプランから読めてしまう
sts-scheme = http:// か https:// で始まる URL ではない
sts-query = クエリーかフラグメントが含まれる。これらはリクエストごとに置き換わる
expectation-example = "p99<20ms" や "throughput>0.95x baseline" のように書く
env-open = {"{"}env: を閉じる波括弧がない。{"{"}env:NAME{"}"} と書く
# --- Plans: what does not fit together
mix-with-agents = ワークロード「{ $name }」は blob の操作の混合で、エージェントでは送れない。フェーズにするか、agents を外す
not-nats = URL が nats:// でも tls:// でもない。{ $hint }
agents-need-nats = エージェントには NATS サーバーが必要。--nats か [agents] の `nats` で URL を指定する。`tenbin hub` で起動できる
agents-need-count = エージェントを使う実行のための設定。台数を --agents か [agents] の `count` で指定する
collector-example = http://127.0.0.1:4318 のように書く
nats-example = nats://10.0.0.1:4222 のように書く
nats-password = URL にユーザー名かパスワードが含まれ、plan.toml から読めてしまう。--creds を使う
set-twice-in-env = { $name } を設定するが、env も同じものを設定している。片方を外す
open-quote = 「{ $line }」の引用符が閉じていない
needs-shell = 「{ $word }」はシェルのためのものだが、コマンドはシェルを通さずに実行する。変数は --launch-env、ディレクトリーは --launch-dir で指定するか、シェルを起動する(sh -c '…')
secret-in-command = コマンドはこのマシンの全ユーザーから読めるので、{"{"}secret_key{"}"} は使えない。env で渡す
has-nul = NUL 文字が含まれる
no-program = プログラムの名前がない
anchor-alone = ターゲットは「{ $name }」だけ。アンカーはほかのターゲットの値を割る基準なので、履歴を見たいターゲットを加える
cannot-decide = 2 つのターゲットの { $figure } の比には信頼区間がないので、判定に使えない。"p99" や "cpu" などを選ぶ
rate-decides = ワークロード「{ $name }」にはレートがあり、{ $figure } はそれで決まる。"p99" や "cpu" などを選ぶ
not-observed = ターゲット「{ $name }」の { $used ->
        [memory] メモリー
       *[other] CPU 時間
    } は観測していない。--observe port を加える(プランでは observe = {"{"} port = true {"}"})
unknown-workload = ワークロード「{ $name }」はない。あるのは { $known }{ $hint }
listed-twice = 「{ $name }」が 2 回書かれている。片方を外す
compared-with-slo = 「{ $name }」には制限(slo)があり、その最大レートの探索はラウンドの後に行う
ambiguous-name = 「{ $text }」の「{ $name }」がターゲットかワークロードか分からない。どちらかの名前を変える
two-of-a-kind = 「{ $text }」に同じ種類の名前が 2 つある。ターゲットとワークロードをそれぞれ最大 1 つ書く
neither-target-nor-workload = 「{ $text }」の「{ $name }」はターゲットでもワークロードでもない。あるのは { $known }{ $hint }
baseline-alone = 「{ $text }」はベースラインと比較するが、プランのターゲットは 1 つだけ。2 つ目のターゲットを加える
baseline-itself = 「{ $text }」は「{ $name }」を自分自身(ベースライン)と比較している
few-workloads = ワークロードが 2 つ以上必要。["plain", "tls"] のように書く
loops-mixed = 閉ループはスループット、開ループは応答時間で比較する。同じ種類のワークロードを並べる
source-version = { $source } は、ip_version が求める IPv{ $version } のアドレスではない。source か ip_version を変える
socket-path-long = { $path } は { $length } バイトあるが、Unix ソケットのパスは最長 { $longest_socket_path } バイト
no-placeholder-in-socket = ソケットのパスに {"{"}{ $name }{"}"} は使えない
pin-no-host = このターゲットに { $host }:{ $port } というホストはない
pin-twice = { $host }:{ $port } が 2 回指定されている。アドレスは 1 つの指定にまとめ、カンマで区切る
no-pin = 「{ $text }」は name:port:address の形ではない。"db:9000:127.0.0.1,[::1]" のように書く
pin-no-address = 「{ $text }」の「{ $item }」はアドレスではない
pin-address-twice = 「{ $text }」に { $address } が 2 回ある
pin-no-target = { $host }:{ $port } というホストを持つターゲットはない
no-effect-with-socket = Unix ソケット(unix)では効果がない。外す
for-several-hosts = 複数のホストを持つターゲットのための設定。外す
one-socket = 1 つのソケットでは複数のホストに接続できない
no-socket-path = ソケットのパスではない。"/run/server.sock" のように書く
pin-for-running = 動いているターゲットのための設定。アドレスはこのターゲットの url に、証明書の名前は tls.server_name に書く
too-many-in-flight = ワークロード「{ $name }」: { $factors }で、処理中のリクエストが { $out } 件になりうる。上限は { $most_out } 件。connections か depth を減らす
unused-credentials = ターゲット「{ $name }」に認証情報があるが、signature = "none" では使わない。片方を外す
either-not-both = { $key } と { $other } はどちらか一方だけを指定する
file-not-text = { $path } はテキストではない
the-variable = 環境変数「{ $name }」
the-file = ファイル { $path }
wrong-value-of = { $holder }: { $what_is_wrong }
has-control = 改行などの制御文字が含まれる
shows-secret = 秘密鍵が含まれ、このマシンの全ユーザーから読める。env に {"{"}secret_key{"}"} と書いて渡す
shows-token = これか env にセッショントークンが含まれ、どちらもレポートに表示されうる。トークンを外す。Tenbin がすべてのリクエストに付けて送る
figure-twice = { $figure } が 2 回書かれている。片方を外す
gate-needs-candidate =
    判定(gate)は base と candidate の 2 つのターゲットを比較する。このプランには 1 つしかない。--target candidate=URL か、--launch とともに --base-rev REV を加える
gate-needs-two = 判定(gate)は base と candidate の 2 つのターゲットを比較する。このプランのターゲットは { $targets } 個
gate-with-slo = ワークロード「{ $name }」に制限(slo)があるが、判定(gate)には決まった負荷が必要。connections か rate を設定する
gate-with-twin = 判定(gate)では双子のターゲットを使わない。aa(--aa)を外す
gate-with-until = 判定(gate)は結論が出た時点で終わる。別の終わりを決める until(--until)を外す
gate-with-workloads = 判定(gate)はターゲットを比較する。[compare] の workloads を外す
no-weight = URL の後の「{ $text }」は重みではない。"weight 3" のように書く(最大 { $most_weight })
url-many-hosts = 「{ $url }」は { $most_hosts } を超えるホストに展開される。ターゲットのホストは最大 { $most_hosts }
no-host-range = {"{"}{ $range }{"}"} はホストの範囲ではない。{"{"}1...4{"}"} のように、ドット 3 つで小さい方の数を先に書く
range-many-hosts = {"{"}{ $range }{"}"} は { $most_hosts } を超えるホストになる
url-twice = 「{ $url }」が 2 回書かれている。重みを付ける
hosts-differ = ターゲットのすべてのホストは{ $what }にする。「{ $first }」と「{ $url }」は異なる
many-hosts = ホストが { $most_hosts } を超えている
url-or-urls = url と urls はどちらか一方だけを書く。urls にはすべてのホストを並べる
urls-empty = 空になっている。["http://db1:9000", "http://db2:9000 weight 2"] のように書く
same-scheme = 同じスキーム
same-path = 同じパス
steps-too-long = 合計が { $total } で、スライスの { $slice } より長い
no-speed = { $scalar } は速度ではない。2 倍速なら 2.0 のように書く
speed-out-of-range = { $scalar } は範囲外。速度は 0 より大きく { $highest_speed } 以下
no-connections-list = 「{ $text }」は接続数のリストではない。1〜{ $most_connections } の整数を最大 { $most_levels } 個、"1,8,64" のように書く
depth-without-keep-alive = 応答ごとに閉じる接続では、処理中のリクエストは 1 件だけ。keep_alive = false(--no-keep-alive)か depth を外す
reopen-without-keep-alive = keep_alive = false ではリクエストごとに新しい接続を開く。keep_alive = false(--no-keep-alive)か reopen を外す
reopen-with-depth = 処理中のリクエストが複数ある接続は、リクエストの間に開き直せない。depth(--depth)か reopen を外す
reopen-with-requests = スライスの時間を分割するが、requests があるとスライスの時間は決まらない。requests(--requests)か reopen を外す
steps-empty = 空になっている。["100/s for 1s", "200/s for 1s"] のように書く
no-cgroup = 「{ $path }」は cgroup のパスではない。/proc/PID/cgroup にあるパスを /system.slice/minio.service のように書く
observe-no-port = { $other } はポートではない。番号か、ターゲットの url のポートなら true を書く
no-process-name = 「{ $name }」はプロセスの名前ではない。プログラムの名前をパスなしで書く
empty-list = 空になっている。外す
observed-twice = 2 回書かれていて、CPU 時間を二重に数えることになる。片方を外す
observe-one-of = {"{"} pid = 1234 {"}"}、{"{"} port = true {"}"}、{"{"} port = 8080 {"}"}、{"{"} name = "nginx" {"}"}、{"{"} tenbin = "https://…" {"}"}、{"{"} prometheus = "http://…" {"}"} のどれか 1 つを書く
observe-needs-token = tenbin observe にはトークンが必要。ファイルなら token_file(--observe-token-file)、環境変数なら token_env(--observe-token-env)で指定する
not-with-dir = dir と一緒には使えない。片方を外す
page-not-https = https のための設定だが、このページは https:// で始まっていない
insecure-with-ca = insecure では証明書を検証しない。片方を外す
for-a-page = ページ(tenbin か prometheus)のための設定で、これはプロセス
for-named-processes = 名前で観測するプロセスのための設定
for-prometheus = Prometheus の process exporter のページのための設定
observed-built-in = 組み込みサーバーには使えない。組み込みサーバーは常に観測する
observed-directory = ディレクトリーには使えない。サーバーがない
observed-pid-of-launched = 起動するターゲットのプロセスはまだない。port か name を使うか、observe を外す。起動したターゲットは常に観測する
observe-several-hosts = 複数のホストを持つターゲットには複数の観測元が必要。リストにするか、すべてこのマシンにあるプロセスなら name を使う
observe-socket = Unix ソケットでは url のポートを使わない。pid か name を使う
live-flag-no-port = { $scalar } はポートではない。1〜65,535 を書くか、空きポートを使うなら --live だけを書く
live-no-port = { $scalar } はポートではない。true か 1〜65,535 を書く
fewer-than-rounds = { $most } は最小のラウンド数 { $count } より少ない
slices-too-short = { $duration } を { $count } ラウンドに分けるとスライスは { $slice } になる。スライスは最短 { $shortest_slice }。{ $least } 以上にするか、ラウンドを減らす
duration-contradicts = { $duration } は、{ $slice } × { $count } ラウンド = { $product } と矛盾する。3 つのうち 1 つを外す
search-duration-and-slice = 最大レートの探索は最大 { $longest } スライスで、{ $slice } のスライスでは { $time } かかる。duration と slice のどちらか一方だけを指定する
search-too-short = 最大レートの探索は最大 { $longest } スライスで、スライスは最短 { $shortest }。{ $least } 以上にする
max-needs-until = until(--until、実行を終える精度)か判定(gate)が必要
node-twice = { $node } が 2 回書かれている。プロセスごとに別のアドレスが必要
no-node = 「{ $text }」はこのマシンのアドレスではない。"127.0.0.2" のように書くか、ノードの数を書く
by-target-missing = ワークロード「{ $name }」の by_target に、ターゲット「{ $target }」のリクエストがない。ターゲットの名前か、corpus か status が示すサーバーの種類を書く
by-target-unknown = ワークロード「{ $name }」の by_target に「{ $target }」のリクエストがあるが、ターゲットの名前でもターゲットのサーバーの種類でもない
pages-without-corpus = ターゲット「{ $name }」にはページを読み込むが、{ $without }
patterns-without-corpus = patterns = { $corpus_patterns } はページから作るリクエストを意味するが、{ $without }
same-cluster-size = クラスター「{ $cluster }」のターゲット「{ $name }」と「{ $other }」のホスト数が同じ。クラスターのターゲットごとにホスト数を変える
corpus-source = [corpus] にはページの出所が 1 つ必要。synthetic = 5000 はページを生成し、wikipedia = "jawiki-….xml.bz2" はダンプから読む
for-synthetic = 生成するページ(synthetic)のための設定
unix-with-corpus = url のホストに直接接続する corpus と status とは一緒に使えない
droonga-corpus = Droonga は別のポートの別のプロトコルでページを読み込む。tenbin search load で読み込み、これは外す
nodes-empty = 空になっている。["127.0.0.1", "127.0.0.2"] か 2 のように書く
nodes-no-host = command にも env にも {"{"}host{"}"} がなく、プロセスが自分のアドレスを知ることができない。command か env に {"{"}host{"}"} を加える
nodes-same-url = {"{"}host{"}"} がなく、すべてのノードが同じ URL になる。url を外すか、"http://{"{"}host{"}"}:{"{"}port{"}"}/" と書く
not-for-nodes = nodes のあるターゲットには使えない
without-corpus = プランにはページを定める [corpus] がない。synthetic = 5000 などで加える
session-contradiction = ターゲット「{ $name }」に { $given } があるが、{ $why }。片方を外す
no-parameter = 「{ $name }」はプレースホルダーの名前に使えない。パラメーターの名前は英小文字と'_'からなる
placeholder-taken = {"{"}{ $name }{"}"} はほかのプレースホルダー。パラメーターの名前を変える
sweep-brace = { $name } = 「{ $text }」に波括弧か NUL 文字が含まれる
sweep-same = { $name } = 「{ $text }」の名前がほかの値と同じになる。値は英字、数字、'-'、'_'、'.' で区別できるようにする
sweep-empty = { $name } に値がない。{ $name } = [1, 2, 4] のように書く
sweep-many = 組み合わせが { $combinations } 通りある。それぞれが実行中ずっと動くターゲットになる。上限は { $most_combinations } 通り
sweep-unused = command、env、url、ready のどれにも { $braced } がなく、すべてのターゲットが同じになる。どれかに { $braced } を加える
sweep-for-command = コマンドのあるターゲットのための設定で、コマンドの {"{"}NAME{"}"} が値に置き換わる
many-targets = プランのターゲットは最大 { $most_targets } 個だが、sweep の値を含めて { $count } 個ある。複数のプランに分ける
either-target = ターゲットには { $first } と { $second } のどちらか一方だけを書く
no-directory-name = 「{ $text }」にディレクトリーの名前がない。"file:///mnt/data" のように書く
no-directory-option = 「{ $other }」はディレクトリーのオプションではない。"?sync" はすべてのファイルをディスクに同期する
blob-only = ターゲット「{ $name }」は{ $what }で、種類「blob」のワークロードしか使えない。「{ $workload }」は別の種類
ready-port = { $other } ではなく true を書く。ポートはターゲットの url のポート
no-s3-here = ターゲット「{ $name }」は組み込みの HTTP サーバーで S3 を話さないが、ワークロード「{ $workload }」は S3 を使う。builtin = "{ $memory }" か "{ $durable }" を使う
s3-with-path = S3 のエンドポイントはスキーム、ホスト、ポートだけで、パスがない。「{ $url }」にはパスがある
target-of-nothing = ターゲットには url、起動するコマンド、または builtin = "s3-memory" などの組み込みサーバーが必要
is-directory = ディレクトリー
is-no-server = サーバーでないもの
is-blob-server = 組み込みの blob サーバー
no-port-in-launch = {"{"}port{"}"} がなく、Tenbin が選んだポートをサーバーが知ることができない。{"{"}port{"}"} を加えるか、サーバーを自分で起動して --target NAME=URL で指定する
no-port-placeholder = {"{"}port{"}"} がなく、Tenbin が選んだポートをサーバーが知ることができない。{"{"}port{"}"} を加えるか、サーバー自身のアドレスをターゲットの url に書く
no-variable = 環境変数として正しくない。名前が空か '=' を含む、または NUL 文字がある
ready-one-of = {"{"} port = true {"}"}、{"{"} url = "http://…" {"}"}、{"{"} log = "text" {"}"} のどれか 1 つを書く
ready-empty = テキストが空で、どんな出力とも一致してしまう。準備ができたときにサーバーが出力するテキストを書く
ready-secret = ここに {"{"}secret_key{"}"} は使えない。サーバーの出力に含まれてはならない
url-not-https = https のための設定だが、このターゲットの url は https:// で始まっていない
unknown-scheme = 「{ $text }」のスキーム「{ $other }」は使えない。http:// か https:// を使う
bad-url = 「{ $text }」は URL ではない({ $error })。"http://127.0.0.1:8080/" のように書く
url-no-host = 「{ $text }」にホストがない
url-braces = 「{ $text }」のホスト名に波括弧がある
url-port-zero = 「{ $text }」のポートは 0 で、0 を待ち受けることはできない
url-fragment = 「{ $text }」にフラグメント(#…)がある。フラグメントはサーバーに送られない
url-user = ユーザー名かパスワードを含む URL は使えない。HTTP のターゲットなら -H 'Authorization: Basic …' を使う
secret-in-url = URL は表示され、ログにも残るので、{"{"}secret_key{"}"} は使えない
kind-missing = ワークロードには種類が必要: kind = { $others } か { $last }
no-workload = 送るワークロードがない。tenbin http か tenbin s3 を使うか、プランに [[workload]] を書く
phases-with-ramp = blob のフェーズは各ラウンドで 1 回だけ実行する。ramp と slo を外すか、混合(operation = "put:20,get:75,delete:5")か、フェーズが put だけ、または choose = "sequential" の get だけのプランにする
# --- Headers
header-no-text = ヘッダーはテキスト。{ $example }
header-no-colon = ヘッダーの名前の後にはコロンが必要。{ $example }
header-control = ヘッダー「{ $name }」の値に改行などの制御文字が含まれる
no-header-name = 「{ $name }」はヘッダーの名前ではない。{ $example }
header-of-tenbin = 「{ $name }」は Tenbin が設定する。{ $why }
# --- Blobs
blob-piece-size = { $scalar } は範囲外。サイズは 1 バイト以上、1 回のリクエストの上限の { $largest_put } 以下
time-zero = { $scalar } は 0。"100ms" のように書く
blob-choice = "{ $other }" は S3 のオブジェクトのためのもの。blob は "once"(1 回)か "sequential"(順に繰り返し)で読む
blob-name = 「{ $text }」は blob の名前に使えない。英字か数字で始まり、英字、数字、'-'、'_'、'.' からなる最長 { $longest_prefix } 文字にする
blob-empty = ワークロード「{ $workload }」の blob は 0 バイトだが、ターゲット「{ $name }」は CubeFS のアクセス層のプロトコルで、空の blob を拒否する。1 バイト以上にする
many-phases = フェーズが { $most_phases } を超えている
no-phases = 「{ $text }」はフェーズのリストではない。"put"、"get"、"delete"、"pgd" のような文字の並び、または "put:20,get:75,delete:5" のような混合を書く
phase-missing = { $name } のための設定だが、フェーズに含まれていない
blob-operation = blob のワークロードにはフェーズが必要。operation = "pgd" は put、get、delete を順に行う
mix-above-alloc = alloc_above を超えている。混合では 1 回のリクエストで blob を保存する
range-beyond-blob = 最小の blob の末尾を超えている。範囲を短くするか、blob を大きくする
range-beyond-stored = 範囲 { $range } は、保存済みの最小の blob({ $size })の末尾を超えている。範囲を短くする(blobstore-bench では -s を小さくする)
needs-until-gone = until_gone = true が必要
gone-with-batch = blob を 1 つずつ確認する。batch を外す
no-shares = 「{ $text }」は混合ではない。put、get、delete のうち 2 つ以上を、整数の割合とともに "put:20,get:75,delete:5" のように書く
operation-twice = 「{ $text }」に同じ操作が 2 回ある
deletes-more = 「{ $text }」は put より delete の割合が大きい。混合は自分が put した blob だけを削除する。delete の割合を put 以下にする
# --- HTTP workloads
no-follow = 「{ $workload }」に --follow があるが、{ $why }
follow-file = ファイルのリクエストは別々の URL にリダイレクトされうる。最終的なパスをファイルに書く
follow-method = GET と HEAD 以外のメソッドはリダイレクトで変わりうる。最終的なパスを --path に書く
follow-launched = Tenbin が起動するサーバーは実行前には動いていない。最終的なパスを --path に書く
follow-hosts = ターゲットのホストごとに別の URL にリダイレクトされうる。最終的なパスを --path に書く
follow-version = リダイレクトは HTTP/1.1 でだけ読める。最終的なパスを --path に書く
method-meant = 「{ $method }」はリクエストのメソッドではない。「{ $meant }」ではないか
no-method = 「{ $method }」はリクエストのメソッドではない。"GET" のように書く
no-connect = CONNECT はプロキシにトンネルを求めるもので、測定できない
in-column = { $file }:{ $line }:{ $column }: { $why }
by-target-empty = 空になっている。groonga = {"{"} search = "groonga" {"}"} のように、ターゲットごとにリクエストを書く
format-of-generated = ファイルのための設定。生成するリクエストには形式がない
check-never = 「{ $check }」が成り立つことはない。検査するのは成功ステータスの応答だけで、この条件に合う成功ステータスがない。expect(--expect)で成功ステータスを指定する
check-head = 「{ $check }」が成り立つことはない。HEAD の応答に本文はない
path-slash = 「{ $path }」はスラッシュで始まっていない。「{ $meant }」ではないか
no-status = { $scalar } はステータスではない。200、または 300〜399 のすべてなら "3xx" のように書く
no-final-status = { $number } は最終的なステータスではない。使えるのは 200〜599
# --- S3 workloads
at-least-a-byte = 1 バイト以上にする
chunks-need-v4 = ワークロード「{ $workload }」は内容をチャンクで送るため署名バージョン 4 が必要だが、ターゲット「{ $name }」は signature = "{ $signature }"。payload = "signed" か "unsigned" を使う
sse-c-needs-tls = ワークロード「{ $workload }」の encryption = "sse-c" はリクエストごとに鍵を送るため TLS が必要だが、ターゲット「{ $name }」の URL は http://。https の URL か encryption = "sse-s3" を使う
many-parts = { $part_size } ではオブジェクトのパートが { $most_parts } を超える。パートを大きくする
range-beyond-object = { $size } のオブジェクトの末尾を超えている。最後の位置は { $last }
range-too-long = { $length } の範囲は { $size } のオブジェクトに収まらない。範囲を短くするか、オブジェクトを大きくする
not-in-mix = 「{ $name }」は混合に使えない。ほかの操作がそのオブジェクトを使えない
mix-deletes-more = 混合は put したものを削除する。"delete" の割合({ $delete })は "put" の割合({ $put })以下にする
deletes-objects = 「{ $mix }」はオブジェクトを削除するので、data = "keep" と data = "existing" は使えない
data-of-one-run = { $what }は実行ごとに作る。data を外す
changes-objects = 「{ $name }」は Tenbin のものでないオブジェクトを変更する。"keep" か "fresh" を使う
payload-of-put = 「{ $name }」は "put" でしか使えない("{ $mix }" では使えない)
unique-of-put = "unique" の内容は "put" が送るときに生成するので、"{ $mix }" では使えない
payload-needs-pool = 「{ $name }」には実行前に用意した内容が必要。content = "pool" を使う
payload-of-parts = 「{ $name }」は「{ $operation }」のパートには使えない。"signed" か "unsigned" を使う
unique-of-parts = "unique" は「{ $name }」のパートには使えない。"pool" を使う
versions-rewrite = versions では PUT が新しい版を作り、何も上書きしない。rewrite を外す
rewrite-delete = rewrite では PUT が新しいオブジェクトを作らないので、delete を含む混合には削除するオブジェクトがない
once-of-mix = choose = "once" は 1 つの操作のためのもので、混合には使えない
rewrite-keep = rewrite はオブジェクトを変更するので、後の実行で再利用できない。data = "fresh" にするか、rewrite を外す
parts-unknown = Tenbin が作っていないオブジェクトのパートは分からない。"get-part" では data = "keep" か "fresh" を使う
content-unknown = Tenbin が作っていないオブジェクトの内容は分からず、検証できない。verify を外す
archives-and-fan-outs = アーカイブと fan-out のオブジェクト
locked-objects = ロックしたオブジェクト
versions-of-objects = オブジェクトの版
checksum-of-unique = 送りながら生成する内容の値は事前に計算できない。content = "pool" を使う
trailer-checksum = "trailer" には、内容の後に送るチェックサム(checksum = "crc32c" など)が必要
trailer-md5 = payload = "trailer" では内容の後にチェックサムを送るが、"md5" は後に送れない。"crc32c" などを使う
snowball-encryption = サーバーが展開するアーカイブに暗号化の鍵は付けられない
list-versions = "versions" には版のあるオブジェクトが必要。versions = 2 以上にする
twice-there = 「{ $name }」が 2 回ある
header-signed = ヘッダー「{ $name }」の値は署名されるので、空でない ASCII で、空白を続けずに書く
prefix-length = プレフィックスは 1〜{ $longest_prefix } バイト。外すとプレフィックスを生成する
text-with-control = 「{ $text }」に制御文字が含まれる
prefix-as-path = 「{ $text }」は `/` で始まるか、`//`、`.`、`..` を含み、ファイルシステムのパスと解釈するサーバーがある。別のプレフィックスを使う
no-character = 「{ $text }」は 1 文字ではない。"/" のように書く
no-storage-class = 「{ $text }」はストレージクラスではない。"STANDARD" や "REDUCED_REDUNDANCY" のように書く
no-content-type = 「{ $text }」はコンテンツタイプではない。"application/octet-stream" のように書く
metadata-no-colon = 「{ $line }」の名前の後にコロンがない。{ $example }
metadata-name = 「{ $name }」はメタデータの名前に使えない。使えるのは英字、数字、`-`、`_`。{ $example }
metadata-value = 「{ $name }」の値は ASCII で、空白を続けずに書く
metadata-length = 「{ $name }」は値と合わせて { $most_metadata } バイトを超えている
no-tag = 「{ $pair }」は{ $why }。"team=storage" のように書く
tag-name-length = 名前が空か、{ $longest_tag_name } 文字を超えている
metadata-example = "owner: tenbin" のように書く
tag-no-equals = 名前の後に `=` がない
tag-value-length = 値が長すぎる
tag-letters = タグに使えない文字がある。使えるのは英字、数字、空白、+-=._:/@
mix-equals = 「{ $text }」ではコロンを書くところに "=" がある。{ $meant } と書く
mix-no-share = 「{ $text }」に割合(0 より大きい数)がない。"get:70,put:30" のように書く
s3-operation = S3 のワークロードには操作が必要。"put"、"get"、"delete"、"list" など、または割合付きで複数("get:70,put:30")
# --- Files of requests
no-access-log = { $shown } は common 形式や combined 形式のアクセスログの行ではない
log-statuses = ログのリクエスト { $with_status } 件の応答はリダイレクトか 404 などのエラー。プランに `expect` がなければ、ログのステータスを期待するステータスとする
log-bodies = ログのリクエスト { $with_bodies } 件は送らない。ほかのメソッドは本文が必要だったりデータを変更したりするので、GET と HEAD だけを送る
log-no-path = ログのリクエスト { $not_http } 件は、パスを要求していないので送らない
no-group-name = 「{ $name }」はグループの名前に使えない。制御文字のない 1〜{ $longest_name } バイトにする
two-groups = グループ「{ $name }」が 2 つある
many-groups = グループが { $most_groups } を超えている
many-requests = リクエストが { $most_lines } 件を超えている
many-patterns = 異なるリクエストが { $most_patterns } 件を超えている
group-empty = グループ「{ $name }」にパターンがない
frequency-sum = 頻度の合計が { $sum } になっている
frequencies-scaled = 頻度の合計は 1 ではなく { $sum }。比率として扱う
no-requests = リクエストがない
cache-hit-patterns = 大きさ { $size } のキャッシュでヒット率 { $hit } にするには、異なるパターンが { $count }({ $size } ÷ { $hit })必要だが、ファイルでは足りない: { $why }
no-cache-counters = 「{ $text }」は使えない。使えるのは "groonga"、"droonga"、"opensearch"、または "/_nodes/stats/indices/request_cache" のようなパス
no-groonga = quickstart search は Groonga を 2 つ起動するが、PATH に groonga がない。apt install groonga-bin(Debian、Ubuntu)か brew install groonga(Homebrew、macOS)でインストールする
no-groonga-log = { $shown } は Groonga のクエリーログの行ではない
log-writing = ログのコマンド { $writing } 件は、データを変更しうるので送らない。読み出しのコマンドだけを送る
log-not-http = ログのコマンド { $not_http } 件は、HTTP で送られていないので送らない
no-hits = 「{ $text }」は使えない。使えるのは "auto"、"none"、"groonga"、"opensearch"、または "/hits/total/value" のような JSON ポインター
of-group = グループ「{ $name }」: { $why }
group-left-out = グループ「{ $name }」は頻度が 0 なので送らない
pattern-without-path = path がなく、グループにもない
body-of-get = GET の本文はクエリーになるので、テキストかオブジェクトにする
of-pattern = パターン { $index }: { $why }
line-too-long = { $longest } MiB を超えている
no-search-header = 検索のヘッダーではない: { $error }
no-search-json = JSON の検索ではない: { $error }
search-header = ヘッダーで使えるのは index、search_type、request_cache だけ
search-no-object = 検索ではない。JSON のオブジェクトではない
header-alone = 次の行に検索のないヘッダー
no-slow-log = { $shown } は OpenSearch の検索スローログの行ではない
log-cut = ログの { $cut } 行は、検索がないか途中で切れているので送らない
log-no-index = ログの検索のうち { $everywhere } 件は、行にインデックスの名前がないので、すべてのインデックスに送る
log-repeated = ログの { $repeated } 行は、ほかの行と同じ検索なので送らない。検索ごとに、シャードと段階の数だけ行がある
no-order = 「{ $text }」は使えない。使えるのは "weighted"、"sequential"、"shuffled"、"zipf"、"zipf:1.1"(指数は 0 より大きく 10 以下)
path-no-slash = { $text } はスラッシュで始まっていない
path-too-long = { $length } バイトのパスは長すぎる。最長 { $longest_path } バイト
path-not-encoded = { $text } に「{ $bad }」が含まれる。パーセントエンコードする(空白なら %20)
pattern-method = { $text } はリクエストのメソッドではない。使えるのは { $methods }
no-host = { $text } はホストではない
pattern-header = { $name } はヘッダーの名前ではない
pattern-header-of-tenbin = ヘッダー「{ $name }」は Tenbin が設定する。外す
pattern-header-control = ヘッダー「{ $name }」の値に制御文字がある
many-headers = リクエストのヘッダーは最大 { $most_headers } 個
body-too-large = { $length } バイトの本文は大きすぎる。最大 { $largest_body } バイト
pattern-timeout = タイムアウトは秒数で、0 より大きく { $longest_timeout } 以下。{ $seconds } は使えない
fewer-than-groups = パターン { $count } 件はグループの数 { $groups } より少ない
template-no-term = path にも body にも検索語のプレースホルダーがない。{ $placeholders } を使う
template-placeholder = "{"{"}term{ $variant }{"}"}" は検索語のプレースホルダーではない。{ $placeholders } を使う
of-request = { $name }: { $why }
of-term = 検索語 { $term }: { $why }
no-term = { $at } 行目は検索語ではない。制御文字のない最長 { $longest_term } バイトにする
many-terms = { $at } 行目: 検索語が { $most_patterns } を超えている
term-open = {"{"}term を閉じる波括弧がない
no-terms = 検索語がない。1 行に 1 つ書く
requests-of-pages = ページから作ったリクエスト: { $why }
no-search-server = 種類の分かる検索サーバーのターゲットがない
relaunch-http = relaunch が使えるのは、ラウンドで実行する通常の HTTP のワークロードだけ。ワークロード「{ $name }」は別の種類か、最大レートの探索(slo)
relaunch-launched = relaunch はすべてのターゲットを再起動するが、ターゲット「{ $name }」はコマンドで起動していないので、そのキャッシュだけが温まったままになる。command でターゲットを起動するか、relaunch を外す
# --- Errors of targets
guard-late = そのガードプロセスが { $limit } 秒以内に起動しなかった。マシンの負荷が高すぎるか、{ $variable } が短すぎる
survive-kill = そのプロセスのうち { $count } 個が SIGKILL でも終了しない
guard-ended = コマンドを起動する前にガードプロセスが終了した
guard-killed = ガードプロセスが強制終了された。残ったプロセスを確認する
guard-unfinished = ガードプロセスが終了しなかった。残ったプロセスを確認する
url-no-host-part = ホストがない
clock-skew = { $skew }。S3 は 15 分を超えてずれた署名を拒否する。ずれている時計を直す
host-not-certifiable = そのホストは証明書に書けない
url-no-port = ポートがない
name-no-address = その名前のアドレスがない
name-no-ipv4 = その名前に IPv4 のアドレスがなく、IPv4 だけが許されている
name-no-ipv6 = その名前に IPv6 のアドレスがなく、IPv6 だけが許されている
no-private-key = { $file } に PEM 形式の秘密鍵がない。--key FILE で指定する
keys-mismatch = { $key } の秘密鍵は { $cert } の証明書のものではない。一緒に作られた 2 つを --cert FILE と --key FILE で指定する
keys-unusable = { $cert } と { $key } は一緒に使えない: { $error }
tls-alert = TLS ハンドシェイクを拒否した({ $alert })
tls-failed = TLS ハンドシェイクが失敗した: { $error }
not-signed-by = { $file } のどの認証局も{ $certificate }に署名していない。そのサーバーの認証局のファイルを --cacert FILE で指定するか、--insecure で検証を省く
unknown-authority = 証明書の発行元の認証局がここでは信頼されていない。{ $trust }
self-signed = 証明書が自己署名になっている。{ $trust }
wrong-certificate-name = { $reason }。正しい名前を --server-name HOST で指定するか、--insecure で検証を省く
certificate-refused = 証明書を受け入れられない({ $reason })。--insecure で検証を省く
certificate-for = 証明書は { $names } のもので、{ $expected } のものではない
trust-it = --cacert FILE で信頼するか、--insecure で検証を省く
its-self-signed-certificate = その自己署名証明書
no-tls-spoken = TLS を話さない。url を http:// にするか、ポートを確かめる
client-certificate-required = クライアント証明書を要求している。--cert FILE と --key FILE で指定する
client-certificate-refused = クライアント証明書を拒否したか、要求している。--cert FILE と --key FILE を参照
no-alpn = 設定した HTTP のバージョンを TLS(ALPN)で提供していない。--http で別のバージョンを選ぶ
no-tls-version = 提示した TLS のバージョンを話さない。--tls-version を参照
unknown-sni = 要求したサーバー名を知らない。--server-name HOST を参照
certificate-expired = 証明書の有効期限が切れている。更新するか、--insecure で検証を省く
certificate-not-yet = 証明書の有効期間がまだ始まっていない。このマシンの時計を確かめる
certificate-other-name = 証明書は別の名前のもの
begins-with = 応答の先頭は「{ $begin }」
no-h2-alpn = TLS ハンドシェイク(ALPN)で h2 を選ばない。サーバーで HTTP/2 を有効にするか、--http 1.1 を使う
no-h2-plain = HTTP/1.1 で応答する。サーバーで HTTP/2 を有効にする(TLS なしでは事前に分かっている必要がある)か、--http 1.1 を使う
wants-tls = TLS を話す。url に https:// と書く
wants-no-tls = TLS を話さない。url に http:// と書く
wants-client-certificate = クライアント証明書を要求する。--cert FILE と --key FILE で指定する
this-is-tls = 。TLS の応答なので、url に https:// と書く
this-is-http2 = 。HTTP/2 の応答なので、--http 2 を参照
tls-closed = TLS ハンドシェイク中に接続を閉じる。TLS を話すサーバーか確かめる
scheme-not-supported = { $other } は使えない。使えるのは http と https
no-working-directory = 作業ディレクトリー { $directory } を使えない: { $error }
command-empty = コマンドが空になっている
no-free-port = { $addresses } に空きポートがない: { $source }
not-executable = { $file } は実行できない
no-such-file = { $file } というファイルはない{ $meant }
no-such-program = PATH に「{ $program }」というプログラムがない。インストールするか、フルパスで指定する
bad-status = { $url } の応答のステータスは { $bad }
log-lacks = その出力に「{ $text }」がない
hosts-dead = { $all } のホストのうち { $dead } が応答しない({ $names }): { $reason }
agents-leave-out = ターゲット「{ $name }」: { $hosts }。エージェントではホストを除外できない。ほかのホストだけを指定するか、--dead-hosts count を使う
# --- Errors of runs
nodes-not-counted = { $server } のノードを数えることはできない
nodes-apart = 応答するノードがほかのノードを知らない
outages-in-a-row = { $why }。{ $part }で { $most_in_a_row } 回目の停止
no-answer-in-time = { $why }。{ $seconds } 秒以内に応答しなかった(--on-outage TIME で長く待つ)
first-request = 最初のリクエスト
following-redirect = リダイレクトの追跡
of-node = ターゲット「{ $name }」のノード { $node }
target-named = ターゲット「{ $name }」
ended-while-measured = { $who }が測定中に{ $exit }
redirects-differ = 最終的なパスがここでは { $elsewhere }、{ $first } では { $to }。--follow を外し、最終的なパスをターゲットごとの URL に書く
redirect-unusable = その URL は使えない: { $error }
redirects-elsewhere = サーバーが別のサーバー { $server } にリダイレクトする。そのサーバーをターゲットに指定する
redirects-too-often = サーバーが { $most_redirects } 回を超えてリダイレクトする。最終的な URL を指定する
target-no-host = ターゲットにホストがない
no-renewal-thread = 更新のためのスレッドを作れない({ $error })
session-buckets = ワークロード「{ $name }」は { $named } 個のバケットを使うが、セッションは 1 つのバケットのもの。buckets か express_session(--express-session)を外す
agents-lost-often = { $why }。エージェントが続けて { $most_in_a_row } 回失われた
preparing-plan = プランの準備: { $error }
agents-need-servers = ターゲット「{ $name }」: エージェントはサーバーにだけリクエストを送る。このターゲットはディレクトリーかダミー。エージェントを使わずに実行する
agents-connections = ワークロード「{ $name }」の { $connections } 接続を { $agents } エージェントに分けられない。エージェント 1 つに 1 接続以上にする
agent-report = エージェントの報告を読めない
agents-no-log = エージェントはリクエストのログを残さない。--ops-log かエージェントを使わずに実行する
agent-results = エージェント「{ $agent }」の結果を読めない
no-disk-for-objects = 実行は測定前に { $needed } のオブジェクトをターゲット { $names } に読み込むが、{ $runs } のディスクの空きは { $available }。{ $smaller }か、別のディスクに実行を書く(--out)
no-disk-at-target = ターゲット「{ $name }」のディスクの空きは { $available } だが、実行は測定前に { $loaded } を読み込む。{ $smaller }か、空きを増やす
no-memory-at-target = ターゲット「{ $name }」はメモリーに { $limit } まで保持するが、実行は測定前に { $loaded } を読み込む。{ $smaller }か、メモリーの上限を上げる(memory = "{ $memory }")
smaller-objects = オブジェクトを減らす(--objects)か小さくする(--size、warp では --obj.size)
load-not-supported = { $server } への読み込みはできない
records-differ = { $place } の { $table } には{ $has }レコードがあるが、ページは { $count } 件。空のデータベースを使う
pages-not-loaded = ページを読み込めない: { $error }
foreign-files = { $directory } に、この設定で生成していないコマンドファイルがある。corpus に別のディレクトリーを指定するか、空にする
no-titles = { $directory } のどのページにも検索に使える題名がない
unknown-number = 数の分からない
dump-cut = ダンプが途中で切れていて、ページが足りない。ダウンロードが完了しているか確かめる
cache-counters = キャッシュのカウンターの読み出し
failed-in = ターゲット「{ $target }」、ワークロード「{ $workload }」: { $why }
restart-failed = ブロックの前の再起動: { $why }。各ターゲットを 1 回だけ起動するには --relaunch=never を使う
preparation-of-target = ターゲット「{ $target }」: { $what }に失敗した。{ $why }
gave-nothing = ターゲット「{ $target }」は「{ $workload }」のスライス全体で{ $what }: { $worst }
no-operation = 操作を 1 つも完了しなかった
no-correct-response = 正しい応答を 1 つも返さなかった
# --- Redirects and workloads
redirects-to = { $location } にリダイレクトした(ステータス { $status })
redirects-nowhere = ステータス { $status } で、Location なしでリダイレクトした
redirected = サーバーが{ $to }。これは成功に数えない。その URL を測るか、実行前に --follow でたどるか、--expect { $status } でこのステータスを受け入れる

# --- Agents, hub, observed processes and servers
agent-waits = エージェント「{ $name }」は { $url } でコーディネーターを待つ。リクエストを送れるのは { $allow }
agent-assigned = コーディネーターがプランを割り当てた
agent-examined = コーディネーターがこのマシンを検査する
agent-run-ended = 実行が終わった。次を待つ
no-own-file = このプログラム自身のファイルが見つからない
no-working-directory-here = 作業ディレクトリーを読めない
agents-name = 名前
agents-state = 状態
agents-version = バージョン
agents-machine = マシン
agents-cores = コア
agents-addresses = アドレス
agents-clock = 時計の誤差
agents-ceiling = 送信の上限
agents-allowed = 送信先
agents-unknown = 不明
no-agents = 応答するエージェントがない。すべての負荷生成マシンで `tenbin agent` を起動する
program-not-utf8 = パス { $program } は UTF-8 ではない
no-tenbin-program = tenbin のプログラムが見つからない: { $error }
hub-waiting = { $name }: { $awaited } を待っている({ $seconds } 秒、最長 { $limit } 秒)
hub-at = { $url } のハブ。鍵は { $directory }{ $again }
hub-on-machines = すべての負荷生成マシンで:
hub-copy = ({ $agent } をコピーしておく)
hub-here = ここで:
hub-ended = { $name } が{ $exit }{ $log_tail }
hub-ended-early = { $name } は接続を受け付ける前に{ $exit }{ $tail }
hub-not-ready = { $name } は { $limit } 以内に接続を受け付けなかった: { $reason }{ $tail }
hub-occupied = { $address } はほかのプログラムが待ち受けている。それを止めるか、--listen を変える
hub-earlier-keys = (以前の起動のもの。写しは有効なまま)
hub-local-only = ハブに接続できるのはこのマシンだけ。ほかのマシンのためには --listen 0.0.0.0:{ $port } を加える
observe-without-tls = --listen { $listen }: TLS なしでは、ネットワーク上のほかの人がトークンと数値を読める。--tls-cert と --tls-key を設定するか、信頼できるネットワークでは --without-tls を設定する
token-unreadable = --token-file: { $shown } を読めない。{ $error }
token-readable = --token-file: { $shown } はこのマシンの全ユーザーから読める(モード { $mode })。chmod 600 { $shown } を実行する
token-short = --token-file: { $shown } のトークンは { $length } 文字で、推測できる。{ $shortest_token } 文字以上にする。例: head -c 32 /dev/urandom | base64
token-letters = --token-file: { $shown } のトークンは、英字、数字、記号からなる空白のない 1 行にする
no-credentials-made = 認証情報を生成できない: { $error }
credentials-made = このサーバーのために生成した認証情報:
serve-variable-alone = { $other_variable } が設定されていない({ $variable } は設定されている)。{ $other_variable } を設定するか、{ $variable } の設定を外す(両方の鍵が生成される)
serve-flag-alone = { $flag } は指定されているが、{ $other_flag } も { $other_variable } も指定されていない。{ $other_flag } を指定するか、{ $flag } を外す(両方の鍵が生成される)
agent-does = エージェント「{ $agent }」が{ $what }
some-agent-does = エージェントのどれかが{ $what }
of-agent = エージェント「{ $name }」: { $why }
agent-bug = エージェントが異常終了した。tenbin のバグ
broken-message = 壊れたメッセージを送った: { $why }
agent-does-not-respond = 応答しない
no-heartbeat-sent = { $seconds } 秒間ハートビートを送らなかった
samples-lost = 送ったサンプルが届かなかった
slice-ended-early = スライスを途中で終えた。中断されたか、3 秒より長く停止していた
connections-not-opened = 時間内に接続を開かなかった
slice-not-ended = 時間内にスライスを終えなかった
request-not-completed = コーディネーターの要求を { $seconds } 秒以内に終えなかった
figures-impossible = エージェント「{ $agent }」が、このスライスではありえない数値を送った。すべてのマシンで同じビルドの Tenbin を使う
agents-same-name = 「{ $name }」という名前のエージェントが 2 つある。--name で別の名前にする
agents-too-few =
    { $seconds } 秒以内に見つかったエージェントは { $count } 台中 { $found } 台{ $busy }。
    すべての負荷生成マシンで、同じ NATS サーバーを指定して `tenbin agent` を起動する
agent-in-use = 。エージェント「{ $name }」は別の実行が使用中
agents-in-use = 。別の実行が使用中のエージェント: { $names }
agent-other-version = エージェント「{ $name }」の Tenbin はバージョン { $version } で、ここのバージョンは { $own }。すべてのマシンに同じバージョンをインストールする
agent-other-build =
    エージェント「{ $name }」は Tenbin { $version } の別のビルドで、メッセージが異なる(形式 { $format }、このビルドは { $own })。
    すべてのマシンに同じビルドをインストールする
no-agent-left = 残っているエージェントがない
messages-of-agents-lost = このマシンの処理が追いつかず、エージェントのメッセージが失われた
message-above-nats-limit = { $bytes } バイトのメッセージは NATS サーバーの上限を超えている。サーバーの設定で max_payload を上げる
message-above-limit =
    コーディネーターとエージェントの間のメッセージが { $size } MiB になる。上限は { $most } MiB。
    オブジェクトを減らすか、スライスを短くする
message-part-missing = メッセージの一部が欠けている
message-in-parts-too-large = メッセージが大きすぎる
message-in-parts-unreadable = 分割されたメッセージを読めない
coordinator-forbidden =
    NATS サーバーはこの認証情報にコーディネーターの操作を許可していない。agent.creds ではなく、
    `tenbin hub` が書いた coordinator.creds を使う
agent-forbidden = NATS サーバーはこの認証情報にエージェントの権限を与えていない。`tenbin hub` が書いた agent.creds を使う
nats-connection-lost = NATS サーバーとの接続が切れた
nats-connecting-again = NATS サーバーとの接続が切れた。接続し直している
nats-said = 「{ $text }」
nats-no-response = { $seconds } 秒以内に応答がない
nats-client-ended = クライアントが終了した
nats-without-creds = ハブの証明書が不明。tenbin hub が書いたファイルを --creds FILE で指定する
agent-stopped-by-user = エージェント「{ $name }」は利用者が止めた
agent-unassigned = エージェント「{ $name }」はもうこの実行に割り当てられていない
agent-left-out = コーディネーターはこのエージェントを除いて続ける。負荷を止めた
no-heartbeat-of-coordinator = コーディネーターのハートビートが { $seconds } 秒間ない。負荷を止めた
no-heartbeat-received = エージェント「{ $name }」に、このマシンのハートビートが { $seconds } 秒間届かなかった
coordinator-other-build = 別のビルドの Tenbin のコーディネーターがエージェントを探している。すべてのマシンに同じビルドをインストールする
order-other-version = 別のバージョンの Tenbin の指示を無視した
order-twice = 指示 { $number } が 2 回届いた
request-too-late = コーディネーターの要求が期限の後に届いた
slice-before-end = スライス { $number } が終わる前にスライス { $next } を指示された
slice-twice = スライス { $next } を 2 回指示された
slice-not-ready = スライス { $slice } の準備ができていない
cluster-interrupted = 中断した
of-credentials = 認証情報 { $path }: { $why }
no-nkey-seed = ユーザーの nkey のシードがない。`tenbin hub` が書いたファイルか、USER NKEY SEED のある NATS の認証情報ファイルを使う
no-hub-name = ハブの名前「{ $name }」はホスト名でも IP アドレスでもない
hub-cannot-listen = { $listen } を待ち受けられない: { $error }
hub-directory-open = ハブのディレクトリー { $shown } にほかのユーザーの権限がある(モード { $mode })。chmod 700 { $shown } を実行するか、--dir で別のディレクトリーを指定する
hub-file-open =
    { $shown } にほかのユーザーの権限がある(モード { $mode })。{ $directory } を削除して鍵を作り直す。
    誰も読んでいなければ、chmod 600 { $shown } を実行する
hub-file-failed =
    { $path } { $action ->
        [create] を作れない
        [read] を読めない
        [write] に書けない
       *[other] を処理できない({ $action })
    }: { $error }
hub-keys-missing = ディレクトリー { $directory } に { $there } はあるが、{ $missing } がない。欠けているものを元に戻すか、ディレクトリーを削除して鍵を作り直す
no-nkey = nkey を生成できない:「{ $error }」
hub-key-unreadable = { $file } は秘密鍵ではない:「{ $error }」。{ $directory } を削除して鍵を作り直す
no-hub-certificate = ハブの証明書を生成できない:「{ $error }」
no-nats-server =
    PATH に { $program } がない。`apt install nats-server` か
    `go install github.com/nats-io/nats-server/v2@v2.15.2` を実行するか、--nats-server PATH で指定する
other-than-nats-server = { $file } は { $program } ではない。--version で「{ $line }」と出力する
hub-configuration-rejected = { $program } が { $directory } の設定を受け付けない:「{ $text }」
cannot-run-program = { $program } を実行できない: { $error }
agent-cannot-copy = { $name } の写しを書けない: { $error }
agent-may-not-read = エージェントに読む許可がない。許可するには、エージェントを --file を付けて起動する
agent-may-not-send = このエージェントには { $ip } にリクエストを送る許可がない。許可するには、エージェントを --allow { $ip } を付けて起動する
agent-no-sockets = エージェントはファイルシステムのソケット({ $path })にリクエストを送らない
agent-few-connections = ワークロード「{ $name }」はこのエージェントに { $connections } 接続を必要とするが、開けるのは { $most } 接続まで(--max-connections)
agent-polls-without-rate = ワークロード「{ $name }」は一定でないレートでポーリングするが、このエージェントが送れるのは毎秒 { $most } リクエストまで(--max-rate)
agent-low-rate = ワークロード「{ $name }」はこのエージェントに毎秒 { $rate } リクエストを必要とするが、送れるのは { $most } まで(--max-rate)
agent-needs-rate = ワークロード「{ $name }」のレートは一定ではないが、このエージェントが送れるのは毎秒 { $most } リクエストまで(--max-rate)。--rate を指定する
agent-lacks-variables =
    プランに必要な環境変数を、このエージェントが使えないか、持っていない。そのマシンで設定し、
    エージェントを --env { $names } を付けて起動する
agent-without-plan = エージェントにプランがない
agents-observe-none = エージェントはターゲットを観測しない
target-without-url = ターゲット「{ $target }」に url がない
no-such-slice = プランにそのようなスライスはない
coordinator-sent-invalid = コーディネーターが送った{ $what }。すべてのマシンで同じビルドの Tenbin を使う
invalid-agents = エージェントかスレッドの数が不正
invalid-rate = 試行のレートが不正
invalid-state = ワークロードの状態が不正
invalid-times = スライスの時間が不正
checks-impossible = コーディネーターが求めた検査はできない
helper-time-zero = { $variable } が 0 になっている。2m のように書く
of-path-of-host = ホスト { $host } の { $path }: { $why }
response-without-counters = 応答に、Groonga、Droonga、OpenSearch のどの形式のキャッシュカウンターもない
# --- tenbin ui
choose-two = 比較するには一覧で 2 つの実行を選ぶ。選ばれているのは { $count } 件
ui-no-choice = { $name }: 「{ $value }」は使えない。使えるのは { $known }
ui-no-day = { $name }: 「{ $value }」は日付ではない。2026-01-31 のように書く
ui-cannot-listen = { $address } を待ち受けられない: { $error }。別の --port を指定するか、外して空きポートを使う
ui-no-page = そのようなページはない
ui-no-run = このディレクトリーにそのような実行はない。削除されたのかもしれない
ui-foreign-form = このページのフォームではない。ページを読み込み直す
ui-host = Host ヘッダーがこのサーバーのものではない。Tenbin が表示したアドレスを使う
ui-methods = 使えるのは GET と POST だけ
ui-token = Tenbin が表示した URL を、トークンも含めて全部開く
no-browser = ブラウザーを開けない: { $error }。上の URL を開く
live-viewers = 閲覧者が多すぎる。別のページを閉じる
live-no-report = レポートを読めない: { $error }
live-cannot-listen = --live: 127.0.0.1:{ $port } を待ち受けられない: { $error }。別のポートを指定するか、ポートなしの --live で空きポートを使う
prometheus-cannot-listen = --prometheus: { $address } を待ち受けられない: { $error }。別のポートを指定する
otlp-failed = --otlp: { $why }
otlp-not-sent = --otlp: メトリクスを送れない: { $why }。実行は続き、以後の失敗は報告しない
no-thread = スレッドを開始できない: { $error }
otlp-status = { $url } の応答のステータスは { $status }: { $excerpt }
otlp-headers = { $headers } は name=value,name=value の形ではない。直すか、設定を外す
# --- bisect
bisect-one-workload = bisect は 1 つのワークロードを追うが、プランには { $workloads } 個ある。1 つにする
bisect-uncommitted = コミットしていない変更は測らない。悪い端は HEAD
bisect-commits = { $good } の後から { $bad } まで、最初の親をたどって { $count } コミット。{ $forecast }
bisect-forecast =
    見込みは約 { $step_count } ステップ、{ $round_count } ラウンド、測定 { $time }(最長 { $budget })、
    ビルドは最大 { $builds } コミット
bisect-one-of = { $first }…{ $last } のどれか
bisect-step =
    ステップ { $step }: コミット { $commit }({ $commits } 中 { $number } 番目)、{ $round_count } ラウンド。
    最も確からしいのは { $likely }(確からしさ { $certainty })。残り約 { $left }
bisect-cpu-decides = 最初の指標では判断できないため、1 操作あたりの CPU 時間で判断する
run-invalid = この実行は INVALID: { $why }
runs-invalid = { $runs } 回続けて実行が INVALID: { $why }
its-runs-invalid = このコミットの実行は INVALID: { $why }
commit-skipped = { $commit } を飛ばす: { $why }
its-build-failed = ビルドに失敗した({ $why })
no-block-ratios = 比のあるラウンドがない
# --- tenbin search
convert-interrupted = 中断した。残りは変換していない
pages-there = { $pages } には、この設定のページ { $count } 件がすでにある
pages-made = { $pages } に{ $made }。schema.grn と indexes.grn も同じ場所にある
dump-read = (ダンプの { $read } を読み、{ $skipped } ページを除いた)
pages-counted = { $pages } ページ{ $read }
data-interrupted = 中断した。ここまでのページは残し、未完成の印を付けた。同じコマンドで最初からやり直す
data-cut = ダンプが途中で切れていて、ページが足りない。その前の完全なページは残し、未完成の印を付けた。ダウンロードが完了しているか確かめる
dump-exists = { $out } はすでにあり、空ではない。--out で別のディレクトリーを指定するか、先に削除する
dump-interrupted = 中断した。ダンプは未完成
no-helper = { $name } というヘルパーはない
helper-interrupted = 中断した。{ $messages } 件のメッセージを送り、その後のものは送っていない
load-resumes = { $path } に記録された { $records } レコードの後から再開する
load-progress = { $records } レコード、{ $bytes }{ $total } を読んだ
load-of-total = (全体は { $total })
load-interrupted = 中断した。{ $next }
load-before = (うち { $before } 件は以前、{ $now } 件は今回)
load-summary = コマンド { $commands } 件とレコード { $records } 件を送った{ $before }、{ $throughput }
load-count = データベースのレコードは { $count } 件
load-count-unknown = データベースのレコード数は不明。プロトコルに応答がなく、ノードはまだ書き込みの途中かもしれない。数が変わらなくなってから測る
load-add-records = レコードを追加するには、schema、indexes、--mapping を付けず、レコードのファイルだけを読み込む
load-malformed = { $records } レコードを送った後。ファイルを直し、サーバーにすでにある schema と indexes を除いて --restart で読み込む。2 回送ったレコードは重複しない
load-broken = { $records } レコードを送った後。{ $kept }
table-holds = { $table } には { $count } レコードある
table-unknown = { $table } のレコード数は不明
and-also = { $all }、{ $next }
load-confirmed = { $records } レコードを確認した
load-progress-in = 。経過は { $path } にある
load-resume = 同じコマンドで再開する。経過は { $path } にある
load-nothing-sent = 何も送っていない。同じコマンドをもう一度実行する
load-no-resume = 標準入力からの読み込みは再開できない。ファイルから読み込む
for-documents = { $flag } は文書のためのものだが、すべてのファイルを Groonga のコマンドとして読む。文書なら --format ndjson、csv、tsv を指定する
mapping-opensearch = --mapping は OpenSearch のためのもの。{ $name } の表は Groonga のコマンド(--schema、--indexes)で記述する
no-mapping = { $path } はマッピングではない: { $why }
pages-unfinished = { $path } は未完成で、ページが足りない。生成し直すか、ファイル名を指定してあるページだけを読み込む
no-stdout = { $name } に書けない: { $source }。空きを増やすか、別のファイルに書く
no-output = { $error }。空きを増やすか、別の場所に書く
nodes-dead = { $found } ノードのうち { $alive } が動いている。動いていないのは { $dead }
nodes-unexpected = { $alive } ノードが動いているが、{ $expected } のはず
nodes-none = サーバーがノードを報告しない。--server と --of を確かめる
terms-refused = 、サーバーが検索を拒否したもの { $refused } 件(最初は { $first })
terms-left-out = 除いたもの: 重複 { $doubles } 件、ヒットのない語 { $without_hits } 件{ $refused }
of-input = { $name }: { $reason }
terms-not-utf8 = { $name }: 検索語が UTF-8 ではない
terms-interrupted = 中断した。検索語のリストは未完成
terms-too-few = 検索語は { $asked } 件中 { $there } 件だけ。{ $table } には異なる検索語{ $found_only }がこれ以上ない
that-are-found = (検索で見つかるもの)
terms-none = 検索語がない。1 行に 1 つ書く。`tenbin search terms` で取り出せる
# --- tenbin init
init-no-try = サーバーを試さずにプランを書くには --no-try を加える
init-build-failed = サーバーのビルドに失敗した({ $why }): { $build }。出力は上にある
init-not-built = ビルドは終わったが { $program } がない: { $build }。--server のパスはプランのディレクトリーから数える。ビルドは作業ディレクトリーで動く
init-set-keys = TENBIN_ACCESS_KEY と TENBIN_SECRET_KEY を設定してから実行する: { $command }
init-set-variables = URL、リクエスト、コマンドの秘密の値は、プランでは環境変数への参照になる。実行の前に、その値を設定する: { $variables }
ci-create-github = CI のために、リポジトリーのシークレットを作成する(Settings > Secrets and variables > Actions): { $names }
ci-create-gitlab = CI のために、プロジェクトのマスクされた変数を作成する(Settings > CI/CD > Variables): { $names }
ci-create-jenkins = CI のために、種類が Secret text の認証情報を次の ID で作成する(Jenkins の管理 > Credentials): { $names }
init-next = 次に実行する: { $command }
init-kind = サーバーの種類
init-server = サーバーの URL、または起動するコマンド({"{"}port{"}"} は空きポートになる)
init-build = { $program } がない。ビルドするコマンド、または none [{ $build }]
init-path = リクエストのパスとクエリー [URL のもの]
init-search = 検索のパスとクエリー [URL のもの]
init-operation = 操作(get、put、put:50,get:50 など)[get]
init-phases = フェーズ: p は put、g は get、d は delete [pgd]
init-second = 比較する 2 つ目のサーバーの URL かコマンド [なし]
init-goal = 目的: 比較か測定、制限内の最高レートの探索、CI のゲート
init-ci = CI のファイルも書くか
target-waiting = { $target }: { $awaited } を待っている({ $waited } 秒、最長 { $limit } 秒)
init-wrote = 書き込んだファイル: { $path }
no-own-directory = 作業ディレクトリーを読めない: { $error }
# --- Results and files
of-cause = { $what }: { $cause }
man-not-written = マニュアルページを { $directory } に書けない: { $error }
cannot-write-result = { $path } に書けない: { $error }
of-source = { $source }: { $why }
no-ramp = この実行には同時接続数のスイープがない。--ramp か tenbin search ramp で測る
neither-run-nor-drnbench = 実行ディレクトリーでも drnbench の結果ファイルでもない
ops-log-failed = --ops-log: { $error }
export-failed = --export { $name }: { $why }
one-on-stdout = 標準出力に書けるのは --json と =- を付けた --export のうち 1 つだけ。ほかにはファイル名を指定する
two-in-one-file =
    --export { $first } と --export { $second } が同じファイル { $file } を指定している。一方に別のファイルを指定する
only-read = { $name } は読むことしかできない
export-several = この形式はこの実行を { $several } 個のファイルに書くが、標準出力に書けるのは 1 つだけ。ファイル名を指定する: --export FORMAT=FILE
import-out-is-input = --out の { $input } は読むファイルの 1 つ。別のファイルを指定する
import-same-name = 2 つのファイルの名前が「{ $name }」。--name NAME=FILE で名前を付ける
import-of-tenbin = { $shown }: Tenbin の結果。tenbin show で表示する
no-temporary-directory = 一時ディレクトリーを作れない: { $error }
no-result-bug = 実行が結果なしに終わった。tenbin のバグ
no-hiding = 秘密の値をプロセスの表題から除けない: { $error }。環境変数かファイルで渡す
no-stdout-space = 標準出力に書けない: { $failure }。空きを増やすか、別のファイルに書く

format-of-one-workload = この形式は 1 つのワークロードの実行のためのもので、この実行には { $workloads } 個ある
no-whole-second = この実行には、最後まで測定した 1 秒がない
no-whole-step = クローズドループで最後まで実行した段階がないので、drnbench 形式のファイルはない
no-blob-operation = この実行には、blob ストアの PUT、GET、DEL の操作がない
no-store-operation = この実行には、オブジェクトストアか blob ストアの操作がない
no-timed-response = この実行には、時間を測った応答がない
no-interval-log = インターバルログに書けない:「{ $error }」
for-this-reason = ({ $why })
nothing-comparable = { $name }: スループットがない{ $why }ので、比べられるものがない
subscribers-address = { $host } の名前を解決できない:「{ $why }」
no-subscriber = { $host } に購読者が 1 つも接続できない:「{ $why }」
subscribers-descriptors =
    { $needed } 接続は、このプロセスが開けるファイルの上限({ $limit })を超えている。上限を上げるか、購読者か段階を減らす
no-polling = 接続をポーリングできない: { $error }
left-objects = バケット { $bucket } の { $prefix } 以下に { $objects } 個のオブジェクトが残っている
left-unlisted = バケット { $bucket } の { $prefix } 以下のオブジェクトを一覧できなかった。残っている可能性がある
left-bucket = この実行が作成したバケット { $bucket } が残っている
left-by-interruption = { $said }。後片づけが中断された
left-because = { $said }(理由:「{ $reason }」)
left-to-clean = { $said }。残りを削除するには次を実行する: { $clean }
# --- Values on the command line
agent-name = 英字、数字、-、_ からなる 1〜64 文字にする
no-network = 10.0.0.0/24 のようなアドレスかネットワークを書く
no-block-ratio = { $figure } にはラウンドごとの比がない。パーセンタイルを選ぶ
not-between-certainty = 「{ $text }」は 50%〜99.9% の範囲にない
budget-short = 「{ $text }」は短すぎる。最短は 1s
no-meaning-in-bisect = bisect は実行を自分で選び、結果を 1 つ表示するので、{ $what } には意味がない。外す
bisect-needs-good = bisect には遅くなかったリビジョンが必要。--good v1.2 のように加える
name-before = ターゲットの名前と等号を前に書く
plan-of-tool = プランがあるのは `warp put` のような測定するコマンドラインだけ
flag-needs-revision = { $flag } には比較するリビジョンが必要。--base-rev main のように加える
one-command-needed = { $what } には、各リビジョンの作業ツリーで実行するコマンドのあるターゲットが 1 つ必要。ターゲットは { $others } 個ある。--launch './server --port {"{"}port{"}"}' を 1 回使う
program-without-path = プログラムの名前をパスなしで書く
one-of-names = { $names } のどれかを書く
ip-and-port = 127.0.0.1:8080 や [::1]:0 のように、IP アドレスとポートを書く
at-least-one = 1 以上が必要
whole-number = 整数を書く
host-name-first = --host: { $host } の前にターゲットの名前と等号を書く
host-of-target = --host: 複数のホストを持てるのは --target で指定したターゲットだけ
export-in-output = [output] の export「{ $text }」: { $why }
flag-why = { $flag }: { $why }
all-built-in = { $flag }: すべてのターゲットが組み込みで、組み込みサーバーは常に観測する。この指定を外す
no-page-observed = { $flag }: ページで観測するターゲットがない。--observe NAME=URL を加える
comma-in-name = 「{ $limited }」にカンマがある。名前とカンマの後には dir:PATH か cgroup:PATH を書く
not-whole = 「{ $text }」は整数ではない
no-observe = 「{ $how }」は使えない。使えるのは port、port:N、pid:N、name:PROGRAM、tenbin:URL、prometheus:URL
not-together = { $name }: { $first } と一緒には使えない
targets-are = ターゲットは { $targets }
no-target-called = { $name }: 「{ $target }」というターゲットはない。{ $known }
no-target-named = 名前のあるターゲットはない
launch-twice = --launch: 「{ $name }」というターゲットが 2 つある
no-launch-called = { $flag }: --launch に「{ $name }」というターゲットはない{ $known }
there-is = 。あるのは { $names }
write-command-line = サーバーのコマンドラインを書く
number-above-zero = 100 のような 0 より大きい数を書く
password-unreadable = { $file } のパスワードを読めない: { $error }
rate-flag = --rate: { $error }
ramp-flag = --{ $flag }: { $why }
no-clients-levels = クライアント数か要求レートが必要。--clients 1..16、--end-n-clients 20 --step 2、--rate 50/s,100/s,200/s のどれかを指定する
no-clients = クライアント数か要求レートが必要。--clients 8 か --rate 100/s を指定する
clients-with-rate = --clients: --rate と一緒なら接続数の上限を 1 つ書く。段階はレートで決まる
no-ratio-of-figure = { $name } には信頼区間のある比がない。throughput や p99 などを選ぶ
name-equals-file = nginx=wrk.txt のように NAME=FILE の形で書く
ui-local-only = ページはこのマシンのためのもの。127.0.0.1 か ::1 を使い、ほかのマシンからは ssh -L PORT:127.0.0.1:PORT を使う
observe-none = { $processes } を観測できない: { $why }
no-tls = TLS を話せない: { $text }
cannot-listen-on = { $address } を待ち受けられない: { $source }
no-set-up = サーバーの準備ができない: { $text }
no-log = ログ { $path } に書けない。{ $source }
no-store = { $path } をオブジェクトの保存先に使えない。{ $source }
no-language = その言語はない。使えるのは { $tags }
no-fault = 「{ $text }」は障害の指定ではない。{ $example } のように書く。使えるのは { $known }
no-service-time = 「{ $text }」は処理時間ではない。"fixed:10ms"、"bimodal:99%:1ms,100ms"、"lognormal:5ms:0.5"、"exponential:2ms" のように書く
no-stall = 「{ $text }」は停滞の指定ではない。"10s+5s" のように、開始と長さを書く
no-pause = 「{ $text }」は停止の指定ではない。"50ms/4500" のように、長さと、停止 1 回あたりのリクエスト数を書く
no-share = 「{ $text }」は割合ではない。"1%" や 0.01 のように書く
no-format = 「{ $name }」という形式はない
formats-are = { $why }。使えるのは { $formats }
export-without-file = ファイル名がない。{ $name }=FILE、標準出力なら { $name }=- と書く
read-no-further = ファイルの続きを読めない: { $why }。途中で切れているのかもしれない
cannot-open = 開けない。{ $why }
directory-of-run = ディレクトリーになっている。実行ディレクトリーの結果は tenbin show が表示する
no-hub = { $address } で待ち受けるハブがない(接続の拒否)。tenbin hub で起動する
no-nats = NATS サーバー { $url } に接続できない: { $why }
file-empty = 空のファイル。何も書かれていない
unread-json = 結果を読めないツールの JSON。メンバーは { $members }
no-known-result = 読める結果ではない
beginning-searched = (先頭の { $size } MiB を調べた)
no-known-format = { $what }{ $searched }{ $like }。形式の一覧は docs/formats.md にある
