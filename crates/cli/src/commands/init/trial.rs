//! Sends one request to each server of a plan, to see whether the plan can run.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tenbin_http::{Client, Login, Reply};
use tenbin_plan::{Plan, Reach, Sentence, Target, conceal_parameters, sentence};
use tenbin_report::for_terminal;
use tenbin_runner::Stop;
use tenbin_targets::{LaunchContext, Running, TargetError, Waiting, bring_up};

use crate::args::ServerKind;
use crate::commands::init::answers::Answers;
use crate::errors::InitError;
use crate::output;

/// Longest time for a response.
const LIMIT: Duration = Duration::from_secs(10);
/// Largest response that is read, bytes.
const LARGEST: usize = 256 << 20;

/// What is needed to start servers and to send a request.
pub(super) struct Trial<'a> {
    answers: &'a Answers,
    plan_directory: PathBuf,
    program: PathBuf,
    /// Logs and data of the servers.
    scratch: TempDir,
    stop: &'a Stop,
}

impl<'a> Trial<'a> {
    pub(super) fn of(answers: &'a Answers, out: &Path, stop: &'a Stop) -> Result<Self, InitError> {
        let absolute = std::path::absolute(out).map_err(InitError::Trial)?;
        Ok(Self {
            answers,
            plan_directory: absolute.parent().unwrap_or(Path::new("/")).to_owned(),
            program: std::env::current_exe().map_err(InitError::Trial)?,
            scratch: TempDir::with_prefix("tenbin-init-").map_err(InitError::Trial)?,
            stop,
        })
    }

    /// Tries one server after the other, and prints what it sees.
    ///
    /// # Errors
    /// Why a server does not start, or has no response with which a run could go on.
    pub(super) fn try_all(&self, plan: &Plan) -> Result<(), InitError> {
        for target in &plan.targets {
            self.try_one(target)?;
        }
        Ok(())
    }

    fn try_one(&self, target: &Target) -> Result<(), InitError> {
        let name = &target.name;
        if matches!(target.reach, Reach::Launched(_)) {
            output::say_note(&sentence!("starting", "starting {target}", target = name));
        }
        let context = LaunchContext {
            run_dir: self.scratch.path(),
            guard_exe: &self.program,
            plan_dir: &self.plan_directory,
            stop: self.stop.asked(),
            waiting: &waiting,
        };
        let mut running = bring_up(target, &context).map_err(of_target)?;
        let response = self.request(&running);
        running.stop().map_err(of_target)?;
        if self.stop.is_asked() {
            return Err(InitError::Interrupted);
        }
        let (path, reply, took) = response?;
        let shown = for_terminal(&format!("{name}: GET {path}"));
        output::print(
            format!(
                "{shown} → status {}, {} bytes, {:.1} ms\n",
                reply.status,
                reply.body.len(),
                took.as_secs_f64() * 1e3
            )
            .as_bytes(),
        );
        if self.needs_success() && !reply.is_success() {
            return Err(InitError::Status {
                target: name.clone(),
                path,
                status: reply.status,
            });
        }
        Ok(())
    }

    /// Whether a run counts only 2xx as success. S3 and blob stores refuse this request, which is not
    /// signed and names nothing that is stored.
    fn needs_success(&self) -> bool {
        matches!(self.answers.kind, ServerKind::Http | ServerKind::Search)
    }

    /// Sends the request. Returns its path, as it can be shown, the response and the time.
    fn request(&self, running: &Running) -> Result<(String, Reply, Duration), InitError> {
        let url = &running.url;
        let path = match (self.answers.path(), url.query()) {
            (Some(path), _) => path.to_owned(),
            (None, Some(query)) => format!("{}?{query}", url.path()),
            (None, None) => url.path().to_owned(),
        };
        let failed = |why: Sentence| InitError::Request {
            target: running.name.clone(),
            why,
        };
        let client = Client::of(url, &Login::default());
        let mut client = client.map_err(|why| failed(why.into()))?;
        client.set_timeout(LIMIT);
        client.set_max_body(LARGEST);
        let start = Instant::now();
        let reply = client
            .get(&path)
            .map_err(|error| failed(tenbin_corpus::Error::from(error).sentence()))?;
        Ok((conceal_parameters(&path), reply, start.elapsed()))
    }
}

fn of_target(error: TargetError) -> InitError {
    match error {
        TargetError::Interrupted { .. } => InitError::Interrupted,
        other => InitError::Target(Box::new(other)),
    }
}

fn waiting(progress: &Waiting<'_>) {
    output::say_note(&sentence!(
        "target-waiting",
        "{target}: waiting for {awaited}, {waited} s of at most {limit} s",
        target = progress.target,
        awaited = progress.awaited,
        waited = format!("{:.0}", progress.waited.as_secs_f64()),
        limit = format!("{:.0}", progress.limit.as_secs_f64())
    ));
}
