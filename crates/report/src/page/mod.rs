//! Pages print blocks for a terminal, as Markdown and as HTML. All text is escaped here.

pub(crate) mod html;
pub(crate) mod markdown;
pub(crate) mod terminal;
