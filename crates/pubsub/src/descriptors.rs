//! As many open files as there are going to be connections.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::Error;

/// Beside the subscribers.
const OTHERS: u64 = 64;

/// Lets this process have so many connections.
///
/// # Errors
/// When it may not.
pub(crate) fn raise(connections: u64) -> Result<(), Error> {
    let needed = connections.saturating_add(OTHERS);
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
