//! The result of a run as one document: the content of `result.json`, the output of `--json` and
//! the source of every report.
//!
//! Times are seconds, sizes are bytes, rates are per second, shares run from 0 to 1.
//! Unknown values are `null`, never 0.
//!
//! `verdict` fills these types; `report` and `tenbin` read them. [`format`](mod@format) formats
//! their numbers.

mod agents;
mod bisect;
mod comparison;
mod concurrency_sweep;
mod connections;
mod document;
mod earlier;
mod expectation;
mod figure;
pub mod format;
mod gate;
mod head;
mod history;
mod language;
mod limit;
mod listed_request;
mod max_rate;
mod message;
mod metric;
mod nodes;
mod operation;
mod percentiles;
mod plain_answer;
mod result_of;
mod run_facts;
mod sample;
#[cfg(feature = "schema")]
mod schema;
mod slice;
mod stages;
mod sustained;
mod trust;
mod workload;

pub use agents::{AgentRatio, AgentRatios, AgentResult};
pub use bisect::{BISECT_SCHEMA, Bisect, BisectCommit, BisectOutcome, BisectRatio};
pub use comparison::{Comparison, Likely, Outcome, Tendency, Together};
pub use concurrency_sweep::{
    ConcurrencyLevel, ConcurrencySweep, ConcurrencySweepComparison, Knee, UslResult,
};
pub use connections::{Connections, HostResult, Resent, SetupStep};
pub use document::{Document, Run, SCHEMA, Target, UseCase, document_from_json};
pub use earlier::{
    ControlRange, Doubt, DoubtFinding, Earlier, EarlierChange, EarlierOutcome, EarlierPart,
    RunToRun, Withheld,
};
pub use expectation::{Expectation, ExpectedUnit, Optimum, RunEnded, Standing};
pub use figure::{Figure, Interval};
pub use gate::{Gate, GateFigure, GateOutcome, GateRole, GateStanding};
pub use head::Head;
pub use history::{
    Circumstance, CircumstanceKind, HISTORY_SCHEMA, History, HistoryChange, HistoryPoint,
    HistorySeries, LeftOut, LeftOutWhy,
};
pub use language::{LANGUAGES, Language};
pub use limit::{Certainty, Limit};
pub use listed_request::ListedRequest;
pub use max_rate::{LimitKind, RateComparison, Search, SearchLimit, SearchOutcome, SearchProbe};
pub use message::{FindingData, Message, Value};
pub use metric::{Metric, MetricName};
pub use nodes::{NodeScaling, NodeStep};
pub use operation::{OperationResult, TimedFrom};
pub use percentiles::{PercentileRatios, RatioAt, TimeAt};
pub use plain_answer::{Decider, Known, PlainAnswer, PlainFigure, Undecided, Varying};
pub use result_of::{GroupResult, ProcessCost, ResultOf};
pub use run_facts::{FigureFacts, KnownFact, RunFacts, SettingFact, UNLIMITED};
pub use sample::{CacheHits, PatternResult, RequestSample};
#[cfg(feature = "schema")]
pub use schema::schema_json;
pub use slice::{SecondErrors, SliceFigures};
pub use stages::{StageBand, StageBandResult, StageResult, StagesOf};
pub use sustained::Sustained;
pub use tenbin_record::Role;
pub use trust::{AbsoluteTrust, Cause, Finding, Severity, Trust};
pub use workload::{Setting, Share, Subject, Workload};
