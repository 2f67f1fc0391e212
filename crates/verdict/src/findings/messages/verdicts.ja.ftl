# The sentences of verdicts: comparisons, sweeps, searches. Pages use these messages, too.
text = { $text }
suspect = { $sentence }。数値は要注意、所見を参照
no-verdict = { $about }は判定しない。数値を信用できない。所見を参照
expectations-met = { $count } 件の期待条件をすべて満たした
expectations-violated = 満たさなかった期待条件: { $conditions }
expectations-undecided = 満たしたか判定できない期待条件: { $conditions }
fail-if-undecided = 成り立つか判定できない --fail-if の条件: { $conditions }
one-target-measured = 測定したターゲットは 1 つで、比較対象がない

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
    { $place }、{ $challenger } は { $baseline } より { $share } { $faster ->
        [true] 速い
       *[false] 遅い
    }
is-times-as-fast = { $place }、{ $challenger } の速さは { $baseline } の { $ratio } 倍
has-higher =
    { $place }、{ $challenger } の{ $metric }は { $baseline } より { $share } { $higher ->
        [true] 高い
       *[false] 低い
    }
has-times = { $place }、{ $challenger } の{ $metric }は { $baseline } の { $ratio } 倍
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
no-complete-block = 両方のターゲットの数値がそろったブロックがない
ratio-with-interval =
    (比 { $ratio }、{ $together ->
        [0] {""}
       *[other] { $together } 件の比較の同時{" "}
    }{ $confidence } % 信頼区間 { $low }–{ $high }、{ $blocks })
ratio-alone = (比 { $ratio }、区間は不明、{ $blocks })
quads = { $count } クワッド
blocks = { $count } ブロック
but = 。{ $why }
ratio-ends = { $low }–{ $high }
one-start =
    どちらも実行を通して同じプロセスで動いており、同じプログラムでも起動ごとに最大 { $noise } の差が出うる
below-noise =
    。差はノイズの下限 { $floor } を下回る{ $twin ->
        [true] (双子との差の範囲)
       *[false] {""}
    }
below-confidence = 。通常の信頼水準 95 % には { $missing }足りない
quads-are = { $count } クワッド
blocks-are = { $count } ブロック
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
most-is-times = { $family } での { $challenger } の最大スループットは { $baseline } の { $ratio } 倍
most-are-equivalent =
    { $family } での { $challenger } と { $baseline } の最大スループットは同等、差は { $within } 以内
most-cannot-tell =
    { $family } での { $challenger } と { $baseline } の最大スループットのどちらが高いかは判定できない
most-cannot-compare =
    { $family } での { $challenger } と { $baseline } の最大スループットは比較できない: { $why }
most-ratio = 比 { $ratio }、{ $confidence } % 信頼区間 { $interval }
most-ratio-alone = 比 { $ratio }、区間は不明
most-ratio-unknown = 比は不明

# Highest rates of two targets.
about-highest-rate = { $workload } での { $target } の最大レート
about-highest-rates = { $workload } での { $challenger } と { $baseline } の最大レートの比較
rates-unknown =
    { $workload } での { $challenger } と { $baseline } の最大レートは比較できない: 維持できるレートがわからないターゲットがある
rates-unbounded =
    探索が終わるまでに { $challenger } が { $workload } で維持したレートは { $baseline } の { $ratio } 倍(上下限は不明)
rates-cannot-tell =
    { $workload } での { $challenger } と { $baseline } の最大レートのどちらが高いかは判定できない
    (比 { $ratio }、範囲 { $low }–{ $high })
rates-differ =
    { $challenger } が { $workload } で維持できるレートは { $baseline } の { $ratio } 倍
    (範囲 { $low }–{ $high })

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
node-gives = { $what }でスループットが { $against } の { $ratio } 倍{ $gives }(区間は不明)
node-changes =
    { $what }でスループットが { $against } より { $share } { $changes }(比 { $ratio }、{ $interval })
node-cannot-tell =
    { $what }でスループットが { $against } より{ $adds }か{ $costs }かは判定できない
    (比 { $ratio }、{ $interval })

# Parameter sweeps without an optimum.
no-sweep-optimum = { $workload } での { $sweep } の最適値は求めない。数値を信用できない。所見を参照

# Why an expectation could not be decided.
not-trusted = 数値を信用できない
holds-despite-delay =
    負荷生成側とそのマシンによる遅れを含めても成り立つ。正確な { $figure } は不明
not-sustained-figures = 連続負荷では数値が変わるターゲットがある
figure-unknown = 数値が不明
too-few-for-interval = スライスまたはブロックが少なく、区間が求まらない
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
because-not-measured = 両方のターゲットの数値がそろったブロックがない
because-few-rounds =
    完全なラウンドが { $rounds } 個では少なすぎて、{ $agree ->
        [true] すべて同じ向きの差でも、
       *[false] {""}
    }偶然の可能性を排除できない
because-other-programs = ほかのプログラムがマシンの CPU 時間の { $share } を使った
because-chance = 比は { $low } から { $high } のどこでもありうる
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
decider-launch = Tenbin によるサーバーの起動(--launch。ブロックごとに起動し直して測る)
decider-restart = サーバーを再起動してから同じ実行
