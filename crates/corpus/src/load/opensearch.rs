//! Loads into OpenSearch through `_bulk`.

use std::time::Duration;

use serde_json::{Value, json};

use super::sink::{Options, Sink};
use tenbin_http::excerpt;

use crate::error::Error;
use crate::escape::query_component;
use crate::groonga::{Column, Command, Record, Schema, Table};
use crate::json::Json;
use crate::opensearch::index_of;
use tenbin_http::{Client, Reply};

/// Pauses before a batch is sent again because the cluster was overloaded. The records of the batch
/// have keys, so they are not duplicated.
const RETRY_PAUSES: [Duration; 5] = [
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];
/// HTTP status of an overloaded cluster.
const TOO_MANY: u64 = 429;

/// An OpenSearch cluster; requests go to the nodes in turn.
#[derive(Debug)]
pub(super) struct OpenSearch {
    nodes: Vec<Client>,
    next: usize,
    schema: Schema,
    shards: Option<u32>,
    replicas: Option<u32>,
    force_merge: Option<u32>,
}

impl OpenSearch {
    pub(super) fn new(options: &Options) -> Result<Self, Error> {
        let nodes = options.servers.iter();
        let nodes = nodes.map(|url| Client::new(url, &options.login));
        Ok(Self {
            nodes: nodes.collect::<Result<_, _>>()?,
            next: 0,
            schema: Schema::default(),
            shards: options.shards,
            replicas: options.replicas,
            force_merge: options.force_merge,
        })
    }

    fn node(&mut self) -> &Client {
        let at = self.next % self.nodes.len();
        self.next += 1;
        &self.nodes[at]
    }

    fn settings(&self) -> Value {
        let mut settings = serde_json::Map::new();
        if let Some(shards) = self.shards {
            settings.insert("number_of_shards".to_owned(), shards.into());
        }
        if let Some(replicas) = self.replicas {
            settings.insert("number_of_replicas".to_owned(), replicas.into());
        }
        settings.into()
    }
}

impl Sink for OpenSearch {
    fn greet(&mut self) -> Result<(), Error> {
        for node in &self.nodes {
            let reply = node.get("/")?;
            let json = Json::parse(&reply.body).ok();
            let version = json
                .as_ref()
                .and_then(|json| json.get("version")?.get("number"));
            if !reply.is_success() || version.is_none() {
                let reason = format!(
                    "not an OpenSearch server: GET / has status {} and no version: {}; \
                     set --into to the kind of this server",
                    reply.status,
                    reply.excerpt()
                );
                return Err(Error::server(node.url(), reason));
            }
        }
        Ok(())
    }

    fn command(&mut self, command: &Command, _doubtful: bool) -> Result<(), Error> {
        if !matches!(command.name.as_str(), "table_create" | "column_create") {
            return Err(Error::Refused(format!(
                "{} is not supported for OpenSearch; only table_create, column_create and load are",
                command.name
            )));
        }
        self.schema.take(command);
        Ok(())
    }

    fn executed_before(&mut self, command: &Command) {
        self.schema.take(command);
    }

    fn ready(&mut self, resumed: bool) -> Result<(), Error> {
        let tables: Vec<(String, Value)> = self
            .schema
            .searched()
            .map(|table| {
                let body = json!({
                    "settings": self.settings(),
                    "mappings": {"properties": mapping(&self.schema, table)},
                });
                (index_of(&table.name), body)
            })
            .collect();
        let Some(node) = self.nodes.first() else {
            return Ok(());
        };
        for (index, body) in tables {
            let reply = node.put(
                &format!("/{}", query_component(&index)),
                "application/json",
                body.to_string().as_bytes(),
            )?;
            if reply.is_success() {
                continue;
            }
            let is_there =
                String::from_utf8_lossy(&reply.body).contains("resource_already_exists_exception");
            if is_there && resumed {
                continue;
            }
            if is_there {
                return Err(Error::Refused(format!(
                    "{}: the index {index} already exists; delete it, or leave --schema and \
                     --indexes out to load into it",
                    node.url()
                )));
            }
            let reason = error_text(&format!("cannot create the index {index}"), &reply);
            return Err(Error::server(node.url(), reason));
        }
        Ok(())
    }

    fn records(&mut self, records: &[Record]) -> Result<(), Error> {
        let Some(table) = records.first().map(|record| &*record.table) else {
            return Ok(());
        };
        let path = format!("/{}/_bulk", query_component(&index_of(table)));
        let body = bulk(records);
        for rest in RETRY_PAUSES.map(Some).into_iter().chain([None]) {
            let node = self.node();
            let reply = node.post(&path, "application/x-ndjson", body.as_bytes())?;
            let failed = |reason: String| Error::server(node.url(), reason);
            let busy = u64::from(reply.status) == TOO_MANY;
            match (judge(&reply, records), rest) {
                (Ok(()), _) => return Ok(()),
                (Err(Refused { again, .. }), Some(rest)) if again || busy => {
                    std::thread::sleep(rest);
                }
                (Err(refused), _) => return Err(failed(refused.reason)),
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        let tables: Vec<String> = self.schema.searched().map(|t| index_of(&t.name)).collect();
        for index in tables {
            let path = format!("/{}/_refresh", query_component(&index));
            let node = self.node();
            let reply = node.post(&path, "application/json", b"")?;
            if !reply.is_success() {
                return Err(Error::server(node.url(), error_text("_refresh", &reply)));
            }
            let Some(segments) = self.force_merge else {
                continue;
            };
            let index = query_component(&index);
            let path = format!("/{index}/_forcemerge?max_num_segments={segments}");
            let node = self.node();
            let reply = node.post(&path, "application/json", b"")?;
            let failed = Json::parse(&reply.body).ok();
            let failed = failed.and_then(|json| json.get("_shards")?.get("failed")?.as_u64());
            if !reply.is_success() || failed != Some(0) {
                return Err(Error::server(node.url(), error_text("_forcemerge", &reply)));
            }
        }
        Ok(())
    }

    fn count(&mut self, table: &str) -> Result<Option<u64>, Error> {
        let index = query_component(&index_of(table));
        let node = self.node();
        // Refreshed here too, because `finish` refreshes only the indexes of the schema.
        node.post(&format!("/{index}/_refresh"), "application/json", b"")?;
        let reply = node.get(&format!("/{index}/_count"))?;
        let json = Json::parse(&reply.body).ok();
        let count = json.and_then(|json| json.get("count")?.as_u64());
        count
            .map(Some)
            .ok_or_else(|| Error::server(node.url(), error_text("_count", &reply)))
    }
}

fn error_text(what: &str, reply: &Reply) -> String {
    format!("{what}: status {}, {}", reply.status, reply.excerpt())
}

/// The index mapping for the columns of a table.
fn mapping(schema: &Schema, table: &Table) -> Value {
    let columns = table.columns.iter().filter(|column| !column.is_index());
    columns
        .map(|column| (column.name.clone(), field(schema, table, column)))
        .collect::<serde_json::Map<String, Value>>()
        .into()
}

fn field(schema: &Schema, table: &Table, column: &Column) -> Value {
    // A reference to another table is stored as the key of the referenced record.
    if let Some(other) = schema.table(&column.of) {
        return match other.key_type.as_deref() {
            Some(key) if key.ends_with("Text") => json!({"type": "keyword"}),
            Some(key) => json!({"type": plain(key)}),
            None => json!({"type": "keyword"}),
        };
    }
    if !column.of.ends_with("Text") {
        return json!({"type": plain(&column.of)});
    }
    // Like TokenBigram, OpenSearch's `cjk` analyzer indexes pairs of characters.
    let analyzer = match schema.tokenizer_of(&table.name, &column.name) {
        Some(tokenizer) if tokenizer.starts_with("TokenBigram") => "cjk",
        _ => "standard",
    };
    let mut field = json!({"type": "text", "analyzer": analyzer});
    if column.of == "ShortText" {
        field["fields"] = json!({"keyword": {"type": "keyword", "ignore_above": 1024}});
    }
    field
}

fn plain(kind: &str) -> &'static str {
    match kind {
        "Bool" => "boolean",
        "Int8" => "byte",
        "Int16" | "UInt8" => "short",
        "Int32" | "UInt16" => "integer",
        "Int64" | "UInt32" => "long",
        "UInt64" => "unsigned_long",
        "Float" | "Float32" | "Time" => "double",
        _ => "keyword",
    }
}

/// Body of a `_bulk` request.
fn bulk(records: &[Record]) -> String {
    let mut lines = String::new();
    for record in records {
        let id = record.key().map(|key| match key {
            Json::Text(text) => text.clone(),
            other => other.to_string(),
        });
        let action = json!({"index": {"_id": id}});
        let columns = record.members().filter(|(name, _)| !name.starts_with('_'));
        let columns = columns.map(|(name, value)| (name.to_owned(), value.clone()));
        let document = Json::Map(columns.collect());
        lines.push_str(&format!("{action}\n{document}\n"));
    }
    lines
}

/// Why a batch was refused.
struct Refused {
    /// Whether sending the batch again can succeed.
    again: bool,
    reason: String,
}

/// Checks that every record of a batch was stored.
fn judge(reply: &Reply, records: &[Record]) -> Result<(), Refused> {
    let refuse = |reason: String| Refused {
        again: false,
        reason,
    };
    let parsed = Json::parse(&reply.body).ok().filter(|_| reply.is_success());
    let Some(body) = parsed else {
        return Err(refuse(error_text("_bulk", reply)));
    };
    let items = body
        .get("items")
        .and_then(Json::as_list)
        .unwrap_or_default();
    if items.len() != records.len() {
        return Err(refuse(format!(
            "_bulk: the response has {1} results for {0} records",
            records.len(),
            items.len()
        )));
    }
    let mut first: Option<(u64, String)> = None;
    let mut failures = 0;
    let mut again = true;
    for (item, record) in items.iter().zip(records) {
        let item = item.get("index").unwrap_or(item);
        let status = item.get("status").and_then(Json::as_u64).unwrap_or(0);
        if (200..300).contains(&status) {
            continue;
        }
        failures += 1;
        again &= status == TOO_MANY;
        let error = item.get("error").map_or(String::new(), Json::to_string);
        first.get_or_insert((record.place.line, excerpt(&error)));
    }
    match first {
        None => Ok(()),
        Some((line, error)) => Err(Refused {
            again,
            reason: format!(
                "{failures} of {} records were refused; the one on line {line}: {error}",
                records.len()
            ),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::groonga::{INDEXES, Item, SCHEMA, Script};
    use super::*;

    fn records(text: &str) -> Vec<Record> {
        Script::new("test", text.as_bytes())
            .map(|item| match item.unwrap() {
                Item::Record(record) => record,
                Item::Command(command) => panic!("{command}"),
            })
            .collect()
    }

    #[test]
    fn the_schema_of_the_tutorial_becomes_a_mapping() {
        let mut schema = Schema::default();
        for item in Script::new("tutorial", [SCHEMA, INDEXES].concat().as_bytes()) {
            if let Item::Command(command) = item.unwrap() {
                schema.take(&command);
            }
        }
        let pages = schema.searched().next().unwrap();
        assert_eq!(
            mapping(&schema, pages),
            json!({
                "title": {
                    "type": "text",
                    "analyzer": "cjk",
                    "fields": {"keyword": {"type": "keyword", "ignore_above": 1024}},
                },
                "text": {"type": "text", "analyzer": "cjk"},
                "categories": {"type": "keyword"},
            })
        );
        assert_eq!(index_of(&pages.name), "pages");
    }

    #[test]
    fn records_become_lines() {
        let records =
            records("load --table Pages\n[\n[\"_key\",\"title\",\"c\"],\n[5,\"町\\n\",[\"a\"]]\n]");
        assert_eq!(
            bulk(&records),
            "{\"index\":{\"_id\":\"5\"}}\n{\"title\":\"町\\n\",\"c\":[\"a\"]}\n"
        );
    }

    #[test]
    fn a_batch_with_refused_records_fails() {
        let records = records("load --table T\n[\n{\"_key\":1},\n{\"_key\":2}\n]");
        let judged = |status: u16, body: &str| {
            let body = body.as_bytes().to_vec();
            judge(&Reply { status, body }, &records)
                .map_err(|refused| (refused.again, refused.reason))
        };
        let taken = r#"{"index":{"status":201}}"#;
        let busy = r#"{"index":{"status":429,"error":"full"}}"#;
        let bad = r#"{"index":{"status":400,"error":{"type":"mapper"}}}"#;
        let both = |a: &str, b: &str| format!(r#"{{"errors":true,"items":[{a},{b}]}}"#);
        assert_eq!(judged(200, &both(taken, taken)), Ok(()));
        let (again, reason) = judged(200, &both(taken, busy)).unwrap_err();
        assert!(again, "{reason}");
        assert_eq!(
            judged(200, &both(busy, bad)).unwrap_err(),
            (
                false,
                "2 of 2 records were refused; the one on line 3: \"full\"".to_owned()
            )
        );
        assert!(judged(200, "{}").is_err());
        assert!(judged(500, &both(taken, taken)).is_err());
        assert!(judged(200, "no json").is_err());
    }
}
