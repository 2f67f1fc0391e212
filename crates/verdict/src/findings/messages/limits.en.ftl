# What limited a target. See ../../limit/.

limit =
    { $limit }{ $quotes ->
        [true] : { $seen }
       *[false] {""}
    }
limit-named =
    { $cause } ({ $certainty ->
        [established] established
       *[likely] likely
    })
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
limit-network_latency = the time that requests take through the network
limit-link = the speed of the network link
limit-bandwidth = the bandwidth of the network path: about { $rate }
limit-packet_loss = lost packets on the network path
limit-stream_limit = the server's limit of concurrent streams on a connection
limit-connection_setup = a new connection for every request
limit-rate_limiter = a rate limit: the target refuses requests
limit-workers =
    { $served ->
        [one] one worker: the target serves one request at a time
       *[other] workers, pooled connections or a lock: the target serves about { $served } requests at a time
    }
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
limit-few_cores = a CPU quota, or too few cores that the target may run on
limit-storage = storage: requests wait for the disk
limit-swap = memory: the machine swaps
limit-steal = CPU: other virtual machines use the cores

seen-served_share = { $served } of { $in_flight } requests are served at a time, { $alone } each
seen-served = { $served } of { $in_flight } requests are served at a time, { $alone } each
seen-doubled = twice the connections give { $ratio } times the throughput
seen-kept = { $ratio } times the offered rate succeeds
seen-idle = { $share } of the CPU time is idle
seen-target_cores = the target uses { $cores } cores
seen-target_share = the target uses { $share } of all cores
seen-target_thread = its busiest thread uses { $share } of a core
seen-thread_share = its busiest thread uses { $share } of its CPU time
seen-cpu_share = CPU is { $share } of the time of a request alone
seen-core_wait_share = its threads wait for a core { $share } of the time that they could run
seen-others_share = other programs use { $share } of all cores
seen-backend_share = servers behind the target use { $share } of all cores
seen-generator_thread = the busiest load generator thread runs { $share } of the time
seen-round_trip_share = the network takes { $share } of the median time of a request
seen-new_connection_share = { $share } of the requests need a new connection
seen-setup_share = opening it takes { $share } of the time
seen-link_share = the busiest link is used to { $share }
seen-transfer_share = data transfer takes { $share } of the time of a request
seen-queue_share = packets wait in network queues for { $share } of it
seen-bytes_each = a request and its response take { $bytes }
seen-bit_rate = requests and responses take { $rate }
seen-loss_share = { $share } of the packets were lost or arrived out of order
seen-stream_share = the server allows { $share } of the planned streams
seen-refused_share = { $share } of the responses have status 429 or 503
seen-throttled_share = the quota stops the target for { $share } of the time
seen-storage_share = processes wait for storage { $share } of the time
seen-stored_each = the target reads and writes { $bytes } on storage for a request
seen-swapped_pages = { $pages } pages are swapped per second
seen-steal_share = other virtual machines take { $share } of the CPU time

limit-advice-offered_rate = this is the target's latency at this rate; --slo finds the highest rate it sustains
limit-advice-connections = use more connections (-c { $connections }) to find the highest throughput; this run compares latency
limit-advice-network_latency = measure from a machine that is nearer, or compare throughput with more connections
limit-advice-link = use a faster link, or smaller responses, to measure the server
limit-advice-bandwidth = use a faster path, or smaller requests and responses, to measure the server
limit-advice-packet_loss = find where packets are lost (ethtool -S, ss -ti), or measure from a nearer machine
limit-advice-stream_limit = raise the limit on the target (in nginx: http2_max_concurrent_streams), or use more connections (-c { $connections })
limit-advice-connection_setup = let both sides keep connections open (keep-alive)
limit-advice-rate_limiter = raise the limit on the target, or offer less (--rate)
limit-advice-workers = raise its number of workers, threads or pooled connections, or look for the lock, the rate limit or the server behind it that they wait for
limit-advice-one_core =
    { $one_thread ->
        [true] start one process or thread per core, or make a request cheaper
       *[false] look for the lock, or the interpreter, that they share, or make a request cheaper
    }
limit-advice-target_cpu = make a request cheaper, or give the target more cores; move the load generator to another machine
limit-advice-other_programs = stop the other programs, and measure again
limit-advice-backend = look at the server behind the target
limit-advice-load_generator = use more --threads if cores are idle, or more machines
limit-advice-cpu_quota = raise the quota (cpu.max, docker --cpus, CPUQuota), or let the target use more cores
limit-advice-few_cores = raise the quota (cpu.max, docker --cpus, CPUQuota), or let the target use more cores
limit-advice-storage = use a faster disk, or let the target sync less often
limit-advice-swap = give the machine more memory, or the programs less
limit-advice-steal = use a machine of its own
limit-observe = to tell, let Tenbin see the target's CPU: --observe port, or --observe pid:N
limit-probe = to tell, run at least 10 s per target (--duration 20s), so that probes of other loads fit
limit-probe-again = to tell, run again without --probes none
limit-ramp = to tell, find where throughput stops growing: --ramp
