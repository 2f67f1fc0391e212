//! Tests of the check that all hosts of a target serve the same objects.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod support;

use std::collections::BTreeMap;

use support::{Request, Response, drive_stage, response, s3_work, site};
use tenbin_engine::Judgement;
use tenbin_plan::{DataSet, S3Operation, S3Work, Style, WorkloadKind};
use tenbin_workloads::{Stage, prepare};
use url::Url;

const LISTING: &str = "<ListBucketResult></ListBucketResult>";

/// A host with one bucket, or a view of the bucket of another host.
#[derive(Default)]
struct Host {
    has_no_bucket: bool,
    objects: BTreeMap<String, Vec<u8>>,
    /// Number of GET requests for objects that are answered with 404, although the object exists.
    late: usize,
    seen: Vec<String>,
}

impl Host {
    fn response(&mut self, request: &Request) -> Response {
        self.seen.push(request.method.clone());
        let error = |code: &str| response(404, format!("<Error><Code>{code}</Code></Error>"));
        if self.has_no_bucket {
            return error("NoSuchBucket");
        }
        match request.method.as_str() {
            "PUT" => {
                let (path, body) = (request.path.clone(), request.body.clone());
                self.objects.insert(path, body);
                let version = "x-amz-version-id: a/b".to_owned();
                Response::Headed(200, version, Vec::new())
            }
            "DELETE" => {
                let path = request.path.strip_suffix("?versionId=a%2Fb").unwrap();
                self.objects.remove(path).unwrap();
                response(204, "")
            }
            _ if request.path.contains("list-type=2") => response(200, LISTING),
            _ if self.late > 0 => {
                self.late -= 1;
                error("NoSuchKey")
            }
            _ => match self.objects.get(&request.path) {
                Some(body) => response(200, body.clone()),
                None => error("NoSuchKey"),
            },
        }
    }
}

/// Runs the check on two hosts. `server` selects the host that serves requests to a host.
fn check(
    change: impl Fn(&mut S3Work),
    hosts: &mut [Host],
    server: impl Fn(usize) -> usize,
) -> Result<(), String> {
    let mut work = s3_work(S3Operation::Get, 10, 20);
    if let WorkloadKind::S3(s3) = &mut work.kind {
        change(s3);
    }
    let site = site("http://one:9000").and_host(&Url::parse("http://two:9000").unwrap());
    let mut prepared = prepare(&work, &site, 1, 1).unwrap();
    let stages = std::iter::from_fn(|| prepared.before_run());
    for mut stage in stages.take_while(|stage| stage.host.is_some()) {
        let host = &mut hosts[server(stage.host.unwrap())];
        let judged = drive_stage(&mut stage, &mut |request| host.response(request));
        for one in judged {
            match one.unwrap() {
                Judgement::Failed(_, why) if stage.must_succeed => return Err(why),
                other => assert_eq!(other, Judgement::Correct),
            }
        }
    }
    Ok(())
}

fn as_planned(_: &mut S3Work) {}

#[test]
fn hosts_with_one_storage_pass_and_the_object_is_deleted() {
    let mut hosts = [Host::default()];
    assert_eq!(check(as_planned, &mut hosts, |_| 0), Ok(()));
    assert!(hosts[0].objects.is_empty());
    assert_eq!(hosts[0].seen, ["PUT", "GET", "DELETE"]);

    hosts[0].late = 5;
    assert_eq!(check(as_planned, &mut hosts, |_| 0), Ok(()));
}

#[test]
fn an_object_of_an_interrupted_check_is_deleted_after_the_run() {
    let work = s3_work(S3Operation::Get, 10, 20);
    let site = site("http://one:9000").and_host(&Url::parse("http://two:9000").unwrap());
    let mut prepared = prepare(&work, &site, 1, 1).unwrap();
    let mut host = Host::default();
    let mut drive = |stage: Option<Stage>| {
        let mut stage = stage.expect("a stage");
        drive_stage(&mut stage, &mut |request| host.response(request));
        host.seen.clone()
    };
    assert_eq!(drive(prepared.before_run()), ["PUT"]);
    // The reads are interrupted.
    assert_eq!(drive(prepared.after_run()), ["PUT", "DELETE"]);
    assert!(host.objects.is_empty());
}

#[test]
fn a_host_without_the_bucket_or_the_object_is_named() {
    let missing = Host {
        has_no_bucket: true,
        ..Host::default()
    };
    let mut hosts = [Host::default(), missing];
    let found = check(as_planned, &mut hosts, |host| host);
    assert_eq!(
        found.unwrap_err(),
        "host two:9000 has no bucket box, which host one:9000 has; the hosts do not share their \
         storage: measure each as a separate target (--target NAME=URL)"
    );
    assert!(hosts[0].objects.is_empty());

    let mut hosts = [Host::default(), Host::default()];
    let found = check(as_planned, &mut hosts, |host| host).unwrap_err();
    let expected = "host two:9000 does not have an object that was stored on host one:9000; ";
    assert!(found.starts_with(expected), "{found}");
}

#[test]
fn nothing_is_stored_beside_existing_objects() {
    let existing = |s3: &mut S3Work| s3.data = DataSet::Existing;
    let mut hosts = [Host::default(), Host::default()];
    assert_eq!(check(existing, &mut hosts, |host| host), Ok(()));
    assert_eq!(hosts.each_ref().map(|host| host.seen.len()), [1, 1]);
    hosts[1].has_no_bucket = true;
    let found = check(existing, &mut hosts, |host| host).unwrap_err();
    assert!(
        found.starts_with("host two:9000 has no bucket box"),
        "{found}"
    );
    let seen = hosts.iter().flat_map(|host| &host.seen);
    assert!(seen.into_iter().all(|method| method == "GET"));
}

#[test]
fn a_server_without_buckets_in_host_names_is_told_before_the_run() {
    let in_host = |s3: &mut S3Work| s3.style = Style::Virtual;
    let mut hosts = [Host {
        has_no_bucket: true,
        ..Host::default()
    }];
    assert_eq!(
        check(in_host, &mut hosts, |_| 0).unwrap_err(),
        "an object cannot be stored in bucket box: the server responded with 404 NoSuchBucket; the \
         bucket is named in the host name (box.one:9000): leave out --virtual-host (style = \
         \"virtual\"), or set the domain of the server"
    );
    hosts[0].has_no_bucket = false;
    assert_eq!(check(in_host, &mut hosts, |_| 0), Ok(()));
    assert_eq!(hosts[0].seen, ["PUT", "PUT", "GET", "GET", "DELETE"]);
}
