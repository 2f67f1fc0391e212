//! Errors of the operating system as sentences.

use std::io;

use crate::{Sentence, sentence};

/// The error of the operating system. Rare errors have the text of the system in every
/// language.
impl From<&io::Error> for Sentence {
    fn from(error: &io::Error) -> Self {
        let said = error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<Self>());
        if let Some(said) = said {
            return said.clone();
        }
        let kind = match error.kind() {
            io::ErrorKind::NotFound => "not-found",
            io::ErrorKind::PermissionDenied => "denied",
            io::ErrorKind::IsADirectory => "directory",
            io::ErrorKind::NotADirectory => "no-directory",
            io::ErrorKind::AlreadyExists => "exists",
            io::ErrorKind::StorageFull => "full",
            io::ErrorKind::ReadOnlyFilesystem => "read-only",
            io::ErrorKind::AddrInUse => "address-in-use",
            io::ErrorKind::AddrNotAvailable => "no-address",
            io::ErrorKind::ConnectionRefused => "refused",
            io::ErrorKind::ConnectionReset => "reset",
            io::ErrorKind::TimedOut => "timeout",
            io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => "unreachable",
            io::ErrorKind::UnexpectedEof => "early-end",
            _ => "other",
        };
        sentence!("system-error", "{text}", text = error.to_string()).with("kind", kind)
    }
}
