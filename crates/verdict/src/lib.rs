//! Findings and verdicts: whether the numbers can be trusted, and which target is faster.
//!
//! [`assess`] computes findings and verdicts, and [`document()`] turns both into the result
//! document. The rules in [`RULES`] decide whether a run can be trusted. [`Comparison`]s, one for
//! each workload, challenger and [`Metric`](tenbin_result::Metric), state which target is faster. This crate does not
//! measure or print.

mod agents;
mod assessment;
mod cell;
mod compare;
pub mod concurrency_sweep;
mod continuous_load;
mod document;
mod earlier;
mod evidence;
mod expected;
mod figures;
mod findings;
mod gate;
mod history;
mod limit;
pub mod lint;
mod machine;
pub mod max_rate;
mod plain_answer;
pub mod rules;
mod server;
mod sustained;
mod sweep;
#[cfg(test)]
mod testing;
mod words;

pub use assessment::{AfterRounds, Assessment, assess};
pub use cell::{Cell, cells};
pub use compare::across::Across;
pub use compare::comparison::Comparison;
pub use compare::curve::LevelOf;
pub use compare::interim::{Interim, InterimRatio};
pub use compare::outcome::{EQUIVALENCE, NOISE_FLOOR};
pub use compare::precision::is_precise;
pub use compare::sentence::named_metric;
pub use compare::{Compared, compare, compare_all};
pub use continuous_load::Stretch;
pub use document::decided::is_decided_all_the_same;
pub use document::{Source, conditions, document, document_without_slices, sentences, take_slices};
pub use earlier::{
    ASSUMED_RUN_TO_RUN, Better, CONTROL_LIMIT, EarlierRun, Measure, Series, against_earlier,
};
pub use evidence::Evidence;
pub use figures::hits;
pub use figures::size_class::SizeClass;
pub use findings::flags::{Flag, OtherSlices, SLICE_TESTS, SliceTest, flags};
pub use findings::messages::{Messages, change_ends, figure_words, whole_percent};
pub use findings::precedence::explains_figures;
pub use findings::rule::Rule;
pub use findings::rule_info::{RuleInfo, Texts};
pub use findings::translated::{
    said, said_data, said_limit, said_plainly, said_reasons, without_unknown_messages,
};
pub use gate::{gate, rounds_end, worse_logs};
pub use history::{HistoryOf, HistoryRun, history};
pub use limit::{LIMIT, is_told_by_limit, limit_table};
pub use max_rate::{Finder, NextProbe, SearchResult};
pub use rules::{RULES, connecting, left_behind, template_in};
pub use server::cpu_seconds as server_cpu_seconds;
pub use server::stored::bytes as stored_bytes;
pub use sustained::departs;
