//! The NATS subjects of Tenbin, and what each role may do with them.

/// Discovery: coordinators publish, agents reply.
pub const HELLO: &str = "tenbin.hello";
/// The coordinator's lease: published every second; agents without a lease stop sending.
pub const LEASE: &str = "tenbin.lease";
/// Prefix of the inboxes of coordinators.
pub const COORDINATOR_INBOX: &str = "_INBOX_COORDINATOR";
/// Prefix of the inboxes of agents.
pub const AGENT_INBOX: &str = "_INBOX_AGENT";

/// Orders for one agent; for all agents with `*`.
pub fn orders(agent: &str) -> String {
    format!("tenbin.agent.{agent}.order")
}

/// Events of one agent; of all agents with `*`.
pub fn events(agent: &str) -> String {
    format!("tenbin.agent.{agent}.event")
}

/// The name of the agent in the subject of its events.
pub(crate) fn agent_of_events(subject: &str) -> Option<&str> {
    subject
        .strip_prefix("tenbin.agent.")?
        .strip_suffix(".event")
}

/// The name of the agent in the subject of its orders.
#[cfg(all(test, target_os = "linux"))]
pub(crate) fn agent_of_order(subject: &str) -> Option<&str> {
    subject
        .strip_prefix("tenbin.agent.")?
        .strip_suffix(".order")
}

/// The subjects that a role may publish to and subscribe to. Replies to requests are allowed apart
/// from these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permissions {
    /// Subjects that may be published to.
    pub publish: Vec<String>,
    /// Subjects that may be subscribed to.
    pub subscribe: Vec<String>,
}

/// What a coordinator may do.
pub fn of_coordinator() -> Permissions {
    Permissions {
        publish: vec![HELLO.to_owned(), LEASE.to_owned(), orders("*")],
        subscribe: vec![events("*"), format!("{COORDINATOR_INBOX}.>")],
    }
}

/// What an agent may do.
pub fn of_agent() -> Permissions {
    Permissions {
        publish: vec![events("*")],
        subscribe: vec![
            HELLO.to_owned(),
            LEASE.to_owned(),
            orders("*"),
            format!("{AGENT_INBOX}.>"),
        ],
    }
}
