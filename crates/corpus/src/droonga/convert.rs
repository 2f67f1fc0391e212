//! Converts Groonga's commands and records to Droonga's messages, like the tool grn2drn.

use std::time::SystemTime;

use sha1::{Digest as _, Sha1};

use super::clock::timestamp;
use crate::groonga::{Command, Item, Record};
use crate::json::Json;
use crate::load::hex;

/// Converts Groonga commands and records to Droonga messages.
#[derive(Debug, Clone)]
pub struct Converter {
    /// Name of the Droonga data set (database) that the messages are for.
    pub dataset: String,
    /// Prefix of the message ids, followed by a counter; `None` uses SHA-1 hashes as ids.
    pub id_prefix: Option<String>,
    /// Creation time written into the messages; `None` for the current time.
    pub date: Option<String>,
    /// Recipient of the responses (`replyTo`); `None` omits the field.
    pub reply_to: Option<String>,
    count: u64,
}

impl Converter {
    /// Creates a converter whose messages are for the data set `dataset`.
    pub fn new(dataset: impl Into<String>) -> Self {
        Self {
            dataset: dataset.into(),
            id_prefix: None,
            date: None,
            reply_to: None,
            count: 0,
        }
    }

    /// Advances the message counter by `messages`, the number of messages of an earlier load.
    pub fn skip(&mut self, messages: u64) {
        self.count += messages;
    }

    /// Returns the message for a command, or for adding a record.
    pub fn message(&mut self, item: &Item) -> Json {
        let (kind, body) = match item {
            Item::Command(command) => (command.name.as_str(), arguments(command)),
            Item::Record(record) => ("add", addition(record)),
        };
        let mut members = vec![
            ("id".to_owned(), Json::text(self.id(kind, &body))),
            ("date".to_owned(), Json::text(self.date())),
        ];
        if let Some(reply_to) = &self.reply_to {
            members.push(("replyTo".to_owned(), Json::text(reply_to.as_str())));
        }
        members.extend([
            ("dataset".to_owned(), Json::text(self.dataset.as_str())),
            ("type".to_owned(), Json::text(kind)),
            ("body".to_owned(), body),
        ]);
        self.count += 1;
        Json::Map(members)
    }

    fn date(&self) -> String {
        let now = || timestamp(SystemTime::now());
        self.date.clone().unwrap_or_else(now)
    }

    /// Id of the next message. Equal input gives equal ids, so that Droonga recognizes duplicates.
    fn id(&self, kind: &str, body: &Json) -> String {
        let count = self.count;
        match &self.id_prefix {
            Some(prefix) => format!("{prefix}:{count}"),
            None => hex(&Sha1::digest(format!("{count}\n{kind}\n{body}").as_bytes())),
        }
    }
}

fn arguments(command: &Command) -> Json {
    let arguments = command.arguments.iter();
    Json::Map(
        arguments
            .map(|(name, value)| (name.clone(), Json::text(value.as_str())))
            .collect(),
    )
}

fn addition(record: &Record) -> Json {
    let mut members = vec![("table".to_owned(), Json::text(&*record.table))];
    if let Some(key) = record.key() {
        members.push(("key".to_owned(), key.clone()));
    }
    let values = record.members().filter(|(name, _)| *name != "_key");
    let values = values.map(|(name, value)| (name.to_owned(), value.clone()));
    members.push(("values".to_owned(), Json::Map(values.collect())));
    Json::Map(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groonga::Script;

    fn messages(text: &str, converter: &mut Converter) -> Vec<String> {
        Script::new("test", text.as_bytes())
            .map(|item| converter.message(&item.unwrap()).to_string())
            .collect()
    }

    #[test]
    fn messages_have_the_format_of_grn2drn() {
        let mut converter = Converter::new("Default");
        converter.id_prefix = Some("p".to_owned());
        converter.date = Some("2026-11-20T11:38:47.195379Z".to_owned());
        let text = "table_create Categories TABLE_HASH_KEY ShortText\n\
            column_create Terms pages COLUMN_INDEX|WITH_SECTION|WITH_POSITION Pages title,text\n\
            load --table Pages\n[\n[\"_key\",\"title\",\"text\",\"categories\"],\n\
            [5,\"町中\",\"短い本文\",[\"日本\",\"駅\"]]\n]\n";
        let head = r#""date":"2026-11-20T11:38:47.195379Z","dataset":"Default","#;
        assert_eq!(
            messages(text, &mut converter),
            [
                [r#"{"id":"p:0","#, head, r#""type":"table_create","body":{"name":"Categories","flags":"TABLE_HASH_KEY","key_type":"ShortText"}}"#].concat(),
                [r#"{"id":"p:1","#, head, r#""type":"column_create","body":{"table":"Terms","name":"pages","flags":"COLUMN_INDEX|WITH_SECTION|WITH_POSITION","type":"Pages","source":"title,text"}}"#].concat(),
                [r#"{"id":"p:2","#, head, r#""type":"add","body":{"table":"Pages","key":5,"values":{"title":"町中","text":"短い本文","categories":["日本","駅"]}}}"#].concat(),
            ]
        );
    }

    #[test]
    fn ids_are_hashes_of_the_content() {
        let text = "load --table T\n[\n{\"_key\":1},\n{\"_key\":1}\n]";
        let ids = || {
            let messages = messages(text, &mut Converter::new("Default"));
            let id = |text: &String| Json::parse(text.as_bytes()).unwrap().get("id").cloned();
            messages.iter().map(id).collect::<Vec<_>>()
        };
        assert_eq!(ids(), ids());
        assert_ne!(ids()[0], ids()[1]);
        let Some(Json::Text(id)) = &ids()[0] else {
            panic!("no id")
        };
        assert_eq!(id.len(), 40);
    }
}
