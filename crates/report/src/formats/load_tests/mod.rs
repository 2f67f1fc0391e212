//! Formats of load tests with scenarios.

pub(in crate::formats) mod artillery;
pub(in crate::formats) mod gatling;
pub(in crate::formats) mod jmeter;
pub(in crate::formats) mod k6;
pub(in crate::formats) mod locust;
