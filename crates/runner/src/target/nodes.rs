//! Checks whether all nodes of a target are alive.

use tenbin_corpus::status::{self, Kind, Node};
use tenbin_http::Login;
use tenbin_plan::{SearchServer, Sentence, Target, sentence};
use tenbin_targets::Running;

use crate::error::RunError;

/// Returns one sentence if nodes of a target are not alive, or if the number of nodes differs from
/// the number of hosts. `None` also if the plan does not check nodes.
pub(crate) fn missing(target: &Target, running: &Running) -> Result<Option<Sentence>, RunError> {
    let Some(server) = target.searched.status else {
        return Ok(None);
    };
    let kind = kind(server).ok_or_else(|| RunError::Nodes {
        target: target.name.clone(),
        why: sentence!(
            "nodes-not-counted",
            "counting the nodes of {server} is not supported",
            server
        ),
    })?;
    let nodes = status::nodes(kind, &urls(running), &Login::default())?;
    Ok(sentence(&target.name, target.host_count(), &nodes))
}

/// The base URLs of all hosts of a target.
pub(crate) fn urls(running: &Running) -> Vec<String> {
    let hosts = running.route.hosts.iter();
    hosts
        .map(|host| {
            let mut base = host.url.clone();
            base.set_path("/");
            base.set_query(None);
            base.to_string()
        })
        .collect()
}

fn kind(server: SearchServer) -> Option<&'static Kind> {
    let mut kinds = status::KINDS.iter();
    kinds.find(|kind| kind.name == server.name())
}

fn sentence(target: &str, expected: usize, nodes: &[Node]) -> Option<Sentence> {
    let alive = nodes.iter().filter(|node| node.alive).count();
    if alive == expected && nodes.len() == expected {
        return None;
    }
    let dead = nodes.iter().filter(|node| !node.alive);
    let dead: Vec<String> = dead
        .map(|node| format!("{}: {}", node.name, node.note))
        .collect();
    let why = match dead.as_slice() {
        [] => sentence!(
            "nodes-apart",
            "the nodes that respond do not know the others"
        ),
        dead => Sentence::verbatim(dead.join("; ")),
    };
    let are = if alive == 1 { "is" } else { "are" };
    Some(sentence!(
        "nodes-alive",
        "target \"{target}\": {alive} of {expected} nodes {are} alive ({why})",
        target,
        alive,
        expected,
        are,
        why
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nodes_of_every_server_can_be_counted() {
        for server in SearchServer::all() {
            assert!(kind(server).is_some(), "{server}");
        }
    }

    #[test]
    fn dead_unknown_and_extra_nodes_are_reported() {
        let node = |name: &str, alive| Node {
            name: name.to_owned(),
            alive,
            note: "connection refused".into(),
        };
        let two = [node("a", true), node("b", true)];
        assert_eq!(sentence("t", 2, &two), None);
        assert_eq!(
            sentence("t", 2, &[node("a", true), node("b", false)]).unwrap(),
            "target \"t\": 1 of 2 nodes is alive (b: connection refused)"
        );
        assert!(
            sentence("t", 3, &two)
                .unwrap()
                .text()
                .contains("2 of 3 nodes are alive")
        );
        assert!(sentence("t", 1, &two).is_some());
    }
}
