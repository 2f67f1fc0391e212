//! The result of a run as one document: what `result.json` holds and `--json` prints, and what
//! every other report is made from.
//!
//! Times are seconds, sizes are bytes, rates are per second, shares run from 0 to 1.
//! What is not known is `null`, never 0.
//!
//! `verdict` fills these types, `report` and `tenbin` read them. [`format`](mod@format) turns their
//! numbers into text.

mod asked;
mod capacity;
mod comparison;
mod connections;
mod document;
mod earlier;
mod figure;
pub mod format;
mod nodes;
mod operation;
mod result_of;
mod schema;
mod search;
mod single;
mod slice;
mod stages;
mod trust;
mod workload;

pub use asked::{Expectation, ExpectedUnit, Optimum, RunEnded, Standing};
pub use capacity::{Capacity, CapacityComparison, CapacityLevel, Knee, UslResult};
pub use comparison::{Comparison, Outcome, Together};
pub use connections::{Connections, HostResult, SetupStep};
pub use document::{Document, Run, SCHEMA, Target, UseCase, document_from_json};
pub use earlier::{ControlRange, Doubt, Earlier, EarlierChange, EarlierPart, EarlierWord};
pub use figure::{Figure, Interval};
pub use nodes::{NodeLadder, NodeStep};
pub use operation::{OperationResult, Role, TimedFrom};
pub use result_of::{GroupResult, ProcessCost, ResultOf};
pub use schema::schema_json;
pub use search::{RateComparison, Search, SearchLimit, SearchOutcome, SearchProbe};
pub use single::{CacheHits, PatternResult, SingleResult};
pub use slice::SliceFigures;
pub use stages::{StageBand, StageBandResult, StageResult, StagesOf};
pub use trust::{AbsoluteTrust, Blame, Finding, SUSPECT, Severity, Trust};
pub use workload::{Setting, Share, Subject, Workload};
