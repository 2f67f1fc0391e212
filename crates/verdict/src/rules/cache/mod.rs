//! Rules on hits of search patterns and on cache hits.

pub(crate) mod cache_forecast;
pub(crate) mod cache_share;
pub(crate) mod no_hits;
pub(crate) mod unequal_hits;
