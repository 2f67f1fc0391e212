//! A Groonga schema for the pages of an encyclopedia, as used in Droonga's tutorial.

/// Commands that create the tables and columns.
pub const SCHEMA: &str = "\
table_create Categories TABLE_HASH_KEY ShortText
table_create Pages TABLE_HASH_KEY UInt64
column_create Pages title COLUMN_SCALAR ShortText
column_create Pages text COLUMN_SCALAR Text
column_create Pages categories COLUMN_VECTOR Categories
";

/// Commands that create the indexes.
pub const INDEXES: &str = "\
column_create Categories pages_categories COLUMN_INDEX Pages categories
table_create Terms TABLE_PAT_KEY ShortText --default_tokenizer TokenBigram --normalizer NormalizerAuto
column_create Terms pages COLUMN_INDEX|WITH_SECTION|WITH_POSITION Pages title,text
table_create RegexpTerms TABLE_PAT_KEY ShortText --default_tokenizer TokenRegexp --normalizer NormalizerAuto
column_create RegexpTerms pages COLUMN_INDEX|WITH_POSITION Pages text
";

/// Start of the `load` command, written before the first page.
pub fn load_begin() -> &'static str {
    "load --table Pages\n["
}

/// End of the `load` command, written after the last page.
pub fn load_end() -> &'static str {
    "\n]\n"
}
