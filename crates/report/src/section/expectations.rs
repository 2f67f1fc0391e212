//! The section on expectations, with the figures.

use tenbin_result::{Document, Expectation, Standing};

use crate::block::{Block, Look, Table, Text};
use crate::expectations;

pub(super) fn blocks(document: &Document) -> Vec<Block> {
    let mut table = Table::new(1, ["", "expected", "target", "workload", "figure"]);
    for each in &document.expectations {
        table.push([
            crate::block::Cell::Text(Text::default().and(look(each), expectations::standing(each))),
            expectations::demanded(document, each).into(),
            each.target.clone().into(),
            each.workload.clone().into(),
            expectations::outcome(document, each).into(),
        ]);
    }
    table.block().into_iter().collect()
}

fn look(expectation: &Expectation) -> Look {
    match expectation.standing {
        Standing::Met => Look::Good,
        Standing::NotMet => Look::Bad,
        Standing::CannotTell if expectation.fails_if => Look::Good,
        Standing::CannotTell => Look::Doubtful,
    }
}
