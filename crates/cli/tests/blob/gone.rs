//! Polling until deletions take effect.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use crate::common::lying_s3::{Lie, LyingProxy};
use crate::common::{ACCESS, Outcome, SECRET, Scratch, Store, Tenbin};
use crate::stand::{Blobs, blob, errors_found, failed, failures, ok, result, steps};

#[test]
fn deletions_are_followed_until_they_take_effect() {
    let scratch = Scratch::new("blob-gone");
    let server = Blobs::start(&scratch, &["--delete-lag", "300ms"]);
    let options = "--phases pd --objects 40 --slice 30s --rounds 1 --until-gone";
    let run = blob(&scratch, &server, options);
    assert_eq!(ok(&run, "delete"), 40, "{run}");
    // At least 16 blobs (`--poll-connections`) are polled, about 30 times each, because the pause
    // between polls grows.
    let gone = steps(&run, "delete", "gone");
    assert!((16..=40).contains(&gone), "{gone}: {run}");
    let polled = steps(&run, "delete", "is it gone");
    assert!((gone..gone * 60).contains(&polled), "{polled}: {run}");

    let server = Blobs::start(
        &scratch,
        &["--fault", "never-gone:50%", "--delete-lag", "0s"],
    );
    let options = "--phases pd --objects 8 --slice 60s --rounds 1 --until-gone --gone-within \
                   300ms --poll-interval 20ms";
    let run = blob(&scratch, &server, options);
    assert_eq!(
        (ok(&run, "delete"), steps(&run, "delete", "gone")),
        (8, 4),
        "{run}"
    );
    assert!(
        errors_found(&run).contains("4 of 8 acknowledged operations that were polled"),
        "{run}"
    );
    let (count, texts) = failures(&run, "timeout");
    assert_eq!(count, 4, "{run}");
    assert!(
        texts.contains("still there 300ms after its deletion began"),
        "{texts}"
    );
    run.expect_stderr("4 blobs were still there at the last poll");

    // Only a successful read shows that a blob still exists. After any other response, the blob is
    // polled again.
    let server = Blobs::start(
        &scratch,
        &[
            "--gone", "404", "--fault", "500:50%", "--delete-lag", "100ms",
        ],
    );
    let options = "--phases pd --objects 8 --slice 60s --rounds 1 --until-gone --errors 0";
    let run = blob(&scratch, &server, options);
    assert_eq!(ok(&run, "delete"), 8, "{run}");
    let (untold, texts) = failures(&run, "status");
    assert!(untold > 0 && texts.contains("500 ServerError"), "{run}");
    let server = Blobs::start(&scratch, &["--fault", "500:100%", "--delete-lag", "0s"]);
    let options = "--phases pd --objects 8 --slice 60s --rounds 1 --until-gone --gone-within 300ms";
    let run = blob(&scratch, &server, options);
    assert_eq!(
        (ok(&run, "delete"), steps(&run, "delete", "gone")),
        (8, 0),
        "{run}"
    );
    let (_, texts) = failures(&run, "status");
    assert!(texts.contains("500 ServerError"), "{texts}");
    let (count, texts) = failures(&run, "unexpected body");
    assert_eq!(count, 8, "{run}");
    assert!(
        texts.contains("could not be read before its deletion"),
        "{texts}"
    );
    run.expect_stderr("for 8 blobs whose deletion was acknowledged it is unknown");
    assert!(!run.stderr.contains("still there"), "{run}");

    // A blob with an unfinished deletion is not read by the next run, and is deleted again.
    let server = Blobs::start(&scratch, &["--delete-lag", "1h"]);
    let on_disk = |options: &str| {
        let options = format!("{options} --locations db --rounds 1 --slice 60s --size 1KiB");
        blob(&scratch, &server, &options)
    };
    on_disk("--phases p --objects 8").expect_stderr("8 blobs of set \"blobs\" are kept");
    on_disk("--phases d --until-gone --gone-within 100ms")
        .expect_stderr("8 of them were being deleted when a run ended");
    on_disk("--phases g")
        .expect_code(4)
        .expect_stderr("there is nothing to read: an earlier run was deleting all 8 blobs");
    on_disk("--phases p --objects 3");
    let run = on_disk("--phases g");
    assert_eq!((ok(&run, "get"), failed(&run, "get")), (3, 0), "{run}");
    let run = on_disk("--phases d");
    assert_eq!(ok(&run, "delete"), 11, "{run}");
    run.expect_stderr("0 blobs of set \"blobs\" are kept");
    assert!(!run.stderr.contains("were being deleted"), "{run}");

    // A slice that ends before the blobs are gone reports how many still exist.
    let server = Blobs::start(&scratch, &["--fault", "never-gone:100%"]);
    let options = "--phases pd --objects 4 --slice 2s --rounds 1 --until-gone";
    let run = blob(&scratch, &server, options);
    assert_eq!(
        (ok(&run, "delete"), steps(&run, "delete", "gone")),
        (4, 0),
        "{run}"
    );
    assert_eq!(server.settled(), 4, "{run}");
    run.expect_stderr("4 blobs were still there at the last poll");
    expect_beyond_clean(&scratch, &run);
}

/// Checks that `tenbin clean`, which has no locations of the blobs, is not said to delete the blobs.
fn expect_beyond_clean(scratch: &Scratch, run: &Outcome) {
    assert!(!run.stderr.contains("to delete what is left"), "{run}");
    let runs = std::fs::read_dir(scratch.path().join("runs")).expect("runs");
    let newest = runs.map(|entry| entry.expect("an entry").path()).max();
    let newest = newest.expect("a run");
    for _ in 0..2 {
        let words = ["clean".as_ref(), newest.as_os_str()];
        let cleaned = Tenbin::new(scratch, words).run();
        cleaned
            .expect_code(0)
            .expect_stderr("4 blobs were still there at the last poll");
        assert!(!cleaned.stderr.contains("nothing is left"), "{cleaned}");
    }
}

#[test]
fn a_blob_that_could_not_be_read_before_its_deletion_is_not_gone() {
    let scratch = Scratch::new("blob-never-there");
    let minio = Store::minio(&scratch, &["--quiet"], &[]);
    let server = SocketAddr::from((Ipv4Addr::LOCALHOST, minio.port()));
    // Acknowledges every PUT and stores nothing: every blob is missing, before and after.
    let proxy = LyingProxy::start(server, Lie::ForwardsNothing);
    for (url, name, gone, findings) in [
        (format!("http://{server}"), "honest", 8, ""),
        (
            format!("http://{}", proxy.address()),
            "liar",
            0,
            "8 of 8 blobs could not be read before their deletion",
        ),
    ] {
        let options = format!(
            "blob --json --warmup 0s --rounds 1 --slice 20s --phases pd --objects 8 --size 1KiB \
             --connections 2 --until-gone --target {name}={url} --store {name}=s3"
        );
        let run = Tenbin::new(&scratch, options.split_whitespace())
            .env("TENBIN_ACCESS_KEY", ACCESS)
            .env("TENBIN_SECRET_KEY", SECRET)
            .within(Duration::from_secs(60))
            .run();
        assert_eq!(ok(&run, "delete"), 8, "{run}");
        assert_eq!(steps(&run, "delete", "gone"), gone, "{run}");
        let found = errors_found(&run);
        assert!(found.contains(findings), "{found}: {run}");
        assert_eq!(found.is_empty(), findings.is_empty(), "{found}: {run}");
    }
}

#[test]
fn the_time_until_gone_is_not_that_of_reads_which_break_off() {
    let scratch = Scratch::new("blob-breaks");
    // Closes connections like a CubeFS cluster, but with a shorter deletion delay.
    let server = Blobs::start(
        &scratch,
        &["--delete-lag", "100ms", "--gone-delay", "610ms"],
    );
    let options = "--phases pd --objects 3000 --size 1KiB --slice 6s --rounds 1";
    let plain = blob(&scratch, &server, options);
    let polled = blob(&scratch, &server, &format!("{options} --until-gone"));
    assert_eq!(ok(&polled, "delete"), 3000, "{polled}");
    let rate = |run: &Outcome| result(run, "delete")["throughput"]["value"].as_f64();
    let (without, with) = (rate(&plain), rate(&polled));
    let kept = with.zip(without).map(|(with, without)| with / without);
    assert!(
        kept.is_some_and(|kept| kept > 0.3),
        "{with:?} of {without:?}"
    );
    let deleted = result(&polled, "delete");
    let operations = deleted["operations"].as_array().expect("operations");
    let of = |name: &str| operations.iter().find(|one| one["operation"] == name);
    let (gone, polls) = (of("gone").expect("gone"), of("is it gone").expect("polls"));
    // A connection that closes because the blob is missing is the expected response.
    assert_eq!(polls["failed"], 0, "{polled}");
    assert!(gone["ok"].as_u64() >= Some(16), "{polled}");
    // The pause between polls is an eighth of the time since the deletion.
    let longest = gone["max"].as_f64().expect("a time");
    assert!((0.1..0.4).contains(&longest), "{longest}: {polled}");
    assert_eq!(errors_found(&polled), "", "{polled}");
    assert!(!polled.stderr.contains("still there"), "{polled}");
}
