//! How a response differs from the reference.

use std::fmt;

use super::super::shape::Form;

/// Result of the comparison of a response with the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::responses) enum Likeness {
    /// The constant content.
    Same,
    /// A body of a page that varies, or the constant content with other numbers.
    Alike,
    /// Other content in place of the constant content, with the same shape.
    Changed,
    /// Another kind of response, which can be a rare page that the unloaded server did not happen to
    /// send.
    Strange(Difference),
    /// Another kind of response that is no page: an error, an empty body, or a part of a page.
    Other(Difference),
}

impl Likeness {
    /// Whether the response is of another kind.
    pub(in crate::responses) fn is_other(&self) -> bool {
        matches!(self, Self::Strange(_) | Self::Other(_))
    }
}

/// How a response of another kind differs. Later values are nearer to the reference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::responses) enum Difference {
    Status,
    Media(String),
    Empty,
    Form(Form),
    Keys,
    Tags,
    Words,
    Bytes,
    Content,
    Short,
    CutOff,
}

impl Difference {
    /// Whether a rare page can differ in this way.
    pub(in crate::responses) fn can_be_a_rare_page(&self) -> bool {
        match self {
            Self::Status | Self::Media(_) | Self::Empty | Self::Form(_) | Self::CutOff => false,
            Self::Keys | Self::Tags | Self::Words | Self::Bytes | Self::Content | Self::Short => {
                true
            }
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status => f.write_str("another status"),
            Self::Media(media) if media.is_empty() => f.write_str("no media type"),
            Self::Media(media) => write!(f, "media type {media}"),
            Self::Empty => f.write_str("an empty body"),
            Self::Form(form) => write!(f, "{} in place of the expected content", form.word()),
            Self::Keys => f.write_str("other JSON keys"),
            Self::Tags => f.write_str("other tags"),
            Self::Words => f.write_str("other words"),
            Self::Bytes => f.write_str("other kinds of bytes"),
            Self::Content => f.write_str("other content"),
            Self::Short => f.write_str("far shorter than the shortest body"),
            Self::CutOff => f.write_str("a body that is cut off"),
        }
    }
}
