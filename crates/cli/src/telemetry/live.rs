//! The live page: a page on 127.0.0.1 that receives the figures of every second as server-sent
//! events. The URL of the page contains a secret token.
//!
//! The main thread never waits for a viewer: each viewer has a queue of [`QUEUE`] events, and a
//! viewer with a full queue is disconnected.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenbin_http::server::{Body, EventSender, Handler, Server, is_to_this_machine, only_get, text};
use tenbin_http::{Bytes, Method, Request, Response, StatusCode};
use tenbin_plan::{Plan, Sentence, sentence};
use tenbin_record::{LiveAddress, LiveSecond};
use tenbin_report::{ServedPage, live_page};
use tenbin_runner::Progress;
use tenbin_verdict::InterimRatio;

use super::SERVED;
use super::ratios::Ratios;
use super::seconds::{Second, Seconds};
use crate::language::language;
use crate::output::{note_line, warning_line};
use crate::pages::{HTML, is_token, protected, token};
use crate::progress::{Pace, steps};
use crate::sentences::said;

/// Largest number of concurrent viewers.
const VIEWERS: usize = 8;
/// Length of the queue of each viewer, events.
const QUEUE: usize = 64;
/// Number of past events that a new viewer receives.
const HISTORY: usize = 600;
/// Largest length of a text in an event, characters.
const LETTERS: usize = 600;
/// Longest wait at the end of the run for a viewer to open the report.
const REPORT_WAIT: Duration = Duration::from_secs(2);
/// Name of the event with the ratios so far.
const RATIOS: &str = "ratios";

/// The live page of a run.
#[derive(Debug)]
pub(super) struct Live {
    server: Server,
    shared: Arc<Shared>,
    run: Run,
    /// For `tenbin ui`, which links to the page.
    address: Option<LiveAddress>,
}

/// The state of the run, on the main thread.
#[derive(Debug)]
struct Run {
    pace: Pace,
    /// Number of slices; 0 if unknown.
    slices: usize,
    /// Whether the estimated duration is an upper limit.
    is_limit: bool,
    /// Whether slices end after a number of requests.
    counted: bool,
    current: Option<Current>,
    seconds: Seconds,
    /// Failures by workload and target, and by class, since the start of the run.
    failed: HashMap<(String, String), Failed>,
    ratios: Ratios,
    budgets: HashMap<String, Budget>,
    last_step: Option<Instant>,
}

/// Failures of a workload on a target.
#[derive(Debug, Default)]
struct Failed {
    all: u64,
    by_class: BTreeMap<&'static str, u64>,
}

/// The running slice.
#[derive(Debug, Clone)]
struct Current {
    index: usize,
    target: String,
    workload: String,
    /// Estimated end of the run; `None` if unknown.
    end: Option<Instant>,
}

impl Live {
    /// Starts the page on `port` of 127.0.0.1; port 0 selects a free port.
    ///
    /// # Errors
    /// If the port cannot be listened on, or no thread can be started.
    pub(super) fn start(port: u16, plan: &Plan) -> io::Result<Self> {
        let targets: Vec<&str> = plan.targets.iter().map(|it| it.name.as_str()).collect();
        let shared = Arc::new(Shared {
            token: token(),
            page: live_page(language(), &plan.name, &targets),
            state: Mutex::default(),
            fetched: Condvar::new(),
        });
        let address = (Ipv4Addr::LOCALHOST, port).into();
        let server = Server::start(address, SERVED, Arc::clone(&shared))?;
        Ok(Self {
            server,
            shared,
            address: None,
            run: Run::new(Pace::new(Duration::ZERO, &[]), 0),
        })
    }

    /// The URL of the page, including the token.
    pub(super) fn url(&self) -> String {
        format!("http://{}/{}/", self.server.address(), self.shared.token)
    }

    /// Sends a progress event to all viewers.
    pub(super) fn observe(&mut self, progress: &Progress<'_>) {
        if let Progress::Started { directory, .. } = progress {
            self.address = LiveAddress::write(directory, &self.url()).ok();
        }
        for (name, data) in self.run.events(progress) {
            self.shared.publish(name, &data);
        }
    }

    /// Sends the ratios after a block to all viewers.
    pub(super) fn ratios(&mut self, ratios: &[InterimRatio]) {
        let data = self.run.ratios.add(ratios);
        self.shared.publish(RATIOS, &data);
    }

    /// Redirects all viewers to the report, and waits until a viewer has opened the report, for at
    /// most [`REPORT_WAIT`].
    pub(super) fn finish(self, report: PathBuf) {
        if !report.is_file() {
            return;
        }
        self.shared.state().report = Some(report);
        self.shared.publish("done", &json!({}));
        let state = self.shared.state();
        let is_awaited = |state: &mut State| !state.fetched && !state.viewers.is_empty();
        let _ = self
            .shared
            .fetched
            .wait_timeout_while(state, REPORT_WAIT, is_awaited);
    }
}

impl Run {
    fn new(pace: Pace, slices: usize) -> Self {
        Self {
            pace,
            slices,
            is_limit: false,
            counted: false,
            current: None,
            seconds: Seconds::default(),
            failed: HashMap::new(),
            ratios: Ratios::default(),
            budgets: HashMap::new(),
            last_step: None,
        }
    }

    fn events(&mut self, progress: &Progress<'_>) -> Vec<(&'static str, Value)> {
        let event = match progress {
            Progress::Started {
                slices,
                after_rounds,
                forecast,
                shortest,
                ends_early,
                requests,
                ..
            } => {
                self.slices = *slices;
                self.pace = Pace::new(*forecast, after_rounds);
                self.is_limit = shortest.is_some() || *ends_early;
                self.counted = requests.is_some();
                None
            }
            Progress::Slice {
                index,
                target,
                workload,
                ..
            } => {
                self.begin(*index, target, workload);
                self.allowed(target).then(|| ("slice", self.place()))
            }
            Progress::Second { second } => {
                self.count_failures(second);
                let complete = self.seconds.add(second);
                complete.and_then(|complete| self.second(&complete))
            }
            Progress::Measured { .. } => {
                let last = self.seconds.end();
                last.and_then(|last| self.second(&last))
            }
            Progress::Starting { target, .. } => self.step(&steps::starting(target)),
            Progress::Pages { .. } => self.step(&sentence!("making-pages", "generating pages")),
            Progress::Loading { target, .. } => self.step(&sentence!(
                "loading-into", "loading pages into {target}", target
            )),
            Progress::Stage {
                target,
                workload,
                what,
                ..
            } => self.step(
                &sentence!(
                    "step", "{target}, {workload}: {what}", target, workload, what
                )
                .with_part("what", [(*what).clone()]),
            ),
            Progress::WarmUp { target, workload } => {
                self.step(&steps::warming_up(target, workload))
            }
            Progress::Stopping => self.step(&steps::stopping()),
            Progress::Warning(text) | Progress::Left(text) => {
                Some(("message", json!({ "text": cut(&warning_line(text)) })))
            }
            Progress::Note(text) => Some(("message", json!({ "text": cut(&note_line(text)) }))),
            Progress::Announced
            | Progress::Printed { .. }
            | Progress::Ready { .. }
            | Progress::Probe { .. }
            | Progress::Speed { .. }
            | Progress::Hits { .. }
            | Progress::Concluded { .. } => None,
        };
        event.into_iter().collect()
    }

    fn count_failures(&mut self, second: &LiveSecond) {
        let Some(key) = self.key().filter(|_| second.role.is_work()) else {
            return;
        };
        let failed = self.failed.entry(key).or_default();
        failed.all += second.counts.failed;
        for (class, count) in &second.errors {
            *failed.by_class.entry(class.name()).or_default() += count;
        }
    }

    fn begin(&mut self, index: usize, target: &str, workload: &str) {
        // A maximum-rate search has no number of slices, only a time limit. If slices end after a
        // number of requests, their duration is unknown until the first slice has ended.
        let is_known = self.slices > index && !(self.counted && index == 0);
        let end = self.pace.end(index, self.slices.max(index + 1));
        self.seconds.end();
        self.current = Some(Current {
            index,
            target: target.to_owned(),
            workload: workload.to_owned(),
            end: is_known.then_some(end),
        });
    }

    fn key(&self) -> Option<(String, String)> {
        let current = self.current.as_ref()?;
        Some((current.workload.clone(), current.target.clone()))
    }

    /// The running slice and the remaining time, as JSON.
    fn place(&self) -> Value {
        let Some(current) = &self.current else {
            return json!({});
        };
        let left = current.end.map(|end| {
            let left = end.saturating_duration_since(Instant::now());
            left.as_secs_f64().round()
        });
        json!({
            "target": current.target,
            "workload": current.workload,
            "slice": current.index + 1,
            "slices": (self.slices > 0).then_some(self.slices),
            "left": left,
            "limit": self.is_limit,
        })
    }

    fn second(&mut self, second: &Second) -> Option<(&'static str, Value)> {
        let key = self.key()?;
        if !self.allowed(&key.1) {
            return None;
        }
        let mut data = self.place();
        data["rate"] = json!(second.rate());
        data["p50"] = json!(second.time(0.5));
        data["p99"] = json!(second.time(0.99));
        data["cpu"] = json!(second.cores());
        data["errors"] = json!(second.failed);
        let failed = self.failed.get(&key);
        data["failed"] = json!(failed.map(|failed| failed.all));
        data["classes"] = json!(failed.map(|failed| &failed.by_class));
        Some(("second", data))
    }

    /// An event for a preparation step. `None` within 1 s of the previous event, because loading
    /// data reports steps more often than viewers need.
    fn step(&mut self, sentence: &Sentence) -> Option<(&'static str, Value)> {
        let now = Instant::now();
        let is_due = |last: Instant| now - last >= Duration::from_secs(1);
        self.last_step.is_none_or(is_due).then(|| {
            self.last_step = Some(now);
            ("step", json!({ "text": cut(&said(sentence)) }))
        })
    }

    /// Whether an event of this target can be sent now: the limit is one event per second, with
    /// bursts of two.
    fn allowed(&mut self, target: &str) -> bool {
        let now = Instant::now();
        let budget = self
            .budgets
            .entry(target.to_owned())
            .or_insert_with(|| Budget::new(now));
        budget.take(now)
    }
}

/// A token bucket that limits the events of one target.
#[derive(Debug)]
struct Budget {
    events: f64,
    updated: Instant,
}

impl Budget {
    const MOST: f64 = 2.0;

    fn new(now: Instant) -> Self {
        Self {
            events: Self::MOST,
            updated: now,
        }
    }

    fn take(&mut self, now: Instant) -> bool {
        let gained = now.saturating_duration_since(self.updated).as_secs_f64();
        self.events = (self.events + gained).min(Self::MOST);
        self.updated = now;
        let is_allowed = self.events >= 1.0;
        if is_allowed {
            self.events -= 1.0;
        }
        is_allowed
    }
}

fn cut(text: &str) -> String {
    text.chars().take(LETTERS).collect()
}

/// State shared by the main thread and the viewer threads.
#[derive(Debug)]
struct Shared {
    token: String,
    page: ServedPage,
    state: Mutex<State>,
    /// Notified when a viewer has opened the report.
    fetched: Condvar,
}

#[derive(Debug, Default)]
struct State {
    history: VecDeque<Arc<str>>,
    /// The last event with ratios, which has all that the earlier ones had.
    ratios: Option<Arc<str>>,
    viewers: Vec<EventSender>,
    /// Path of the report; `None` until the report is written.
    report: Option<PathBuf>,
    fetched: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, name: &str, data: &Value) {
        let event: Arc<str> = format!("event: {name}\ndata: {data}\n\n").into();
        let mut state = self.state();
        // Removes viewers with a full queue and viewers that have disconnected.
        state
            .viewers
            .retain(|viewer| viewer.send(Arc::clone(&event)));
        if name == RATIOS {
            state.ratios = Some(event);
            return;
        }
        if state.history.len() == HISTORY {
            state.history.pop_front();
        }
        state.history.push_back(event);
    }

    /// The path after the token; `None` if the token is wrong.
    fn authorised<'p>(&self, path: &'p str) -> Option<&'p str> {
        let path = path.strip_prefix('/')?;
        let (token, rest) = path.split_once('/')?;
        is_token(token, &self.token).then_some(rest)
    }

    fn events(&self) -> Response<Body> {
        let mut state = self.state();
        if state.viewers.len() >= VIEWERS {
            let status = StatusCode::SERVICE_UNAVAILABLE;
            return text(
                status,
                &said(&sentence!(
                    "live-viewers",
                    "too many viewers; close another page"
                )),
            );
        }
        let mut first = "retry: 1000\nevent: begin\ndata: {}\n\n".to_owned();
        for event in state.history.iter().chain(&state.ratios) {
            first.push_str(event);
        }
        let (body, viewer) = Body::events(first, QUEUE);
        state.viewers.push(viewer);
        protected(
            StatusCode::OK,
            "text/event-stream",
            body,
            "default-src 'none'",
        )
    }

    fn report(&self, path: &Path) -> Response<Body> {
        match std::fs::read(path) {
            Ok(page) => protected(
                StatusCode::OK,
                HTML,
                Body::whole(page),
                "frame-ancestors 'none'",
            ),
            Err(error) => text(
                StatusCode::INTERNAL_SERVER_ERROR,
                &said(&sentence!(
                    "live-no-report",
                    "cannot read the report: {error}",
                    error
                )),
            ),
        }
    }
}

impl Handler for Shared {
    fn response(&self, request: &Request<Bytes>) -> Response<Body> {
        if request.method() != Method::GET {
            return only_get();
        }
        let target = request.uri().to_string();
        let path = self.authorised(&target);
        let Some(path) = path.filter(|_| is_to_this_machine(request)) else {
            return text(
                StatusCode::FORBIDDEN,
                &said(&sentence!(
                    "ui-token",
                    "open the complete URL that Tenbin printed, including the token"
                )),
            );
        };
        let report = self.state().report.clone();
        match (path, report) {
            ("", _) => {
                let policy = format!("{}; frame-ancestors 'none'", self.page.policy);
                protected(
                    StatusCode::OK,
                    HTML,
                    Body::whole(self.page.html.clone()),
                    &policy,
                )
            }
            ("events", _) => self.events(),
            ("report.html", Some(report)) => self.report(&report),
            _ => text(
                StatusCode::NOT_FOUND,
                &said(&sentence!("ui-no-page", "there is no such page")),
            ),
        }
    }

    fn sent(&self, path: &str) {
        if path.ends_with("/report.html") && self.authorised(path).is_some() {
            self.state().fetched = true;
            self.fetched.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use tenbin_result::Language;

    use super::super::seconds::tests::part;
    use super::*;

    fn shared() -> Shared {
        Shared {
            token: token(),
            page: live_page(Language::default(), "a", &["b"]),
            state: Mutex::default(),
            fetched: Condvar::new(),
        }
    }

    fn request(path: &str, host: Option<&str>) -> Request<Bytes> {
        let mut request = Request::get(path);
        if let Some(host) = host {
            request = request.header("host", host);
        }
        request.body(Bytes::new()).unwrap()
    }

    #[test]
    fn the_token_and_a_local_host_are_required() {
        let shared = shared();
        let status = |path: &str, host| {
            let response = shared.response(&request(path, host));
            response.status().to_string()
        };
        let (right, local) = (format!("/{}/", shared.token), Some("127.0.0.1:9000"));
        assert_eq!(status(&right, local), "200 OK");
        assert_eq!(status(&right, Some("LocalHost:9000")), "200 OK");
        let cut = &right[..right.len() - 2];
        for wrong in ["/", "//", &right[..right.len() - 1], &format!("{cut}/")] {
            assert_eq!(status(wrong, local), "403 Forbidden", "{wrong}");
        }
        assert_eq!(
            status(&format!("/{}0/", shared.token), local),
            "403 Forbidden"
        );
        for host in [
            None,
            Some("evil.example:9000"),
            Some("127.0.0.1.evil.example"),
            Some("localhost@evil.example:80"),
            Some("127.0.0.1:"),
        ] {
            assert_eq!(status(&right, host), "403 Forbidden", "{host:?}");
        }
        assert_eq!(
            status(&format!("{right}report.html"), local),
            "404 Not Found"
        );
        assert_ne!(token(), token());
    }

    #[test]
    fn a_viewer_that_is_behind_or_gone_is_dropped_and_the_ninth_is_refused() {
        let shared = shared();
        let slow = shared.events();
        let gone = shared.events();
        drop(gone);
        for _ in 0..QUEUE {
            shared.publish("step", &json!({ "text": "x" }));
        }
        assert_eq!(shared.state().viewers.len(), 1);
        shared.publish("step", &json!({ "text": "x" }));
        assert_eq!(shared.state().viewers.len(), 0);
        drop(slow);
        let viewers: Vec<_> = (0..VIEWERS).map(|_| shared.events()).collect();
        assert!(
            viewers
                .iter()
                .all(|viewer| viewer.status() == StatusCode::OK)
        );
        assert_eq!(shared.events().status(), StatusCode::SERVICE_UNAVAILABLE);
        for _ in 0..2 * HISTORY {
            shared.publish("step", &json!({}));
        }
        assert_eq!(shared.state().history.len(), HISTORY);
    }

    #[test]
    fn an_event_is_one_line_whatever_the_text() {
        let shared = shared();
        shared.publish(
            "message",
            &json!({ "text": "a\r\nevent: done\n\n</script>" }),
        );
        let event = shared.state().history[0].clone();
        assert_eq!(event.lines().count(), 3, "{event}");
        assert!(event.starts_with("event: message\ndata: {"), "{event}");
    }

    #[test]
    fn seconds_have_the_failures_of_the_run_and_at_most_two_come_at_once() {
        let mut run = Run::new(Pace::new(Duration::from_secs(10), &[]), 4);
        let slice = Progress::Slice {
            index: 0,
            round: 0,
            target: "a",
            workload: "get",
        };
        assert_eq!(run.events(&slice).len(), 1);
        let mut events = Vec::new();
        for number in 0..5 {
            let second = part(number, "GET", 100);
            events.extend(run.events(&Progress::Second { second: &second }));
        }
        assert_eq!(events.len(), 1, "one event was the slice's");
        let (name, data) = &events[0];
        assert_eq!(*name, "second");
        assert_eq!(data["rate"], 100.0);
        assert_eq!(
            data["failed"], 2,
            "with those of the second that has just arrived"
        );
        assert_eq!(data["errors"], 1);
        assert_eq!(data["cpu"], 0.5);
        assert_eq!((&data["slice"], &data["slices"]), (&json!(1), &json!(4)));
        assert!(data["left"].is_number(), "{data}");
    }

    #[test]
    fn a_budget_gains_an_event_a_second() {
        let start = Instant::now();
        let mut budget = Budget::new(start);
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let taken = [0.0, 0.1, 0.2, 0.9, 1.3, 1.4, 60.0, 60.0, 60.1].map(|s| budget.take(at(s)));
        assert_eq!(
            taken,
            [true, true, false, false, true, false, true, true, false]
        );
    }
}
