//! Prints `[agents]`.

use crate::agents::Agents;
use crate::draft::AgentsDraft;
use crate::duration::Time;
use crate::page::{Page, text};

pub(super) fn agents(page: &mut Page, agents: &Agents) {
    page.table("[agents]");
    page.key(&AgentsDraft::count, agents.count);
    page.key(&AgentsDraft::nats, text(&agents.nats));
    if let Some(creds) = &agents.creds {
        page.key(&AgentsDraft::creds, text(creds.display()));
    }
    page.key(&AgentsDraft::on_loss, text(agents.on_loss.name()));
    page.key(&AgentsDraft::wait, text(Time(agents.wait)));
}
