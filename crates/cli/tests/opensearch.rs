//! The `tenbin search` pipeline on a real OpenSearch cluster.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use common::{Groonga, Nginx, OpenSearch, Outcome, Scratch, Tenbin, wait_until};
use nix::sys::signal::Signal;
use serde_json::{Value, json};

/// Time limit of a command on a busy machine.
const LIMIT: Duration = Duration::from_secs(240);

fn tenbin(scratch: &Scratch, line: &str) -> Outcome {
    Tenbin::new(scratch, line.split_whitespace())
        .within(LIMIT)
        .run()
}

/// Creates synthetic pages in `data`, for a table and thus an index of this name.
fn pages(scratch: &Scratch, table: &str, count: u64) {
    // Removes the pages of an earlier call, because `search data` does not overwrite files.
    let _ = std::fs::remove_dir_all(scratch.join("data"));
    tenbin(
        scratch,
        &format!("search data --synthetic {count} --language both --text-limit 200 --out data -q"),
    )
    .expect_code(0);
    for name in ["schema", "indexes", "pages"] {
        let file = scratch.join(&format!("data/{name}.grn"));
        let text = std::fs::read_to_string(&file).expect("a file of the data");
        std::fs::write(file, text.replace("Pages", table)).expect("the same file");
    }
}

fn load(scratch: &Scratch, cluster: &OpenSearch, options: &str) -> Outcome {
    let servers = cluster.servers();
    tenbin(
        scratch,
        &format!("search load data --into opensearch {servers} {options}"),
    )
}

/// Sends a request to a node (`POST` with a body, otherwise `GET`), and returns the JSON response.
fn ask(node: &str, path: &str, body: Option<&Value>) -> Value {
    let method = if body.is_some() { "POST" } else { "GET" };
    send(method, node, path, body)
}

fn send(method: &str, node: &str, path: &str, body: Option<&Value>) -> Value {
    let address = node.strip_prefix("http://").expect("a URL");
    let mut stream = TcpStream::connect(address).expect("the node accepts");
    stream.set_read_timeout(Some(LIMIT)).expect("a time limit");
    let body = body.map_or(String::new(), Value::to_string);
    let request = format!(
        "{method} {path} HTTP/1.0\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    let json = serde_json::from_str(body);
    json.unwrap_or_else(|_| panic!("{path} is answered with {head}\n{body}"))
}

fn count(node: &str, index: &str) -> u64 {
    let answer = ask(node, &format!("/{index}/_count"), None);
    answer["count"].as_u64().expect("a count")
}

/// Runs a plan of one HTTP workload with these targets.
fn weigh(scratch: &Scratch, targets: &str, workload: &str) -> Outcome {
    let plan = scratch.write(
        "plan.toml",
        format!(
            "seed = 7\n[rounds]\ncount = 2\nslice = \"1s\"\nwarmup = \"0s\"\ngap = \"10ms\"\n\
             [load]\nconnections = 1\n{targets}\n[[workload]]\nkind = \"http\"\n{workload}\n"
        ),
    );
    let run = Tenbin::new(scratch, ["run", &plan]).within(LIMIT).run();
    run.expect_measured();
    run
}

fn terms(scratch: &Scratch, node: &str, table: &str, count: u32) -> String {
    let line =
        format!("search terms --of opensearch --server {node} --table {table} --count {count}");
    let terms = tenbin(scratch, &line);
    terms.expect_code(0);
    scratch.write("terms.txt", &terms.stdout)
}

fn patterns(scratch: &Scratch, terms: &str, path: &str) -> String {
    let line = format!("search patterns {terms} --format opensearch --base {path}");
    let patterns = tenbin(scratch, &line);
    patterns.expect_code(0);
    scratch.write("patterns.json", &patterns.stdout)
}

#[test]
fn from_nothing_to_searches_that_find_something() {
    let cluster = OpenSearch::in_turn();
    let scratch = Scratch::new("opensearch-pipeline");
    pages(&scratch, "Parks", 300);
    let [first, second, third] = cluster.urls();

    load(&scratch, &cluster, "--batch 32 --shards 3 --replicas 1")
        .expect_code(0)
        .expect_stdout("10 commands and 300 records sent")
        .expect_stdout("Parks: 300 records in the database");
    for node in [&first, &second, &third] {
        assert_eq!(count(node, "parks"), 300, "{node}");
    }
    // A repeated load is rejected again, and does not resume.
    for _ in 0..2 {
        load(&scratch, &cluster, "")
            .expect_code(2)
            .expect_stderr(&format!(
                "the index parks already exists and holds 300 records; to replace it, delete it \
                 (curl -X DELETE {first}/parks)"
            ))
            .expect_stderr("to add records to it, load only the files with records");
    }

    let status = format!("search status --of opensearch {}", cluster.servers());
    let all = tenbin(&scratch, &format!("{status} --expect 3 --wait 60s"));
    all.expect_code(0);
    for node in common::opensearch::NODES {
        all.expect_stdout(&format!("alive  {node}  cluster "));
    }
    tenbin(&scratch, &format!("{status} --expect 4"))
        .expect_code(3)
        .expect_stderr("3 nodes are alive, and 4 were expected");

    let file = terms(&scratch, &second, "Parks", 40);
    let text = std::fs::read_to_string(&file).expect("the terms");
    assert_eq!(text.lines().collect::<BTreeSet<_>>().len(), 40, "{text}");
    tenbin(
        &scratch,
        &format!("search terms --of opensearch --server {third} --table Parks --count 900"),
    )
    .expect_code(7)
    .expect_stderr("300 of 900 terms");
    tenbin(
        &scratch,
        &format!("search terms --of opensearch --server {first} --table Nowhere"),
    )
    .expect_code(3)
    .expect_stderr("no such index [nowhere]");

    let file = patterns(&scratch, &file, "/parks/_search");
    let text = std::fs::read_to_string(file).expect("the patterns");
    let groups: Value = serde_json::from_str(&text).expect("JSON");
    let made = groups["search"]["patterns"].as_array().expect("patterns");
    assert_eq!(made.len(), 40);
    for (pattern, node) in made.iter().zip([&first, &second, &third]) {
        let answer = ask(node, "/parks/_search", Some(&pattern["body"]));
        let total = &answer["hits"]["total"];
        assert!(total["value"].as_u64() > Some(0), "{pattern}\n{answer}");
        assert_eq!(total["relation"], "eq");
        let top = &answer["hits"]["hits"][0];
        assert!(
            top["highlight"].is_object() && top["sort"].is_array(),
            "{top}"
        );
        let categories = &answer["aggregations"]["categories"]["buckets"];
        assert!(categories.is_array(), "{answer}");
    }
}

#[test]
fn own_documents_are_mapped_and_a_refusal_says_what_is_stored() {
    let cluster = OpenSearch::in_turn();
    let scratch = Scratch::new("opensearch-documents");
    let [node, ..] = cluster.urls();
    scratch.write(
        "cafe.json",
        r#"{"properties": {"name": {"type": "text"}, "price": {"type": "integer"}}}"#,
    );
    scratch.write(
        "cafe.ndjson",
        "{\"sku\":\"a\",\"name\":\"tea\",\"price\":3}\n{\"sku\":\"b\",\"price\":\"many\"}\n\
         {\"sku\":\"c\",\"name\":\"rice\"}\n",
    );
    let line = format!(
        "search load cafe.ndjson --table Cafe --key sku --mapping cafe.json --shards 2 --replicas 0 \
         --into opensearch {}",
        cluster.servers()
    );
    tenbin(&scratch, &line)
        .expect_code(3)
        .expect_stderr(
            "1 of 3 records of a batch were refused, the others are stored; the one on line 2",
        )
        .expect_stderr("correct the records or the mapping, delete the index")
        .expect_stderr("Cafe holds 2 records")
        .expect_silence_about("run the same command again");
    let settings = ask(&node, "/cafe", None);
    let settings = &settings["cafe"];
    assert_eq!(
        settings["mappings"]["properties"]["price"]["type"],
        "integer"
    );
    assert_eq!(settings["settings"]["index"]["number_of_shards"], "2");
    tenbin(&scratch, &format!("{line} --restart"))
        .expect_code(2)
        .expect_stderr("the index cafe already exists and holds 2 records");
    // Into the existing index, with values as texts.
    scratch.write("more.csv", "sku,name,price\nd,cup,12\n");
    let line = format!(
        "search load more.csv --table Cafe --key sku --into opensearch {}",
        cluster.servers()
    );
    tenbin(&scratch, &line)
        .expect_code(0)
        .expect_stdout("Cafe: 3 records in the database");
    let found = ask(&node, "/cafe/_search?q=price:%3E10", None);
    assert_eq!(found["hits"]["hits"][0]["_id"], "d", "{found}");
    assert_eq!(found["hits"]["hits"][0]["_source"]["sku"], "d", "{found}");
}

#[test]
fn an_interrupted_load_goes_on_with_nothing_lost_or_doubled() {
    const PAGES: u64 = 2_000;
    let cluster = OpenSearch::in_turn();
    let scratch = Scratch::new("opensearch-resume");
    pages(&scratch, "Trains", PAGES);
    let options = "--batch 30 --resume state --shards 3 --replicas 1";
    let kept = || {
        let state = std::fs::read(scratch.join("state")).unwrap_or_default();
        let state: Value = serde_json::from_slice(&state).unwrap_or_default();
        state["records"].as_u64().unwrap_or(0)
    };
    let slow = format!(
        "search load data --into opensearch {} {options} --messages-per-second 250",
        cluster.servers()
    );
    let mut done = None;
    for signal in [Signal::SIGKILL, Signal::SIGINT, Signal::SIGKILL] {
        let before = kept();
        let mut running = Tenbin::new(&scratch, slow.split_whitespace()).start();
        wait_until(LIMIT, || kept() > before || !running.is_running());
        if running.is_running() {
            running.signal(signal);
        }
        let ended = running.wait(LIMIT);
        println!("{signal} at {} records: {ended}", kept());
        if ended.code == Some(0) {
            // The load can end before the signal if this machine stalled.
            done = Some(ended);
            break;
        }
        assert!(
            ended.code == Some(130) || signal == Signal::SIGKILL,
            "{ended}"
        );
        ended.expect_silence_about("panicked");
    }
    let last = done.unwrap_or_else(|| load(&scratch, &cluster, options));
    last.expect_code(0)
        .expect_stdout(&format!("10 commands and {PAGES} records sent"))
        .expect_stdout(&format!("Trains: {PAGES} records in the database"));
    assert!(!PathBuf::from(scratch.join("state")).exists(), "{last}");
    // The index has exactly the expected keys, not only the expected number.
    let [node, ..] = cluster.urls();
    let answer = ask(&node, "/trains/_search?size=10000&_source=false", None);
    let hits = answer["hits"]["hits"].as_array().expect("hits");
    let found: Vec<u64> = hits
        .iter()
        .filter_map(|hit| hit["_id"].as_str()?.parse().ok())
        .collect();
    assert_eq!(found.len() as u64, PAGES);
    let found: BTreeSet<u64> = found.into_iter().collect();
    assert_eq!(found, (1..=PAGES).collect());
}

#[test]
fn nodes_share_the_searches_and_whoever_finds_less_is_not_compared() {
    let cluster = OpenSearch::in_turn();
    let scratch = Scratch::new("opensearch-hits");
    let [first, second, third] = cluster.urls();
    pages(&scratch, "Roads", 200);
    load(&scratch, &cluster, "--shards 3 --replicas 1").expect_code(0);
    let terms = terms(&scratch, &first, "Roads", 30);
    let file = patterns(&scratch, &terms, "/roads/_search");
    let three =
        format!("[[target]]\nname = \"three\"\nurls = [\"{first}\", \"{second}\", \"{third}\"]\n");
    let workload = format!("patterns = \"{file}\"\nhits = \"opensearch\"\norder = \"shuffled\"\n");

    let one = format!("[[target]]\nname = \"one\"\nurl = \"{second}\"\n");
    let run = weigh(&scratch, &format!("{three}{one}"), &workload);
    let told = scratch.result();
    for rule in ["unequal_hits", "changed_answers"] {
        assert!(!run.stdout.contains(rule), "{run}");
    }
    let results = told["results"].as_array().expect("results");
    let found = |side: &Value| -> BTreeMap<String, u64> {
        let patterns = side["patterns"].as_array().expect("patterns");
        let each = patterns.iter().map(|pattern| {
            let name = pattern["request"].as_str().expect("a name");
            (name.to_owned(), pattern["hits"].as_u64().expect("hits"))
        });
        let found: BTreeMap<String, u64> = each.collect();
        // Pattern names are distinct, although the patterns differ only in their bodies.
        assert_eq!(found.len(), patterns.len(), "{patterns:?}");
        found
    };
    // The results include only patterns that were sent.
    let (mine, other) = (found(&results[0]), found(&results[1]));
    assert!(!mine.is_empty());
    for (name, hits) in &mine {
        assert!(name.starts_with("POST /roads/_search #"), "{name}");
        assert!(*hits > 0, "{name}");
        assert!(
            other.get(name).is_none_or(|theirs| theirs == hits),
            "{name}"
        );
    }
    let hosts = results[0]["hosts"].as_array().expect("hosts");
    let counts: Vec<u64> = hosts
        .iter()
        .filter_map(|host| host["ok"].as_u64())
        .collect();
    let all: u64 = counts.iter().sum();
    assert_eq!(counts.len(), 3, "{hosts:?}");
    assert_eq!(Some(all), results[0]["ok"].as_u64(), "{hosts:?}");
    // Round robin: with one connection, the counts differ by at most one per slice.
    let spread = counts.iter().max().unwrap_or(&0) - counts.iter().min().unwrap_or(&0);
    assert!(all > 0 && spread <= 6, "{counts:?}");

    // A target with half of the pages.
    pages(&scratch, "Halves", 100);
    load(&scratch, &cluster, "").expect_code(0);
    let half = Nginx::serving(
        &scratch,
        &format!("location = /roads/_search {{ proxy_pass {first}/halves/_search; }}"),
    );
    let half = format!(
        "[[target]]\nname = \"half\"\nurl = \"http://127.0.0.1:{}\"\n",
        half.port()
    );
    weigh(&scratch, &format!("{three}{half}"), &workload)
        .expect_code(6)
        .expect_stdout("unequal_hits")
        .expect_stdout("no verdict");
}

#[test]
fn the_request_cache_is_forecast_and_counted_on_every_node() {
    let cluster = OpenSearch::in_turn();
    let scratch = Scratch::new("opensearch-cache");
    pages(&scratch, "Lakes", 200);
    load(&scratch, &cluster, "--shards 3 --replicas 0").expect_code(0);
    let [first, second, third] = cluster.urls();
    let terms = terms(&scratch, &first, "Lakes", 40);
    // By default, OpenSearch caches only searches with size 0.
    let text = std::fs::read_to_string(terms).expect("the terms");
    let search = |term| {
        let body = json!({"size": 0, "query": {"match_phrase": {"title": term}}});
        format!("{{\"index\":\"lakes\"}}\n{body}\n")
    };
    let file = scratch.write("sizes.ndjson", text.lines().map(search).collect::<String>());
    let target =
        format!("[[target]]\nname = \"three\"\nurls = [\"{first}\", \"{second}\", \"{third}\"]\n");
    let workload = format!(
        "patterns = \"{file}\"\ncache_size = 100\ncache_counters = \"opensearch\"\nstages = true\n"
    );
    weigh(&scratch, &target, &workload);
    let told = scratch.result();
    let side = &told["results"][0];
    let cache = &side["cache"];
    let (forecast, observed) = (cache["forecast"].as_f64(), cache["observed"].as_f64());
    let (forecast, observed) = (forecast.expect("a forecast"), observed.expect("a count"));
    assert!((forecast - observed).abs() <= 0.05, "{cache}");
    // Every response states `took`.
    let stages = &side["stages"][0];
    assert_eq!(stages["carrying"], stages["answers"], "{stages}");
    assert!(stages["bands"][0]["total"].is_object(), "{stages}");
    // Three lookups per request, one per shard; the sum of the hosts' counters has none twice.
    let (lookups, ok) = (cache["lookups"].as_u64(), side["ok"].as_u64());
    let (lookups, ok) = (lookups.expect("lookups"), ok.expect("answers"));
    assert!((3 * ok..6 * ok + 20).contains(&lookups), "{side}");
}

#[test]
fn an_index_is_merged_on_request() {
    let cluster = OpenSearch::in_turn();
    let scratch = Scratch::new("opensearch-merge");
    pages(&scratch, "Merged", 300);
    let [node, ..] = cluster.urls();
    load(
        &scratch,
        &cluster,
        "--batch 10 --shards 1 --replicas 0 --force-merge 1",
    )
    .expect_code(0);
    let segments = ask(&node, "/merged/_stats/segments", None);
    assert_eq!(
        segments["_all"]["primaries"]["segments"]["count"], 1,
        "{segments}"
    );
    assert_eq!(count(&node, "merged"), 300);
}

/// One plan from pages to report: both servers search the same terms, each with its own requests.
#[test]
fn groonga_and_opensearch_are_compared_by_one_list_of_terms() {
    let cluster = OpenSearch::in_turn();
    let scratch = Scratch::new("opensearch-groonga");
    let groonga = Groonga::at(&scratch, "127.0.0.1", "status\n");
    let nodes = cluster.urls();
    let targets = format!(
        "[[target]]\nname = \"groonga\"\nurl = \"{}\"\ncorpus = \"groonga\"\n\
         [[target]]\nname = \"opensearch\"\nurls = {nodes:?}\ncorpus = \"opensearch\"\n\
         [corpus]\nsynthetic = 300\ntext_limit = 300\nterms = 60\n",
        groonga.url()
    );
    let by_kind = "hits_tolerance = \"10%\"\n[workload.patterns]\nterms = \"{corpus}\"\n\
        [workload.patterns.by_target.groonga]\nsearch = \"groonga\"\n\
        [workload.patterns.by_target.opensearch]\nsearch = \"opensearch\"\n";
    let run = weigh(&scratch, &targets, by_kind);
    run.expect_stderr("the numbers of hits differ for");
    let result_of = scratch.result();
    let rules: Vec<&str> = result_of["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter(|finding| finding["severity"] != "note")
        .filter_map(|finding| finding["rule"].as_str())
        .collect();
    for rule in ["unequal_hits", "unequal_answers", "no_hits"] {
        assert!(!rules.contains(&rule), "{rule}: {run}");
    }
    for target in ["groonga", "opensearch"] {
        let results = result_of["results"].as_array().expect("results");
        let mine = results.iter().find(|one| one["target"] == target);
        let patterns = mine.expect(target)["patterns"]
            .as_array()
            .expect("patterns");
        assert!(!patterns.is_empty());
        for pattern in patterns {
            assert!(
                pattern["hits"].as_u64().is_some_and(|hits| hits > 0),
                "{pattern}"
            );
            // The name of a pattern is its term, not its request.
            let request = pattern["request"].as_str().expect("a term");
            assert!(!request.contains("/"), "{request}");
        }
    }

    // OpenSearch reports figures of its memory and index; Groonga does not.
    run.expect_stdout("opensearch: heap at most ")
        .expect_stdout(" garbage collection");
    let results = result_of["results"].as_array().expect("results");
    let search_of = |name: &str| {
        let mut results = results.iter();
        let mine = results.find(|one| one["target"] == name);
        mine.expect(name)["search"].clone()
    };
    let search = search_of("opensearch");
    let number = |key: &str| {
        search[key]
            .as_u64()
            .unwrap_or_else(|| panic!("{key}: {search}"))
    };
    assert!(number("heap_used_bytes") > 0, "{search}");
    assert!(
        number("heap_used_bytes") <= number("heap_max_bytes"),
        "{search}"
    );
    assert!(number("segments") > 0, "{search}");
    for key in ["collections", "collection_ms", "merges", "merge_ms"] {
        number(key);
    }
    assert!(search_of("groonga").is_null());

    // One target gets a search without hits: Tenbin lists the differing terms before the run.
    let other_search = by_kind.replace(
        "search = \"opensearch\"",
        "path = \"/pages/_search\"\nbody = '{\"size\": 1, \"track_total_hits\": true, \"query\": \
         {\"term\": {\"title.keyword\": \"no {term}\"}}}'",
    );
    let run = weigh(&scratch, &targets, &other_search);
    run.expect_code(6)
        .expect_stderr("warning: workload \"http-patterns\": ")
        .expect_stderr("of 60 patterns by more than the tolerance of 10%")
        .expect_stdout("unequal_hits");
}

/// Sets the thresholds of the slow logs of an index and of search requests: "0ms" for all, "-1" for
/// none.
fn log_searches(node: &str, index: &str, threshold: &str) {
    let shards = json!({"index.search.slowlog.threshold.query.warn": threshold});
    let requests = json!({"cluster.search.request.slowlog.threshold.warn": threshold});
    for (path, settings) in [
        (format!("/{index}/_settings"), shards),
        (
            "/_cluster/settings".to_owned(),
            json!({"transient": requests}),
        ),
    ] {
        let done = send("PUT", node, &path, Some(&settings));
        assert_eq!(done["acknowledged"], true, "{path}: {done}");
    }
}

/// OpenSearch writes a line for each of two shards and one for the request: each is one search.
#[test]
fn slow_logs_of_the_server_are_read_as_its_searches() {
    let cluster = OpenSearch::in_turn();
    let scratch = Scratch::new("opensearch-slow-log");
    let [node, ..] = cluster.urls();
    scratch.write(
        "menu.ndjson",
        "{\"sku\":\"1\",\"name\":\"green tea, お茶\"}\n{\"sku\":\"2\",\"name\":\"rice, big and small\"}\n\
         {\"sku\":\"3\",\"name\":\"black tea\"}\n{\"sku\":\"4\",\"name\":\"抹茶\"}\n",
    );
    scratch.write("menu.json", r#"{"properties": {"name": {"type": "text"}}}"#);
    let line = format!(
        "search load menu.ndjson --table Menu --key sku --mapping menu.json --shards 2 --replicas 0 \
         --into opensearch {}",
        cluster.servers()
    );
    tenbin(&scratch, &line).expect_code(0);

    let quotes = json!({"query": {"match": {"name": "\"tea\" \\ ], id[x"}}});
    let searches = [
        quotes.clone(),
        json!({"query": {"match": {"name": "お茶"}}}),
        json!({"query": {"match": {"name": "green\ntea\t"}}}),
        json!({"query": {"match": {"name": "{rice} [big], source[x]"}}, "size": 2}),
        quotes,
    ];
    log_searches(&node, "menu", "0ms");
    for search in &searches {
        let found = ask(&node, "/menu/_search", Some(search));
        assert!(
            found["hits"]["total"]["value"].as_u64() > Some(0),
            "{found}"
        );
    }
    log_searches(&node, "menu", "-1");

    for format in ["log", "json"] {
        let log = std::fs::read_to_string(cluster.slow_log(format)).expect("the slow log");
        assert_eq!(log.lines().count(), 5 * (2 + 1), "{log}");
        let file = scratch.write(&format!("slow.{format}"), log);
        let target = format!("[[target]]\nname = \"one\"\nurl = \"{node}\"\n");
        let workload =
            format!("patterns = \"{file}\"\nhits = \"opensearch\"\norder = \"sequential\"\n");
        let run = weigh(&scratch, &target, &workload);
        run.expect_stderr("10 lines of the log are of searches that other lines hold already")
            .expect_silence_about("sent to all indexes");
        let result = &scratch.result()["results"][0];
        assert_eq!(result["failed"], 0, "{result}");
        let patterns = result["patterns"].as_array().expect("patterns");
        assert_eq!(patterns.len(), 4, "{patterns:?}");
        for pattern in patterns {
            let request = pattern["request"].as_str().expect("a name");
            assert!(request.starts_with("POST /menu/_search"), "{request}");
            assert!(pattern["hits"].as_u64() > Some(0), "{pattern}");
        }
    }
}

/// The searches of an index that does not exist fail inside a response with status 200.
#[test]
fn searches_that_all_fail_inside_a_success_are_no_throughput() {
    let cluster = OpenSearch::in_turn();
    let scratch = Scratch::new("opensearch-msearch");
    let searches = "{\"index\":\"nowhere\"}\n{\"query\":{\"match_all\":{}}}\n";
    let body = scratch.write("searches.ndjson", searches);
    let url = format!("{}/_msearch", cluster.urls()[0]);
    let run = |more: &[&str]| {
        let words = ["http", &url, "--method", "POST", "--body-file", &body];
        let header = ["--header", "Content-Type: application/x-ndjson"];
        let rounds = [
            "--rounds", "2", "--slice", "300ms", "--warmup", "0s", "--json",
        ];
        let words = [&words[..], &header, &rounds, more].concat();
        Tenbin::new(&scratch, words).within(LIMIT).run()
    };
    let failed = run(&[]);
    failed
        .expect_code(4)
        .expect_stderr("no such index [nowhere]");
    let document: Value = serde_json::from_str(&failed.stdout).expect("JSON");
    assert_eq!(document["results"][0]["ok"], 0, "{failed}");
    // Not read as an error, the same response is throughput.
    let believed = run(&["--no-body-errors"]);
    let document: Value = serde_json::from_str(&believed.stdout).expect("JSON");
    assert!(
        document["results"][0]["ok"].as_u64() > Some(0),
        "{believed}"
    );
}
