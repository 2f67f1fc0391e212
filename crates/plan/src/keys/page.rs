//! Printing TOML.

use std::collections::BTreeMap;
use std::fmt::Display;

use crate::keys::row::Key;

/// TOML text under construction.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) text: String,
    /// End of the names of the environment variables for the credentials in the current table.
    pub(crate) variable_suffix: String,
    /// Comments that replace those of the table of keys, in the current table.
    notes: Vec<(&'static str, String)>,
}

impl Page {
    pub(crate) fn table(&mut self, header: &str) {
        self.text += &format!("\n{header}\n");
        self.notes.clear();
    }

    /// Sets the comment of a key that the current table prints later.
    pub(crate) fn note(&mut self, key: &Key, comment: impl Into<String>) {
        self.notes.push((key.name, comment.into()));
    }

    pub(crate) fn has_note(&self, key: &Key) -> bool {
        self.notes.iter().any(|(name, _)| *name == key.name)
    }

    pub(crate) fn comment(&mut self, comment: &str) {
        self.text += &format!("# {comment}\n");
    }

    pub(crate) fn pair(&mut self, key: &str, value: impl Display) {
        self.text += &format!("{key} = {value}\n");
    }

    /// Appends a key and its value, with the note about the key or the comment of the key.
    pub(crate) fn key(&mut self, key: &Key, value: impl Display) {
        let note = self.notes.iter().find(|(name, _)| *name == key.name);
        let note = note.map(|(_, note)| note.clone());
        match note.as_deref().unwrap_or(key.comment) {
            "" => self.pair(key.name, value),
            comment => self.explained(key.name, value, comment),
        }
    }

    /// Appends a key and its value, unless the value is `usual`.
    pub(crate) fn unless<T: Display + PartialEq>(&mut self, key: &Key, value: T, usual: T) {
        if value != usual {
            self.key(key, value);
        }
    }

    pub(crate) fn explained(&mut self, key: &str, value: impl Display, comment: &str) {
        self.text += &format!("{key} = {value} # {comment}\n");
    }
}

/// A text in TOML, in quotes.
pub fn text(value: impl Display) -> String {
    toml::Value::String(value.to_string()).to_string()
}

pub(crate) fn list(values: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", values.into_iter().collect::<Vec<_>>().join(", "))
}

pub(crate) fn inline_table(entries: &BTreeMap<String, String>) -> String {
    let pairs = entries
        .iter()
        .map(|(name, value)| format!("{} = {}", key_text(name), text(value)));
    format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
}

pub(crate) fn key_text(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(bare) {
        key.to_owned()
    } else {
        text(key)
    }
}
