# Errors in Japanese. In English, each error prints itself.

# Files and runs
unreadable =
    { $path } を読めない。{ $reason ->
        [missing] そのファイルはない
       *[denied] 権限がない
    }
no-run = このディレクトリーの runs/ に実行がない。実行ディレクトリーを指定する
too-few-runs = runs/ の測定済みの実行は { $there } 件しかなく、新しい方から { $asked } 番目はない。tenbin list で一覧を見る
several-runs = 「{ $word }」で始まる実行がいくつもある({ $runs })。名前をもっと長く書く
no-directory = { $path } はディレクトリーではない。実行のあるディレクトリーを指定する
in-no-run = { $flag }: 「{ $name }」のある実行がない。実行にあるのは { $known }
still-running = { $path } の実行はまだ続いており、何も測定していない

# Targets
refused =
    ターゲット「{ $target }」: { $address } を待ち受けるものがない(接続の拒否)。サーバーは起動しているか
unresolved = ターゲット「{ $target }」のホスト「{ $host }」の名前を解決できない({ $reason })
rejected =
    ターゲット「{ $target }」、ワークロード「{ $workload }」: 最初のリクエストが失敗した。
    GET の応答のステータスは { $status } で、成功に数えない。URL を直すか、
    --expect { $status } でこのステータスを受け入れる
no-temporary-keys =
    ターゲット「{ $target }」の一時的な鍵を { $issuer } から取得できない: { $reason }
no-credentials =
    ターゲット「{ $target }」のワークロード「{ $workload }」には S3 の認証情報が必要。--access-key と --secret-key
    (または TENBIN_ACCESS_KEY と TENBIN_SECRET_KEY)、プランでは access_key_env と secret_key_env を指定する。
    署名なしのリクエストなら --anonymous、プランでは signature = "none"
script =
    { $tool } のスクリプト。Tenbin はスクリプトを実行しない。`{ $command }` から始める。
    異なるリクエストは --patterns のファイルに書く。ほかの設定の対応は { $section }
no-target = 測るターゲットがない。URL か、サーバーごとに --target NAME=URL、起動するなら --launch NAME='COMMAND {"{"}port{"}"}'、またはプランの [[target]] 表で指定する
same-name =
    2 つの{ $what ->
        [target] ターゲット
       *[workload] ワークロード
    }の名前が「{ $name }」。片方の名前を変える
unknown-target = ターゲット「{ $name }」はない。あるのは { $targets }{ $meant }
no-url = 「{ $text }」は URL ではない。「{ $meant }」ではないか

# Values of keys and flags
problem = { $place }{ $mistake }
no-duration = 「{ $text }」は時間ではない。"500ms"、"2s"、"1m30s" のように書く
no-rate = 「{ $text }」はレートではない。"1000/s"、"60/m"、250(毎秒)のように書く
not-one-of =
    { $value } は使えない。使えるのは { $choices }{ $percentile ->
        [true] (または p75 などのパーセンタイル)
       *[false] {""}
    }{ $meant }
did-you-mean = 。「{ $meant }」ではないか
too-small = { $number } は小さすぎる。最小は { $least }
too-large = { $number } は大きすぎる。最大は { $most }
too-short = { $time } は短すぎる。最短は { $least }

# Rules
unknown-rule =
    規則「{ $name }」はない。{ $known ->
        [true] 一覧は `tenbin explain` が表示する
       *[false] { $near } ではないか
    }

# tenbin init
init-missing = 標準入力が端末ではないので質問できない。{ $flags } を指定する
only-for = { $option } は { $only } のためのもの。取り除くか、{ $only } を加える
gate-of-one = 判定は 2 つのサーバー、または Tenbin が起動する 1 つのサーバーの 2 つの Git リビジョンを比べる。2 つ目のサーバー(--second)を指定するか、URL の代わりに起動するコマンドを指定する
exists = { $path } はすでにある。{ $option } で別のファイルを指定するか、--force で上書きする
same-file = { $path } はプランと CI のファイルの両方になる。--ci-out で別のファイルを指定する
no-success =
    ターゲット「{ $target }」: GET { $path } の応答のステータスは { $status } で、実行は 2xx だけを成功に数える。
    リクエストを直す(--request)
init-interrupted = 中断した。何も書いていない

# Git のリビジョン
no-repository = ここに git のリポジトリーがない({ $reason })。サーバーのリポジトリーで実行する
no-revision = 「{ $name }」は { $repository } のリビジョンではない。取得済みのコミット、ブランチ、タグを指定する
build-failed = { $revision } のビルドに失敗した: { $command }。出力は上にある
not-before =
    { $good } は { $bad } の最初の親をたどった祖先ではないため、1 つのコミットでは分けられない。同じブランチの以前のコミットを指定する{ $near ->
        [none] {""}
       *[other] (例: { $near })
    }
same-commit = { $good } と { $bad } は同じコミット。遅くなかったコミットを --good で指定する
no-cache-directory = HOME が設定されていないため、キャッシュディレクトリーがない。--build-dir で指定する
