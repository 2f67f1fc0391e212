//! Every target gets the same requests, independent of its speed: two caching servers log the
//! requests that they receive.

mod common;

use std::collections::BTreeMap;
use std::time::Duration;

use common::{CACHED, COUNTERS, Cached, Outcome, Scratch, Tenbin};
use serde_json::Value;

/// Duration of a cache miss on the faster and on the slower of two servers. If the slower one were
/// many times slower, it would be sent only the first part of each segment.
const FAST: Duration = Duration::from_micros(200);
const SLOW: Duration = Duration::from_millis(1);

fn run(scratch: &Scratch, command: &str) -> Outcome {
    let line = format!("{command} --gap 10ms --seed 7 --connections 2");
    let run = Tenbin::line(scratch, line);
    let run = run.within(Duration::from_secs(180)).run();
    run.expect_measured();
    run
}

fn rules(result: &Value) -> Vec<&str> {
    let findings = result["findings"].as_array().expect("findings");
    let rules = findings.iter().map(|finding| finding["rule"].as_str());
    rules.map(|rule| rule.expect("a rule")).collect()
}

fn paths(count: usize) -> String {
    (0..count).map(|at| format!("/{at}\n")).collect()
}

/// Checks that two targets get the same requests, although one target is several times slower.
fn two_are_sent_the_same(order: &str, warmup: &str) {
    let scratch = Scratch::new("same-requests");
    let (fast, slow) = (Cached::start(FAST), Cached::start(SLOW));
    let file = scratch.write("paths.txt", paths(4 * CACHED));
    let (size, fast_target, slow_target) =
        (CACHED.to_string(), fast.target("fast"), slow.target("slow"));
    let run = run(
        &scratch,
        &format!(
            "http --target {fast_target} --target {slow_target} --patterns {file} \
             --order {order} --cache-size {size} --cache-counters {COUNTERS} --rounds 6 \
             --slice 200ms --warmup {warmup}"
        ),
    );
    assert_eq!(
        fast.counts(),
        slow.counts(),
        "{order}: not the same requests\n{run}"
    );
    let (of_fast, of_slow) = (fast.hits(), slow.hits());
    assert!(
        (of_fast - of_slow).abs() < 0.03,
        "{order}: {of_fast} {of_slow}"
    );
    let result = scratch.result();
    let found = rules(&result);
    for rule in ["cache_forecast", "cache_share", "unequal_requests"] {
        assert!(!found.contains(&rule), "{order}: {rule}\n{run}");
    }
    for side in result["results"].as_array().expect("results") {
        let cache = &side["cache"];
        let forecast = cache["forecast"].as_f64().expect("a forecast");
        let observed = cache["observed"].as_f64().expect("a count");
        assert!((forecast - observed).abs() < 0.03, "{order}: {cache}");
    }
    // In each round, both targets get the same segment of the sequence.
    let slices = result["slices"].as_array().expect("slices");
    for round in 0..6 {
        let mut of_round = slices.iter().filter(|slice| slice["round"] == round);
        let (one, other) = (
            of_round.next().expect("one"),
            of_round.next().expect("another"),
        );
        for key in ["from", "to", "digest"] {
            assert_eq!(
                one["segment"][key], other["segment"][key],
                "{order}: {key} of {round}"
            );
        }
        assert!(one["segment"]["digest"].is_string(), "{one}");
    }
}

#[test]
fn two_targets_are_sent_the_same_weighted_patterns() {
    two_are_sent_the_same("weighted", "500ms");
}

#[test]
fn two_targets_are_sent_the_same_patterns_in_order() {
    two_are_sent_the_same("sequential", "500ms");
}

#[test]
fn two_targets_are_sent_the_same_shuffled_patterns_without_a_warm_up() {
    two_are_sent_the_same("shuffled", "0s");
}

#[test]
fn two_targets_are_sent_the_same_popular_patterns() {
    two_are_sent_the_same("zipf:1", "500ms");
}

#[test]
fn a_target_that_is_many_times_slower_is_sent_a_part_of_each_segment_and_a_finding_says_so() {
    let scratch = Scratch::new("same-requests-prefix");
    let fast = Cached::start(Duration::ZERO);
    let slow = Cached::start(Duration::from_millis(20));
    let file = scratch.write("paths.txt", paths(4 * CACHED));
    let (fast_target, slow_target) = (fast.target("fast"), slow.target("slow"));
    let targets = format!("http --target {fast_target} --target {slow_target}");
    let patterns = format!("--patterns {file} --order weighted");
    let rounds = "--rounds 2 --slice 300ms --warmup 300ms";
    let run = run(&scratch, &format!("{targets} {patterns} {rounds}"));
    run.expect_stdout("SUSPECT: unequal_requests")
        .expect_stdout("it was sent only");
}

#[test]
fn what_a_target_that_becomes_slow_could_not_be_sent_is_a_finding() {
    let scratch = Scratch::new("same-requests-slower");
    let (fast, slow) = (
        Cached::start(Duration::ZERO),
        Cached::slower_after(100, Duration::from_millis(300)),
    );
    let file = scratch.write("paths.txt", paths(4 * CACHED));
    let (fast_target, slow_target) = (fast.target("fast"), slow.target("slow"));
    let run = run(
        &scratch,
        &format!(
            "http --target {fast_target} --target {slow_target} --patterns {file} \
             --order sequential --rounds 2 --slice 100ms --warmup 0s"
        ),
    );
    // A part of the next segments, or the end of the last one, depending on how fast the machine is.
    run.expect_stdout(": unequal_requests; ");
}

#[test]
fn one_target_of_three_hosts_is_sent_what_one_of_one_host_is_sent() {
    let scratch = Scratch::new("same-requests-hosts");
    let one = Cached::start(Duration::from_micros(500));
    let three = [(); 3].map(|()| Cached::start(Duration::from_micros(500)));
    let file = scratch.write("paths.txt", paths(4 * CACHED));
    let urls = three.each_ref().map(|host| format!("{:?}", host.url()));
    let plan = scratch.write(
        "hosts.toml",
        format!(
            "seed = 7\n[rounds]\ncount = 4\nslice = \"200ms\"\nwarmup = \"300ms\"\ngap = \"10ms\"\n\
             [load]\nconnections = 2\n[[target]]\nname = \"one\"\nurl = \"{}\"\n\
             [[target]]\nname = \"three\"\nurls = [{}]\n\
             [[workload]]\nkind = \"http\"\npatterns = \"{file}\"\n",
            one.url(),
            urls.join(", "),
        ),
    );
    let run = Tenbin::new(&scratch, ["run", &plan]).run();
    run.expect_measured();
    let mut together = BTreeMap::new();
    for (path, count) in three.iter().flat_map(Cached::counts) {
        *together.entry(path).or_default() += count;
    }
    let mut alone = one.counts();
    // Ignores the check request to each host before the run.
    alone.remove("/");
    together.remove("/");
    assert_eq!(alone, together, "{run}");
}

/// Checks that two stores get the same reads, although one store is several times slower. On a busy
/// machine the slow store may be late, which the run must report; the run is then repeated.
fn stores_are_sent_the_same(command: &str, size: usize) {
    const ATTEMPTS: usize = 3;
    let is_equal = (0..ATTEMPTS).any(|_| equal_reads_or_a_finding(command, size));
    assert!(is_equal, "the slow store was late in {ATTEMPTS} runs");
}

/// Returns whether the stores got the same reads. Fails if they did not and no finding reports it.
fn equal_reads_or_a_finding(command: &str, size: usize) -> bool {
    let scratch = Scratch::new("same-objects");
    let (fast, slow) = (Cached::start(FAST), Cached::start(SLOW));
    let (fast_target, slow_target) = (fast.target("fast"), slow.target("slow"));
    let targets = format!("--target {fast_target} --target {slow_target}");
    let rounds = "--rounds 4 --slice 500ms";
    let run = run(&scratch, &format!("{command} {targets} {rounds}"));
    if rules(&scratch.result()).contains(&"unequal_requests") {
        return false;
    }
    let (of_fast, of_slow) = (fast.counts(), slow.counts());
    assert!(of_fast.len() > size, "{run}");
    if command.starts_with("s3 ") {
        assert_eq!(of_fast, of_slow, "not the same objects\n{run}");
    }
    // The number of stored blobs affects which blobs are read, but not how often each is read. After
    // the run, up to 100 blobs of each store are read once more, which can be others.
    let read_back = if command.starts_with("s3 ") { 0 } else { 100 };
    let sum = |counts: &BTreeMap<String, usize>| counts.values().sum::<usize>();
    assert_eq!(sum(&of_fast), sum(&of_slow), "not as often\n{run}");
    let most = of_fast.values().chain(of_slow.values()).max();
    for times in 1..=most.copied().unwrap_or_default() {
        let blobs = |counts: &BTreeMap<String, usize>| {
            counts.values().filter(|count| **count >= times).count()
        };
        let (fast, slow) = (blobs(&of_fast), blobs(&of_slow));
        assert!(
            fast.abs_diff(slow) <= read_back,
            "{times} times: {fast} and {slow}\n{run}"
        );
    }
    let (of_fast, of_slow) = (fast.hits(), slow.hits());
    assert!((of_fast - of_slow).abs() < 0.03, "{of_fast} {of_slow}");
    true
}

#[test]
fn two_object_stores_are_sent_the_same_reads() {
    for choose in ["uniform", "sequential", "zipf:1"] {
        let read = "s3 get --size 1KiB --objects 300";
        let how = format!("--choose {choose} --warmup 300ms --no-verify --anonymous");
        stores_are_sent_the_same(&format!("{read} {how}"), 100);
    }
}

#[test]
fn two_blob_stores_are_sent_the_same_reads() {
    // The stores hold different blobs, but the same part of the blobs is read.
    for phases in ["pg", "pgg"] {
        let read = format!("blob --store s3 --anonymous --phases {phases}");
        let how = "--size 1KiB --warmup 200ms";
        stores_are_sent_the_same(&format!("{read} {how}"), 100);
    }
}
