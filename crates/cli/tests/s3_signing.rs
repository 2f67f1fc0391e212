//! Signatures, payload modes, checksums and object metadata, on MinIO and Versity S3 Gateway.

mod common;
mod signatures;

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use common::{
    ACCESS, Certificates, Outcome, OwnServer, SECRET, Scratch, Server, Store, Tenbin, path_of,
    words,
};
use tenbin_plan::Credentials;
use tenbin_workloads::s3::sigv4::{EMPTY_SHA256, Signed, Signer};

/// A plan with these targets and workloads, and short slices.
fn plan(scratch: &Scratch, targets: &str, workloads: &str) -> String {
    // A missing server fails here with advice, not during the run.
    path_of(Server::Minio);
    path_of(Server::Versitygw);
    scratch.write(
        "plan.toml",
        format!(
            "seed = 7\n[rounds]\ncount = 2\nslice = \"200ms\"\nlead = \"0s\"\nwarmup = \"0s\"\n\
             gap = \"0s\"\n[load]\nconnections = 4\ntimeout = \"20s\"\n{targets}\n{workloads}"
        ),
    )
}

/// The targets of the example plan: MinIO and Versity S3 Gateway, both launched.
fn both() -> String {
    let example = include_str!("../../../examples/minio-versity.toml");
    let targets = &example[example.find("[[target]]").expect("targets")
        ..example.find("[[workload]]").expect("workloads")];
    targets.to_owned()
}

/// A workload of 50 % GET and 50 % PUT of objects of two chunks, with additional plan keys.
fn mix(name: &str, lines: &str) -> String {
    format!(
        "[[workload]]\nkind = \"s3\"\nname = \"{name}\"\noperation = \"get:50,put:50\"\n\
         size = \"100KiB\"\nobjects = 20\n{lines}\n"
    )
}

fn list(value: &serde_json::Value) -> Vec<serde_json::Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// Fails unless every operation of every workload on every target succeeded at least once and never
/// failed. `pairs` is the number of targets times workloads.
fn expect_all_right(run: &Outcome, pairs: usize) {
    run.expect_measured();
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    let results = list(&document["results"]);
    assert_eq!(results.len(), pairs, "{run}");
    for result in &results {
        let operations = list(&result["operations"]);
        assert!(!operations.is_empty(), "{result}");
        for figures in operations {
            let of = format!("{} {} {figures}", result["target"], result["workload"]);
            assert!(figures["ok"].as_u64().is_some_and(|ok| ok > 0), "{of}");
            let errors = figures["errors"].as_object();
            assert!(errors.is_none_or(serde_json::Map::is_empty), "{of}");
        }
    }
}

#[test]
fn payloads_and_checksums_of_every_kind_on_two_real_servers() {
    let scratch = Scratch::new("signing");
    let mut workloads = vec![
        mix("unsigned", "payload = \"unsigned\""),
        mix("streaming", "payload = \"streaming\""),
        mix("unique", "content = \"unique\"\ncompressible = 50"),
        mix("rewrite", "rewrite = true"),
        mix("md5", "checksum = \"md5\""),
    ];
    workloads.push(mix("sha512", "checksum = \"sha512\""));
    // Versity compares every checksum with the content and refuses a wrong one with BadDigest. MinIO
    // ignores the headers of SHA-512 and xxHash, which it does not know.
    for checksum in [
        "crc32", "crc32c", "crc64nvme", "sha1", "sha256", "xxhash64", "xxhash3", "xxhash128",
    ] {
        let line = format!("checksum = \"{checksum}\"");
        workloads.push(mix(checksum, &line));
        workloads.push(mix(
            &format!("{checksum}-behind"),
            &format!("{line}\npayload = \"trailer\""),
        ));
    }
    let plan = plan(&scratch, &both(), &workloads.concat());
    let run = Tenbin::new(&scratch, ["run", &plan, "--json"])
        .within(Duration::from_secs(150))
        .run();
    expect_all_right(&run, 2 * workloads.len());
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("a document");
    let ignored: BTreeSet<(String, String)> = list(&document["findings"])
        .iter()
        .filter(|finding| finding["rule"] == "checksum_ignored")
        .map(|finding| {
            let of = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
            (of("target"), of("workload"))
        })
        .collect();
    let expected = [
        "sha512", "xxhash64", "xxhash64-behind", "xxhash3", "xxhash3-behind", "xxhash128",
        "xxhash128-behind",
    ];
    let expected = expected.map(|workload| ("minio".to_owned(), workload.to_owned()));
    assert_eq!(ignored, expected.into(), "{run}");
    for target in ["minio", "versity"] {
        let version = &document["environment"]["targets"][target]["version"];
        assert!(version.is_string(), "{target}: {version}");
    }
    scratch.expect_nobody_left(Duration::from_secs(10));
}

/// A target that launches MinIO with TLS and an encryption key.
fn minio_with_tls(scratch: &Scratch, certificates: &Certificates) -> String {
    let home = scratch.join("minio-certificates");
    std::fs::create_dir(&home).expect("a directory for certificates");
    for (from, to) in [("server.pem", "public.crt"), ("server.key", "private.key")] {
        let to = format!("{home}/{to}");
        std::fs::copy(certificates.file(from), to).expect("a copy of a certificate");
    }
    let ca = certificates.file("ca.pem");
    format!(
        "[[target]]\nname = \"minio\"\n\
         command = [\"minio\", \"server\", \"--quiet\", \"--certs-dir\", \"{home}\", \
         \"--address\", \"127.0.0.1:{{port}}\", \"{{data}}/disk\"]\n\
         url = \"https://127.0.0.1:{{port}}\"\ntls = {{ ca = \"{ca}\" }}\n\
         ready = {{ url = \"https://127.0.0.1:{{port}}/minio/health/cluster\" }}\n\
         [target.env]\nMINIO_ROOT_USER = \"{{access_key}}\"\n\
         MINIO_ROOT_PASSWORD = \"{{secret_key}}\"\nMINIO_BROWSER = \"off\"\n\
         MINIO_UPDATE = \"off\"\nHOME = \"{{data}}\"\n\
         MINIO_KMS_SECRET_KEY = \"test:{KMS_KEY}\"\n"
    )
}

/// Encryption key of 32 bytes in Base64.
const KMS_KEY: &str = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

#[test]
fn what_is_stored_along_with_content_and_how_it_is_encrypted() {
    let scratch = Scratch::new("signing-tls");
    let certificates = Certificates::make(&scratch);
    let workloads = [
        mix("sse-c", "encryption = \"sse-c\""),
        mix("sse-s3", "encryption = \"sse-s3\""),
        mix(
            "stored",
            "storage_class = \"REDUCED_REDUNDANCY\"\ncontent_type = \"text/plain\"\n\
             metadata = [\"owner: some body\"]\ntags = [\"team=green + red\", \"empty=\"]",
        ),
        mix("streaming", "payload = \"streaming\""),
        mix("payer", "headers = [\"X-Amz-Request-Payer: requester\"]"),
    ];
    let targets = minio_with_tls(&scratch, &certificates);
    let plan = plan(&scratch, &targets, &workloads.concat());
    let run = Tenbin::new(&scratch, ["run", &plan, "--json"])
        .within(Duration::from_secs(90))
        .run();
    expect_all_right(&run, workloads.len());
    scratch.expect_nobody_left(Duration::from_secs(10));
}

#[test]
fn hosts_and_bucket_names_in_hosts_are_checked_before_the_run() {
    let scratch = Scratch::new("signing-hosts");
    let domain = [("MINIO_DOMAIN", "localhost")];
    let stores = [
        Store::minio(&scratch, &[], &domain),
        Store::minio(&scratch, &[], &[]),
    ];
    let run = |line: &str| {
        let short = "--objects 20 --slice 200ms --rounds 1 --warmup 0s -c 2 --json";
        Tenbin::line(&scratch, format!("s3 get --size 1KiB {short} {line}"))
            .env("TENBIN_ACCESS_KEY", ACCESS)
            .env("TENBIN_SECRET_KEY", SECRET)
            .run()
    };
    let [one, two] = stores.each_ref().map(|store| {
        let port = store.port();
        format!("localhost:{port}")
    });
    let apart = run(&format!(
        "--ipv4 --target both=http://{one} --host http://{two}"
    ));
    apart.expect_code(3).expect_stderr(&format!(
        "checking 2 hosts failed: host {two} has no bucket tenbin-bench, which host {one} has; the \
         hosts do not share their storage"
    ));
    run(&format!("--virtual-host --ipv4 --target one=http://{one}")).expect_measured();
    let nameless = run(&format!("--virtual-host --ipv4 --target two=http://{two}"));
    nameless
        .expect_code(3)
        .expect_stderr(&format!("(tenbin-bench.{two}): leave out --virtual-host"));
    assert!(stores.iter().all(|store| store.entries() == [".minio.sys"]));
}

#[test]
fn minio_takes_signatures_of_version_2() {
    let scratch = Scratch::new("signing-v2");
    let targets = both();
    let minio = &targets[..targets[1..].find("[[target]]").expect("a second") + 1];
    let minio = minio.replace("name = \"minio\"", "name = \"minio\"\nsignature = \"v2\"");
    let mut workloads = vec![mix("plain", ""), mix("checked", "checksum = \"md5\"")];
    for operation in ["delete", "delete-batch", "list", "copy"] {
        workloads.push(format!(
            "[[workload]]\nkind = \"s3\"\noperation = \"{operation}\"\nsize = \"1KiB\"\n\
             objects = 200\n"
        ));
    }
    let plan = plan(&scratch, &minio, &workloads.concat());
    let run = Tenbin::new(&scratch, ["run", &plan, "--json"])
        .within(Duration::from_secs(90))
        .run();
    expect_all_right(&run, workloads.len());
    scratch.expect_nobody_left(Duration::from_secs(10));
}

/// Sends an empty PUT of `path` with additional headers, and returns the status of the response.
/// Only headers named in `signed` are signed.
fn put_signed(server: &OwnServer, path: &str, extra: &[(&str, &str)], signed: &[&str]) -> u16 {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a time");
    let credentials = Credentials::literal("tenbin", "tenbin-secret");
    let mut signer = Signer::new(&credentials, "us-east-1", "s3");
    let date = signer.at(now.as_secs());
    let host = server.address.to_string();
    let mut sent: Vec<(&str, &[u8])> = vec![
        ("host", host.as_bytes()),
        ("x-amz-content-sha256", EMPTY_SHA256),
        ("x-amz-date", &date),
    ];
    sent.extend(extra.iter().map(|(name, value)| (*name, value.as_bytes())));
    sent.sort_unstable();
    let of_signature = sent.iter().copied();
    let of_signature: Vec<_> = of_signature
        .filter(|(name, _)| signed.contains(name))
        .collect();
    let signature = signer.sign(&Signed {
        method: b"PUT",
        path: path.as_bytes(),
        query: b"",
        headers: &of_signature,
        payload_hash: EMPTY_SHA256,
    });
    let mut request = format!("PUT {path} HTTP/1.1\r\nconnection: close\r\n").into_bytes();
    for (name, value) in &sent {
        request.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
    }
    request.extend(b"content-length: 0\r\nauthorization: ");
    signer.push_authorization(&mut request, &of_signature, &signature);
    request.extend(b"\r\n\r\n");
    let mut stream = TcpStream::connect(server.address).expect("connected");
    stream.write_all(&request).expect("sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    let status = response
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    status.unwrap_or_else(|| panic!("{response}"))
}

#[test]
fn the_built_in_server_demands_every_signature_that_s3_demands() {
    let scratch = Scratch::new("unsigned-headers");
    let server = OwnServer::start(
        &scratch,
        words(
            "serve s3 --listen 127.0.0.1:0 --access-key tenbin \
             --secret-key tenbin-secret",
        ),
    );
    let all = ["host", "x-amz-content-sha256", "x-amz-date"];
    assert_eq!(put_signed(&server, "/bucket", &[], &all), 200);
    assert_eq!(put_signed(&server, "/bucket/secret", &[], &all), 200);
    assert_eq!(
        put_signed(&server, "/bucket/a", &[], &[]),
        400,
        "nothing is signed"
    );
    assert_eq!(
        put_signed(&server, "/bucket/a", &[], &all[1..]),
        403,
        "host is not signed"
    );
    let copy = [("x-amz-copy-source", "/bucket/secret")];
    assert_eq!(
        put_signed(&server, "/bucket/a", &copy, &all),
        403,
        "its source is not signed"
    );
    let with_source = [
        "host", "x-amz-content-sha256", "x-amz-copy-source", "x-amz-date",
    ];
    assert_eq!(put_signed(&server, "/bucket/a", &copy, &with_source), 200);
    // A header without effect on the request can stay unsigned.
    assert_eq!(
        put_signed(&server, "/bucket/b", &[("x-trace", "1")], &all),
        200
    );
}
