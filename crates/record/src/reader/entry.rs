//! A slice as its lines describe it, and the figures that are made of it.

use super::latency::Latency;
use crate::directory::INTERVALS_FILE;
use crate::error::RecordError;
use crate::fold::{Interval, Kind, SliceFold, Step, Sums};
use crate::hlog;
use crate::lines::{ByteRange, HostPart, OperationLine, SecondLine, SetupPart};
use crate::slice::{HostFigures, OpFigures, SetupFigures, Slice, SliceEnd, SliceStart};
use std::path::Path;

/// Buffers of one thread that folds slices, reused for each slice.
#[derive(Default)]
pub(super) struct Buffers {
    pub(super) bytes: Vec<u8>,
    pub(super) decoder: hlog::Decoder,
    pub(super) sums: Sums,
}

/// The figures of a slice; `None` of one of which nothing was kept.
pub(super) type Folded = Result<Option<Slice>, RecordError>;

#[derive(Debug)]
pub(super) struct SliceEntry {
    pub(super) start: SliceStart,
    pub(super) seconds: Vec<SecondEntry>,
    pub(super) end: Option<SliceEnd>,
}

#[derive(Debug)]
pub(super) struct SecondEntry {
    /// Which line of `intervals.jsonl` it is, from 1.
    pub(super) number: u64,
    pub(super) operations: Vec<OperationLine>,
    pub(super) line: SecondLine,
}

pub(super) fn fold_all(latency: &Latency, slices: Vec<SliceEntry>) -> Vec<Folded> {
    let mut buffers = Buffers::default();
    let slices = slices.into_iter();
    slices
        .map(|slice| slice.fold(latency, &mut buffers))
        .collect()
}

impl SliceEntry {
    /// A second that not every thread has reported counts fewer operations than
    /// there were. What the target used up to that moment is not known.
    pub(super) fn end_where_every_thread_has_reported(&mut self) {
        let reached = (0..self.start.threads)
            .map(|thread| self.last_second_of(thread))
            .min()
            .flatten();
        let Some(reached) = reached else {
            return;
        };
        self.seconds.retain(|second| second.line.key() <= reached);
        let last = self.seconds.iter().filter(|second| !second.line.drain);
        self.end = last
            .map(|second| second.line.end_ns)
            .max()
            .map(|end| SliceEnd {
                seconds: end as f64 / 1e9,
                cut_short: true,
                ..SliceEnd::default()
            });
    }

    pub(super) fn last_second_of(&self, thread: usize) -> Option<(u64, bool)> {
        self.seconds
            .iter()
            .filter(|second| second.line.threads.iter().any(|t| t.thread == thread))
            .map(|second| second.line.key())
            .max()
    }

    pub(super) fn fold(self, latency: &Latency, buffers: &mut Buffers) -> Folded {
        let Some(end) = self.end else {
            return Ok(None);
        };
        let mut fold = SliceFold::new(self.start, std::mem::take(&mut buffers.sums));
        for second in &self.seconds {
            let interval = second.interval(fold.start(), latency, buffers)?;
            fold.add(&interval);
        }
        let (slice, sums) = fold.finish(end);
        buffers.sums = sums;
        Ok(Some(slice))
    }
}

impl SecondEntry {
    pub(super) fn has_histograms(&self, length: u64) -> bool {
        self.hlogs().all(|range| range.is_within(length))
    }

    pub(super) fn histograms_end(&self) -> u64 {
        let ends = self
            .hlogs()
            .map(|range| range.offset.saturating_add(range.length));
        ends.max().unwrap_or_default()
    }

    pub(super) fn hlogs(&self) -> impl Iterator<Item = ByteRange> {
        let operations = self.operations.iter().map(|line| line.hlog);
        operations.chain(self.line.hlogs())
    }

    pub(super) fn interval(
        &self,
        slice: &SliceStart,
        latency: &Latency,
        buffers: &mut Buffers,
    ) -> Result<Interval, RecordError> {
        self.check_counts(slice, &latency.path)?;
        let mut ops = Vec::with_capacity(slice.operations.len());
        for (line, (name, role)) in self.operations.iter().zip(slice.operations_by_role()) {
            if line.operation != name || line.role != role {
                return Err(latency.damaged(line.hlog, format!("expected operation {name}")));
            }
            let figures = |decoded| op_figures(line, decoded);
            ops.push(latency.decode(line.hlog, buffers, figures)?);
        }
        let setup = match &self.line.setup {
            Some(part) => latency.decode(part.hlog, buffers, |all| setup_figures(part, all))?,
            None => SetupFigures::default(),
        };
        let mut hosts = Vec::with_capacity(slice.hosts.len());
        for (part, name) in self.line.hosts.iter().zip(&slice.hosts) {
            if part.host != *name {
                return Err(latency.damaged(part.hlog, format!("expected host {name}")));
            }
            hosts.push(latency.decode(part.hlog, buffers, |all| host_figures(part, all))?);
        }
        Ok(self.line.interval(ops, setup, hosts))
    }

    /// A second has as many of each as its slice was opened with.
    pub(super) fn check_counts(&self, slice: &SliceStart, path: &Path) -> Result<(), RecordError> {
        let counts = [
            ("operations", self.operations.len(), slice.operations.len()),
            ("hosts", self.line.hosts.len(), slice.hosts.len()),
        ];
        let damaged = |what| RecordError::Damaged {
            path: path.with_file_name(INTERVALS_FILE),
            line: self.number,
            what,
        };
        let second = self.line.second;
        if let Some((what, found, expected)) = counts
            .into_iter()
            .find(|(_, found, expected)| found != expected)
        {
            return Err(damaged(format!(
                "second {second} of slice {} has {found} {what}, not {expected}",
                slice.index
            )));
        }
        let own = (slice.index, slice.target.as_str(), slice.workload.as_str());
        let operations = self.operations.iter();
        let mut lines = operations
            .map(|line| (line.slice, line.target.as_str(), line.workload.as_str()))
            .chain([(
                self.line.slice,
                self.line.target.as_str(),
                self.line.workload.as_str(),
            )]);
        match lines.find(|line| *line != own) {
            None => Ok(()),
            Some((index, target, workload)) => Err(damaged(format!(
                "second {second} is that of slice {index}, {workload} on {target}, not of slice \
                 {}, {} on {}",
                own.0, own.2, own.1
            ))),
        }
    }
}

pub(super) fn op_figures(
    line: &OperationLine,
    mut histograms: hlog::Decoded,
) -> Result<OpFigures, String> {
    let mut figures = line.figures().map_err(unknown_class)?;
    for kind in Kind::ALL {
        histograms.take(kind.name(), line.quantiles(kind), kind.of_mut(&mut figures))?;
    }
    histograms.all_taken()?;
    Ok(figures)
}

pub(super) fn setup_figures(
    part: &SetupPart,
    mut histograms: hlog::Decoded,
) -> Result<SetupFigures, String> {
    let mut figures = SetupFigures::default();
    for step in Step::ALL {
        histograms.take(step.name(), part.quantiles(step), step.of_mut(&mut figures))?;
    }
    histograms.all_taken()?;
    Ok(figures)
}

pub(super) fn host_figures(
    part: &HostPart,
    mut histograms: hlog::Decoded,
) -> Result<HostFigures, String> {
    let mut figures = part.figures().map_err(unknown_class)?;
    histograms.take(Kind::Service.name(), part.service, &mut figures.service)?;
    histograms.all_taken()?;
    Ok(figures)
}

pub(super) fn unknown_class(class: String) -> String {
    format!("unknown error class `{class}`")
}

impl SecondLine {
    pub(super) fn key(&self) -> (u64, bool) {
        (self.second, self.drain)
    }
}
