//! The settings of a workload, used to compare two workloads.

use std::collections::BTreeMap;

use crate::keys::page::Page;
use crate::plan::workload::Workload;
use crate::target::Target;
use crate::work::WorkloadKind;

/// Keys that [`Workload::settings`] leaves out. Of a body, only the length is compared, as a part
/// of [`Workload::describe`], because the content can be large or private.
const ELSEWHERE: &[&str] = &[
    "bucket", "prefix", "data", "body", "body_file", "cache_counters", "locations",
];

/// One key of the plan file and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The key in `[[workload]]`.
    pub key: String,
    /// The value in plan-file syntax, without quotation marks.
    pub value: String,
    /// Whether the value is the default.
    pub usual: bool,
}

impl Workload {
    /// A description of what is sent, without secrets.
    pub fn describe(&self) -> String {
        let mut text = self.facts().describe();
        if self.kind.protocol().usual().is_some() {
            let settings = self.settings();
            let unusual = settings.iter().filter(|setting| !setting.usual);
            text.extend(unusual.filter_map(Setting::in_words));
        }
        text
    }

    /// Method and path, without secrets, if all requests to `targets` have the same.
    pub fn request(&self, targets: &[Target]) -> Option<String> {
        let mut paths = targets.iter().map(Target::shown_path);
        let first = paths.next().flatten();
        let shared = first.filter(|first| paths.all(|path| path.as_ref() == Some(first)));
        self.facts().request(shared.as_deref())
    }

    /// The settings that decide what is sent, ascending by plan-file key. Secrets are replaced as
    /// in a printed plan.
    pub fn settings(&self) -> Vec<Setting> {
        let usual = self.kind.protocol().usual();
        let usual = usual.as_ref().map_or_else(BTreeMap::new, pairs);
        pairs(&self.kind)
            .into_iter()
            .map(|(key, value)| Setting {
                usual: usual.get(&key) == Some(&value),
                key,
                value,
            })
            .collect()
    }
}

impl Setting {
    /// The setting in words, after a comma, to append to a description; `None` if the description
    /// already contains the setting.
    fn in_words(&self) -> Option<String> {
        let Self { key, value, .. } = self;
        let words = match key.as_str() {
            // The rest of the description contains this setting.
            "verify" => return None,
            "page" => format!("pages of {value} keys"),
            "versions" => format!("{value} versions of each"),
            "buckets" => format!("{value} buckets"),
            "batch" => format!("{value} objects in a request"),
            "part_size" => format!("parts of {value}"),
            "parts_at_once" => format!("{value} parts at once"),
            "style" => format!("{value}-host style"),
            "rewrite" => "written over while they are read".to_owned(),
            _ => format!("{} {value}", key.replace('_', " ")),
        };
        Some(format!(", {words}"))
    }
}

fn pairs(kind: &WorkloadKind) -> BTreeMap<String, String> {
    let mut page = Page::default();
    kind.print(&mut page);
    let table: toml::Table = page.text.parse().unwrap_or_default();
    table
        .into_iter()
        .filter(|(key, _)| !ELSEWHERE.contains(&key.as_str()))
        .map(|(key, value)| match value {
            toml::Value::String(text) => (key, text),
            other => (key, other.to_string()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::Load;
    use crate::target::Reach;
    use crate::work::http::HttpWork;
    use crate::work::s3::{Payload, S3Operation, S3Work};

    fn workload(kind: WorkloadKind) -> Workload {
        Workload {
            name: "work".to_owned(),
            kind,
            load: Load::closed(1),
            stages: false,
        }
    }

    #[test]
    fn a_request_is_named_if_all_targets_have_its_path() {
        let target = |url: &str| {
            let url = url.parse().unwrap();
            Target::new("a", Reach::Endpoint { url })
        };
        let get = workload(WorkloadKind::Http(HttpWork::plain("GET")));
        let page = target("http://127.0.0.1:1/page?token=secret");
        let same = target("http://127.0.0.1:2/page");
        let other = target("http://127.0.0.1:2/");
        assert_eq!(
            get.request(&[page.clone(), same]).as_deref(),
            Some("GET /page")
        );
        assert_eq!(get.request(&[page.clone(), other]), None);
        let own = workload(WorkloadKind::Http(HttpWork {
            path: Some("/own?q=1".to_owned()),
            ..HttpWork::plain("HEAD")
        }));
        assert_eq!(
            own.request(std::slice::from_ref(&page)).as_deref(),
            Some("HEAD /own?q=1")
        );
        let s3 = workload(WorkloadKind::S3(S3Work::new(S3Operation::Get, 1, 1)));
        assert_eq!(s3.request(&[page]), None);
    }

    fn unusual(work: S3Work) -> Vec<(String, String)> {
        let settings = workload(WorkloadKind::S3(work)).settings();
        let unusual = settings.into_iter().filter(|setting| !setting.usual);
        unusual.map(|each| (each.key, each.value)).collect()
    }

    #[test]
    fn only_what_was_asked_for_is_unusual() {
        let usual = S3Work::new(S3Operation::Get, 1 << 20, 10);
        assert_eq!(unusual(usual.clone()), []);
        let changed = S3Work {
            range: "random:1KiB".parse().ok(),
            payload: Payload::Unsigned,
            verify: false,
            bucket: "elsewhere".to_owned(),
            ..usual
        };
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(
            unusual(changed),
            [
                pair("payload", "unsigned"),
                pair("range", "random:1KiB"),
                pair("verify", "false"),
            ]
        );
    }

    #[test]
    fn a_header_stands_in_it_as_in_a_printed_plan() {
        let mut work = HttpWork::plain("GET");
        work.headers = vec![("x-key".to_owned(), "secret".to_owned())];
        work.printed_headers = vec![("x-key".to_owned(), "{env:KEY}".to_owned())];
        let settings = workload(WorkloadKind::Http(work)).settings();
        let headers = settings.iter().find(|each| each.key == "headers").unwrap();
        assert_eq!(headers.value, "[\"x-key: {env:KEY}\"]");
    }
}
