//! Findings and verdicts: whether the numbers can be trusted, and which target is faster.
//!
//! [`assess`] computes findings and verdicts, and [`document()`] turns both into the result
//! document. The rules in [`RULES`] decide whether a run can be trusted. [`Comparison`]s, one for
//! each workload, challenger and [`Metric`], state which target is faster. This crate does not
//! measure or print.

mod agents;
mod assessment;
pub mod capacity;
mod cell;
mod compare;
mod document;
mod earlier;
mod evidence;
mod expected;
mod figures;
mod findings;
pub mod highest_rate;
pub mod lint;
mod machine;
pub mod rules;
mod server;
mod stretch;
mod sustained;
mod sweep;
#[cfg(test)]
mod testing;
mod words;

pub use assessment::{Assessment, assess};
pub use cell::{Cell, cells};
pub use compare::comparison::{Across, Comparison};
pub use compare::curve::LevelOf;
pub use compare::metric::{Direction, Metric};
pub use compare::outcome::{EQUIVALENCE, NOISE_FLOOR};
pub use compare::precision::is_precise;
pub use compare::sentence::one_start;
pub use compare::{Compared, compare, compare_all};
pub use document::{Source, document, document_without_slices, take_slices};
pub use earlier::{ASSUMED_RUN_TO_RUN, CONTROL_LIMIT, EarlierRun, Series, against_earlier};
pub use evidence::Evidence;
pub use figures::hits;
pub use figures::size_class::SizeClass;
pub use findings::flags::{Flag, OtherSlices, SLICE_TESTS, SliceTest, flags};
pub use findings::precedence::explains_figures;
pub use findings::rule::Rule;
pub use findings::rule_info::RuleInfo;
pub use highest_rate::{Finder, NextProbe, SearchResult};
pub use rules::{RULES, connecting};
pub use server::cpu_seconds as server_cpu_seconds;
pub use server::stored::bytes as stored_bytes;
pub use stretch::Stretch;
pub use sustained::has_fallen;
