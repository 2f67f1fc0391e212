//! The limit of open files.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::Error;

/// Open files that are not subscribers.
const OTHER_FILES: u64 = 64;

/// Raises the limit of open files to hold this many connections.
///
/// # Errors
/// When the limit cannot be raised that far.
pub(crate) fn raise(connections: u64) -> Result<(), Error> {
    let needed = connections.saturating_add(OTHER_FILES);
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return Ok(());
    };
    if soft >= needed {
        return Ok(());
    }
    let raised = needed <= hard && setrlimit(Resource::RLIMIT_NOFILE, needed, hard).is_ok();
    if raised {
        return Ok(());
    }
    Err(Error::Descriptors {
        needed,
        limit: hard,
    })
}
