//! The limit of open files of this process.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::Error;

/// Number of open files reserved for other purposes than connections of subscribers.
const OTHER_FILES: u64 = 64;

/// Raises the limit of open files so that this process can open `connections` connections.
///
/// # Errors
/// If the system does not allow this limit.
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
