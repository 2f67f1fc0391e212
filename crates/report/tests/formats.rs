//! Checks the table of formats and every file written in a format.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[allow(dead_code, reason = "made for all tests")]
mod made_up;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tenbin_report::formats::fronts::warp;
use tenbin_report::formats::{Content, FORMATS, Format, format, read_bytes, reported_bytes};
use tenbin_report::{Results, against};
use tenbin_result::{Severity, Trust};
use tenbin_verdict::Measure;
use tenbin_verdict::lint::{Files, lint};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn every_format_is_in_the_table_once() {
    let unique = |of: fn(&Format) -> &'static str| -> BTreeSet<&str> {
        FORMATS.iter().map(|format| of(format)).collect()
    };
    assert_eq!(unique(|it| it.name).len(), FORMATS.len(), "names");
    assert_eq!(unique(|it| it.file).len(), FORMATS.len(), "files");
    for each in FORMATS {
        assert_eq!(format(each.name).unwrap().file, each.file);
        assert!(each.read.is_some() || each.write.is_some(), "{}", each.name);
        assert!(!each.kept || each.write.is_some(), "{}", each.name);
        // A help line has at most 100 columns, 19 of them for the name.
        assert!(
            each.about.len() <= 81,
            "{} is too long: {}",
            each.name,
            each.about.len()
        );
    }
    let declared: usize = sources(&here("src/formats"))
        .iter()
        .map(|file| {
            fs::read_to_string(file)
                .unwrap()
                .matches(": Format =")
                .count()
        })
        .sum();
    assert_eq!(declared, FORMATS.len(), "a format is not in the table");
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                sources(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// Run with `TENBIN_UPDATE=1` to update the table in the docs.
#[test]
fn the_page_of_formats_has_the_table() {
    let page = here("../../docs/formats.md");
    let text = fs::read_to_string(&page).unwrap();
    let head = "| format | what it is | file in the run directory | read | written |\n\
                |---|---|---|---|---|\n";
    let rows = FORMATS.iter().map(|format| {
        let word = |yes: bool| if yes { "yes" } else { "" };
        let written = match (&format.write, format.kept) {
            (None, _) => "",
            (Some(_), true) => "always",
            (Some(_), false) => "with `--export`",
        };
        let file = match format.write {
            Some(_) => format!("`{}`", format.file),
            None => String::new(),
        };
        format!(
            "| `{}` | {} | {file} | {} | {written} |\n",
            format.name,
            format.about,
            word(format.read.is_some())
        )
    });
    let table: String = std::iter::once(head.to_owned()).chain(rows).collect();
    let start = text.find("| format |").unwrap();
    let end = start + text[start..].find("\n\n").unwrap() + 1;
    if std::env::var_os("TENBIN_UPDATE").is_some() {
        fs::write(&page, format!("{}{table}{}", &text[..start], &text[end..])).unwrap();
        return;
    }
    assert_eq!(&text[start..end], table, "TENBIN_UPDATE=1 writes the table");
}

/// A file in each readable format.
fn examples() -> Vec<(&'static str, Vec<u8>)> {
    let written = |name: &'static str, run: made_up::Run| {
        let mut parts = run.written(name).unwrap();
        (name, parts.remove(0).content)
    };
    let fixture = |name: &'static str, file: &str| {
        let packed = fs::read(here("tests/fixtures/warp").join(file)).unwrap();
        (name, zstd::decode_all(packed.as_slice()).unwrap())
    };
    let recorded = |name: &'static str, file: &str| {
        (name, fs::read(here("tests/fixtures").join(file)).unwrap())
    };
    vec![
        written("json", made_up::pair()),
        written("go", made_up::pair()),
        written("hsbench", made_up::pair()),
        written("drnbench", made_up::suite()),
        fixture("warp-csv", "warp-put-full-cut.csv.zst"),
        recorded("warp", "s3/warp-put.txt"),
        recorded("hsbench-csv", "s3/hsbench.csv"),
        recorded("hsbench-json", "s3/hsbench.json"),
        recorded("wrk", "http/wrk-latency.txt"),
        recorded("ab", "http/ab-close.txt"),
        ("ab-csv", b"Percentage served,Time in ms\n".to_vec()),
        (
            "ab-tsv",
            b"starttime\tseconds\tctime\tdtime\tttime\twait\n\
              Sun Nov 29 10:42:57 2026\t1795948977\t0\t5\t5\t4\n"
                .to_vec(),
        ),
        recorded("oha", "http/oha.json"),
        recorded("h2load", "http/h2load.txt"),
        recorded("hey", "http/hey.txt"),
        recorded("hey-csv", "recorded/hey.csv"),
        recorded("vegeta-csv", "recorded/vegeta-requests.csv"),
        recorded("vegeta-json-lines", "recorded/vegeta-requests.json"),
        recorded("vegeta-hdrplot", "recorded/vegeta-hdrplot.txt"),
        recorded("vegeta-hist", "recorded/vegeta-hist.txt"),
        recorded("jmeter-csv", "written/jmeter.csv"),
        recorded("jmeter-xml", "written/jmeter.xml"),
        recorded("gatling-log", "written/gatling-3.9.log"),
        recorded("vegeta", "http/vegeta.txt"),
        recorded("vegeta-json", "http/vegeta.json"),
        fixture("warp-json", "warp-put.json.zst"),
        recorded("vegeta-binary", "recorded/vegeta.bin"),
        recorded("k6", "recorded/k6-v1.txt"),
        recorded("k6-json", "recorded/k6-summary-export.json"),
        recorded("k6-stream", "recorded/k6-stream.json"),
        recorded("k6-csv", "recorded/k6-stream.csv"),
        recorded("fortio", "recorded/fortio.json"),
        recorded("bombardier", "recorded/bombardier.txt"),
        recorded("bombardier-json", "recorded/bombardier-intro.json"),
        recorded("autocannon", "recorded/autocannon.json"),
        recorded("artillery", "recorded/artillery.json"),
        recorded("hyperfine", "recorded/hyperfine.json"),
        recorded("fio", "recorded/fio-plus.json"),
        recorded("pgbench", "recorded/pgbench.txt"),
        recorded("sysbench", "recorded/sysbench-cpu.txt"),
        recorded("locust", "written/locust_stats.csv"),
        recorded("locust-history", "written/locust_stats_history.csv"),
        recorded("gatling", "written/gatling-table.txt"),
        recorded("gatling-json", "written/gatling-stats.json"),
        recorded("rally", "written/rally.csv"),
        recorded("rally-json", "written/race.json"),
        recorded("elbencho", "written/elbencho.csv"),
        recorded("elbencho-json", "written/elbencho.json"),
        recorded("go-json", "written/go-test.json"),
        written("hlog", made_up::pair()),
        written("hgrm", made_up::pair()),
    ]
}

#[test]
fn a_file_is_recognised_as_one_format_only() {
    let examples = examples();
    let names: BTreeSet<&str> = examples.iter().map(|(name, _)| *name).collect();
    let readable = FORMATS.iter().filter(|format| format.read.is_some());
    assert_eq!(names, readable.map(|format| format.name).collect());
    for (name, content) in examples {
        let mut recognised = Vec::new();
        for format in FORMATS {
            if let Some(reader) = &format.read
                && (reader.recognises)(&content)
            {
                recognised.push(format.name);
            }
        }
        assert_eq!(recognised, [name]);
    }
}

#[test]
fn what_is_written_is_read_again() {
    let both = FORMATS
        .iter()
        .filter(|format| format.read.is_some() && format.write.is_some());
    let mut checked = 0;
    let examples = examples();
    for format in both {
        let (_, content) = examples
            .iter()
            .find(|(name, _)| *name == format.name)
            .unwrap();
        // The example of this format contains only the first line of the file.
        if format.name == "ab-csv" {
            continue;
        }
        let read = read_bytes(format.file, content).unwrap();
        match (format.name, read) {
            ("json", Content::Document(document)) => {
                assert!(*document == made_up::pair().document());
            }
            ("go", Content::Repetitions(series)) => {
                let of = |each: &tenbin_verdict::Series| (each.target.clone(), each.values.len());
                let found: BTreeSet<_> = series.iter().map(of).collect();
                let expected = ["memory", "durable"].map(|name| (Some(name.to_owned()), 16));
                let speeds = series.iter().filter(|each| each.measure == Measure::Rate);
                assert_eq!((speeds.count(), found), (4, expected.into()));
            }
            ("hsbench", Content::Repetitions(series)) => {
                let modes: Vec<&str> = series.iter().map(|each| each.workload.as_str()).collect();
                assert_eq!(modes, ["PUT", "GET"]);
                assert_eq!(series[0].values.len(), 16);
                // A rate per second without decimals.
                assert!((series[0].values[0] / 8_210.0 - 1.0).abs() < 0.02);
            }
            ("drnbench", Content::Steps(steps)) => {
                assert!(
                    steps.text("file").contains("\n16 "),
                    "{}",
                    steps.text("file")
                );
            }
            // Checked with recorded files in tests/foreign.rs.
            (_, Content::Requests(_) | Content::Repetitions(_)) => continue,
            (name, other) => panic!("{name}: {other:?}"),
        }
        checked += 1;
    }
    assert_eq!(checked, 4);
}

#[test]
fn every_format_is_written_or_says_what_the_run_lacks() {
    let runs = [
        ("single", made_up::single()),
        ("pair", made_up::pair()),
        ("suite", made_up::suite()),
        ("invalid", made_up::invalid()),
        ("matrix", made_up::matrix()),
        ("telling", made_up::telling()),
        ("nothing", made_up::nothing()),
        ("hostile", conditional()),
    ]
    .map(|(name, run)| (name, run.document(), run));
    for format in FORMATS.iter().filter(|format| format.write.is_some()) {
        let mut written = 0;
        for (name, document, run) in &runs {
            match run.written_with(document, format.name) {
                Ok(parts) => {
                    written += 1;
                    let names: BTreeSet<&str> = parts.iter().map(|it| &*it.name).collect();
                    assert_eq!(names.len(), parts.len(), "{} of {name}", format.name);
                    for part in parts {
                        let content = part.content;
                        let escape = content.windows(2).any(|two| two == b"\x1b[");
                        assert!(!escape, "{} of {name}", format.name);
                        let secret = content.windows(7).any(|seven| seven == b"hunter2");
                        assert!(!secret, "{} of {name}", format.name);
                    }
                }
                Err(sentence) => {
                    assert!(sentence.len() > 20, "{}: {sentence}", format.name);
                    assert_eq!(sentence.lines().count(), 1, "{sentence}");
                }
            }
        }
        assert!(written > 0, "{} is never written", format.name);
    }
}

/// The pair with names of a target and a workload that contain special characters of many formats.
fn hostile() -> made_up::Run {
    let mut run = made_up::pair();
    let renamed = |name: &mut String| match name.as_str() {
        "durable" => *name = HOSTILE.to_owned(),
        "get-1KiB" => *name = "@get = <b> \"1\"".to_owned(),
        _ => {}
    };
    for target in &mut run.plan.targets {
        renamed(&mut target.name);
    }
    for workload in &mut run.plan.workloads {
        renamed(&mut workload.name);
    }
    for slice in &mut run.slices {
        renamed(&mut slice.target);
        renamed(&mut slice.workload);
    }
    run
}

/// The hostile pair with conditions that are met and conditions that are violated.
fn conditional() -> made_up::Run {
    use tenbin_plan::{Bound, Demand, Expectation, Figure, Relation};

    let mut run = hostile();
    let expect = |demand, rate: &str| Expectation {
        demand,
        target: None,
        workload: None,
        figure: Figure::Throughput,
        relation: Relation::Above,
        bound: Bound::Rate(rate.parse().unwrap()),
    };
    run.plan.comparing.expect = vec![
        expect(Demand::Expect, "5000/s"),
        expect(Demand::FailIf, "1/s"),
    ];
    run
}

const HOSTILE: &str = "=x,\"y\"\n\t<b>&\u{1b}[31m\\";

fn text(run: &made_up::Run, name: &str) -> String {
    let mut parts = run.written(name).unwrap();
    assert_eq!(parts.len(), 1, "{name}");
    String::from_utf8(parts.remove(0).content).unwrap()
}

/// Parses rows of cells according to RFC 4180.
fn cells(csv: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let (mut quoted, mut rest) = (false, csv.chars().peekable());
    while let Some(c) = rest.next() {
        let row = rows.last_mut().unwrap();
        match c {
            '"' if quoted && rest.peek() == Some(&'"') => {
                rest.next();
                row.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\n' if !quoted => rows.push(vec![String::new()]),
            c => row.last_mut().unwrap().push(c),
        }
    }
    assert_eq!(
        rows.pop(),
        Some(vec![String::new()]),
        "a line without its end"
    );
    rows
}

#[test]
fn tables_have_a_row_for_each_slice_and_second_and_no_formula() {
    let run = hostile();
    for (csv, tsv, rows) in [
        ("csv", "tsv", run.slices.len()),
        ("seconds-csv", "seconds-tsv", 2 * run.slices.len()),
    ] {
        let table = cells(&text(&run, csv));
        assert_eq!(table.len(), rows + 1, "{csv}");
        let tabs = text(&run, tsv);
        for (cells, line) in table.iter().zip(tabs.lines()) {
            assert_eq!(cells.len(), table[0].len(), "{cells:?}");
            assert_eq!(cells.join("\t"), line);
            let formula = |cell: &&String| cell.starts_with(['=', '+', '@']);
            assert_eq!(cells.iter().find(formula), None, "{cells:?}");
        }
        let column = |name: &str| table[0].iter().position(|cell| cell == name).unwrap();
        let hostile = "'=x,\"y\"\\u{a}\\u{9}<b>&\\u{1b}[31m\\";
        let target = column("target");
        assert!(
            table.iter().any(|row| row[target] == hostile),
            "{:?}",
            table[2]
        );
        assert!(
            table[1..]
                .iter()
                .all(|row| !row[column("trust")].is_empty())
        );
    }
    let table = cells(&text(&run, "csv"));
    let column = |name: &str| table[0].iter().position(|cell| cell == name).unwrap();
    let document = run.document();
    for (row, slice) in table[1..].iter().zip(&document.slices) {
        let number = |name: &str| row[column(name)].parse::<f64>().ok();
        assert_eq!(number("throughput_per_s"), slice.throughput);
        assert_eq!(number("p99_s"), slice.p99);
        assert_eq!(number("offered_per_s"), None, "unknown is empty");
        assert_eq!(number("ok"), slice.ok.map(|ok| ok as f64));
    }
}

#[test]
fn an_interval_log_holds_every_response() {
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    let run = hostile();
    let log = text(&run, "hlog");
    let (mut count, mut tags) = (0, BTreeSet::new());
    let mut timed = 0;
    for entry in IntervalLogIterator::new(log.as_bytes()) {
        let LogEntry::Interval(interval) = entry.unwrap() else {
            continue;
        };
        let packed = base64::Engine::decode(
            &base64::engine::general_purpose::STANDARD,
            interval.encoded_histogram(),
        )
        .unwrap();
        let histogram: Histogram<u64> = Deserializer::new()
            .deserialize(&mut packed.as_slice())
            .unwrap();
        timed += histogram.len();
        count += 1;
        tags.insert(interval.tag().unwrap().as_str().to_owned());
    }
    let expected: u64 = run
        .slices
        .iter()
        .map(|slice| slice.ops[0].times.service.len())
        .sum();
    assert_eq!((count, timed), (run.slices.len(), expected));
    assert_eq!(tags.len(), 4, "{tags:?}");
    assert!(tags.contains("memory/put-1KiB/PUT"), "{tags:?}");
}

#[test]
fn an_interval_log_is_read_back() {
    let run = made_up::pair();
    let log = text(&run, "hlog");
    let read = |log: &str| match read_bytes("slices.hlog", log.as_bytes()) {
        Ok(Content::Requests(imported)) => Ok(imported),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error.to_string()),
    };
    let imported = read(&log).unwrap();
    assert_eq!(imported.measurements.len(), 4);
    for of in &imported.measurements {
        let mine = run.slices.iter().filter(|slice| {
            of.operation == format!("{}/{}/{}", slice.target, slice.workload, slice.ops[0].name)
        });
        let (count, seconds) = mine.fold((0, 0.0), |(count, seconds), slice| {
            (
                count + slice.ops[0].times.service.len(),
                seconds + slice.end.seconds,
            )
        });
        assert_eq!(of.objects(), Some(count), "{}", of.operation);
        assert!((of.elapsed().unwrap() / seconds - 1.0).abs() < 1e-3);
        assert_eq!((of.ok(), of.known_failed()), (None, None));
    }
    assert_eq!(imported.caveats.len(), 1, "the log says its unit");
    let unknown = read(&log.replace("nanoseconds", "units")).unwrap();
    assert!(unknown.caveats[1].contains("does not say the unit"));
    // Within a line, and with one letter of a histogram changed.
    for at in (log.len() / 2..log.len() - 1).step_by(37) {
        let cut = &log[..at];
        if !cut.ends_with('\n') {
            assert!(read(cut).is_err(), "cut at {at}");
        }
    }
    let last = log.trim_end().len();
    for at in (last - 60..last - 4).step_by(3) {
        let mut altered = log.clone().into_bytes();
        altered[at] = if altered[at] == b'x' { b'y' } else { b'x' };
        let altered = String::from_utf8(altered).unwrap();
        assert!(read(&altered).is_err(), "{at}");
    }
    // Values in microseconds have another longest value.
    let line = log.lines().find(|line| line.starts_with("Tag=")).unwrap();
    let cells: Vec<&str> = line.split(',').collect();
    let longest = format!("{}", cells[3].parse::<f64>().unwrap() * 1e3);
    let other = [cells[0], cells[1], cells[2], &longest, cells[4]].join(",");
    let error = read(&log.replace(line, &other)).unwrap_err();
    assert!(error.contains("the unit is not known"), "{error}");
}

#[test]
fn a_percentile_distribution_is_read_back() {
    for part in made_up::pair().written("hgrm").unwrap() {
        let read = reported_bytes("latency.hgrm", &part.content).unwrap();
        let [of] = read.measurements.as_slice() else {
            panic!("{read:?}");
        };
        let (p50, p99) = (
            of.percentile(0.5).unwrap().time,
            of.percentile(0.99).unwrap().time,
        );
        assert!(p50.from <= p50.to && p50.from <= p99.to, "{p50:?} {p99:?}");
        let mean = of.mean.as_ref().unwrap().value;
        assert!(mean.to <= of.max.as_ref().unwrap().value.to);
        assert_eq!((of.ok(), of.known_failed(), of.speed()), (None, None, None));
        let text = String::from_utf8(part.content).unwrap();
        let short = text.replacen("#[Max", "#[Mox", 1);
        assert!(reported_bytes("x", short.as_bytes()).is_err());
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let without_last_row = lines.len() - 5;
        let rest = [&lines[..without_last_row], &lines[without_last_row + 1..]].concat();
        let error = reported_bytes("x", rest.concat().as_bytes()).unwrap_err();
        assert!(
            error.to_string().contains("do not end with all values"),
            "{error}"
        );
    }
}

/// What Tenbin writes of a run without a finding has none as a file of another tool either.
#[test]
fn lint_finds_nothing_in_exports_of_a_clean_run() {
    let both = FORMATS
        .iter()
        .filter(|format| format.read.is_some() && format.write.is_some() && format.name != "json");
    let both: Vec<&Format> = both.copied().collect();
    let mut read: BTreeSet<&str> = BTreeSet::new();
    for mut run in [made_up::single(), made_up::pair(), made_up::suite()] {
        for slice in &mut run.slices {
            slice.ledger.reused = slice.ops.iter().map(|op| op.counts.ok).sum();
        }
        let mut document = run.document();
        document.trust = Trust::Valid;
        for format in &both {
            for part in run.written_with(&document, format.name).unwrap_or_default() {
                let file = reported_bytes(format.file, &part.content)
                    .unwrap_or_else(|error| panic!("{}: {error}", format.name));
                let findings = lint(&Files {
                    all: &[file],
                    changed: &[],
                });
                assert!(findings.is_empty(), "{}: {findings:#?}", format.name);
                read.insert(format.name);
            }
        }
    }
    assert_eq!(read.len(), both.len(), "{read:?}");
}

/// A file that Tenbin wrote has the trust in the run, whatever its figures would say alone: here,
/// twice the throughput that the connections can carry.
#[test]
fn an_export_is_never_judged_other_than_its_run() {
    let both = FORMATS
        .iter()
        .filter(|format| format.read.is_some() && format.write.is_some() && format.name != "json");
    let both: Vec<&Format> = both.copied().collect();
    let evidence = "other programs used \"12 %\" of 2 cores, [as] measured\nhere";
    for trust in [Trust::Valid, Trust::Suspect, Trust::Invalid] {
        let mut read: BTreeSet<&str> = BTreeSet::new();
        for mut run in [made_up::single(), made_up::pair(), made_up::suite()] {
            for slice in &mut run.slices {
                for op in &mut slice.ops {
                    op.counts.ok *= 2;
                }
            }
            let mut document = run.document();
            document.trust = trust;
            document.findings.truncate(1);
            for finding in &mut document.findings {
                finding.severity = match trust {
                    Trust::Valid => Severity::Note,
                    Trust::Suspect => Severity::Suspect,
                    Trust::Invalid => Severity::Invalid,
                };
                finding.evidence = evidence.to_owned();
            }
            for format in &both {
                for part in run.written_with(&document, format.name).unwrap_or_default() {
                    read.insert(format.name);
                    agrees(format, &part.content, trust);
                }
            }
        }
        assert_eq!(read.len(), both.len(), "{read:?}");
    }
}

/// `lint`, `show` and `compare` on the file say the trust of the run and no other.
fn agrees(format: &Format, content: &[u8], trust: Trust) {
    let name = format.name;
    let file =
        reported_bytes(format.file, content).unwrap_or_else(|error| panic!("{name}: {error}"));
    let judged = file.judged.clone();
    assert_eq!(judged.map(|judged| judged.trust), Some(trust), "{name}");
    let files = [file];
    let findings = lint(&Files {
        all: &files,
        changed: &[],
    });
    let severities = findings.iter().map(|finding| finding.severity.leaves());
    assert_eq!(
        severities.max().unwrap_or_default(),
        trust,
        "{name}: {findings:#?}"
    );
    let others = [Trust::Valid, Trust::Suspect, Trust::Invalid];
    let others: Vec<&str> = others
        .iter()
        .filter(|other| **other != trust)
        .map(|other| other.word())
        .collect();
    let shown = match read_bytes(format.file, content).unwrap() {
        Content::Steps(steps) => {
            assert_eq!(steps.is_trusted(), trust != Trust::Invalid, "{name}");
            Some(steps.text("file"))
        }
        Content::Requests(imported) => Some(warp::analyze(&imported, 1)),
        Content::Repetitions(_) | Content::Document(_) => None,
    };
    if let Some(text) = shown {
        let words: Vec<&str> = text.split(|c: char| !c.is_alphabetic()).collect();
        assert!(words.contains(&trust.word()), "{name}: {text}");
        assert!(
            !others.iter().any(|word| words.contains(word)),
            "{name}: {text}"
        );
    }
    // A file without a throughput is not compared.
    if let Ok(results) = Results::of_file(format.file, content) {
        let doubts = against(&results, &results, &[]).unwrap().doubts;
        let of_file: Vec<Trust> = doubts.iter().map(|doubt| doubt.trust).collect();
        let expected = match trust {
            Trust::Valid => Vec::new(),
            // The file is compared with itself, and told once.
            doubted => vec![doubted],
        };
        assert_eq!(of_file, expected, "{name}");
    }
}

#[test]
fn a_percentile_distribution_ends_with_everything() {
    let parts = hostile().written("hgrm").unwrap();
    assert_eq!(parts.len(), 4);
    for part in &parts {
        let text = std::str::from_utf8(&part.content).unwrap();
        let rows = text.lines().filter(|line| !line.starts_with('#')).skip(2);
        let rows: Vec<Vec<f64>> = rows
            .map(|line| {
                line.split_whitespace()
                    .map(|cell| cell.parse().unwrap())
                    .collect()
            })
            .collect();
        assert!(
            rows.windows(2)
                .all(|two| two[0][0] <= two[1][0] && two[0][2] <= two[1][2])
        );
        let last = rows.last().unwrap();
        assert_eq!((last.len(), last[1]), (3, 1.0));
        let total = format!("Total count    = {:>12}]", last[2] as u64);
        assert!(text.contains(&total), "{text}");
    }
}

/// Parses a line of InfluxDB's protocol by its grammar: an escaped character does not separate
/// fields.
fn influx(line: &str) -> (Vec<String>, Vec<String>, i64) {
    let mut parts = vec![vec![String::new()]];
    let (mut escaped, mut quoted) = (false, false);
    for c in line.chars() {
        let fields = parts.len() == 2;
        match c {
            _ if escaped => escaped = false,
            '\\' => {
                escaped = true;
                continue;
            }
            '"' if fields => quoted = !quoted,
            ' ' if !quoted => {
                parts.push(vec![String::new()]);
                continue;
            }
            ',' if !quoted => {
                parts.last_mut().unwrap().push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().unwrap().last_mut().unwrap().push(c);
    }
    let [series, fields, time] = <[Vec<String>; 3]>::try_from(parts).unwrap();
    (series, fields, time.concat().parse().unwrap())
}

#[test]
fn points_of_influx_follow_its_grammar() {
    let run = hostile();
    let document = run.document();
    let lines = text(&run, "influx");
    let mut slices = 0;
    for line in lines.lines() {
        let (series, fields, time) = influx(line);
        assert!(series[0].starts_with("tenbin_"), "{line}");
        for tag in &series[1..] {
            let (_, value) = tag.split_once('=').unwrap();
            assert!(
                !value.is_empty() && !value.contains(char::is_control),
                "{line}"
            );
        }
        for field in &fields {
            let (name, value) = field.split_once('=').unwrap();
            let number = value.trim_end_matches('i').parse::<f64>();
            assert!(
                number.is_ok_and(f64::is_finite) || name == "outcome",
                "{line}"
            );
        }
        assert!(time > 1_767_323_045_000_000_000, "{line}");
        if series[0] == "tenbin_slice" {
            let slice = &document.slices[slices];
            let rate = format!("throughput={}", slice.throughput.unwrap());
            assert!(fields.contains(&rate), "{line}");
            slices += 1;
        }
    }
    assert_eq!(slices, document.slices.len());
    assert!(lines.contains("tenbin_comparison,"), "{lines}");
}

#[test]
fn bencher_gets_every_figure_within_its_bounds() {
    let run = hostile();
    let json: serde_json::Value = serde_json::from_str(&text(&run, "bmf")).unwrap();
    let benchmarks = json.as_object().unwrap();
    assert_eq!(benchmarks.len(), 4);
    let mut bounds = 0;
    for measures in benchmarks.values() {
        for metric in measures.as_object().unwrap().values() {
            let value = metric["value"].as_f64().unwrap();
            if let Some(lower) = metric.get("lower_value") {
                let upper = metric["upper_value"].as_f64().unwrap();
                assert!(
                    (lower.as_f64().unwrap()..=upper).contains(&value),
                    "{metric}"
                );
                bounds += 1;
            }
        }
    }
    assert!(bounds >= 4, "{json}");
    let document = run.document();
    let put = document
        .results_of("put-1KiB")
        .find(|it| it.target == "memory")
        .unwrap();
    let measures = &benchmarks["put-1KiB/memory"];
    assert_eq!(
        measures["throughput"]["value"].as_f64(),
        put.throughput.map(|it| it.value)
    );
    let nanos = put.operations[0].p50.unwrap().value * 1e9;
    assert_eq!(measures["latency"]["value"].as_f64(), Some(nanos));
    // Errors have no interval and therefore no bounds.
    assert!(measures["errors"].get("lower_value").is_none());
}

#[test]
fn github_action_benchmark_gets_named_values_with_units() {
    let run = hostile();
    for (name, unit) in [("github-bigger", "ops/s"), ("github-smaller", "ms")] {
        let json: serde_json::Value = serde_json::from_str(&text(&run, name)).unwrap();
        let entries = json.as_array().unwrap();
        let names: BTreeSet<&str> = entries
            .iter()
            .map(|it| it["name"].as_str().unwrap())
            .collect();
        assert_eq!(names.len(), entries.len(), "{name}");
        for entry in entries {
            assert!(entry["value"].is_f64(), "{entry}");
            assert!(
                entry["extra"].as_str().unwrap().starts_with("run "),
                "{entry}"
            );
        }
        assert!(entries.iter().any(|entry| entry["unit"] == unit), "{name}");
    }
    let bigger = text(&run, "github-bigger");
    assert!(bigger.contains("compared with memory: "), "{bigger}");
}

#[test]
fn junit_has_a_case_for_each_condition() {
    use quick_xml::events::Event;

    let run = conditional();
    let xml = text(&run, "junit");
    let mut reader = quick_xml::Reader::from_str(&xml);
    let mut names = Vec::new();
    let (mut failures, mut told) = (0, String::new());
    loop {
        let event = reader.read_event().unwrap();
        match &event {
            Event::Eof => break,
            Event::Start(tag) | Event::Empty(tag) => {
                let attributes = tag.attributes().map(|each| each.unwrap());
                for attribute in attributes {
                    let value = attribute
                        .normalized_value(quick_xml::XmlVersion::Explicit1_0)
                        .unwrap();
                    match (tag.name().as_ref(), attribute.key.as_ref()) {
                        ("testcase", "name") => names.push(value.into_owned()),
                        ("testsuite", "failures") => told = value.into_owned(),
                        _ => {}
                    }
                }
                failures += u32::from(tag.name().as_ref() == "failure");
            }
            _ => {}
        }
    }
    let document = run.document();
    let invalid = usize::from(document.trust == tenbin_result::Trust::Invalid);
    assert_eq!(names.len(), document.expectations.len() + invalid, "{xml}");
    assert_eq!(document.expectations.len(), 8);
    assert!(
        names
            .iter()
            .any(|name| name.ends_with(" must not be above 1/s")),
        "{names:?}"
    );
    assert_eq!(told, failures.to_string(), "{xml}");
    assert!(failures >= 4 || invalid == 1, "{xml}");
    let known = names
        .iter()
        .any(|name| name.contains("=x,\"y\" <b>&\u{fffd}[31m\\"));
    assert!(known, "{names:?}");
}

#[test]
fn code_quality_has_an_entry_for_each_condition_that_is_not_met() {
    let run = conditional();
    let document = run.document();
    let json: serde_json::Value = serde_json::from_str(&text(&run, "code-quality")).unwrap();
    let entries = json.as_array().unwrap();
    let unmet = document.expectations.iter();
    let unmet = unmet.filter(|each| each.is_violated() || each.is_undecided());
    let invalid = entries
        .iter()
        .filter(|entry| entry["severity"] == "critical");
    assert_eq!(entries.len(), unmet.count() + invalid.count(), "{json}");
    let fingerprints: BTreeSet<&str> = entries
        .iter()
        .map(|entry| entry["fingerprint"].as_str().unwrap())
        .collect();
    assert_eq!(fingerprints.len(), entries.len(), "{json}");
    assert!(!entries.is_empty());
    for entry in entries {
        let severity = entry["severity"].as_str().unwrap();
        assert!(
            ["minor", "major", "critical"].contains(&severity),
            "{entry}"
        );
        assert_eq!(entry["location"]["path"], "tenbin", "{entry}");
    }
}
