//! What can go wrong, and what to do about it.

use std::io;

use crate::source::Place;

/// Why something could not be done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input is not what it should be.
    #[error("{name}, {place}: {reason}")]
    Malformed {
        /// Its name.
        name: String,
        /// Where.
        place: Place,
        /// What is wrong.
        reason: String,
    },
    /// The input cannot be read.
    #[error("cannot read {name}: {source}")]
    Read {
        /// Its name.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// The output cannot be written.
    #[error("cannot write {name}: {source}")]
    Write {
        /// Its name.
        name: String,
        /// What the system said.
        source: io::Error,
    },
    /// What was asked for cannot be done.
    #[error("{0}")]
    Refused(String),
    /// Somebody asked to stop while a server owed an answer.
    #[error("stopped while the server owed an answer")]
    Stopped,
    /// A server cannot be reached, or does not do what it is asked for.
    #[error("{server}: {reason}")]
    Server {
        /// Which.
        server: String,
        /// What is wrong and, where that is known, what to do.
        reason: String,
    },
}

impl Error {
    pub(crate) fn server(server: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Server {
            server: server.into(),
            reason: reason.into(),
        }
    }

    pub(crate) fn read(name: impl Into<String>, source: io::Error) -> Self {
        Self::Read {
            name: name.into(),
            source,
        }
    }

    /// A file that cannot be written.
    pub fn write(name: impl Into<String>, source: io::Error) -> Self {
        Self::Write {
            name: name.into(),
            source,
        }
    }
}

/// The beginning of a text that somebody else wrote, for a message: on one line, without
/// what a terminal would obey.
pub(crate) fn excerpt(text: &str) -> String {
    const LENGTH: usize = 120;
    let mut short = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        if length > 0 {
            short.push(' ');
            length += 1;
        }
        for character in word.chars() {
            if length >= LENGTH {
                short.push('…');
                return short;
            }
            match character.is_control() {
                true => short.extend(character.escape_default()),
                false => short.push(character),
            }
            length += 1;
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn what_somebody_else_wrote_is_one_short_harmless_line() {
        assert_eq!(excerpt(" a\n\t b\u{1b}[31m "), "a b\\u{1b}[31m");
        assert_eq!(excerpt(&"x".repeat(120)), "x".repeat(120));
        assert_eq!(excerpt(&"x".repeat(121)), "x".repeat(120) + "…");
        assert_eq!(excerpt(""), "");
    }
}
