//! The search slow logs of OpenSearch and Elasticsearch, as text or as JSON. A search writes a line
//! for each phase on each shard that took longer than a threshold. OpenSearch can write another line
//! for the search as a whole, which does not name the index, into the same file.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::io::BufRead;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::builder::Builder;
use super::fault::Fault;
use super::lines::Lines;
use super::request::{self, push_query_value, quoted};
use super::set::Pattern;
use crate::{Sentence, sentence};

/// Group of all searches.
const GROUP: &str = "search";

/// Whether a line is from a search slow log.
pub(super) fn is_line(line: &[u8]) -> bool {
    entry(line).is_some()
}

/// Reads the searches. The lines that one search writes for its shards and phases count once.
pub(super) fn read<R: BufRead + ?Sized>(
    lines: &mut Lines<'_, R>,
    builder: &mut Builder,
) -> Result<(), Fault> {
    let mut searches = Searches::default();
    let (mut cut, mut repeated, mut everywhere) = (0_u64, 0_u64, 0_u64);
    while let Some((index, line)) = lines.next()? {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let entry = entry(line).ok_or_else(|| {
            let shown = quoted(&String::from_utf8_lossy(line));
            let why = sentence!(
                "no-slow-log",
                "{shown} is not a line of a search slow log of OpenSearch",
                shown
            );
            Fault::in_line(index, why)
        })?;
        let Some(body) = &entry.source else {
            cut += 1;
            continue;
        };
        if !searches.is_another(&entry, body) {
            repeated += 1;
            continue;
        }
        let pushed = entry.path().and_then(|path| {
            let group = builder.group(GROUP)?;
            builder.push(search(group, path, body.as_bytes().to_vec()))
        });
        pushed.map_err(|why| Fault::in_line(index, why))?;
        everywhere += u64::from(entry.index.is_empty());
    }
    note(builder, cut, repeated, everywhere);
    Ok(())
}

/// Adds notes on truncated lines, on lines of searches that other lines hold, and on searches that are
/// sent to all indexes.
fn note(builder: &mut Builder, cut: u64, repeated: u64, everywhere: u64) {
    if cut > 0 {
        builder.note(sentence!(
            "log-cut",
            "{cut} lines of the log are skipped: their search is missing or truncated",
            cut
        ));
    }
    if repeated > 0 {
        builder.note(sentence!(
            "log-repeated",
            "{repeated} lines of the log are of searches that other lines hold already: a search \
             writes a line for each shard and phase",
            repeated
        ));
    }
    if everywhere > 0 {
        builder.note(sentence!(
            "log-no-index",
            "{everywhere} searches of the log are sent to all indexes, because their lines do not \
             name the index",
            everywhere
        ));
    }
}

/// A request that sends a search.
pub(super) fn search(group: usize, path: String, body: Vec<u8>) -> Pattern {
    Pattern {
        headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
        body,
        ..request::plain(group, "POST", path)
    }
}

/// The path of searches in these indexes, separated by commas; in all indexes if empty.
pub(super) fn path_of(indexes: &str, search_type: &str) -> Result<String, Sentence> {
    let mut path = String::new();
    for (at, name) in indexes.split(',').enumerate() {
        path.push(if at == 0 { '/' } else { ',' });
        push_query_value(&mut path, name.trim());
    }
    path.push_str(if path == "/" { "_search" } else { "/_search" });
    if search_type.eq_ignore_ascii_case("dfs_query_then_fetch") {
        path.push_str("?search_type=dfs_query_then_fetch");
    }
    request::path(&path)
}

/// Tells the lines of different searches from those of one search: of equal searches, a phase on a
/// shard writes one line each.
#[derive(Default)]
struct Searches {
    hasher: RandomState,
    /// Lines by search, phase and shard.
    lines: HashMap<(u64, u64), u32>,
    /// By search, how often it was sent.
    sent: HashMap<u64, u32>,
    /// By search in any index.
    anywhere: HashMap<u64, Anywhere>,
}

/// Lines and requests of a search in any index.
#[derive(Default)]
struct Anywhere {
    /// Lines of whole searches.
    lines: u32,
    /// How often the search was sent, to any index.
    sent: u32,
}

impl Searches {
    fn is_another(&mut self, entry: &Entry, body: &str) -> bool {
        let anywhere = self.hasher.hash_one((&entry.search_type, body));
        let anywhere = self.anywhere.entry(anywhere).or_default();
        if entry.is_whole {
            anywhere.lines += 1;
            let is_another = anywhere.lines > anywhere.sent;
            anywhere.sent = anywhere.sent.max(anywhere.lines);
            return is_another;
        }
        let search = self
            .hasher
            .hash_one((&entry.index, &entry.search_type, body));
        let place = self.hasher.hash_one(&entry.place);
        let lines = self.lines.entry((search, place)).or_default();
        *lines += 1;
        let sent = self.sent.entry(search).or_default();
        let is_another = *lines > *sent;
        *sent = (*sent).max(*lines);
        if is_another {
            anywhere.sent += 1;
        }
        is_another
    }
}

/// A line of a slow log.
struct Entry {
    /// Whether the line is of a search as a whole, not of a phase on a shard.
    is_whole: bool,
    /// Phase and shard.
    place: String,
    /// Index; empty if the log does not name it.
    index: String,
    search_type: String,
    /// The body of the search; `None` if it is missing or truncated.
    source: Option<String>,
}

impl Entry {
    fn path(&self) -> Result<String, Sentence> {
        path_of(&self.index, &self.search_type)
    }
}

fn entry(line: &[u8]) -> Option<Entry> {
    let text = std::str::from_utf8(line).ok()?;
    match text.as_bytes().first()? {
        b'{' => of_json(text),
        _ => of_text(text),
    }
}

/// A line as JSON. Elasticsearch prefixes the names since version 8.
#[derive(Deserialize)]
struct JsonLine {
    #[serde(default, alias = "log.logger")]
    component: String,
    #[serde(default, alias = "event.dataset")]
    r#type: String,
    #[serde(default, alias = "elasticsearch.slowlog.message")]
    message: String,
    #[serde(default, alias = "elasticsearch.slowlog.search_type")]
    search_type: String,
    #[serde(default, alias = "elasticsearch.slowlog.source")]
    source: Option<String>,
}

fn of_json(text: &str) -> Option<Entry> {
    let line: JsonLine = serde_json::from_str(text).ok()?;
    let is_slow_log = line.r#type.contains("slowlog") && line.r#type.contains("search");
    if !is_slow_log {
        return None;
    }
    let (index, shard) = shard(&line.message).unwrap_or_default();
    let source = line.source.and_then(|source| {
        let whole = whole(&source).filter(|whole| *whole == source.trim_end());
        // Some versions escape the text twice.
        let again = || serde_json::from_str::<String>(&format!("\"{source}\"")).ok();
        whole
            .map(str::to_owned)
            .or_else(|| again().filter(|plain| whole_is_all(plain)))
    });
    Some(Entry {
        is_whole: line.r#type.contains("request"),
        place: format!("{} {shard}", line.component),
        index: index.to_owned(),
        search_type: line.search_type,
        source,
    })
}

/// `[time][level][logger] [node] [index][shard] took[…], …, source[…], …`, or with another layout
/// before the index.
fn of_text(text: &str) -> Option<Entry> {
    let (head, rest) = text.split_once(" took[")?;
    // The slow log of writes has no such field.
    let (_, search_type) = rest.split_once("search_type[")?;
    let (_, source) = rest.split_once("source[")?;
    let search_type = search_type.split(']').next().unwrap_or_default();
    let shards = head.rsplit_once("][").map(|(before, _)| before);
    let named = shards.and_then(|before| before.rfind('['));
    let (index, shard) = named.and_then(|at| shard(&head[at..])).unwrap_or_default();
    let logger = &head[..named.unwrap_or(head.len())];
    let phase = if logger.contains("fetch") {
        "fetch"
    } else {
        "query"
    };
    let source = whole(source).filter(|whole| source[whole.len()..].starts_with(']'));
    let is_whole = rest.contains(" phase_took_millis[") && index.is_empty();
    Some(Entry {
        is_whole,
        place: format!("{phase} {shard}"),
        index: index.to_owned(),
        search_type: search_type.to_owned(),
        source: source.map(str::to_owned),
    })
}

/// Index and shard in `[index][shard]`.
fn shard(text: &str) -> Option<(&str, &str)> {
    let (index, rest) = text.trim().strip_prefix('[')?.split_once("][")?;
    let (shard, _) = rest.split_once(']')?;
    let is_number = !shard.is_empty() && shard.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some((index, shard))
}

/// The JSON object at the start of a text; `None` if it is truncated.
fn whole(text: &str) -> Option<&str> {
    if !text.starts_with('{') {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    values.next()?.ok()?;
    Some(&text[..values.byte_offset()])
}

fn whole_is_all(text: &str) -> bool {
    whole(text).is_some_and(|whole| whole == text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::super::fault::Spot;
    use super::super::{PatternFormat, PatternSet, read};

    fn text_line(phase: &str, shard: u32, source: &str) -> String {
        format!(
            "[2026-11-20T11:42:29,325][WARN ][i.s.s.{phase:<18}] [node-1] [pages][{shard}] \
             took[1.2ms], took_millis[1], total_hits[5 hits], stats[], \
             search_type[QUERY_THEN_FETCH], total_shards[2], source[{source}], id[], \n"
        )
    }

    fn json_line(shard: u32, source: &str) -> String {
        format!(
            "{{\"type\": \"index_search_slowlog\", \"timestamp\": \"2026-11-20T11:42:29,325Z\", \
             \"level\": \"WARN\", \"component\": \"i.s.s.query\", \"node.name\": \"n\", \
             \"message\": \"[pages][{shard}]\", \"took\": \"1.2ms\", \"took_millis\": \"1\", \
             \"search_type\": \"DFS_QUERY_THEN_FETCH\", \"source\": {}, \"id\": null}}\n",
            serde_json::Value::String(source.to_owned())
        )
    }

    fn whole_line(source: &str) -> String {
        format!(
            "[2026-11-20T11:42:29,326][WARN ][c.s.r.slowlog] [node-1] took[2ms], took_millis[2], \
             phase_took_millis[{{query=1, fetch=0}}], total_hits[5 hits], \
             search_type[QUERY_THEN_FETCH], shards[{{total:2, successful:2, skipped:0, failed:0}}], \
             source[{source}], id[]\n"
        )
    }

    fn whole_json_line(source: &str) -> String {
        format!(
            "{{\"type\": \"search_request_slowlog\", \"timestamp\": \"2026-11-20T11:42:29,326Z\", \
             \"level\": \"WARN\", \"component\": \"c.s.r.slowlog\", \"node.name\": \"n\", \
             \"took\": \"2ms\", \"phase_took\": \"{{query=1}}\", \
             \"search_type\": \"DFS_QUERY_THEN_FETCH\", \
             \"shards\": \"{{total:2, successful:2, skipped:0, failed:0}}\", \
             \"source\": {}, \"id\": null}}\n",
            serde_json::Value::String(source.to_owned())
        )
    }

    const TEA: &str = r#"{"query":{"match":{"title":{"query":"tea [a], b"}}},"size":3}"#;
    const RICE: &str = r#"{"query":{"match_all":{}}}"#;

    fn requests(set: &PatternSet) -> Vec<(String, String)> {
        let request = |at: &u32| {
            let pattern = &set.patterns()[*at as usize];
            let body = String::from_utf8(pattern.body.clone()).unwrap();
            assert_eq!(pattern.headers[0].1, "application/json");
            (pattern.label(), body)
        };
        set.sequence().iter().map(request).collect()
    }

    #[test]
    fn a_search_counts_once_for_all_its_shards_and_phases() {
        let lines = [
            text_line("query", 0, TEA),
            text_line("query", 1, TEA),
            text_line("fetch", 1, TEA),
            text_line("query", 1, RICE),
            text_line("query", 0, TEA),
            text_line("query", 1, TEA),
        ];
        let set = read(lines.concat().as_bytes(), PatternFormat::Auto, "GET").unwrap();
        let found = requests(&set);
        let label = "POST /pages/_search";
        let expected = [TEA, RICE, TEA].map(|body| (label.to_owned(), body.to_owned()));
        assert_eq!(found, expected);
        assert!(
            set.notes()[0]
                .text()
                .starts_with("3 lines of the log are of"),
            "{:?}",
            set.notes()
        );
    }

    #[test]
    fn the_line_of_a_whole_search_counts_only_without_lines_of_shards() {
        let texts = [
            text_line("query", 0, TEA),
            text_line("query", 1, TEA),
            whole_line(TEA),
            whole_line(RICE),
        ];
        let jsons = [
            json_line(0, TEA),
            json_line(1, TEA),
            whole_json_line(TEA),
            whole_json_line(RICE),
        ];
        for (lines, parameters) in [(texts, ""), (jsons, "?search_type=dfs_query_then_fetch")] {
            let set = read(lines.concat().as_bytes(), PatternFormat::Auto, "GET").unwrap();
            let expected = [("/pages", TEA), ("", RICE)].map(|(index, body)| {
                let label = format!("POST {index}/_search{parameters}");
                (label, body.to_owned())
            });
            assert_eq!(requests(&set), expected);
            let notes: Vec<String> = set.notes().iter().map(ToString::to_string).collect();
            assert!(
                notes[0].starts_with("2 lines of the log are of"),
                "{notes:?}"
            );
            assert!(
                notes[1].starts_with("1 searches of the log are sent to all indexes"),
                "{notes:?}"
            );
        }
    }

    #[test]
    fn the_layout_before_the_index_does_not_matter() {
        let line = |phase: &str| {
            let text = text_line(phase, 0, TEA);
            let (_, message) = text.split_once("[pages]").expect("the index");
            let logger = format!("index.search.slowlog.{phase}");
            format!("11:34:07.006 [opensearch[n][search][T#1]] INFO  {logger} - [pages]{message}")
        };
        let text = [line("query"), line("fetch"), line("query")].concat();
        let set = read(text.as_bytes(), PatternFormat::Auto, "GET").unwrap();
        let expected = ("POST /pages/_search".to_owned(), TEA.to_owned());
        assert_eq!(requests(&set), [expected.clone(), expected]);
    }

    #[test]
    fn json_is_read_also_if_it_is_escaped_twice() {
        let twice = TEA.replace('"', "\\\"");
        let lines = [json_line(0, TEA), json_line(1, TEA), json_line(0, &twice)].concat();
        let set = read(lines.as_bytes(), PatternFormat::Auto, "GET").unwrap();
        let label = "POST /pages/_search?search_type=dfs_query_then_fetch";
        let expected = [TEA, TEA].map(|body| (label.to_owned(), body.to_owned()));
        assert_eq!(requests(&set), expected);
    }

    #[test]
    fn elasticsearch_prefixes_the_names() {
        let line = r#"{"@timestamp":"2026-11-20T11:42:29Z","log.level":"WARN","log.logger":
            "index.search.slowlog.query","event.dataset":"elasticsearch.index_search_slowlog",
            "elasticsearch.slowlog.message":"[logs-2026.11][0]",
            "elasticsearch.slowlog.source":"{\"size\":0}"}"#;
        let line = line.replace('\n', "");
        let set = read(line.as_bytes(), PatternFormat::Auto, "GET").unwrap();
        assert_eq!(
            requests(&set),
            [(
                "POST /logs-2026.11/_search".to_owned(),
                "{\"size\":0}".to_owned()
            )]
        );
    }

    #[test]
    fn truncated_searches_are_left_out_and_other_lines_refused() {
        let cut = text_line("query", 0, "{\"query\":{\"match");
        let text = [text_line("query", 0, TEA), cut].concat();
        let set = read(text.as_bytes(), PatternFormat::OpenSearchLog, "GET").unwrap();
        assert_eq!(set.len(), 1);
        assert!(
            set.notes()[0]
                .text()
                .starts_with("1 lines of the log are skipped")
        );
        let indexing = text_line("query", 0, TEA).replace("search_type[", "routing[");
        for other in [
            "rubbish\n", "{\"type\":\"server\"}\n", "[\"/a\"]\n", &indexing,
        ] {
            let text = format!("{}{other}", text_line("query", 0, TEA));
            let fault = read(text.as_bytes(), PatternFormat::OpenSearchLog, "GET").unwrap_err();
            assert_eq!(fault.spot, Spot::Line(2), "{other}");
        }
    }
}
