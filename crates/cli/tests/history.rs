//! `tenbin history`: ratios to an anchor over runs, and the index of the runs.

mod common;

use std::fs;
use std::path::Path;
use std::time::Duration;

use common::days::{Day, PLAN, month, name_of, write};
use common::{Outcome, Scratch, Tenbin};
use serde_json::{Value, json};

fn tenbin(scratch: &Scratch, line: &str) -> Outcome {
    Tenbin::line(scratch, line).run()
}

fn history(scratch: &Scratch, more: &str) -> Value {
    let run = tenbin(scratch, &format!("history days --json {more}"));
    run.expect_code(0);
    serde_json::from_str(&run.stdout).expect("a history")
}

fn only<'a>(history: &'a Value, target: &str) -> &'a Value {
    let series = history["series"].as_array().expect("series");
    let mut own = series.iter().filter(|it| it["target"] == target);
    let found = own
        .next()
        .unwrap_or_else(|| panic!("no {target} in {history}"));
    assert!(own.next().is_none());
    found
}

#[test]
fn a_move_to_a_slower_machine_is_no_change_and_five_percent_more_is_one() {
    let scratch = Scratch::new("history-move");
    month(&scratch);
    let found = history(&scratch, "");
    let app = only(&found, "app");
    assert_eq!(app["anchor"], "ref");
    let changes = app["changes"].as_array().expect("changes");
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(changes[0]["run"], name_of(22));
    assert_eq!(changes[0]["after"], name_of(21));
    assert_eq!(changes[0]["better"], true);
    let ratio = &changes[0]["ratio"];
    assert!(
        (ratio["value"].as_f64().expect("a ratio") - 1.05).abs() < 0.01,
        "{ratio}"
    );
    assert!(ratio["interval"]["low"].as_f64() > Some(1.03), "{ratio}");
    let changed = changes[0]["changed"].as_array().expect("circumstances");
    assert_eq!(changed.len(), 1, "{changed:?}");
    assert_eq!(
        (
            &changed[0]["what"], &changed[0]["before"], &changed[0]["after"]
        ),
        (&json!("kernel"), &json!("6.1.0"), &json!("6.2.0"))
    );
    // The absolute figures show the move.
    let anchor = history(&scratch, "--target ref");
    let anchor = &only(&anchor, "ref")["changes"];
    assert_eq!(anchor[0]["run"], name_of(12), "{anchor}");

    let text = tenbin(&scratch, "history days");
    text.expect_code(0);
    for part in [
        "throughput of app at get, divided by that of ref",
        "▲",
        "better: +",
        "kernel 6.1.0 → 6.2.0",
        "machine fast → slow; CPU quota of app none → 0.5 cores",
        "11 earlier runs are not in the table",
    ] {
        assert!(text.stdout.contains(part), "{part} in {}", text.stdout);
    }
    let japanese = tenbin(&scratch, "history days --lang ja --all");
    for part in ["改善: 実行", "app の CPU クォータ なし → 0.5 コア"] {
        assert!(japanese.stdout.contains(part), "{}", japanese.stdout);
    }
    let page = tenbin(&scratch, "history days --html page.html");
    page.expect_code(0);
    let page = fs::read_to_string(scratch.join("page.html")).expect("a page");
    assert!(page.contains("<svg"), "{page}");
}

#[test]
fn damaged_hostile_and_foreign_results_are_named_and_harmless() {
    let scratch = Scratch::new("history-hostile");
    let template = month(&scratch);
    let root = scratch.path().join("days");
    fs::write(
        root.join(name_of(3)).join("result.json"),
        "{\"schema\": \"tenbin.resu",
    )
    .expect("a file");
    fs::remove_file(root.join(name_of(4)).join("result.json")).expect("a file");
    let plan = root.join(name_of(4)).join("plan.toml");
    std::os::unix::fs::symlink(plan, root.join(name_of(4)).join("result.json")).expect("a link");
    let mut hostile = template.clone();
    hostile["run"]["started"] = json!("2026-01-05T13:00:00Z\u{1b}[31m");
    hostile["environment"]["kernel"] = json!("6.1\u{1b}]0;x\u{7}\u{202e}");
    hostile["comparisons"][0]["ratio"]["value"] = json!(-1.0);
    hostile["comparisons"][0]["block_ratios"] = json!([0.0, -1.0, 1e300]);
    for target in hostile["results"].as_array_mut().expect("results") {
        if target["target"] == "app" {
            target["target"] = json!("a\u{1b}[2Jpp<script>");
        }
    }
    let odd = root.join("2026-01-05T130000-daily\u{1b}[31m<b>");
    fs::create_dir(&odd).expect("a directory");
    fs::write(odd.join("plan.toml"), PLAN).expect("a plan");
    fs::write(odd.join("result.json"), hostile.to_string()).expect("a result");
    fs::write(root.join("notes.json"), "{}").expect("a file");
    fs::write(root.join("broken.json"), "{\"schema\":\"tenbin.result/1\"").expect("a file");

    let found = tenbin(&scratch, "history days --all");
    found.expect_code(0);
    assert!(
        !found.stdout.contains(['\u{1b}', '\u{202e}']),
        "{}",
        found.stdout
    );
    assert!(
        found.stdout.contains("result.json cannot be read"),
        "{}",
        found.stdout
    );
    let json = history(&scratch, "");
    let left: Vec<&str> = json["left_out"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|it| it["series"].is_null())
        .map(|it| it["run"].as_str().expect("a name"))
        .collect();
    assert_eq!(left.len(), 3, "{left:?}");
    assert!(left.contains(&"broken.json") && !left.contains(&"notes.json"));
    assert_eq!(
        only(&json, "app")["points"].as_array().map(Vec::len),
        Some(29)
    );
    tenbin(&scratch, "history days --html page.html").expect_code(0);
    let page = fs::read_to_string(scratch.join("page.html")).expect("a page");
    assert!(
        !page.contains("<script>") && !page.contains("<b>\u{1b}"),
        "{page}"
    );
}

#[test]
fn a_name_of_runs_shows_the_history_of_these_runs() {
    let scratch = Scratch::new("history-name");
    month(&scratch);
    let runs = scratch.path().join("runs");
    fs::rename(scratch.path().join("days"), &runs).expect("a directory");
    fs::rename(runs.join(name_of(0)), runs.join("2026-01-01T120000-other")).expect("a run");
    let named = tenbin(&scratch, "history daily --json");
    named.expect_stderr("the runs in runs/ with this name: 30");
    let found: Value = serde_json::from_str(&named.stdout).expect("a history");
    assert_eq!(found["runs"], 30, "{found}");
}

#[test]
fn imported_results_are_marked_and_names_that_no_run_has_are_refused() {
    let scratch = Scratch::new("history-imported");
    let wrk = |rate: u32| {
        format!(
            "Running 10s test @ http://127.0.0.1:8080/\n  2 threads and 16 connections\n  \
             Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency   500.00us  100.00us   5.00ms   90.00%\n    \
             Req/Sec    15.00k     1.00k   16.00k    70.00%\n  {} requests in 10.00s, 100.00MB read\n\
             Requests/sec:  {rate}.00\nTransfer/sec:     10.00MB\n",
            rate * 10
        )
    };
    fs::create_dir(scratch.path().join("days")).expect("a directory");
    for (number, rate) in [30_000, 30_300, 29_900].into_iter().enumerate() {
        scratch.write(&format!("{number}.txt"), wrk(rate));
        let line = format!("import --name nginx={number}.txt --out days/{number}.json");
        tenbin(&scratch, &line).expect_code(0);
    }
    let found = history(&scratch, "");
    let points = only(&found, "nginx")["points"].as_array().expect("points");
    assert_eq!(points.len(), 3, "{found}");
    assert!(points.iter().all(|point| point["imported"] == true));
    let text = tenbin(&scratch, "history days");
    assert!(
        text.stdout.contains("imported") && text.stdout.contains("--anchor"),
        "{}",
        text.stdout
    );

    for (line, wrong) in [
        (
            "history days --target caddy",
            "no run has \"caddy\"; the runs have nginx",
        ),
        ("history days --anchor caddy", "no run has \"caddy\""),
        ("history days --figure errors", "errors has no ratio"),
        ("history nowhere", "nowhere is no directory"),
    ] {
        let refused = tenbin(&scratch, line);
        refused.expect_code(2);
        assert!(refused.stderr.contains(wrong), "{}", refused.stderr);
    }
    let japanese = tenbin(&scratch, "history nowhere --lang ja");
    assert!(
        japanese.stderr.contains("ディレクトリーではない"),
        "{}",
        japanese.stderr
    );
}

#[test]
fn the_index_is_only_a_cache() {
    let scratch = Scratch::new("history-index");
    let template = month(&scratch);
    let root = scratch.path().join("days");
    let day = Day {
        machine: 1.0,
        app: 1.0,
        kernel: "6.1.0",
    };
    for number in 31..40 {
        let run = write(&root, &template, number, day);
        let old = root.join(format!("2025-12-{:02}T120000-daily", number - 30));
        fs::rename(run, old).expect("another name");
    }
    let index = root.join(".tenbin-list");
    let facts = root.join(".tenbin-history");
    let listed = || {
        let run = tenbin(&scratch, "list days --all --json");
        run.expect_code(0);
        run.stdout.clone()
    };
    let (first, of_history) = (listed(), history(&scratch, ""));
    std::thread::sleep(Duration::from_millis(2_200));
    assert_eq!(listed(), first);
    assert!(index.exists());
    assert_eq!(history(&scratch, ""), of_history, "writes the index");
    assert!(facts.exists());
    assert_eq!(history(&scratch, ""), of_history, "from the index");
    assert_eq!(listed(), first, "from the index");
    for index in [&index, &facts] {
        let whole = fs::read(index).expect("an index");
        // Damage at any place, other texts, and other files in its place.
        let mut damaged = whole.clone();
        for at in (0..damaged.len()).step_by(97) {
            damaged[at] ^= 1;
        }
        let text = String::from_utf8(whole.clone()).expect("text");
        let swapped = text.replace("2026-01", "2027-01");
        assert_ne!(swapped, text);
        for content in [
            damaged.as_slice(),
            &whole[..whole.len() / 2],
            b"",
            b"\xff\xfe\n\n\t\t\n",
            swapped.as_bytes(),
        ] {
            fs::write(index, content).expect("another index");
            assert_eq!(history(&scratch, ""), of_history);
            assert_eq!(listed(), first);
        }
        fs::remove_file(index).expect("the index");
        fs::create_dir(index).expect("a directory in its place");
        assert_eq!(history(&scratch, ""), of_history);
        assert_eq!(listed(), first);
        fs::remove_dir(index).expect("a directory");
    }

    // The result file of a run is replaced.
    write(&root, &template, 5, Day { app: 3.0, ..day });
    let found = history(&scratch, "");
    let points = only(&found, "app")["points"]
        .as_array()
        .expect("points")
        .clone();
    let changed = points
        .iter()
        .find(|point| point["run"] == name_of(5))
        .expect("the run");
    assert!(changed["value"]["value"].as_f64() > Some(2.5), "{changed}");
    assert_eq!(changed["outlier"], true);
}

/// Writes a run with the first part of a result.
fn listed_run(root: &Path, day: &str, trust: &str, targets: [&str; 2], kind: &str) {
    let run = root.join(format!("{day}T120000-{kind}"));
    fs::create_dir_all(&run).expect("a directory");
    fs::write(run.join("plan.toml"), PLAN).expect("a plan");
    fs::write(run.join("intervals.jsonl"), [b' '; 4_096]).expect("measurements");
    let operation = json!({"operation": "put", "interface": "PutObject", "share": 1.0});
    let subject = json!({
        "kind": kind, "operations": [operation], "object_bytes": null, "objects": null,
        "part_bytes": null,
    });
    let result = json!({
        "schema": "tenbin.result/1",
        "run": {
            "id": kind, "directory": kind, "name": kind, "complete": true, "planned_slices": 2,
            "started": format!("{day}T12:00:00Z"), "seed": 1, "threads": 1, "rounds": 2,
            "slice_seconds": 1.0, "warmup_seconds": 0.0,
        },
        "trust": trust,
        "verdicts": ["a verdict"],
        "results": [{"skipped": [1, 2, {"deep": null}]}],
        "targets": targets.map(|name| json!({"name": name, "description": ""})),
        "workloads": [{
            "name": "w", "description": "", "load": "", "closed_loop": true, "connections": 1,
            "rate": null, "subject": subject,
        }],
        "slices": [],
    });
    // The order of a result file.
    let members = [
        "schema", "run", "trust", "verdicts", "results", "targets", "workloads", "slices",
    ];
    let members = members.map(|name| format!("{:?}: {}", name, result[name]));
    let text = format!("{{{}}}", members.join(", "));
    fs::write(run.join("result.json"), text).expect("a result");
    if trust == "valid" {
        fs::write(run.join("label.txt"), "Before-Upgrade").expect("a label");
    }
}

#[test]
fn a_run_is_found_by_its_name_if_no_other_run_has_that_name() {
    let scratch = Scratch::new("run-names");
    for name in [
        "2026-01-01T120000-day", "2026-01-02T120000-day", "2026-01-02T120000-night",
    ] {
        let run = scratch.path().join("runs").join(name);
        fs::create_dir_all(&run).expect("a run");
        fs::write(run.join("plan.toml"), "").expect("a plan");
    }
    tenbin(&scratch, "note night seen")
        .expect_code(0)
        .expect_stderr("note of run 2026-01-02T120000-night: seen");
    tenbin(&scratch, "note day seen")
        .expect_code(2)
        .expect_stderr(
            "called \"day\", newest first: 2026-01-02T120000-day, 2026-01-01T120000-day;",
        );
    for command in ["note nigth seen", "show nigth"] {
        tenbin(&scratch, command)
            .expect_code(2)
            .expect_stderr("run nigth not found")
            .expect_stderr("; did you mean night?");
    }
    tenbin(&scratch, "show nigth --lang ja").expect_stderr("。night ではないか");
}

#[test]
fn a_list_has_targets_question_and_size() {
    let scratch = Scratch::new("list-columns");
    let root = scratch.path().join("runs");
    listed_run(&root, "2026-01-01", "valid", ["nginx", "caddy"], "http");
    listed_run(&root, "2026-01-02", "suspect", ["minio", "garage"], "s3");
    let all = tenbin(&scratch, "list");
    all.expect_code(0);
    let lines: Vec<&str> = all.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{}", all.stdout);
    let expected = [
        ["targets", "question", "size"],
        ["minio, garage", "s3 put", " KiB"],
        ["nginx, caddy", "http put", " KiB"],
    ];
    for (line, parts) in lines.iter().zip(expected) {
        for part in parts {
            assert!(line.contains(part), "{part} is missing in {line}");
        }
    }
    let row = tenbin(&scratch, "list --json --label upgrade");
    let rows: Value = serde_json::from_str(&row.stdout).expect("rows");
    assert_eq!(rows[0]["targets"], json!(["nginx", "caddy"]));
    assert_eq!(rows[0]["question"], json!(["http put"]));
    let files = fs::read_dir(root.join("2026-01-01T120000-http")).expect("a run");
    let lengths = files.map(|file| file.expect("a file").metadata().expect("a length").len());
    let before: u64 = lengths.sum();
    assert_eq!(rows[0]["bytes"], json!(before));
    // Only other files than the result change.
    let run = root.join("2026-01-01T120000-http");
    fs::write(run.join("intervals.jsonl"), [b' '; 9_096]).expect("measurements");
    for list in [
        "list --json", "list --json --all", "list --json --label upgrade",
    ] {
        let rows = tenbin(&scratch, list);
        let rows: Value = serde_json::from_str(&rows.stdout).expect("rows");
        let mut rows = rows.as_array().expect("rows").iter();
        let row = rows.find(|row| row["question"] == json!(["http put"]));
        assert_eq!(
            row.expect("the run")["bytes"],
            json!(before + 5_000),
            "{list}"
        );
    }
}

#[test]
fn the_filters_of_a_list_combine() {
    let scratch = Scratch::new("list-filters");
    let root = scratch.path().join("runs");
    listed_run(&root, "2026-01-01", "valid", ["nginx", "caddy"], "http");
    listed_run(&root, "2026-01-02", "suspect", ["minio", "garage"], "s3");
    listed_run(&root, "2026-01-03", "invalid", ["nginx", "garage"], "s3");
    let days = |filter: &str| -> Vec<String> {
        let run = tenbin(&scratch, &format!("list --json {filter}"));
        run.expect_code(0);
        let rows: Vec<Value> = serde_json::from_str(&run.stdout).expect("rows");
        let started = rows.iter().filter_map(|row| row["started"].as_str());
        started.map(|text| text[8..10].to_owned()).collect()
    };
    assert_eq!(days(""), ["03", "02", "01"]);
    assert_eq!(days("--target nginx"), ["03", "01"]);
    assert_eq!(days("--kind s3"), ["03", "02"]);
    assert_eq!(days("--since 2026-01-02"), ["03", "02"]);
    assert_eq!(days("--label upgrade"), ["01"]);
    assert_eq!(days("--trust suspect"), ["02"]);
    assert_eq!(days("--target nginx --kind s3"), ["03"]);
    assert_eq!(days("--target nginx --kind s3 --trust valid"), [""; 0]);
    assert_eq!(days("--target ngin"), [""; 0], "the beginning of a name");
}

#[test]
fn a_killed_run_in_a_renamed_directory_has_the_day_of_its_plan() {
    let scratch = Scratch::new("list-renamed");
    let run = scratch.path().join("runs/renamed");
    fs::create_dir_all(&run).expect("a directory");
    let plan = fs::File::create(run.join("plan.toml")).expect("a plan");
    // 2026-01-10T00:00:00Z.
    let written = std::time::UNIX_EPOCH + Duration::from_secs(1_768_003_200);
    plan.set_modified(written).expect("a time");
    let listed = |since: &str| {
        let list = tenbin(&scratch, &format!("list --since {since}"));
        list.expect_code(0);
        list.stdout.contains("renamed")
    };
    assert!(listed("2026-01-10"));
    assert!(!listed("2026-01-11"));
}

#[test]
fn no_text_of_a_run_makes_the_list_wide() {
    let scratch = Scratch::new("list-wide");
    let root = scratch.path().join("runs");
    let long = "x".repeat(100_000);
    listed_run(&root, "2026-01-01", "valid", ["nginx", "caddy"], "http");
    listed_run(&root, "2026-01-02", "suspect", ["nginx", &long], "http");
    let label = root.join("2026-01-02T120000-http").join("label.txt");
    fs::write(label, &long).expect("a label");
    let all = tenbin(&scratch, "list");
    all.expect_code(0);
    let widest = all.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest < Some(1_000), "{widest:?}");
    assert!(all.stdout.contains("nginx, xxx"), "{all}");
}

#[test]
fn a_list_that_ends_before_the_oldest_run_writes_no_index() {
    let scratch = Scratch::new("list-part");
    let root = scratch.path().join("runs");
    for number in 0..40 {
        let day = format!("2026-{:02}-{:02}", 1 + number / 28, 1 + number % 28);
        // Valid runs have a label: the newest 12 runs have none.
        let trust = if number < 28 { "valid" } else { "suspect" };
        listed_run(&root, &day, trust, ["nginx", "caddy"], "http");
    }
    // The results are old enough for an index.
    std::thread::sleep(Duration::from_millis(2_200));
    let part = tenbin(&scratch, "list --label upgrade");
    part.expect_code(0);
    assert!(part.stderr.contains("the newest 20 are"), "{}", part.stderr);
    let index = root.join(".tenbin-list");
    assert!(!index.exists(), "an index of a part of the runs");
    tenbin(&scratch, "list --label upgrade --all").expect_code(0);
    assert!(index.exists());
}

#[test]
fn a_list_without_a_fitting_run_says_so_and_unknown_values_are_refused() {
    let scratch = Scratch::new("list-refused");
    let root = scratch.path().join("runs");
    listed_run(&root, "2026-01-01", "valid", ["nginx", "caddy"], "http");
    let none = tenbin(&scratch, "list --target other");
    none.expect_code(0);
    assert_eq!(none.stdout, "");
    let note = "no run is like this";
    assert!(none.stderr.contains(note), "{}", none.stderr);
    for (wrong, said) in [
        ("--kind ftp", "ftp"),
        ("--trust good", "good"),
        ("--since yesterday", "\"yesterday\" is no day"),
        ("--since 2026-02-40", "\"2026-02-40\" is no day"),
    ] {
        let refused = tenbin(&scratch, &format!("list {wrong}"));
        refused.expect_code(2);
        assert!(refused.stderr.contains(said), "{wrong}: {}", refused.stderr);
    }
}
