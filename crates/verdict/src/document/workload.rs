//! Converts workloads into their form in the result document.

use tenbin_plan::patterns::{HitSource, PatternFormat, is_of_search_server};
use tenbin_plan::{Pace, Patterns, Plan};
use tenbin_record::Environment;
use tenbin_result::{Setting, Subject, Workload};

use super::describe;
use crate::findings::messages::Messages;

pub(super) fn workload(
    workload: &tenbin_plan::Workload,
    plan: &Plan,
    environment: &Environment,
) -> Workload {
    let pace = &workload.load.pace;
    let rate = match pace {
        Pace::Constant { per_second } | Pace::Poisson { per_second } => Some(*per_second),
        Pace::Closed
        | Pace::Ramp { .. }
        | Pace::Steps { .. }
        | Pace::Trace(_)
        | Pace::Search(_) => None,
    };
    let load = describe::load(&workload.load);
    let request = workload.request(&plan.targets);
    let sent = environment.patterns.get(&workload.name);
    let sent = sent.map_or(request.as_slice(), Vec::as_slice);
    let searches = workload.patterns().is_some_and(has_searches) || are_searches(sent);
    Workload {
        name: workload.name.clone(),
        description: describe::workload(workload),
        request,
        load: Messages::NONE.in_english(&load),
        load_data: Some(load),
        closed_loop: matches!(pace, Pace::Closed),
        connections: Some(workload.load.connections as u64),
        depth: Some(workload.load.depth as u64),
        requests: workload.load.requests,
        rate,
        subject: Some(Subject {
            searches,
            ..describe::subject(workload)
        }),
        settings: Some(workload.settings().into_iter().map(setting).collect()),
        // A trace sends nothing before the slice.
        settling_seconds: Some(match pace {
            Pace::Trace(_) => 0.0,
            _ => workload.lead(&plan.rounds).as_secs_f64(),
        }),
    }
}

/// Whether the settings of patterns show that the patterns are searches.
fn has_searches(patterns: &Patterns) -> bool {
    let is_log = matches!(
        patterns.patterns_format,
        PatternFormat::GroongaLog | PatternFormat::OpenSearchLog | PatternFormat::Msearch
    );
    let has_hits = !matches!(patterns.hits, HitSource::Auto | HitSource::Off);
    is_log || has_hits || patterns.of_corpus || patterns.by_target.is_some()
}

/// Whether more than half of the requests, each with method and path, are those of a search server.
fn are_searches(requests: &[String]) -> bool {
    let paths = requests
        .iter()
        .map(|request| request.split(' ').nth(1).unwrap_or_default());
    let searches = paths.filter(|path| is_of_search_server(path)).count();
    searches > requests.len() / 2
}

fn setting(setting: tenbin_plan::Setting) -> Setting {
    Setting {
        key: setting.key,
        value: setting.value,
        usual: setting.usual,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_searches_by_their_paths() {
        let all = |requests: &[&str]| {
            let requests: Vec<String> = requests.iter().map(|it| (*it).to_owned()).collect();
            are_searches(&requests)
        };
        assert!(all(&["POST /pages/_search #1", "POST /pages/_search #2"]));
        assert!(all(&[
            "GET /d/select?query=a", "GET /d/select?query=b", "GET /"
        ]));
        assert!(!all(&["GET /d/select?query=a", "GET /"]));
        assert!(!all(&["GET /?q=/_search"]));
        assert!(!all(&[]));
    }

    #[test]
    fn patterns_are_searches_by_their_settings() {
        let plain = || Patterns::of("patterns.txt");
        assert!(!has_searches(&plain()));
        assert!(has_searches(&Patterns {
            hits: HitSource::Groonga,
            ..plain()
        }));
        assert!(has_searches(&Patterns {
            patterns_format: PatternFormat::Msearch,
            ..plain()
        }));
    }
}
