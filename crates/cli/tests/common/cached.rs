//! A server in this process that stores objects, caches its last used responses, and logs its
//! requests. Cached responses are faster.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// Number of cached responses.
pub(crate) const CACHED: usize = 100;

/// Path of the cache counters.
pub(crate) const COUNTERS: &str = "/counters";

/// Listens until the test process ends.
#[derive(Debug)]
pub(crate) struct Cached {
    port: u16,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    /// Cached requests, least recently used first.
    cache: VecDeque<String>,
    /// Paths read, in order, each with whether the response was cached.
    log: Vec<(String, bool)>,
    stored: BTreeMap<String, Vec<u8>>,
}

impl State {
    fn read(&mut self, key: &str) -> bool {
        let place = self.cache.iter().position(|held| held == key);
        if let Some(place) = place {
            self.cache.remove(place);
        } else if self.cache.len() == CACHED {
            self.cache.pop_front();
        }
        self.cache.push_back(key.to_owned());
        self.log.push((key.to_owned(), place.is_some()));
        place.is_some()
    }
}

impl Cached {
    /// Starts the server on a free port of 127.0.0.1. Uncached responses take `miss`.
    pub(crate) fn start(miss: Duration) -> Self {
        Self::slower_after(0, miss)
    }

    /// Like [`Self::start`], but delays uncached responses only after `reads` requests.
    pub(crate) fn slower_after(reads: usize, miss: Duration) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("its address").port();
        let state = Arc::<Mutex<State>>::default();
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                // A connection error ends only the thread of the connection.
                std::thread::spawn(move || drop(serve(&stream, &shared, (reads, miss))));
            }
        });
        Self { port, state }
    }

    /// `http://127.0.0.1:<port>/`.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// `name=url`, for `--target`.
    pub(crate) fn target(&self, name: &str) -> String {
        format!("{name}={}", self.url())
    }

    /// Paths read, in order, each with whether the response was cached.
    pub(crate) fn log(&self) -> Vec<(String, bool)> {
        held(&self.state).log.clone()
    }

    /// Number of reads by path.
    pub(crate) fn counts(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for (path, _) in &held(&self.state).log {
            *counts.entry(path.clone()).or_default() += 1;
        }
        counts
    }

    /// Hit ratio of the cache.
    pub(crate) fn hits(&self) -> f64 {
        let log = &held(&self.state).log;
        log.iter().filter(|(_, hit)| *hit).count() as f64 / log.len() as f64
    }
}

fn held(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().expect("nobody panicked")
}

fn serve(stream: &TcpStream, state: &Mutex<State>, miss: (usize, Duration)) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut input = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let mut words = line.split(' ');
        let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        let mut length = 0;
        let mut head = String::new();
        loop {
            head.clear();
            input.read_line(&mut head)?;
            let name = head.to_ascii_lowercase();
            if let Some(value) = name.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if head.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        input.read_exact(&mut body)?;
        let (status, answer) = answer(state, method, target, body, miss);
        let text = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n",
            answer.len()
        );
        let mut output = stream;
        output.write_all(&[text.as_bytes(), &answer].concat())?;
    }
}

fn answer(
    state: &Mutex<State>,
    method: &str,
    target: &str,
    body: Vec<u8>,
    (reads, miss): (usize, Duration),
) -> (&'static str, Vec<u8>) {
    let path = target.split('?').next().unwrap_or(target).to_owned();
    let is_object = path.trim_matches('/').contains('/');
    match method {
        "GET" if path == COUNTERS => {
            let state = held(state);
            let hits = state.log.iter().filter(|(_, hit)| *hit).count();
            let text = format!("{{\"nGets\": {}, \"nHits\": {hits}}}", state.log.len());
            ("200 OK", text.into_bytes())
        }
        "GET" if target.contains("list-type=") || target.contains("location") => {
            let list = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>";
            ("200 OK", list.as_bytes().to_vec())
        }
        "GET" => {
            let (hit, before, stored) = {
                let mut state = held(state);
                let before = state.log.len();
                (state.read(&path), before, state.stored.get(&path).cloned())
            };
            if !hit && before >= reads && !miss.is_zero() {
                std::thread::sleep(miss);
            }
            ("200 OK", stored.unwrap_or_else(|| b"found".to_vec()))
        }
        "PUT" if is_object => {
            held(state).stored.insert(path, body);
            ("200 OK", Vec::new())
        }
        "DELETE" => {
            held(state).stored.remove(&path);
            ("204 No Content", Vec::new())
        }
        _ => ("200 OK", Vec::new()),
    }
}
