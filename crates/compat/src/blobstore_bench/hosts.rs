//! The hosts in a configuration file of blobstore-bench.

use tenbin_plan::{Sentence, sentence};

/// Default port of the cluster manager, as CubeFS ships it.
const MANAGER_PORT: &str = ":9998";
/// Ports of further cluster managers on the same host, in the configuration that CubeFS ships.
const OTHER_MANAGERS: [&str; 2] = [":9999", ":10000"];
/// Default port of the access layer, as CubeFS ships it.
const ACCESS_PORT: &str = ":9500";

/// The access-layer hosts of a configuration, and whether the configuration names them; otherwise
/// they are derived from the cluster managers. The keys can be at the top, below `stream` (newer
/// versions) or below `access` (the blobstore's command-line client).
pub(super) fn hosts(text: &str) -> Result<(Vec<String>, bool), Sentence> {
    let conf: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| sentence!("bench-no-json", "is not JSON: {error}", error))?;
    let nowhere = serde_json::Value::Null;
    let below = |name| conf.get(name).unwrap_or(&nowhere);
    let places = [&conf, below("stream"), below("access")];
    let texts = |list: &serde_json::Value| -> Vec<String> {
        let items = list.as_array().into_iter().flatten();
        let texts = items.filter_map(|item| item.as_str());
        texts.map(with_scheme).collect()
    };
    let of_access = places
        .iter()
        .filter_map(|place| place.get("priority_addrs"));
    if let Some(hosts) = of_access.map(texts).find(|hosts| !hosts.is_empty()) {
        return Ok((hosts, true));
    }
    let clusters = places
        .iter()
        .filter_map(|place| place.pointer("/cluster_config/clusters"));
    let clusters = clusters
        .filter_map(|clusters| clusters.as_array())
        .flatten();
    let managers: Vec<String> = clusters
        .filter_map(|cluster| cluster.get("hosts"))
        .flat_map(texts)
        .collect();
    let mut hosts: Vec<String> = Vec::new();
    for manager in &managers {
        let host = at_the_access_layer(manager, &managers);
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    if hosts.is_empty() {
        Err(sentence!(
            "bench-no-hosts",
            "names no hosts: neither priority_addrs nor cluster_config.clusters; name those of the \
             access layer: {{\"priority_addrs\": [\"http://HOST:9500\"]}}"
        ))
    } else {
        Ok((hosts, false))
    }
}

/// The default access-layer URL for a cluster manager: the same host with port 9500, because the
/// managers on one host share one access layer. A URL without a default port of a manager is
/// returned unchanged. Ports 9999 and 10000 are default ports only if a URL in `all`, the URLs of
/// all managers, has port 9998.
fn at_the_access_layer(manager: &str, all: &[String]) -> String {
    let without = |host: &str, port| {
        let host = host.trim_end_matches('/').strip_suffix(port);
        host.map(str::to_owned)
    };
    let beside_the_first = all.iter().any(|one| without(one, MANAGER_PORT).is_some());
    let other = || {
        let mut ports = OTHER_MANAGERS.into_iter();
        ports.find_map(|port| without(manager, port))
    };
    let host = without(manager, MANAGER_PORT);
    let host = host.or_else(|| beside_the_first.then(other).flatten());
    host.map_or_else(|| manager.to_owned(), |host| format!("{host}{ACCESS_PORT}"))
}

/// The URL of a host, which the file can give without `http://`.
fn with_scheme(host: &str) -> String {
    if host.contains("://") {
        host.to_owned()
    } else {
        format!("http://{host}")
    }
}
