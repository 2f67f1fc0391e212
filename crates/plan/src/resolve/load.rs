//! How operations are issued.

use std::time::Duration;

use super::Desk;
use crate::draft::LoadDraft;
use crate::duration::Time;
use crate::model::{Load, Pace};

const DEFAULT_CONNECTIONS: usize = 16;
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
const SHORTEST_TIMEOUT: Duration = Duration::from_millis(1);
/// More sockets than one address pair has ports is surely a slip.
const MOST_CONNECTIONS: u64 = 100_000;

pub(super) fn resolve(desk: &mut Desk<'_>, draft: &LoadDraft) -> Load {
    let connections = desk.read("connections", &draft.connections, |scalar| {
        scalar.whole(1, MOST_CONNECTIONS)
    });
    let rate = desk.read("rate", &draft.rate, |scalar| scalar.rate());
    let timeout = desk.read("timeout", &draft.timeout, |scalar| {
        let timeout = scalar.time()?;
        if timeout < SHORTEST_TIMEOUT {
            let shortest = Time(SHORTEST_TIMEOUT);
            return Err(format!(
                "{} is too short; the least is {shortest}",
                Time(timeout)
            ));
        }
        Ok(timeout)
    });
    Load {
        pace: match rate {
            Some(per_second) => Pace::Constant { per_second },
            None => Pace::Closed,
        },
        connections: connections
            .and_then(|connections| usize::try_from(connections).ok())
            .unwrap_or(DEFAULT_CONNECTIONS),
        timeout: timeout.unwrap_or(DEFAULT_TIMEOUT),
        keep_alive: desk
            .read("keep_alive", &draft.keep_alive, |scalar| scalar.switch())
            .unwrap_or(true),
        requests: desk.read("requests", &draft.requests, |scalar| {
            scalar.whole(1, u64::MAX)
        }),
    }
}
