//! The list of runs as a table that fits a terminal.

use tenbin_plan::{Sentence, sentence};
use tenbin_report::{for_terminal, shortened};
use tenbin_result::Trust;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::commands::results::disk;
use crate::commands::results::rows::Row;
use crate::sentences::said;

/// Number of columns; the last one, the result, is not padded.
const COLUMNS: usize = 8;
/// Places of the columns that give way on a narrow terminal.
const TARGETS: usize = 2;
const QUESTION: usize = 3;
const SIZE: usize = 5;
const NOTE: usize = 6;
const RESULT: usize = COLUMNS - 1;
/// Columns that a list does not have if they are empty in all rows.
const OPTIONAL: [usize; 4] = [TARGETS, QUESTION, SIZE, NOTE];
/// Longest note in the list, letters.
const LONGEST_NOTE: usize = 40;
/// Longest label in the list, letters: the maximum of `tenbin label`.
const LONGEST_LABEL: usize = 60;
/// Longest names of targets, and longest question, letters. The longest cell sets the width of all rows,
/// and names in a copied run directory can have any length.
const LONGEST_CELL: usize = 200;
/// Space between two columns, characters.
const BETWEEN: usize = 2;
/// Space for the result that other columns leave, characters.
const FOR_RESULT: usize = 40;
/// Narrowest column of targets, characters.
const NARROWEST: usize = 12;

type Cells = [String; COLUMNS];

/// The rows below their heads; empty without rows. `width` is that of the terminal, in characters, into
/// which every line fits: the size, then the question, then the ends of the names of targets give way to
/// a narrow one, and longer lines end with …. `None` for whole lines.
pub(crate) fn table(rows: &[Row], width: Option<usize>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let rows = rows.iter().map(cells).collect();
    laid_out(heads().map(|head| said(&head)), rows, width)
}

fn heads() -> [Sentence; COLUMNS] {
    [
        sentence!("head-run", "run"),
        sentence!("head-label", "label"),
        sentence!("head-targets", "targets"),
        sentence!("head-question", "question"),
        sentence!("head-trust", "trust"),
        sentence!("head-size", "size"),
        sentence!("head-note", "note"),
        sentence!("head-result", "result"),
    ]
}

fn cells(row: &Row) -> Cells {
    let [label, note] = [&row.label, &row.note].map(|text| text.clone().unwrap_or_default());
    let cells = [
        row.name.clone(),
        shortened(&label, LONGEST_LABEL),
        shortened(&row.targets().join(", "), LONGEST_CELL),
        shortened(&row.question(), LONGEST_CELL),
        row.trust().map_or("—", Trust::word).to_owned(),
        row.bytes().map(disk::said).unwrap_or_default(),
        shortened(&note, LONGEST_NOTE),
        row.said(),
    ];
    cells.map(|cell| for_terminal(&cell))
}

fn laid_out(heads: Cells, mut rows: Vec<Cells>, width: Option<usize>) -> String {
    let is_empty = |at: &usize| rows.iter().all(|cells| cells[*at].is_empty());
    let left_out: Vec<usize> = OPTIONAL.into_iter().filter(is_empty).collect();
    let mut is_shown = [true; COLUMNS];
    for at in left_out {
        is_shown[at] = false;
    }
    if let Some(width) = width {
        narrow(&heads, &mut rows, &mut is_shown, width);
    }
    let widths = widths(&heads, &rows);
    let mut text = String::new();
    for cells in std::iter::once(&heads).chain(&rows) {
        let mut line = String::new();
        for at in (0..RESULT).filter(|at| is_shown[*at]) {
            let padding = widths[at] + BETWEEN - cells[at].width();
            line += &cells[at];
            line += &" ".repeat(padding);
        }
        line += &cells[RESULT];
        text += &width.map_or_else(|| line.clone(), |width| cut(&line, width));
        text.push('\n');
    }
    text
}

/// Leaves out and shortens columns until the result has its space.
fn narrow(heads: &Cells, rows: &mut [Cells], is_shown: &mut [bool; COLUMNS], width: usize) {
    let widths = widths(heads, rows);
    let needed = |is_shown: &[bool; COLUMNS]| {
        let columns = (0..RESULT).filter(|at| is_shown[*at]);
        let before: usize = columns.map(|at| widths[at] + BETWEEN).sum();
        before + widths[RESULT].min(FOR_RESULT)
    };
    for at in [SIZE, QUESTION] {
        if needed(is_shown) > width {
            is_shown[at] = false;
        }
    }
    let too_much = needed(is_shown).saturating_sub(width);
    if too_much > 0 && is_shown[TARGETS] {
        let narrowest = NARROWEST.max(heads[TARGETS].width());
        let most = widths[TARGETS].saturating_sub(too_much).max(narrowest);
        for cells in rows {
            cells[TARGETS] = cut(&cells[TARGETS], most);
        }
    }
}

/// The width of each column, characters.
fn widths(heads: &Cells, rows: &[Cells]) -> [usize; COLUMNS] {
    std::array::from_fn(|at| {
        let cells = rows.iter().map(|cells| cells[at].width());
        cells.max().unwrap_or(0).max(heads[at].width())
    })
}

/// The text in at most `width` characters, with … in place of its end.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut start = String::new();
    let mut used = 1;
    for letter in text.chars() {
        used += letter.width().unwrap_or(0);
        if used > width {
            break;
        }
        start.push(letter);
    }
    start + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADS: [&str; COLUMNS] = [
        "run", "label", "targets", "question", "trust", "size", "note", "result",
    ];

    fn laid_out_in(cells: [&str; COLUMNS], width: Option<usize>) -> Vec<String> {
        let text = laid_out(
            HEADS.map(str::to_owned),
            vec![cells.map(str::to_owned)],
            width,
        );
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn size_question_and_the_ends_of_targets_give_way_in_this_order() {
        let targets = "nginx-1.27, nginx-1.28";
        let result = "nginx-1.28 is 4 % faster than nginx-1.27";
        let cells = [
            "2026-01-31T120000-http", "new", targets, "http GET", "VALID", "4.2 MiB", "", result,
        ];
        let shown = |width| {
            let lines = laid_out_in(cells, width);
            let has = |head: &str| lines[0].split_whitespace().any(|it| it == head);
            assert!(lines[1].ends_with(result) && !has("note"), "{lines:?}");
            if let Some(width) = width {
                assert!(lines[1].width() <= width, "{width}: {lines:?}");
            }
            ["size", "question", "targets"].map(has)
        };
        // 22, 5, 22, 8, 5, 7 and 40 characters, and 2 after each column.
        assert_eq!(shown(None), [true; 3]);
        assert_eq!(shown(Some(121)), [true; 3]);
        assert_eq!(shown(Some(120)), [false, true, true]);
        assert_eq!(shown(Some(112)), [false, true, true]);
        assert_eq!(shown(Some(111)), [false, false, true]);
        assert_eq!(shown(Some(92)), [false, false, true]);
        let lines = laid_out_in(cells, Some(95));
        assert!(lines[1].contains("nginx-1.27, ng…"), "{lines:?}");
        let lines = laid_out_in(cells, Some(60));
        assert!(lines[1].contains("nginx-1.27,…"), "{lines:?}");
    }

    #[test]
    fn a_line_ends_where_the_terminal_ends() {
        let result = "b is faster than a ".repeat(30);
        let cells = ["a-run", "", "", "", "VALID", "", "", result.as_str()];
        assert!(laid_out_in(cells, None)[1].ends_with(&result));
        for width in [10, 40, 80] {
            let lines = laid_out_in(cells, Some(width));
            assert!(lines[1].ends_with('…'), "{lines:?}");
            assert!(lines.iter().all(|line| line.width() <= width), "{lines:?}");
        }
        assert_eq!(
            laid_out_in(cells, Some(40))[1],
            "a-run         VALID  b is faster than a…"
        );
    }

    #[test]
    fn wide_letters_are_cut_by_their_width() {
        assert_eq!(cut("天秤天秤", 8), "天秤天秤");
        assert_eq!(cut("天秤天秤", 7), "天秤天…");
        assert_eq!(cut("天秤天秤", 6), "天秤…");
        assert_eq!(cut("abc", 2), "a…");
    }

    #[test]
    fn columns_without_content_are_left_out() {
        let cells = ["a", "", "", "", "—", "", "", "still running"];
        let lines = laid_out_in(cells, None);
        assert_eq!(lines[0], "run  label  trust  result");
        assert_eq!(lines[1], "a           —      still running");
    }
}
