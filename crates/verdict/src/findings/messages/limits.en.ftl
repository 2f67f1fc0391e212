# What limited a target. See ../../limit/.

limit =
    { $limit }{ $quotes ->
        [true] { $opened ->
            [true] ; { $seen }
           *[false] : { $seen }
        }
       *[false] {""}
    }
limit-named =
    { $doubt ->
        [none] { $cause } ({ $certainty ->
            [established] established
           *[likely] likely
        })
       *[other] not settled: the load generator (see { $doubt }), or { $cause }
    }
# The certainty belongs to the number, not to what allows no more.
limit-named-workers =
    { $doubt ->
        [none] the target serves { $served ->
            [one] one request
           *[other] about { $served } requests
        } at a time ({ $certainty ->
            [established] established
           *[likely] likely
        }): { $served ->
            [one] one worker, or a lock, allows no more
           *[other] workers, pooled connections or a lock allow no more
        }
       *[other] not settled: the load generator (see { $doubt }), or { $cause }
    }
nothing = {""}
limit-unknown = unknown
limit-unknown-one = unknown, perhaps { $one }
limit-unknown-two = unknown: { $one }, or { $other }

limit-offered_rate = the offered rate, which the target keeps up with
limit-connections =
    { $in_flight ->
        [one] one request in flight at a time
       *[other] too few requests in flight for the target
    }
limit-rate_connections =
    { $used ->
        [one] the single connection, which is always in use: the rate needs about { $needed }
       *[other] the number of connections: all { $used } are in use, and the rate needs about { $needed }
    }
limit-think_time = the think time of the clients (--think)
limit-connection_rate = the throughput of each connection: a TCP window, or a per-connection limit on the target
limit-network_latency = the time that requests take through the network
limit-link = the speed of the network link
limit-bandwidth = the bandwidth of the network path: about { $rate }
limit-packet_loss = lost packets on the network path
limit-stream_limit = the server's limit of { $streams } concurrent streams per connection
limit-connection_setup =
    { $asked ->
        [true] a new connection for every request, because of --no-keep-alive
       *[false] a new connection for every request: the target closes connections
    }
limit-rate_limiter = a limit on the target: the target accepts about { $accepted } and refuses the rest
limit-workers =
    { $served ->
        [one] one worker, or a lock: the target serves one request at a time
       *[other] workers, pooled connections or a lock: the target serves about { $served } requests at a time
    }
limit-overload = overload: throughput falls as concurrency rises
limit-one_core =
    one CPU core: { $one_thread ->
        [true] the target's work runs on one thread
       *[false] the target's threads or processes work one at a time
    }
limit-target_cpu = CPU: the target uses the cores that are left to it
limit-other_programs = CPU: other programs use the cores
limit-backend = the CPU of a server behind the target
limit-load_generator = the load generator, not the target
limit-cpu_quota = the CPU quota of the target's control group
limit-few_cores =
    { $below_a_core ->
        [true] a CPU quota of about { $cores } cores
       *[false] a CPU quota, or too few cores that the target may run on
    }
limit-storage = storage: requests wait for the disk
limit-swap = memory: the machine swaps
limit-steal = CPU: other virtual machines use the cores

seen-served_share =
    { $in_flight ->
        [one] a request sent alone takes { $alone } on average
       *[other] about { $served } of { $in_flight } requests are served at a time (a request sent alone takes { $alone } on average)
    }
seen-served = { seen-served_share }
seen-doubled =
    { $in_flight ->
        [one] a second test with 2 connections
       *[other] doubling the connections
    } { $change ->
        [more] raises throughput
        [little] hardly raises throughput
        [less] lowers throughput
       *[none] does not raise throughput
    } (× { $ratio })
seen-kept =
    { $all ->
        [true] all of the offered rate succeeds
       *[false] { $ratio } times the offered rate succeeds
    }
seen-in_use = connections have a request in flight { $share } of the time
seen-think_share = connections spend { $share } of the time in think time
seen-idle = { $share } of the CPU time of this machine is idle
seen-target_cores = the target uses { $cores } cores
seen-target_share = the target uses { $share } of all cores
seen-target_thread = its busiest thread uses { $share } of a core
seen-thread_share = one thread uses nearly all of the target's CPU time ({ $share })
seen-cpu_share =
    { $waits ->
        [true] a request sent alone mostly waits: { $share } of its time is CPU time
       *[false] { $share } of the time of a request sent alone is CPU time
    }
seen-core_wait_share = its threads wait for a core { $share } of the time that they could run
seen-core_demand = the target or the load generator uses or waits for { $cores } cores
seen-others_share = other programs use { $share } of all cores
seen-backend_share = servers behind the target use { $share } of all cores
seen-generator_thread = the busiest load generator thread runs, or waits for a core, { $share } of the time
seen-round_trip_share = the network takes { $share } of the mean time of a request
seen-new_connection_share = { $share } of the requests need a new connection
seen-setup_share = opening it takes { $share } of the time
seen-link_share = the busiest link is used to { $share }
seen-transfer_share = data transfer takes { $share } of the time of a request
seen-queue_share = queues on the network path take { $share } of the time (round trips above the shortest)
seen-bytes_each = a request and its response take { $bytes }
seen-bit_rate = requests and responses take { $rate }
seen-loss_share = { $share } of the packets were lost, or arrived out of order after a loss
seen-stream_share = the server allows { $share } of the planned streams
seen-refused_share = { $share } of the responses have status { $status }
seen-throttled_share = the quota stops the target for { $share } of the time
seen-storage_share = processes wait for storage { $share } of the time
seen-stored_each = the target reads and writes { $bytes } on storage for a request
seen-swapped_pages = { $pages } pages are swapped per second
seen-steal_share = other virtual machines take { $share } of the CPU time

limit-advice-offered_rate =
    { $delayed ->
        [true] the latency includes delays of the load generator or its machine: see the findings
       *[false] this is the target's latency at this rate; --slo finds the highest rate it sustains
    }
limit-advice-connections = use more connections (-c { $connections }) to find the highest throughput; this run compares latency
limit-advice-rate_connections = use more connections (-c { $needed }); if throughput stays the same, the target is the limit, and the rate is too high for it
limit-advice-think_time = this run shows the target under clients with this think time; for the highest throughput, use more connections (-c { $connections }) or a shorter --think
limit-advice-connection_rate = check the target's per-connection limit (nginx: limit_rate) and socket buffer sizes; more connections (-c { $connections }) raise throughput
limit-advice-network_latency = measure from a machine that is nearer, or compare throughput with more connections
limit-advice-link = use a faster link, or smaller responses, to measure the server
limit-advice-bandwidth = use a faster path, or smaller requests and responses, to measure the server
limit-advice-packet_loss = find where packets are lost (ethtool -S, ss -ti), or measure from a nearer machine
limit-advice-stream_limit = raise the limit on the target (in nginx: http2_max_concurrent_streams), or use more connections (-c { $connections })
limit-advice-connection_setup =
    { $asked ->
        [true] remove --no-keep-alive, unless the run is meant to measure connection set-up
       *[false] enable keep-alive on the target
    }
limit-advice-rate_limiter = raise the limit on the target (in nginx: limit_req, limit_conn), or offer less (--rate)
limit-advice-workers = first raise the number of workers or threads; if throughput stays the same, check what the workers wait for: pooled connections, a lock, a rate limit, or a backend
limit-advice-overload = find the best concurrency with --ramp; limit concurrency on the target; check for spinning locks and memory pressure
limit-advice-one_core =
    { $one_thread ->
        [true] start one process or thread per core, or make a request cheaper
       *[false] look for the lock, or the interpreter, that they share, or make a request cheaper
    }
limit-advice-target_cpu = make a request cheaper, or give the target more cores; move the load generator to another machine
limit-advice-other_programs = stop the other programs, and measure again
limit-advice-backend = look at the server behind the target
limit-advice-doubted =
    { $idle_cores ->
        [true] first use more --threads, because cores are idle
       *[false] first run the load generator on another machine, because no core is idle here
    }; if throughput stays the same, { $advice }
limit-advice-load_generator = use more --threads if cores are idle, or more machines
limit-advice-cpu_quota = raise the quota (cpu.max, docker --cpus, CPUQuota), or let the target use more cores
limit-advice-few_cores = raise the quota (cpu.max, docker --cpus, CPUQuota), or let the target use more cores
limit-advice-storage = use a faster disk, or let the target sync less often
limit-advice-swap = give the machine more memory, or the programs less
limit-advice-steal = use a machine of its own
limit-observe = to tell, let Tenbin see the target's CPU: --observe port, or --observe pid:N
limit-observe-blobstore =
    to tell, let Tenbin see the CPU of the access layer and of the storage nodes: --observe name:access
    --observe name:blobnode
limit-probe = to tell, run at least 10 s per target (--duration 20s), so that probes of other loads fit
limit-probe-again = to tell, run again without --probes none
limit-probe-gate = a gate does not probe other loads by default; to find the limit, run the gate with --probes auto
limit-closed-loop = to tell, run without --rate: the probes at other concurrencies then show the limit
limit-ramp = to tell, find where throughput stops growing: --ramp
