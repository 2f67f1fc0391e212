//! Formats of HTTP load generators.

pub(in crate::formats) mod ab;
pub(in crate::formats) mod autocannon;
pub(in crate::formats) mod bombardier;
pub(in crate::formats) mod fortio;
pub(in crate::formats) mod h2load;
pub(in crate::formats) mod hey;
pub(in crate::formats) mod oha;
pub(in crate::formats) mod vegeta;
pub(in crate::formats) mod wrk;
