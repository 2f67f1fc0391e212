//! Targets behind TLS, and HTTP/2.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use super::common::{Certificates, Nginx, Scratch};
use super::{environment, expect_measured, expect_repeatable_plan, http, log};

/// nginx with TLS and the certificate `name`. `listen` is appended to the listen directive, `extra`
/// is inserted into the server block.
fn tls_nginx(
    scratch: &Scratch,
    certificates: &Certificates,
    name: &str,
    listen: &str,
    extra: &str,
) -> (Nginx, u16) {
    let pem = certificates.file(&format!("{name}.pem"));
    let key = certificates.file(&format!("{name}.key"));
    let log_file = scratch.join("log");
    Nginx::with_servers(scratch, |port| {
        format!(
            "log_format tls '$server_protocol $ssl_protocol $ssl_session_reused $ssl_server_name'; \
             server {{ listen 127.0.0.1:{port} ssl {listen}; ssl_certificate {pem}; \
             ssl_certificate_key {key}; access_log {log_file} tls; {extra} \
             location / {{ return 200 'hi'; }} }}"
        )
    })
}

#[test]
fn certificates_that_cannot_be_trusted_are_refused_in_one_sentence() {
    let scratch = Scratch::new("certificates");
    let certificates = Certificates::make(&scratch);
    let ca = certificates.file("ca.pem");
    let (_signed, port) = tls_nginx(&scratch, &certificates, "server", "", "");
    let target = format!("a=https://127.0.0.1:{port}/");
    let refused = |options: &str, sentence: &str| {
        let run = http(&scratch, options);
        run.expect_code(3).expect_stderr(sentence);
        assert_eq!(run.stderr.lines().count(), 1, "{run}");
    };
    refused(
        &format!("--target {target}"),
        "an authority that is not trusted here; trust it with --cacert FILE",
    );
    refused(
        &format!("--target {target} --cacert {ca} --server-name other.test"),
        "not for other.test; set the right name with --server-name HOST",
    );
    let key = certificates.file("ca.key");
    refused(
        &format!("--target {target} --cacert {key}"),
        "holds no certificate in PEM form",
    );
    let (_alone, port) = tls_nginx(&scratch, &certificates, "alone", "", "");
    let alone = format!("a=https://127.0.0.1:{port}/");
    refused(
        &format!("--target {alone}"),
        "its certificate is self-signed; trust it with --cacert FILE",
    );
    refused(
        &format!("--target {alone} --cacert {ca}"),
        "ca.pem has signed its certificate, which is self-signed; give",
    );
    let server = certificates.file("server.pem");
    refused(
        &format!(
            "--target {target} --cacert {}",
            certificates.file("alone.pem")
        ),
        "alone.pem has signed its certificate; give",
    );
    refused(
        &format!("--target {target} --cert {server} --key {key}"),
        "ca.key does not belong to the certificate in",
    );
    let no_tls = target.replace("https://", "http://");
    refused(
        &format!("--target {no_tls}"),
        "speaks TLS; write https:// in its url",
    );
    let own = certificates.file("alone.pem");
    refused(
        &format!("--target {alone} --cacert {own} --server-name other.test"),
        "its certificate is for 127.0.0.1, not for other.test;",
    );
    let plain = Nginx::start(&scratch);
    let not_tls = format!("a=https://127.0.0.1:{}/", plain.port());
    refused(
        &format!("--target {not_tls}"),
        "does not speak TLS; use http:// in its url",
    );
}

/// A port whose connections `behave` handles.
fn listening(behave: impl Fn(TcpStream) + Send + Sync + Clone + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let behave = behave.clone();
            std::thread::spawn(move || behave(stream));
        }
    });
    port
}

/// Passes a connection that begins with a TLS handshake on to `port`, and is silent to all others.
fn only_tls(mut client: TcpStream, port: u16) {
    let mut first = [0];
    let begins_with_tls = client.peek(&mut first).is_ok_and(|_| first == [0x16]);
    if !begins_with_tls {
        let _ = std::io::copy(&mut client, &mut std::io::sink());
        return;
    }
    let mut server = TcpStream::connect(("127.0.0.1", port)).expect("nginx");
    let (mut from, mut to) = (
        client.try_clone().expect("the client"),
        server.try_clone().expect("the server"),
    );
    std::thread::spawn(move || std::io::copy(&mut from, &mut to));
    let _ = std::io::copy(&mut server, &mut client);
}

/// Reads lines up to an empty one, as a small HTTP server does, and only then responds.
fn only_lines(client: TcpStream) {
    let mut lines = BufReader::new(&client).lines();
    let is_head = lines.any(|line| line.is_ok_and(|line| line.is_empty()));
    if is_head {
        let _ = (&client).write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    }
}

#[test]
fn a_server_that_is_silent_to_the_wrong_scheme_is_named_at_once() {
    let scratch = Scratch::new("other-scheme");
    let certificates = Certificates::make(&scratch);
    let (_nginx, port) = tls_nginx(&scratch, &certificates, "server", "", "");
    let tls = listening(move |client| only_tls(client, port));
    let plain = listening(only_lines);
    for (url, sentence) in [
        (
            format!("http://127.0.0.1:{tls}/"),
            format!("127.0.0.1:{tls} speaks TLS; write https:// in its url"),
        ),
        (
            format!("https://127.0.0.1:{plain}/"),
            format!("127.0.0.1:{plain} does not speak TLS; use http:// in its url"),
        ),
    ] {
        let begun = Instant::now();
        let run = http(&scratch, &format!("--target a={url}"));
        run.expect_code(3).expect_stderr(&sentence);
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(5), "{took:?}: {run}");
    }
}

#[test]
fn tls_is_measured_with_an_own_authority_and_a_name() {
    let scratch = Scratch::new("tls");
    let certificates = Certificates::make(&scratch);
    let ca = certificates.file("ca.pem");
    let (_nginx, port) = tls_nginx(&scratch, &certificates, "server", "", "");
    let target = format!("a=https://db.test:{port}/");
    let pin = format!("db.test:{port}:127.0.0.1");
    let options = format!("--target {target} --resolve {pin} --cacert {ca}");
    let run = http(&scratch, &format!("{options} --tls-version 1.2"));
    expect_measured(&run);
    let seen = log(&scratch, "log");
    assert!(
        seen.iter().all(|line| line == "HTTP/1.1 TLSv1.2 . db.test"),
        "{:?}",
        seen.last()
    );
    assert!(expect_repeatable_plan(&scratch).contains(&format!("tls = {{ ca = \"{ca}\"")));
}

#[test]
fn insecure_is_said_loudly() {
    let scratch = Scratch::new("insecure");
    let certificates = Certificates::make(&scratch);
    let (_nginx, port) = tls_nginx(&scratch, &certificates, "alone", "", "");
    let target = format!("a=https://localhost:{port}/");
    let run = http(&scratch, &format!("--target {target} --insecure"));
    run.expect_stderr("its certificate is NOT checked (insecure)");
    expect_measured(&run);
    assert_eq!(environment(&scratch)["targets"]["a"]["insecure"], true);
}

#[test]
fn a_self_signed_certificate_can_vouch_for_itself() {
    let scratch = Scratch::new("self-signed");
    let certificates = Certificates::make(&scratch);
    let (_nginx, port) = tls_nginx(&scratch, &certificates, "alone", "", "");
    let target = format!("a=https://127.0.0.1:{port}/");
    let run = http(
        &scratch,
        &format!(
            "--target {target} --cacert {}",
            certificates.file("alone.pem")
        ),
    );
    expect_measured(&run);
}

#[test]
fn a_client_certificate_is_shown() {
    let scratch = Scratch::new("mtls");
    let certificates = Certificates::make(&scratch);
    let ca = certificates.file("ca.pem");
    let wants = format!("ssl_verify_client on; ssl_client_certificate {ca};");
    let (_nginx, port) = tls_nginx(&scratch, &certificates, "server", "", &wants);
    let target = format!("a=https://127.0.0.1:{port}/");
    let options = format!("--target {target} --cacert {ca}");
    let (pem, key) = (
        certificates.file("client.pem"),
        certificates.file("client.key"),
    );
    let run = http(&scratch, &format!("{options} --cert {pem} --key {key}"));
    expect_measured(&run);
    // Without a client certificate, the handshake succeeds and nginx responds with 400.
    http(&scratch, &options)
        .expect_code(3)
        .expect_stderr("requires a client certificate; set one with --cert FILE");
}

#[test]
fn sessions_are_resumed_only_when_asked_for() {
    let scratch = Scratch::new("resumption");
    let certificates = Certificates::make(&scratch);
    let ca = certificates.file("ca.pem");
    let (_nginx, port) = tls_nginx(&scratch, &certificates, "server", "", "");
    let target = format!("a=https://127.0.0.1:{port}/");
    let options = format!("--target {target} --cacert {ca} --no-keep-alive");
    expect_measured(&http(&scratch, &options));
    let resumed = || {
        log(&scratch, "log")
            .iter()
            .filter(|line| line.contains(" r "))
            .count()
    };
    assert_eq!(resumed(), 0);
    expect_measured(&http(&scratch, &format!("{options} --tls-resume")));
    assert!(resumed() > 0);
}

#[test]
fn http2_is_measured_over_tls_and_in_clear_text() {
    let scratch = Scratch::new("http2");
    let certificates = Certificates::make(&scratch);
    let ca = certificates.file("ca.pem");
    let (_tls, port) = tls_nginx(&scratch, &certificates, "server", "http2", "");
    let target = format!("a=https://127.0.0.1:{port}/");
    let streams = "--http 2 --streams 8";
    let run = http(
        &scratch,
        &format!("--target {target} --cacert {ca} {streams}"),
    );
    expect_measured(&run);
    let seen = log(&scratch, "log");
    assert!(
        seen.iter().all(|line| line.starts_with("HTTP/2.0 ")),
        "{:?}",
        seen.last()
    );

    let (_clear, port) = Nginx::with_servers(&scratch, |port| {
        format!("server {{ listen 127.0.0.1:{port} http2; location / {{ return 200 'hi'; }} }}")
    });
    let target = format!("a=http://127.0.0.1:{port}/");
    expect_measured(&http(&scratch, &format!("--target {target} {streams}")));
}

#[test]
fn a_server_without_http2_is_refused_in_one_sentence() {
    let scratch = Scratch::new("no-http2");
    let certificates = Certificates::make(&scratch);
    let ca = certificates.file("ca.pem");
    let (nginx, port) = tls_nginx(&scratch, &certificates, "server", "", "");
    let target = format!("a=https://127.0.0.1:{port}/");
    http(
        &scratch,
        &format!("--target {target} --cacert {ca} --http 2"),
    )
    .expect_code(3)
    .expect_stderr("HTTP version over TLS (ALPN); choose another with --http");
    http(
        &scratch,
        &format!("--target {} --http 2", nginx.target("a")),
    )
    .expect_code(3)
    .expect_stderr("does not speak HTTP/2");
}
