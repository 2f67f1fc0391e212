//! Resolves `[agents]`.

use url::Url;

use crate::context::Context;
use crate::draft::{Agents, AgentsDraft};
use crate::keys::row::Section as _;
use crate::keys::scalar::{At, Scalar};
use crate::plan_file::problem::{Findings, Refusal};
use crate::resolver::Resolver;
use crate::{Sentence, sentence};

impl AgentsDraft {
    /// The agents, for a command that needs no plan; `None` without agents.
    ///
    /// # Errors
    ///
    /// All mistakes in the draft.
    pub fn resolve(&self, context: &mut Context) -> Result<Option<Agents>, Refusal> {
        let directory = context.directory.clone();
        let mut resolver = Resolver::new(context, directory, Findings::default());
        let agents = resolve(&mut resolver, self);
        resolver.findings.verdict(None)?;
        Ok(agents)
    }
}

pub(super) fn resolve(resolver: &mut Resolver<'_>, draft: &AgentsDraft) -> Option<Agents> {
    let count: Option<usize> = resolver.value(&AgentsDraft::count, &draft.count);
    let nats = resolver.read(AgentsDraft::nats.name, &draft.nats, server);
    let mut agents = Agents::default();
    agents.read_keys(resolver, draft);
    match (count, nats) {
        (Some(count), Some(nats)) => Some(Agents {
            count,
            nats,
            ..agents
        }),
        (Some(_), None) if draft.nats.is_none() => {
            if let Some(At { place, .. }) = &draft.count {
                resolver.refuse(
                    *place,
                    sentence!(
                        "agents-need-nats",
                        "agents require a NATS server; set its URL with --nats or `nats` in \
                         [agents]; `tenbin hub` starts one"
                    ),
                );
            }
            None
        }
        (None, _) if draft.count.is_none() => {
            if let Some((key, place)) = draft.given().first() {
                resolver.wrong(
                    *place,
                    key,
                    sentence!(
                        "agents-need-count",
                        "is for runs with agents; set their number with --agents or `count` in \
                         [agents]"
                    ),
                );
            }
            None
        }
        _ => None,
    }
}

/// Reads the URL of a NATS server.
fn server(scalar: &Scalar) -> Result<String, Sentence> {
    let text = scalar.text()?;
    let hint = sentence!("nats-example", "write for example nats://10.0.0.1:4222");
    let url = Url::parse(text)
        .map_err(|error| sentence!("not-a-url", "not a URL ({error}); {hint}", error, hint))?;
    if !matches!(url.scheme(), "nats" | "tls") || url.host().is_none() {
        return Err(sentence!(
            "not-nats",
            "the URL is neither nats:// nor tls://; {hint}",
            hint
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(sentence!(
            "nats-password",
            "the URL contains a user or a password, which plan.toml would show; use --creds"
        ));
    }
    Ok(text.to_owned())
}
