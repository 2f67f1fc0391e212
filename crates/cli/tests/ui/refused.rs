//! Requests that are refused: without the token, for another host, from another page, and for paths that
//! lead elsewhere.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::SystemTime;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use crate::client::{SOON, Ui};
use crate::common::{Scratch, Tenbin, wait_until};
use crate::stand::small;

/// What is only outside of the directory.
const OUTSIDE: &str = "outside-of-the-directory";
const RUN: &str = "2026-01-01T120000-a";

/// A directory of one run, with links that lead out of it.
fn stand(scratch: &Scratch) -> std::path::PathBuf {
    let root = scratch.path().join("runs");
    let run = small(&root, RUN, "valid", "b is faster than a");
    fs::write(run.join("left.json"), "[]").expect("a file");
    let outside = scratch.path().join("outside");
    let other = small(&outside, "2026-01-02T120000-o", "valid", OUTSIDE);
    for file in ["report.html", "label.txt", "note.txt"] {
        fs::write(other.join(file), OUTSIDE).expect("a file");
        symlink(other.join(file), run.join(file)).expect("a link");
    }
    symlink(&other, root.join("2026-01-02T120000-o")).expect("a link");
    symlink(outside, root.join("2026-01-03T120000-o")).expect("a link");
    let linked = root.join("2026-01-04T120000-l");
    fs::create_dir(&linked).expect("a directory");
    for file in ["plan.toml", "result.json"] {
        symlink(other.join(file), linked.join(file)).expect("a link");
    }
    fs::write(root.join("secret.txt"), OUTSIDE).expect("a file");
    let trash = root.join(".trash");
    small(&trash, "2026-01-05T120000-t", "valid", OUTSIDE);
    root
}

#[test]
fn only_who_has_the_token_at_this_host_sees_a_page() {
    let scratch = Scratch::new("ui-token");
    stand(&scratch);
    let ui = Ui::start(&scratch, "");
    let host = format!("Host: {}\r\n", ui.host);
    let opened = ui.send("GET", &format!("?token={}", ui.token), &host, "");
    assert_eq!(opened.status, 200, "{}", opened.head);
    for part in [
        format!(
            "Set-Cookie: tenbin={}; Path={}; HttpOnly; SameSite=Strict",
            ui.token, ui.base
        ),
        format!("Refresh: 0; url={}", ui.base),
        "Content-Security-Policy: default-src 'none'; style-src 'sha256-".to_owned(),
        "X-Content-Type-Options: nosniff".to_owned(),
        "Cache-Control: no-store".to_owned(),
        "X-Frame-Options: DENY".to_owned(),
        "Cross-Origin-Resource-Policy: same-origin".to_owned(),
        "Referrer-Policy: same-origin".to_owned(),
    ] {
        assert!(opened.head.contains(&part), "{part} in {}", opened.head);
    }
    assert!(!opened.body.contains(RUN));
    let (cut, last) = ui.token.split_at(ui.token.len() - 1);
    let other_last = if last == "0" { "1" } else { "0" };
    for (page, headers, status) in [
        ("", host.clone(), 403),
        (&format!("?token={cut}")[..], host.clone(), 403),
        ("?token=", host.clone(), 403),
        (
            &format!("run/{RUN}")[..],
            format!("{host}Cookie: tenbin={cut}\r\n"),
            403,
        ),
        (
            &format!("run/{RUN}")[..],
            format!("{host}Cookie: tenbin={cut}{other_last}\r\n"),
            403,
        ),
        ("", ui.headers(), 200),
        ("", format!("{}Cookie: other=1\r\n", ui.headers()), 200),
        ("", ui.headers().replace("127.0.0.1", "localhost"), 200),
        ("", ui.headers().replace("127.0.0.1", "[::1]"), 200),
        ("", ui.headers().replace("127.0.0.1", "evil.example"), 421),
        (
            "",
            ui.headers().replace("127.0.0.1", "127.0.0.1.evil.example"),
            421,
        ),
        ("", ui.headers().replace(&ui.host, "127.0.0.1:1"), 421),
        ("", ui.headers().replace(&ui.host, "127.0.0.1"), 421),
        ("", format!("{}{host}", ui.headers()), 421),
        ("", ui.headers().replace(&host, ""), 421),
    ] {
        let reply = ui.send("GET", page, &headers, "");
        assert_eq!(reply.status, status, "{page} {headers}");
        assert_eq!(reply.body.contains(RUN), status == 200, "{}", reply.body);
    }
    let other =
        ui.raw(format!("GET /{}/ HTTP/1.1\r\n{}\r\n", "0".repeat(32), ui.headers()).as_bytes());
    assert_eq!(other.status, 403);
    let deleted = ui.send("DELETE", &format!("run/{RUN}"), &ui.headers(), "");
    assert!(
        deleted.status == 405 && deleted.head.contains("Allow: GET, POST"),
        "{}",
        deleted.head
    );
    ui.end();
    for (line, code, wrong) in [
        ("ui nowhere", 2, "nowhere is no directory"),
        ("ui --address 0.0.0.0", 2, "for this machine only"),
        ("ui --address 10.0.0.1", 2, "for this machine only"),
        ("ui --port 70000", 2, "70000"),
    ] {
        Tenbin::line(&scratch, line)
            .run()
            .expect_code(code)
            .expect_stderr(wrong);
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let refused = Tenbin::line(&scratch, format!("ui --port {port}")).run();
    refused
        .expect_code(3)
        .expect_stderr("choose another --port");
}

#[test]
fn a_form_of_another_page_or_without_the_token_changes_nothing() {
    let scratch = Scratch::new("ui-origin");
    let run = stand(&scratch).join(RUN);
    let ui = Ui::start(&scratch, "");
    let token = format!("token={}", ui.token);
    let cross = ui.host.replace(char::is_numeric, "1");
    let (page, right) = (
        format!("run/{RUN}/delete"),
        format!("Origin: http://{}\r\n", ui.host),
    );
    for (headers, body) in [
        (right.clone(), String::new()),
        (right.clone(), "token=".to_owned()),
        (right.clone(), format!("token={}", "0".repeat(32))),
        (String::new(), token.clone()),
        ("Origin: null\r\n".to_owned(), token.clone()),
        ("Origin: http://evil.example\r\n".to_owned(), token.clone()),
        (format!("Origin: http://{cross}\r\n"), token.clone()),
        (format!("Origin: https://{}\r\n", ui.host), token.clone()),
        ("Sec-Fetch-Site: cross-site\r\n".to_owned(), token.clone()),
        ("Sec-Fetch-Site: same-site\r\n".to_owned(), token.clone()),
        (
            format!("{right}Origin: http://evil.example\r\n"),
            token.clone(),
        ),
    ] {
        let reply = ui.send("POST", &page, &format!("{}{headers}", ui.headers()), &body);
        assert_eq!(reply.status, 403, "{headers} {body}");
        assert!(run.exists());
    }
    let without_cookie = ui.send(
        "POST",
        &page,
        &format!("Host: {}\r\n{right}", ui.host),
        &token,
    );
    assert_eq!(without_cookie.status, 403);
    let long = format!("{token}&label={}", "a".repeat(20 << 10));
    let page = format!("run/{RUN}/label");
    assert_eq!(
        ui.send("POST", &page, &format!("{}{right}", ui.headers()), &long)
            .status,
        413
    );
    // Links of the run are neither followed nor replaced, and nobody reads from its pipes.
    fs::remove_file(run.join("label.txt")).expect("a link");
    mkfifo(&run.join("label.txt"), Mode::S_IRWXU).expect("a pipe");
    for (file, form) in [
        ("note", "note=x"),
        ("note", "note="),
        ("label", "label=x"),
        ("label", "label="),
    ] {
        let refused = ui.post(&format!("run/{RUN}/{file}"), form);
        assert_eq!(refused.status, 409, "{form}");
        let why = format!("{file}.txt is not a regular file; remove ");
        assert!(refused.body.contains(&why), "{}", refused.body);
    }
    let outside = scratch.path().join("outside/2026-01-02T120000-o/note.txt");
    assert_eq!(fs::read_to_string(outside).expect("a file"), OUTSIDE);
    let same = format!("{}Sec-Fetch-Site: same-origin\r\n", ui.headers());
    let moved = ui.send("POST", &format!("run/{RUN}/delete"), &same, &token);
    assert_eq!(moved.status, 303, "{}", moved.body);
    ui.end();
}

#[test]
fn the_browser_gets_the_address_in_a_file_that_only_its_owner_can_read() {
    let scratch = Scratch::new("ui-open");
    let root = stand(&scratch);
    fs::create_dir(scratch.path().join("bin")).expect("a directory");
    let opener = "#!/bin/sh\nstat -c '%a' \"$1\" > mode\necho \"$@\" > arguments\ncat \"$1\" > page\nmv page opened\n";
    let opener = scratch.write("bin/xdg-open", opener);
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).expect("a program");
    let path = format!("{}:/usr/bin:/bin", scratch.join("bin"));
    let old = fs::File::create(root.join(".tenbin-ui-old.html")).expect("a file");
    old.set_modified(SystemTime::UNIX_EPOCH).expect("a time");
    let of_another = root.join(".tenbin-ui-another.html");
    fs::write(&of_another, "").expect("a file");
    let ui = Ui::of(
        Tenbin::line(&scratch, "ui --open")
            .env("PATH", path)
            .start(),
    );
    let opened = scratch.path().join("opened");
    assert!(wait_until(SOON, || opened.exists()));
    let read = |name: &str| fs::read_to_string(scratch.join(name)).expect("a file");
    assert!(read("opened").contains(&ui.url), "{}", read("opened"));
    assert!(
        !read("arguments").contains(&ui.token),
        "{}",
        read("arguments")
    );
    assert_eq!(read("mode"), "600\n");
    ui.end();
    let left = fs::read_dir(root).expect("a directory").flatten();
    let left = left.map(|entry| entry.path());
    let is_of_ui = |path: &std::path::PathBuf| path.to_string_lossy().contains("/.tenbin-ui");
    let left: Vec<_> = left.filter(is_of_ui).collect();
    assert_eq!(left, [of_another], "the others are removed");
}

/// Paths that could lead out of the directory, or to what is no run.
const PATHS: &[&str] = &[
    "..",
    "../",
    "../outside",
    "%2e%2e",
    "%2e%2e/outside",
    "..%2foutside",
    "run",
    "run/",
    "run/..",
    "run/../..",
    "run/%2e%2e",
    "run/%2e%2e/report.html",
    "run/..%2foutside",
    "run/..%2f..%2foutside",
    "run/%2e%2e%2foutside%2f2026-01-02T120000-o",
    "run/../outside/2026-01-02T120000-o",
    "run/.trash",
    "run/.trash%2f2026-01-05T120000-t",
    "run/%2etrash/report.html",
    "run/secret.txt",
    "run/2026-01-02T120000-o",
    "run/2026-01-02T120000-o/report.html",
    "run/2026-01-03T120000-o",
    "run/2026-01-03T120000-o%2f2026-01-02T120000-o",
    "run/2026-01-04T120000-l",
    "run/2026-01-01T120000-a",
    "run/2026-01-01T120000-a/",
    "run/2026-01-01T120000-a/report.html",
    "run/2026-01-01T120000-a/label.txt",
    "run/2026-01-01T120000-a/result.json",
    "run/2026-01-01T120000-a/..",
    "run/2026-01-01T120000-a%00",
    "run/2026-01-01T120000-a%00.html",
    "run/2026-01-01T120000-a%2f",
    "run/2026-01-01T120000-a/./report.html",
    "run//2026-01-01T120000-a",
    "run/%ff%fe",
    "run/%",
    "run/%2",
    "run/%zz",
    "run/%252e%252e%252foutside",
    "run/..\\outside",
    "run/%5c..%5coutside",
    "run/~",
    "run/C:%5c",
    "run/%2fetc%2fpasswd",
    "run//etc/passwd",
    "etc/passwd",
    "compare?run=..&run=../outside",
    "compare?run=2026-01-02T120000-o&run=2026-01-01T120000-a",
    "compare?run=%00&run=.",
    "compare?run=2026-01-04T120000-l&run=2026-01-01T120000-a",
    "history?target=../..&figure=%00",
    "?moved=..%2foutside",
    "?moved=..",
    "?page=-1",
    "?page=99999999999999999999",
    "?q=%ff%00",
    "?from=2026-99-99",
    "#",
    "?",
    "??",
    "run?x",
];

#[test]
fn no_path_leads_out_of_the_directory_and_none_is_a_fault() {
    let scratch = Scratch::new("ui-paths");
    stand(&scratch);
    let ui = Ui::start(&scratch, "");
    let before = entries(&scratch);
    let check = |page: &str| {
        let headers = format!("{}Origin: http://{}\r\n", ui.headers(), ui.host);
        let token = format!("token={}&label=x&note=x", ui.token);
        for reply in [ui.get(page), ui.send("POST", page, &headers, &token)] {
            assert!(
                matches!(reply.status, 200 | 303 | 400 | 403 | 404 | 409),
                "{} {page:?}",
                reply.status
            );
            assert!(!reply.body.contains(OUTSIDE), "{page}: {}", reply.body);
            assert!(!reply.body.contains("root:x:"), "{page}: {}", reply.body);
        }
    };
    assert!(PATHS.len() > 50);
    PATHS.iter().for_each(|page| check(page));
    let mut state = 7;
    for _ in 0..400 {
        check(&mixed(&mut state));
    }
    assert_eq!(entries(&scratch), before, "nothing was made or removed");
    ui.end();
}

/// A path of random parts.
fn mixed(state: &mut u64) -> String {
    const PARTS: &[&str] = &[
        "run", "/", "/", "/", "..", ".", "%2e", "%2f", "%5c", "%00", "outside", ".trash",
        "report.html", "delete", "compare", "history", "?run=", "&run=", "2026-01-01T120000-a",
        "2026-01-02T120000-o", "%ff", "%", "~", "secret.txt", "?", "=", "%25", ";", "a",
    ];
    let mut next = |below: usize| {
        // Steele, Lea and Flood, 2014.
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % below as u64).expect("a small number")
    };
    let length = 1 + next(9);
    let path: String = (0..length).map(|_| PARTS[next(PARTS.len())]).collect();
    // The run itself may be deleted.
    path.replace("a/delete", "a/report.html")
}

/// All paths below the scratch directory, without files of the program's output and the caches.
fn entries(scratch: &Scratch) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![scratch.path().join("runs"), scratch.path().join("outside")];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).expect("a directory").flatten() {
            if entry.file_type().expect("a kind").is_dir() {
                open.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    found.sort();
    found
}
