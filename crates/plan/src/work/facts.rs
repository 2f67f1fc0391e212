//! Facts about a workload that the rest of Tenbin uses, for all protocols.

use crate::comparison::may_differ::MayDiffer;
use crate::store::Store;
use crate::units::sizes::Sizes;
use crate::work::http::draft::Patterns;

/// Text in a request that looks like a template. Tenbin replaces no templates in requests, so the
/// text is sent literally.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiteralTemplate {
    /// The part of the request.
    pub part: TemplatePart,
    /// The text, shortened and without secrets.
    pub text: String,
}

impl LiteralTemplate {
    /// What the text probably means.
    pub fn meaning(&self) -> TemplateMeaning {
        match self.text.as_str() {
            text if text.starts_with('@') => TemplateMeaning::File,
            text if text.starts_with("{term") => TemplateMeaning::Terms,
            text if text.starts_with('$') => TemplateMeaning::Variable,
            text => match range(text) {
                Some((first, last)) => TemplateMeaning::Numbers { first, last },
                None => TemplateMeaning::Values,
            },
        }
    }
}

/// Most numbers of a range for which a file of requests is suggested.
const MOST_NUMBERS: u64 = 1_000_000;

/// Both ends of the range in a template, such as `{random:1-1000}`, `{1..100}` or `[1-100]`; `None`
/// without a range, for one whose ends are in the wrong order, and for one with too many numbers.
fn range(text: &str) -> Option<(u64, u64)> {
    let inner = text.rsplit([':', '(', ' ', '{', '[']).next()?;
    let inner = inner.trim_end_matches([')', '}', ']']);
    let (first, last) = inner
        .split_once("..")
        .or_else(|| inner.split_once(['-', ',']))?;
    let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
    (first < last && last - first < MOST_NUMBERS).then_some((first, last))
}

/// The part of a request that has text which looks like a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePart {
    /// The path.
    Path,
    /// The body.
    Body,
    /// A path of the patterns.
    PatternPath,
    /// A header, by name.
    Header(String),
    /// The URL of a target, by name.
    TargetUrl(String),
}

/// What text that looks like a template probably means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateMeaning {
    /// The content of a file.
    File,
    /// The value of an environment variable.
    Variable,
    /// A search term.
    Terms,
    /// A different value in each request.
    Values,
    /// A different number in each request.
    Numbers {
        /// The smallest number.
        first: u64,
        /// The largest number.
        last: u64,
    },
}

/// What to check if a target refuses the requests of a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenRefused {
    /// Path, method, headers and accepted statuses.
    Request,
    /// Bucket and credentials.
    Bucket,
    /// Store and token.
    Store,
}

/// A request whose redirect is followed before the run.
#[derive(Debug, Clone, Copy)]
pub struct FollowedRequest<'a> {
    /// Path and query; `None`: those of the target's URL.
    pub path: Option<&'a str>,
    /// Headers, in order. Values can be secret.
    pub headers: &'a [(String, String)],
}

/// Facts about the work of one workload. The default methods are for a protocol that stores nothing
/// on its targets and whose correct responses are known.
pub trait Facts {
    /// The properties of the protocol.
    fn traits(&self) -> &'static Traits;

    /// The operations that are sent, with their shares; at least one.
    fn operations(&self) -> Vec<Operation<'_>>;

    /// A description of what is sent, without secrets.
    fn describe(&self) -> String;

    /// Method and path, without secrets, if all requests have the same. `target_path` is the path
    /// in the URL of every target, if it is the same for all.
    fn request(&self, _target_path: Option<&str>) -> Option<String> {
        None
    }

    /// A text, for example a request as sent, with references in place of the secrets of the
    /// workload.
    fn conceal(&self, text: &str) -> String {
        text.to_owned()
    }

    /// The request whose redirect is followed before the run, if any.
    fn followed(&self) -> Option<FollowedRequest<'_>> {
        None
    }

    /// The texts in the requests that look like templates of another tool and are sent as they are.
    fn literal_templates(&self) -> Vec<LiteralTemplate> {
        Vec::new()
    }

    /// What to check if a target refuses the requests.
    fn when_refused(&self) -> WhenRefused;

    /// The sizes of the stored objects; `None` if nothing is stored.
    fn sizes(&self) -> Option<&Sizes> {
        None
    }

    /// Number of failures on a target that the run may have; `None` without a limit.
    fn allowed_failures(&self) -> Option<u64> {
        None
    }

    /// Number of objects, if the plan sets a number.
    fn objects(&self) -> Option<u64> {
        None
    }

    /// Size of a part, bytes, if objects are sent or read in parts.
    fn part_bytes(&self) -> Option<u64> {
        None
    }

    /// Objects per request; 1 for most operations.
    fn objects_per_request(&self) -> u64 {
        1
    }

    /// The direction and size of objects, if the workload only puts or only gets whole objects of
    /// one size.
    fn transfer(&self) -> Option<Transfer> {
        None
    }

    /// The data stored on each target before the first slice.
    fn laid_out(&self) -> Option<LaidOut> {
        None
    }

    /// Whether stored data is kept after the run.
    fn keeps_data(&self) -> bool {
        false
    }

    /// Whether operations use up objects: each object can be used by one operation only. Slices
    /// then have no settling time, so that every operation is measured.
    fn uses_up(&self) -> bool {
        false
    }

    /// Whether the result depends on which requests are sent, because their order decides what a
    /// server caches.
    fn has_sequence(&self) -> bool {
        false
    }

    /// Whether a target can be restarted during the run, because it holds no data of the workload.
    fn can_relaunch(&self) -> bool {
        false
    }

    /// Connections that observe the effects of the load, in addition to the connections of the load,
    /// and send requests at any rate.
    fn observing_connections(&self) -> usize {
        0
    }

    /// Maximum number of retries of a request that was temporarily refused.
    fn retries(&self) -> u32 {
        0
    }

    /// Name of the phase, if the workload is one of several phases that use the same data one after
    /// the other in every block.
    fn phase(&self) -> Option<&'static str> {
        None
    }

    /// Whether a workload with a [`Facts::phase`] can be measured without other phases, in any order
    /// of its slices.
    fn stands_alone(&self) -> bool {
        true
    }

    /// Whether only one machine can send the load: agents cannot.
    fn needs_one_machine(&self) -> bool {
        false
    }

    /// Whether a target must support S3; `store` is the storage protocol of blob workloads on this
    /// target.
    fn needs_s3(&self, store: Store) -> bool {
        let _ = store;
        false
    }

    /// Whether directories, the dummy and the built-in blob server support the work.
    fn is_for_blob_stores(&self) -> bool {
        false
    }

    /// The patterns that requests are drawn from, if any.
    fn patterns(&self) -> Option<&Patterns> {
        None
    }

    /// Allowed differences between responses to the same request; `None` if the correct response is
    /// known and every other response counts as failed.
    fn may_differ(&self) -> Option<MayDiffer> {
        None
    }

    /// Whether requests have a body, apart from bodies in patterns.
    fn sends_body(&self) -> bool {
        false
    }

    /// Whether responses are compared with earlier ones only by their length, because requests are
    /// drawn from patterns and the plan has no condition on responses.
    fn compares_only_lengths(&self) -> bool {
        false
    }

    /// Whether a response with `status` to a plain GET of the target's URL counts as success;
    /// `None` if the workload sends other requests.
    fn accepts_first(&self, status: u16) -> Option<bool> {
        let _ = status;
        None
    }
}

/// Properties of a protocol, for plans and for results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traits {
    /// Name in plans and results: the `kind` of a workload.
    pub name: &'static str,
    /// Whether a target is used as an object store: objects are put, read and listed by name.
    pub is_object_store: bool,
    /// Whether the correct response is learnt from earlier responses.
    pub learns_responses: bool,
    /// The text before the operation's name in results in Go benchmark format. `None`: the name in
    /// these results is the operation's [`interface`](Operation::interface).
    pub benchmark: Option<&'static str>,
}

/// One operation of a workload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Operation<'a> {
    /// Name in plans.
    pub name: &'a str,
    /// Name in the protocol's specification.
    pub interface: &'a str,
    /// How often the operation is sent, relative to the shares of the other operations.
    pub share: f64,
    /// Whether the operation stores content whose sizes the plan sets.
    pub stores: bool,
}

/// PUTs only, or GETs only, of whole objects of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// Whether objects are sent to the target or read from the target.
    pub direction: Direction,
    /// Size of an object, bytes.
    pub bytes: u64,
}

/// The direction of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the target.
    Write,
    /// From the target.
    Read,
}

/// The data stored on a target before the first slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaidOut {
    /// Number of objects, each version counted.
    pub objects: u64,
    /// Total size, bytes, approximate.
    pub bytes: u64,
    /// Whether a slice uses up objects, so that they are stored again before the next slice.
    pub again: bool,
    /// Identifies the data among all workloads: those with the same text use the same objects, which
    /// are stored once. `None` if the workload has its own objects.
    pub shared: Option<String>,
}
