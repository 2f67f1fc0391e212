//! Requests that the server redirects, and flags with a URL that has no flag, on a real nginx.

mod common;

use std::time::Duration;

use common::{Nginx, Outcome, Scratch, Tenbin};

const LOCATIONS: &str = "location = /old { return 302 /middle; } \
                         location = /middle { return 301 /new?of=middle; } \
                         location = /new { return 200 'here'; } \
                         location = /away { return 302 http://127.0.0.2:9/elsewhere; } \
                         location = /limited { return 429; } \
                         location = /missing { return 404; } \
                         location / { return 200 'hello'; }";

/// Longest time until the processes of a test have ended.
const GRACE: Duration = Duration::from_secs(5);

#[test]
fn a_redirect_is_refused_with_its_location_or_followed_before_the_run() {
    let scratch = Scratch::new("redirects");
    let nginx = Nginx::serving(&scratch, LOCATIONS);
    let url = nginx.url();
    let short = [
        "--rounds", "1", "--slice", "300ms", "--warmup", "0s", "--seed", "7",
    ];
    let run = |target: &str, options: &[&str]| -> Outcome {
        let line = ["http", target].into_iter().chain(options.iter().copied());
        Tenbin::new(&scratch, line.chain(short)).run()
    };
    let old = format!("{url}old");
    for (target, options) in [
        // As the URL of the target, as a path, and with a header, so that no plain GET shows it.
        (old.as_str(), &[][..]),
        (url.as_str(), &["--path", "/old"]),
        (old.as_str(), &["--header", "Accept: text/html"]),
    ] {
        let refused = run(target, options);
        assert_eq!(refused.code, Some(3), "{refused}");
        refused
            .expect_stderr("/middle\" (status 302), which does not count as success")
            .expect_stderr("--follow");
    }
    let own = Scratch::new("redirects-followed");
    let line = ["http", &url, "--path", "/old", "--follow"]
        .into_iter()
        .chain(short);
    let followed = Tenbin::new(&own, line).run();
    followed.expect_measured();
    followed.expect_stderr("/old redirects to /new?of=middle, which is measured");
    let plan = own.run().expect("a run").join("plan.toml");
    let plan = std::fs::read_to_string(plan).expect("the plan of the run");
    for line in [
        "path = \"/new?of=middle\"", "redirected_from = \"/old\"", "follow = true",
    ] {
        assert!(plan.contains(line), "{plan}");
    }
    let away = run(&format!("{url}away"), &["--follow"]);
    assert_eq!(away.code, Some(3), "{away}");
    away.expect_stderr("redirects to another server, \"http://127.0.0.2:9\"");
    let host = old.replace("127.0.0.1", "localhost");
    let hosts = run("--target", &[&old, "--host", &host, "--follow"]);
    assert_eq!(hosts.code, Some(2), "{hosts}");
    hosts.expect_stderr("the hosts of a target can redirect to different URLs");
    let accepted = run(&old, &["--expect", "302"]);
    accepted.expect_measured();
    // Not sent before the run, because a POST can change data.
    let posted = run(&url, &["--path", "/old", "-X", "POST"]);
    posted
        .expect_stdout("redirect to http")
        .expect_stdout("/middle");
    let limited = run(&format!("{url}limited"), &[]);
    limited.expect_stdout("rate limiter");
    drop(nginx);
    scratch.expect_nobody_left(GRACE);
    own.expect_nobody_left(GRACE);
}

#[test]
fn flags_for_targets_apply_to_a_url_without_a_flag() {
    let scratch = Scratch::new("url-flags");
    let nginx = Nginx::serving(&scratch, LOCATIONS);
    let short = [
        "--rounds", "1", "--slice", "300ms", "--warmup", "0s", "--json",
    ];
    let line = ["http", &nginx.url(), "--observe", "port", "--http", "2"];
    let run = Tenbin::new(&scratch, line.into_iter().chain(short)).run();
    // nginx speaks no HTTP/2 on this port.
    assert_eq!(run.code, Some(3), "{run}");
    run.expect_stderr("does not speak HTTP/2");
    let line = ["http", &nginx.url(), "--observe", "port"];
    let run = Tenbin::new(&scratch, line.into_iter().chain(short)).run();
    run.expect_measured();
    assert!(run.stdout.contains("cpu"), "{run}");
    let template = format!("{}?x={{random}}", nginx.url());
    let line = ["http", &template];
    let run = Tenbin::new(&scratch, line.into_iter().chain(short)).run();
    run.expect_stderr("contains \"{random}\", which looks like a template");
    run.expect_stdout("literal_template");
    let line = format!("wrk -c 1 -t 1 -d 1s --observe banana {}", nginx.url());
    let run = Tenbin::new(&scratch, line.split(' ')).run();
    assert_eq!(run.code, Some(2), "{run}");
    run.expect_stderr("\"banana\" is not one of port, port:N");
    for tool in ["wrk -c 1 -t 1 -d 1s", "ab -c 1 -n 50"] {
        let line = format!("{tool} --observe server=port {}", nginx.url());
        let run = Tenbin::new(&scratch, line.split(' ')).run();
        run.expect_measured();
        let line = format!("{tool} {}missing", nginx.url());
        let run = Tenbin::new(&scratch, line.split(' ')).run();
        assert_eq!(run.code, Some(3), "{run}");
        run.expect_stderr("is a flag of `tenbin http`, not of `tenbin");
    }
    drop(nginx);
    scratch.expect_nobody_left(GRACE);
}
