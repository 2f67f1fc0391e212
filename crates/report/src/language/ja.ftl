# 比較の結論
claim =
    { $outcome ->
        [equivalent] { $challenger } と { $baseline } は { $word }(同等)
        [costs-less] { $challenger } は { $baseline } より 1 操作あたりのコストが小さい({ $word })
        [costs-more] { $challenger } は { $baseline } より 1 操作あたりのコストが大きい({ $word })
        [likely-costs-less] { $challenger } は { $baseline } より 1 操作あたりのコストがおそらく小さい({ $word })
        [likely-costs-more] { $challenger } は { $baseline } より 1 操作あたりのコストがおそらく大きい({ $word })
        [likely-faster] { $challenger } は { $baseline } よりおそらく速い({ $word })
        [likely-slower] { $challenger } は { $baseline } よりおそらく遅い({ $word })
        [slower] { $challenger } は { $baseline } より { $word }(遅い)
        [twin-differs] { $challenger } と { $baseline } には差がある({ $word })
        [noise] { $challenger } と { $baseline } の差はノイズの範囲({ $word })
        [cannot-tell] { $word }(判定できない): { $challenger } と { $baseline }
        [cannot-compare] { $word }(比較できない): { $challenger } と { $baseline }
        [no-verdict] { $challenger } と { $baseline } の判定なし({ $word })
       *[faster] { $challenger } は { $baseline } より { $word }(速い)
    }{ $suspect ->
        [true] (要注意)
       *[false] {""}
    }{ $place ->
        [at] — { $workloads }
        [all-levels] — { $workloads }(全段階を通して)
       *[none] {""}
    }
claim-figures = { $claim }: { $figures }
claim-in-brackets = { $claim }({ $figures })
changed = { $metric } { $change }({ $interval })
times = { $metric } { $change }、{ $interval }
interval-of-change = { $confidence } % 信頼区間 { $ends }
too-few-rounds =
    ラウンド不足({ $comparisons ->
        [1] {""}
       *[other] { $comparisons } 個の比較では{" "}
    }{ $needed }必要、測定は { $measured })
rounds-missing =
    { $measured }を測定、{ $comparisons ->
        [1] {""}
       *[other] { $comparisons } 個の比較を
    }信頼水準 95 % { $comparisons ->
        [1] {""}
       *[other] で判定する
    }にはあと { $missing } ラウンド必要
however = ただし、{ $first }
however-both = ただし、{ $first }、{ $second }
proven = { $metric }は { $change }(この値だけの { $confidence } % 信頼区間 { $ends })
decided-beside = すでに確定: { $first }
decided-both = すでに確定: { $first }、{ $second }

figures =
    { $target }{ $named ->
        [true] ({ $workload })
       *[false] {""}
    }: { $throughput }
figures-p99 =
    { $target }{ $named ->
        [true] ({ $workload })
       *[false] {""}
    }: { $throughput }、p99 { $p99 }
nothing-measured = 何も測定されなかった
none-measured = なし: 何も測定されなかった
probe-open = 「判定には追加の試行が必要」: このレートの試行が足りないか、結果が互いに矛盾する
probe-void =
    「いいえ(数えない)」: 負荷生成側かそのマシンが遅れたため、満たさなかった制限はターゲットについて何も示さない
last-probes = { $count } 回の試行のうち最後の { $shown } 回。全試行は -v か tenbin show --section max-rate で表示
cannot-be-trusted = なし: この実行の数値は信用できない
one-target = ターゲットは 1 つで、比べる相手がない
suspect-figures = { $figures }。要注意、所見を参照
more-workloads = ほか { $count } ワークロード
more-workloads-above = ほか { $count } ワークロードは上を参照
twin = { $workload } の双子プロセス: { $metric } { $change }、{ $interval }、ノイズの下限 { $floor }
not-precise = 精度 ± { $wanted } に達しなかった: { $reached }
ended-precise = { $rounds }で終了。判定に使う値はすべて ± { $within } の精度に達した
ended-most-rounds = 最大の { $rounds } ラウンドで終了。± { $within } の精度に達していない値がある
optimum =
    { $workload } での { $sweep } の最適値は{ $certain ->
        [true] {""}
       *[false] おそらく
    } { $value }{ $suspect ->
        [true] (要注意)
       *[false] {""}
    }
no-optimum = { $workload } での { $sweep } の最適値はない

none-proven = --fail-if の条件が成り立つとは証明されなかった
all-met =
    { $count ->
        [1] 条件を満たす
       *[other] { $count } 個の条件をすべて満たす
    }
despite-invalid =
    { $delay ->
        [true] 負荷生成側またはそのマシンの遅れを含めても成り立つ。
       *[false] {""}
    }この実行のほかの数値は信用できない

rounds-of = { $rounds } × { $seconds }
rounds-of-requests =
    { $rounds } × { $requests } リクエスト{ $timed ->
        [true] または { $seconds }
       *[false] {""}
    }
max-rate-search = 最大レートの探索、1 スライス { $seconds }
by-other-tools = ほかのツールで測定(交互ではない)
schedule =
    { $schedule }{ $interleaved ->
        [true] 、交互
       *[false] {""}
    }{ $restarted ->
        [true] 、ターゲットを再起動
       *[false] {""}
    }
workloads = { $count } ワークロード
margin = ±{ $percent } % 以内は同等
shared-by-agents =
    エージェント { $agents } 台で分担{ $lost ->
        [0] {""}
       *[other] (うち { $lost } 台を失った)
    }

trust-valid = 数値を疑う理由は見つからなかった
trust-suspect = この数値は誤解を招くおそれがある
trust-invalid = この数値は信用できない
trust-ratio = 比は信用できる。絶対値は要注意: { $because }
trust-one-target = ターゲットが 1 つなので比はなく、絶対値は要注意: { $because }
trust-neither = 比は誤解を招くおそれがある(所見を参照)。絶対値も要注意: { $because }
more-reasons = { $first }(ほか { $count } 件)
also-more-reasons = { $first }。ほか { $count } 件の理由
limits-hold = ただし限界({ $count } 件)は確認済み
incomplete-search = 未完了: 探索が終わらなかった
incomplete = 未完了: { $planned } スライスのうち { $full } スライスを測定
run-label = ラベル: { $label }
notes = 注記 { $count } 件

question = { $question }
question-at = { $workloads } で { $question }
highest-rate = { $targets } が { $slo } を守れる最大レートは
connections-of-one = { $families } で { $target } に適した同時接続数は
connections-of-several = { $families } で { $targets } のどれが速いか。それぞれに適した同時接続数は
what-was-measured = 何が測定されたか
how-fast = { $target } はどれだけ速いか
which-is-faster = { $targets } のどれが速いか
list =
    { $names }{ $joint ->
        [or] 、
       *[and] 、
    }{ $last }
more-targets = ほか { $count } 個

# 平易な言葉での結論
in-words-line =
    { $is_only ->
        [true] {""}
       *[false] 、{ $workload }
    }: { $sentence }{ $is_decided ->
        [true] {""}
       *[false] {" "}→ { $advice }
    }
in-words-counted =
    : { $all } 件の比較のうち、偶然では説明できない差があるのは { $differ } 件、同等は { $same } 件。{ $undecided ->
        [0] 判定できないものはない
       *[other] 判定できないのは { $undecided } 件: { $names }{ $more ->
            [0] {""}
           *[other] {" "}ほか { $more } 件
        }
    }{ $is_decided ->
        [true] {""}
       *[false] {" "}→ { $advice }
    }

compared-by = { $metric }、{ $challenger } ÷ { $baseline }
decides = { $metric }(判定に使用)
about-forest =
    { $sides ->
        [single] { $challenger } ÷ { $baseline }
        [several] 各ターゲット ÷ { $baseline }
       *[none] 比較するターゲット ÷ 基準
    }(区間つき)。区間が 1 を含まず、比が 1 から { $floor } より離れていれば、差があると判定する{ $start ->
        [none] {""}
       *[other] (サーバーを再起動していないため、区間全体が { $start } より離れていることも必要)
    }。塗りつぶした四角がそのワークロードの判定に使う値{ $margin ->
        [none] {""}
       *[other] 。区間が灰色の帯(±{ $margin })に収まれば同等
    }。{ $others ->
        [true] { $all } 個の比のうち { $shown } 個。残りは「比較」の節にある。
       *[false] {""}
    }
size-by-connections = { $operation }、{ $challenger } ÷ { $baseline }: サイズ × 同時接続数
about-size-by-connections =
    { $challenger } のスループットが { $baseline } の何倍かを区間つきで示す。差があると判定したセルに色がつく。
    { $strong } 倍未満は薄く、{ $strongest } 倍以上は濃い。
about-quads =
    { $dot ->
        [pair] 点はそれぞれ 2 ラウンド(A B B A)の組。白抜きは注意の印がついたスライスを含む。
        [group] 点はそれぞれラウンドのまとまり。白抜きは注意の印がついたスライスを含む。
       *[several] 点はそれぞれ連続する { $size } 個の比の中央値。縦の線は最小から最大まで。
    }{ $margin ->
        [true] 線は推定値とその区間、灰色の帯は同等とみなす範囲。
       *[false] 線は推定値とその区間。
    }左から右へ上がり続ける、または下がり続ける点はドリフトを示す。{ $others ->
        [true] 主要な比較 { $all } 個のうち { $shown } 個。
       *[false] {""}
    }
over-time =
    時間による変化{ $several ->
        [true] : { $workload }
       *[false] {""}
    }
about-over-time =
    { $points ->
        [marked] 点はそれぞれ 1 スライス。白抜きは注意の印がついたスライス。縦の線はスライスの開始。
        [slices] 点はそれぞれ 1 スライス。白抜きは注意の印がついたスライス。
       *[medians]
            点はそれぞれ、あるターゲットの連続する { $size } スライスの中央値。帯は最小から最大まで。
            すべてのスライスに注意の印がついた点は白抜き。
    }
stages-of = サーバー内の段階: { $workload }、{ $operation }
point-over-time =
    { $target }、スライス { $slices }、{ $start } s: { $value }{ $ranged ->
        [true] （{ $ends }）
       *[false] {""}
    }{ $flagged ->
        [true] 、{ $flags }
       *[false] {""}
    }
about-cost-and-speed =
    点はターゲットでのワークロードを { $baseline } と比べたもの。区間は両方向に示す。右ほど速く、
    1 より下は 1 操作あたりの CPU 時間が少ない。白抜きの点は判定に疑いがある。{ $host ->
        [true] 数値の範囲: { $scope }。
       *[false] {""}
    }{ $others ->
        [true] { $all } 個のうち { $shown } 個。残りは「比較」の節にある。
       *[false] {""}
    }
one-cost-and-speed =
    { $workload }: { $speed } { $faster }({ $speed_interval })、1 操作あたりの CPU 時間 { $cost }({ $cost_interval })。
    どちらも { $challenger } ÷ { $baseline }{ $host ->
        [true] 。数値の範囲: { $scope }
       *[false] {""}
    }
about-percentile-ratios =
    各パーセンタイルでの{ $sides ->
        [single] { $challenger } の時間 ÷ { $baseline } の時間
       *[several] 各ターゲットの時間 ÷ { $baseline } の時間
    }(区間つき)。1 より上は遅い。p99 の ×2 は、p99 が 2 倍長いこと。{ $margin ->
        [none] {""}
       *[other] 灰色の帯は同等とみなす範囲(±{ $margin })。
    }{ $others ->
        [true] { $all } ワークロードのうち { $shown } 個。
       *[false] {""}
    }
about-percentiles =
    その割合のリクエストにかかった時間の上限。裾が見えるように、両軸とも対数。{ $others ->
        [true] { $all } ワークロードのうち { $shown } 個。
       *[false] {""}
    }
sustained =
    持続: ラウンド後の連続負荷 { $time }。{ $operations } 操作を超えて続く、休む間にためた余力(バーストクレジット)はこの時間では現れない
    (--soak 30m)
slower-first-stretch = { $target } は最初の連続負荷で遅かった({ $throughput })が、2 回目では確認されなかった
intervals-together =
    主要な { $comparisons } 個の比の { $confidence } % 区間は同時信頼区間。ほかの区間は、それぞれ単独の信頼区間

finding =
    { $about }: { $evidence }{ $more ->
        [0] {""}
       *[other] (ほか同様の所見 { $more } 件)
    }{" "}→ { $advice }
limit-line =
    { $is_one ->
        [true] : { $evidence }
       *[false] 、{ $about }: { $evidence }
    }{ $more ->
        [0] {""}
       *[other] (ほか同様 { $more } 件)
    }{" "}→ { $advice }
why-line =
    { $is_only ->
        [true] {""}
       *[false] 、{ $workload }
    }: { $slow } は { $fast } より遅い。{ $parts }
why-alone = 単独のリクエストの時間が { $times } 倍({ $slow } と { $fast })
why-served = 一度に処理するリクエストの数が { $times } 倍({ $slow } と { $fast })
why-cpu =
    1 リクエストの CPU 時間が { $times } 倍({ $confidence } % 信頼区間 { $low }–{ $high }、{ $slow } と { $fast })
why-new_connection_share = リクエストの { $slow } に新しい接続が必要(他方は { $fast })
why-backend_share = 背後のサーバーが全コアの { $slow } を使う(他方は { $fast })
why-storage_share = 時間の { $slow } でプロセスがストレージを待つ(他方は { $fast })
why-core_wait_share = スレッドは実行可能な時間の { $slow } でコアの空きを待つ(他方は { $fast })
why-throttled_share = CPU クォータにより時間の { $slow } 止められる(他方は { $fast })
why-round_trip_share = リクエストの時間の { $slow } がネットワークの往復(他方は { $fast })
why-loss_share = パケットの { $slow } が失われたか、順序が入れ替わった(他方は { $fast })
explanation = 所見の説明: { $command }

# ページの部分
run-in = 実行 { $directory }
more = 詳細
quads-of = { $workload }、{ $metric }: { $challenger } ÷ { $baseline }
ratio-of = { $metric }の比
without-flagged = { $metric }(印の付いたスライスを除く)
inverse-of = 1 ÷ { $metric }
ratio-to = { $figure }、{ $baseline } に対する比
cpu-per-operation = 1 操作あたりの CPU 時間
decides-as-speed = 速さ
forest-row = { $ratio }({ $interval })  { $verdict }
link-to-chart = グラフ「{ $title }」へのリンク
since-start = 実行開始からの時間
not-measured = { $workload }: 実行がその前に終わり、測定していない
target-at = { $workload } の { $target }
law =
    普遍スケーラビリティ則(USL): λ 毎秒 { $lambda }、σ { $sigma }、κ { $kappa }。{ $peak }。
    各段階とのずれは最大 { $misfit }
law-peak = 同時接続数 { $connections } で最大 { $throughput }
law-without-peak = 試した同時接続数の 2 倍以内に最大値がない
hysteresis =
    ヒステリシス: 下げながら測ったスループットは、上げながら測ったときの { $ratio } 倍(区間 { $interval })
no-hysteresis = ヒステリシス: 両方の順序で測っていない段階があるため、上りと下りを比べていない
about-run =
    実行 { $run }、開始 { $started }。ターゲットとワークロードごとに { $schedule }、ウォームアップ{" "}
    { $warmup }、負荷生成側の { $threads } スレッド、シード { $seed }
repeat-run = { $about }。再実行: { $command }
# 表の操作とターゲット
operation-by-role =
    { $operation }({ $role ->
        [sub-request] サブリクエスト
        [poll] ポーリング
       *[effect] 反映
    })
about-sub-requests =
    サブリクエストは{ $wholes }のリクエストの 1 つ。時間は個別に計測し、スループットには数えない
something-larger = より大きな操作
about-effects =
    反映までの時間は、操作の開始から、それを初めて観測したポーリングの開始まで。
    ポーリングは別の接続で行い、スループットには数えない
level =
    { $connections }{ $mark ->
        [knee-and-maximum] (knee、最大)
        [knee] (knee)
        [maximum] (最大)
       *[none] {""}
    }
at = { $workload }: { $told }
cache-without-lookups = { $target } のキャッシュ: 参照の報告なし
cache = { $target } のキャッシュ: 報告されたヒット率 { $hits }{ $of }{ $expected }
of-lookups = (参照 { $lookups } 回)
hits-expected = 、シミュレーションによる予想は { $share }
search-server =
    { $target }: ヒープの最大使用量 { $used }(上限 { $heap })、{ $collections }、{ $segments }、{ $merges }
garbage-collections =
    { $known ->
        [true]
            ガベージコレクション { $count } 回{ $timed ->
                [true] ({ $ms } ms)
               *[false] {""}
            }
       *[false] ガベージコレクションの回数は不明
    }
merges =
    { $known ->
        [true]
            マージ { $count } 回{ $timed ->
                [true] ({ $ms } ms)
               *[false] {""}
            }
       *[false] マージの回数は不明
    }
segments =
    { $known ->
        [true] セグメント { $count } 個
       *[false] セグメントの数は不明
    }
segments-changed = セグメント { $before } 個、次に { $after } 個

# 以前の実行との比較
both = { $first } と { $second }
before = 変更前の実行: { $before }
after = 変更後の実行: { $after }
compared-with =
    以前の実行 { $before } と比較。2 つの実行は交互に測定したものではないため、その間のマシンの変化は対照からしかわからない
doubt =
    { $trust }  { $name }{ $invalid ->
        [true] (判定なし)
       *[false] {""}
    }: { $why }
withheld-not-valid =
    { $name } が VALID でないため、どの変化も速い・遅いとは判定できない。この実行を測り直す
withheld-control-moved =
    対照が { $moved } 倍に変わり、許容範囲(どちらの向きにも { $limit } 倍)を超えたため、どの変化も速い・遅いとは判定できない。
    マシンの状態が同じではなかった。両方のバージョンを 1 回の実行で測る
withheld-unjudged =
    { $names } は tenbin で測定したものではないため、どの変化も速い・遅いとは判定できない。
    両方のバージョンを tenbin で、1 回の実行で測る
controls-changed =
    { $count ->
        [1] 対照 1 個が { $low } 倍に変化
       *[other] 対照 { $count } 個が { $low } 倍から { $high } 倍の範囲で変化
    }。{ $by ->
        [target]
            { $shared } は両方の実行で同じターゲットとみられるため、その変化はマシンによるものとし、
            ほかの値をラウンドごとにこの変化で割った
       *[work]
            ほかの値は、変化なしを含むまで広げたこの範囲で割った。残りの変化の区間が 1 を含めば、マシンのドリフト
    }
run-to-run =
    1 回の実行は 1 個の観測値。区間には実行ごとのばらつき { $deviation }(標準偏差)を含む。{ $freedom ->
        [assumed] この実験の VALID な実行が 5 回に満たないため、仮定した値
       *[other] この実験の以前の実行から測った値(自由度 { $freedom })
    }。2 回の実行では { $least } 倍に満たない変化は検出できない。もっと小さな変化を調べるには、
    両方のバージョンを 1 回の実行で測る
intervals-of-earlier = { $comparisons } 個の比較の 95 % 区間は同時信頼区間。対照の区間は、それぞれ単独の信頼区間

# 以前の実行との比較: 答え
compare-answer =
    { $outcome ->
        [faster] { $names }{ $figure } は速くなった
        [slower] { $names }{ $figure } は遅くなった
        [equivalent] { $names }{ $figure } は 5 % 以内で同等
        [differs] { $names } は 2 つの実行で異なるが、原因は不明: { $why }
       *[unknown] { $names } が変わったかどうかは判定できない: { $why }
    }
compare-figure = (変更前の { $ratio } 倍の速さ、区間 { $interval })
compare-only-controls = 変わったかどうかは判定できない: 2 つの実行に共通するのは対照だけ
compare-why =
    { $kind ->
        [drift] 差をマシンのドリフトと区別できない
        [open] 区間が「変化なし」を含む
        [zero] 0 か負の値がある
        [few] 区間を求めるにはラウンドまたは繰り返しが足りない
        [work] 2 つの実行の仕事が違う
       *[control] 2 つの実行の間にマシンがどれだけ変わったかを示す対照がない
    }
compare-doubt = { $name } は { $trust }({ $why })で、信用できない
compare-unjudged =
    { $files } は tenbin で測定したものではない{ $count ->
       *[other] {""}
    }
compare-control-moved =
    対照が { $moved } 倍に変わり、許容範囲(どちらの向きにも { $limit } 倍)を超えた
compare-next =
    次にすること: { $step ->
        [lint] { $name } が VALID でない理由を調べる: tenbin lint { $name }
        [repeat] { $name } が VALID でない理由を調べ、その実行を測り直す
        [tenbin] 両方のバージョンを tenbin で、1 回の実行の 2 つのターゲットとして測る
       *[together] 両方のバージョンを 1 回の実行の 2 つのターゲットとして測り、マシンの変化を打ち消す
    }
compare-rest =
    変更前: { $before }、変更後: { $after }。{ $notes ->
        [0] 注記はない
       *[other] 注記があと { $notes } 件あり、tenbin compare -v で表示する
    }

# 以前の実行との比較: 注記
see-findings = 所見を参照
note = 注記: { $warning }
measured-alone = { $targets }を測定したのは { $name } だけで、比較の対象外
target-named = ターゲット「{ $target }」
workloads-alone = { $workloads }があるのは { $name } だけで、比較の対象外
caveat-of-file = { $name }: { $caveat }
ratio-of-figures =
    { $ratio }{ $change ->
        [better] {" "}改善
        [worse] {" "}悪化
       *[same] {""}
    }
benchmarks-by-name =
    パッケージ、プロセッサー数を含む完全な名前、単位が同じ行を、1 つのベンチマークの繰り返しとして扱う
machines-differ = マシンが異なるため、比はマシンとプログラムの両方の差を含む: { $differ }
machine-differs = { $name } { $before } と { $after }
unit-undirected =
    { $unit } は多いほうがよいのか少ないほうがよいのか不明。比は後 ÷ 前。ファイルに "Unit { $unit } better=higher" の行があればわかる
memory-of-client =
    B/op と allocs/op は、ベンチマークのプロセス内の割り当て。サーバーを試験する場合はクライアントのもので、サーバーの
    ものではない
without-control =
    2 つの実行の間にマシンがどれだけ変わったかを示す対照がない。{ $named ->
        [true] どちらの実行にもあるワークロードはすべて --changed で指定されている
       *[false] --changed で指定したワークロードがない
    }うえ、対照になるターゲット(どちらの実行でも同じとわかっていて、比較するターゲットとは別のもの)もない。
    両方のバージョンを 1 回の実行で測るか、両方の実行で同じ基準を使う
one-run-per-side = 1 回ずつの実行では結論が出ない。両方を測り直す
other-tools =
    判定なし: { $before } は { $tool_before } の結果、{ $after } は { $tool_after } の結果。
    計測の始めと終わりも、数えるものもツールによって違うため、差がターゲットによるものとはいえない
other-connections =
    { $workload } の判定なし: 同時接続数が { $before } と { $after } では、別の負荷の測定になる
other-units =
    { $workload } は比較できない: スループットの単位が変更前は { $before }、変更後は { $after } で、
    単位の違う値には比がない
connections-unknown = { $name } に同時接続数の記載がなく、負荷が違った可能性がある
faster-unknown =
    これらのファイルからはどちらが速いか判断できない。両方を tenbin で実行すれば交互に測定できる
percentiles-of-both = { $workload } の時間(変更前と変更後、区間なし): { $times }
percentile-of-both = { $percentile } { $before } と { $after }
percentiles-alone = { $workload } の { $percentiles } は { $name } にしかなく、比較できない
responses-differ = { $target }({ $workload })の判定なし: 応答が同じではなかった({ $why })
responses-expected =
    { $target }({ $workload }): { $sizes }。サーバーごとにリクエストのテンプレートが違い、ヒット数は一致するため、
    想定内
sizes-differ = 応答の平均が { $then } バイト、次に { $now } バイト
failures-differ = 失敗の割合が { $then }、次に { $now }
hits-unknown =
    両方の実行でヒット数がわかる検索語がなく、同じ検索をしたか不明。ヒット数を記録し、同じ検索語のリストで両方を
    実行する
hits-of-terms-differ =
    { $compared } 個の検索語のうち { $different } 個で、
    ヒット数の差が許容範囲 { $tolerance } を超える: { $terms }{ $more ->
        [0] {""}
       *[other] 。ほか { $more } 個
    }
hits-of-term = { $term } は { $then } 件、次に { $now } 件

# 以前の実行との比較: 比較できない理由
nothing-in-common =
    { $before } と { $after } には、同じターゲットで測った共通のワークロードがない({ $then }。次に { $now }){ $file ->
        [true] 。ほかのツールのファイルは、1 つのターゲットで 1 つのワークロードを測った結果とだけ比較できる
       *[false] {""}
    }
no-target-in-common =
    { $before } と { $after } には共通のターゲットがない({ $then }。次に { $now })。同じプランの実行どうしを比較する
    (tenbin rerun)か、ターゲットに同じ名前を付ける
other-machines =
    { $before } と { $after } は別のマシンで測定した({ $what ->
        [host] ホスト名
        [cpu] CPU
       *[cores] コア数
    }が { $then }、次に { $now })ため、変化の原因がわからない。以前の実行をこのマシンで測り直す
other-requests =
    { $before } と { $after } では、ワークロード「{ $workload }」のリクエストが違う({ $difference })。
    同じプランの実行どうしを比較する(tenbin rerun { $before })
setting-differs = { $key } は { $then }、次に { $now }
setting-header = ヘッダー { $name }
header-differs = ヘッダー { $name } は { $then }、次に { $now }
given = 指定あり
not-given = 指定なし
work-differs = { $then }、次に { $now }
changed-unknown =
    --changed の { $name } は、両方の実行にあるワークロードではない。両方にあるのは { $known }

# ほかのツールの形式での出力の最後の行
finding-line =
    {"*"} { $rule }{ $places ->
        [workloads] ({ $workloads })
        [targets] ({ $targets })
        [both] ({ $workloads }、{ $targets })
       *[none] {""}
    }: { $evidence }
trust-line = 信頼性  { $trust }
trust-line-of-ratio = 信頼性  比: { $trust }。絶対値: SUSPECT、理由は { $because }
trust-and-meaning = { $word }、{ $meaning }
verdict-line = 判定    { $verdict }
run-line = 実行    { $run }
leading-finding =
    { $place ->
        [cause] { $reason }。結果の原因: { $first }
        [note] 注記: { $first }
       *[reason] { $first }
    }{ $more ->
        [0] {""}
       *[other] (ほか所見 { $more } 件)
    }
essence =
    { $rule }{ $placed ->
        [true] ({ $places })
       *[false] {""}
    }: { $evidence }
more-rows = ほか { $rows } 行: { $command }

# ゲートの結果
gate-headline = { $result }  { $answer }
gate-answer =
    { $outcome ->
        [pass] { $candidate } は { $base } より悪くない
        [regression] { $candidate } は { $base } より悪い
        [cannot-tell] { $candidate } が { $base } より悪いかどうか判定できない
       *[invalid] { $candidate } と { $base } の値は使えない
    }{ $known ->
        [true] : { $figures }
       *[false] {""}
    }{ $suspect ->
        [true] 。ただし、比較が SUSPECT なので不合格(--suspect fail、終了コード 9)
       *[false] {""}
    }
gate-figure =
    { $named ->
        [true] { $workload } の
       *[false] {""}
    }{ $metric } { $change } ({ $interval }、許容差 { $margin })
gate-at-least = { $end } 以上
gate-at-most = { $end } 以下
gate-no-end = 限界はまだ不明
gate-title = { $name }: { $candidate } と { $base } の比較
gate-margin = { $margin }
gate-chart = 候補 ÷ 基準: ● 比、├─┤ 区間、│ 差なし、┊ 許容差。矢印の先は目盛りの外
gate-fell-back = ラウンド数または時間の半分を過ぎても最初の指標では判定できなかったため、操作あたりの CPU 時間で判定した
gate-cannot-tell =
    { $spent ->
        [budget] { $rounds } ラウンドで時間切れ。--budget を長く(例: --budget { $longer })すると判定できることがある
        [rounds] 最大の { $rounds } ラウンドを測り終えた。--max-rounds か --margin を大きくすると判定できることがある
       *[other] { $rounds } ラウンド、{ $seconds } で終了した
    }{ $passes ->
        [true] 。--cannot-tell pass の指定により合格とする
       *[false] {""}
    }
gate-invalid = { $rule }: { $evidence }
gate-method =
    最大 { $most } ラウンドのうち { $rounds }。何度評価しても、区間と判定が誤る確率は 5 % 以下{ $tests ->
        [1] {""}
       *[other] 。悪化の検定 { $tests } 件でこの確率を分け合う(Holm の補正)
    }
# 遅くしたコミット
bisect-answer =
    { $outcome ->
        [found] { $commit }  { $date }  { $subject }: 確からしさ { $certainty }
        [group] { $first }…{ $commit } の { $count } コミットのどれか: 確からしさ { $certainty }
        [likely]
            最も可能性が高いもの: { $several ->
                [true] { $first }…{ $commit } の { $count } コミットのどれか、
               *[false] { $commit }  { $date }  { $subject }、
            }{ $certainty }
        [not-worse] { $bad } は { $good } より遅くない
        [not-proven] { $bad } が { $good } より遅いかはわからない
        [invalid] 測定値は使えない
       *[other] 何も測定していない
    }
bisect-change = { $metric }: { $bad } は { $good } の { $ratio } 倍({ $low }–{ $high })
bisect-advice =
    { $what ->
        [several] 変化はおそらく 1 つではないので、コミットを特定しない
        [builds] ラウンドを増やしても変わらない。同じコードのビルドにも差があり、直前のコミットとの差がそれよりはっきり大きくない
        [more] 探索の時間が終わった。--budget で延ばせる。ビルドは残っている
        [group] まとまりの中に測れないコミットがあり、ほかと区別できない
        [ends] 時間の半分では差を証明できなかった。--budget で延ばすか、ばらつきの小さい指標(--figure cpu)か、差の大きい両端を選ぶ
       *[figure] 遅くなっていても --margin 未満。別の指標(--figure)、別のリクエスト、または小さい --margin を選ぶ
    }
bisect-between = { $commit } は良い端にも悪い端にも似ていない。変化は 1 つではないかもしれない。その前と後を別々に調べる
bisect-skipped = 飛ばした { $commit }: { $why }
bisect-effort = { $good } の後から { $bad } まで、最初の親をたどって { $commits } コミット。測定 { $time }: { $runs } 実行の { $rounds } ラウンド、ビルド { $builds } 回、全体で { $whole }
# 実行の履歴
history-page = { $directory } の実行の履歴
history-title =
    { $workload } での { $target } の{ $metric }{ $relative ->
        [true] ({ $anchor } との比)
       *[false] {""}
    }
history-no-anchor =
    { $itself ->
        [true] アンカーの絶対値。マシンの変化を示す
       *[false]
            絶対値なので、マシン、カーネル、ほかの負荷とともに変わる。どの実行でも変わらないターゲットを測り、--anchor で指定すると、それとの比を示す
    }
history-span =
    { $count ->
        [1] { $last } の { $count } 実行: { $low }
       *[other] { $first } から { $last } までの { $count } 実行、値は { $low } から { $high }
    }
history-more = これより前の { $count } 実行は表にない。すべて表示するには --all
history-too-few = 変化を調べるのは { $fewest } 実行以上から。今は { $count } 実行
history-no-change = { $count } 実行の水準に変化なし。実行内のばらつきのほかに、実行ごとに { $between } ばらつく(標準偏差)
history-variation = 実行内のばらつきのほかに、実行ごとに水準から { $between } ばらつく(標準偏差)
history-change =
    { $better ->
        [true] 改善
       *[false] 悪化
    }: 実行 { $run }({ $day })から { $relative ->
        [true] { $anchor } に対して { $size }
       *[false] { $size }
    }(95 % 信頼区間 { $ends }){ $dated ->
        [true] {""}
       *[false] 。変化の時期は { $earliest } から { $latest } までのどの実行でもありうる
    }
history-nothing-else = 直前の実行 { $after } から、Tenbin が記録する範囲でほかの変化はない
history-else =
    直前の実行 { $after } から変わったもの: { $changed }{ $more ->
        [0] {""}
       *[other] 、ほか { $more } 件
    }{ $anchor ->
        [true] 。アンカー { $name } も変わっているので、その変化かもしれない
       *[false] {""}
    }
history-circumstance =
    { $what ->
        [version] { $target } のバージョン { $before } → { $after }
        [program] { $target } のプログラム { $before } → { $after }
        [description] { $target } のアドレスまたはコマンド { $before } → { $after }
        [server_header] { $target } の Server ヘッダー { $before } → { $after }
        [machine] マシン { $before } → { $after }
        [kernel] カーネル { $before } → { $after }
        [cpu] CPU { $before } → { $after }
        [cores] コア数 { $before } → { $after }
        [cpu_quota] { $own ->
            [true] Tenbin
           *[false] { $target }
        } の CPU クォータ { $before } → { $after }
        [memory] メモリー { $before } → { $after }
        [governor] 周波数ガバナー { $before } → { $after }
        [tenbin] Tenbin { $before } → { $after }
        [threads] 負荷生成側のスレッド数 { $before } → { $after }
        [agents] エージェント { $before } → { $after }
        [slice] スライスの長さ { $before } → { $after }
       *[other] { $target } { $before } → { $after }
    }
history-no-quota = なし
history-quota = { $cores } コア
history-note-change = 水準 { $size }
history-note-outlier = 外れ値
history-note-imported = インポート
history-note-anchor = アンカーが別のプログラム
history-left-out =
    { $count ->
        [1] 除外: { $run }: { $why }
       *[other] 除外: { $count } 実行、最新は { $run }: { $why }
    }
history-no-result = 結果がない。実行中か強制終了か起動の失敗。tenbin show で計算できるか、できない理由がわかる
history-unreadable = result.json を読めない。tenbin show で計算し直せる
history-invalid = 値は INVALID
history-no-ratio = アンカーを測っておらず、比がない
history-no-figure = 値が不明
history-other-settings = 最新の実行と設定が違う: { $key } は { $value }、最新の実行では { $newest }
history-about =
    { $relative ->
        [true] 点は 1 実行でのアンカーとの比とその区間
       *[false] 点は 1 実行の値とその区間
    }、横線は水準、縦線は変化。白抜きの点は外れ値またはインポート。{ $skipped ->
        [0] {""}
       *[other] これより前の { $skipped } 実行は描いていない。
    }

# --- 比較の下の注
paired-ratios =
    比は、各ラウンドの比(対にしてドリフトを相殺)から推定した値で、列どうしの商とは異なることがある: { $ratios }
paired-ratio = { $metric }、{ $challenger } ÷ { $baseline } は { $ratio }(列どうしの商は { $quotient })
flagged-included =
    注意の印がついているが、ほかのすべての行に含めている: { $slices }{ $more ->
        [0] {""}
       *[other] 、ほか { $more } 件
    }。説明は tenbin explain flagged_slices
flagged-slice = { $target } のスライス { $slice }({ $flags })

# tenbin ui のページ
ui-runs-in = { $directory } の実行
ui-moved = { $name } を .trash に移した。
ui-range =
    { $count } 件中 { $first }–{ $last }{ $filtered ->
        [true] (全 { $total } 件)
       *[false] {""}
    }
ui-page = { $last } ページ中 { $page } ページ
ui-progress =
    スライス { $slice }{ $known ->
        [true] /{ $slices }
       *[false] {""}
    }。開始から { $elapsed }、測定は長くても約 { $forecast }
ui-delete = { $name } を削除するか
