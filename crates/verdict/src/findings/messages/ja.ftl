median-of-slices = { $slices } スライスの中央値

likewise = 。{ $places } も同様
holds-for = 。{ $places } で共通
place = { $name }
place-on-target = { $target } の { $workload }
place-levels = { $target } の { $first }〜{ $last }
place-run = 実行全体
more-places = ほか { $count } 件

# Hits of search patterns.
pattern-number = パターン { $number }
pattern-hits =
    { $pattern }: { $target } で { $hits }、{ $baseline } で { $of_baseline }
hits-differ =
    { $compared } パターン中 { $different } パターンでヒット数が{ $tolerance ->
        [none] {""}
       *[other] 許容差 { $tolerance } を超えて
    }異なる{ $named ->
        [none] {""}
        [all] : { $patterns }
       *[largest] 。差の大きいもの: { $patterns }
    }

# Several clauses.
clauses = { $clauses }

# CPU use.
thread-use =
    1 コアの { $used } を{ $waits ->
        [true] 使い、時間の { $waited } はほかのプログラムが使うコアの空きを待っていた
       *[false] 使った
    }
idle-cores =
    { $cores } コアの { $share } { $known ->
        [true] が空いていた
       *[false] をターゲットも負荷生成側も使っていなかった
    }
read-ratio =
    絶対値ではなく比を見る。または負荷生成側とターゲットを別々のコアに固定するか、負荷生成側を別のマシンにする

# Parts of a sentence.
and = { $first }、{ $second }

unknown = 不明
interval-unknown = 区間は不明

# Names of metrics in sentences.
metric-throughput = スループット
metric-bandwidth = 帯域
metric-server-cpu = 1 操作あたりのサーバー CPU 時間
metric-server-memory = サーバーのメモリー
metric-service-time =
    { $statistic ->
        [mean] 平均サービス時間
        [median] サービス時間の中央値
       *[percentile] サービス時間の { $percent } パーセンタイル
    }
metric-response-time =
    { $statistic ->
        [mean] 平均応答時間
        [median] 応答時間の中央値
       *[percentile] 応答時間の { $percent } パーセンタイル
    }

# Why a slice is flagged.
flag-failing = 操作の { $share } が失敗
flag-busy-generator = 負荷生成側の 1 スレッドが { $use }
flag-outlying =
    { $metric }が中央値より { $share } { $side ->
        [above] 高い
       *[below] 低い
    }

# The figure in the rounds and under continuous load.
sustained-figures = { $rounds } → { $sustained }

# The result of a maximum-rate search.
search-result = { $claim }{ $bounds }{ $undecided }{ $void }{ $late }
search-proven =
    { $target } は { $workload } で { $slo } を守って { $rate } を維持できる(証明済み。{ $failed })
search-at-least =
    { $target } は { $workload } で { $slo } を守って少なくとも { $rate } を維持できる(未証明。{ $failed })
search-disproven =
    { $held ->
        [briefly]
            { $target } が { $workload } で { $slo } を守って { $rate } を維持したのは { $seconds } 秒の試行のみ。
        [once] { $target } は { $workload } で { $slo } を守って { $rate } を維持したが、
       *[never] { $target } が { $workload } で { $slo } を守れると証明されたレートはない。
    }{ $several ->
        [true] すべての証明({ $failed }–{ $highest })
       *[false] 証明({ $failed })
    }は不合格で、維持できるレートは不明
search-none-known =
    { $target } が { $workload } で { $slo } を守れるとわかったレートはない。{ $failed }
search-held-once =
    { $target } は { $workload } で { $slo } を守って { $rate } を{ $missed ->
        [true] { $probes } 回中
       *[false] {""}
    } { $times } 回維持した(未証明。{ $failed })
search-none-held =
    { $target } は試したどのレートでも { $workload } で { $slo } を守れない。{ $failed }
search-futile =
    { $target } は { $workload } でどのレートも維持できない。{ $rate } で全操作が失敗{ $known ->
        [true] : { $why }
       *[false] {""}
    }
search-unknown = { $workload } で { $slo } を守れる { $target } の最大レートは不明
search-none-failed = 不合格のレートはない
search-failed =
    { $missed ->
        [limits] { $rate } は { $limits } を満たさず不合格
        [others] { $rate } は不合格({ $others })
        [both] { $rate } は { $limits } を満たさず不合格({ $others })
       *[unknown] { $rate } は不合格
    }
search-own-limit =
    { $target } は { $workload } で { $slo } を守って少なくとも { $rate } を維持できる。{ $failed } では{ $limit ->
        [connections] { $connections } 本の接続がすべて使用中だった → --connections を増やす
       *[generator] 負荷生成側の 1 スレッドが時間の { $busy } を使い切っていた → --threads を増やす
    }
search-lower-bound = { $claim }
search-lagged = ターゲットが追いつかない
search-behind = リクエストの送信が指定のレートに遅れた
search-errors = 操作の { $share } が失敗
search-nothing-ended = 1 つの操作も終わらない
search-bounds = 。限界は { $held } と { $failed } の間(各境界が誤る割合は約 { $wrong })
search-undecided =
    。{ $rates } は時間内に判定できなかった{ $few ->
        [true] (操作の数、または遅い操作の数が足りない)
       *[false] {""}
    }
search-short =
    { $known ->
        [between]
            { $target } は{ $place } { $slo } を守って { $rate } 以上 { $failed } 以下を維持できる(未証明)
        [least] { $target } は{ $place } { $slo } を守って { $rate } 以上を維持できる(未証明)
        [held-between]
            { $target } は{ $place } { $slo } を守って { $rate } を { $probes } 回中 { $held } 回維持し、維持できる
            レートは { $failed } 以下(未証明)
        [held]
            { $target } は{ $place } { $slo } を守って { $rate } を { $probes } 回中 { $held } 回維持した(未証明)
        [most] { $target } が{ $place } { $slo } を守れるレートは { $failed } 以下(未証明)
       *[unknown] { $target } が{ $place } { $slo } を守れる最大レートは不明
    }: { $busy ->
        [true] マシンが使用中だったか、探索が短すぎた → -d を長くし、空いているマシンで測る
       *[false] 探索が短すぎた → -d を長くする
    }
search-place = {" "}{ $workload } で
search-rate = { $rate }
search-rates = { $first }–{ $last } の { $count } 個のレート
search-despite-delay =
    { $result }。維持したレートは負荷生成側とそのマシンによる遅れを含めても成り立ち、最大レートはより高い可能性がある
search-void =
    。{ $probes } 回の試行中 { $void } 回が制限を外れたが、ターゲットの不合格には数えない: { $causes }
search-void-late = 負荷生成側の送信の遅れ({ $probes } 回)
search-void-waited = ほかのプログラムが使うコアの空き待ち({ $probes } 回)
search-late = 。最後の各試行({ $rate })で送信が遅れたため、探索を終えた

# The optimum of a sweep.
sweep-optimum =
    { $workload } での { $sweep } の最適値は{ $certain ->
        [true] {" "}
       *[false] おそらく{" "}
    }{ $place }{ $largest ->
        [true] (試した最大の値)
       *[false] {""}
    }: { $metric } { $figure }({ $interval }){ $rival }
sweep-rival =
    。ほかに { $margin } を超えて良い値はなく、最も近いのは { $place } で { $ratio } 倍({ $interval })
    { $certain ->
        [true] {""}
       *[false] 。ただし許容差を超える可能性がある
    }

# A part of a run that was void.
run-part =
    { $part ->
        [preparation] 準備
        [warm-up] ウォームアップ
        [block] ブロック { $block }
        [first-rate] 最大レートの探索のウォームアップ
        [probe] 最大レートの探索の試行
       *[stretch] ラウンド後の連続負荷
    }
