# Notes, warnings, errors and progress lines in Japanese. The English text of each stands in the code.

# --- Shared parts
said = { $text }
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
tip-target = サーバーは '--target { $url }' で指定する
tip-in-plan = 測定の内容はプランにある。プランのキー(たとえば [load] の connections)で指定する。オプションとキーの対応は docs/plan-file.md
build-first = init はサーバーをビルドしない。先にビルドする: { $build }
ci-fill-in = { $file } の先頭の TENBIN_VERSION と TENBIN_URL を確認する。CI がダウンロードする Tenbin のリリースを表す
ignore-runs = 結果は { $runs }/ に書かれる。git の対象から外すには: echo { $runs }/ >> .gitignore
no-build = --build がないため、リビジョンを git にあるまま起動した。サーバーをビルドするコマンドを指定する(例: --build make)
tip-k6 = Tenbin はスクリプトを実行しない。k6 の設定に当たる 'tenbin http' のオプションは docs/coming-from.md#k6 にある
tip-plan = プランは 'tenbin run { $plan }' で実行し、'tenbin plan file { $plan }' で確認する
tip-option = このオプションの名前は '{ $name }'

# --- Ctrl-C
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
after-loading = 。その前に、ターゲットごとに { $objects } 個のオブジェクト({ $size })を読み込む
after-loading-again =
    。その前に、ターゲットごとに { $objects } 個のオブジェクト({ $size })を読み込み、
    各スライスの前にも補充する
probe =
    { $target } の { $workload }: { $rate } の{ $what ->
        [proof] 証明
       *[probe] 試行
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
checking-hosts = { $hosts } 台のホストを確認中
listing-left = { $prefix } 以下に残ったものを一覧中
listing-objects = { $place }のオブジェクトを一覧中
checking = { $what }を確認中
checking-bucket = バケット { $bucket } を確認中
checking-access = バケット { $bucket } へのアクセスを確認中
checking-support = { $feature } への対応を確認中
aborting-uploads = 未完了のアップロード { $uploads } 件を中止中
reading-unloaded = 無負荷のサーバーの応答を読み取り中
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
slower-sustained =
    「{ $target }」は「{ $workload }」の連続負荷でラウンド中より遅い。確認のためもう一度測る
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
        [block] ブロック
       *[slice] スライス
    }の前ごとに再起動する。ウォームアップを含め、{ $whole } s のうち約 { $seconds } s かかる
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
    --rounds { $rounds }({ $blocks } { $is_pair ->
        [true] クワッド(ABBA)
       *[false] ブロック(ウィリアムズ方格)
    })ではどんな差も示せない。信頼水準 { $confidence } % では、{ $questions ->
        [1] {""}
       *[other] { $questions } 個の比較の
    }符号順位検定に { $blocks_needed } { $is_pair ->
        [true] クワッド
       *[false] ブロック
    }が必要 → --rounds { $needed } 以上にする(約 { $time }){ $offers }
or-keep-time = 。時間を変えないなら、--rounds { $needed } --slice { $slice }
or-compare-less =
    。または比較を減らし、このラウンド数で最大 { $questions } 個にする(基準以外の 1 ターゲットの 1 ワークロードが
    1 個の比較。スイープの各段階はまとめて 1 個)
or-without-twin = 。または双子(--aa)を外す
rounds-rounded-up = { $asked } ではなく { $count } ラウンドにする。{ $design }、実行は完全なブロックだけからなる
blocks-of-workloads = 比べるワークロードは { $each } ラウンドのブロックで交互に測り
quads-of-targets = 2 つのターゲットは 2 ラウンドの ABBA のクワッドで交互に測り
squares-of-targets =
    { $targets } 個のターゲット{ $twin ->
        [true] (--aa の双子を含む)
       *[false] {""}
    }は { $each } ラウンドのウィリアムズ方格で交互に測り
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
still-running = 実行中
result-unreadable = result.json を読めない。tenbin show で計算し直せる
no-comparison = 比較なし
first-verdict = { $first }(ほか { $more } 件)
run-incomplete = (未完了)
head-run = 実行
head-label = ラベル
head-trust = 信頼性
head-note = メモ
head-result = 結果
other-series = 最新の実行とは別の実験の系列がほかに { $hidden } 件ある。--all ですべて表示する
no-such-figure = この値のある実行がない。値の一覧は tenbin history --help にある
last-measured = last は { $run }。それより新しい { $newest } は何も測定していない
no-run-directory =
    実行 { $name } はない。実行ディレクトリーではなく、runs/ にこのラベルを持つ実行も、この文字列で始まる名前の実行もない。
    実行の一覧は tenbin list で見る
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
nothing-listens = { $address } を待ち受けるものがない(接続の拒否)。サーバーは起動しているか
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
    { $requests } リクエストのうち { $failed }({ $share })が失敗し、{ $rate } に数えられている: { $failures }。
    正しい応答: { $correct }
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
