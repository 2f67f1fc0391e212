//! The built-in blob server, and the figures of a run against it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use crate::common::{Outcome, OwnServer, Running, Scratch, Tenbin};

/// The built-in blob server as a separate process.
pub(crate) struct Blobs(OwnServer);

impl Blobs {
    pub(crate) fn start(scratch: &Scratch, options: &[&str]) -> Self {
        let fixed = ["serve", "blob", "--listen", "127.0.0.1:0"];
        Self(OwnServer::start(scratch, fixed.iter().chain(options)))
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.0.address)
    }

    /// Number of stored blobs once the server has removed what was deleted: by default, blobs stay
    /// for 50 ms after the response to their DELETE.
    pub(crate) fn settled(&self) -> u64 {
        std::thread::sleep(Duration::from_millis(200));
        self.held()
    }

    /// Number of stored blobs, each of one piece.
    pub(crate) fn held(&self) -> u64 {
        let mut stream = TcpStream::connect(self.0.address).expect("connected");
        stream
            .write_all(b"GET /metrics HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            .expect("asked");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answered");
        let number = answer.trim_end().rsplit(' ').next();
        number
            .and_then(|number| number.parse().ok())
            .expect("a number")
    }
}

pub(crate) fn blob(scratch: &Scratch, server: &Blobs, options: &str) -> Outcome {
    started(scratch, server, options).wait(Duration::from_secs(180))
}

pub(crate) fn started(scratch: &Scratch, server: &Blobs, options: &str) -> Running {
    let url = server.url();
    let words = [
        "blob", "--json", "--target", &url, "--warmup", "0s", "--gap", "0s",
    ];
    let common = ["--connections", "4", "--threads", "2"];
    let size = ["--size", "10KiB"].into_iter();
    let size = size.filter(|_| !options.contains("--size"));
    let words = words.into_iter().chain(common);
    let words = words.chain(size).chain(options.split_whitespace());
    Tenbin::new(scratch, words).start()
}

/// The result of the first workload whose name starts with `workload`.
pub(crate) fn result(run: &Outcome, workload: &str) -> Value {
    let document: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run}"));
    let results = document["results"].as_array().expect("results");
    let own = |result: &&Value| {
        let name = result["workload"].as_str().unwrap_or_default();
        name.starts_with(workload)
    };
    let found = results.iter().find(own);
    found
        .cloned()
        .unwrap_or_else(|| panic!("no {workload}: {run}"))
}

pub(crate) fn ok(run: &Outcome, workload: &str) -> u64 {
    result(run, workload)["ok"].as_u64().expect("a count")
}

pub(crate) fn failed(run: &Outcome, workload: &str) -> u64 {
    result(run, workload)["failed"].as_u64().expect("a count")
}

/// Number of failures of a class over all workloads, and the messages of all failures.
pub(crate) fn failures(run: &Outcome, class: &str) -> (u64, String) {
    let document: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run}"));
    let results = document["results"].as_array().expect("results").iter();
    let operations = results.flat_map(|result| result["operations"].as_array());
    let (mut count, mut texts) = (0, String::new());
    for operation in operations.flatten() {
        count += operation["errors"][class].as_u64().unwrap_or(0);
        for (text, _) in operation["failures"].as_object().into_iter().flatten() {
            texts += text;
            texts.push('\n');
        }
    }
    (count, texts)
}

/// Number of successful operations of this name in a workload.
pub(crate) fn steps(run: &Outcome, workload: &str, operation: &str) -> u64 {
    let result = result(run, workload);
    let mut all = result["operations"].as_array().expect("operations").iter();
    let found = all.find(|one| one["operation"] == operation);
    found
        .and_then(|one| one["ok"].as_u64())
        .unwrap_or_else(|| panic!("no {operation}: {run}"))
}

/// Evidence of all `errors` findings.
pub(crate) fn errors_found(run: &Outcome) -> String {
    let document: Value =
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run}"));
    let findings = document["findings"].as_array().expect("findings").iter();
    let errors = findings.filter(|finding| finding["rule"] == "errors");
    errors
        .filter_map(|finding| finding["evidence"].as_str())
        .collect()
}
