//! Requests to the built-in S3 server with a wrong signature, or changed after signing. Each case
//! starts from a valid request of the AWS Signature Version 4 test suite, adapted to S3.

mod request;
mod rows;

use std::net::SocketAddr;

use request::{Answer, Case, Presigned};
use rows::{ALTERED, BASES, Base, PRESIGNED, SIGNED_SO};

use crate::common::{OwnServer, Scratch, words};

const CONTENT: &str = "hello";

fn server(scratch: &Scratch) -> OwnServer {
    let arguments = format!(
        "serve s3 --listen 127.0.0.1:0 --access-key {} --secret-key {}",
        request::KEY,
        request::SECRET
    );
    OwnServer::start(scratch, words(arguments))
}

fn base(name: &str) -> Case {
    let base: &Base = BASES
        .iter()
        .find(|base| base.name == name)
        .unwrap_or_else(|| panic!("no case {name}"));
    (base.change)(Case::get("/bucket/object"))
}

/// Creates the bucket, and an object for each path that a case reads.
fn fill(at: SocketAddr) {
    let mut paths = vec!["/bucket".to_owned(), "/bucket/object".to_owned()];
    let of_objects = BASES.iter().map(|base| self::base(base.name).path);
    paths.extend(of_objects.filter(|path| path != "/bucket"));
    for path in &paths {
        let put = Case::put(path, if path == "/bucket" { "" } else { CONTENT });
        assert_eq!(put.sign(at).send(at), Answer::ok(), "PUT {path}");
    }
}

#[test]
fn a_wrong_or_altered_signature_is_refused_with_the_code_of_s3() {
    let scratch = Scratch::new("signatures");
    let server = server(&scratch);
    let at = server.address;
    fill(at);
    for base in BASES {
        let answer = self::base(base.name).sign(at).send(at);
        assert_eq!(answer, Answer::ok(), "{}", base.name);
    }
    let mut wrong = Vec::new();
    let mut compare = |name: String, answer: Answer, expected: (u16, &str)| {
        if answer != Answer::of(expected) {
            wrong.push(format!("{name}: {answer:?}, not {expected:?}"));
        }
    };
    for row in SIGNED_SO {
        let mut case = base(row.base);
        (row.change)(&mut case);
        let name = format!("{}, {}", row.base, row.what);
        compare(name, case.sign(at).send(at), row.expected);
    }
    for row in ALTERED {
        let mut sent = base(row.base).sign(at);
        (row.change)(&mut sent);
        compare(
            format!("{}, {}", row.base, row.what),
            sent.send(at),
            row.expected,
        );
    }
    for row in PRESIGNED {
        let mut presigned = Presigned::new("PUT", "/bucket/object");
        (row.before)(&mut presigned);
        let mut sent = presigned.sign(at);
        (row.after)(&mut sent);
        compare(
            format!("presigned, {}", row.what),
            sent.send(at),
            row.expected,
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    // The rejected requests had no effect.
    let stolen = Case::get("/bucket/stolen").sign(at).send(at);
    assert_eq!(stolen, Answer::of((404, "NoSuchKey")));
    assert_eq!(base("get-vanilla").sign(at).send(at), Answer::ok());
}
