//! `tenbin observe`, on whatever machine: its answers, and the asking.

use serde::{Deserialize, Serialize};
use tenbin_plan::Observe;

use super::fetch::Fetcher;
use super::{Kind, Lost, Source, Subject};
use crate::usage::{Depth, Usage};

/// Where the answers are.
pub(super) const PATH: &str = "/usage";
/// Version of the answers.
pub(super) const FORMAT: u32 = 1;
/// An answer has some hundred bytes.
const LIMIT: usize = 64 * 1024;

/// An answer.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Told {
    /// [`FORMAT`]
    pub(super) format: u32,
    /// The totals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<Usage>,
    /// Why there are none.
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
        Some(remote.ask().map(|_| Box::new(remote) as Box<dyn Source>))
    }
}

#[derive(Debug)]
struct Remote(Fetcher);

impl Remote {
    fn ask(&mut self) -> Result<Usage, String> {
        let fetched = self.0.fetch()?;
        let at = self.0.url();
        match fetched.status {
            200 => read(&fetched.body).map_err(|why| format!("{at} {why}")),
            401 => Err(format!(
                "{at} refuses the token (status 401); is it the one that tenbin observe was \
                 started with?"
            )),
            503 => Err(format!("{at} says: {}", complaint(&fetched.body))),
            status => Err(format!(
                "{at} answers with status {status}; is it that of a tenbin observe?"
            )),
        }
    }
}

impl Source for Remote {
    fn look(&mut self, _: Depth) -> Result<Usage, Lost> {
        self.ask().map_err(Lost::Because)
    }

    fn is_here(&self) -> bool {
        false
    }
}

/// One clause that goes on after the address.
fn read(body: &[u8]) -> Result<Usage, String> {
    let told: Told = serde_json::from_slice(body)
        .map_err(|_| "answers, but not as tenbin observe does".to_owned())?;
    if told.format != FORMAT {
        return Err(format!(
            "tells in format {}, and this Tenbin reads {FORMAT}; use the same version on both \
             machines",
            told.format
        ));
    }
    let usage = told.usage.ok_or("tells no figures")?;
    let group = usage.group.and_then(|group| group.cpu_seconds);
    let seconds = [Some(usage.at), usage.cpu_seconds, group];
    let is_sensible = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
    if !seconds.into_iter().flatten().all(is_sensible) {
        return Err("tells figures that cannot be".to_owned());
    }
    Ok(Usage {
        // Against a look of somebody else's.
        busiest_process: None,
        busiest_thread: None,
        waited_for_core: None,
        ..usage
    })
}

/// Server-supplied: made harmless.
fn complaint(body: &[u8]) -> String {
    let told: Option<Told> = serde_json::from_slice(body).ok();
    let text = told.and_then(|told| told.error).unwrap_or_default();
    let short: String = text.chars().take(200).collect();
    match short.as_str() {
        "" => "it has no figures".to_owned(),
        text => text.escape_debug().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_read_and_what_is_not_is_unknown() {
        let body = br#"{"format":1,"usage":{"at":5.5,"cpu_seconds":1.5,"rss_bytes":9}}"#;
        let usage = read(body).unwrap();
        assert_eq!((usage.cpu_seconds, usage.rss_bytes), (Some(1.5), Some(9)));
        assert_eq!((usage.written_bytes, usage.group), (None, None), "not 0");
    }

    #[test]
    fn all_of_it_comes_back_as_it_was() {
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
        let told = Told {
            format: FORMAT,
            usage: Some(usage),
            error: None,
        };
        let text = serde_json::to_vec(&told).unwrap();
        assert_eq!(read(&text).unwrap(), usage);
    }

    #[test]
    fn nonsense_is_refused() {
        for (body, expected) in [
            (&b"<html>"[..], "not as tenbin observe does"),
            (br#"{"format":2}"#, "in format 2"),
            (br#"{"format":1}"#, "no figures"),
            (br#"{"format":1,"usage":{"at":-1}}"#, "cannot be"),
            (br#"{"format":1,"usage":{"cpu_seconds":-0.5}}"#, "cannot be"),
            (br#"{"format":1,"usage":{"rss_bytes":-5}}"#, "not as tenbin"),
        ] {
            let why = read(body).unwrap_err();
            assert!(why.contains(expected), "{why}");
        }
    }

    #[test]
    fn what_a_server_says_is_made_harmless() {
        let body = br#"{"format":1,"error":"gone \u001b[2J"}"#;
        assert_eq!(complaint(body), "gone \\u{1b}[2J");
        assert_eq!(complaint(b"\xff"), "it has no figures");
    }
}
