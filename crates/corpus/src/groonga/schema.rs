//! What tables there are, as the commands that make them say.

use super::command::Command;

/// Tables and their columns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schema {
    /// In the order they are made in.
    pub tables: Vec<Table>,
}

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Type of its keys, for example `UInt64`; unknown if it has none.
    pub key_type: Option<String>,
    /// What parts texts into words, if it is a lexicon.
    pub tokenizer: Option<String>,
    /// In the order they are made in.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// For example `COLUMN_VECTOR`.
    pub flags: String,
    /// A type such as `ShortText`, or a table.
    pub of: String,
    /// What an index is of.
    pub source: Option<String>,
}

impl Column {
    /// Whether it is an index.
    pub fn is_index(&self) -> bool {
        self.flags.contains("COLUMN_INDEX")
    }
}

impl Schema {
    /// Takes a command that makes a table or a column into account; others change nothing.
    pub fn take(&mut self, command: &Command) {
        let argument = |name: &str| command.argument(name).map(str::to_owned);
        match command.name.as_str() {
            "table_create" => {
                let flags = command.argument("flags").unwrap_or_default();
                self.tables.push(Table {
                    name: argument("name").unwrap_or_default(),
                    key_type: argument("key_type").filter(|_| !flags.contains("NO_KEY")),
                    tokenizer: argument("default_tokenizer"),
                    columns: Vec::new(),
                });
            }
            "column_create" => {
                let table = command.argument("table").unwrap_or_default();
                if let Some(table) = self.tables.iter_mut().find(|known| known.name == table) {
                    table.columns.push(Column {
                        name: argument("name").unwrap_or_default(),
                        flags: argument("flags").unwrap_or_default(),
                        of: argument("type").unwrap_or_default(),
                        source: argument("source"),
                    });
                }
            }
            _ => {}
        }
    }

    /// A table by its name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// The tables that hold what is searched: those with columns other than indexes.
    pub fn searched(&self) -> impl Iterator<Item = &Table> {
        self.tables
            .iter()
            .filter(|table| table.columns.iter().any(|column| !column.is_index()))
    }

    /// What parts the texts of a column into words, if an index does.
    pub fn tokenizer_of(&self, table: &str, column: &str) -> Option<&str> {
        self.tables.iter().find_map(|lexicon| {
            let indexes = |index: &Column| {
                let sources = index.source.as_deref().unwrap_or_default();
                index.is_index()
                    && index.of == table
                    && sources.split(',').any(|source| source.trim() == column)
            };
            let tokenizer = lexicon.tokenizer.as_deref()?;
            lexicon.columns.iter().any(indexes).then_some(tokenizer)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{INDEXES, Item, SCHEMA, Script};
    use super::*;

    #[test]
    fn the_tutorials_schema() {
        let mut schema = Schema::default();
        let text = [SCHEMA, INDEXES].concat();
        for item in Script::new("tutorial", text.as_bytes()) {
            match item.unwrap() {
                Item::Command(command) => schema.take(&command),
                Item::Record(record) => panic!("{record:?}"),
            }
        }
        let searched: Vec<&str> = schema.searched().map(|table| table.name.as_str()).collect();
        assert_eq!(searched, ["Pages"]);
        let pages = schema.table("Pages").unwrap();
        assert_eq!(pages.key_type.as_deref(), Some("UInt64"));
        assert_eq!(pages.columns.len(), 3);
        assert_eq!(schema.tokenizer_of("Pages", "title"), Some("TokenBigram"));
        assert_eq!(schema.tokenizer_of("Pages", "text"), Some("TokenBigram"));
        assert_eq!(schema.tokenizer_of("Pages", "categories"), None);
    }
}
