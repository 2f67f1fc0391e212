//! Pages: the appearance of blocks on a terminal and in Markdown. All text is escaped here.

pub(crate) mod html;
pub(crate) mod markdown;
pub(crate) mod terminal;
