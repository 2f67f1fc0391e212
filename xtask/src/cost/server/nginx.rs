//! nginx with the same response of 12 bytes to every request, from memory, and a file of 1 MiB.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::process::{Process, Site, listens};
use crate::shell;

/// Path of the file of 1 MiB.
pub(crate) const LARGE: &str = "large";
const LARGE_SIZE: usize = 1 << 20;

pub(super) fn start(tls: bool) -> Result<Process> {
    let program =
        shell::find_program("nginx").context("nginx is missing; run `cargo xtask setup`")?;
    let site = Site::new("nginx")?;
    if tls {
        make_certificate(&site.home)?;
    }
    let home = site.home.clone();
    std::fs::write(home.join(LARGE), vec![b'x'; LARGE_SIZE])?;
    let config = home.join("nginx.conf");
    std::fs::write(&config, configuration(&home, site.port, tls))?;
    Process::start(
        site,
        |command| {
            command
                .arg(program)
                .arg("-c")
                .arg(&config)
                .arg("-e")
                .arg(home.join("error.log"));
        },
        listens,
    )
}

/// Creates a self-signed ECDSA P-256 certificate, the most common kind today.
fn make_certificate(home: &Path) -> Result<()> {
    let arguments = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
                     -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
                     -keyout key.pem -out certificate.pem";
    shell::output_of(
        Command::new("openssl")
            .args(arguments.split_whitespace())
            .current_dir(home),
    )
    .context("a certificate is made with openssl")?;
    Ok(())
}

fn configuration(home: &Path, port: u16, tls: bool) -> String {
    let home = home.display();
    // One cipher suite for all load generators, which otherwise would choose different suites, and a
    // full handshake for every connection, also for load generators that would resume sessions.
    let security = if tls {
        format!(
            "ssl_certificate {home}/certificate.pem; ssl_certificate_key {home}/key.pem; \
             ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256; \
             ssl_session_tickets off;"
        )
    } else {
        String::new()
    };
    let ssl = if tls { "ssl http2" } else { "" };
    format!(
        r#"daemon off; master_process off; worker_processes 1;
pid "{home}/nginx.pid";
events {{ worker_connections 16384; }}
http {{
    access_log off;
    sendfile on;
    keepalive_requests 1000000000;
    client_body_temp_path "{home}/body"; proxy_temp_path "{home}/proxy";
    fastcgi_temp_path "{home}/fastcgi"; uwsgi_temp_path "{home}/uwsgi"; scgi_temp_path "{home}/scgi";
    server {{
        listen 127.0.0.1:{port} {ssl} backlog=4096;
        {security}
        location = /{LARGE} {{ root "{home}"; }}
        location / {{ default_type text/plain; return 200 "hello world\n"; }}
    }}
}}
"#
    )
}
