//! The schema of a database, derived from the commands that create it.

use super::command::Command;

/// Tables and columns of a database.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Schema {
    /// Tables in the order of creation.
    pub tables: Vec<Table>,
}

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Name.
    pub name: String,
    /// Type of the keys, for example `UInt64`; `None` for a table without keys.
    pub key_type: Option<String>,
    /// Tokenizer, if the table is a lexicon (holds the terms of an index).
    pub tokenizer: Option<String>,
    /// Columns in the order of creation.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Name.
    pub name: String,
    /// Flags, for example `COLUMN_VECTOR`.
    pub flags: String,
    /// Type of the values, such as `ShortText`, or the name of the referenced table.
    pub of: String,
    /// The indexed columns, if the column is an index.
    pub source: Option<String>,
}

impl Column {
    /// Whether the column is an index.
    pub fn is_index(&self) -> bool {
        self.flags.contains("COLUMN_INDEX")
    }
}

impl Schema {
    /// Adds the table or column that `command` creates; ignores other commands.
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

    /// The table with this name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// The tables with searchable data: tables with at least one column that is not an index.
    pub fn searched(&self) -> impl Iterator<Item = &Table> {
        self.tables
            .iter()
            .filter(|table| table.columns.iter().any(|column| !column.is_index()))
    }

    /// The tokenizer of the index on a column, if the column has an index with a tokenizer.
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
