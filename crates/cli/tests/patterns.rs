//! Requests from pattern files, on a real Groonga.

mod common;

use std::time::Duration;

use common::groonga::{PAGES_SCHEMA, pages};
use common::{Groonga, Nginx, Outcome, Scratch, Tenbin};
use serde_json::Value;

const SELECT: &str = "/d/select?table=Pages&match_columns=title,text&output_columns=_key&query=";

/// `count` patterns that find one page each.
fn terms(count: u32) -> String {
    (1..=count)
        .map(|page| format!("{SELECT}page{page}x\n"))
        .collect()
}

fn http(scratch: &Scratch, options: &str) -> Outcome {
    let line = format!("http --rounds 4 --gap 10ms --seed 7 {options}");
    let run = Tenbin::line(scratch, line);
    let run = run.within(Duration::from_secs(180)).run();
    run.expect_measured();
    run
}

fn rules(result: &Value) -> Vec<&str> {
    let findings = result["findings"].as_array().expect("findings");
    findings
        .iter()
        .filter_map(|finding| finding["rule"].as_str())
        .collect()
}

#[test]
fn two_groongas_are_weighed_by_patterns_that_find_the_same() {
    let scratch = Scratch::new("patterns-groonga");
    let left = Groonga::with_pages(&scratch, 50);
    let right = Groonga::with_pages(&scratch, 50);
    let json = format!(
        r#"{{"rare": {{"frequency": 3, "patterns": ["{SELECT}page1x", "{SELECT}page2x"]}},
            "common": {{"frequency": 1, "patterns": [{{"path": "/d/select?command_version=3&limit=3",
                "body": {{"table": "Pages", "query": "text:@common", "output_columns": "title"}}}}]}}}}"#
    );
    let file = scratch.write("patterns.json", json);
    let run = http(
        &scratch,
        &format!(
            "--target {} --target {} --patterns {file} --hits groonga --slowest 3 --stages \
             --slice 500ms --warmup 200ms --connections 2",
            left.target("left"),
            right.target("right")
        ),
    );
    run.expect_stderr("the frequencies add up to 4, not to 1")
        .expect_stdout("slowest")
        .expect_stdout("fastest")
        .expect_stdout("left rare");
    let result = scratch.result();
    for rule in ["unequal_hits", "no_hits", "changed_answers"] {
        assert!(!rules(&result).contains(&rule), "{run}");
    }
    for side in result["results"].as_array().expect("results") {
        let operations: Vec<&str> = side["operations"]
            .as_array()
            .expect("operations")
            .iter()
            .filter_map(|operation| operation["operation"].as_str())
            .collect();
        assert_eq!(operations, ["rare", "common"]);
        let patterns = side["patterns"].as_array().expect("patterns");
        let hits: Vec<u64> = patterns.iter().filter_map(|p| p["hits"].as_u64()).collect();
        assert_eq!(hits, [1, 1, 50], "{patterns:?}");
        let counted: u64 = patterns.iter().filter_map(|p| p["ok"].as_u64()).sum();
        assert!(counted > 0);
        let stages = &side["stages"][0];
        assert_eq!(stages["carrying"], stages["answers"], "{stages}");
        assert!(
            stages["bands"][0]["total"]["value"].as_f64() > Some(0.0),
            "{stages}"
        );
        assert_eq!(side["slowest"].as_array().map(Vec::len), Some(3));
        assert_eq!(side["fastest"].as_array().map(Vec::len), Some(3));
        assert_eq!(side["slowest"][0]["status"], 200);
    }
    let listed = Tenbin::line(&scratch, "list --json --kind search").run();
    listed.expect_code(0);
    let rows: Value = serde_json::from_str(&listed.stdout).expect("rows");
    assert_eq!(rows[0]["question"][0], "search", "{listed}");
    // `show` does not need the pattern file.
    std::fs::remove_file(&file).expect("the file of patterns");
    let directory = scratch.run().expect("a run");
    let relative = directory
        .strip_prefix(scratch.path())
        .expect("a run directory in the scratch directory");
    let shown = Tenbin::new(&scratch, ["show".as_ref(), relative.as_os_str()]).run();
    assert_eq!(shown.stdout, run.stdout, "show prints what the run printed");
}

#[test]
fn servers_that_do_not_find_the_same_are_not_compared() {
    let scratch = Scratch::new("patterns-hits");
    let whole = Groonga::with_pages(&scratch, 40);
    let half = Groonga::with_pages(&scratch, 20);
    let file = scratch.write("terms.txt", terms(40));
    let run = http(
        &scratch,
        &format!(
            "--target {} --target {} --patterns {file} --hits groonga --slice 200ms \
             --warmup 0s --connections 1",
            whole.target("whole"),
            half.target("half")
        ),
    );
    run.expect_code(6);
    run.expect_stdout("unequal_hits")
        .expect_stdout("the numbers of hits differ for 20 of 40 patterns")
        .expect_stdout("no verdict");
}

#[test]
fn a_server_that_finds_nothing_later_is_not_believed() {
    let scratch = Scratch::new("patterns-later");
    let steady = Groonga::with_pages(&scratch, 20);
    let fickle = Groonga::with_pages(&scratch, 20);
    let file = scratch.write("terms.txt", terms(20));
    let (steady_target, fickle_target) = (steady.target("steady"), fickle.target("fickle"));
    let options = format!("http --target {steady_target} --target {fickle_target}");
    let load = format!("--patterns {file} --hits groonga --seed 7");
    let rounds = "--rounds 4 --slice 800ms --warmup 0s";
    let mut run = Tenbin::line(&scratch, format!("{options} {load} {rounds}")).start();
    run.wait_until(Duration::from_secs(60), || {
        let intervals = scratch.run().map(|run| run.join("intervals.jsonl"));
        let text = intervals.and_then(|path| std::fs::read_to_string(path).ok());
        text.is_some_and(|text| text.contains("\"kind\":\"begin\""))
    });
    fickle.ask("/d/truncate?target_name=Pages");
    let run = run.wait(Duration::from_secs(120));
    run.expect_code(6);
    run.expect_stdout("changed_answers")
        .expect_stdout(
            "fickle reported different numbers of hits for 20 of 20 patterns that were sent again",
        )
        .expect_stdout("no verdict");
    let result = scratch.result();
    let findings = result["findings"].as_array().expect("findings");
    let mut named = findings.iter().filter(|f| f["rule"] == "changed_answers");
    assert!(named.all(|finding| finding["target"] == "fickle"), "{run}");
}

/// No option names Groonga; Tenbin recognizes the searches by the paths of the patterns.
#[test]
fn searches_without_a_hit_are_found_without_being_asked_for() {
    let scratch = Scratch::new("patterns-no-hits");
    let groonga = Groonga::with_pages(&scratch, 50);
    let words = |count: u32| -> String {
        let word = |at: u32| format!("{SELECT}zq{:x}w\n", at.wrapping_mul(2_654_435_761));
        (1..=count).map(word).collect()
    };
    let run = |patterns: String, more: &str| {
        let file = scratch.write("patterns.txt", patterns);
        let target = groonga.target("groonga");
        let options = format!("--target {target} --patterns {file} --slice 200ms");
        let fixed = "--warmup 0s --connections 2";
        http(&scratch, &format!("{options} {fixed} {more}"))
    };
    let severity = || {
        let result = scratch.result();
        let mut findings = result["findings"].as_array().expect("findings").iter();
        let found = findings.find(|finding| finding["rule"] == "no_hits");
        found.map(|found| found["severity"].as_str().unwrap_or_default().to_owned())
    };
    run(words(200), "")
        .expect_code(6)
        .expect_stdout("200 of 200 patterns (100 % of the requests) have no hits on any target");
    assert_eq!(severity().as_deref(), Some("invalid"));
    run(terms(45) + &words(5), "").expect_stdout("5 of 50 patterns (");
    assert_eq!(severity().as_deref(), Some("suspect"));
    run(terms(50), "");
    assert_eq!(severity(), None);
    run(words(200), "--hits none");
    assert_eq!(severity(), None, "the plan says not to look");
    // A warning says that hits are not counted if no pattern is recognized as a search.
    run("/d/status\n".to_owned(), "").expect_stderr("searches without a hit are not counted");
    assert_eq!(severity(), None);
}

#[test]
fn every_host_of_a_target_is_asked_for_its_hits() {
    let scratch = Scratch::new("patterns-hosts-hits");
    let full = Groonga::at(
        &scratch,
        "127.0.0.1",
        &(PAGES_SCHEMA.to_owned() + &pages(20)),
    );
    let empty = Groonga::at(&scratch, "127.0.0.2", PAGES_SCHEMA);
    let file = scratch.write("terms.txt", terms(20));
    let plan = scratch.write(
        "hosts.toml",
        format!(
            "[rounds]\ncount = 2\nslice = \"200ms\"\nwarmup = \"0s\"\n[load]\nconnections = 2\n\
             [[target]]\nname = \"both\"\nurls = [\"{}\", \"{}\"]\n\
             [[workload]]\nkind = \"http\"\npatterns = \"{file}\"\nhits = \"groonga\"\n",
            full.url(),
            empty.url()
        ),
    );
    let run = Tenbin::new(&scratch, ["run", &plan]).run();
    run.expect_code(6);
    let result = scratch.result();
    let found = rules(&result);
    assert!(
        found.contains(&"no_hits") && found.contains(&"unequal_hits"),
        "{run}"
    );
    assert!(!found.contains(&"changed_answers"), "{run}");
}

#[test]
fn two_hosts_share_the_patterns_and_are_counted() {
    let scratch = Scratch::new("patterns-hosts");
    let commands = PAGES_SCHEMA.to_owned() + &pages(30);
    let one = Groonga::at(&scratch, "127.0.0.1", &commands);
    let two = Groonga::at(&scratch, "127.0.0.2", &commands);
    let file = scratch.write("terms.txt", terms(30));
    let plan = scratch.write(
        "hosts.toml",
        format!(
            "[rounds]\ncount = 2\nslice = \"500ms\"\nwarmup = \"0s\"\n[load]\nconnections = 2\n\
             [[target]]\nname = \"both\"\nurls = [\"{}\", \"{}\"]\n\
             [[workload]]\nkind = \"http\"\npatterns = \"{file}\"\norder = \"shuffled\"\n",
            one.url(),
            two.url()
        ),
    );
    let run = Tenbin::new(&scratch, ["run", &plan]).run();
    run.expect_measured();
    let result = scratch.result();
    let hosts = result["results"][0]["hosts"].as_array().expect("hosts");
    let counts: Vec<u64> = hosts
        .iter()
        .filter_map(|host| host["ok"].as_u64())
        .collect();
    let [first, second] = counts[..] else {
        panic!("two hosts: {hosts:?}");
    };
    // Round robin, except while a host is being reconnected: Groonga often closes connections.
    let all = first + second;
    assert!(all > 0 && first.abs_diff(second) * 2 <= all, "{counts:?}");
    let slowest = result["results"][0]["slowest"].as_array().expect("slowest");
    assert!(
        slowest.iter().all(|single| single["host"].is_string()),
        "{slowest:?}"
    );
    for groonga in [&one, &two] {
        assert!(groonga.query_log().contains(">/d/select?"), "it was asked");
    }
}

#[test]
fn forecast_and_groongas_own_count_agree_at_every_rate() {
    const PAGES: u32 = 1_000;
    for (rate, drawn) in [(10, "1,000"), (25, "400"), (50, "200"), (90, "111")] {
        let scratch = Scratch::new("patterns-cache");
        let groonga = Groonga::with_pages(&scratch, PAGES);
        let file = scratch.write("terms.txt", terms(PAGES));
        let run = http(
            &scratch,
            &format!(
                "--target {} --patterns {file} --cache-hit {rate}% --cache-size 100 \
                 --cache-counters groonga --slice 1500ms --warmup 1s --connections 1",
                groonga.target("groonga")
            ),
        );
        run.expect_stderr(&format!(
            "{drawn} of the 1,000 patterns of the file are drawn from"
        ))
        .expect_stderr("a cache of 100 responses is expected to have");
        let result = scratch.result();
        let cache = &result["results"][0]["cache"];
        let (forecast, observed) = (cache["forecast"].as_f64(), cache["observed"].as_f64());
        let (forecast, observed) = (forecast.expect("a forecast"), observed.expect("a count"));
        println!("{rate} %: {cache}");
        // The forecast simulates the sequence that was sent, so chance affects both figures alike.
        assert!((forecast - observed).abs() <= 0.05, "{rate} %: {cache}");
        let lookups = cache["lookups"].as_u64().expect("lookups");
        assert!(lookups > 0);
        // A filling cache has fewer hits, which matters if few requests are sent.
        let wished = f64::from(rate) / 100.0;
        let came = lookups < 3_000 || (forecast - wished).abs() <= 0.10;
        assert!(came, "{rate} %: {cache}");
        for slice in result["slices"].as_array().expect("slices") {
            assert!(slice["cache_hits"].is_f64() || slice["ok"] == 0, "{slice}");
        }
    }
}

/// Hits and lookups that several Groongas together have counted since they were started.
fn counted(groongas: &[Groonga]) -> (f64, f64) {
    let each = groongas.iter().map(|groonga| {
        let response = groonga.ask("/d/status");
        let (_, body) = response.split_once("\r\n\r\n").expect("a body");
        let status: Value = serde_json::from_str(body).expect("JSON");
        let figure = |key: &str| status[1][key].as_f64().expect("a figure");
        let lookups = figure("n_queries");
        (lookups * figure("cache_hit_rate") / 100.0, lookups)
    });
    each.fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1))
}

/// The cache of Groonga evicts the least recently used of its 100 responses. In sequential order, a
/// pattern hits if fewer than 100 other patterns reached the same host since it was sent last.
#[test]
fn forecasts_in_sequential_order_agree_with_groongas_own_count() {
    let scratch = Scratch::new("patterns-sequential");
    let commands = PAGES_SCHEMA.to_owned() + &pages(300);
    let hosts = ["127.0.0.1", "127.0.0.2"].map(|host| Groonga::at(&scratch, host, &commands));
    // Groonga uses no response of the second in which its data was changed last.
    std::thread::sleep(Duration::from_millis(1_100));
    // Hosts, patterns, connections, threads, and the hits if the order of the hosts does not matter.
    for (count, patterns, connections, threads, hits) in [
        (1, 80, 1, 1, Some(true)),
        (1, 120, 1, 1, Some(false)),
        // Each thread sends 90 of the patterns, one of them twice as many requests.
        (1, 180, 3, 2, Some(false)),
        // Each host receives about 80 patterns in one pass, and which ones depends on the order in
        // which hosts become free.
        (2, 160, 1, 1, None),
        (2, 300, 1, 1, Some(false)),
    ] {
        let hosts = &hosts[..count];
        for groonga in hosts {
            // Empties the cache.
            groonga.ask("/d/cache_limit?max=0");
            groonga.ask("/d/cache_limit?max=100");
        }
        let before = counted(hosts);
        let urls: Vec<String> = hosts.iter().map(Groonga::url).collect();
        let file = scratch.write("terms.txt", terms(patterns));
        let plan = scratch.write(
            "sequential.toml",
            format!(
                "seed = 7\nthreads = {threads}\n[rounds]\ncount = 2\nslice = \"500ms\"\n\
                 gap = \"10ms\"\nwarmup = \"0s\"\nprobes = \"none\"\n\
                 [load]\nconnections = {connections}\n\
                 [[target]]\nname = \"groonga\"\nurls = {urls:?}\n\
                 [[workload]]\nkind = \"http\"\npatterns = \"{file}\"\nhits = \"none\"\n\
                 order = \"sequential\"\ncache_size = 100\ncache_counters = \"groonga\"\n"
            ),
        );
        let run = Tenbin::new(&scratch, ["run", &plan]);
        let run = run.within(Duration::from_secs(60)).run();
        run.expect_measured();
        let after = counted(hosts);
        let (counted_hits, lookups) = (after.0 - before.0, after.1 - before.1);
        let result = scratch.result();
        let forecast = result["results"][0]["cache"]["forecast"].as_f64();
        let forecast = forecast.expect("a forecast");
        let case = format!("{count} hosts, {patterns} patterns, {connections} connections");
        println!("{case}: {forecast}, {counted_hits} hits of {lookups}");
        assert!(lookups > f64::from(patterns), "{case}");
        // The order of the requests of one thread is known. Only a request that is sent again after its
        // connection was lost can differ, and these are fewer than one in a hundred. Of two threads, one
        // can wait for a core, and then finds what the other has put into the cache.
        let tolerance = if threads > 1 { 0.15 } else { 0.01 };
        let apart = (forecast - counted_hits / lookups).abs();
        assert!(
            apart <= tolerance,
            "{case}: {forecast}, {counted_hits} of {lookups}"
        );
        let expected = match hits {
            // Each pattern misses once.
            Some(true) => lookups - f64::from(patterns),
            Some(false) => 0.0,
            None => continue,
        };
        let apart = (counted_hits - expected).abs();
        assert!(
            apart <= lookups * tolerance,
            "{case}: {counted_hits} of {lookups}"
        );
    }
}

/// The example of the tutorial: short slices, and all levels of a ramp share the server's cache.
#[test]
fn every_level_of_a_ramp_meets_the_cache_as_often_as_asked() {
    let scratch = Scratch::new("patterns-ramp");
    let groonga = Groonga::with_pages(&scratch, 1_000);
    let file = scratch.write("terms.txt", terms(1_000));
    let plan = scratch.write(
        "ramp.toml",
        format!(
            "seed = 7\n[rounds]\ncount = 6\nslice = \"200ms\"\ngap = \"10ms\"\nwarmup = \"300ms\"\n\
             [load]\nramp = \"1,2,4,8\"\n[[target]]\nname = \"groonga\"\nurl = \"{}\"\n\
             [[workload]]\nname = \"search\"\nkind = \"http\"\npatterns = \"{file}\"\n\
             cache_hit = \"50%\"\ncache_size = 100\ncache_counters = \"groonga\"\n",
            groonga.url()
        ),
    );
    let run = Tenbin::new(&scratch, ["run", &plan]);
    let run = run.within(Duration::from_secs(180)).run();
    run.expect_measured();
    let result = scratch.result();
    let sides = result["results"].as_array().expect("results");
    assert_eq!(sides.len(), 4, "{run}");
    for side in sides {
        let cache = &side["cache"];
        println!("{}: {cache}", side["workload"]);
        let share = |key: &str| cache[key].as_f64().expect("a share");
        let (forecast, observed) = (share("forecast"), share("observed"));
        assert!(
            (forecast - observed).abs() <= 0.05,
            "{}: {cache}",
            side["workload"]
        );
        assert!(
            (forecast - 0.5).abs() <= 0.05,
            "{}: {cache}",
            side["workload"]
        );
    }
    let found = rules(&result);
    for rule in ["cache_forecast", "cache_share"] {
        assert!(!found.contains(&rule), "{run}");
    }
}

#[test]
fn what_cannot_be_drawn_or_counted_is_refused_with_a_sentence() {
    let scratch = Scratch::new("patterns-refused");
    let nginx = Nginx::start(&scratch);
    let target = nginx.target("web");
    let few = scratch.write("few.txt", "/a\n/b\n");
    // A plain HTTP server has no searches.
    let fits = format!("--target {target} --patterns {few} --slice 100ms --warmup 0s");
    http(&scratch, &format!("{fits} --connections 1"))
        .expect_silence_about("searches without a hit");
    let broken = scratch.write("broken.json", "{\"g\": [\"/a\",\n{\"pth\": 1}]}");
    let elsewhere = scratch.write(
        "elsewhere.json",
        "[{\"path\": \"/\", \"host\": \"nowhere\"}]",
    );
    let refused =
        |options: &str| Tenbin::line(&scratch, format!("http --target {target} {options}")).run();
    refused(&format!("--patterns {few} --cache-hit 50%"))
        .expect_code(2)
        .expect_stderr(
            "needs 200 different patterns (100 ÷ 50%), which the file cannot provide: it has 2",
        );
    refused(&format!("--patterns {broken}"))
        .expect_code(2)
        .expect_stderr("broken.json:2:")
        .expect_stderr("\"pth\" is no key of a pattern or a group");
    refused(&format!("--patterns {elsewhere}"))
        .expect_code(2)
        .expect_stderr("\"GET /\" is for nowhere, which is no host of the target");
    let counters = format!("--patterns {few} --cache-size 5 --cache-counters groonga");
    refused(&counters)
        .expect_code(3)
        .expect_stderr("reading the counters of its cache failed")
        .expect_stderr("no cache counters");
}
