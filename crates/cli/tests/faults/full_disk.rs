//! A server on a full disk that Tenbin did not launch.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::thread;

use crate::common::{Scratch, free_port};

/// Environment variable with the port of a store, set when a test starts this binary as a target.
const STORE: &str = "TENBIN_TEST_STORE";

/// The target of the next test, not a test. Stores each body as a file in its working directory, and
/// responds with a bare 500 if it cannot.
#[test]
fn stores() {
    let Ok(port) = std::env::var(STORE) else {
        return;
    };
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).expect("the port");
    std::fs::write("ready", "").expect("its directory");
    for (connection, stream) in (0..).zip(listener.incoming().flatten()) {
        thread::spawn(move || store(&stream, connection));
    }
}

fn store(mut stream: &TcpStream, connection: u32) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    for request in 0.. {
        let (mut length, mut line) = (0, String::new());
        while reader.read_line(&mut line)? > 2 {
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            line.clear();
        }
        if line.is_empty() {
            break;
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let status = match std::fs::write(format!("{connection}-{request}"), &body) {
            Ok(()) => "200 OK",
            Err(_) => "500 Internal Server Error",
        };
        let response = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
        stream.write_all(response.as_bytes())?;
    }
    Ok(())
}

#[test]
fn the_full_disk_of_a_server_that_was_not_launched_is_named() {
    let scratch = Scratch::new("full-server-disk");
    let small = scratch.join("small");
    std::fs::create_dir(&small).expect("a mount point");
    let body = scratch.write("body", vec![b'x'; 64 << 10]);
    let port = free_port();
    let script = format!(
        "mount -t tmpfs -o size=4m tmpfs '{small}' || exit 99
         (cd '{small}' && exec env {STORE}={port} '{binary}' --exact full_disk::stores) > store.log 2>&1 &
         store=$!
         for second in $(seq 60); do [ -e '{small}/ready' ] && break; sleep 1; done
         '{tenbin}' http --target store=http://127.0.0.1:{port}/ --method POST --body-file '{body}' \
             --connections 1 --warmup 0s --slice 300ms --rounds 2
         code=$?; kill $store; exit $code",
        binary = std::env::current_exe().expect("this binary").display(),
        tenbin = env!("CARGO_BIN_EXE_tenbin"),
    );
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "--", "sh", "-c", &script])
        .current_dir(scratch.path())
        .env(scratch.mark().0, scratch.mark().1)
        .output()
        .expect("unshare can be started");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let said = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    // 4 if the disk is full before the first slice, in which all requests then fail.
    assert!(
        matches!(output.status.code(), Some(4 | 6)),
        "{stderr}\n{stdout}"
    );
    assert!(
        said.contains("of 4.00 MiB were free on a disk that the target uses"),
        "{stderr}\n{stdout}"
    );
    assert!(said.contains("free space on the target's disk"), "{stdout}");
}
