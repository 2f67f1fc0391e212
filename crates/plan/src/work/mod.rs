//! The work of a workload, by protocol: the operations that the workload sends, and their settings.
//!
//! Each protocol has a folder with its keys, the code that resolves, prints and describes them, and
//! its [`Facts`]. Protocols are registered only in the table in this file. All other code uses the
//! methods of [`Facts`] and `Protocol` for what depends on the protocol.

pub mod blob;
mod facts;
mod header;
pub mod http;
pub mod s3;
mod sent_to;

pub use facts::{
    Direction, Facts, FollowedRequest, LaidOut, LiteralTemplate, Operation, TemplateMeaning,
    TemplatePart, Traits, Transfer, WhenRefused,
};
pub(crate) use sent_to::SentTo;

use serde::Deserialize;

use crate::Sentence;
use crate::keys::page::{Page, text};
use crate::keys::row::{Key, Section};
use crate::plan::found::Found;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::secrets::environment::Variables;
use crate::target::Target;
use crate::work::http::draft::Patterns;

/// The methods of a protocol's work that only the plan uses.
pub(crate) trait Protocol: Facts {
    /// The default name of a workload.
    fn default_name(&self) -> String;

    /// Prints the keys of the work, without `kind`.
    fn print(&self, page: &mut Page);

    /// The same operations on the same objects with default settings: `Workload::describe` appends
    /// to [`Facts::describe`] the settings that differ from these defaults. `None` if
    /// [`Facts::describe`] contains every setting.
    fn usual(&self) -> Option<WorkloadKind> {
        None
    }

    /// The reason why the work cannot use an existing data set, if any.
    fn refuses(&self, found: Found) -> Option<Sentence> {
        let _ = found;
        None
    }

    /// Sets the sizes of objects, and in S3 workloads their number, to those of an existing data
    /// set. Returns `false`, and keeps the sizes, if the work does not support the sizes found.
    fn settle(&mut self, found: Found) -> bool {
        let _ = found;
        false
    }

    /// Sends the requests to the path `to`, to which `from` redirects.
    fn redirected(&mut self, from: String, to: String) {
        let _ = (from, to);
    }

    /// The work as sent to `target`, if different from the plan.
    fn sent_to(&self, target: &SentTo<'_>) -> Option<WorkloadKind> {
        let _ = target;
        None
    }

    /// The method for patterns without a method, and the patterns that requests are drawn from.
    /// `None` for a workload without patterns.
    fn patterns_mut(&mut self) -> Option<(&str, &mut Patterns)> {
        None
    }

    /// Whether a printed plan contains a body that can be secret without looking secret.
    fn shows_body(&self) -> bool {
        false
    }

    /// Features that the work needs and that `targets` do not support: for each, an identifier and
    /// a sentence about the workload named `workload`. Of several sentences with the same
    /// identifier, only the first is reported.
    fn misfits(&self, workload: &str, targets: &[Target]) -> Vec<(&'static str, Sentence)> {
        let _ = (workload, targets);
        Vec::new()
    }
}

/// The keys of a protocol's work, as written.
pub(crate) trait Keys {
    /// Replaces the references to environment variables, and records the values to conceal.
    fn look_up(&mut self, resolver: &mut Resolver<'_>, variables: &mut Variables) {
        let _ = (resolver, variables);
    }

    /// Resolves the keys: one result, or one per phase; none if a key is wrong, which is reported.
    fn resolve(&self, resolver: &mut Resolver<'_>, place: Place) -> Vec<WorkloadKind>;
}

/// A protocol that a plan can name.
pub(crate) struct Entry {
    /// The properties of the protocol.
    pub(crate) traits: Traits,
    /// The keys of the protocol's work.
    pub(crate) keys: &'static [Key],
}

macro_rules! protocols {
    ($($(#[$about:meta])* $variant:ident($work:ty, $draft:ty) in $folder:ident),+ $(,)?) => {
        /// The operations of a workload and their settings, by protocol.
        #[derive(Debug, Clone, PartialEq)]
        pub enum WorkloadKind {
            $($(#[$about])* $variant($work)),+
        }

        impl WorkloadKind {
            pub(crate) fn protocol(&self) -> &dyn Protocol {
                match self {
                    $(Self::$variant(work) => work),+
                }
            }

            pub(crate) fn protocol_mut(&mut self) -> &mut dyn Protocol {
                match self {
                    $(Self::$variant(work) => work),+
                }
            }
        }

        $(impl From<$work> for WorkloadKind {
            fn from(work: $work) -> Self {
                Self::$variant(work)
            }
        })+

        /// The keys of a workload as they were written, by protocol.
        #[derive(Debug, Clone, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum WorkDraft {
            $($(#[$about])* $variant(Box<$draft>)),+
        }

        impl WorkDraft {
            pub(crate) fn keys(&self) -> &dyn Keys {
                match self {
                    $(Self::$variant(draft) => &**draft),+
                }
            }

            pub(crate) fn keys_mut(&mut self) -> &mut dyn Keys {
                match self {
                    $(Self::$variant(draft) => &mut **draft),+
                }
            }
        }

        $(impl From<$draft> for WorkDraft {
            fn from(draft: $draft) -> Self {
                Self::$variant(Box::new(draft))
            }
        })+

        pub(crate) const PROTOCOLS: &[Entry] = &[$(Entry {
            traits: $folder::TRAITS,
            keys: <$draft as Section>::KEYS,
        }),+];
    };
}

protocols! {
    /// One plain HTTP request, repeated, or requests from a file.
    Http(http::HttpWork, http::HttpDraft) in http,
    /// S3 operations on many objects.
    S3(s3::S3Work, s3::S3Draft) in s3,
    /// One phase (put, get or delete) on blobs.
    Blob(blob::BlobWork, blob::BlobDraft) in blob,
}

/// The name of each protocol, with the keys of its work.
pub fn key_tables() -> impl Iterator<Item = (&'static str, &'static [Key])> {
    PROTOCOLS
        .iter()
        .map(|entry| (entry.traits.name, entry.keys))
}

/// The traits of all protocols.
pub fn protocols() -> impl Iterator<Item = &'static Traits> {
    PROTOCOLS.iter().map(|entry| &entry.traits)
}

/// The traits of the protocol with this name, if any.
pub fn traits_of(protocol: &str) -> Option<&'static Traits> {
    protocols().find(|traits| traits.name == protocol)
}

impl WorkloadKind {
    /// The facts about the work.
    pub fn facts(&self) -> &dyn Facts {
        self.protocol()
    }

    /// Prints the keys of the work, with `kind`.
    pub(crate) fn print(&self, page: &mut Page) {
        page.pair("kind", text(self.facts().traits().name));
        self.protocol().print(page);
    }
}
