//! What a workload sends, setting by setting: by this two of them are compared.

use std::collections::BTreeMap;

use crate::blob::BlobWork;
use crate::model::{Workload, WorkloadKind};
use crate::print::work_as_toml;
use crate::s3::S3Work;

/// Keys that say where something is, or whether it stays there, and not what is sent.
/// A body is compared by its length, which the workload's description has: it may be
/// large, and it may be private.
const ELSEWHERE: &[&str] = &[
    "bucket",
    "prefix",
    "data",
    "body",
    "body_file",
    "cache_counters",
    "locations",
];

/// One key of the plan file and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The key in `[[workload]]`.
    pub key: String,
    /// Its value, as a plan file has it but for quotation marks.
    pub value: String,
    /// It is what the same operations on as many objects of that size have when
    /// nothing else is asked for.
    pub usual: bool,
}

impl Workload {
    /// What is sent, by keys of the plan file in ascending order. Secrets stand in it
    /// as they do in a printed plan.
    pub fn settings(&self) -> Vec<Setting> {
        let usual = match &self.kind {
            WorkloadKind::Http(_) => BTreeMap::new(),
            WorkloadKind::S3(work) => pairs(&WorkloadKind::S3(plain(work))),
            WorkloadKind::Blob(work) => pairs(&WorkloadKind::Blob(BlobWork {
                sizes: work.sizes.clone(),
                ..BlobWork::new(work.phase, 0)
            })),
        };
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

/// The same operations with nothing else asked for.
fn plain(work: &S3Work) -> S3Work {
    let reads = work.mix.operations().any(|operation| operation.reads());
    let first = work.mix.shares()[0].0;
    S3Work {
        mix: work.mix.clone(),
        sizes: work.sizes.clone(),
        verify: reads,
        ..S3Work::new(first, 0, work.objects)
    }
}

fn pairs(kind: &WorkloadKind) -> BTreeMap<String, String> {
    let table: toml::Table = work_as_toml(kind).parse().unwrap_or_default();
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
    use crate::model::{HttpWork, Load};
    use crate::s3::{Payload, S3Operation};

    fn workload(kind: WorkloadKind) -> Workload {
        Workload {
            name: "work".to_owned(),
            kind,
            load: Load::closed(1),
            stages: false,
        }
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
