//! nginx as a target: one process on a free port, with all files in the scratch directory.

use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::ports::free_port;
use super::processes::{kill_group, tied, wait_until};
use super::scratch::Scratch;
use super::servers::{Server, path_of};

/// nginx configuration for a response of 12 bytes from memory to every request.
const HELLO: &str = r#"location / { default_type text/plain; return 200 "hello world\n"; }"#;

/// A running nginx; killed on drop, and at the latest at the end of the thread that started it.
#[derive(Debug)]
pub(crate) struct Nginx {
    child: Child,
    port: u16,
}

impl Nginx {
    /// Starts nginx with the response `hello world` to every request.
    pub(crate) fn start(scratch: &Scratch) -> Self {
        Self::serving(scratch, HELLO)
    }

    /// Starts nginx with these lines inside `server { … }`.
    pub(crate) fn serving(scratch: &Scratch, locations: &str) -> Self {
        // Another test can take the free port before nginx binds it.
        let mut complaint = String::new();
        for _ in 0..5 {
            match Self::try_start(scratch, locations, "") {
                Ok(nginx) => return nginx,
                Err(log) => complaint = log,
            }
        }
        panic!("nginx does not start:\n{complaint}");
    }

    /// Starts nginx with additional `server { … }` blocks, created by `servers` for a free port.
    pub(crate) fn with_servers(scratch: &Scratch, servers: impl Fn(u16) -> String) -> (Self, u16) {
        let mut complaint = String::new();
        for _ in 0..5 {
            let port = free_port();
            match Self::try_start(scratch, HELLO, &servers(port)) {
                Ok(nginx) => return (nginx, port),
                Err(log) => complaint = log,
            }
        }
        panic!("nginx does not start:\n{complaint}");
    }

    /// Port on 127.0.0.1.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// `http://127.0.0.1:<port>/`.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// `name=url`, for `--target`.
    pub(crate) fn target(&self, name: &str) -> String {
        format!("{name}={}", self.url())
    }

    /// Process ID.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills the process with SIGKILL, like a crash.
    pub(crate) fn kill(&mut self) {
        kill_group(self.child.id());
        let _ = self.child.wait();
    }

    /// Starts nginx once. The error is nginx's log.
    fn try_start(scratch: &Scratch, locations: &str, servers: &str) -> Result<Self, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("nginx-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let home = scratch.join(&name);
        std::fs::create_dir(&home).expect("a directory for nginx");
        let port = free_port();
        let config = scratch.write(
            &format!("{name}/nginx.conf"),
            configuration(&home, port, locations, servers),
        );
        let log = format!("{home}/error.log");
        let mut child = tied(path_of(Server::Nginx))
            .args(["-p", &home, "-e", &log, "-c", &config])
            .env(scratch.mark().0, scratch.mark().1)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("nginx can be started");
        let mut ended = false;
        let is_up = wait_until(Duration::from_secs(30), || {
            ended = matches!(child.try_wait(), Ok(Some(_)));
            ended || TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        let nginx = Self { child, port };
        if is_up && !ended {
            return Ok(nginx);
        }
        drop(nginx);
        Err(std::fs::read_to_string(log).unwrap_or_default())
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        self.kill();
    }
}

fn configuration(home: &str, port: u16, locations: &str, servers: &str) -> String {
    // A single process without workers leaves no processes behind, and runs the same with and
    // without root.
    format!(
        r#"daemon off;
master_process off;
worker_processes 1;
pid "{home}/nginx.pid";
error_log "{home}/error.log" warn;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    tcp_nodelay on;
    keepalive_timeout 60s;
    keepalive_requests 1000000000;
    client_body_temp_path "{home}/body";
    proxy_temp_path "{home}/proxy";
    fastcgi_temp_path "{home}/fastcgi";
    uwsgi_temp_path "{home}/uwsgi";
    scgi_temp_path "{home}/scgi";
    server {{
        listen 127.0.0.1:{port} backlog=1024;
        {locations}
    }}
    {servers}
}}
"#
    )
}
