//! `tenbin drnbench-publish-subscribe`.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tenbin_compat::publish_subscribe::{FeedJob, NAME, parse};
use tenbin_plan::{Sentence, sentence};
use tenbin_pubsub::{Config, Error, ListedMessage, Step, run};

use crate::args::{ForeignArgs, foreign_world};
use crate::commands::other_tools::shared::{answer, can_keep, tell};
use crate::commands::results::export::keep;
use crate::exit::Exit;
use crate::sentences::said;
use crate::{interrupt, output};

/// Runs a command line of drnbench-publish-subscribe.
pub(crate) fn publish_subscribe(args: &ForeignArgs) -> Exit {
    answer(NAME, parse(&args.arguments, &foreign_world()), feed)
}

fn feed(job: &FeedJob) -> Exit {
    let file = job.output.clone().unwrap_or_else(|| {
        let directory = std::env::temp_dir();
        let file = directory.join("drnbench-publish-subscribe-result.csv");
        file.display().to_string()
    });
    if let Err(exit) = can_keep(&[Some(&file)]) {
        return exit;
    }
    tell(&job.notes);
    let stop = match interrupt::stop(output::say_note) {
        Ok(stop) => stop,
        Err(error) => {
            output::say_error(&error);
            return Exit::Internal;
        }
    };
    let mut steps: Vec<Step> = Vec::new();
    let ended = run(&config(job), &|| stop.is_asked(), &mut |step| {
        output::print_text(line(step) + &listed(step));
        steps.push(step.clone());
    });
    if !steps.is_empty() && keep(Some(&file), csv(&steps).as_bytes()) {
        output::say_note(&sentence!(
            "result-in-drnbench-format",
            "the result in drnbench's format: {file}",
            file
        ));
    }
    match ended {
        Err(error) => {
            output::say_error(&sentence_of(&error));
            match error {
                Error::Address { .. } | Error::NoSubscriber { .. } if steps.is_empty() => {
                    Exit::Target
                }
                Error::Address { .. } | Error::NoSubscriber { .. } => Exit::TargetFailed,
                Error::Descriptors { .. } => Exit::Refused,
                Error::Poll(_) => Exit::Internal,
            }
        }
        Ok(()) if stop.is_asked() => Exit::Interrupted,
        Ok(()) if steps.iter().all(Step::is_complete) => Exit::Done,
        Ok(()) => {
            output::say_error(&sentence!(
                "messages-lost",
                "some messages were lost, duplicated or refused, or a subscriber disconnected: the \
                 figures count only messages that arrived, so do not use them to rate this server"
            ));
            Exit::Invalid
        }
    }
}

/// The error with its arguments.
fn sentence_of(error: &Error) -> Sentence {
    match error {
        Error::Address { host, why } => sentence!(
            "subscribers-address",
            "{host} cannot be resolved: {why}",
            host,
            why
        ),
        Error::NoSubscriber { host, why } => sentence!(
            "no-subscriber",
            "no subscriber could be connected to {host}: {why}",
            host,
            why
        ),
        Error::Descriptors { needed, limit } => sentence!(
            "subscribers-descriptors",
            "{needed} connections exceed this process's limit of open files ({limit}); raise the \
             limit, or use fewer subscribers or steps",
            needed,
            limit
        ),
        Error::Poll(error) => {
            sentence!("no-polling", "cannot poll the connections: {error}", error)
        }
    }
}

fn config(job: &FeedJob) -> Config {
    let count = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default().as_nanos() as u64;
    Config {
        hosts: job.hosts.clone(),
        subscribe: job.subscribe.clone(),
        publish: job.publish.clone(),
        message: job.message.clone(),
        subscribers: count(job.subscribers),
        steps: count(job.steps),
        messages: job.messages,
        timeout: job.timeout,
        nonce: now ^ u64::from(std::process::id()),
    }
}

/// The output line of a step, with the errors of the step.
fn line(step: &Step) -> String {
    let rate = step.per_second().map_or("unknown".to_owned(), |rate| {
        let all = rate * step.subscribers as f64;
        format!(
            "{rate:.1} queries per second, {all:.1} messages per second received (one pass: \
                 interval unknown)"
        )
    });
    let mut line = format!("{}: {rate}\n", case(step));
    for (count, what) in [
        (
            (step.subscribers - step.connected.min(step.subscribers)) as u64,
            "never subscribed",
        ),
        (step.disconnected as u64, "subscribers disconnected"),
        (step.refused, "messages were refused by the server"),
        (step.lost(), "messages were lost"),
        (step.duplicates, "duplicate messages arrived"),
    ] {
        if count > 0 {
            let _ = writeln!(line, "  {count} {what}");
        }
    }
    line
}

/// The slowest and the failed messages of a step, one per line.
fn listed(step: &Step) -> String {
    let slowest = step.slowest.iter().map(slow);
    let failed = step.failed.iter().map(|message| failure(step, message));
    let lines = slowest.chain(failed);
    lines
        .map(|sentence| format!("  {}\n", said(&sentence)))
        .collect()
}

fn slow(message: &ListedMessage) -> Sentence {
    sentence!(
        "pubsub-slow",
        "slow message {number}: received by the last subscriber after {last}, by the first after \
         {first}; accepted after {accepted}; sent {start} after the start of the step",
        number = message.number,
        last = time(message.last),
        first = time(message.first),
        accepted = time(message.accepted),
        start = time(Some(message.start))
    )
}

fn failure(step: &Step, message: &ListedMessage) -> Sentence {
    let (number, start) = (message.number, time(Some(message.start)));
    match &message.refusal {
        Some(why) => sentence!(
            "pubsub-refused",
            "failed message {number}: not accepted ({why}); sent {start} after the start of the step",
            number,
            why = why.escape_debug().to_string(),
            start
        ),
        None => sentence!(
            "pubsub-lost",
            "failed message {number}: received by {receivers} of {subscribers} subscribers; accepted \
             after {accepted}; sent {start} after the start of the step",
            number,
            receivers = message.receivers,
            subscribers = step.subscribers,
            accepted = time(message.accepted),
            start
        ),
    }
}

/// A time in milliseconds.
fn time(time: Option<Duration>) -> String {
    time.map_or_else(
        || "–".to_owned(),
        |time| format!("{:.3} ms", time.as_secs_f64() * 1e3),
    )
}

fn case(step: &Step) -> String {
    format!("{} subscribers", step.subscribers)
}

/// The steps in drnbench's CSV format. An unknown rate is an empty field.
fn csv(steps: &[Step]) -> String {
    let mut text = "case,qps\n".to_owned();
    for step in steps {
        let rate = step.per_second();
        let rate = rate.map_or_else(String::new, |rate| format!("{rate:?}"));
        let _ = writeln!(text, "{},{rate}", case(step));
    }
    text
}
