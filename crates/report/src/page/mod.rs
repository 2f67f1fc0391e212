//! Pages: how blocks look on a terminal and in Markdown. Everything that blocks hold is escaped
//! here.

pub(crate) mod markdown;
pub(crate) mod terminal;
