//! Rules on rates, numbers of connections, and the results of sweeps and searches.

pub(crate) mod highest_rate;
pub(crate) mod hysteresis;
pub(crate) mod optimum_concurrency;
pub(crate) mod rate_too_low;
pub(crate) mod sweep_optimum;
pub(crate) mod too_few_connections;
pub(crate) mod unfinished;
