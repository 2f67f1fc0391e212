# The sentences of verdicts: comparisons, sweeps, searches. Pages use these messages, too.
text = { $text }
suspect = { $sentence }。数値は要注意、所見を参照
no-verdict = { $about }は判定しない。数値を信用できない。所見を参照
expectations-met = { $count } 件の期待条件をすべて満たした
expectations-violated = 条件を満たさない(NOT MET): { $conditions }
fail-if-violated = 不合格(FAILED): { $conditions }
expectations-undecided = 判定できない: { $conditions }{ $why }
fail-if-undecided = --fail-if の条件が成り立つとは証明されなかった。判定できない: { $conditions }
one-target-measured = 測定したターゲットは 1 つで、比較対象がない

# Conditions of --expect and --fail-if.
condition-figure =
    { $name ->
        [throughput] スループット
        [mean] 平均時間
        [max] 最長時間
        [errors] エラー率
        [cpu] {" "}1 操作あたりの CPU 時間
        [bandwidth] 帯域
        [memory] メモリー
       *[other] {" "}{ $shown }{" "}
    }
condition-value =
    { $ratio ->
        [true] ベースラインの { $shown } 倍
       *[false] {" "}{ $shown }{" "}
    }
condition-demanded =
    { $figure }は{ $bound }{ $relation ->
        [below] 未満
        [above] 超
        [at-most] 以下
       *[at-least] 以上
    }{ $fails ->
        [true] であってはならない
       *[false] でなければならない
    }
condition-demanded-of-target =
    { $target } の{ $figure }は{ $bound }{ $relation ->
        [below] 未満
        [above] 超
        [at-most] 以下
       *[at-least] 以上
    }{ $fails ->
        [true] であってはならない
       *[false] でなければならない
    }
condition-violated =
    { $workload } での { $target } の{ $figure }は{ $seen }だが{ $bound }{ $relation ->
        [below] 未満
        [above] 超
        [at-most] 以下
       *[at-least] 以上
    }{ $fails ->
        [true] であってはならない
       *[false] でなければならない
    }
condition-undecided =
    { $workload } での { $target } の{ $figure }が{ $bound }{ $relation ->
        [below] 未満
        [above] 超
        [at-most] 以下
       *[at-least] 以上
    }か
condition-because = 。理由: { $why }
condition-undecided-because = { $condition }{ $why }

# Comparisons of targets and workloads.
compared = { $claim }{ $figures }{ $small }{ $outlook }
no-comparison =
    { $place }、{ $challenger } と { $baseline } の比較は判定しない。数値を信用できない。所見を参照{ $figures }
compared-at =
    { $across ->
        [levels] { $workload } の全段階を通して
       *[targets] { $workload } で
    }
is-faster =
    { $place }、{ $challenger } は { $baseline } より{ $faster ->
        [true] 速い
       *[false] 遅い
    }
has-higher =
    { $place }、{ $challenger } の{ $metric }は { $baseline } より{ $higher ->
        [true] 高い
       *[false] 低い
    }
are-equivalent =
    { $place }、{ $challenger } と { $baseline } は同等: { $metric }の差が { $within } 以内
is-likely =
    { $place }、{ $challenger } は { $baseline } より{ $tendency ->
        [faster] おそらく速い
        [slower] おそらく遅い
        [costs-less] おそらくコストが小さい
       *[costs-more] おそらくコストが大きい
    }: { $metric }
cannot-tell = { $place }、{ $challenger } と { $baseline } のどちらが良いかは{ $metric }では判定できない
cannot-compare = { $place }、{ $challenger } と { $baseline } は{ $metric }で比較できない: { $why }
no-complete-block = 両方のターゲットの数値がそろったラウンドがない
ratio-with-interval =
    ({ $change }、{ $together ->
        [0] {""}
       *[other] { $together } 件の比較の同時{" "}
    }{ $confidence } % 信頼区間 { $ends }、{ $rounds })
ratio-alone = ({ $change }、区間は不明、{ $rounds })
rounds = { $count } ラウンド
but = 。{ $why }
ratio-ends = { $low }–{ $high }
change-ends = { $low } … { $high } %
one-start =
    どちらも実行を通して同じプロセスで動いており、同じプログラムでも起動ごとに最大 { $noise } の差が出うる
below-noise =
    。差はノイズの下限 { $floor } を下回る{ $twin ->
        [true] (双子との差の範囲)
       *[false] {""}
    }
below-confidence = 。通常の信頼水準 95 % には { $missing }足りない
rounds-are = { $count } ラウンド
outlook = 。{ $detectable }。{ $needed }{ $levels }
would-detect = この実行で検出できる差は { $size } 以上
detects-nothing =
    { $comparisons ->
        [0] ラウンドが少なすぎて、どんな差も検出できない
       *[other] { $comparisons } 件の比較にはラウンドが少なすぎて、どんな差も検出できない
    }
rounds-would-detect = 約 { $rounds } ラウンドで { $size } の差を検出できる
rounds-are-needed = 少なくとも { $rounds } ラウンドが必要
rounds-would-not = { $size } の差を検出できる現実的なラウンド数はない
by-factor = ×{ $ratio }
levels-are-one =
    。{ $sweep } の { $levels } 段階は 1 つの問いであり、全段階を通した差は証明されていないため、単独の段階でも差があるとはしない
not-sustained-why =
    { $tail ->
        [true] p99
       *[false] スループット
    }(ラウンド中 → 連続負荷): { $sides }
sustained-side = { $name } { $figures }

# Concurrency sweeps.
about-capacity = { $family } での { $target } の最大スループット
about-capacities = { $family } での { $challenger } と { $baseline } の最大スループットの比較
capacity =
    { $family } での { $target } の最大スループットは { $peak }({ $interval })、同時接続数 { $connections }。
    { $knee }{ $workers }
capacity-unknown = { $family } での { $target } の最大スループットは不明: 測定していない段階がある
knee-at =
    { $found ->
        [true] 頭打ちになる点(knee)は { $connections }
       *[false] 頭打ちになる点(knee)は { $connections } 以上。正確な位置は同時接続数をさらに増やすとわかる
    }
knee-unknown = 頭打ちになる点(knee)は不明
like-workers =
    。ワーカー { $workers } 個{ $more ->
        [true] 以上
       *[false] {""}
    }に相当する({ $interval })
capacities = { $claim }({ $figures }、同時接続数 { $connections } 対 { $of_baseline })
most-is-higher =
    { $family } での { $challenger } の最大スループットは { $baseline } より{ $higher ->
        [true] 高い
       *[false] 低い
    }
most-are-equivalent =
    { $family } での { $challenger } と { $baseline } の最大スループットは同等、差は { $within } 以内
most-cannot-tell =
    { $family } での { $challenger } と { $baseline } の最大スループットのどちらが高いかは判定できない
most-cannot-compare =
    { $family } での { $challenger } と { $baseline } の最大スループットは比較できない: { $why }
most-ratio = { $change }、{ $confidence } % 信頼区間 { $ends }
most-ratio-alone = { $change }、区間は不明
most-ratio-unknown = 比は不明

# Highest rates of two targets.
about-highest-rate = { $workload } での { $target } の最大レート
about-highest-rates = { $workload } での { $challenger } と { $baseline } の最大レートの比較
rates-unknown =
    { $workload } での { $challenger } と { $baseline } の最大レートは比較できない: 維持できるレートがわからないターゲットがある
rates-alike =
    探索が終わるまでに { $challenger } が { $workload } で維持したレートは { $baseline } と同じ(上下限は不明)
rates-unbounded =
    探索が終わるまでに { $challenger } が { $workload } で維持したレートは { $baseline } より{ $higher ->
        [true] 高い
       *[false] 低い
    }({ $change }、上下限は不明)
rates-cannot-tell =
    { $workload } での { $challenger } と { $baseline } の最大レートのどちらが高いかは判定できない
    ({ $change }、範囲 { $ends })
rates-differ =
    { $challenger } が { $workload } で維持できるレートは { $baseline } より{ $higher ->
        [true] 高い
       *[false] 低い
    }({ $change }、範囲 { $ends })

# The nodes of a cluster.
about-nodes = { $workload } での { $cluster } のノード追加の効果
nodes-gain = { $workload } での { $cluster }: { $steps }
nodes-added =
    { $kind ->
        [first] { $count ->
            [1] 最初のノード
           *[other] 最初の { $count } ノード
        }
       *[more] { $count ->
            [1] ノード { $last }
           *[other] ノード { $next }〜{ $last }
        }
    }
node-verb =
    { $verb ->
        [gives] になる
        [adds] 増える
       *[costs] 減る
    }{ $count ->
       *[other] {""}
    }
node-unknown = { $what }でスループットがどれだけ{ $changes }かは不明
node-gives = { $what }でスループットが { $against } に対して { $change } { $gives }(区間は不明)
node-changes =
    { $what }でスループットが { $against } より{ $changes }({ $change }、{ $ends })
node-cannot-tell =
    { $what }でスループットが { $against } より{ $adds }か{ $costs }かは判定できない
    ({ $change }、{ $ends })

# Parameter sweeps without an optimum.
no-sweep-optimum = { $workload } での { $sweep } の最適値は求めない。数値を信用できない。所見を参照

# Why an expectation could not be decided.
not-trusted = 数値を信用できない
not-trusted-because =
    { $rule ->
        [send_lag] { $agents ->
            [true] エージェント
           *[false] このマシン
        }がリクエストを遅れて送った
        [client_saturated] 負荷生成側が飽和した
        [throttled] CPU クォータが負荷生成側を止めた
        [swapping] メモリーが足りなかった
        [errors] 操作が失敗した
        [process_ended] 実行中にターゲットのプロセスが終了した
        [incomplete] 実行が早く終わりすぎた
        [short_slices] スライスが操作に対して短すぎる
        [port_exhaustion] ローカルポートが尽きた
        [unequal_answers] ターゲットの応答が互いに異なる
        [unequal_requests] ターゲットに同じリクエストが送られていない
        [mixed_responses] 同じリクエストに異なる種類の応答があった
        [changed_answers] 実行中または実行後に応答が変わった
        [content_under_load] 負荷時の応答が無負荷時と異なる
        [read_back] 書き込みまたは削除が実行されていない
       *[other] 数値を信用できない(所見 { $name })
    }
holds-despite-delay =
    負荷生成側とそのマシンによる遅れを含めても成り立つ。正確な { $figure } は不明
not-sustained-figures = 連続負荷では数値が変わるターゲットがある
figure-unknown = 数値が不明
too-few-for-interval = スライスまたはラウンドが少なく、区間が求まらない
bound-in-interval = 境界値が区間に含まれる

# The load of a workload.
load =
    { $pace }、{ $connections }{ $depth }{ $keep_alive ->
        [true] {""}
       *[false] 、リクエストごとに新しい接続
    }、タイムアウト { $timeout } s
load-connections = 同時接続数 { $count }
load-depth = (1 接続あたり同時に最大 { $count } リクエスト)
load-closed = クローズドループ{ $think }
load-think = 、思考時間 { $time }
think-fixed = { $seconds } s
think-uniform = { $from } s〜{ $to } s の一様分布
think-exponential = 平均 { $mean } s の指数分布
load-constant = オープンループ { $rate }{ $spread }
load-ramp = オープンループ { $from } から { $to } まで{ $spread }
load-steps = オープンループ { $steps }{ $spread }
load-step = { $rate } を { $seconds } s
load-trace = トレース { $file } によるオープンループ{ $speed }
load-search = { $slo } を守れる最大レートの探索{ $spread }
poisson-arrivals = 、ポアソン到着
trace-speed = ({ $speed } 倍速)

# What a comparison comes to, in plain words.
plain-times =
    { $challenger } の{ $metric }は { $baseline } の { $ratio } 倍{ $kind ->
        [cpu] かかる
       *[other] {""}
    }
plain-not-chance =
    { $count ->
       *[other] この差は偶然では説明できない
    }
plain-same = { $challenger } と { $baseline } の{ $metric }は { $within } 以内で同じ
plain-undecided = { $metric }は判定できない。理由: { $because }
because-untrusted = 数値を信用できない(所見を参照)
because-not-measured = 両方のターゲットの数値がそろったラウンドがない
because-few-rounds =
    完全なラウンドが { $rounds } 個では少なすぎて、{ $agree ->
        [true] すべて同じ向きの差でも、
       *[false] {""}
    }偶然の可能性を排除できない
because-other-programs = ほかのプログラムがマシンの CPU 時間の { $share } を使った
because-chance = 比は { $low } から { $high } のどこでもありうる
because-varying = { $target } のスループットがスライスごとに変わる({ $low }–{ $high })
because-noise = 差がノイズ({ $floor })より大きくない
because-one-start = 同じプログラムでも起動ごとに { $noise } の差が出うるが、各サーバーの起動は 1 回だけ
because-not-sustained = 連続負荷では数値が変わるターゲットがある
plain-or = { $first }、または{ $second }
plain-would-decide = 判定するには: { $deciders }
decider-rounds =
    約 { $rounds } ラウンド(--rounds { $rounds }{ $timed ->
        [true] 、{ $minutes ->
            [0] 1 分未満
           *[other] 約 { $minutes } 分
        }
       *[false] {""}
    })
decider-cpu = 1 操作あたりの CPU 時間による判定(--decide cpu。すでに判定できている)
decider-idle-machine = ほかのプログラムが動いていないマシン
decider-launch = Tenbin によるサーバーの起動(--launch。ラウンドの間に起動し直して測る)
decider-restart = サーバーを再起動してから同じ実行
