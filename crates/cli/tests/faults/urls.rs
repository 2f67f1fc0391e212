//! Secrets in the URLs of requests.

use std::process::Command;

use crate::common::{Scratch, Tenbin};

/// Sends secrets in the paths of a file, in a parameter of a path and in a short parameter.
#[test]
fn secrets_in_the_urls_of_requests_are_in_no_file_of_the_run() {
    let scratch = Scratch::new("secret-urls");
    let patterns = scratch.write(
        "patterns.txt",
        "/a?api_key=file-hush&key=shown\n/b;jsessionid=path-hush/c\n",
    );
    let briefly = ["--rounds", "2", "--slice", "300ms"];
    let from_file = ["http", "--builtin", "a=http", "--patterns", &patterns];
    let one = [
        "http", "--builtin", "a=http", "--path", "/x;token=semi-hush?sig=hush",
    ];
    for line in [&from_file, &one] {
        let run = Tenbin::new(&scratch, line.iter().chain(&briefly)).run();
        run.expect_measured();
        run.expect_silence_about("hush");
        let shown = Tenbin::new(&scratch, ["show", "last", "--section", "slow"]).run();
        shown.expect_silence_about("hush");
    }
    let found = Command::new("grep")
        .args(["-r", "-a", "-e", "hush", "runs"])
        .current_dir(scratch.path())
        .output();
    let found = String::from_utf8_lossy(&found.expect("grep").stdout).into_owned();
    assert!(found.is_empty(), "{found}");
}
