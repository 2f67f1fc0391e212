//! May this process and the server have as many files open as the connections need?

use nix::sys::resource::{Resource, getrlimit};

use super::{Check, Examined, Found, Visit};

/// What a server has open beside its connections and the files behind them.
const SERVER_AT_REST: u64 = 64;

pub(super) struct Descriptors;

impl Check for Descriptors {
    fn name(&self) -> &'static str {
        "open files"
    }

    fn of_machine(&self, visit: &Visit) -> Vec<Found> {
        vec![match getrlimit(Resource::RLIMIT_NOFILE) {
            Ok((soft, hard)) => judge_own(visit, soft, hard),
            Err(error) => Found::unknown(format!("this system does not tell the limit: {error}")),
        }]
    }

    fn of_target(&self, visit: &Visit, target: &Examined) -> Vec<Found> {
        let Some(process) = &target.process else {
            return Vec::new();
        };
        vec![match (process.open_files_limit(), process.open_files()) {
            (Some(limit), open) => judge_server(visit.connections, limit, open.unwrap_or(0)),
            (None, _) => Found::unknown(format!("the limit of {process} cannot be read")),
        }]
    }
}

fn judge_own(visit: &Visit, soft: u64, hard: u64) -> Found {
    let Visit {
        connections, files, ..
    } = visit;
    let needed = format!("{connections} connections need about {files} open files");
    if *files > hard {
        return Found::failed(
            format!("{needed}, and this process may have {hard}"),
            "use fewer connections, or raise the hard limit (ulimit -Hn)",
        );
    }
    if *files > soft {
        return Found::ok(format!(
            "{needed}; the limit of {soft} is raised for a run, to at most {hard}"
        ));
    }
    Found::ok(format!("{needed}, and this process may have {soft}"))
}

/// `open` are those open now, before any of the connections is there.
fn judge_server(connections: u64, limit: u64, open: u64) -> Found {
    let least = open.max(SERVER_AT_REST) + connections;
    let evidence = format!(
        "the server may have {limit} open files, has {open}, and {connections} connections come \
         to them"
    );
    let advice = "start it with a higher limit (ulimit -n, or LimitNOFILE= of its service)";
    if least > limit {
        Found::failed(evidence, advice)
    } else if least + connections > limit {
        // Each request may open a file of its own.
        Found::warning(evidence, advice)
    } else {
        Found::ok(evidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    #[test]
    fn a_server_needs_a_file_for_each_connection_and_perhaps_for_each_request() {
        for (connections, limit, open, state) in [
            (16, 1024, 10, State::Ok),
            (500, 1024, 10, State::Warning),
            (1000, 1024, 10, State::Failed),
            (16, 1024, 1010, State::Failed),
        ] {
            let found = judge_server(connections, limit, open);
            assert_eq!(found.state, state, "{found:?}");
        }
    }

    #[test]
    fn what_tenbin_needs_is_held_against_both_limits() {
        let visit = |files| Visit {
            ports: Vec::new(),
            root: "runs".into(),
            connections: files - 100,
            files,
            watch: std::time::Duration::ZERO,
        };
        assert_eq!(judge_own(&visit(200), 1024, 4096).state, State::Ok);
        let raised = judge_own(&visit(2000), 1024, 4096);
        assert!(raised.evidence.contains("is raised"), "{raised:?}");
        assert_eq!(judge_own(&visit(5000), 1024, 4096).state, State::Failed);
    }
}
