//! The `tenbin search` pipeline, with a real Groonga and a replacement for Droonga.

#![allow(
    clippy::too_many_lines,
    reason = "a test tells one story, or has a table of cases"
)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{Groonga, Nginx, Outcome, Receiver, Scratch, Tenbin, search_path};
use nix::sys::signal::Signal;
use tenbin_corpus::json::Json;

/// Time limit of a command on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

fn tenbin(scratch: &Scratch, line: &str) -> Outcome {
    Tenbin::new(scratch, line.split_whitespace())
        .within(LIMIT)
        .run()
}

fn empty(scratch: &Scratch) -> Groonga {
    Groonga::at(scratch, "127.0.0.1", "status\n")
}

fn text_of(scratch: &Scratch, name: &str) -> String {
    std::fs::read_to_string(scratch.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Number of records in the database, from the output of a load.
fn in_database(load: &Outcome) -> u64 {
    let found = load.stdout.lines().find_map(|line| {
        let count = line.strip_prefix("Pages: ")?;
        count.strip_suffix(" records in the database")?.parse().ok()
    });
    found.unwrap_or_else(|| panic!("no count: {load}"))
}

#[test]
fn from_nothing_to_requests_that_find_something() {
    let scratch = Scratch::new("search-pipeline");
    let (first, replica) = (empty(&scratch), empty(&scratch));
    tenbin(
        &scratch,
        "search data --synthetic 600 --language both --out data -q",
    )
    .expect_code(0)
    .expect_stdout("600 pages in data/pages.grn");

    let servers = format!("--server {} --server {}", first.url(), replica.url());
    let load = tenbin(
        &scratch,
        &format!("search load data --into groonga {servers} --batch 64"),
    );
    load.expect_code(0)
        .expect_stdout("10 commands and 600 records sent");
    assert_eq!(in_database(&load), 600);
    let left: Vec<String> = std::fs::read_dir(scratch.join("data"))
        .expect("the data")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    assert_eq!(
        left.len(),
        4,
        "nothing of the load is left beside the data: {left:?}"
    );

    let again = tenbin(
        &scratch,
        &format!("search load data --into groonga {servers}"),
    );
    again
        .expect_code(2)
        .expect_stderr("already exists")
        .expect_stderr("to replace it, use an empty database")
        .expect_stderr("load only the files with records");
    // A repeated load of records alone is allowed, because records have keys.
    let line = format!(
        "search load data/pages.grn --into groonga --server {}",
        first.url()
    );
    assert_eq!(in_database(tenbin(&scratch, &line).expect_code(0)), 600);

    let line = format!("search status --of groonga {servers} --expect 2");
    tenbin(&scratch, &line)
        .expect_code(0)
        .expect_stdout("Groonga ");
    let line = format!(
        "search status --of groonga --server {} --expect 2",
        first.url()
    );
    tenbin(&scratch, &line)
        .expect_code(3)
        .expect_stderr("1 nodes are alive, and 2 were expected");

    let terms = tenbin(
        &scratch,
        &format!("search terms --server {} --count 50", replica.url()),
    );
    terms.expect_code(0);
    let distinct: BTreeSet<&str> = terms.stdout.lines().collect();
    assert_eq!(distinct.len(), 50, "{terms}");
    let file = scratch.write("terms.txt", &terms.stdout);
    let patterns = tenbin(&scratch, &format!("search patterns {file}"));
    assert_eq!(patterns.stdout.lines().count(), 50, "{patterns}");
    for path in patterns.stdout.lines().take(5) {
        let (status, body) = get(replica.port(), path);
        assert_eq!(status, 200, "{path}\n{body}");
        let answer = Json::parse(body.as_bytes()).expect("JSON");
        let hits = answer
            .at(1)
            .and_then(|sets| sets.at(0)?.at(0)?.at(0)?.as_u64());
        assert!(hits.is_some_and(|hits| hits > 0), "{path}\n{body}");
    }
    let line = format!("search terms --server {} --count 900", first.url());
    tenbin(&scratch, &line)
        .expect_code(7)
        .expect_stderr("600 of 900 terms");
}

#[test]
fn a_dump_is_the_database_again() {
    let scratch = Scratch::new("search-dump");
    let original = Groonga::with_pages(&scratch, 300);
    tenbin(
        &scratch,
        &format!("search dump --server {} --out dump", original.url()),
    )
    .expect_code(0)
    .expect_stdout("records.grn");
    let again = format!("search dump --server {} --out dump", original.url());
    tenbin(&scratch, &again)
        .expect_code(2)
        .expect_stderr("dump already exists and is not empty");
    let nowhere = "search dump --server http://127.0.0.1:1 --out nowhere";
    tenbin(&scratch, nowhere).expect_code(3);
    assert!(!Path::new(&scratch.join("nowhere")).exists());
    let schema = text_of(&scratch, "dump/schema.grn");
    assert!(
        schema.contains("column_create Pages text COLUMN_SCALAR Text"),
        "{schema}"
    );
    assert!(
        !schema.contains("COLUMN_INDEX") && !schema.contains("load "),
        "{schema}"
    );
    let indexes = text_of(&scratch, "dump/indexes.grn");
    assert!(
        indexes.contains("COLUMN_INDEX|WITH_SECTION|WITH_POSITION Pages title,text"),
        "{indexes}"
    );
    assert!(!indexes.contains("load "), "{indexes}");

    let copy = empty(&scratch);
    let load = tenbin(
        &scratch,
        &format!("search load dump --into groonga --server {}", copy.url()),
    );
    assert_eq!(in_database(load.expect_code(0)), 300);
    let records = |groonga: &Groonga| {
        let line = format!("search dump --server {} --records-only", groonga.url());
        let dumped = tenbin(&scratch, &line);
        dumped.expect_code(0);
        dumped.stdout.clone()
    };
    assert_eq!(records(&original), records(&copy));

    let messages = tenbin(
        &scratch,
        "search convert dump/schema.grn dump/records.grn --id-prefix p",
    );
    messages.expect_code(0);
    let adds = messages
        .stdout
        .lines()
        .filter(|line| line.contains(r#""type":"add""#));
    let pages = adds.filter(|line| line.contains(r#""table":"Pages""#));
    assert_eq!(pages.count(), 300);
    messages.expect_stdout(r#""dataset":"Default","type":"table_create","body":{"name":"Categories","flags":"TABLE_HASH_KEY","key_type":"ShortText"}}"#);
}

#[test]
fn an_interrupted_load_goes_on_with_nothing_lost_or_doubled() {
    const PAGES: u64 = 4_000;
    let scratch = Scratch::new("search-resume");
    let groonga = empty(&scratch);
    tenbin(
        &scratch,
        &format!("search data --synthetic {PAGES} --text-limit 200 --out data -q"),
    )
    .expect_code(0);
    let line = format!(
        "search load data --into groonga --server {} --batch 40 --resume state",
        groonga.url()
    );
    // At this rate, the load takes longer than all interruptions together.
    let slow = format!("{line} --messages-per-second 600");
    // Set only if the load ended before a signal because this machine stalled.
    let mut done = None;
    let mut chance = 20_261_121_u32;
    for signal in [
        Signal::SIGKILL,
        Signal::SIGINT,
        Signal::SIGKILL,
        Signal::SIGINT,
    ] {
        let running = Tenbin::new(&scratch, slow.split_whitespace()).start();
        chance = chance.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let rest = Duration::from_millis(20 + u64::from(chance >> 16) % 600);
        std::thread::sleep(rest);
        running.signal(signal);
        let ended = running.wait(LIMIT);
        println!("{signal} after {rest:?}: {ended}");
        if ended.code == Some(0) {
            done = Some(ended);
            break;
        }
        if signal == Signal::SIGINT && ended.code.is_some() {
            ended.expect_code(130);
        }
    }
    let last = done.unwrap_or_else(|| tenbin(&scratch, &line));
    last.expect_code(0);
    assert_eq!(in_database(&last), PAGES, "{last}");
    last.expect_stdout(&format!("10 commands and {PAGES} records sent"));
    assert!(!Path::new(&scratch.join("state")).exists(), "{last}");
    // The database has exactly the expected keys, not only the expected number.
    let keys = |text: &str| -> BTreeSet<u64> {
        let records = text
            .lines()
            .filter_map(|line| Json::parse(line.trim_end_matches(',').as_bytes()).ok());
        records
            .filter_map(|record| record.get("_key").or_else(|| record.at(0))?.as_u64())
            .collect()
    };
    let line = format!(
        "search dump --server {} --records-only --table Pages",
        groonga.url()
    );
    let dumped = tenbin(&scratch, &line);
    assert_eq!(
        keys(&dumped.stdout),
        keys(&text_of(&scratch, "data/pages.grn"))
    );
}

#[test]
fn own_documents_are_loaded_into_a_table() {
    let scratch = Scratch::new("search-documents");
    let groonga = empty(&scratch);
    scratch.write(
        "shop.grn",
        "table_create Shop TABLE_HASH_KEY ShortText\n\
         column_create Shop name COLUMN_SCALAR ShortText\n\
         column_create Shop price COLUMN_SCALAR UInt32\n",
    );
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed
        .write_all(
            b"{\"sku\":\"a\",\"name\":\"tea\",\"price\":3}\n{\"sku\":\"b\",\"name\":\"rice\"}\n",
        )
        .expect("memory");
    scratch.write("one.ndjson.gz", packed.finish().expect("memory"));
    scratch.write("two.csv", "sku,name,price\r\nc,\"cup, big\",7\r\n");
    let into = format!("--into groonga --server {}", groonga.url());
    let documents = "search load one.ndjson.gz two.csv --table Shop --key sku";
    tenbin(&scratch, &format!("{documents} --schema shop.grn {into}"))
        .expect_code(0)
        .expect_stdout("3 commands and 3 records sent")
        .expect_stdout("Shop: 3 records in the database");
    let line = format!("search dump --server {} --records-only", groonga.url());
    tenbin(&scratch, &line)
        .expect_stdout("[\"a\",\"tea\",3]")
        .expect_stdout("[\"c\",\"cup, big\",7]");
    tenbin(
        &scratch,
        &format!("search load two.csv --table Nowhere --key sku {into}"),
    )
    .expect_code(3)
    .expect_stderr("correct the data or the schema, use an empty database")
    .expect_silence_about("run the same command again");
    for (line, words) in [
        (
            "search load shop.grn --table Shop",
            "--table is for documents",
        ),
        (
            "search load two.csv --mapping shop.grn",
            "--mapping is for OpenSearch",
        ),
    ] {
        let refused = tenbin(&scratch, &format!("{line} {into}"));
        refused.expect_code(2).expect_stderr(words);
    }
}

#[test]
fn a_server_that_never_answers_does_not_hold_a_load_that_is_told_to_stop() {
    let scratch = Scratch::new("search-mute");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("its address"));
    let (asked, loads) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for mut stream in listener.incoming().flatten() {
            let mut request = [0; 4096];
            let length = stream.read(&mut request).unwrap_or(0);
            let is_load = request[..length].starts_with(b"POST ");
            if !is_load {
                let body = "[[0,1.5,6e-05],true]";
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
                continue;
            }
            let _ = asked.send(());
            held.push(stream);
        }
    });
    tenbin(&scratch, "search data --synthetic 50 --out data -q").expect_code(0);
    let line = format!("search load data --into groonga --server {url} --resume state");
    let mut running = Tenbin::new(&scratch, line.split_whitespace()).start();
    loads.recv_timeout(LIMIT).expect("it loads");
    assert!(running.is_running());
    running.signal(Signal::SIGINT);
    // If SIGINT did not end the wait for a response, the command would take ten minutes.
    let ended = running.wait(Duration::from_secs(60));
    ended
        .expect_code(130)
        .expect_stdout("10 commands and 0 records sent")
        .expect_stderr("run the same command again to resume; the progress is in state");
    assert!(Path::new(&scratch.join("state")).exists());
}

#[test]
fn a_server_of_another_kind_is_told_before_anything_is_sent() {
    let scratch = Scratch::new("search-wrong-kind");
    let groonga = empty(&scratch);
    let nginx = Nginx::start(&scratch);
    tenbin(&scratch, "search data --synthetic 20 --out data -q").expect_code(0);
    let into = |kind: &str, url: &str| {
        let line = format!("search load data --into {kind} --server {url}");
        tenbin(&scratch, &line)
    };
    into("opensearch", &groonga.url())
        .expect_code(3)
        .expect_stderr("not an OpenSearch server: GET / has status ");
    into("groonga", &nginx.url())
        .expect_code(3)
        .expect_stderr("not a Groonga server: GET /d/status has status 200: hello world;");
    let files = std::fs::read_dir(scratch.join("data")).expect("the data");
    assert_eq!(files.count(), 4, "nothing of the load is left");
}

#[test]
fn droonga_gets_every_record_and_its_schema_in_one_place() {
    const PAGES: u64 = 3_000;
    let scratch = Scratch::new("search-droonga");
    let nodes = [Receiver::start(), Receiver::start()];
    tenbin(
        &scratch,
        &format!("search data --synthetic {PAGES} --text-limit 50 --out data -q"),
    )
    .expect_code(0);
    let line = format!(
        "search load data --into droonga --server {} --server {}",
        nodes[0].server(),
        nodes[1].server()
    );
    for signal in [Signal::SIGINT, Signal::SIGKILL] {
        let slow = format!("{line} --messages-per-second 300 --report-throughput");
        let mut running = Tenbin::new(&scratch, slow.split_whitespace()).start();
        let before = nodes[1].messages().len();
        running.wait_until(LIMIT, || nodes[1].messages().len() > before + 20);
        running.signal(signal);
        running.wait(LIMIT);
    }
    let last = tenbin(&scratch, &line);
    last.expect_code(0)
        .expect_stdout("10 commands and 3000 records sent, ")
        .expect_stdout(" of them before and ")
        .expect_stdout("the number of records in the database is unknown")
        .expect_stderr("resuming after ");

    let mut added: BTreeMap<u64, Json> = BTreeMap::new();
    for (at, node) in nodes.iter().enumerate() {
        let messages = node.messages();
        for (tag, envelope) in &messages {
            assert_eq!(tag, "droonga.message");
            let kind = envelope
                .get("type")
                .and_then(Json::as_text)
                .expect("a type");
            let body = envelope.get("body").expect("a body");
            if kind != "add" {
                assert_eq!(at, 0, "{envelope}");
                continue;
            }
            let key = body.get("key").and_then(Json::as_u64).expect("a key");
            let earlier = added.insert(key, body.clone());
            assert!(earlier.is_none_or(|earlier| earlier == *body), "{envelope}");
        }
        assert!(messages.len() as u64 > PAGES / 3, "the nodes take turns");
    }
    assert_eq!(
        added.keys().copied().collect::<Vec<_>>(),
        (1..=PAGES).collect::<Vec<_>>()
    );
}

#[test]
fn the_tutorials_lines_run_as_written() {
    let scratch = Scratch::new("search-tutorial");
    for tool in [
        "drnbench-extract-searchterms",
        "drnbench-generate-select-patterns",
        "grn2drn",
        "droonga-send",
    ] {
        symlink(env!("CARGO_BIN_EXE_tenbin"), scratch.join(tool)).expect("a link");
    }
    let nodes = [Receiver::start(), Receiver::start()];
    let shell = |script: &str| {
        let output = Command::new("sh")
            .args(["-c", script])
            .current_dir(scratch.path())
            .env(
                "PATH",
                std::env::join_paths(
                    std::iter::once(scratch.path().to_owned())
                        .chain(std::env::split_paths(&search_path())),
                )
                .expect("a search path"),
            )
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
            said,
        )
    };

    scratch.write(
        "answer",
        r#"[[0,1.5,6e-05],[[[2],[["title","ShortText"]],["町 中"],["町 中"]]]]"#,
    );
    let (code, terms, said) = shell("cat answer | drnbench-extract-searchterms --escape");
    assert_eq!(
        (code, terms.as_str()),
        (Some(0), "%E7%94%BA+%E4%B8%AD\n%E7%94%BA+%E4%B8%AD\n"),
        "{said}"
    );
    let (code, patterns, said) = shell(
        "drnbench-extract-searchterms < answer | drnbench-generate-select-patterns --hosts=a,b",
    );
    assert_eq!(code, Some(0), "{said}");
    let json = Json::parse(patterns.as_bytes()).expect("JSON");
    assert!(
        json.get("with-query-b")
            .is_some_and(|group| group.get("host").is_some()),
        "{patterns}"
    );

    scratch.write(
        "pages.grn",
        "table_create Pages TABLE_HASH_KEY UInt64\nload --table Pages\n[\n{\"_key\":1,\"title\":\"a\"},\n{\"_key\":2}\n]\n",
    );
    let line = format!(
        "cat pages.grn | grn2drn | droonga-send --server={} --server={} \
         --messages-per-second=100 --report-throughput",
        nodes[0].server(),
        nodes[1].server()
    );
    let (code, throughput, said) = shell(&line);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        throughput.contains(" messages/second, 3 messages in all\n"),
        "{throughput}"
    );
    assert_eq!(
        (nodes[0].messages().len(), nodes[1].messages().len()),
        (2, 1)
    );
    let (_, envelope) = &nodes[1].messages()[0];
    let role = envelope.get("targetRole").and_then(Json::as_text);
    assert_eq!(role, Some("any"), "{envelope}");

    let (code, _, said) = shell(&format!(
        "echo '{{}}' | droonga-send --server=127.0.0.1:{}",
        nodes[0].port()
    ));
    assert_eq!(code, Some(2));
    assert!(
        said.contains("standard input, line 1 (byte 0): the message has no \"type\""),
        "{said}"
    );
    let (code, _, said) = shell(&format!(
        "grn2drn pages.grn | droonga-send --server=127.0.0.1:{}",
        1
    ));
    assert_eq!(code, Some(3));
    assert!(said.contains("connection refused"), "{said}");
}

/// Starts Groonga with pages whose titles have a meaning in URLs or in Groonga's query syntax.
fn awkward(scratch: &Scratch) -> Groonga {
    let titles = [
        "-dash", "AT&T", "C++", "#1", "町 (中)", "say \\\"hi", "a OR b", "~x*", "(", "a:b", "plain",
    ];
    let record = |(key, title): (u32, &&str)| {
        format!("{{\"_key\":{key},\"title\":\"{title}\",\"text\":\"text of {key}\"}}")
    };
    let records: Vec<String> = (1..).zip(&titles).map(record).collect();
    let load = format!("load --table Pages\n[\n{}\n]\n", records.join(",\n"));
    Groonga::at(
        scratch,
        "127.0.0.1",
        &format!("{}{load}", common::groonga::PAGES_SCHEMA),
    )
}

fn hits(groonga: &Groonga, path: &str) -> u64 {
    let (status, body) = get(groonga.port(), path);
    assert_eq!(status, 200, "{path}\n{body}");
    let answer = Json::parse(body.as_bytes()).expect("JSON");
    let hits = answer
        .at(1)
        .and_then(|sets| sets.at(0)?.at(0)?.at(0)?.as_u64());
    hits.unwrap_or_else(|| panic!("no hits: {body}"))
}

#[test]
fn titles_that_mean_something_elsewhere_are_found_as_they_are() {
    let scratch = Scratch::new("search-awkward");
    let groonga = awkward(&scratch);
    let terms = format!("search terms --server {} --count 11", groonga.url());
    let found = tenbin(&scratch, &terms);
    found.expect_code(0);
    assert_eq!(found.stdout.lines().count(), 11, "{found}");
    assert!(
        found.stdout.starts_with("-dash\nAT&T\nC++\n#1\n"),
        "{found}"
    );
    let file = scratch.write("terms.txt", &found.stdout);

    let paths = tenbin(&scratch, &format!("search patterns {file}"));
    let drnbench = tenbin(
        &scratch,
        &format!(
            "search patterns {file} --format drnbench \
             --base-params table=Pages&match_columns=title,text"
        ),
    );
    let json: serde_json::Value = serde_json::from_str(&drnbench.stdout).expect("JSON");
    let patterns = json["with-query"]["patterns"].as_array().expect("patterns");
    let of_drnbench = patterns.iter().filter_map(|each| each["path"].as_str());
    let all: Vec<&str> = paths.stdout.lines().chain(of_drnbench).collect();
    assert_eq!(all.len(), 22);
    for path in all {
        let found = hits(&groonga, path);
        // "(" finds "町 (中)", too; every other title finds only its own page.
        assert!((1..=2).contains(&found), "{path} finds {found}");
    }

    // Terms that `--escape` has escaped lead to the same patterns.
    let escaped = tenbin(&scratch, &format!("{terms} --escape"));
    let file = scratch.write("escaped.txt", &escaped.stdout);
    let again = tenbin(&scratch, &format!("search patterns --escaped {file}"));
    assert_eq!(again.stdout, paths.stdout);
}

/// Error messages of Groonga are shown unchanged.
#[test]
fn complaints_in_japanese_can_be_read() {
    let scratch = Scratch::new("search-complaint");
    let groonga = awkward(&scratch);
    let base = "/d/select?command_version=2&table=Pages&match_columns=title,text&\
                output_columns=_key,title&drilldown=categories&query=";
    let file = scratch.write("wrong.txt", format!("{base}(日本語\n{base}plain\n"));
    let target = groonga.target("groonga");
    let line = format!(
        "http --target {target} --patterns {file} --rounds 2 --slice 200ms --warmup 0s \
         --gap 10ms --connections 1 --order sequential"
    );
    let run = tenbin(&scratch, &line);
    run.expect_code(6)
        .expect_stdout("Syntax error: <(日本語||>")
        .expect_stdout("GET /d/select?…&query=plain")
        .expect_stdout("GET /d/select?…&query=(日本語");
}

#[test]
fn grndump_reads_files_and_servers() {
    let scratch = Scratch::new("search-grndump");
    let mut groonga = awkward(&scratch);
    let url = groonga.url();
    let dump = |line: &str| {
        let dump = tenbin(&scratch, &format!("grndump {line}"));
        dump.expect_code(0);
        dump.stdout
    };
    let whole = dump(&url);
    assert!(whole.contains("table_create Pages ") && whole.contains("load --table Pages\n"));
    let schema = dump(&format!("--no-dump-tables {url}"));
    assert!(
        schema.contains("COLUMN_INDEX") && !schema.contains("load --table"),
        "{schema}"
    );
    let records = dump(&format!("--no-dump-schema --no-dump-indexes {url}"));
    assert!(
        !records.contains("column_create") && records.contains("AT&T"),
        "{records}"
    );
    let few = dump(&format!(
        "--no-dump-schema --no-dump-indexes --max-records 2 {url}"
    ));
    assert!(!few.contains("C++") && few.contains("AT&T"), "{few}");
    let others = dump(&format!("--exclude-table Pages --no-dump-indexes {url}"));
    assert!(
        others.contains("table_create Terms") && !others.contains("load"),
        "{others}"
    );

    groonga.kill();
    let files = format!("{}/db", groonga.home());
    assert_eq!(dump(&files), whole);
    // The dump can be loaded as a database.
    scratch.write("whole.grn", &whole);
    let again = Groonga::at(&scratch, "127.0.0.1", &whole);
    assert_eq!(hits(&again, "/d/select?table=Pages"), 11);
    tenbin(&scratch, "grndump nothing/here")
        .expect_code(2)
        .expect_stderr("groonga cannot read this database");
}

#[test]
fn dumps_of_wikipedia_that_are_not_right() {
    let scratch = Scratch::new("search-wikipedia");
    let page = |id: u32| {
        format!(
            "<page><title>Page {id}</title><ns>0</ns><id>{id}</id><revision>\
             <text>[[Category:C]] text</text></revision></page>\n"
        )
    };
    let whole = format!(
        "<mediawiki>\n{}{}{}</mediawiki>\n",
        page(1),
        page(2),
        page(3)
    );
    scratch.write("whole.xml", &whole);
    tenbin(
        &scratch,
        "search data whole.xml --out whole --max-records 2",
    )
    .expect_code(0)
    .expect_stdout("2 pages");
    let expected = "load --table Pages\n[\n\
        {\"_key\":1,\"title\":\"Page 1\",\"text\":\"[[Category:C]] text\",\"categories\":[\"C\"]},\n\
        {\"_key\":2,\"title\":\"Page 2\",\"text\":\"[[Category:C]] text\",\"categories\":[\"C\"]}\n]\n";
    assert_eq!(text_of(&scratch, "whole/pages.grn"), expected);

    scratch.write("cut.xml", &whole[..whole.len() - 60]);
    tenbin(&scratch, "search data cut.xml --out cut")
        .expect_code(4)
        .expect_stderr("the dump is truncated");
    assert_eq!(text_of(&scratch, "cut/pages.grn"), expected);
    let into_nothing = "--into groonga --server http://127.0.0.1:1";
    tenbin(&scratch, &format!("search load cut {into_nothing}"))
        .expect_code(2)
        .expect_stderr("cut is unfinished: pages are missing");

    scratch.write("broken.xml", whole.replacen("<id>3</id>", "<id>3</ID>", 1));
    tenbin(&scratch, "search data broken.xml --out broken")
        .expect_code(2)
        .expect_stderr("broken.xml, line 4 (byte ")
        .expect_stderr("expected `</id>`, but `</ID>` was found");
    assert!(!Path::new(&scratch.join("broken")).exists());

    tenbin(
        &scratch,
        "search data whole.xml --out whole --max-records 2",
    )
    .expect_code(0)
    .expect_stdout("whole/pages.grn already contains 2 pages with these settings");
    for other in ["whole.xml --max-records 1", "--synthetic 5"] {
        tenbin(&scratch, &format!("search data {other} --out whole"))
            .expect_code(2)
            .expect_stderr("whole holds pages that were created with other settings");
    }
    std::fs::create_dir(scratch.join("mine")).expect("a directory");
    scratch.write("mine/letter.txt", "dear");
    tenbin(&scratch, "search data whole.xml --out mine")
        .expect_code(2)
        .expect_stderr("mine holds files of another program");
    assert_eq!(text_of(&scratch, "whole/pages.grn"), expected);
}

#[test]
fn nodes_that_are_dead_or_missing_are_told() {
    let scratch = Scratch::new("search-status");
    let says = |body: &'static str| {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("its address").port();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request);
                let _ = write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        format!("http://127.0.0.1:{port}")
    };
    let alive = says(
        r#"{"nodes":{"node0:10031/droonga":{"live":true},"node1:10031/droonga":{"live":true}}}"#,
    );
    let dead = says(
        r#"{"nodes":{"node0:10031/droonga":{"status":"active"},"node1:10031/droonga":{"status":"dead"}}}"#,
    );
    let line = format!("search status --of droonga --server {alive} --expect 2");
    tenbin(&scratch, &line)
        .expect_code(0)
        .expect_stdout("alive  node1:10031/droonga");
    let line = format!("search status --of droonga --server {alive} --server {dead} --wait 300ms");
    tenbin(&scratch, &line)
        .expect_code(3)
        .expect_stderr("1 of 2 nodes are alive; not node1:10031/droonga");
    let line = format!("search status --of groonga --server http://127.0.0.1:{}", 1);
    tenbin(&scratch, &line)
        .expect_code(3)
        .expect_stdout("connection refused");
    let line = format!(
        "search load x.grn --into groonga --server http://127.0.0.1:{}",
        1
    );
    tenbin(&scratch, &line)
        .expect_code(2)
        .expect_stderr("cannot read x.grn");
}

/// Sends a GET, and returns the status and the body.
fn get(port: u16, path: &str) -> (u16, String) {
    let mut stream =
        std::net::TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
    write!(stream, "GET {path} HTTP/1.0\r\n\r\n").expect("sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    (status.expect("a status"), body.to_owned())
}
