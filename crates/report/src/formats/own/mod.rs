//! The formats of Tenbin itself: documents, pages, charts and tables.

pub(super) mod charts;
pub(super) mod concurrency_sweep;
pub(super) mod document;
pub(super) mod html;
pub(super) mod seconds;
pub(super) mod slices;
pub(super) mod summary;
