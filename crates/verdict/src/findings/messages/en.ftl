# Messages that several rules use.
median-of-slices =
    median of { $slices ->
        [one] 1 slice
       *[other] { $slices } slices
    }

# Other places of a finding that stands for several.
likewise = ; likewise { $places }
holds-for = ; this holds for { $places }
place = { $name }
place-on-target = { $workload } on { $target }
place-levels = { $first } to { $last } on { $target }
place-run = the whole run
more-places = { $count } more

# Several clauses.
clauses = { $clauses }

# Hits of search patterns.
pattern-number = pattern { $number }
pattern-hits =
    { $pattern }: { $hits } from { $target }, { $of_baseline } from { $baseline }
hits-differ =
    the numbers of hits differ for { $different } of { $compared } patterns{ $tolerance ->
        [none] {""}
       *[other] {" "}by more than the tolerance of { $tolerance }
    }{ $named ->
        [none] {""}
        [all] : { $patterns }
       *[largest] ; the largest differences: { $patterns }
    }

# CPU use.
thread-use =
    used { $used } of a core{ $waits ->
        [true] {" "}and waited in { $waited } of the time for one that other programs used
       *[false] {""}
    }
idle-cores =
    { $share } of { $cores ->
        [one] 1 core
       *[other] { $cores } cores
    } was { $known ->
        [true] idle
       *[false] used neither by the target nor by the load generator
    }
read-ratio =
    read the ratio, not the absolute figures; or pin load generator and target to different cores,
    or use a separate machine for the load generator

# Parts of a sentence.
and = { $first } and { $second }

unknown = unknown
interval-unknown = interval unknown

# Names of metrics in sentences.
metric-throughput = throughput
metric-bandwidth = bandwidth
metric-server-cpu = server CPU per operation
metric-server-memory = server memory
metric-service-time =
    { $statistic ->
        [mean] mean
        [median] median
       *[percentile] { $percent } percentile of
    } service time
metric-response-time =
    { $statistic ->
        [mean] mean
        [median] median
       *[percentile] { $percent } percentile of
    } response time

# Why a slice is flagged.
flag-failing = { $share } of its operations failed
flag-busy-generator = a load generator thread { $use }
flag-outlying =
    its { $metric } is { $share } { $side ->
        [above] above
       *[below] below
    } the median

# The figure in the rounds and under continuous load.
sustained-figures = { $rounds } → { $sustained }

# The result of a maximum-rate search.
search-result = { $claim }{ $bounds }{ $undecided }{ $void }{ $late }
search-proven =
    { $target } sustains { $rate } at { $workload } within { $slo } (proven; { $failed })
search-at-least =
    { $target } sustains at least { $rate } at { $workload } within { $slo } (not proven; { $failed })
search-disproven =
    { $held ->
        [briefly] { $target } sustained { $rate } only in a step of { $seconds } s
        [once] { $target } sustained { $rate }
       *[never] { $target } sustains no rate that was proven
    } at { $workload } within { $slo };
    { $several ->
        [true] every proof ({ $failed }–{ $highest })
       *[false] the proof ({ $failed })
    } failed, so the rate that it sustains is unknown
search-none-known =
    no rate is known that { $target } sustains at { $workload } within { $slo }; { $failed }
search-held-once =
    { $target } held { $rate } { $missed ->
        [true] in { $times } of { $probes } steps
       *[false] { $times ->
            [one] once
           *[other] { $times } times
        }
    } at { $workload } within { $slo } (not proven; { $failed })
search-none-held =
    { $target } sustains none of the tried rates at { $workload } within { $slo }; { $failed }
search-futile =
    { $target } sustains no rate at { $workload }: every operation at { $rate } failed{ $known ->
        [true] : { $why }
       *[false] {""}
    }
search-unknown = the highest rate of { $target } at { $workload } within { $slo } is unknown
search-none-failed = no rate failed
search-failed =
    { $missed ->
        [limits] { $rate } missed { $limits }
        [others] at { $rate }, { $others }
        [both] { $rate } missed { $limits }, and { $others }
       *[unknown] { $rate } failed
    }
search-own-limit =
    { $target } sustains at least { $rate } at { $workload } within { $slo }; at { $failed } { $limit ->
        [connections] { $connections ->
            [one] the only connection was in use
           *[other] all { $connections } connections were in use
        } → use more --connections
       *[generator] a load generator thread was busy for { $busy } of the time → use more --threads
    }
search-lower-bound = { $claim }
search-lagged = the target did not keep up
search-behind = requests fell behind the offered rate
search-errors = { $share } of the operations failed
search-nothing-ended = no operation ended
search-bounds =
    ; the limit is between { $held } and { $failed } (each bound is wrong in about { $wrong } of such
    searches)
search-undecided =
    ; { $rates } could not be decided in time{ $few ->
        [true] : the steps had too few operations, or too few slow operations
       *[false] {""}
    }
search-short =
    { $known ->
        [between] { $target } sustains at least { $rate }, at most { $failed }{ $place } within { $slo }
            (not proven)
        [least] { $target } sustains at least { $rate }{ $place } within { $slo } (not proven)
        [held-between]
            { $target } held { $rate } in { $held } of { $probes ->
                [one] 1 step
               *[other] { $probes } steps
            }, and sustains at most { $failed }{ $place } within { $slo } (not proven)
        [held]
            { $target } held { $rate } in { $held } of { $probes ->
                [one] 1 step
               *[other] { $probes } steps
            }{ $place } within { $slo } (not proven)
        [most] { $target } sustains at most { $failed }{ $place } within { $slo } (not proven)
       *[unknown] the highest rate of { $target }{ $place } within { $slo } is unknown
    }: { $busy ->
        [true] the machine was busy, or the search too short → longer -d, idle machine
       *[false] the search was too short → longer -d
    }
search-place = {" "}at { $workload }
search-rate = { $rate }
search-rates = { $count } rates from { $first } to { $last }
search-despite-delay =
    { $result }; the rates that held are valid despite the delay of the load generator or its machine, but the
    highest rate may be higher
search-void =
    ; { $void } of { $probes ->
        [one] 1 step
       *[other] { $probes } steps
    } missed a limit and { $void ->
        [one] does
       *[other] do
    } not count against the target: { $causes }
search-void-late = the load generator sent requests late ({ $probes })
search-void-waited = threads waited for a core that other programs used ({ $probes })
search-late =
    , and the search ended because requests were late in each of the last steps, at { $rate }

# The optimum of a sweep.
sweep-optimum =
    { $place }{ $largest ->
        [true] , the largest that was tried,
       *[false] {""}
    } is { $certain ->
        [true] the optimum
       *[false] probably the optimum
    } of { $sweep } at { $workload }: { $metric } { $figure } ({ $interval }){ $rival }
sweep-rival =
    ; no other value is more than { $margin } better, and the closest is { $place }, with { $ratio }
    times its figure ({ $interval }){ $certain ->
        [true] {""}
       *[false] , which may exceed the margin
    }

# A part of a run that was void.
run-part =
    { $part ->
        [preparation] the preparation
        [warm-up] the warm-up
        [block] block { $block }
        [first-rate] the warm-up of the maximum-rate search
        [probe] a step of the maximum-rate search
       *[stretch] the continuous load after the rounds
    }
