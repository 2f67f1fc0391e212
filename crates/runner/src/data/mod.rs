//! The data on the targets: loaded before the slices, checked and removed after them.

pub(crate) mod clean;
pub(crate) mod existing;
pub(crate) mod loaded;
pub(crate) mod loading_forecast;
pub(crate) mod pages;
pub(crate) mod read_back;
