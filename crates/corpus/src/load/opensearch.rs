//! Loads into OpenSearch through `_bulk`.

use std::time::Duration;

use serde_json::{Value, json};

use super::bulk::{Refusal, Why, bulk, error_text, judge};
use super::mapping::Mapping;
use super::sink::{Options, Sink};

use crate::error::Error;
use crate::escape::query_component;
use crate::groonga::{Column, Command, Record, Schema, Table};
use crate::json::Json;
use crate::opensearch::index_of;
use tenbin_http::Client;

/// Pauses before a batch is sent again because the cluster was overloaded. The records of the batch
/// have keys, so they are not duplicated.
const RETRY_PAUSES: [Duration; 5] = [
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];

/// An OpenSearch cluster; requests go to the nodes in turn.
#[derive(Debug)]
pub(super) struct OpenSearch {
    nodes: Vec<Client>,
    next: usize,
    schema: Schema,
    /// Tables of documents, and the mapping of their indexes.
    documents: Vec<String>,
    mapping: Option<Mapping>,
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
            documents: options.documents.clone(),
            mapping: options.mapping.clone(),
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

    fn settings(&self) -> serde_json::Map<String, Value> {
        let mut settings = serde_json::Map::new();
        if let Some(shards) = self.shards {
            settings.insert("number_of_shards".to_owned(), shards.into());
        }
        if let Some(replicas) = self.replicas {
            settings.insert("number_of_replicas".to_owned(), replicas.into());
        }
        settings
    }

    /// The indexes to create, with the body of the request for each. Without schema, mapping and
    /// settings, OpenSearch creates an index with its first document.
    fn creations(&self) -> Vec<(String, Value)> {
        let given = |table: &&Table| self.mapping.is_some() && self.documents.contains(&table.name);
        let of_schema = self.schema.searched().filter(|table| !given(table));
        let of_schema = of_schema.map(|table| {
            let body = json!({
                "settings": self.settings(),
                "mappings": {"properties": mapping(&self.schema, table)},
            });
            (index_of(&table.name), body)
        });
        let has_schema = |name: &str| self.schema.searched().any(|table| table.name == name);
        let of_documents = self.documents.iter().filter_map(|name| {
            let settings = self.settings();
            let body = match &self.mapping {
                Some(mapping) => mapping.with(settings),
                None if settings.is_empty() || has_schema(name) => return None,
                None => json!({ "settings": settings }),
            };
            Some((index_of(name), body))
        });
        of_schema.chain(of_documents).collect()
    }

    /// The indexes of the load.
    fn indexes(&self) -> Vec<String> {
        let of_schema = self.schema.searched().map(|table| index_of(&table.name));
        let mut indexes: Vec<String> = of_schema.collect();
        for name in self.documents.iter().map(|name| index_of(name)) {
            if !indexes.contains(&name) {
                indexes.push(name);
            }
        }
        indexes
    }

    /// The error for an index that exists.
    fn exists(&mut self, index: &str) -> Error {
        let records = self.count(index).ok().flatten();
        let server = self.nodes.first().map_or("", Client::url).to_owned();
        Error::Exists {
            what: format!("the index {index}"),
            records,
            remove: format!("delete it (curl -X DELETE {server}/{index})"),
            server,
        }
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
            return Err(Error::refused(format!(
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
        for (index, body) in self.creations() {
            let Some(node) = self.nodes.first() else {
                return Ok(());
            };
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
                return Err(self.exists(&index));
            }
            let reason = error_text(&format!("cannot create the index {index}"), &reply);
            let failed = match reply.status {
                400 => Error::Rejected {
                    server: node.url().to_owned(),
                    reason,
                    next: "correct the mapping or the schema, then load again".to_owned(),
                },
                _ => Error::server(node.url(), reason),
            };
            return Err(failed);
        }
        Ok(())
    }

    fn records(&mut self, records: &[Record]) -> Result<(), Error> {
        let Some(table) = records.first().map(|record| &*record.table) else {
            return Ok(());
        };
        let index = index_of(table);
        let path = format!("/{}/_bulk", query_component(&index));
        let body = bulk(records);
        for rest in RETRY_PAUSES.map(Some).into_iter().chain([None]) {
            let node = self.node();
            let reply = node.post(&path, "application/x-ndjson", body.as_bytes())?;
            match (judge(&reply, records), rest) {
                (Ok(()), _) => return Ok(()),
                (
                    Err(Refusal {
                        why: Why::Overload, ..
                    }),
                    Some(rest),
                ) => std::thread::sleep(rest),
                (Err(refusal), _) => return Err(refusal.into_error(node.url(), &index)),
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        for index in self.indexes() {
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

#[cfg(test)]
mod tests {
    use super::super::super::groonga::{INDEXES, Item, SCHEMA, Script};
    use super::*;

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
}
