//! The record of a run: the figures of every slice, the machine, and the run directory that stores
//! them while the run is running.
//!
//! [`RunDirectory`] creates the directory, [`RunWriter`] writes the measurements second by second,
//! and [`read`] returns the same [`Slice`]s from the files, also after a run that was killed. A
//! report therefore does not depend on whether the run is live or read from disk.
//!
//! # The files
//!
//! `intervals.jsonl` has one JSON object per line, with its type in `kind`:
//!
//! | kind | written | content |
//! |---|---|---|
//! | `run` | first | version of the lines |
//! | `begin` | when a slice's window opens | [`SliceStart`] |
//! | `operation` | every second, for every operation | counts, bytes, errors, statuses, quantiles, and the position of its histograms in `latency.hlog` |
//! | `second` | after the `operation` lines | connections, hosts, load generator threads, target; *commits* the `operation` lines before it |
//! | `end` | when a slice ends | [`SliceEnd`], and the position of its histograms in `slices.bin` |
//! | `void` | when an agent was lost | numbers of slices that count for nothing |
//! | `complete` | after the last slice | [`Ended`], omitted after the planned number of rounds |
//!
//! A line is valid only with its newline. A second is valid only with its `second` line and all its
//! histograms; the histograms are written first. A file with an incomplete end thus loses only the
//! last second. Check values show whether the files were changed after the run: [`Integrity`].
//!
//! A thread that reports late causes another set of lines for the same second; the counts of both
//! sets must be added. `docs/run-directory.md` describes every field.

mod environment;
mod error;
mod files;
mod histogram;
mod reader;
mod seconds;
mod slice;

pub use environment::{
    AgentEnvironment, CpuQuota, DeadHost, Environment, HostEnvironment, HostHits, LostAgent,
    Outage, PatternHits, ProgramFile, RefusedRenewal, Retried, RunPart, TargetEnvironment,
};
pub use error::RecordError;
pub use files::archive::{PackSize, is_packed, pack, unpack};
pub use files::atomic::{can_write_atomically, write_atomically, write_atomically_with};
pub use files::directory::{RunDirectory, is_running, rfc3339};
pub use files::harmless_text::is_harmful;
pub use files::hlog::decode_histogram;
pub use files::integrity::{Change, CutOff, Integrity};
pub use files::leftovers::{
    CLEAN_UP_INTERRUPTED, Left, buckets_made, left_behind, write_buckets_made, write_left,
};
pub use files::lines::Ended;
pub use files::live_address::{LiveAddress, live_address};
pub use files::read_back::{ReadBack, Uncheckable};
pub use files::request_log::{
    MOST_LOGGED, RequestLogPart, RequestLogSummary, RequestLogWriter, request_log_file,
};
pub use histogram::packed::PackedHistogram;
pub use histogram::{counts_around, merge, merged, quantile_ns};
pub use reader::{NewestSecond, RecordedRun, Source, newest_seconds, read, read_from};
pub use seconds::counts::{SecondCounts, SecondTimes};
pub use seconds::live::LiveSecond;
pub use slice::compact::{Compact, Fields};
pub use slice::machine::{
    CpuUse, DiskUse, FrequencyUse, LinkUse, MachineUse, PauseUse, PortsUse, PressureUse,
    ProgramUse, TcpUse, WireUse,
};
pub use slice::pauses::Pause;
pub use tenbin_engine::stages::{BucketSums, OperationStages, StageSum, StageSums};
pub use tenbin_engine::{
    Counter, Counts, ErrorClass, LATE_BUCKETS, LATE_FROM_LOG2, Ledger, Operation, Role, Setup,
    SetupStep, Spread, Timed, Times, failure,
    histogram::{latency_histogram, slot_of},
};

pub use files::writer::RunWriter;
pub use histogram::slot_window::SlotWindow;
pub use slice::probe::{Probed, ProbedSecond};
pub use slice::request_list::{RecordedRequest, RecordedRequests};
pub use slice::request_samples::{
    CacheUse, RecordedPattern, RecordedSample, RecordedSamples, SearchUse,
};
pub use slice::responses::{
    ExpectedResponse, Frequencies, NewFeature, Responses, Sameness, Unchecked, UnexpectedResponses,
};
pub use slice::segment::Segment;
pub use slice::server::{GroupUse, ServerUse, UseScope};
pub use slice::stalls::Stalls;
pub use slice::{
    AgentPart, AgentUse, Allocated, ClientUse, EndedProcess, HostFigures, OpFigures, RateProbe,
    SetupFigures, Slice, SliceEnd, SliceHead, SliceStart, ThreadTurn,
};
