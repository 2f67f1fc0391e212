//! `tenbin hub`: a NATS server with a generated configuration.
