//! PUT and GET on a running `rclone serve s3`.

mod common;

use std::time::Duration;

use common::{ACCESS, SECRET, Scratch, Store, Tenbin};

/// Numbers of correct and failed operations in the document of a run.
fn counts(document: &serde_json::Value) -> (u64, u64) {
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let operations = list(&document["results"])
        .iter()
        .flat_map(|result| list(&result["operations"]))
        .collect::<Vec<_>>();
    let sum = |key: &str| {
        let of = |figures: &serde_json::Value| figures[key].as_u64();
        operations.iter().map(|each| of(each).expect(key)).sum()
    };
    (sum("ok"), sum("failed"))
}

#[test]
fn put_and_get_work_on_rclone_and_leave_nothing_behind() {
    let scratch = Scratch::new("rclone");
    // rclone responds with 500 to some PUTs if concurrent PUTs create their directory, so the
    // directories exist before the run.
    let directories = [
        "tenbin-bench/tenbin-0000000000000007/put-64KiB",
        "tenbin-bench/tenbin-0000000000000007/get-64KiB",
    ];
    let rclone = Store::rclone_with(&scratch, &[], 1024, &directories);
    let target = rclone.target("rclone");
    for operation in ["put", "get"] {
        let run = Tenbin::line(
            &scratch,
            format!(
                "s3 {operation} --target {target} --size 64KiB --slice 500ms --rounds 4 \
                 --warmup 200ms --connections 4 --objects 50 --seed 7 --json"
            ),
        )
        .env("TENBIN_ACCESS_KEY", ACCESS)
        .env("TENBIN_SECRET_KEY", SECRET)
        .within(Duration::from_secs(120))
        .run();
        run.expect_measured();
        let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
        let (ok, failed) = counts(&document);
        assert!(
            ok > 0 && failed == 0,
            "{ok} correct, {failed} failed: {run}"
        );
        run.expect_silence_about(SECRET);
        assert!(!run.stderr.contains("could not be deleted"), "{run}");
        assert_eq!(rclone.files(), [""; 0], "{run}");
    }
    drop(rclone);
    scratch.expect_nobody_left(Duration::from_secs(10));
}
