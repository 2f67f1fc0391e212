//! Object stores with malicious XML. Tenbin must never delete objects that it did not create.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use super::bounds::{Attacked, for_each};
use super::common::{Scratch, Tenbin};

/// Creates the response to a list request from its prefix and the count of list requests so far.
pub(crate) type Listing = fn(&str, usize) -> String;

/// Name, listing, allowed exit codes of a run, and expected output.
type Row = (&'static str, Listing, &'static [i32], &'static str);

pub(crate) fn page(inner: &str, next: Option<&str>) -> String {
    let (more, token) = match next {
        Some(token) => ("true", token),
        None => ("false", ""),
    };
    format!(
        "<?xml version=\"1.0\"?><ListBucketResult><IsTruncated>{more}</IsTruncated>{inner}\
         <NextContinuationToken>{token}</NextContinuationToken></ListBucketResult>"
    )
}

pub(crate) fn key(key: &str) -> String {
    format!("<Contents><Key>{key}</Key><Size>1024</Size></Contents>")
}

const MEASURED: &[i32] = &[0, 4, 6];

#[rustfmt::skip] // one row a line
const ROWS: &[Row] = &[
    ("keys of somebody", |_, _| page(&[key("theirs/1"), key("../theirs"), key("/"), key("tenbin-")].concat(), None), MEASURED, ""),
    ("keys of somebody between its own", |prefix, _| page(&[key("a"), key(&format!("{prefix}00000000")), key("z")].concat(), None), MEASURED, ""),
    ("the same page again and again", |prefix, _| page(&key(&format!("{prefix}00000000")), Some("t")), MEASURED, ""),
    ("pages without end", |prefix, at| page(&key(&format!("{prefix}{at:08}")), Some(&format!("t{at}"))), MEASURED, ""),
    ("empty pages without end", |_, at| page("", Some(&format!("t{at}"))), MEASURED, ""),
    ("keys with control characters", |prefix, _| page(&[key(&format!("{prefix}\x1b[31m\r\nX: y")), key(&format!("{prefix}&#13;&#10;X-Evil: y")), key(&format!("{prefix}&#0;&#27;[31m"))].concat(), None), MEASURED, ""),
    ("entities that multiply", |prefix, _| {
        let entities: String = (1..12).map(|at| format!("<!ENTITY e{at} \"{}\">", format!("&e{};", at - 1).repeat(10))).collect();
        format!("<!DOCTYPE l [<!ENTITY e0 \"lol\">{entities}]>{}", page(&key(&format!("{prefix}&e11;")), None))
    }, MEASURED, ""),
    ("an entity of a file", |prefix, _| format!("<!DOCTYPE l [<!ENTITY f SYSTEM \"file:///etc/hostname\">]>{}", page(&key(&format!("{prefix}&f;")), None)), MEASURED, ""),
    ("an entity that is not defined", |prefix, _| page(&key(&format!("{prefix}&nbsp;")), None), MEASURED, ""),
    ("elements a hundred thousand deep", |_, _| format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000)), MEASURED, ""),
    ("a page of 40 MB", |prefix, _| page(&key(&format!("{prefix}{}", "0".repeat(500))).repeat(72_000), None), MEASURED, ""),
    ("keys of a million characters", |prefix, _| page(&key(&format!("{prefix}{}", "0".repeat(1_000_000))), None), MEASURED, ""),
    ("a page that is cut off", |prefix, _| page(&key(&format!("{prefix}00000000")), None)[..80].to_owned(), MEASURED, ""),
    ("a document of another kind", |_, _| "<html><body>\x1b[31mhello</body></html>".to_owned(), MEASURED, ""),
    ("no document", |_, _| String::new(), MEASURED, ""),
    ("an error in place of the page", |_, _| "<Error><Code>\x1b[31mDenied</Code><Message>\r\n\x07</Message></Error>".to_owned(), MEASURED, ""),
];

/// An object store that accepts every request and returns the listing of the test.
pub(crate) struct Store {
    pub(crate) port: u16,
    /// Paths of DELETE requests, and bodies of batch deletions.
    deletions: Arc<Mutex<Vec<String>>>,
}

impl Store {
    pub(crate) fn start(listing: Listing) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let deletions = Arc::new(Mutex::new(Vec::new()));
        let noted = deletions.clone();
        let pages = Arc::new(Mutex::new(0));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (noted, pages) = (noted.clone(), pages.clone());
                thread::spawn(move || {
                    let _ = serve(stream, listing, &noted, &pages);
                });
            }
        });
        Self { port, deletions }
    }

    /// Number of deletions so far.
    pub(crate) fn deletions(&self) -> usize {
        self.deletions.lock().expect("no panic").len()
    }

    /// Fails if a key outside the prefix of the run was deleted.
    #[track_caller]
    pub(crate) fn expect_own_deletions(&self, name: &str) {
        for deletion in self.deletions.lock().expect("no panic").iter() {
            let keys: Vec<&str> = match deletion.split_once("<Key>") {
                Some((_, rest)) => rest.split("<Key>").collect(),
                None => vec![deletion.trim_start_matches("/box").trim_start_matches('/')],
            };
            for key in keys {
                // The empty key is the bucket, which the run created.
                let is_own = key.is_empty() || key.starts_with("tenbin-0000000000000007/");
                assert!(is_own, "{name}: {deletion:?} was deleted");
            }
        }
    }
}

fn serve(
    stream: TcpStream,
    listing: Listing,
    deletions: &Mutex<Vec<String>>,
    pages: &Mutex<usize>,
) -> std::io::Result<()> {
    let mut requests = BufReader::new(stream.try_clone()?);
    let mut answers = stream;
    while let Some((method, target, body)) = request(&mut requests) {
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let query: BTreeMap<&str, &str> = query
            .split('&')
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .collect();
        let (status, document) = match method.as_str() {
            "GET" if query.contains_key("list-type") => {
                let prefix = query.get("prefix").copied().unwrap_or_default();
                let mut page = pages.lock().expect("no panic");
                *page += 1;
                (200, listing(&prefix.replace("%2F", "/"), *page))
            }
            "POST" if query.contains_key("delete") => {
                deletions.lock().expect("no panic").push(body);
                (200, "<DeleteResult/>".to_owned())
            }
            "DELETE" => {
                deletions.lock().expect("no panic").push(path.to_owned());
                (204, String::new())
            }
            "HEAD" if !path.trim_start_matches('/').contains('/') => (404, String::new()),
            _ => (200, String::new()),
        };
        let length = document.len();
        let head = match status {
            204 => "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
            _ => format!("HTTP/1.1 {status} x\r\nContent-Length: {length}\r\n\r\n"),
        };
        let body = if method == "HEAD" { "" } else { &document };
        // One write, because Nagle's algorithm would delay a second write until an ACK.
        answers.write_all([&head, body].concat().as_bytes())?;
    }
    Ok(())
}

/// Method, target and body of the next request.
fn request(requests: &mut impl BufRead) -> Option<(String, String, String)> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if requests.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let lower = head.to_ascii_lowercase();
    let length = lower
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |length| length.parse().expect("a length"));
    let mut body = vec![0; length];
    requests.read_exact(&mut body).ok()?;
    let mut words = head.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    Some((method, target, String::from_utf8_lossy(&body).into_owned()))
}

pub(crate) fn plan(scratch: &Scratch, port: u16, operation: &str) -> String {
    scratch.write(
        "plan.toml",
        format!(
            r#"
seed = 7

[rounds]
count = 1
slice = "300ms"
warmup = "0s"

[load]
connections = 2
timeout = "2s"

[[target]]
name = "evil"
url = "http://127.0.0.1:{port}"
access_key = "any"
secret_key_env = "TENBIN_SECRET_KEY"

[[workload]]
kind = "s3"
operation = "{operation}"
bucket = "box"
size = "1KiB"
objects = 4
"#
        ),
    )
}

#[test]
fn listings_while_a_run_is_tidied_and_cleaned() {
    for_each(ROWS, |&(name, listing, codes, says)| {
        let scratch = Scratch::new("attack-listing");
        let store = Store::start(listing);
        let plan = plan(&scratch, store.port, "put");
        let tenbin = |words: &[&str]| {
            let tenbin = Tenbin::new(&scratch, words)
                .env("TENBIN_ACCESS_KEY", "any")
                .env("TENBIN_SECRET_KEY", "any");
            Attacked::run(name, &scratch, tenbin)
        };
        let run = tenbin(&["run", &plan]);
        run.expect_codes(codes).expect_said(says);
        store.expect_own_deletions(name);
        let mut runs = std::fs::read_dir(scratch.path().join("runs")).expect("a run");
        let directory = runs.next().expect("a run").expect("its name").path();
        let directory = directory.to_str().expect("a path in UTF-8");
        tenbin(&["clean", directory]).expect_codes(&[0, 3]);
        store.expect_own_deletions(name);
    });
}

#[test]
fn listings_that_are_measured() {
    for_each(ROWS, |&(name, listing, _, _)| {
        let scratch = Scratch::new("attack-list");
        let store = Store::start(listing);
        let plan = plan(&scratch, store.port, "list");
        let tenbin = Tenbin::new(&scratch, ["run", &plan])
            .env("TENBIN_ACCESS_KEY", "any")
            .env("TENBIN_SECRET_KEY", "any");
        Attacked::run(name, &scratch, tenbin).expect_codes(&[0, 3, 4, 6]);
        store.expect_own_deletions(name);
    });
}
