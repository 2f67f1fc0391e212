//! Formats of gates and dashboards, which are written only.

pub(in crate::formats) mod bmf;
pub(in crate::formats) mod code_quality;
pub(in crate::formats) mod github;
pub(in crate::formats) mod influx;
pub(in crate::formats) mod junit;
