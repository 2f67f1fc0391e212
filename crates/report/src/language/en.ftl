# Messages of pages. A test compares the arguments of every message with those in ja.ftl.

# The claim of a comparison. $word is the verdict as it is printed; $outcome selects the sentence.
claim =
    { $outcome ->
        [equivalent] { $challenger } and { $baseline } are { $word }
        [costs-less] { $challenger } { $word } per operation than { $baseline }
        [costs-more] { $challenger } { $word } per operation than { $baseline }
        [likely-costs-less] { $challenger } { $word } per operation than { $baseline }
        [likely-costs-more] { $challenger } { $word } per operation than { $baseline }
        [cannot-tell] { $word } { $challenger } from { $baseline }
        [cannot-compare] { $word } { $challenger } with { $baseline }
        [no-verdict] { $word } on { $challenger } against { $baseline }
       *[faster] { $challenger } is { $word } than { $baseline }
    }{ $place ->
        [at] {" "}at { $workloads }
        [all-levels] {" "}over all levels of { $workloads }
       *[none] {""}
    }{ $suspect ->
        [true] {" "}(suspect)
       *[false] {""}
    }
claim-figures = { $claim }: { $figures }
claim-in-brackets = { $claim } ({ $figures })
changed = { $metric } { $change } ({ $interval })
times = { $metric } { $change }, { $interval }
interval-of-change = { $confidence } % CI { $ends }
too-few-rounds =
    too few rounds{ $comparisons ->
        [one] {""}
       *[other] {" "}for { $comparisons } comparisons
    }: { $needed } needed, { $measured } measured
rounds-missing =
    { $measured }, { $missing } more needed for a confidence of 95 %{ $comparisons ->
        [one] {""}
       *[other] {" "}for { $comparisons } comparisons
    }
however = however, { $first }
however-both = however, { $first }, and { $second }
proven = { $metric } { $change } ({ $confidence } % CI { $ends }, for this figure alone)
decided-beside = already decided: { $first }
decided-both = already decided: { $first }, and { $second }

# Answers without a comparison
figures =
    { $target }{ $named ->
        [true] {" "}at { $workload }
       *[false] {""}
    }: { $throughput }
figures-p99 =
    { $target }{ $named ->
        [true] {" "}at { $workload }
       *[false] {""}
    }: { $throughput }, p99 { $p99 }
nothing-measured = nothing was measured
none-measured = none: nothing was measured
probe-open =
    "more steps to decide": the steps at this rate are too few, or contradict each other
probe-void =
    "no: does not count": the load generator or its machine was late, so the missed limit says nothing
    about the target
last-probes =
    the last { $shown } of { $count } steps; -v, or tenbin show --section max-rate, shows all
cannot-be-trusted = no verdict: the figures of this run cannot be trusted
one-target = one target, nothing to compare
suspect-figures = { $figures }; suspect, see the findings
more-workloads =
    and { $count } more { $count ->
        [one] workload
       *[other] workloads
    }
more-workloads-above =
    { $count } more { $count ->
        [one] workload
       *[other] workloads
    } above
twin =
    its twin at { $workload }: { $metric } { $change }, { $interval }, noise floor { $floor }
not-precise = precision ± { $wanted } was not reached: { $reached }
ended-precise =
    The run ended after { $rounds }: every primary metric has reached a precision of ± { $within }
ended-most-rounds =
    The run ended after the maximum of { $rounds }: not every primary metric has reached a precision
    of ± { $within }
optimum =
    { $value } is { $certain ->
        [true] the
       *[false] probably the
    } optimum of { $sweep }{ $suspect ->
        [true] {" "}(suspect)
       *[false] {""}
    } at { $workload }
no-optimum = no optimum of { $sweep } at { $workload }

# Expectations
none-proven = no --fail-if condition is proven
all-met =
    { $count ->
        [one] the expectation is met
       *[other] all { $count } expectations are met
    }
despite-invalid =
    { $delay ->
        [true] also with the delay of the load generator or its machine; other
       *[false] other
    } figures of this run cannot be trusted

# How it was measured
rounds-of = { $rounds } of { $seconds }
rounds-of-requests =
    { $rounds } of { $requests ->
        [one] 1 request
       *[other] { $requests } requests
    }{ $timed ->
        [true] {" "}or { $seconds }
       *[false] {""}
    }
max-rate-search = maximum-rate search, slices of { $seconds }
by-other-tools = by other tools, not interleaved
schedule =
    { $schedule }{ $interleaved ->
        [true] , interleaved
       *[false] {""}
    }{ $restarted ->
        [true] , targets restarted
       *[false] {""}
    }
workloads =
    { $count ->
        [one] 1 workload
       *[other] { $count } workloads
    }
margin = equivalence margin ±{ $percent } %
shared-by-agents =
    { $agents ->
        [one] sent by 1 agent
       *[other] shared by { $agents } agents
    }{ $lost ->
        [0] {""}
        [one] , of which 1 was lost
       *[other] , of which { $lost } were lost
    }

# Trust
trust-valid = no finding invalidates these figures
trust-suspect = these figures may mislead
trust-invalid = these figures cannot be trusted
trust-ratio = for the ratio; absolute figures are in doubt: { $because }
trust-one-target = one target: there is no ratio, and absolute figures are in doubt: { $because }
trust-neither =
    the ratio may mislead (see the findings), and so may the absolute figures: { $because }
more-reasons =
    { $first }, and { $count } more { $count ->
        [one] reason
       *[other] reasons
    }
also-more-reasons =
    { $first }; { $count } more { $count ->
        [one] reason
       *[other] reasons
    }
limits-hold =
    the { $count ->
        [one] limit
       *[other] limits
    } { $count ->
        [one] is
       *[other] are
    } established regardless of the findings
incomplete-search = incomplete: the search did not end
incomplete =
    incomplete: { $full } of { $planned ->
        [one] 1 slice
       *[other] { $planned } slices
    } measured in full
run-label = label: { $label }
notes =
    { $count ->
        [one] 1 note
       *[other] { $count } notes
    }

# The question of a run
question = { $question }?
question-at = { $question } at { $workloads }
highest-rate = What is the highest rate within { $slo } of { $targets }
connections-of-one = How many connections suit { $target } at { $families }
connections-of-several =
    Which is faster, { $targets }, and how many connections suit each at { $families }
what-was-measured = What was measured
how-fast = How fast is { $target }
which-is-faster = Which is faster, { $targets }
list =
    { $names } { $joint ->
        [or] or
       *[and] and
    } { $last }
more-targets = { $count } more

# Charts and tables
compared-by = { $metric }, { $challenger } ÷ { $baseline }
decides = { $metric } (decides)
about-forest =
    { $sides ->
        [single] { $challenger } ÷ { $baseline }
        [several] each target ÷ { $baseline }
       *[none] challenger ÷ baseline
    }, with its interval. The verdict is a difference if the interval excludes 1 and the ratio is more
    than { $floor } away from 1{ $start ->
        [none] {""}
       *[other] {" "}(and the whole interval more than { $start }, because the servers were not restarted)
    }. A filled square decides the workload{ $margin ->
        [none] {""}
       *[other] ; an interval inside the grey band (±{ $margin }) is equivalence
    }.{ $others ->
        [true] {" "}{ $shown } of { $all } ratios; the others are in the section Comparisons.
       *[false] {""}
    }
size-by-connections = { $operation }, { $challenger } ÷ { $baseline }: size by connections
about-size-by-connections =
    Throughput of { $challenger } as a multiple of that of { $baseline }, with its interval. A cell
    has a colour if the verdict is a difference: light below { $strong } times, strong from
    { $strongest } times.
about-quads =
    { $dot ->
        [pair] Each dot is one pair of rounds (A B B A), a hollow one has a flagged slice.
        [group] Each dot is one group of rounds, a hollow one has a flagged slice.
       *[several]
            Each dot is the median of { $size } ratios in a row; its bar goes from the lowest to the
            highest.
    } { $margin ->
        [true]
            The line is the estimate with its interval, the grey band the margin of equivalence.
       *[false] The line is the estimate with its interval.
    } Dots that climb or fall from left to right are drift.{ $others ->
        [true] {" "}{ $shown } of { $all } primary comparisons.
       *[false] {""}
    }
over-time =
    Over the time of the run{ $several ->
        [true] : { $workload }
       *[false] {""}
    }
about-over-time =
    { $points ->
        [marked]
            Each point is one slice, a hollow one is flagged. Upright lines are the starts of
            slices.
        [slices] Each point is one slice, a hollow one is flagged.
       *[medians]
            Each point is the median of { $size } slices of a target in a row; the band goes from
            the lowest to the highest. Points are hollow where all these slices are flagged.
    }
stages-of = Server stages: { $workload }, { $operation }
point-over-time =
    { $target }, slice { $slices }, { $start } s: { $value }{ $ranged ->
        [true] {" "}({ $ends })
       *[false] {""}
    }{ $flagged ->
        [true] ; { $flags }
       *[false] {""}
    }
about-cost-and-speed =
    Each point is a workload on a target compared with { $baseline }, with both intervals: to the
    right is faster, below 1 costs less CPU time per operation. A hollow point has a verdict in
    doubt.{ $host ->
        [true] {" "}Figures { $scope }.
       *[false] {""}
    }{ $others ->
        [true] {" "}{ $shown } of { $all }; the others are in the section Comparisons.
       *[false] {""}
    }
one-cost-and-speed =
    { $workload }: { $speed } { $faster } ({ $speed_interval }), CPU time per operation { $cost }
    ({ $cost_interval }); both are { $challenger } ÷ { $baseline }{ $host ->
        [true] . Figures { $scope }
       *[false] {""}
    }
about-percentile-ratios =
    { $sides ->
        [single] The time of { $challenger } at each percentile ÷ that of { $baseline }
       *[several] The time of each target at each percentile ÷ that of { $baseline }
    }, with intervals. Above 1 is slower: ×2 at p99 is a p99 twice as long.{ $margin ->
        [none] {""}
       *[other] {" "}The grey band is the margin of equivalence, ±{ $margin }.
    }{ $others ->
        [true] {" "}{ $shown } of { $all } workloads.
       *[false] {""}
    }
about-percentiles =
    Each share of requests took at most that time. Both axes are logarithmic, so that the tail has
    space.{ $others ->
        [true] {" "}{ $shown } of { $all } workloads.
       *[false] {""}
    }
sustained =
    sustained: continuous load of { $time } after the rounds; speed that a target saves up
    while idle (burst credits) does not show if it lasts for more than { $operations ->
        [one] 1 operation
       *[other] { $operations } operations
    } (--soak 30m)
slower-first-stretch =
    { $target } was slower in a first stretch ({ $throughput }), which a second one did not confirm
intervals-together =
    The { $confidence } % intervals of the { $comparisons } primary ratios hold simultaneously; every
    other interval holds alone

# In plain words.
in-words-line =
    { $is_only ->
        [true] {""}
       *[false] , { $workload }
    }: { $sentence }{ $is_decided ->
        [true] {""}
       *[false] {" "}→ { $advice }
    }
in-words-counted =
    : of { $all } comparisons, chance does not explain the difference of { $differ }, and { $same } are
    equivalent; { $undecided ->
        [0] none is undecided
       *[other] { $undecided } undecided: { $names }{ $more ->
            [0] {""}
           *[other] {" "}and { $more } more
        }
    }{ $is_decided ->
        [true] {""}
       *[false] {" "}→ { $advice }
    }

# Findings
finding =
    { $about }: { $evidence }{ $more ->
        [0] {""}
       *[other] {" "}(and { $more } more like this)
    } → { $advice }
limit-line =
    { $is_one ->
        [true] : { $evidence }
       *[false] , { $about }: { $evidence }
    }{ $more ->
        [0] {""}
       *[other] {" "}(and { $more } more like this)
    } → { $advice }
why-line =
    { $is_only ->
        [true] {""}
       *[false] , { $workload }
    }: { $slow } is slower than { $fast }: { $parts }
why-alone = one request alone takes { $times } times as long ({ $slow } against { $fast })
why-served = it serves { $times } times as many requests at a time ({ $slow } against { $fast })
why-cpu =
    it needs { $times } times the CPU time for a request ({ $confidence } % CI { $low }–{ $high };
    { $slow } against { $fast })
why-new_connection_share = { $slow } of its requests need a new connection (against { $fast })
why-backend_share = its backends use { $slow } of all cores (against { $fast })
why-storage_share = processes wait for storage { $slow } of the time (against { $fast })
why-core_wait_share = its runnable threads wait for a core { $slow } of the time (against { $fast })
why-throttled_share = its CPU quota throttles it { $slow } of the time (against { $fast })
why-round_trip_share = network round trips take { $slow } of the time of a request (against { $fast })
why-loss_share = { $slow } of its packets were lost or arrived out of order (against { $fast })
explanation = Explanation of a finding: { $command }.

# Parts of pages
run-in = Run { $directory }
more = more
quads-of = { $workload }, { $metric }: { $challenger } ÷ { $baseline }
ratio-of = ratio of { $metric }
without-flagged = { $metric } without flagged slices
inverse-of = 1 ÷ { $metric }
ratio-to = { $figure }, ratio to { $baseline }
cpu-per-operation = CPU time per operation
decides-as-speed = speed
forest-row = { $ratio } ({ $interval })  { $verdict }
link-to-chart = Link to the chart { $title }
since-start = time since the start of the run
not-measured = { $workload }: not measured, the run ended before
target-at = { $target } at { $workload }
law =
    Universal Scalability Law: λ { $lambda } per second, σ { $sigma }, κ { $kappa }; { $peak }; levels
    deviate by up to { $misfit }
law-peak = maximum at { $connections } connections with { $throughput }
law-without-peak = no maximum within twice the connections tested
hysteresis =
    Hysteresis: throughput in descending order is { $ratio } of that in ascending order (interval
    { $interval })
no-hysteresis =
    Hysteresis: ascending and descending order were not compared, because not every level was measured
    in both
about-run =
    Run { $run }, started { $started }: { $schedule } for each target and workload, { $warmup } of
    warm-up, { $threads ->
        [one] 1 generator thread
       *[other] { $threads } generator threads
    }, seed { $seed }
repeat-run = { $about }. Repeat the run with { $command }.
# Operations and targets in tables
operation-by-role =
    { $operation } ({ $role ->
        [sub-request] sub-request
        [poll] poll
       *[effect] effect
    })
about-sub-requests =
    a sub-request is one request of { $wholes }; sub-requests have separate times and do not count as
    throughput
something-larger = something larger
about-effects =
    an effect is timed from the start of an operation to the start of the first poll that observed it;
    polls have their own connections and do not count as throughput
level =
    { $connections }{ $mark ->
        [knee-and-maximum] {" "}(knee, maximum)
        [knee] {" "}(knee)
        [maximum] {" "}(most)
       *[none] {""}
    }
at = { $workload }: { $told }
cache-without-lookups = cache of { $target }: no lookups reported
cache = cache of { $target }: { $hits } hits{ $of } as reported{ $expected }
of-lookups =
    {" "}of { $lookups ->
        [one] 1 lookup
       *[other] { $lookups } lookups
    }
hits-expected = , { $share } expected by simulation
search-server =
    { $target }: heap at most { $used } of { $heap }, { $collections }, { $segments }, { $merges }
garbage-collections =
    { $known ->
        [true]
            { $count ->
                [one] 1 garbage collection
               *[other] { $count } garbage collections
            }{ $timed ->
                [true] {" "}in { $ms } ms
               *[false] {""}
            }
       *[false] garbage collections unknown
    }
merges =
    { $known ->
        [true]
            { $count ->
                [one] 1 merge
               *[other] { $count } merges
            }{ $timed ->
                [true] {" "}in { $ms } ms
               *[false] {""}
            }
       *[false] merges unknown
    }
segments =
    { $known ->
        [true]
            { $count ->
                [one] 1 segment
               *[other] { $count } segments
            }
       *[false] segments unknown
    }
segments-changed = { $before } segments, then { $after }

# The comparison with an earlier run
both = { $first } and { $second }
before = Before: { $before }
after = After: { $after }
compared-with =
    Compared with the earlier run { $before }. The two runs were not interleaved, so only controls
    show how the machine changed between them
doubt =
    { $trust }  { $name }{ $invalid ->
        [true] ; no verdict
       *[false] {""}
    }: { $why }
withheld-not-valid =
    no change can be called faster or slower, because { $name } is not VALID: repeat it
withheld-control-moved =
    no change can be called faster or slower, because a control changed by a factor of { $moved }
    (limit: { $limit } in either direction): the machine was not in the same state. Measure both versions in one run
withheld-unjudged =
    no change can be called faster or slower, because tenbin did not measure { $names }: measure both
    versions with tenbin, in one run
controls-changed =
    { $count ->
        [one] 1 control changed by a factor of { $low }
       *[other] { $count } controls changed by factors of { $low } to { $high }
    }; { $by ->
        [target]
            { $shared } appears to be the same target in both runs, so its change is attributed to the
            machine, and the others are divided by it round by round
       *[work]
            the others are divided by that range, extended to include no change; what is left is drift
            of the machine if its interval includes 1
    }
run-to-run =
    One run is one observation: the intervals include a variation from run to run of { $deviation }
    (standard deviation), { $freedom ->
        [assumed]
            which is assumed because fewer than five VALID runs of this experiment are known
       *[other]
            measured in earlier runs of this experiment ({ $freedom } degrees of freedom)
    }. Two runs show no change below a factor of { $least }; to find a smaller one, measure both
    versions in one run
intervals-of-earlier =
    The 95 % intervals of all { $comparisons } comparisons hold simultaneously; those of controls hold
    alone

# The comparison with an earlier run: the answer
compare-answer =
    { $outcome ->
        [faster] FASTER: { $names }{ $figure }
        [slower] SLOWER: { $names }{ $figure }
        [equivalent] EQUIVALENT within 5 %: { $names }{ $figure }
        [differs] { $names } differs between the runs, CAUSE UNKNOWN: { $why }
       *[unknown] CANNOT TELL whether { $names } changed: { $why }
    }
compare-figure = , { $ratio } times the speed before ({ $interval })
compare-only-controls = CANNOT TELL whether anything changed: the runs have only controls in common
compare-why =
    { $kind ->
        [drift] the difference is not distinguishable from the drift of the machine
        [open] the interval includes "no change"
        [zero] a figure is 0 or negative
        [few] there are too few rounds or repetitions for an interval
        [work] the two runs did different work
       *[control] no control shows how much the machine changed between the runs
    }
compare-doubt = { $name } is { $trust } ({ $why })
compare-unjudged =
    { $files } { $count ->
        [one] was
       *[other] were
    } not measured by tenbin
compare-control-moved =
    a control changed by a factor of { $moved } (limit: { $limit } in either direction)
compare-next =
    next: { $step ->
        [lint] find out why { $name } is not VALID: tenbin lint { $name }
        [repeat] find out why { $name } is not VALID, and repeat that run
        [tenbin] measure both versions with tenbin, as two targets of one run
       *[together] measure both versions as two targets of one run, in which changes of the machine cancel
    }
compare-rest =
    before: { $before }; after: { $after }; tenbin compare -v prints { $notes ->
        [0] no further notes
        [one] 1 more note
       *[other] { $notes } more notes
    }

# The comparison with an earlier run: notes
see-findings = see its findings
note = note: { $warning }
measured-alone = only { $name } measured { $targets }, which is not compared
target-named = target "{ $target }"
workloads-alone = only { $name } has { $workloads }, which is not compared
caveat-of-file = { $name }: { $caveat }
ratio-of-figures =
    { $ratio }{ $change ->
        [better] {" "}better
        [worse] {" "}worse
       *[same] {""}
    }
benchmarks-by-name =
    lines are repetitions of one benchmark if the package, the full name with the number of
    processors, the unit, and lines such as "cpu:" are equal
machines-differ = the files are from different machines, so a ratio mixes machine and program: { $differ }
machine-differs = { $name } { $before }, then { $after }
unit-undirected =
    nothing says whether higher or lower { $unit } are better, so the ratio is after ÷ before; add a line "Unit
    { $unit } better=higher" (or lower) to the files
memory-of-client =
    B/op and allocs/op are allocations in the process of the benchmark: where it tests a server, they
    are the client's, not the server's
without-control =
    no control shows how much the machine changed between the runs: { $named ->
        [true] every workload of both runs was named with --changed
       *[false] no workload was named with --changed
    }, and the runs share no unchanged target that could serve as a control; measure both versions in
    one run, or keep the same baseline in both runs
one-run-per-side = one run per side is inconclusive: repeat both runs
other-tools =
    no verdict: { $before } is a result of { $tool_before } and { $after } one of { $tool_after }; tools
    differ in when they start and stop the clock and in what they count, so a difference cannot be
    attributed to the target
other-connections =
    no verdict on { $workload }: { $before } connections before and { $after } after are different work
other-units =
    no comparison of { $workload }: its throughput is in { $before } before and in { $after } after, and
    figures in different units have no ratio
connections-unknown =
    { $name } does not say the number of connections, so the load may have been different
faster-unknown =
    which one is faster cannot be concluded from these files: run both with tenbin, which measures
    them in turn
percentiles-of-both = times of { $workload } before and after, without intervals: { $times }
percentile-of-both = { $percentile } { $before } and { $after }
percentiles-alone = only { $name } has { $percentiles } of { $workload }, which cannot be compared
responses-differ =
    no verdict on { $target } at { $workload }: the responses were not the same ({ $why })
responses-expected =
    { $target } at { $workload }: { $sizes }: expected, because each server has its own request
    template, and the numbers of hits agree
sizes-differ = a response had { $then } bytes on average, then { $now }
failures-differ = { $then } of the work failed, then { $now }
hits-unknown =
    no term has a number of hits in both runs, so it is unknown whether they did the same work: run
    both with hits and the same list of terms
hits-of-terms-differ =
    { $different } of { $compared } terms have numbers of hits that differ by more than the tolerance
    of { $tolerance }: { $terms }{ $more ->
        [0] {""}
       *[other] {" "}and { $more } more
    }
hits-of-term = { $term } { $then }, then { $now }

# The comparison with an earlier run: why two runs cannot be compared
nothing-in-common =
    { $before } and { $after } have no workload on the same target in common: { $then }; then { $now
    }{ $file ->
        [true] ; a file of another tool is compared with a result of one workload on one target
       *[false] {""}
    }
no-target-in-common =
    { $before } and { $after } have no target in common: { $then }; then { $now }; compare runs of one plan
    (tenbin rerun), or give the targets equal names
other-machines =
    { $before } and { $after } were measured on different machines ({ $what ->
        [host] host
        [cpu] CPU
       *[cores] number of cores
    } { $then }, then { $now }), so that a change cannot be attributed; repeat the earlier run here
other-requests =
    { $before } and { $after } sent different requests in workload "{ $workload }" ({ $difference });
    compare runs of one plan: tenbin rerun { $before }
setting-differs = { $key } { $then }, then { $now }
setting-header = header { $name }
header-differs = header { $name }: { $then }, then { $now }
given = given
not-given = not given
work-differs = { $then }; then { $now }
changed-unknown =
    { $name } is named as changed, but is not a workload of both runs; they have { $known }

# The last lines of reports in other tools' formats
finding-line =
    {"*"} { $rule }{ $places ->
        [workloads] {" "}at { $workloads }
        [targets] {" "}on { $targets }
        [both] {" "}at { $workloads } on { $targets }
       *[none] {""}
    }: { $evidence }
trust-line = Trust    { $trust }
trust-line-of-ratio = Trust    ratio: { $trust }; absolute figures: SUSPECT because { $because }
trust-and-meaning = { $word }, { $meaning }
verdict-line = Verdict  { $verdict }
run-line = Run      { $run }
leading-finding =
    { $place ->
        [cause] { $reason }; cause of the result: { $first }
        [note] note: { $first }
       *[reason] { $first }
    }{ $more ->
        [0] {""}
        [one] {" "}(and 1 more finding)
       *[other] {" "}(and { $more } more findings)
    }
essence =
    { $rule }{ $placed ->
        [true] {" "}at { $places }
       *[false] {""}
    }: { $evidence }
more-rows = { $rows } more rows: { $command }

# The result of a gate
gate-headline = { $result }  { $answer }
gate-answer =
    { $outcome ->
        [pass] { $candidate } is not worse than { $base }
        [regression] { $candidate } is worse than { $base }
        [cannot-tell] it is not known whether { $candidate } is worse than { $base }
       *[invalid] the figures of { $candidate } and { $base } cannot be used
    }{ $known ->
        [true] : { $figures }
       *[false] {""}
    }{ $suspect ->
        [true] ; but the comparison is SUSPECT, so that the gate fails (--suspect fail, exit code 9)
       *[false] {""}
    }
gate-figure =
    { $metric }{ $named ->
        [true] {" "}at { $workload }
       *[false] {""}
    } { $change } ({ $interval }, margin { $margin })
gate-at-least = at least { $end }
gate-at-most = at most { $end }
gate-no-end = no limit is known yet
gate-title = { $name }: { $candidate } against { $base }
gate-margin = { $margin }
gate-chart = Candidate ÷ base: ● ratio, ├─┤ interval, │ no difference, ┊ margin. An arrow points to an end beyond the scale
gate-fell-back =
    The first figure could not tell after half of the rounds or of the time, so CPU time per operation decided
gate-cannot-tell =
    { $spent ->
        [budget] The time of the gate ended after { $rounds } rounds; measure longer with --budget, for example --budget { $longer }
        [rounds] The maximum of { $rounds } rounds ended; allow more with --max-rounds, or a larger --margin
       *[other] The run ended after { $rounds } rounds and { $seconds }
    }{ $passes ->
        [true] . --cannot-tell pass: this counts as passed
       *[false] {""}
    }
gate-invalid = { $rule }: { $evidence }
gate-method =
    { $rounds } of at most { $most }. Intervals and decisions are wrong with a probability of at most 5 %, however
    often the gate looked{ $tests ->
        [one] {""}
       *[other] ; the { $tests } tests for a regression share this probability (Holm's correction)
    }
# The commit that made a server slower
bisect-answer =
    { $outcome ->
        [found] { $commit }  { $date }  { $subject }: certainty { $certainty }
        [group] one of { $count } commits, { $first }…{ $commit }: certainty { $certainty }
        [likely]
            most probable: { $several ->
                [true] one of { $count } commits, { $first }…{ $commit },
               *[false] { $commit }  { $date }  { $subject },
            } with { $certainty }
        [not-worse] { $bad } is not slower than { $good }
        [not-proven] it is not known whether { $bad } is slower than { $good }
        [invalid] the figures of the runs cannot be used
       *[other] nothing was measured
    }
bisect-change = { $metric } { $ratio } ({ $low }–{ $high }) of { $bad } divided by that of { $good }
bisect-advice =
    { $what ->
        [several] There is probably more than one change, so that no commit is named
        [builds]
            More rounds do not help: builds of the same code differ, too, and the change between the commit
            and the one before it is not clearly larger
        [more] The time of the search ended; measure longer with --budget. Builds are kept
        [group] Commits of the group could not be measured, so that nothing tells the others apart
        [ends]
            Half of the time was not enough to prove a difference: measure longer with --budget, choose
            a figure that varies less (--figure cpu), or name ends that differ more
       *[figure] Any slowdown is smaller than --margin: choose another figure with --figure, another request, or a smaller --margin
    }
bisect-between =
    { $commit } is neither like the good nor like the bad end: there may be more than one change. Bisect the
    commits before and after it separately
bisect-skipped = Skipped: { $commit }: { $why }
bisect-effort =
    { $commits ->
        [1] 1 commit
       *[other] { $commits } commits
    } after { $good } up to { $bad }, along first parents. Measured in { $time }: { $rounds ->
        [1] 1 round
       *[other] { $rounds } rounds
    } in { $runs ->
        [1] 1 run
       *[other] { $runs } runs
    }; { $builds ->
        [1] 1 build
       *[other] { $builds } builds
    }; { $whole } in all
# The history of runs
history-page = History of the runs in { $directory }
history-title =
    { $metric } of { $target } at { $workload }{ $relative ->
        [true] , divided by that of { $anchor }
       *[false] {""}
    }
history-no-anchor =
    { $itself ->
        [true] absolute figures of the anchor: they show what changed on the machines
       *[false]
            absolute figures: they change with the machine, its kernel and its other load. Measure a target that stays
            the same in every run and name it with --anchor, and the history shows ratios to it
    }
history-span =
    { $count ->
        [one] { $count } run, of { $last }: { $low }
       *[other] { $count } runs from { $first } to { $last }, values from { $low } to { $high }
    }
history-more =
    { $count ->
        [one] { $count } earlier run is not in the table; all runs: --all
       *[other] { $count } earlier runs are not in the table; all runs: --all
    }
history-too-few =
    changes are looked for in { $fewest } runs or more; { $count ->
        [one] there is { $count }
       *[other] there are { $count }
    }
history-no-change =
    no change of the level in { $count } runs; beyond the variation inside runs, runs vary by { $between } (standard
    deviation)
history-variation = beyond the variation inside runs, runs vary by { $between } around their level (standard deviation)
history-change =
    { $better ->
        [true] better
       *[false] worse
    }: { $size } (95 % CI { $ends }){ $relative ->
        [true] {" "}relative to { $anchor }
       *[false] {""}
    } from run { $run } ({ $day }) on{ $dated ->
        [true] {""}
       *[false] ; the change can be at any run from { $earliest } to { $latest }
    }
history-nothing-else = since { $after }, the run before, nothing changed that Tenbin records
history-else =
    since { $after }, the run before, these changed: { $changed }{ $more ->
        [0] {""}
       *[other] {" "}and { $more } more
    }{ $anchor ->
        [true] . The anchor { $name } itself is another one, so the change can be its own
       *[false] {""}
    }
history-circumstance =
    { $what ->
        [version] version of { $target } { $before } → { $after }
        [program] program of { $target } { $before } → { $after }
        [description] address or command of { $target } { $before } → { $after }
        [server_header] Server header of { $target } { $before } → { $after }
        [machine] machine { $before } → { $after }
        [kernel] kernel { $before } → { $after }
        [cpu] CPU { $before } → { $after }
        [cores] cores { $before } → { $after }
        [cpu_quota] CPU quota of { $own ->
            [true] Tenbin
           *[false] { $target }
        } { $before } → { $after }
        [memory] memory { $before } → { $after }
        [governor] frequency governor { $before } → { $after }
        [tenbin] Tenbin { $before } → { $after }
        [threads] load generator threads { $before } → { $after }
        [agents] agents { $before } → { $after }
        [slice] length of a slice { $before } → { $after }
       *[other] { $target } { $before } → { $after }
    }
history-no-quota = none
history-quota = { $cores } cores
history-note-change = level { $size }
history-note-outlier = outlier
history-note-imported = imported
history-note-anchor = the anchor is another program
history-left-out =
    { $count ->
        [one] left out: { $run }: { $why }
       *[other] left out: { $count } runs, the newest is { $run }: { $why }
    }
history-no-result = no result: still running, killed, or failed to start; tenbin show computes it or says why not
history-unreadable = result.json cannot be read; tenbin show computes it again
history-invalid = the figures are INVALID
history-no-ratio = no ratio to the anchor, which the run did not measure
history-no-figure = the figure is unknown
history-other-settings = other settings than in the newest run: { $key } is { $value }, in the newest run { $newest }
history-about =
    { $relative ->
        [true] A dot is the ratio to the anchor in one run, with its interval
       *[false] A dot is the figure of one run, with its interval
    }; the line is the level, and a vertical line is a change. Hollow dots are outliers or imported.{ $skipped ->
        [0] {""}
       *[other] {" "}{ $skipped } earlier runs are not drawn.
    }

# --- Notes below the comparisons
paired-ratios =
    a ratio is estimated from the ratios of single rounds (paired, which cancels drift), and may
    differ from the quotient of the columns: { $ratios }
paired-ratio = { $metric } of { $challenger } ÷ { $baseline } { $ratio }, by the columns { $quotient }
flagged-included =
    flagged, but included in all other rows: { $slices }{ $more ->
        [0] {""}
       *[other] {" "}and { $more } more
    }; see tenbin explain flagged_slices
flagged-slice = slice { $slice } of { $target } ({ $flags })

# Pages of tenbin ui
ui-runs-in = Runs in { $directory }
ui-moved = { $name } is now in .trash.
ui-range =
    { $first }–{ $last } of { $count ->
        [one] 1 run
       *[other] { $count } runs
    }{ $filtered ->
        [true] , of { $total } in all
       *[false] {""}
    }
ui-page = page { $page } of { $last }
ui-progress =
    slice { $slice }{ $known ->
        [true] {" "}of { $slices }
       *[false] {""}
    }, { $elapsed } since the start; the measurements take at most about { $forecast }
ui-delete = Delete { $name }?
