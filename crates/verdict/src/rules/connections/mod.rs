//! Rules on connections, hosts and the route to the target.

pub(crate) mod keep_alive;
pub(crate) mod network_latency;
pub(crate) mod port_exhaustion;
pub(crate) mod proxy_hop;
pub(crate) mod resent;
pub(crate) mod stream_limit;
pub(crate) mod unbalanced_hosts;
pub(crate) mod unequal_paths;
pub(crate) mod uneven_hosts;
