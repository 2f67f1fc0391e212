//! Tests of the tables on a terminal.

use super::*;
use crate::block::Cell;

#[test]
fn rows_without_a_cell_in_a_part_of_a_wide_table_are_left_out_of_that_part() {
    let mut table = Table::new(2, ["workload", "target", "first", "second"]);
    table.push(["put".into(), "a".into(), "1 ms".into(), "2 ms".into()]);
    table.push([
        "get".into(),
        "a: proxy".into(),
        "3 ms".into(),
        Cell::empty(),
    ]);
    table.push(["get".into(), "a".into(), Cell::empty(), "4 ms".into()]);
    let grid = Grid::of(&table, Detail::Value);
    let texts = |grid: Grid| -> Vec<String> {
        let rows = grid.rows.iter();
        rows.map(|row| {
            let cells: Vec<&str> = row.iter().map(|cell| cell.text.as_str()).collect();
            cells.join("|")
        })
        .collect()
    };
    let pieces = grid.pieces(28).into_iter().map(Grid::named_once);
    let pieces: Vec<Vec<String>> = pieces.map(texts).collect();
    assert_eq!(
        pieces,
        [
            ["workload|target|first", "put|a|1 ms", "get|a: proxy|3 ms"],
            ["workload|target|second", "put|a|2 ms", "get|a|4 ms"],
        ]
    );
}
