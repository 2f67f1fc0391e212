//! Tenbin with agents.

use super::http::get;
use super::{Contender, ONE_SLICE, Scene, Stable};

impl Stable<'_> {
    /// Plain GETs by tenbin, by this process and by an agent. The figures of the agent include its
    /// coordinator and its hub, on the same core.
    pub(crate) fn with_agent(&self, connections: usize) -> Vec<Contender> {
        let with_agent = self.tenbin(move |scene| {
            let options = get(scene, connections, "")?;
            Ok(format!("with-agents 1 {options}"))
        });
        let with_agent = Contender {
            program: Ok(self.built.join("xtask")),
            ..with_agent.named("1 agent")
        };
        vec![
            self.tenbin(move |scene| get(scene, connections, "")),
            with_agent,
        ]
    }

    /// GETs at a constant rate, `times` times the length of a turn, by the agents beside the server.
    pub(crate) fn by_agents(&self, name: &'static str, times: u64) -> Contender {
        self.tenbin(move |scene| {
            let Scene { url, agents, .. } = scene;
            let seconds = scene.seconds * times;
            Ok(format!(
                "http --target s={url} {agents} --rate 6400/s --connections 256 --slice {seconds}s \
                 {ONE_SLICE}"
            ))
        })
        .named(name)
    }
}
