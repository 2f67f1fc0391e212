//! The keys of `[agents]`.

use std::path::PathBuf;
use std::time::Duration;

use crate::agents::OnLoss;
use crate::keys::page::{self, Page};
use crate::keys::row::{Flag, Takes, choice, text, time, whole};
use crate::keys::scalar::Scalar;
use crate::keys::section::section;

/// Maximum number of agents of a run.
const MOST_AGENTS: u64 = 1_000;

section! {
    /// `[agents]`.
    pub struct AgentsDraft("in [agents]", "a table such as [agents]") {
        /// number of load machines that send the load together. Each runs `tenbin agent`; this
        /// machine then sends none: [agents.md](agents.md)
        count: Scalar, shown count = whole(1, MOST_AGENTS)
            .default_rule("none: this machine sends the load")
            .flag(
                Flag::whole(
                    "--agents",
                    "N",
                    "Number of load machines that send the load together; each must run `tenbin \
                     agent`",
                )
                .default("this machine sends the load"),
            );
        /// URL of the NATS server at which the agents and this machine meet; `tenbin hub` starts
        /// one
        nats: Scalar, shown nats = text("URL").flag(Flag::text(
            "--nats",
            "URL",
            "NATS server that the agents connect to, for example tls://10.0.0.1:4222 \
             (`tenbin hub` starts one)",
        ));
        /// file with the credentials of this machine for the NATS server
        creds: Scalar => Option<PathBuf> = text("path").flag(Flag::of(
            "--creds",
            Takes::Text("FILE"),
            "Credentials for the NATS server, for example coordinator.creds, written by `tenbin \
             hub`",
        ));
        /// what happens when an agent is lost during the run: killed, cut off, or its samples
        /// missing. `"repeat"`: look for another agent, or the same again, for up to `wait`, and
        /// measure the block again, with the other agents if none is found. `"continue"`: measure
        /// the block again with the other agents at once. `"stop"`: end the run, and keep the
        /// earlier slices: [agents.md](agents.md#what-happens-when-something-is-lost)
        on_loss: Scalar => OnLoss = choice::<OnLoss>().default("repeat").flag(Flag::text(
            "--on-agent-loss",
            "WHAT",
            "When an agent is lost: repeat (look for another agent for up to --agent-wait and \
             measure the block again), continue (measure the block again with the other agents) or stop (end \
             the run)",
        ));
        /// how long to look for agents, at the start of the run and after the loss of an agent
        wait: Scalar => Duration = time().default("30s").flag(Flag::text(
            "--agent-wait",
            "TIME",
            "How long to look for agents, at the start and after the loss of an agent",
        ));
    }
    stored {
        /// Load machines that send the load of a run together.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Agents {
            /// Number of agents, at least 1.
            pub count: usize = 1,
            /// URL of the NATS server at which the agents are found.
            pub nats: String = String::new(),
        }
    }
}

fn count(agents: &Agents, page: &mut Page) {
    page.key(&AgentsDraft::count, agents.count);
}

fn nats(agents: &Agents, page: &mut Page) {
    page.key(&AgentsDraft::nats, page::text(&agents.nats));
}
