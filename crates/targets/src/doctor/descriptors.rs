//! Checks the limits of open files of this process and of the server.

use nix::sys::resource::{Resource, getrlimit};
use tenbin_plan::sentence;

use super::{Check, CheckConfig, Outcome, TargetFacts};

/// Minimum number of open files assumed for a server without connections.
const SERVER_AT_REST: u64 = 64;

pub(super) struct Descriptors;

impl Check for Descriptors {
    fn name(&self) -> &'static str {
        "open files"
    }

    fn of_machine(&self, config: &CheckConfig) -> Vec<Outcome> {
        vec![match getrlimit(Resource::RLIMIT_NOFILE) {
            Ok((soft, hard)) => judge_own(config, soft, hard),
            Err(error) => Outcome::unknown(sentence!(
                "limit-unreadable",
                "the limit is not readable: {reason}",
                reason = error
            )),
        }]
    }

    fn of_target(&self, config: &CheckConfig, target: &TargetFacts) -> Vec<Outcome> {
        let Some(process) = &target.process else {
            return Vec::new();
        };
        vec![match (process.open_files_limit(), process.open_files()) {
            (Some(limit), open) => judge_server(config.connections, limit, open.unwrap_or(0)),
            (None, _) => Outcome::unknown(sentence!(
                "limit-of-process",
                "the limit of {process} cannot be read",
                process
            )),
        }]
    }
}

fn judge_own(config: &CheckConfig, soft: u64, hard: u64) -> Outcome {
    let CheckConfig {
        connections, files, ..
    } = config;
    let needed = sentence!(
        "files-needed",
        "{connections} connections need about {files} open files",
        connections,
        files
    );
    let may_have = |limit: u64| {
        let text = sentence!(
            "files-allowed",
            "{needed}, and this process may have {limit}",
            needed,
            limit
        );
        text.with_part("needed", [needed.clone()])
    };
    if *files > hard {
        return Outcome::failed(
            may_have(hard),
            sentence!(
                "raise-hard-limit",
                "use fewer connections, or raise the hard limit (ulimit -Hn)"
            ),
        );
    }
    if *files > soft {
        let raised = sentence!(
            "limit-raised",
            "{needed}; the limit of {soft} is raised for a run, to at most {hard}",
            needed,
            soft,
            hard
        );
        return Outcome::ok(raised.with_part("needed", [needed]));
    }
    Outcome::ok(may_have(soft))
}

/// Compares `limit`, the server's limit of open files, with `open` (open files before the run) plus
/// connections.
fn judge_server(connections: u64, limit: u64, open: u64) -> Outcome {
    let least = open.max(SERVER_AT_REST) + connections;
    let evidence = sentence!(
        "server-files",
        "the server may have {limit} open files, has {open}, and the run opens {connections} connections \
         more",
        limit,
        open,
        connections
    );
    let advice = sentence!(
        "raise-server-limit",
        "start it with a higher limit (ulimit -n, or LimitNOFILE= of its service)"
    );
    if least > limit {
        Outcome::failed(evidence, advice)
    } else if least + connections > limit {
        // The server can open a file for each request, in addition to the connections.
        Outcome::warning(evidence, advice)
    } else {
        Outcome::ok(evidence)
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
    fn the_needs_of_tenbin_are_compared_with_both_limits() {
        let config = |files| CheckConfig {
            ports: Vec::new(),
            root: "runs".into(),
            records: true,
            connections: files - 100,
            files,
            watch: std::time::Duration::ZERO,
            stop: Default::default(),
        };
        assert_eq!(judge_own(&config(200), 1024, 4096).state, State::Ok);
        let raised = judge_own(&config(2000), 1024, 4096);
        assert!(raised.evidence.text().contains("is raised"), "{raised:?}");
        assert_eq!(judge_own(&config(5000), 1024, 4096).state, State::Failed);
    }
}
