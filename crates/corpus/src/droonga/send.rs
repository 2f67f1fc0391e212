//! Sends messages from a file, one per line, like the tool droonga-send.

use std::io::BufRead;
use std::time::{Duration, Instant, SystemTime};

use sha1::{Digest as _, Sha1};
use tenbin_plan::{Sentence, sentence};

use super::clock::timestamp;
use super::forward::{Address, Nodes};
use crate::error::Error;
use crate::json::Json;
use crate::load::{RateLimit, hex};
use crate::source::Source;

/// Time between two reports of the rate.
const REPORT_PERIOD: Duration = Duration::from_secs(1);

/// Values for fields that a message lacks.
#[derive(Debug, Clone)]
pub struct Completion {
    /// Name of the Droonga data set (database).
    pub dataset: String,
    /// Replicas that must process the message (`targetRole`).
    pub target_role: String,
}

/// Settings of [`send`].
#[derive(Debug, Clone)]
pub struct SendOptions {
    /// Addresses of the nodes, used in turn.
    pub servers: Vec<Address>,
    /// Maximum messages per second, all nodes together; `None` for no limit.
    pub rate: Option<f64>,
    /// Values for fields that a message lacks; `None` sends messages unchanged.
    pub completion: Option<Completion>,
    /// Whether to refuse messages without the fields that Droonga requires: `type` and `dataset`.
    pub validate: bool,
}

/// Result of [`send`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sent {
    /// Number of messages sent.
    pub messages: u64,
    /// Time from the start of [`send`] until the nodes have read all messages.
    pub time: Duration,
    /// Whether the user interrupted the sending.
    pub stopped: bool,
}

impl Sent {
    /// Messages per second.
    pub fn throughput(&self) -> f64 {
        self.messages as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// Sends the messages of `inputs` (pairs of name and content); stops early when `stop` returns
/// true. Calls `tell` about once a second with the rate in messages per second.
///
/// # Errors
/// When a line is not a message, or a server has closed the connection.
pub fn send(
    inputs: Vec<(String, Box<dyn BufRead>)>,
    options: &SendOptions,
    stop: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(f64),
) -> Result<Sent, Error> {
    let mut nodes = Nodes::new(options.servers.clone());
    let started = Instant::now();
    let pace = RateLimit::new(options.rate, started);
    let mut reported = (started, 0);
    let mut messages = 0;
    for (name, input) in inputs {
        let mut source = Source::new(input);
        let mut line = Vec::new();
        loop {
            let place = source.place();
            let more = source.read_line(&mut line);
            if !more.map_err(|error| Error::read(&name, error))? {
                break;
            }
            if stop() {
                nodes.wait_until_read()?;
                return Ok(Sent {
                    messages,
                    time: started.elapsed(),
                    stopped: true,
                });
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            let message = match message(&line, options) {
                Ok(message) => message,
                Err(reason) => {
                    // The messages before the malformed line are valid: send them.
                    nodes.wait_until_read()?;
                    let name = name.clone();
                    return Err(Error::Malformed {
                        name,
                        place,
                        reason,
                    });
                }
            };
            nodes.send(&message)?;
            messages += 1;
            if options.rate.is_some() {
                nodes.flush()?;
                pace.wait(messages, stop);
            }
            let elapsed = reported.0.elapsed();
            if elapsed >= REPORT_PERIOD {
                tell((messages - reported.1) as f64 / elapsed.as_secs_f64());
                reported = (Instant::now(), messages);
            }
        }
    }
    nodes.wait_until_read()?;
    Ok(Sent {
        messages,
        time: started.elapsed(),
        stopped: false,
    })
}

fn message(line: &[u8], options: &SendOptions) -> Result<Json, Sentence> {
    let parsed = Json::parse(line).map_err(crate::source::not_json)?;
    let Json::Map(mut members) = parsed else {
        return Err(sentence!(
            "message-no-object", "a message must be an object"
        ));
    };
    if let Some(completion) = &options.completion {
        complete(&mut members, completion, line);
    }
    let message = Json::Map(members);
    if options.validate {
        for name in ["type", "dataset"] {
            if message
                .get(name)
                .and_then(Json::as_text)
                .is_none_or(str::is_empty)
            {
                return Err(sentence!(
                    "message-lacks",
                    "the message has no {name:?}; Droonga would not understand it",
                    name
                ));
            }
        }
    }
    Ok(message)
}

fn complete(members: &mut Vec<(String, Json)>, completion: &Completion, line: &[u8]) {
    let mut fill = |name: &str, value: &dyn Fn() -> String| {
        if !members.iter().any(|(key, _)| key == name) {
            members.push((name.to_owned(), Json::text(value())));
        }
    };
    fill("id", &|| hex(&Sha1::digest(line)));
    fill("date", &|| timestamp(SystemTime::now()));
    fill("dataset", &|| completion.dataset.clone());
    fill("targetRole", &|| completion.target_role.clone());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(completes: bool, validate: bool) -> SendOptions {
        let completion = Completion {
            dataset: "Default".to_owned(),
            target_role: "any".to_owned(),
        };
        SendOptions {
            servers: Vec::new(),
            rate: None,
            completion: completes.then_some(completion),
            validate,
        }
    }

    #[test]
    fn messages_are_completed_and_checked() {
        let line = br#"{"id":"x","date":"y","type":"add","body":{}}"#;
        assert_eq!(
            message(line, &options(true, true)).unwrap().to_string(),
            r#"{"id":"x","date":"y","type":"add","body":{},"dataset":"Default","targetRole":"any"}"#
        );
        let error = message(line, &options(false, true)).unwrap_err();
        assert!(error.text().contains("no \"dataset\""), "{error}");
        assert!(message(line, &options(false, false)).is_ok());
        for line in ["", "[]", "{", "{}"] {
            assert!(message(line.as_bytes(), &options(true, true)).is_err());
        }
    }
}
