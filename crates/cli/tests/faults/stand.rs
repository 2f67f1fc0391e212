//! Helpers of the fault tests.

use std::net::TcpListener;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use crate::common::{Outcome, Scratch, Tenbin};

pub(crate) const SOON: Duration = Duration::from_secs(30);

/// The only run directory of the test.
pub(crate) fn run_directory(scratch: &Scratch) -> PathBuf {
    let mut runs: Vec<_> = std::fs::read_dir(scratch.path().join("runs"))
        .expect("a runs directory")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(runs.len(), 1, "{runs:?}");
    runs.remove(0)
}

/// Outcome of `tenbin show` for the only run.
pub(crate) fn shown(scratch: &Scratch) -> Outcome {
    let directory = run_directory(scratch);
    Tenbin::new(scratch, ["show".as_ref(), directory.as_os_str()]).run()
}

/// Starts a server that runs `serve` for every connection, and returns the port.
pub(crate) fn server(serve: impl Fn(std::net::TcpStream) + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its address").port();
    let serve = std::sync::Arc::new(serve);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let serve = serve.clone();
            thread::spawn(move || serve(stream));
        }
    });
    port
}

/// Number of operation lines in `intervals.jsonl` so far: one per operation and second.
pub(crate) fn measured_seconds(scratch: &Scratch) -> usize {
    let Ok(runs) = std::fs::read_dir(scratch.path().join("runs")) else {
        return 0;
    };
    runs.flatten()
        .filter_map(|run| std::fs::read_to_string(run.path().join("intervals.jsonl")).ok())
        .map(|text| {
            text.lines()
                .filter(|line| line.contains("\"kind\":\"operation\""))
                .count()
        })
        .sum()
}
