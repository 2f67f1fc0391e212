# What limited a target. See ../../limit/.

limit =
    { $limit }{ $quotes ->
        [true] { $opened ->
            [true] 。{ $seen }
           *[false] 。{ $seen }
        }
       *[false] {""}
    }
limit-named =
    { $doubt ->
        [none] { $cause }({ $certainty ->
            [established] 確認済み
           *[likely] 有力
        })
       *[other] 未確定。負荷生成側({ $doubt } を参照)、または{ $cause }
    }
limit-named-workers =
    { $doubt ->
        [none] ターゲットが一度に処理するのは{ $served ->
            [1] 1 リクエスト
           *[other] 約 { $served } リクエスト
        }({ $certainty ->
            [established] 確認済み
           *[likely] 有力
        })。{ $served ->
            [1] 1 つのワーカー、またはロックがこれを決めている
           *[other] ワーカー、プールの接続、またはロックの数がこれを決めている
        }
       *[other] 未確定。負荷生成側({ $doubt } を参照)、または{ $cause }
    }
nothing = {""}
limit-unknown = 不明
limit-unknown-one = 不明(可能性: { $one })
limit-unknown-two = 不明({ $one }、または { $other })

limit-offered_rate = 与えたレート(ターゲットは追いついている)
limit-connections =
    { $in_flight ->
        [1] 同時に 1 リクエストしか送っていないこと
       *[other] 同時に送るリクエストの不足
    }
limit-rate_connections = 同時接続数。{ $used } 接続がすべて使用中で、このレートには約 { $needed } 接続が必要
limit-think_time = クライアントの思考時間(--think)
limit-connection_rate = 接続ごとの速度(TCP ウィンドウ、またはターゲットの制限)
limit-network_latency = ネットワークの往復時間
limit-link = ネットワークリンクの速度
limit-bandwidth = ネットワーク経路の帯域(約 { $rate })
limit-packet_loss = ネットワーク経路でのパケット損失
limit-stream_limit = サーバーが 1 接続に許すストリーム数の上限({ $streams })
limit-connection_setup =
    { $asked ->
        [true] リクエストごとの新しい接続(--no-keep-alive の指定による)
       *[false] リクエストごとの新しい接続(ターゲットが接続を維持しない)
    }
limit-rate_limiter = ターゲットの制限(約 { $accepted } を受け付け、残りを拒否する)
limit-workers =
    { $served ->
        [1] ワーカーが 1 つ、またはロック(ターゲットは一度に 1 リクエストを処理する)
       *[other] ワーカー、プールの接続、またはロック(ターゲットは一度に約 { $served } リクエストを処理する)
    }
limit-overload = 過負荷(同時のリクエストが増えるとターゲットが遅くなる)
limit-one_core =
    CPU の 1 コア({ $one_thread ->
        [true] ターゲットの処理は 1 スレッドで動く
       *[false] ターゲットのスレッドやプロセスは一度に 1 つしか動かない
    })
limit-target_cpu = CPU(ターゲットが使えるコアを使い切る)
limit-other_programs = CPU(ほかのプログラムがコアを使う)
limit-backend = ターゲットの背後のサーバーの CPU
limit-load_generator = ターゲットではなく負荷生成側
limit-cpu_quota = ターゲットのコントロールグループの CPU クォータ
limit-few_cores =
    { $below_a_core ->
        [true] 約 { $cores } コアの CPU クォータ
       *[false] CPU クォータ、またはターゲットが使えるコアの不足
    }
limit-storage = ストレージ(リクエストがディスクを待つ)
limit-swap = メモリー(スワップが起きている)
limit-steal = CPU(ほかの仮想マシンがコアを使う)

seen-served_share =
    { $in_flight ->
        [1] 1 件だけ送ったリクエストは平均 { $alone }
       *[other] { $in_flight } リクエストのうち一度に処理されるのは約 { $served }(1 件だけ送ったリクエストは平均 { $alone })
    }
seen-served = { seen-served_share }
seen-doubled =
    { $in_flight ->
        [1] 2 接続での別の測定では
       *[other] 接続を 2 倍にすると
    }{ $change ->
        [more] スループットが上がる
        [little] スループットはほとんど上がらない
        [less] スループットが下がる
       *[none] スループットは上がらない
    }(× { $ratio })
seen-kept =
    { $all ->
        [true] 与えたレートのすべてが成功する
       *[false] 与えたレートの { $ratio } 倍が成功する
    }
seen-in_use = 接続は時間の { $share } で応答を待っている
seen-think_share = 接続は時間の { $share } を思考時間に使う
seen-idle = このマシンの CPU 時間の空きは { $share }
seen-target_cores = ターゲットは { $cores } コアを使う
seen-target_share = ターゲットは全コアの { $share } を使う
seen-target_thread = 最も忙しいスレッドは 1 コアの { $share } を使う
seen-thread_share = ターゲットの CPU 時間のほぼすべて({ $share })を 1 つのスレッドが使う
seen-cpu_share =
    { $waits ->
        [true] 1 件だけ送ったリクエストはほとんど待っている(時間のうち CPU は { $share })
       *[false] 1 件だけ送ったリクエストの時間のうち CPU は { $share }
    }
seen-core_wait_share = スレッドは実行可能な時間の { $share } でコアの空きを待つ
seen-core_demand = ターゲットまたは負荷生成側が { $cores } コア分を使うか、その空きを待つ
seen-others_share = ほかのプログラムは全コアの { $share } を使う
seen-backend_share = 背後のサーバーは全コアの { $share } を使う
seen-generator_thread = 負荷生成側の最も忙しいスレッドは時間の { $share } 動いているか、コアの空きを待っている
seen-round_trip_share = リクエストの時間の平均のうちネットワークは { $share }
seen-new_connection_share = リクエストの { $share } に新しい接続が必要
seen-setup_share = 接続の確立が時間の { $share } を占める
seen-link_share = 最も混んだリンクの使用率は { $share }
seen-transfer_share = データの転送がリクエストの時間の { $share } を占める
seen-queue_share = ネットワーク経路のキューが時間の { $share } を占める(最短の往復を超える分)
seen-bytes_each = リクエストと応答で { $bytes }
seen-bit_rate = リクエストと応答で { $rate }
seen-loss_share = パケットの { $share } が失われたか、失われたものより後に届いた
seen-stream_share = サーバーが許すのは計画したストリームの { $share }
seen-refused_share = 応答の { $share } がステータス { $status }
seen-throttled_share = クォータにより、ターゲットは時間の { $share } 止められる
seen-storage_share = 時間の { $share } でプロセスがストレージを待つ
seen-stored_each = ターゲットは 1 リクエストにつきストレージで { $bytes } を読み書きする
seen-swapped_pages = 1 秒に { $pages } ページがスワップされる
seen-steal_share = ほかの仮想マシンが CPU 時間の { $share } を使う

limit-advice-offered_rate =
    { $delayed ->
        [true] レイテンシには負荷生成側またはそのマシンの遅れが含まれる。所見を参照
       *[false] このレートでのターゲットのレイテンシ。維持できる最大レートは --slo で求める
    }
limit-advice-connections = 最大スループットを求めるには接続を増やす(-c { $connections })。この実行が比べるのはレイテンシ
limit-advice-rate_connections = 接続を増やす(-c { $needed })。スループットが変わらなければ限界はターゲットで、このレートは高すぎる
limit-advice-think_time = このようなクライアントの負荷でのターゲットの結果。最大スループットを調べるには接続を増やす(-c { $connections })か、--think を短くする
limit-advice-connection_rate = ターゲットの接続ごとの制限(nginx では limit_rate)とソケットバッファーのサイズを確認する。接続を増やす(-c { $connections })とスループットが上がる
limit-advice-network_latency = ターゲットに近いマシンから測る。または接続を増やしてスループットを比べる
limit-advice-link = サーバーを測るには、より速いリンクか小さい応答を使う
limit-advice-bandwidth = サーバーを測るには、より速い経路か小さいリクエストと応答を使う
limit-advice-packet_loss = パケットが失われる場所を探す(ethtool -S、ss -ti)。または近いマシンから測る
limit-advice-stream_limit = ターゲットの上限を上げる(nginx では http2_max_concurrent_streams)。または接続を増やす(-c { $connections })
limit-advice-connection_setup =
    { $asked ->
        [true] --no-keep-alive を外す(新しい接続を測りたい場合を除く)
       *[false] ターゲットに接続を維持させる(keep-alive)
    }
limit-advice-rate_limiter = ターゲットの制限を上げる(nginx では limit_req、limit_conn)。または負荷を下げる(--rate)
limit-advice-workers = まずワーカーかスレッドを増やす。スループットが変わらなければ、ワーカーが待っているもの(プールの接続、ロック、レート制限、背後のサーバー)を探す
limit-advice-overload = 最適な同時接続数を --ramp で探す。ターゲットが同時に処理するリクエスト数を制限する。スピンロックやメモリー不足がないか調べる
limit-advice-one_core =
    { $one_thread ->
        [true] コアごとにプロセスかスレッドを 1 つ起動する。またはリクエストの処理を軽くする
       *[false] 共有しているロックやインタープリターを探す。またはリクエストの処理を軽くする
    }
limit-advice-target_cpu = リクエストの処理を軽くする。またはコアを増やし、負荷生成側を別のマシンに移す
limit-advice-other_programs = ほかのプログラムを止めて測り直す
limit-advice-backend = ターゲットの背後のサーバーを調べる
limit-advice-doubted =
    { $idle_cores ->
        [true] コアが空いているので、まず --threads を増やす
       *[false] このマシンに空いたコアがないので、まず負荷生成側を別のマシンで動かす
    }。スループットが変わらなければ、{ $advice }
limit-advice-load_generator = コアが空いていれば --threads を増やす。またはマシンを増やす
limit-advice-cpu_quota = クォータを上げる(cpu.max、docker --cpus、CPUQuota)。またはターゲットが使えるコアを増やす
limit-advice-few_cores = クォータを上げる(cpu.max、docker --cpus、CPUQuota)。またはターゲットが使えるコアを増やす
limit-advice-storage = より速いディスクを使う。またはターゲットの sync の頻度を下げる
limit-advice-swap = マシンのメモリーを増やす。またはプログラムの使用量を減らす
limit-advice-steal = 専用のマシンを使う
limit-observe = 判定するには、ターゲットの CPU を観測する(--observe port または --observe pid:N)
limit-observe-blobstore = 判定するには、アクセス層とストレージノードの CPU を観測する(--observe name:access --observe name:blobnode)
limit-probe = 判定するには、ほかの負荷での短い測定も入るように、ターゲットごとに 10 秒以上測る(--duration 20s)
limit-probe-again = 判定するには、--probes の指定を外して測り直す
limit-probe-gate = ゲートは既定ではほかの負荷での短い測定をしない。判定するには、--probes auto を付けて実行する
limit-closed-loop = 判定するには、--rate なしで実行する。ほかの同時接続数での短い測定から限界がわかる
limit-ramp = 判定するには、スループットがどこで伸びなくなるかを見る(--ramp)
