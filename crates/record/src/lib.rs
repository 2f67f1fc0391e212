//! What happened: figures of every slice, the machine they were taken on, and
//! the run directory that keeps both, written as the run goes.
//!
//! [`RunDirectory`] makes the directory, [`RunWriter`] keeps what happens in it a
//! second at a time, and [`read`] gives the very same [`Slice`]s back, also from
//! a run that was killed: whoever reports a run need not know which it was.
//!
//! # The files
//!
//! `intervals.jsonl` has one JSON object a line, told apart by `kind`:
//!
//! | kind | when | what |
//! |---|---|---|
//! | `run` | first | version of the lines |
//! | `begin` | a slice's window opens | [`SliceStart`] |
//! | `operation` | every second, for every operation | counts, bytes, errors, statuses, quantiles, and where in `latency.hlog` its histograms stand |
//! | `second` | after those | connections, hosts, client threads, target; *commits* the `operation` lines before it |
//! | `end` | a slice is over | [`SliceEnd`], and where in `slices.bin` its histograms stand |
//! | `complete` | every slice was measured | [`Ended`], unless as planned |
//!
//! A line counts only with its newline, and a second only with its `second` line
//! and all its histograms, which are written first. So a torn end of either
//! file costs the last second and nothing else. Check values show whether the
//! files are as the run wrote them: [`Integrity`].
//!
//! When a thread reports a second late, there is a second set of lines for it:
//! lines for the same second add up. `docs/run-directory.md` has every field.

mod calendar;
mod check;
pub mod directory;
pub mod environment;
mod error;
mod fold;
mod histogram;
mod hlog;
mod interval;
mod kind;
mod left;
mod lines;
mod live;
pub mod machine;
mod moving;
mod packed;
mod pause;
mod pretty;
mod probe_fold;
mod probed;
mod reader;
mod responses;
mod second_counts;
mod seconds;
mod sequence;
pub mod server;
mod single;
pub mod slice;
mod stalls;
mod store;
mod sum;
mod thread_use;
mod totals;
mod window;
mod writer;

pub use check::Integrity;
pub use directory::{
    RunDirectory, can_write_atomically, is_under_way, rfc3339, write_atomically,
    write_atomically_with,
};
pub use environment::{
    Environment, HostAsked, HostEnvironment, PatternAsked, ProgramFile, Retried, TargetEnvironment,
};
pub use error::RecordError;
pub use histogram::{counts_around, merge, merged, quantile_ns};
pub use left::{Left, buckets_made, left_behind, write_buckets_made, write_left};
pub use lines::Ended;
pub use live::LiveSecond;
pub use machine::{
    CpuUse, DiskUse, FrequencyUse, LinkUse, MachineUse, PauseUse, PortsUse, PressureUse,
    ProgramUse, TcpUse, WireUse,
};
pub use packed::PackedHistogram;
pub use pause::Pause;
pub use reader::{RecordedRun, Source, read, read_from};
pub use second_counts::{SecondCounts, SecondTimes};
pub use tenbin_engine::stages::{BucketSums, OperationStages, StageSum, StageSums};
pub use tenbin_engine::{
    ErrorClass, Ledger, Role, Spread, failure,
    histogram::{latency_histogram, slot_of},
};

pub use probed::{Probed, ProbedSecond};
pub use responses::{ExpectedResponse, Responses, Sameness, UnexpectedResponses};
pub use sequence::Segment;
pub use server::{GroupUse, ServerUse, UseScope};
pub use single::{CacheUse, PatternCount, SearchUse, SingleRequest, Singles};
pub use slice::{
    Allocated, ClientUse, HostFigures, OpFigures, RateProbe, SetupFigures, Slice, SliceEnd,
    SliceStart, ThreadTurn,
};
pub use stalls::Stalls;
pub use window::SlotWindow;
pub use writer::RunWriter;
