//! Temporary keys: from the token service of MinIO, and from a stand-in whose keys live for seconds.

mod common;
mod sessions;

use std::path::Path;
use std::time::Duration;

use common::{ACCESS, OwnServer, SECRET, Scratch, Store, Tenbin, words};
use serde_json::Value;
use sessions::front::{self, Front, Rules, Seen};
use sessions::identity::{CLIENT, IdentityProvider};

/// A token service whose keys live for 4 s.
const TOKEN_SERVICE: Rules = Rules {
    express: false,
    life: 4,
    unavailable: 0,
    most: u64::MAX,
    form: "Action=AssumeRole&",
};

/// Buckets whose sessions live for 4 s.
const EXPRESS: Rules = Rules {
    express: true,
    form: "",
    ..TOKEN_SERVICE
};

/// Two slices of several lives of the keys.
const LONG: &str =
    "--size 1KiB --objects 20 --slice 6s --rounds 2 --warmup 0s --gap 0s -c 4 --json";

/// Tenbin's own S3 server behind a stand-in.
fn stand_in(scratch: &Scratch, rules: Rules) -> (OwnServer, Front) {
    let line = format!(
        "serve s3 --listen 127.0.0.1:0 --access-key {} --secret-key {}",
        front::KEY,
        front::SECRET
    );
    let server = OwnServer::start(scratch, words(line));
    let front = Front::start(server.address, rules);
    (server, front)
}

fn run<'a>(scratch: &'a Scratch, line: &str) -> Tenbin<'a> {
    Tenbin::line(scratch, line)
        .env("TENBIN_ACCESS_KEY", front::KEY)
        .env("TENBIN_SECRET_KEY", front::SECRET)
        .within(Duration::from_secs(90))
}

/// The errors of all operations of a document, each with its number.
fn errors(document: &Value) -> Vec<(String, u64)> {
    let results = document["results"].as_array().cloned().unwrap_or_default();
    let operations = results
        .iter()
        .flat_map(|result| result["operations"].as_array().cloned().unwrap_or_default());
    let errors = operations.flat_map(|figures| {
        let errors = figures["errors"].as_object().cloned().unwrap_or_default();
        errors.into_iter()
    });
    errors
        .map(|(name, count)| (name, count.as_u64().unwrap_or(u64::MAX)))
        .collect()
}

fn findings<'a>(document: &'a Value, rule: &'a str) -> impl Iterator<Item = &'a Value> {
    let findings = document["findings"].as_array().into_iter().flatten();
    findings.filter(move |finding| finding["rule"] == rule)
}

/// Fails if a file below the directory contains one of the secrets.
fn expect_no_secret(directory: &Path, secrets: &[String]) {
    for entry in std::fs::read_dir(directory).expect("a directory").flatten() {
        let path = entry.path();
        if path.is_dir() {
            expect_no_secret(&path, secrets);
        } else {
            let bytes = std::fs::read(&path).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            let found = secrets.iter().find(|secret| text.contains(secret.as_str()));
            assert_eq!(found, None, "{}", path.display());
        }
    }
}

/// Fails unless several keys were used, none after its end, and nothing names a secret.
fn expect_renewed(scratch: &Scratch, seen: &Seen, most_refused: u64) {
    assert!(seen.served.len() >= 4, "{:?}", seen.served);
    assert!(seen.served.values().all(|&count| count > 0));
    // The check before the run sends a request without a signature, which is denied.
    let signed = seen.refused.iter();
    let signed = signed.filter(|(code, _)| code.as_str() != "AccessDenied");
    let refused: u64 = signed.map(|(_, count)| *count).sum();
    assert_eq!(refused, most_refused, "{:?}", seen.refused);
    expect_no_secret(scratch.path(), &seen.secrets);
}

#[test]
fn keys_of_a_role_are_renewed_while_requests_are_sent() {
    let scratch = Scratch::new("sessions-role");
    let rules = Rules {
        form: "&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fbench&RoleSessionName=night\
               &DurationSeconds=900&ExternalId=x1",
        ..TOKEN_SERVICE
    };
    let (_server, front) = stand_in(&scratch, rules);
    let line = format!(
        "s3 put --target a={} {LONG} --assume-role arn:aws:iam::1:role/bench --role-session-name \
         night --role-duration 15m --external-id x1",
        front.url()
    );
    let run = run(&scratch, &line).run();
    run.expect_measured();
    let document: Value = serde_json::from_str(&run.stdout).expect("a document");
    assert!(errors(&document).is_empty(), "{run}");
    assert_eq!(findings(&document, "key_renewal").count(), 0);
    expect_renewed(&scratch, &front.seen(), 0);
}

#[test]
fn sessions_of_a_bucket_are_renewed_although_the_server_is_busy_at_first() {
    let scratch = Scratch::new("sessions-express");
    let rules = Rules {
        unavailable: 2,
        ..EXPRESS
    };
    let (_server, front) = stand_in(&scratch, rules);
    let line = format!(
        "s3 put --target a={} {LONG} --bucket bench--use1-az4--x-s3",
        front.url()
    );
    let run = run(&scratch, &line).run();
    run.expect_measured();
    let document: Value = serde_json::from_str(&run.stdout).expect("a document");
    assert!(errors(&document).is_empty(), "{run}");
    let seen = front.seen();
    assert_eq!(seen.refused.get("SlowDown"), Some(&2));
    expect_renewed(&scratch, &seen, 2);
}

#[test]
fn a_refused_renewal_is_a_finding_and_its_failures_have_their_code() {
    let scratch = Scratch::new("sessions-refused");
    let rules = Rules { most: 2, ..EXPRESS };
    let (_server, front) = stand_in(&scratch, rules);
    let line = format!(
        "s3 put --target a={} {LONG} --express-session --bucket bench",
        front.url()
    );
    let run = run(&scratch, &line).run();
    let document: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
    let found: Vec<&Value> = findings(&document, "key_renewal").collect();
    assert_eq!(found.len(), 1, "{run}");
    assert_eq!(found[0]["severity"], "suspect", "{run}");
    let evidence = found[0]["evidence"].as_str().unwrap_or_default();
    for part in ["CreateSession of bucket bench", "no permission", "expired"] {
        assert!(evidence.contains(part), "{part}: {evidence}");
    }
    assert!(run.stdout.contains("ExpiredToken"), "{run}");
    expect_no_secret(scratch.path(), &front.seen().secrets);
}

#[test]
fn keys_that_no_service_issues_end_the_run_before_it_begins() {
    let scratch = Scratch::new("sessions-none");
    let (_server, front) = stand_in(&scratch, Rules { most: 0, ..EXPRESS });
    let url = front.url();
    let line = format!("s3 put --target a={url} {LONG} --bucket bench--use1-az4--x-s3");
    run(&scratch, &line).run().expect_code(3).expect_stderr(
        "target \"a\": CreateSession of bucket bench--use1-az4--x-s3 issues no keys: these \
         credentials, or requests without credentials, have no permission for this (403 \
         AccessDenied)",
    );
    let line = format!("{line} --buckets 2 --express-session");
    run(&scratch, &line)
        .run()
        .expect_code(3)
        .expect_stderr("uses 2 buckets, and sessions are for one bucket");
    let nobody = "s3 put --target a=http://127.0.0.1:9 --sts-endpoint http://127.0.0.1:9";
    let (_server, silent) = stand_in(&scratch, EXPRESS);
    let line = nobody.replacen("http://127.0.0.1:9", &silent.url(), 1);
    run(&scratch, &line)
        .run()
        .expect_code(3)
        .expect_stderr("AssumeRole at http://127.0.0.1:9 issues no keys");
}

/// A short run.
const SHORT: &str = "--size 1KiB --objects 20 --slice 300ms --rounds 2 --warmup 0s --gap 0s -c 2";

#[test]
fn minio_issues_keys_of_a_role() {
    let scratch = Scratch::new("sessions-minio");
    let store = Store::minio(&scratch, &[], &[]);
    let target = store.target("m");
    let run = |line: &str| {
        Tenbin::line(&scratch, format!("s3 {line} --target {target} {SHORT}"))
            .env("TENBIN_ACCESS_KEY", ACCESS)
            .env("TENBIN_SECRET_KEY", SECRET)
            .run()
    };
    let role = "--assume-role arn:aws:iam::1:role/any";
    for operation in ["get", "multipart --part-size 5MiB --size 6MiB", "fan-out"] {
        let run = run(&format!("{operation} {role} --role-duration 15m --json"));
        run.expect_measured();
        let document: Value = serde_json::from_str(&run.stdout).expect("a document");
        assert!(errors(&document).is_empty(), "{run}");
    }
    run(&format!("put {role} --role-duration 1m"))
        .expect_code(3)
        .expect_stderr("issues no keys: the server responded with 400 InvalidParameterValue");
    let plan = scratch.run().map(|run| run.join("plan.toml"));
    let plan = plan.and_then(|plan| std::fs::read_to_string(plan).ok());
    let plan = plan.unwrap_or_default();
    assert!(
        plan.contains("assume_role = \"arn:aws:iam::1:role/any\""),
        "{plan}"
    );
}

#[test]
fn minio_issues_keys_for_a_web_identity() {
    let scratch = Scratch::new("sessions-web");
    let provider = IdentityProvider::start();
    let description = provider.description();
    let store = Store::minio(
        &scratch,
        &[],
        &[
            ("MINIO_IDENTITY_OPENID_CONFIG_URL", description.as_str()),
            ("MINIO_IDENTITY_OPENID_CLIENT_ID", CLIENT),
            ("MINIO_IDENTITY_OPENID_CLAIM_NAME", "policy"),
        ],
    );
    let token = provider.token("readwrite");
    let file = scratch.write("token", &token);
    let target = store.target("m");
    let from_file = format!("s3 get --target {target} {SHORT} --web-identity-token-file {file}");
    let run = Tenbin::line(&scratch, format!("{from_file} --json")).run();
    run.expect_measured().expect_silence_about(&token);
    let document: Value = serde_json::from_str(&run.stdout).expect("a document");
    assert!(errors(&document).is_empty(), "{run}");
    let from_variable = format!("s3 put --target {target} {SHORT}");
    Tenbin::line(&scratch, from_variable)
        .env("TENBIN_WEB_IDENTITY_TOKEN", &token)
        .run()
        .expect_measured()
        .expect_silence_about(&token);
    let host = target.rsplit_once('/').map_or("", |(_, host)| host);
    let warp = format!(
        "warp put --host={host} --signature=STS_WEB_TOKEN --sts-web-token=file:{file} \
         --duration=2s --concurrent=2 --obj.size=1KiB"
    );
    let run = Tenbin::line(&scratch, warp).run();
    run.expect_measured().expect_silence_about(&token);

    let stranger = IdentityProvider::start().token("readwrite");
    std::fs::write(&file, &stranger).expect("a file");
    Tenbin::line(&scratch, from_file)
        .run()
        .expect_code(3)
        .expect_silence_about(&stranger)
        .expect_stderr("AssumeRoleWithWebIdentity at http://127.0.0.1");
    std::fs::remove_file(&file).expect("a file");
    expect_no_secret(scratch.path(), &[token, stranger]);
}
