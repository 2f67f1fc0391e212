//! Concurrency sweeps with drnbench's command line, on a real Groonga.

mod common;

use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use common::groonga::{PAGES_SCHEMA, pages};
use common::{Broadcast, Groonga, Outcome, Scratch, Tenbin, search_path};

/// Time limit of a command on a busy machine.
const LIMIT: Duration = Duration::from_secs(180);

const COLUMNS: [&str; 6] = [
    "n_clients", "total_n_requests", "queries_per_second", "min_elapsed_time", "max_elapsed_time",
    "average_elapsed_time",
];

fn tenbin(scratch: &Scratch, line: &str) -> Outcome {
    Tenbin::new(scratch, line.split_whitespace())
        .within(LIMIT)
        .run()
}

/// Fails unless the run was measured; exit code 6 means INVALID, for example on a busy machine.
#[track_caller]
fn expect_measured(run: &Outcome) {
    run.expect_measured();
}

/// Creates a file of paths whose searches find one page each.
fn patterns(scratch: &Scratch) -> String {
    let path = "/d/select?table=Pages&match_columns=title,text&output_columns=_key&query=page";
    let paths: String = (1..=40).map(|page| format!("{path}{page}x\n")).collect();
    scratch.write("patterns.txt", paths)
}

fn read(scratch: &Scratch, name: &str) -> String {
    std::fs::read_to_string(scratch.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Checks the rows of a file in drnbench's format, with wide limits for a busy machine; `wait` in
/// seconds.
fn checked_rows(text: &str, clients: &[f64], wait: f64) {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().expect("a head").split(',').collect();
    assert_eq!(head[..6], COLUMNS, "{text}");
    let (statuses, trust) = head[6..].split_at(head.len() - 7);
    assert_eq!(trust, ["tenbin trust"], "{text}");
    assert!(statuses.contains(&"200") && statuses.is_sorted(), "{text}");
    let rows: Vec<Vec<f64>> = lines
        .map(|line| {
            let (cells, trust) = line.rsplit_once(',').expect("several columns");
            assert!(trust.starts_with("tenbin trust: "), "{text}");
            let cells = cells.split(',');
            let numbers =
                cells.map(|cell| cell.parse().unwrap_or_else(|_| panic!("{cell}: {text}")));
            numbers.collect()
        })
        .collect();
    let levels: Vec<f64> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(levels, clients, "{text}");
    for row in &rows {
        assert_eq!(row.len() + 1, head.len(), "{text}");
        let (total, rate) = (row[1], row[2]);
        let (min, max, average) = (row[3], row[4], row[5]);
        assert!(total > 0.0 && rate > 0.0, "{text}");
        assert!(0.0 < min && min <= max && min <= average, "{text}");
        let shares: f64 = row[6..].iter().sum();
        assert!((shares - 100.0).abs() < 1e-6, "{text}");
        // On a busy machine, clients wait longer than `wait` before the next request.
        let little = rate * (average + wait) / row[0];
        assert!(
            (0.05..2.0).contains(&little),
            "Little's law {little}: {text}"
        );
    }
}

#[test]
fn the_tutorials_line_runs_as_written() {
    let scratch = Scratch::new("drnbench-tutorial");
    let commands = PAGES_SCHEMA.to_owned() + &pages(40);
    let one = Groonga::at(&scratch, "127.0.0.1", &commands);
    let two = one.beside(&scratch, "127.0.0.2", &commands);
    patterns(&scratch);
    let tool = "drnbench-request-response";
    symlink(env!("CARGO_BIN_EXE_tenbin"), scratch.join(tool)).expect("a link");
    let path = std::iter::once(scratch.path().to_owned());
    let path: Vec<PathBuf> = path.chain(std::env::split_paths(&search_path())).collect();
    let script = format!(
        "drnbench-request-response \
            --step=2 \
            --start-n-clients=0 \
            --end-n-clients=6 \
            --duration=1 \
            --interval=0.1 \
            --request-patterns-file=$PWD/patterns.txt \
            --default-hosts=127.0.0.1,127.0.0.2 \
            --default-port={} \
            --output-path=$PWD/groonga-result.csv",
        two.port()
    );
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(scratch.path())
        .env("PATH", std::env::join_paths(path).expect("a search path"))
        .env(scratch.mark().0, scratch.mark().1)
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        matches!(output.status.code(), Some(0 | 6)),
        "{said}{complaint}"
    );
    for part in [
        "1 client:\nTotal requests: ",
        "6 clients:\nTotal requests: ",
        " queries per second)\nStatus:\n  200: ",
        "Top 5 slow requests:\n [time: method status index url]\n",
        "Top 5 fast requests:\n",
        " sec: GET 200 ",
        " http://127.0.0.",
        // The figures that the tutorial uses to check a step.
        "\nCache hits of the server: ",
        " lookups\nCPU of the server: ",
        " % (100 % is one core)\n",
        "\nVerdict  ",
        "\nRun      runs/",
    ] {
        assert!(said.contains(part), "{part:?} is not in:\n{said}");
    }
    assert!(!said.contains("not observed"), "{said}");
    let file = read(&scratch, "groonga-result.csv");
    checked_rows(&file, &[1.0, 2.0, 4.0, 6.0], 0.01);
    for groonga in [&one, &two] {
        assert!(groonga.query_log().contains(">/d/select?"), "it was asked");
    }
    // `show` and `compare` read Tenbin's file like a file of drnbench.
    let shown = tenbin(&scratch, "show groonga-result.csv");
    expect_measured(&shown);
    shown.expect_stdout("Little's law");
    // One run per side cannot decide the comparison. On a busy machine the rows may violate Little's
    // law: `show` and `compare` then both report INVALID.
    let is_invalid = shown.code == Some(6);
    tenbin(&scratch, "compare groonga-result.csv groonga-result.csv")
        .expect_code(if is_invalid { 6 } else { 8 })
        .expect_stdout("6 clients");
}

#[test]
fn a_ramp_weighs_two_servers_and_draws_them_in_one_chart() {
    let scratch = Scratch::new("drnbench-ramp");
    let left = Groonga::with_pages(&scratch, 40);
    let right = Groonga::with_pages(&scratch, 40);
    patterns(&scratch);
    let run = tenbin(
        &scratch,
        &format!(
            "search ramp --target {} --target {} --patterns patterns.txt --hits groonga \
             --start-n-clients 0 --end-n-clients 4 --step 2 --wait 5ms --rounds 2 --slice 800ms \
             --interval 10ms --warmup 0s --seed 3 --output-path result.csv",
            left.target("left"),
            right.target("right")
        ),
    );
    expect_measured(&run);
    run.expect_stderr("left-result.csv");
    for side in ["left", "right"] {
        let file = read(&scratch, &format!("{side}-result.csv"));
        checked_rows(&file, &[1.0, 2.0, 4.0], 0.005);
    }
    let runs = std::fs::read_dir(scratch.path().join("runs")).expect("runs");
    let directory = runs.map(|run| run.expect("an entry").file_name()).max();
    let directory = format!("runs/{}", directory.expect("a run").to_string_lossy());

    let table = read(&scratch, &format!("{directory}/ramp.csv"));
    let columns = table.lines().next().expect("a head").split(',').count();
    assert_eq!(table.lines().count(), 1 + 2 * 3, "{table}");
    for row in table.lines().skip(1) {
        assert_eq!(row.split(',').count(), columns, "{table}");
    }
    assert!(table.contains("\nsearch,right,search-c4,4,"), "{table}");
    for chart in ["ramp-throughput.svg", "ramp-latency.svg"] {
        let svg = read(&scratch, &format!("{directory}/{chart}"));
        assert!(
            svg.starts_with("<svg ") && svg.ends_with("</svg>\n"),
            "{svg}"
        );
        assert!(svg.contains(">left") && svg.contains(">right"), "{svg}");
    }
    expect_the_same_figures(&scratch, &directory);

    // `show` creates the same file from the run, without the pattern file.
    std::fs::remove_file(scratch.join("patterns.txt")).expect("the patterns");
    let shown = tenbin(&scratch, &format!("show {directory} --drnbench again.csv"));
    assert_eq!(shown.stdout, run.stdout, "show prints what the run printed");
    assert_eq!(
        read(&scratch, "right-again.csv"),
        read(&scratch, "right-result.csv")
    );
}

/// Checks that the charts of a run have the figures of its `ramp.csv`, and that drnbench's files
/// have the same throughput in rows without failures.
fn expect_the_same_figures(scratch: &Scratch, directory: &str) {
    let table = read(scratch, &format!("{directory}/ramp.csv"));
    let head: Vec<&str> = table.lines().next().expect("a head").split(',').collect();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip(1)
        .map(|row| row.split(',').collect())
        .collect();
    let cell = |row: &[&str], name: &str| {
        let at = head.iter().position(|column| *column == name);
        row[at.expect(name)].to_owned()
    };
    let told = |figure: &str| {
        let known = rows.iter().filter(|row| !cell(row, figure).is_empty());
        let rows = known.map(|row| {
            let clients = cell(row, "clients");
            let plural = if clients == "1" { "" } else { "s" };
            let ends = ["low", "high"].map(|end| cell(row, &format!("{figure}_{end}")));
            let ends = match ends {
                [low, high] if !low.is_empty() => format!(" ({low}–{high})"),
                _ => String::new(),
            };
            format!(
                "{}, {clients} client{plural}: {}{ends}",
                cell(row, "target"),
                cell(row, figure)
            )
        });
        rows.collect::<Vec<String>>()
    };
    let points = |chart: &str| {
        let svg = read(scratch, &format!("{directory}/{chart}.svg"));
        let titles = svg.split("<title>").skip(1);
        let titles = titles.filter_map(|rest| Some(rest.split_once("</title>")?.0.to_owned()));
        titles
            .filter(|title| !title.starts_with("knee"))
            .collect::<Vec<String>>()
    };
    assert_eq!(points("ramp-throughput"), told("throughput"), "{table}");
    let times = [told("p50"), told("p99")].concat();
    assert_eq!(points("ramp-latency"), times, "{table}");
    for row in rows.iter().filter(|row| cell(row, "failed") == "0") {
        let file = read(scratch, &format!("{}-result.csv", cell(row, "target")));
        let begin = format!("{},", cell(row, "clients"));
        let step = file.lines().find(|line| line.starts_with(&begin));
        let rate = step.and_then(|line| line.split(',').nth(2)?.parse::<f64>().ok());
        let own: f64 = cell(row, "throughput").parse().expect("a number");
        let rate = rate.expect("a rate");
        assert!((rate / own - 1.0).abs() < 1e-9, "{rate} {own}: {file}");
    }
}

#[test]
fn rates_are_levels_too() {
    let scratch = Scratch::new("drnbench-rates");
    let groonga = Groonga::with_pages(&scratch, 40);
    patterns(&scratch);
    let run = tenbin(
        &scratch,
        &format!(
            "search ramp --target {} --observe groonga=name:groonga --patterns patterns.txt \
             --cache-counters groonga=groonga --rate 40/s,80/s,40 --rounds 6 --slice 400ms \
             --interval 10ms --warmup 0s --json",
            groonga.target("groonga")
        ),
    );
    expect_measured(&run);
    let result: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let results = result["results"].as_array().expect("results");
    let names = results.iter().map(|one| one["workload"].as_str());
    let names: Vec<&str> = names.map(|name| name.expect("a name")).collect();
    assert_eq!(names, ["search-40ps", "search-80ps"]);
    for (one, rate) in results.iter().zip([40.0, 80.0]) {
        let reached = one["throughput"]["value"].as_f64().expect("a rate");
        assert!((reached / rate - 1.0).abs() < 0.3, "{rate}: {one}");
        // Lookups are counted without a forecast of the hit ratio.
        assert!(one["cache"]["lookups"].as_u64() > Some(0), "{one}");
        assert!(one["cache"]["forecast"].is_null(), "{one}");
    }
    tenbin(
        &scratch,
        &format!(
            "search ramp --target {} --patterns patterns.txt --rate 40/s --clients 1..8",
            groonga.target("groonga")
        ),
    )
    .expect_code(2)
    .expect_stderr("with --rate it is one number");
}

#[test]
fn a_server_that_refuses_everything_is_quoted() {
    let scratch = Scratch::new("drnbench-words");
    let groonga = Groonga::with_pages(&scratch, 5);
    scratch.write("wrong.txt", "/d/select?table=Nope\n");
    let run = tenbin(
        &scratch,
        &format!(
            "drnbench-request-response --request-patterns-file=wrong.txt --end-n-clients=1 \
             --duration=1 --default-hosts=127.0.0.1 --default-port={} --output-path=x.csv",
            groonga.port()
        ),
    );
    run.expect_code(4)
        .expect_stderr("gave no correct response in a whole slice")
        .expect_stderr("[select][table] invalid name: <Nope>");
}

#[test]
fn clients_that_drnbench_rounded_up_make_the_file_invalid() {
    let scratch = Scratch::new("drnbench-import");
    let head = COLUMNS.join(",");
    let rows = "\
4,3559,118.63333333333334,0.001531,0.394734,0.023357554419499882,100.0
6,4540,151.33333333333334,0.001540,0.501619,0.042344890696916264,100.0
8,4247,141.56666666666666,0.001501,0.577101,0.045836844514480835,100.0
";
    scratch.write("published.csv", format!("{head},200\n{rows}"));
    tenbin(&scratch, "show published.csv")
        .expect_code(6)
        .expect_stdout("more clients sent requests than the rows say: 6 (estimate: 8)");
    scratch.write("garbled.csv", format!("{head},200\n6,4540\n"));
    tenbin(&scratch, "show garbled.csv")
        .expect_code(2)
        .expect_stderr("line 2: it has 2 columns, and the first line has 7");
    tenbin(&scratch, "show published.csv --json")
        .expect_code(2)
        .expect_stderr("--json is for runs");
}

#[test]
fn files_and_runs_lie_over_each_other_in_one_chart() {
    let scratch = Scratch::new("drnbench-chart");
    let head = COLUMNS.join(",");
    for (name, rate) in [("groonga-result", 150.0), ("droonga-result-3nodes", 430.0)] {
        let row = |clients: u32| format!("{clients},4500,{rate:?},0.001,0.5,0.02,100.0\n");
        let text = format!("{head},200\n{}{}", row(4), row(8));
        scratch.write(&format!("{name}.csv"), text);
    }
    tenbin(
        &scratch,
        "chart --out nodes groonga-result.csv droonga-result-3nodes.csv",
    )
    .expect_code(0)
    .expect_stderr("written: nodes.svg");
    let read = |name: &str| std::fs::read_to_string(scratch.join(name)).expect(name);
    let csv = read("nodes.csv");
    assert!(csv.contains(",groonga-result,,4,150,,,0.02,,"), "{csv}");
    assert!(
        csv.contains(",droonga-result-3nodes,,8,430,,,0.02,,"),
        "{csv}"
    );
    let svg = read("nodes.svg");
    assert!(
        svg.contains("Throughput") && svg.contains("droonga-result-3nod"),
        "{svg}"
    );
    scratch.write("other.txt", "no table");
    tenbin(&scratch, "chart other.txt")
        .expect_code(2)
        .expect_stderr("other.txt: neither a run directory nor a result file of drnbench");
}

#[test]
fn what_cannot_be_done_is_refused_with_a_sentence() {
    let scratch = Scratch::new("drnbench-refused");
    patterns(&scratch);
    let tool = "drnbench-request-response --request-patterns-file=patterns.txt";
    tenbin(&scratch, &format!("{tool} --mode=http-droonga"))
        .expect_code(2)
        .expect_stderr("only http is supported");
    tenbin(&scratch, &format!("{tool} --output-path=nowhere/x.csv"))
        .expect_code(2)
        .expect_stderr("name a file that can be written");
    tenbin(&scratch, "search ramp --target http://127.0.0.1:9/")
        .expect_code(2)
        .expect_stderr("--clients 1..16, --end-n-clients 20");
    // No server listens on this port.
    let port = common::free_port();
    let line = format!(
        "{tool} --default-hosts=127.0.0.1 --default-port={port} --duration=1 --output-path=x.csv"
    );
    tenbin(&scratch, &line).expect_code(3);
    assert!(!PathBuf::from(scratch.join("x.csv")).exists());
}

#[test]
fn messages_are_counted_at_every_subscriber() {
    let scratch = Scratch::new("drnbench-pubsub");
    let server = Broadcast::start(0);
    let run = tenbin(
        &scratch,
        &format!(
            "drnbench-publish-subscribe --start-n-subscribers=4 --n-steps=3 --n-publishings=40 \
             --timeout=30 --hosts={} --output-path=feeds.csv",
            server.host()
        ),
    );
    run.expect_code(0).expect_stdout("16 subscribers: ");
    let slow: Vec<&str> = run
        .stdout
        .lines()
        .filter(|line| line.starts_with("  slow message "))
        .collect();
    assert_eq!(slow.len(), 3 * 5, "{run}");
    for line in slow {
        let times = line.split(" after ").skip(1).filter_map(|rest| {
            let (time, _) = rest.split_once(" ms")?;
            time.parse::<f64>().ok()
        });
        let times: Vec<f64> = times.collect();
        assert_eq!(times.len(), 3, "last, first and accepted: {line}");
        assert!(times[0] >= times[1] && times[1] > 0.0, "{line}");
    }
    run.expect_silence_about("failed message");
    let file = read(&scratch, "feeds.csv");
    let rows: Vec<(&str, f64)> = file
        .lines()
        .skip(1)
        .filter_map(|line| {
            let (case, rate) = line.split_once(',')?;
            Some((case, rate.parse().ok()?))
        })
        .collect();
    let cases: Vec<&str> = rows.iter().map(|(case, _)| *case).collect();
    assert!(file.starts_with("case,qps\n"), "{file}");
    assert_eq!(cases, ["4 subscribers", "8 subscribers", "16 subscribers"]);
    assert!(rows.iter().all(|(_, rate)| *rate > 0.0), "{file}");
}

#[test]
fn lost_messages_are_told_and_are_no_throughput() {
    let scratch = Scratch::new("drnbench-lost");
    let server = Broadcast::start(10);
    let line = "drnbench-publish-subscribe --start-n-subscribers=2 --n-steps=1 --n-publishings=40";
    tenbin(
        &scratch,
        &format!(
            "{line} --timeout=2 --hosts={} --output-path=x.csv",
            server.host()
        ),
    )
    .expect_code(6)
    .expect_stdout(" messages were lost")
    .expect_stdout("failed message 9: received by 1 of 2 subscribers")
    .expect_stdout("failed message 39: ")
    .expect_stderr("some messages were lost, duplicated or refused");
    let nobody = format!("127.0.0.1:{}", common::free_port());
    tenbin(
        &scratch,
        &format!("{line} --hosts={nobody} --output-path=y.csv"),
    )
    .expect_code(3)
    .expect_stderr("no subscriber could be connected");
    assert!(!PathBuf::from(scratch.join("y.csv")).exists());
}
