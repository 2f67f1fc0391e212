//! What a run measured, in few words.

use tenbin_result::{Subject, Workload};

/// The kind of HTTP requests to a full-text search server.
const SEARCH: &str = "search";
/// Parts of the paths of searches.
const SEARCH_PATHS: [&str; 4] = ["/_search", "/_msearch", "/d/select", "/droonga/search"];
/// Most operations that are named.
const MOST: usize = 3;

/// The kinds of work of a run with their operations, in the order of the workloads: `s3 put, get`.
/// Empty in documents of older versions and in imported results.
pub(crate) fn of(workloads: &[Workload]) -> Vec<String> {
    let mut kinds: Vec<(&str, Vec<&str>)> = Vec::new();
    for workload in workloads {
        let Some(subject) = &workload.subject else {
            continue;
        };
        let kind = kind_of(workload, subject);
        let at = kinds.iter().position(|(known, _)| *known == kind);
        let at = at.unwrap_or_else(|| {
            kinds.push((kind, Vec::new()));
            kinds.len() - 1
        });
        let operations = &mut kinds[at].1;
        for share in &subject.operations {
            if kind != SEARCH && !operations.contains(&share.operation.as_str()) {
                operations.push(&share.operation);
            }
        }
    }
    let said = kinds
        .iter()
        .map(|(kind, operations)| words(kind, operations));
    said.collect()
}

/// `search` or the protocol. Documents of older versions say only by their paths that they are searches.
fn kind_of<'a>(workload: &Workload, subject: &'a Subject) -> &'a str {
    let settings = workload.settings.iter().flatten();
    let mut requests = settings
        .filter(|it| it.key == "path")
        .map(|it| &it.value)
        .chain(&workload.request);
    let searches = |text: &String| is_search(text);
    let has_terms = workload
        .settings
        .iter()
        .flatten()
        .any(|it| it.key == "by_target");
    if subject.searches || has_terms || requests.any(searches) {
        SEARCH
    } else {
        &subject.kind
    }
}

/// Whether a path, or the method and path of a request, is that of a search.
fn is_search(request: &str) -> bool {
    let path = request.split(' ').next_back().unwrap_or(request);
    let path = path.split('?').next().unwrap_or(path);
    SEARCH_PATHS.iter().any(|end| {
        path.ends_with(end)
            || path.contains(&format!("{end}/"))
            || path.contains(&format!("{end}.json"))
    })
}

fn words(kind: &str, operations: &[&str]) -> String {
    let named = operations[..operations.len().min(MOST)].join(", ");
    match operations.len() {
        0 => kind.to_owned(),
        count if count <= MOST => format!("{kind} {named}"),
        count => format!("{kind} {named} +{}", count - MOST),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn workload(kind: &str, operations: &[&str], request: &str) -> Workload {
        let share = |name: &&str| json!({"operation": name, "interface": name, "share": 1.0});
        let operations: Vec<serde_json::Value> = operations.iter().map(share).collect();
        let workload = json!({
            "name": "w", "description": "", "request": request, "load": "", "closed_loop": true,
            "connections": 1, "rate": null,
            "subject": {"kind": kind, "operations": operations, "object_bytes": null,
                "objects": null, "part_bytes": null},
        });
        serde_json::from_value(workload).expect("a workload")
    }

    #[test]
    fn kinds_are_named_once_with_few_operations() {
        let s3 = workload("s3", &["put", "get"], "");
        let more = workload("s3", &["get", "list", "stat", "delete"], "");
        let http = workload("http", &["GET"], "GET /");
        let search = workload("http", &["GET"], "GET /d/select?query=a");
        assert_eq!(of(&[]), [""; 0]);
        assert_eq!(of(&[s3.clone(), http]), ["s3 put, get", "http GET"]);
        assert_eq!(of(&[s3, more]), ["s3 put, get, list +2"]);
        assert_eq!(of(&[search]), ["search"]);
        let mut patterns = workload("http", &["GET"], "");
        if let Some(subject) = &mut patterns.subject {
            subject.searches = true;
        }
        assert_eq!(of(&[patterns]), ["search"]);
        for (path, expected) in [
            ("GET /pages/_search?q=a", "search"),
            ("GET /d/select.json?table=Pages", "search"),
            ("GET /d/selected", "http GET"),
            ("GET /?next=/_search", "http GET"),
        ] {
            assert_eq!(
                of(&[workload("http", &["GET"], path)]),
                [expected],
                "{path}"
            );
        }
    }
}
