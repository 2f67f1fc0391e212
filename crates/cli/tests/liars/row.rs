//! One server of the tables.

use super::server::{Ask, Reply};

pub(crate) const GET: &str = "GET";
pub(crate) const POST: &str = "POST";

/// One server, and the honest server beside it.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) method: &'static str,
    pub(crate) reply: fn(&Ask) -> Reply,
    pub(crate) twin: fn(&Ask) -> Reply,
}

pub(crate) const fn row(
    name: &'static str,
    method: &'static str,
    reply: fn(&Ask) -> Reply,
    twin: fn(&Ask) -> Reply,
) -> Row {
    Row {
        name,
        method,
        reply,
        twin,
    }
}

/// An honest server.
pub(crate) const fn honest(
    name: &'static str,
    method: &'static str,
    reply: fn(&Ask) -> Reply,
) -> Row {
    row(name, method, reply, reply)
}
