//! The command line of `droonga-send`.

use std::path::PathBuf;

use tenbin_plan::sentence;

use super::{Helper, Job, files};
use crate::flag::{Flag, Kind};
use crate::mistakes::not_a_port;
use crate::parse::Given;

/// Sending messages to Droonga servers.
#[derive(Debug, Clone, PartialEq)]
pub struct Send {
    /// The servers, each as `[droonga:]HOST[:PORT][/TAG]`; messages go to the servers in turn.
    pub servers: Vec<String>,
    /// Port of servers given without a port.
    pub port: u16,
    /// Tag of servers given without a tag.
    pub tag: String,
    /// Maximum messages per second over all servers; `None` for no limit.
    pub rate: Option<f64>,
    /// Print the messages per second.
    pub report_throughput: bool,
    /// Data set, and role of the receiving nodes, for messages that lack them; `None` to leave
    /// messages unchanged.
    pub completion: Option<(String, String)>,
    /// Refuse messages that are not valid for Droonga.
    pub validate: bool,
    /// Files with messages; empty for standard input.
    pub files: Vec<PathBuf>,
}

pub(super) const HELPER: Helper = Helper {
    name: "droonga-send",
    usage: "tenbin droonga-send [FLAGS] [FILE]...",
    about: "sends Droonga messages to servers in turn, with the forward protocol",
    flags: &[FLAGS],
    job,
};

const TOOL: &[&str] = &["droonga-send"];

const FLAGS: &[Flag] = &[
    Flag::new(
        TOOL,
        "server",
        Kind::List,
        "",
        "[droonga:]HOST[:PORT][/TAG], repeatable: servers are used in turn",
    ),
    Flag::new(
        TOOL,
        "messages-per-second",
        Kind::Text,
        "100",
        "maximum messages per second over all servers; -1 for no limit",
    ),
    Flag::new(
        TOOL,
        "report-throughput",
        Kind::Switch,
        "",
        "print the messages per second, once per second",
    ),
    Flag::new(
        TOOL,
        "default-protocol",
        Kind::Choice(&["droonga", "http"]),
        "droonga",
        "default protocol of servers",
    )
    .refused("messages are sent with the forward protocol only"),
    Flag::new(
        TOOL,
        "default-port",
        Kind::Whole,
        "10031",
        "default port of servers",
    ),
    Flag::new(
        TOOL,
        "default-tag",
        Kind::Text,
        "droonga",
        "default tag of servers",
    ),
    Flag::new(
        TOOL,
        "default-dataset",
        Kind::Text,
        "Default",
        "default data set of messages",
    ),
    Flag::new(
        TOOL,
        "default-target-role",
        Kind::Text,
        "any",
        "default role of the nodes that receive messages",
    ),
    Flag::new(
        TOOL,
        "completion",
        Kind::Switch,
        "true",
        "fill in missing fields of messages",
    ),
    Flag::new(TOOL, "no-completion", Kind::Switch, "", "fill in no fields"),
    Flag::new(
        TOOL,
        "validation",
        Kind::Switch,
        "true",
        "refuse messages that are not valid for Droonga",
    ),
    Flag::new(
        TOOL,
        "no-validation",
        Kind::Switch,
        "",
        "send messages unchanged",
    ),
];

fn job(given: &mut Given) -> Job {
    let servers = match given.list("server") {
        [] => vec!["localhost".to_owned()],
        servers => servers.to_vec(),
    };
    let port = u16::try_from(given.whole("default-port")).unwrap_or(0);
    if port == 0 {
        given.wrong("default-port", not_a_port());
    }
    let completes = given.switch("completion") && !given.switch("no-completion");
    let text = |name: &str| given.text(name).to_owned();
    let completion = (text("default-dataset"), text("default-target-role"));
    let tag = text("default-tag");
    Job::Send(Send {
        servers,
        port,
        tag,
        rate: rate(given),
        report_throughput: given.switch("report-throughput"),
        completion: completes.then_some(completion),
        validate: given.switch("validation") && !given.switch("no-validation"),
        files: files(given),
    })
}

/// The maximum rate, messages per second over all servers. The original tool divides the rate by
/// the number of servers in integers: with a rate of 100, three servers receive 99 messages per
/// second.
fn rate(given: &mut Given) -> Option<f64> {
    let text = given.text("messages-per-second").to_owned();
    match text.parse::<f64>() {
        Ok(-1.0) => None,
        Ok(rate) if rate.is_finite() && rate > 0.0 => Some(rate),
        _ => {
            let why = sentence!(
                "droonga-send-rate",
                "{text:?} is neither a number above 0 nor -1, for no limit",
                text
            );
            given.wrong("messages-per-second", why);
            None
        }
    }
}
