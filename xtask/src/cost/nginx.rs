//! The server that all contenders ask: nginx on the last core.

use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::shell;

/// A running nginx, killed when it goes out of scope.
pub(super) struct Nginx {
    child: Child,
    port: u16,
    home: PathBuf,
}

impl Nginx {
    /// Answers every request with 12 bytes from memory.
    pub(super) fn start() -> Result<Self> {
        let program =
            shell::find_program("nginx").context("nginx is missing; run `cargo xtask setup`")?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")?
            .local_addr()?
            .port();
        let home = std::env::temp_dir().join(format!("tenbin-cost-nginx-{}", std::process::id()));
        std::fs::create_dir_all(&home)?;
        let config = home.join("nginx.conf");
        std::fs::write(&config, configuration(&home.display().to_string(), port))?;
        let last = std::thread::available_parallelism().map_or(0, |cores| cores.get() - 1);
        let child = Command::new("taskset")
            .args(["--cpu-list", &last.to_string()])
            .arg(program)
            .arg("-c")
            .arg(&config)
            .arg("-e")
            .arg(home.join("error.log"))
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let nginx = Self { child, port, home };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if start.elapsed() > Duration::from_secs(10) {
                bail!("nginx does not come up");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(nginx)
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

fn configuration(home: &str, port: u16) -> String {
    format!(
        r#"daemon off; master_process off; worker_processes 1;
pid "{home}/nginx.pid";
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path "{home}/body"; proxy_temp_path "{home}/proxy";
    fastcgi_temp_path "{home}/fastcgi"; uwsgi_temp_path "{home}/uwsgi"; scgi_temp_path "{home}/scgi";
    server {{
        listen 127.0.0.1:{port} backlog=1024;
        location / {{ default_type text/plain; return 200 "hello world\n"; }}
    }}
}}
"#
    )
}
