//! Findings and verdicts: whether the numbers can be trusted, and what they say.
//!
//! [`assess`] does both, and [`document()`] makes the document of it. The [`rules`], one file each and
//! one line in [`RULES`], decide whether a run can be trusted; [`Comparison`]s, one for each workload,
//! challenger and [`Metric`], say which target is faster. Nothing here measures, and nothing prints.

mod assessment;
mod backend;
mod basis;
mod blocks;
pub mod capacity;
mod cell;
mod compare;
mod comparison;
mod connections;
mod curve;
mod document;
mod earlier;
mod evidence;
mod expected;
mod explained;
mod family;
mod figures;
mod flags;
mod gathered;
mod generator;
pub mod highest_rate;
pub mod hits;
mod ladder;
mod latency;
mod machine;
mod metric;
mod nodes;
mod out_of_space;
mod outcome;
mod precedence;
mod precision;
mod processes;
mod processor;
pub mod rules;
mod sentence;
mod server;
mod single;
mod size_class;
mod spread;
mod stages;
mod stored;
mod sweep;
#[cfg(test)]
mod testing;
mod use_case;
mod words;

pub use assessment::{Assessment, assess};
pub use cell::{Cell, cells};
pub use compare::{Compared, compare, compare_all};
pub use comparison::{Across, Comparison};
pub use curve::LevelOf;
pub use document::{Source, document, document_without_slices, take_slices};
pub use earlier::{EarlierRun, Series, against_earlier};
pub use evidence::Evidence;
pub use flags::{Arm, Flag, SLICE_TESTS, SliceTest, flags};
pub use highest_rate::{Finder, SearchResult, Wish};
pub use metric::{Direction, Metric};
pub use outcome::{EQUIVALENCE, NOISE_FLOOR};
pub use precision::is_precise;
pub use rules::{RULES, Rule, connecting};
pub use sentence::one_start;
pub use server::cpu_seconds as server_cpu_seconds;
pub use size_class::SizeClass;
pub use stored::bytes as stored_bytes;
