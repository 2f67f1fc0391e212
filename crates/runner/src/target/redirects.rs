//! Follows redirects before the run.

use std::time::Duration;

use tenbin_plan::{Facts, Plan, Sentence, Target, conceal_parameters, sentence};
use tenbin_targets::{LaunchContext, bring_up, probe};
use url::Url;

use crate::context::RunContext;
use crate::error::RunError;
use crate::stop::Stop;
use crate::target::first_response::FIRST_ANSWER;

/// Maximum number of redirects that lead to one URL.
const MOST_REDIRECTS: usize = 10;

/// A path that redirects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirected {
    /// Name of the workload.
    pub workload: String,
    /// The path in the plan, without secrets.
    pub from: String,
    /// The path that is measured, without secrets.
    pub to: String,
}

/// Follows the redirects of all requests for which the plan asks for that, and returns the plan with
/// the final paths, and the redirects.
///
/// # Errors
/// When a target does not respond, redirects to another server or without end, or when targets
/// redirect to different paths.
pub fn follow(
    plan: &Plan,
    context: &RunContext,
    stop: &Stop,
) -> Result<(Plan, Vec<Redirected>), RunError> {
    let mut followed = plan.clone();
    let mut all = Vec::new();
    for (at, workload) in plan.workloads.iter().enumerate() {
        let facts = workload.facts();
        if facts.followed().is_none() {
            continue;
        }
        let mut found: Vec<(&str, String, String)> = Vec::new();
        for target in &plan.targets {
            let failed = |why| RunError::Preparation {
                target: target.name.clone(),
                workload: workload.name.clone(),
                what: sentence!("following-redirect", "following the redirect"),
                why,
            };
            let (from, to) = on_target(facts, target, context, stop, &failed)?;
            found.push((target.name.as_str(), from, to));
        }
        if found.iter().all(|(_, from, to)| from == to) {
            continue;
        }
        let Some((first, from, to)) = found.first() else {
            continue;
        };
        let shown = |path: &str| {
            let targets = plan.targets.iter();
            let path = targets.fold(path.to_owned(), |path, it| it.secrets.conceal(&path));
            conceal_parameters(&facts.conceal(&path))
        };
        if let Some((other, _, elsewhere)) = found.iter().find(|(_, _, other)| other != to) {
            return Err(RunError::Preparation {
                target: (*other).to_owned(),
                workload: workload.name.clone(),
                what: sentence!("following-redirect", "following the redirect"),
                why: sentence!(
                    "redirects-differ",
                    "the final path is {elsewhere:?} here and {to:?} on {first:?}; write the \
                     final path in the URL of each target, without --follow",
                    elsewhere = shown(elsewhere),
                    to = shown(to),
                    first
                ),
            });
        }
        followed.redirect(at, from, to);
        all.push(Redirected {
            workload: workload.name.clone(),
            from: shown(from),
            to: shown(to),
        });
    }
    Ok((followed, all))
}

/// The path of the first request to a target, and the path at the end of its redirects.
fn on_target(
    facts: &dyn Facts,
    target: &Target,
    context: &RunContext,
    stop: &Stop,
    failed: &dyn Fn(Sentence) -> RunError,
) -> Result<(String, String), RunError> {
    let running = bring_up(
        target,
        &LaunchContext {
            run_dir: &context.root,
            plan_dir: &context.plan_directory,
            guard_exe: &context.executable,
            stop: stop.asked(),
            waiting: &|_| {},
        },
    )?;
    let request = facts.followed();
    let Some(((host, endpoint), request)) = running.route.endpoints().next().zip(request) else {
        return Err(failed(sentence!(
            "target-no-host", "the target has no host"
        )));
    };
    let unusable = |error: url::ParseError| {
        failed(sentence!(
            "redirect-unusable",
            "the URL is not usable: {error}",
            error
        ))
    };
    let first = match request.path {
        Some(path) => host.url.join(path).map_err(unusable)?,
        None => host.url.clone(),
    };
    let path_of = |url: &Url| match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    let mut url = first.clone();
    for _ in 0..MOST_REDIRECTS {
        let limit: Duration = FIRST_ANSWER;
        let response =
            probe::get_with(&url, request.headers, &endpoint, limit, &|| stop.is_asked());
        let response = response.map_err(|error| failed(error.sentence()))?;
        let is_redirect = response.status.is_some_and(|it| (300..400).contains(&it));
        let Some(location) = response.location.filter(|_| is_redirect) else {
            let from = request.path.map_or_else(|| path_of(&first), str::to_owned);
            let to = if url == first {
                from.clone()
            } else {
                path_of(&url)
            };
            return Ok((from, to));
        };
        let next = url.join(&location).map_err(unusable)?;
        if next.origin() != url.origin() {
            return Err(failed(sentence!(
                "redirects-elsewhere",
                "the server redirects to another server, {server:?}; give that server as the \
                 target",
                server = next.origin().ascii_serialization()
            )));
        }
        url = next;
        url.set_fragment(None);
    }
    Err(failed(sentence!(
        "redirects-too-often",
        "the server redirects more than {most_redirects} times; give the final URL",
        most_redirects = MOST_REDIRECTS
    )))
}
