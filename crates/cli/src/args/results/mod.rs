//! Options of the commands that read finished runs and result files.

pub(crate) mod chart;
pub(crate) mod columns;
pub(crate) mod compare;
pub(crate) mod explain;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod pack;
pub(crate) mod part;
pub(crate) mod report;
pub(crate) mod runs;
pub(crate) mod ui;
