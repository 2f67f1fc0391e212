//! The section with the commands that repeat the run or show its results again.

use tenbin_result::Document;

use crate::block::Block;
use crate::language::text;

pub(in crate::section) fn blocks(document: &Document) -> Vec<Block> {
    if document.run.is_imported() {
        return Vec::new();
    }
    let directory = quoted(&document.run.directory);
    let lines = [
        (
            "Repeat the run and compare the two",
            format!("tenbin rerun {directory}"),
        ),
        (
            "Repeat the run alone",
            format!("tenbin run {directory}/plan.toml"),
        ),
        (
            "Print every section of it",
            format!("tenbin show {directory} -v"),
        ),
        (
            "Everything, for machines",
            format!("tenbin show {directory} --json"),
        ),
        (
            "Compare a later run with it",
            format!("tenbin compare {directory} LATER-RUN"),
        ),
        (
            "Write this page again",
            format!("tenbin report {directory}"),
        ),
    ];
    let lines = lines.map(|(what, command)| format!("# {}\n{command}\n", text(document, what)));
    vec![Block::Verbatim(lines.join("\n"))]
}

/// Quotes a word for a shell if necessary.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_one_word_for_a_shell() {
        assert_eq!(
            quoted("runs/2026-01-02T030405-x"),
            "runs/2026-01-02T030405-x"
        );
        assert_eq!(quoted("my runs/it's"), r"'my runs/it'\''s'");
    }
}
