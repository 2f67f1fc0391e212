//! The configuration file of `nats-server`.

use std::fmt::Write as _;
use std::net::SocketAddr;

use super::{SERVER_CERTIFICATE, SERVER_KEY};
use crate::subjects::{self, Permissions};

/// Time for a client to finish the TLS handshake, and then to authenticate, seconds. Longer than
/// the default of 2 s, for machines under full load.
const LOGIN_SECONDS: u32 = 10;

/// The configuration: TLS, two users and no others, no monitoring port, no cluster, no JetStream.
/// `coordinator` and `agent` are public nkeys.
pub(super) fn text(listen: SocketAddr, coordinator: &str, agent: &str) -> String {
    let coordinator = user(coordinator, &subjects::of_coordinator());
    let agent = user(agent, &subjects::of_agent());
    format!(
        "# tenbin hub writes this file at every start.\n\
         listen: \"{listen}\"\n\
         tls {{\n\
         \x20 cert_file: \"{SERVER_CERTIFICATE}\"\n\
         \x20 key_file: \"{SERVER_KEY}\"\n\
         \x20 timeout: {LOGIN_SECONDS}\n\
         }}\n\
         authorization {{\n\
         \x20 timeout: {LOGIN_SECONDS}\n\
         \x20 users: [\n\
         {coordinator}{agent}\
         \x20 ]\n\
         }}\n\
         max_payload: 8MB\n\
         max_pending: 512MB\n\
         write_deadline: \"10s\"\n\
         ping_interval: \"1s\"\n\
         ping_max: 3\n"
    )
}

fn user(nkey: &str, permissions: &Permissions) -> String {
    let publish = list(&permissions.publish);
    let subscribe = list(&permissions.subscribe);
    format!(
        "    {{\n\
         \x20     nkey: \"{nkey}\"\n\
         \x20     permissions: {{\n\
         \x20       publish: {{ allow: [{publish}] }}\n\
         \x20       subscribe: {{ allow: [{subscribe}] }}\n\
         \x20       allow_responses: {{ max: 1, expires: \"2m\" }}\n\
         \x20     }}\n\
         \x20   }}\n"
    )
}

fn list(subjects: &[String]) -> String {
    let mut text = String::new();
    for (at, subject) in subjects.iter().enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}\"{subject}\"");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_users_have_the_permissions_of_their_roles() {
        let text = text("127.0.0.1:4222".parse().unwrap(), "UCOORDINATOR", "UAGENT");
        assert_eq!(
            text,
            r#"# tenbin hub writes this file at every start.
listen: "127.0.0.1:4222"
tls {
  cert_file: "server.pem"
  key_file: "server.key"
  timeout: 10
}
authorization {
  timeout: 10
  users: [
    {
      nkey: "UCOORDINATOR"
      permissions: {
        publish: { allow: ["tenbin.hello", "tenbin.lease", "tenbin.agent.*.order"] }
        subscribe: { allow: ["tenbin.agent.*.event", "_INBOX_COORDINATOR.>"] }
        allow_responses: { max: 1, expires: "2m" }
      }
    }
    {
      nkey: "UAGENT"
      permissions: {
        publish: { allow: ["tenbin.agent.*.event"] }
        subscribe: { allow: ["tenbin.hello", "tenbin.lease", "tenbin.agent.*.order", "_INBOX_AGENT.>"] }
        allow_responses: { max: 1, expires: "2m" }
      }
    }
  ]
}
max_payload: 8MB
max_pending: 512MB
write_deadline: "10s"
ping_interval: "1s"
ping_max: 3
"#
        );
    }
}
