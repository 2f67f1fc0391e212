//! The keys of `observe`.

use std::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};

use crate::keys::form::{Form, Kind};
use crate::keys::row::{Flag, Takes, switch, text};
use crate::keys::scalar::{At, FromFlag, Scalar};
use crate::keys::section::section;

/// The `observe` of a target: one source, or a list of sources whose figures are added up.
#[derive(Debug, Clone)]
pub enum ObservedDraft {
    /// Written as a table.
    One(Box<ObserveDraft>),
    /// Written as a list of tables, or by several flags.
    Several(Vec<At<ObserveDraft>>),
}

impl FromFlag for ObservedDraft {
    const FORM: Form = Form::Tables("observe");
}

impl<'de> Deserialize<'de> for ObservedDraft {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObservedVisitor;

        impl<'de> Visitor<'de> for ObservedVisitor {
            type Value = ObservedDraft;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a table such as { pid = 1234 } or { tenbin = \"https://…\" }, or a list of them",
                )
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ObservedDraft, A::Error> {
                let draft = ObserveDraft::deserialize(MapAccessDeserializer::new(map))?;
                Ok(ObservedDraft::One(Box::new(draft)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<ObservedDraft, A::Error> {
                let all = Vec::deserialize(SeqAccessDeserializer::new(seq))?;
                Ok(ObservedDraft::Several(all))
            }
        }

        deserializer.deserialize_any(ObservedVisitor)
    }
}

section! {
    /// A source of a target's resource usage: exactly one of the first five keys.
    pub struct ObserveDraft(
        "in observe",
        "a table such as { pid = 1234 } or { tenbin = \"https://…\" }"
    ) {
        /// a process on this machine, with its descendants
        pid: Scalar = text("1 to 4,194,304").kinds(&[Kind::Whole { least: 1, most: 1 << 22 }]);
        /// the process that listens on this local TCP port; `true`: the port of the target's `url`
        port: Scalar = text("1 to 65,535, or `true`")
            .kinds(&[Kind::Whole { least: 1, most: 65_535 }, Kind::True]);
        /// processes on this machine with this program name
        name: Scalar = text("text");
        /// only processes of this `name` that work in this directory: their working directory, or a
        /// path among their arguments, is the directory or below it
        dir: Scalar = text("path").default_rule("any");
        /// only processes of this `name` in this cgroup or in a cgroup below it: the path in
        /// `/proc/PID/cgroup`
        cgroup: Scalar = text("path").default_rule("any");
        /// a `tenbin observe` on the target's machine
        tenbin: Scalar = text("URL");
        /// a page in Prometheus' text format: of the server itself, of process exporter, or of node
        /// exporter for the whole host; if the URL has no path, `/metrics` is read
        prometheus: Scalar = text("URL");
        /// the target's group on the page of a process exporter
        group: Scalar = text("text").default_rule("the only group")
            .flag(Flag::per_target(
                "--observe-group",
                "[NAME=]GROUP",
                "Process group (label groupname) of the target in the metrics of a Prometheus \
                 process exporter",
            ));
        /// file with the bearer token for the URL in `tenbin` or `prometheus`; a trailing line
        /// break is removed
        token_file: Scalar = text("path").default_rule("none; required for `tenbin`")
            .flag(Flag::per_target(
                "--observe-token-file",
                "[NAME=]FILE",
                "File with the bearer token for the --observe URL",
            ));
        /// environment variable with the token
        token_env: Scalar = text("name")
            .flag(Flag::per_target(
                "--observe-token-env",
                "[NAME=]VARIABLE",
                "Environment variable with the bearer token for the --observe URL",
            ));
        /// PEM file of the authorities to trust for the URL in `tenbin` or `prometheus`
        ca: Scalar = text("path").default_rule("the system's")
            .flag(Flag::per_target(
                "--observe-cacert",
                "[NAME=]FILE",
                "PEM file of the certificate authorities to trust for the --observe URL instead of \
                 the system's",
            ));
        /// `true`: accept any certificate from the URL in `tenbin` or `prometheus`
        insecure: Scalar = switch().default("false")
            .flag(Flag::of(
                "--observe-insecure",
                Takes::PerTargetMeans("true"),
                "Accept any certificate from the --observe URL",
            ));
    }
}
