# The sentences of verdicts: comparisons, sweeps, searches. Pages use these messages, too.
text = { $text }
suspect = { $sentence }; the numbers are suspect, see the findings
no-verdict = no verdict on { $about }: the figures cannot be trusted; see the findings
expectations-met =
    { $count ->
        [one] the expectation is met
       *[other] all { $count } expectations are met
    }
expectations-violated = NOT MET: { $conditions }
fail-if-violated = FAILED: { $conditions }
expectations-undecided = cannot tell whether { $conditions }{ $why }
fail-if-undecided = no --fail-if condition is proven: cannot tell whether { $conditions }
one-target-measured = one target was measured, so there is nothing to compare

# Conditions of --expect and --fail-if.
condition-figure =
    { $name ->
        [mean] mean time
        [max] longest time
        [errors] error rate
        [cpu] CPU time per operation
       *[other] { $shown }
    }
condition-value =
    { $ratio ->
        [true] { $shown } times that of the baseline
       *[false] { $shown }
    }
condition-demanded =
    { $figure } must { $fails ->
        [true] not be
       *[false] be
    } { $relation ->
        [below] below
        [above] above
        [at-most] at most
       *[at-least] at least
    } { $bound }
condition-demanded-of-target =
    { $figure } of { $target } must { $fails ->
        [true] not be
       *[false] be
    } { $relation ->
        [below] below
        [above] above
        [at-most] at most
       *[at-least] at least
    } { $bound }
condition-violated =
    { $figure } of { $target } is { $seen } at { $workload } and must { $fails ->
        [true] not be
       *[false] be
    } { $relation ->
        [below] below
        [above] above
        [at-most] at most
       *[at-least] at least
    } { $bound }
condition-undecided =
    { $figure } of { $target } is { $relation ->
        [below] below
        [above] above
        [at-most] at most
       *[at-least] at least
    } { $bound } at { $workload }
condition-because = : { $why }
condition-undecided-because = { $condition }{ $why }

# Comparisons of targets and workloads.
compared = { $claim }{ $figures }{ $small }{ $outlook }
no-comparison =
    no verdict on { $challenger } against { $baseline } { $place }: the figures cannot be trusted;
    see the findings{ $figures }
compared-at =
    { $across ->
        [levels] over all levels of { $workload }
        [workloads] on { $workload }
       *[targets] at { $workload }
    }
is-faster =
    { $challenger } is { $faster ->
        [true] faster
       *[false] slower
    } than { $baseline } { $place }
has-higher =
    { $challenger } has a { $higher ->
        [true] higher
       *[false] lower
    } { $metric } than { $baseline } { $place }
are-equivalent =
    { $challenger } and { $baseline } are equivalent { $place }: { $metric } within { $within }
is-likely =
    { $challenger } { $tendency ->
        [faster] is likely faster
        [slower] is likely slower
        [costs-less] likely costs less
       *[costs-more] likely costs more
    } than { $baseline } { $place }: { $metric }
cannot-tell = cannot tell { $challenger } from { $baseline } { $place } by { $metric }
cannot-compare =
    cannot compare { $challenger } with { $baseline } { $place } by { $metric }: { $why }
no-complete-block = no complete rounds have this figure for both targets
ratio-with-interval =
    {" "}({ $change }, { $confidence } % interval{ $together ->
        [0] {""}
       *[other] {" "}for all { $together } comparisons together
    } { $ends }, { $rounds })
ratio-alone = {" "}({ $change }, interval unknown, { $rounds })
rounds =
    { $count ->
        [one] 1 round
       *[other] { $count } rounds
    }
but = ; { $why }
ratio-ends = { $low }–{ $high }
change-ends = { $low } … { $high } %
one-start =
    each ran in one process during the whole run, and two starts of one program may differ by up to
    { $noise }
below-noise =
    ; the difference is below the noise floor of { $floor }{ $twin ->
        [true] , by which the twin may differ
       *[false] {""}
    }
below-confidence = : below the usual confidence of 95 %, for which { $missing } missing
rounds-are =
    { $count ->
        [one] 1 round is
       *[other] { $count } rounds are
    }
outlook = : { $detectable }; { $needed }{ $levels }
would-detect = this run would have detected a difference of { $size } or more
detects-nothing =
    too few rounds to detect any difference{ $comparisons ->
        [0] {""}
       *[other] {" "}in { $comparisons } comparisons
    }
rounds-would-detect = about { $rounds } rounds would detect { $size }
rounds-are-needed = at least { $rounds } rounds are needed
rounds-would-not = no reasonable number of rounds would detect { $size }
by-factor = a factor of { $ratio }
levels-are-one =
    ; the { $levels } levels of { $sweep } are one question, and there is no proven difference over
    all of them, so none is claimed for a single level
not-sustained-why =
    { $tail ->
        [true] p99
       *[false] throughput
    } in the rounds → sustained: { $sides }
sustained-side = { $name } { $figures }

# Concurrency sweeps.
about-capacity = the capacity of { $target } at { $family }
about-capacities = the capacity of { $challenger } against { $baseline } at { $family }
capacity =
    { $target } reaches at most { $peak } ({ $interval }) at { $family }, with { $connections }
    connections; { $knee }{ $workers }
capacity-unknown =
    the capacity of { $target } at { $family } is unknown: not every level was measured
knee-at =
    { $found ->
        [true] the knee is at { $connections }
       *[false] the knee is at { $connections } or more; more connections would show where
    }
knee-unknown = the knee is unknown
like-workers =
    ; it behaves like { $workers } workers{ $more ->
        [true] {" "}or more
       *[false] {""}
    } ({ $interval })
capacities = { $claim } ({ $figures }, { $connections } connections against { $of_baseline })
most-is-higher =
    the maximum throughput of { $challenger } is { $higher ->
        [true] higher
       *[false] lower
    } than that of { $baseline } at { $family }
most-are-equivalent =
    the maximum throughputs of { $challenger } and { $baseline } are equivalent at { $family }, within
    { $within }
most-cannot-tell =
    cannot tell the maximum throughput of { $challenger } from that of { $baseline } at { $family }
most-cannot-compare =
    cannot compare the maximum throughput of { $challenger } with that of { $baseline } at { $family }:
    { $why }
most-ratio = { $change }, { $confidence } % interval { $ends }
most-ratio-alone = { $change }, interval unknown
most-ratio-unknown = ratio unknown

# Highest rates of two targets.
about-highest-rate = the highest rate of { $target } at { $workload }
about-highest-rates =
    the highest rate of { $challenger } against { $baseline } at { $workload }
rates-unknown =
    cannot compare the highest rates of { $challenger } and { $baseline } at { $workload }: one of them
    is not known to sustain any rate
rates-alike =
    { $challenger } sustained the same rate as { $baseline } at { $workload } before the search ended
    (bracket unknown)
rates-unbounded =
    { $challenger } sustained a { $higher ->
        [true] higher
       *[false] lower
    } rate than { $baseline } at { $workload } before the search ended ({ $change }, bracket unknown)
rates-cannot-tell =
    cannot tell the highest rate of { $challenger } from that of { $baseline } at { $workload }
    ({ $change }, bracket { $ends })
rates-differ =
    { $challenger } sustains a { $higher ->
        [true] higher
       *[false] lower
    } rate than { $baseline } at { $workload } ({ $change }, bracket { $ends })

# The nodes of a cluster.
about-nodes = the gain of nodes of { $cluster } at { $workload }
nodes-gain = { $cluster } at { $workload }: { $steps }
nodes-added =
    { $kind ->
        [first] the first { $count ->
            [one] node
           *[other] { $count } nodes
        }
       *[more] { $count ->
            [one] node { $last }
           *[other] nodes { $next } to { $last }
        }
    }
node-verb =
    { $count ->
        [one] { $verb ->
            [gives] gives
            [adds] adds
           *[costs] costs
        }
       *[other] { $verb ->
            [gives] give
            [adds] add
           *[costs] cost
        }
    }
node-unknown = how much { $what } { $changes } is unknown
node-gives =
    { $what } { $gives } { $change } throughput relative to { $against } (interval unknown)
node-changes =
    { $what } { $changes } throughput relative to { $against } ({ $change }, { $ends })
node-cannot-tell =
    cannot tell whether { $what } { $adds } or { $costs } throughput against { $against }
    ({ $change }, { $ends })

# Parameter sweeps without an optimum.
no-sweep-optimum =
    no optimum of { $sweep } at { $workload }: the figures cannot be trusted; see the findings

# Why an expectation could not be decided.
not-trusted = the figures cannot be trusted
not-trusted-because =
    { $rule ->
        [send_lag] requests were sent late by { $agents ->
            [true] an agent
           *[false] this machine
        }
        [client_saturated] the load generator was saturated
        [throttled] a CPU quota stopped the load generator
        [swapping] memory was short
        [errors] operations failed
        [process_ended] a process of the target ended during the run
        [incomplete] the run ended too early
        [short_slices] the slices are too short for the operations
        [port_exhaustion] local ports ran out
        [unequal_answers] the targets gave different responses
        [unequal_requests] the targets did not get the same requests
        [mixed_responses] the same request got different kinds of responses
        [changed_answers] responses changed during or after the run
        [content_under_load] responses under load differ from those without load
        [read_back] writes or deletions had no effect
       *[other] the figures cannot be trusted (finding { $name })
    }
holds-despite-delay =
    holds even with the delay of the load generator or its machine; the exact { $figure } is not known
not-sustained-figures = a target has other figures under continuous load than in the rounds
figure-unknown = the figure is unknown
too-few-for-interval = too few slices or rounds for an interval
bound-in-interval = the bound lies inside the interval

# The load of a workload.
load =
    { $pace }, { $connections }{ $depth }{ $keep_alive ->
        [true] {""}
       *[false] , a new one for every request
    }, timeout { $timeout } s
load-connections =
    { $count ->
        [one] 1 connection
       *[other] { $count } connections
    }
load-depth =
    {" "}with up to { $count ->
        [one] 1 request
       *[other] { $count } requests
    } each
load-closed = closed loop{ $think }
load-think = , think time { $time }
think-fixed = { $seconds } s
think-uniform = { $from } s to { $to } s, uniform
think-exponential = { $mean } s on average, exponential
load-constant = open loop at { $rate }{ $spread }
load-ramp = open loop from { $from } to { $to }{ $spread }
load-steps = open loop at { $steps }{ $spread }
load-step = { $rate } for { $seconds } s
load-trace = open loop by the trace { $file }{ $speed }
load-search = the highest rate within { $slo }{ $spread }
poisson-arrivals = , Poisson arrivals
trace-speed = {" "}at { $speed } times its speed

# What a comparison comes to, in plain words.
plain-times =
    { $kind ->
        [cpu] { $challenger } needs { $ratio } times the CPU time of { $baseline } for each operation
       *[other] { $challenger } has { $ratio } times the { $metric } of { $baseline }
    }
plain-not-chance =
    { $count ->
        [one] chance does not explain this difference
       *[other] chance does not explain these differences
    }
plain-same = the { $metric } of { $challenger } and { $baseline } is the same within { $within }
plain-undecided = { $metric } is undecided, because { $because }
because-untrusted = the figures cannot be trusted (see the findings)
because-not-measured = no complete rounds have this figure for both targets
because-few-rounds =
    { $rounds ->
        [one] 1 complete round is
       *[other] { $rounds } complete rounds are
    } too few to exclude chance{ $agree ->
        [true] , although all of them show the same difference
       *[false] {""}
    }
because-other-programs = other programs used { $share } of the machine's CPU time
because-chance = the ratio can be anything from { $low } to { $high }
because-varying =
    the throughput of { $target } varies from slice to slice ({ $low }–{ $high })
because-noise = the difference is not larger than the noise ({ $floor })
because-one-start =
    two starts of one program can differ by { $noise }, and each server was started once
because-not-sustained = a target has other figures under continuous load than in the rounds
plain-or = { $first }, or { $second }
plain-would-decide = what would decide it: { $deciders }
decider-rounds =
    about { $rounds } rounds (--rounds { $rounds }{ $timed ->
        [true] , { $minutes ->
            [0] less than a minute
            [one] about 1 minute
           *[other] about { $minutes } minutes
        }
       *[false] {""}
    })
decider-cpu = --decide cpu, because CPU time per operation is decided already
decider-idle-machine = a machine on which no other program runs
decider-launch = --launch, which restarts the servers between rounds
decider-restart = the same run after a restart of the servers
