//! The command line of blobstore-bench.

use std::os::unix::fs::symlink;
use std::time::Duration;

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::common::{SECRET, Scratch, Tenbin};
use crate::stand::Blobs;

const CONF: &str = r#"{
    "idc": "z0",
    "code_mode_put_quorums": { "11": 4 },
    "code_mode_get_ordered": { "11": true },
    "cluster_config": { "clusters": [{"cluster_id": 1, "hosts": ["URL"]}] }
}"#;

/// The original command lines of blobstore-bench, with shorter times.
#[test]
fn the_founding_lines_run_and_print_that_tools_lines() {
    let scratch = Scratch::new("blobstore-bench");
    let server = Blobs::start(&scratch, &[]);
    scratch.write("blob.conf", CONF.replace("URL", &server.url()));
    let line = |line: &str| {
        Tenbin::new(&scratch, line.split(' '))
            .within(Duration::from_secs(120))
            .run()
    };
    let run = line(
        "blobstore-bench -b blobstore -c blob.conf -db rocksdb -r build/db/ -d 2 -m pgd -pr mybench \
         -s 10Ki -t 2 -l 2",
    );
    run.expect_measured();
    for said in [
        " DataSize=10240 ",
        " backend=blobstore\n",
        " dbDir=build/db/\n",
        " Running Loop 1 Put Test\n",
        " Loop: 1, Int: 0, Dur(s): ",
        ", Mode: PUT, Ops: ",
        " Loop: 2, Int: TOTAL, Dur(s): ",
        ", Mode: DEL, Ops: ",
        " The subsequent '-m g' or '-m d' test should be specified with '-n ",
        ", Lat(ms): [min: ",
        "], Slowdowns: 0\n",
        "Verdict  ",
    ] {
        run.expect_stdout(said);
    }
    run.expect_stderr("-db rocksdb: locations are kept on disk");
    let total = |mode: &str| {
        let lines = run
            .stdout
            .lines()
            .filter(|line| line.contains("Int: TOTAL"));
        let own = lines.filter(|line| line.contains(mode));
        let ops =
            own.filter_map(|line| line.split("Ops: ").nth(1)?.split(',').next()?.parse().ok());
        ops.collect::<Vec<u64>>()
    };
    assert_eq!(total("PUT").len(), 2, "{run}");
    // Blobs whose PUT response arrived after the end of the phase are stored and read, too.
    for (put, got) in total("PUT").into_iter().zip(total("GET")) {
        assert!((put..=put + 2).contains(&got) || got < put, "{run}");
    }

    let put = line("blobstore-bench -c blob.conf -db rocksdb -r db -d 20 -n 30 -m p -s 10Ki");
    put.expect_measured();
    put.expect_stdout("should be specified with '-n 30'");
    let later =
        line("blobstore-bench -c blob.conf -db rocksdb -r db -d 20 -n 20 -m gd -i 1 -o out.json");
    later.expect_measured();
    later.expect_stderr("10 blobs of set \"blobs\" are kept");
    // A finding about several modes is printed once.
    later.expect_stdout("a 99th percentile needs 368; likewise delete on blobstore");
    let json = std::fs::read_to_string(scratch.join("out.json")).expect("out.json");
    let rows: Value = serde_json::from_str(&json).expect("JSON");
    let totals = rows.as_array().expect("rows").iter();
    let totals: Vec<_> = totals
        .filter(|row| row["IntervalName"] == "TOTAL")
        .collect();
    assert_eq!(totals.len(), 2, "{json}");
    assert!(totals.iter().all(|row| row["Ops"] == 20), "{json}");
    // Without -s, whole blobs are read.
    for row in totals {
        let [seconds, rate] = ["Seconds", "Mbps"].map(|key| row[key].as_f64().expect("a number"));
        let bytes = rate * seconds * 1_048_576.0;
        assert!((bytes - 20.0 * 10_240.0).abs() < 1.0, "{bytes}: {json}");
    }

    for (mode, verb) in [("g", "read"), ("d", "delete")] {
        let nothing = line(&format!(
            "blobstore-bench -c blob.conf -db rocksdb -r db -pr other -m {mode}"
        ));
        nothing.expect_code(4).expect_stderr(&format!(
            "there is nothing to {verb}: set \"other\" has no blobs in "
        ));
        nothing
            .expect_stderr("db/blobstore.redb; put some first")
            .expect_stderr("run -m p first with the same -r and -pr");
    }

    // Interval lines are printed during the run.
    let long = "blobstore-bench -b dummy -d 600 -m p -s 10Ki -i 2";
    let running = Tenbin::new(&scratch, long.split(' ')).start();
    let second = ", Int: 1, Dur(s): 2.0, Mode: PUT, Ops: ";
    crate::common::wait_until(Duration::from_secs(60), || {
        running.so_far().contains(second)
    });
    running.signal(Signal::SIGINT);
    let running = running.wait(Duration::from_secs(60));
    running.expect_code(130).expect_stdout(second);
    running.expect_stdout(", Int: TOTAL, Dur(s): ");

    let dummy = line("blobstore-bench -b dummy -d 1 -m pgd -pr dummytest -s 10Ki -t 2 -l 2");
    dummy.expect_measured();
    dummy.expect_stdout(" backend=dummy\n");
}

#[test]
fn a_get_of_stored_blobs_reads_as_much_as_the_size_says() {
    let scratch = Scratch::new("blobstore-bench-size");
    let server = Blobs::start(&scratch, &[]);
    scratch.write("blob.conf", CONF.replace("URL", &server.url()));
    let line = |line: &str| {
        let line = format!("blobstore-bench -c blob.conf -db rocksdb -r db -d 20 -n 10 {line}");
        Tenbin::new(&scratch, line.split(' '))
            .within(Duration::from_secs(120))
            .run()
    };
    line("-m p -s 10Ki").expect_measured();
    line("-m g -s 1Ki -o part.json").expect_measured();
    let json = std::fs::read_to_string(scratch.join("part.json")).expect("part.json");
    let rows: Value = serde_json::from_str(&json).expect("JSON");
    let mut rows = rows.as_array().expect("rows").iter();
    let total = rows.find(|row| row["IntervalName"] == "TOTAL");
    let total = total.expect("a total");
    let [seconds, rate] = ["Seconds", "Mbps"].map(|key| total[key].as_f64().expect("a number"));
    let bytes = rate * seconds * 1_048_576.0;
    assert!((bytes - 10.0 * 1024.0).abs() < 1.0, "{bytes}: {json}");

    line("-m g -s 20Ki").expect_code(2).expect_stderr(
        "workload get: range 0-20479 extends beyond the end of the smallest stored blob (10KiB); \
         use a shorter range",
    );
}

#[test]
fn an_access_layer_that_requires_tokens_gets_them() {
    let scratch = Scratch::new("blobstore-bench-token");
    let server = Blobs::start(&scratch, &["--secret-key", SECRET]);
    scratch.write("blob.conf", CONF.replace("URL", &server.url()));
    let words = "blobstore-bench -c blob.conf -m pgd -n 10 -s 10Ki -d 20";
    Tenbin::line(&scratch, words).run().expect_code(4);
    let run = Tenbin::line(&scratch, words)
        .env("TENBIN_SECRET_KEY", SECRET)
        .run();
    run.expect_measured();
    run.expect_silence_about(SECRET);
    run.expect_stdout("Mode: DEL, Ops: 10,");
}

#[test]
fn by_its_name_too() {
    let scratch = Scratch::new("blobstore-bench-name");
    let link = scratch.join("blobstore-bench");
    symlink(env!("CARGO_BIN_EXE_tenbin"), &link).expect("a link");
    let output = std::process::Command::new(&link)
        .arg("-h")
        .output()
        .expect("started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("Usage: tenbin blobstore-bench "), "{text}");
}

#[test]
fn the_hint_for_n_counts_every_blob_that_stays() {
    let scratch = Scratch::new("blob-hint");
    let server = Blobs::start(&scratch, &[]);
    let conf = format!("{{\"priority_addrs\": [\"{}\"]}}", server.url());
    let conf = scratch.write("blob.conf", conf);
    let words = "blobstore-bench -m p -d 2 -t 16 -s 64Ki -db rocksdb -r db -c";
    let run = Tenbin::new(&scratch, words.split(' ').chain([conf.as_str()])).run();
    run.expect_measured();
    let (_, hint) = run.stdout.split_once("with '-n ").expect("the hint");
    let (stored, _) = hint.split_once('\'').expect("its end");
    assert_eq!(stored.parse(), Ok(server.held()), "{run}");
    // Interval lines and the line of the total have the same figures.
    let lines = run.stdout.lines().filter(|line| line.contains("Mode: PUT"));
    let times: Vec<&str> = lines
        .clone()
        .filter(|line| line.contains("99%: "))
        .collect();
    assert!(times.len() <= 3, "{run}");
    assert!(
        lines.clone().all(|line| !line.contains("99%: unknown")),
        "{run}"
    );
}
