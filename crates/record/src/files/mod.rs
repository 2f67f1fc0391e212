//! The files of a run directory.

pub(crate) mod archive;
pub(crate) mod atomic;
pub(crate) mod calendar;
pub(crate) mod check_values;
pub(crate) mod directory;
pub(crate) mod harmless_text;
pub(crate) mod hlog;
pub(crate) mod integrity;
pub(crate) mod leftovers;
pub(crate) mod lines;
pub(crate) mod live_address;
pub(crate) mod names;
pub(crate) mod pretty_json;
pub(crate) mod read_back;
pub(crate) mod request_log;
pub(crate) mod slice_histograms;
pub(crate) mod writer;
