//! Runs a real browser without a window: Chromium, as installed by `cargo xtask setup`.

#![allow(dead_code, reason = "not every test file needs all of it")]

pub(crate) mod axe;
pub(crate) mod devtools;

use std::io::Write as _;
use std::net::TcpListener;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Options for a browser without a window and without network.
const OPTIONS: [&str; 8] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/// The result of loading a page.
pub(crate) struct Dumped {
    /// The document, as text, after scripts and loads have had time to finish.
    pub(crate) dom: String,
    /// Messages on the console: errors, policy violations, output of scripts.
    pub(crate) console: Vec<String>,
    /// Size of the page printed as PDF, bytes.
    pub(crate) printed: u64,
}

/// Opens a page given as HTML.
pub(crate) fn dump(page: &str) -> Dumped {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("page.html");
    std::fs::write(&file, page).unwrap();
    dump_at(&format!("file://{}", file.display()))
}

/// Opens the page at this URL.
pub(crate) fn dump_at(url: &str) -> Dumped {
    let directory = tempfile::tempdir().unwrap();
    let printed = directory.path().join("page.pdf");
    let run = |what: &str| {
        let output = Command::new("chromium")
            .args(OPTIONS)
            .args([
                "--enable-logging=stderr", "--virtual-time-budget=3000", "--window-size=1280,800",
            ])
            .arg(format!(
                "--user-data-dir={}",
                directory.path().join("profile").display()
            ))
            .arg(what)
            .arg(url)
            .output()
            .expect("chromium, which `cargo xtask setup` installs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        output
    };
    let dumped = run("--dump-dom");
    run(&format!("--print-to-pdf={}", printed.display()));
    let said = String::from_utf8_lossy(&dumped.stderr).into_owned();
    let console = said.lines().filter(|line| line.contains(":CONSOLE"));
    Dumped {
        dom: String::from_utf8_lossy(&dumped.stdout).into_owned(),
        console: console.map(str::to_owned).collect(),
        printed: std::fs::metadata(printed).unwrap().len(),
    }
}

/// Listens on an address and counts the connections.
pub(crate) struct Listener {
    port: u16,
    requests: Arc<AtomicUsize>,
}

impl Listener {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&requests);
        std::thread::spawn(move || {
            for mut connection in listener.incoming().flatten() {
                seen.fetch_add(1, Ordering::SeqCst);
                let _ =
                    connection.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
            }
        });
        Self { port, requests }
    }

    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}
