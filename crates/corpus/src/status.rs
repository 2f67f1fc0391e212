//! Checks that the nodes of a cluster are alive and that none is missing.

use std::time::Duration;

use tenbin_http::excerpt;

use crate::error::Error;
use crate::groonga::Response;
use crate::json::Json;
use tenbin_http::{Client, Login};
use tenbin_plan::Sentence;

/// Time limit of a status request; a node that does not respond in time is not alive.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A node of a cluster, or a stand-alone server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Name of the node.
    pub name: String,
    /// Whether the node is alive.
    pub alive: bool,
    /// Further details, such as the version.
    pub note: Sentence,
}

/// A kind of server with a status request.
#[derive(Debug)]
pub struct Kind {
    /// Name on the command line.
    pub name: &'static str,
    /// The status request, described in one line.
    pub about: &'static str,
    /// Requests and parses the status of a server.
    ask: fn(&Client) -> Result<Vec<Node>, Error>,
}

/// All kinds of servers with a status request.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "groonga",
        about: "/d/status of every server, each counted as one node",
        ask: groonga,
    },
    Kind {
        name: "droonga",
        about: "/droonga/system/status, of releases and of the last development version",
        ask: droonga,
    },
    Kind {
        name: "opensearch",
        about: "_cluster/health and _cat/nodes",
        ask: opensearch,
    },
];

/// The nodes reported by the servers, without duplicates. A server that does not respond counts as
/// a node that is not alive.
///
/// # Errors
/// When an argument is not the URL of a server.
pub fn nodes(kind: &Kind, servers: &[String], login: &Login) -> Result<Vec<Node>, Error> {
    let mut nodes: Vec<Node> = Vec::new();
    for url in servers {
        let mut client = Client::new(url, login)?;
        client.set_timeout(TIMEOUT);
        let known = (kind.ask)(&client).unwrap_or_else(|error| {
            let note = match error {
                Error::Server { reason, .. } => reason,
                other => other.sentence(),
            };
            vec![Node {
                name: client.url().to_owned(),
                alive: false,
                note,
            }]
        });
        for node in known {
            match nodes.iter_mut().find(|seen| seen.name == node.name) {
                // A node is dead if any server reports it as dead.
                Some(seen) if seen.alive && !node.alive => *seen = node,
                Some(_) => {}
                None => nodes.push(node),
            }
        }
    }
    let is_explained = |node: &Node| nodes.iter().any(|other| explains(other, node));
    let explained: Vec<bool> = nodes.iter().map(is_explained).collect();
    let nodes = nodes
        .into_iter()
        .zip(explained)
        .filter(|(_, explained)| !explained);
    Ok(nodes.map(|(node, _)| node).collect())
}

/// Whether a dead node of a cluster is the reason why a server on its host does not respond.
/// Droonga names nodes by host and port of the engine: `10.0.0.3:10031/droonga`.
fn explains(node: &Node, server: &Node) -> bool {
    let rest = server.name.split_once("://").map(|(_, rest)| rest);
    let host = rest.and_then(|rest| rest.split([':', '/']).next());
    let own = node.name.split_once(':').map(|(own, _)| own);
    !node.alive && !server.alive && !node.name.contains("://") && host.is_some() && own == host
}

fn groonga(client: &Client) -> Result<Vec<Node>, Error> {
    let reply = client.get("/d/status")?;
    let failed = |reason: String| Error::server(client.url(), reason);
    let parsed = Response::parse(&reply.body).and_then(Response::into_body);
    let body = parsed.map_err(failed)?;
    let version = body.get("version").and_then(Json::as_text);
    let version = version.ok_or_else(|| failed("its status has no version".to_owned()))?;
    let rate = match body.get("cache_hit_rate") {
        Some(Json::Number(rate)) => rate.as_f64(),
        _ => None,
    };
    let rate = rate.map_or("unknown".to_owned(), |percent| format!("{percent:.1} %"));
    Ok(vec![Node {
        name: client.url().to_owned(),
        alive: true,
        note: format!("Groonga {}, cache hits {rate}", excerpt(version)).into(),
    }])
}

fn droonga(client: &Client) -> Result<Vec<Node>, Error> {
    let reply = client.get("/droonga/system/status")?;
    droonga_nodes(&reply.body).map_err(|reason| Error::server(client.url(), reason))
}

/// Parses both formats: releases report `"live": true`; the last development version reports
/// `"status": "active"` and the name of the reporting node.
fn droonga_nodes(text: &[u8]) -> Result<Vec<Node>, String> {
    let unlike = || {
        let begin = excerpt(&String::from_utf8_lossy(text));
        format!("the response is not the status of a Droonga cluster: {begin}")
    };
    let json = Json::parse(text).map_err(|_| unlike())?;
    let Some(Json::Map(nodes)) = json.get("nodes") else {
        return Err(unlike());
    };
    let node = |(name, state): &(String, Json)| {
        let (alive, note) = match (state.get("live"), state.get("status")) {
            (Some(Json::Bool(live)), _) => (*live, if *live { "live" } else { "not live" }),
            (_, Some(Json::Text(status))) => (status == "active", status.as_str()),
            _ => return Err(unlike()),
        };
        Ok(Node {
            name: name.clone(),
            alive,
            note: excerpt(note).into(),
        })
    };
    nodes.iter().map(node).collect()
}

fn opensearch(client: &Client) -> Result<Vec<Node>, Error> {
    let failed = |reason: String| Error::server(client.url(), reason);
    let health = client.get("/_cluster/health")?;
    let list = client.get("/_cat/nodes?format=json&h=name,node.role,ip")?;
    for reply in [&health, &list] {
        if !reply.is_success() {
            return Err(failed(format!(
                "status {}: {}",
                reply.status,
                reply.excerpt()
            )));
        }
    }
    opensearch_nodes(&health.body, &list.body).map_err(failed)
}

fn opensearch_nodes(health: &[u8], list: &[u8]) -> Result<Vec<Node>, String> {
    let unlike = || {
        let begin = excerpt(&String::from_utf8_lossy(health));
        format!("the response is not the health of a cluster: {begin}")
    };
    let health = Json::parse(health).map_err(|_| unlike())?;
    let state = health
        .get("status")
        .and_then(Json::as_text)
        .ok_or_else(unlike)?;
    let list = Json::parse(list).map_err(|_| unlike())?;
    let nodes = list.as_list().ok_or_else(unlike)?;
    let count = health.get("number_of_nodes").and_then(Json::as_u64);
    if count != Some(nodes.len() as u64) {
        let text = "the cluster's number of nodes differs from its list of nodes; retry";
        return Err(text.to_owned());
    }
    let node = |node: &Json| {
        let name = node
            .get("name")
            .and_then(Json::as_text)
            .ok_or_else(unlike)?;
        Ok(Node {
            name: excerpt(name),
            // In a red cluster, some data cannot be searched.
            alive: state != "red",
            note: format!("cluster {}", excerpt(state)).into(),
        })
    };
    nodes.iter().map(node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(nodes: Result<Vec<Node>, String>) -> Vec<(String, bool)> {
        let nodes = nodes.unwrap();
        nodes
            .into_iter()
            .map(|node| (node.name, node.alive))
            .collect()
    }

    #[test]
    fn both_formats_of_droonga() {
        let release = br#"{"nodes":{"node0:10031/droonga":{"live":true},"node1:10031/droonga":{"live":false}}}"#;
        let last = br#"{"nodes":{"node0:10031/droonga":{"status":"active"},"node1:10031/droonga":{"status":"dead"}},"reporter":"node0:10031/droonga"}"#;
        for text in [&release[..], last] {
            assert_eq!(
                said(droonga_nodes(text)),
                [
                    ("node0:10031/droonga".to_owned(), true),
                    ("node1:10031/droonga".to_owned(), false)
                ]
            );
        }
        for text in ["", "[]", "{}", r#"{"nodes":[]}"#, r#"{"nodes":{"a":{}}}"#] {
            assert!(droonga_nodes(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_dead_node_counts_once() {
        let node = |name: &str, alive| Node {
            name: name.to_owned(),
            alive,
            note: Sentence::default(),
        };
        let dead = node("127.0.0.3:10031/droonga", false);
        assert!(explains(&dead, &node("http://127.0.0.3:10042", false)));
        assert!(!explains(&dead, &node("http://127.0.0.2:10042", false)));
        assert!(!explains(&dead, &node("http://127.0.0.3:10042", true)));
        let alive = node("127.0.0.3:10031/droonga", true);
        assert!(!explains(&alive, &node("http://127.0.0.3:10042", false)));
        assert!(!explains(&dead, &dead));
    }

    #[test]
    fn a_red_cluster_is_not_alive() {
        let list = br#"[{"name":"n1"},{"name":"n2"}]"#;
        let health = |state: &str, count: u32| {
            let text = format!(r#"{{"status":"{state}","number_of_nodes":{count}}}"#);
            opensearch_nodes(text.as_bytes(), list)
        };
        let alive = |nodes: Vec<(String, bool)>| nodes.iter().all(|(_, alive)| *alive);
        assert!(alive(said(health("yellow", 2))));
        assert!(!alive(said(health("red", 2))));
        assert!(health("green", 3).is_err());
    }
}
