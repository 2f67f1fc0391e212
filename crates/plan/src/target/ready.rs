//! The readiness check of a launched target.

use crate::keys::form::{Form, Kind};
use crate::keys::row::text;
use crate::keys::scalar::{At, FromFlag, Scalar};
use crate::keys::section::section;
use crate::{Sentence, sentence};

section! {
    /// The `ready` of a target: exactly one of its keys.
    pub struct ReadyDraft(
        "in ready",
        "a table: { port = true }, { url = \"…\" } or { log = \"…\" }"
    ) {
        /// the port of the target's URL accepts connections
        port: Scalar = text("`true`").kinds(&[Kind::True]);
        /// the URL returns a status below 500
        url: Scalar = text("URL");
        /// the output of the server contains this text
        log: Scalar = text("text");
    }
}

/// The readiness check of a launched target.
#[derive(Debug, Clone, PartialEq)]
pub enum Ready {
    /// The port of the URL accepts connections.
    Port,
    /// This URL (with placeholders) returns a status below 500.
    Url(String),
    /// The output of the server contains this text.
    Log(String),
}

/// Reads `port`, `url:URL` or `log:TEXT`.
impl FromFlag for ReadyDraft {
    const FORM: Form = Form::Table("ready");

    fn from_flag(flag: &'static str, values: Vec<Scalar>) -> Result<Self, Sentence> {
        let how = Scalar::from_flag(flag, values)?;
        let how = how.text()?;
        let mut ready = Self::default();
        match how.split_once(':') {
            None if how == "port" => ready.port = Some(At::flag(flag, true)),
            Some(("url", url)) => ready.url = Some(At::flag(flag, url)),
            Some(("log", line)) => ready.log = Some(At::flag(flag, line)),
            _ => {
                return Err(sentence!(
                    "no-ready",
                    "{how:?} is not one of port, url:URL and log:TEXT",
                    how
                ));
            }
        }
        Ok(ready)
    }
}
