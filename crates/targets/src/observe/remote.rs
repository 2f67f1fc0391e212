//! Source that reads from `tenbin observe` on any machine: the response format and the client.

use serde::{Deserialize, Serialize};
use tenbin_plan::Observe;

use super::fetch::Fetcher;
use super::{Kind, Lost, Source, Subject};
use crate::usage::{Detail, Usage};

/// Path of the page with the totals.
pub(super) const PATH: &str = "/usage";
/// Version of the response format.
pub(super) const FORMAT: u32 = 1;
/// Largest response, bytes; usual responses have some hundred bytes.
const LIMIT: usize = 64 * 1024;

/// A response of `tenbin observe`.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct UsageResponse {
    /// Always [`FORMAT`].
    pub(super) format: u32,
    /// The totals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<Usage>,
    /// Why there are no totals; `None` if there are totals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

pub(super) struct Tenbin;

impl Kind for Tenbin {
    fn open(&self, subject: &Subject<'_>) -> Option<Result<Box<dyn Source>, String>> {
        let Some(Observe::Tenbin(page)) = subject.observe else {
            return None;
        };
        let fetcher = Fetcher::new(page, PATH, "application/json", LIMIT);
        let mut remote = match fetcher {
            Ok(fetcher) => Remote(fetcher),
            Err(why) => return Some(Err(why)),
        };
        Some(
            remote
                .fetch_usage()
                .map(|_| Box::new(remote) as Box<dyn Source>),
        )
    }
}

#[derive(Debug)]
struct Remote(Fetcher);

impl Remote {
    fn fetch_usage(&mut self) -> Result<Usage, String> {
        let fetched = self.0.fetch()?;
        let at = self.0.url();
        match fetched.status {
            200 => read(&fetched.body).map_err(|why| format!("{at} {why}")),
            401 => Err(format!(
                "{at} refuses the token (status 401); is it the one that tenbin observe was \
                 started with?"
            )),
            503 => Err(format!("{at} says: {}", error_text(&fetched.body))),
            status => Err(format!(
                "{at} responds with status {status}; check that tenbin observe runs there"
            )),
        }
    }
}

impl Source for Remote {
    fn read(&mut self, _: Detail) -> Result<Usage, Lost> {
        self.fetch_usage().map_err(Lost::Because)
    }

    fn is_here(&self) -> bool {
        false
    }
}

/// Parses a response. An error text continues a sentence that starts with the page's address.
fn read(body: &[u8]) -> Result<Usage, String> {
    let response: UsageResponse = serde_json::from_slice(body)
        .map_err(|_| "responds, but not in the format of tenbin observe".to_owned())?;
    if response.format != FORMAT {
        return Err(format!(
            "responds in format {}, and this Tenbin reads {FORMAT}; use the same version on both \
             machines",
            response.format
        ));
    }
    let usage = response.usage.ok_or("responds without figures")?;
    let group = usage.group.and_then(|group| group.cpu_seconds);
    let seconds = [Some(usage.at), usage.cpu_seconds, group];
    let is_sensible = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
    if !seconds.into_iter().flatten().all(is_sensible) {
        return Err("responds with impossible figures".to_owned());
    }
    Ok(Usage {
        // These figures depend on the readings of all clients of the server.
        busiest_process: None,
        busiest_thread: None,
        waited_for_core: None,
        ..usage
    })
}

/// The server's error message, escaped because it is untrusted.
fn error_text(body: &[u8]) -> String {
    let response: Option<UsageResponse> = serde_json::from_slice(body).ok();
    let text = response
        .and_then(|response| response.error)
        .unwrap_or_default();
    let short: String = text.chars().take(200).collect();
    match short.as_str() {
        "" => "no figures".to_owned(),
        text => text.escape_debug().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_figures_are_unknown() {
        let body = br#"{"format":1,"usage":{"at":5.5,"cpu_seconds":1.5,"rss_bytes":9}}"#;
        let usage = read(body).unwrap();
        assert_eq!((usage.cpu_seconds, usage.rss_bytes), (Some(1.5), Some(9)));
        assert_eq!((usage.written_bytes, usage.group), (None, None), "not 0");
    }

    #[test]
    fn all_figures_are_read_back() {
        let usage = Usage {
            at: 12.25,
            epoch: u64::MAX,
            cpu_seconds: Some(0.125),
            voluntary_switches: Some(7),
            group: Some(crate::usage::GroupUsage {
                place: u64::MAX - 1,
                memory_bytes: Some(3),
                ..Default::default()
            }),
            ..Usage::default()
        };
        let response = UsageResponse {
            format: FORMAT,
            usage: Some(usage),
            error: None,
        };
        let text = serde_json::to_vec(&response).unwrap();
        assert_eq!(read(&text).unwrap(), usage);
    }

    #[test]
    fn invalid_responses_are_refused() {
        for (body, expected) in [
            (&b"<html>"[..], "not in the format of tenbin observe"),
            (br#"{"format":2}"#, "in format 2"),
            (br#"{"format":1}"#, "without figures"),
            (br#"{"format":1,"usage":{"at":-1}}"#, "impossible figures"),
            (
                br#"{"format":1,"usage":{"cpu_seconds":-0.5}}"#,
                "impossible figures",
            ),
            (
                br#"{"format":1,"usage":{"rss_bytes":-5}}"#,
                "not in the format",
            ),
        ] {
            let why = read(body).unwrap_err();
            assert!(why.contains(expected), "{why}");
        }
    }

    #[test]
    fn error_texts_of_a_server_are_escaped() {
        let body = br#"{"format":1,"error":"gone \u001b[2J"}"#;
        assert_eq!(error_text(body), "gone \\u{1b}[2J");
        assert_eq!(error_text(b"\xff"), "no figures");
    }
}
