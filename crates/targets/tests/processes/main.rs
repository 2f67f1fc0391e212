//! Tests with real processes: launching, guarding, observing, stopping, serving.
//!
//! Like Tenbin, this program contains the guard and the servers; its first argument selects one.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test from end to end, which clippy cannot know without libtest"
)]

mod support;

mod guarding;
mod launching;
mod observing;
mod serving;

use std::env;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let mut args = env::args_os().skip(1);
    match args.next().as_ref().and_then(|arg| arg.to_str()) {
        Some("guard") => return tenbin_targets::guard::main(args),
        Some("serve") => return support::serve(args),
        Some("host") => return support::host(args),
        Some("careless") => return observing::careless(),
        Some("spin") => return observing::spin(),
        _ => {}
    }
    let tests: &[(&str, fn())] = &[
        (
            "the_processes_of_a_killed_host_are_stopped",
            guarding::killed_host,
        ),
        (
            "the_processes_of_a_host_killed_with_its_guards_are_stopped",
            guarding::killed_with_all_guards,
        ),
        (
            "a_process_that_ignores_sigterm_is_killed",
            guarding::stubborn,
        ),
        ("ctrl_c_does_not_reach_the_target", guarding::ctrl_c),
        ("a_background_daemon_is_alive", guarding::background),
        (
            "a_launched_target_starts_and_stops",
            launching::start_and_stop,
        ),
        ("a_missing_program_is_named", launching::missing_program),
        ("an_early_end_is_detected_at_once", launching::early_end),
        ("the_error_of_a_late_target_shows_its_log", launching::late),
        (
            "readiness_by_log_and_by_url",
            launching::ready_by_log_and_url,
        ),
        (
            "secrets_reach_the_environment_and_nothing_else",
            launching::secrets,
        ),
        (
            "an_occupied_port_is_not_mistaken_for_the_target",
            launching::occupied,
        ),
        ("an_interrupt_ends_the_wait", launching::interrupt),
        ("endpoints_are_resolved", launching::endpoints),
        ("ended_children_count_once", observing::ended_children),
        (
            "time_of_a_busy_process_is_fine_grained",
            observing::fine_grained,
        ),
        (
            "the_use_of_children_that_are_not_waited_for_counts",
            observing::careless_parent,
        ),
        ("the_use_of_orphans_counts", observing::orphans),
        (
            "bytes_written_by_an_ended_process_count",
            observing::written_bytes,
        ),
        ("builtin_servers_start_and_respond", serving::all_builtin),
        ("http_keeps_connections_alive", serving::keep_alive),
        ("unsigned_requests_are_refused", serving::unsigned),
        ("preflight_errors", serving::preflight_errors),
    ];
    let trials = tests
        .iter()
        .map(|&(name, test)| {
            Trial::test(name, move || {
                test();
                Ok(())
            })
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
