//! Commands that read finished runs and result files, and write them in other forms.

pub(crate) mod chart;
pub(crate) mod compare;
pub(crate) mod earlier_runs;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod index;
pub(crate) mod kept;
pub(crate) mod lint;
pub(crate) mod list;
pub(crate) mod opened;
pub(crate) mod pack;
pub(crate) mod report;
pub(crate) mod rows;
pub(crate) mod show;
pub(crate) mod tidy;
pub(crate) mod verify;
