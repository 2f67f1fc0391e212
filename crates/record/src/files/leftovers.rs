//! Leftovers of a run on its targets, and the buckets that the run created.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use tenbin_plan::{Sentence, grouped, sentence};

use crate::error::RecordError;
use crate::files::atomic::write_atomically;
use crate::files::harmless_text::escape;

/// File for leftovers: data that a cleanup could not remove from the targets.
pub(crate) const LEFT_FILE: &str = "left.json";

/// File in a run directory that lists the buckets that the run created on targets not launched by
/// the run.
pub(crate) const BUCKETS_FILE: &str = "buckets.json";

/// [`Left::reason`] of data whose removal the user stopped.
pub const CLEAN_UP_INTERRUPTED: &str = "the clean-up was interrupted";

/// Data that Tenbin stored on a target and could not remove.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Left {
    /// Name of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Description and place of the data: a sentence without a full stop.
    pub what: String,
    /// S3 bucket of the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bucket: Option<String>,
    /// Common prefix of the objects' keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// Number of objects; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<u64>,
    /// Why the data was not removed, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the target acknowledged the deletion of this data.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub acknowledged: bool,
    /// Whether no command removes the data, because its place is not, or no longer, known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unremovable: bool,
    /// The command that tries to remove the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clean: Option<String>,
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(target) = &self.target {
            write!(f, "target \"{target}\": ")?;
        }
        f.write_str(&self.what)?;
        if let Some(reason) = &self.reason {
            write!(f, ": {reason}")?;
        }
        match &self.clean {
            Some(clean) => write!(f, "; to delete what is left, run: {clean}"),
            None => Ok(()),
        }
    }
}

impl Left {
    /// The leftover with its arguments. What has no bucket is described in English only.
    pub fn sentence(&self) -> Sentence {
        let said = self.described();
        let said = match self.reason.as_deref() {
            Some(CLEAN_UP_INTERRUPTED) => sentence!(
                "left-by-interruption",
                "{said}: {reason}",
                said,
                reason = CLEAN_UP_INTERRUPTED
            ),
            Some(reason) => sentence!("left-because", "{said}: {reason}", said, reason),
            None => said,
        };
        let said = match &self.target {
            Some(target) => {
                sentence!("of-target", "target \"{target}\": {said}", target, said)
            }
            None => said,
        };
        match &self.clean {
            Some(clean) => sentence!(
                "left-to-clean",
                "{said}; to delete what is left, run: {clean}",
                said,
                clean
            ),
            None => said,
        }
    }

    fn described(&self) -> Sentence {
        let what = &self.what;
        match (&self.bucket, &self.prefix, self.objects) {
            (Some(bucket), Some(prefix), Some(objects)) => {
                sentence!("left-objects", "{what}", what)
                    .with("bucket", bucket)
                    .with("prefix", prefix)
                    .with("objects", grouped(objects))
            }
            (Some(bucket), Some(prefix), None) => sentence!("left-unlisted", "{what}", what)
                .with("bucket", bucket)
                .with("prefix", prefix),
            (Some(bucket), None, _) => {
                sentence!("left-bucket", "{what}", what).with("bucket", bucket)
            }
            (None, _, _) => what.as_str().into(),
        }
    }
}

impl From<String> for Left {
    fn from(what: String) -> Self {
        Self {
            what,
            ..Self::default()
        }
    }
}

/// The stored form of leftovers; older versions stored one sentence per leftover.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Sentence(String),
    Left(Left),
}

/// Writes `left.json` in a run directory. A missing file means that no cleanup was attempted.
///
/// # Errors
/// The path and the reason when the file cannot be written.
pub fn write_left(directory: &Path, left: &[Left]) -> Result<(), RecordError> {
    write_json(&directory.join(LEFT_FILE), left)
}

/// Leftovers of the run in `directory`; `None` if no cleanup was attempted or the file is
/// unreadable.
pub fn left_behind(directory: &Path) -> Option<Vec<Left>> {
    let stored: Vec<Stored> = read_json(&directory.join(LEFT_FILE))?;
    let each = stored.into_iter().map(|stored| match stored {
        Stored::Sentence(what) => Left::from(what),
        Stored::Left(left) => left,
    });
    Some(each.collect())
}

/// Writes `buckets.json` in a run directory: names of the buckets that the run created, by target.
///
/// # Errors
/// The path and the reason when the file cannot be written.
pub fn write_buckets_made(
    directory: &Path,
    buckets: &BTreeMap<String, Vec<String>>,
) -> Result<(), RecordError> {
    write_json(&directory.join(BUCKETS_FILE), buckets)
}

/// Names of the buckets that the run in `directory` created, by target; empty if unknown.
pub fn buckets_made(directory: &Path) -> BTreeMap<String, Vec<String>> {
    read_json(&directory.join(BUCKETS_FILE)).unwrap_or_default()
}

fn write_json<T: Serialize + ?Sized>(path: &Path, value: &T) -> Result<(), RecordError> {
    let mut text = serde_json::to_vec_pretty(value).expect("text becomes JSON");
    escape(&mut text, 0);
    text.push(b'\n');
    write_atomically(path, &text)
}

fn read_json<T: for<'a> Deserialize<'a>>(path: &Path) -> Option<T> {
    let text = tenbin_plan::read_own(path, tenbin_plan::LARGEST_RESULT).ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_survive_the_disk_and_sentences_of_earlier_versions_are_read() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(left_behind(root.path()), None);
        let left = Left {
            target: Some("jog".into()),
            what: "237 objects under tenbin-7/put/ are left in bucket box".into(),
            bucket: Some("box".into()),
            prefix: Some("tenbin-7/put/".into()),
            objects: Some(237),
            reason: Some("the server responded to DELETE with 204 and kept the objects".into()),
            acknowledged: true,
            clean: Some("tenbin clean runs/x".into()),
            unremovable: false,
        };
        write_left(root.path(), std::slice::from_ref(&left)).unwrap();
        assert_eq!(left_behind(root.path()), Some(vec![left.clone()]));
        assert_eq!(
            left.to_string(),
            "target \"jog\": 237 objects under tenbin-7/put/ are left in bucket box: the server \
             responded to DELETE with 204 and kept the objects; to delete what is left, run: tenbin \
             clean runs/x"
        );
        assert_eq!(left.sentence().text(), left.to_string());
        std::fs::write(root.path().join(LEFT_FILE), "[\"two objects\"]").unwrap();
        let earlier = left_behind(root.path()).unwrap();
        assert_eq!(earlier, [Left::from("two objects".to_owned())]);
    }

    #[test]
    fn buckets_are_known_by_target() {
        let root = tempfile::tempdir().unwrap();
        assert!(buckets_made(root.path()).is_empty());
        let made = BTreeMap::from([("a".to_owned(), vec!["box".to_owned()])]);
        write_buckets_made(root.path(), &made).unwrap();
        assert_eq!(buckets_made(root.path()), made);
    }
}
