//! Printing TOML.

use std::collections::BTreeMap;
use std::fmt::Display;

use crate::key::Key;
use crate::names::Named;

/// TOML text under construction.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) text: String,
}

impl Page {
    pub(crate) fn table(&mut self, header: &str) {
        self.text += &format!("\n{header}\n");
    }

    pub(crate) fn comment(&mut self, comment: &str) {
        self.text += &format!("# {comment}\n");
    }

    pub(crate) fn pair(&mut self, key: &str, value: impl Display) {
        self.text += &format!("{key} = {value}\n");
    }

    /// Appends a key and its value, with the comment of the key.
    pub(crate) fn key(&mut self, key: &Key, value: impl Display) {
        match key.comment {
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

    /// Appends a key and the name of its value, unless the value is the default of its type.
    pub(crate) fn name_unless<T: Named + Default>(&mut self, key: &Key, value: T) {
        if value != T::default() {
            self.key(key, text(Named::name(value)));
        }
    }

    pub(crate) fn explained(&mut self, key: &str, value: impl Display, comment: &str) {
        self.text += &format!("{key} = {value} # {comment}\n");
    }
}

pub(crate) fn text(value: impl Display) -> String {
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
