//! The parsed lines of a slice, and the figures computed from them.

use tenbin_engine::{SetupStep, Timed, Times};
use tenbin_plan::sentence;

use super::Source;
use super::buffers::Buffers;
use super::latency::Latency;
use super::run_files::RunFiles;
use crate::error::RecordError;
use crate::files::lines::{ByteRange, OperationLine, Quantiles, SecondLine, TotalsPart};
use crate::files::names::INTERVALS_FILE;
use crate::files::slice_histograms::Counts;
use crate::histogram::packed::PackedHistogram;
use crate::seconds::second::Interval;
use crate::slice::from_seconds::SliceFold;
use crate::slice::{AgentUse, OpFigures, SetupFigures, Slice, SliceEnd, SliceStart};
use std::path::Path;

/// The figures of a slice; `None` for a slice without valid seconds.
pub(super) type Folded = Result<Option<Slice>, RecordError>;

#[derive(Debug)]
pub(super) struct SliceEntry {
    pub(super) start: SliceStart,
    pub(super) seconds: Vec<SecondEntry>,
    pub(super) end: Option<(SliceEnd, Vec<AgentUse>)>,
    pub(super) totals: Option<TotalsPart>,
}

#[derive(Debug)]
pub(super) struct SecondEntry {
    /// Number of the `second` line in `intervals.jsonl`, from 1.
    pub(super) number: u64,
    pub(super) operations: Vec<OperationLine>,
    pub(super) line: SecondLine,
}

impl SliceEntry {
    /// Ends the slice at the last second that every thread has reported, because later seconds lack
    /// operations. The target's resource use up to the new end is unknown.
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
        self.end = last.map(|second| second.line.end_ns).max().map(|end| {
            let end = SliceEnd {
                seconds: end as f64 / 1e9,
                cut_short: true,
                ..SliceEnd::default()
            };
            (end, Vec::new())
        });
    }

    pub(super) fn last_second_of(&self, thread: usize) -> Option<(u64, bool)> {
        self.seconds
            .iter()
            .filter(|second| second.line.threads.iter().any(|t| t.thread == thread))
            .map(|second| second.line.key())
            .max()
    }

    pub(super) fn fold(self, files: &RunFiles, buffers: &mut Buffers) -> Folded {
        let Some(end) = self.end else {
            return Ok(None);
        };
        let index = self.start.head.index;
        let mut fold = SliceFold::new(self.start, std::mem::take(&mut buffers.sums));
        let part = self.totals.filter(|_| !fold.start().is_by_second());
        let totals = match &part {
            Some(part) => {
                let counts = counts_of(&self.seconds, fold.start());
                let bytes = &mut buffers.bytes;
                files.totals.read(index, part, &counts, bytes)?
            }
            None => None,
        };
        let (from_slice, of_agents) = match files.source {
            Source::Slices => (totals, None),
            // The seconds are merged over the agents.
            Source::Seconds => (None, totals.map(|totals| totals.agents)),
        };
        if from_slice.is_some() {
            // If the slice's histograms are known, the histograms of the seconds are only checked,
            // not decoded.
            let ranges = self.seconds.iter().flat_map(SecondEntry::hlogs);
            files.latency.check_all(ranges, &mut buffers.bytes)?;
        }
        for second in &self.seconds {
            let mut interval = second.interval(fold.start(), &files.latency)?;
            if from_slice.is_none() {
                second.add_histograms(&mut interval, &mut fold, &files.latency, buffers)?;
            }
            fold.add(&interval);
        }
        let mut totals = from_slice.unwrap_or_else(|| fold.take_totals());
        if let Some(agents) = of_agents {
            totals.agents = agents;
        }
        if let Some(part) = part.filter(|_| files.source == Source::Seconds)
            && !part.is_same(&totals.write(&mut Vec::new(), part.range.offset))
        {
            files.totals.note(index);
        }
        let (slice, sums) = fold.finish(end, totals);
        buffers.sums = sums;
        Ok(Some(slice))
    }
}

/// Number of values in each histogram of the slice, summed over the lines of its seconds.
fn counts_of(seconds: &[SecondEntry], slice: &SliceStart) -> Counts {
    let mut counts = Counts::new(slice.operations.len(), slice.hosts.len());
    for second in seconds {
        for (line, counts) in second.operations.iter().zip(&mut counts.ops) {
            counts.as_mut().zip(line.figures.times).map(add_count);
        }
        if let Some(part) = &second.line.setup {
            counts.setup.as_mut().zip(part.steps).map(add_count);
        }
        for (part, count) in second.line.hosts.iter().zip(&mut counts.hosts) {
            add_count((count, part.figures.service));
        }
    }
    counts
}

fn add_count((sum, part): (&mut u64, Option<Quantiles>)) {
    *sum = sum.saturating_add(part.map_or(0, |part| part.count));
}

impl SecondEntry {
    pub(super) fn has_histograms(&self, length: u64) -> bool {
        self.hlogs().all(|range| range.is_within(length))
    }

    pub(super) fn histograms_end(&self) -> u64 {
        self.hlogs().map(ByteRange::end).max().unwrap_or_default()
    }

    pub(super) fn hlogs(&self) -> impl Iterator<Item = ByteRange> {
        let operations = self.operations.iter().map(|line| line.hlog);
        operations.chain(self.line.hlogs())
    }

    /// The figures of the second, without histograms.
    fn interval(&self, slice: &SliceStart, latency: &Latency) -> Result<Interval, RecordError> {
        self.check_counts(slice, &latency.path)?;
        let mut ops: Vec<OpFigures> = Vec::with_capacity(slice.operations.len());
        for (line, (name, role)) in self.operations.iter().zip(slice.operations_by_role()) {
            if line.figures.name != name || line.figures.role != role {
                let why = sentence!("journal-operation", "expected operation {name}", name);
                return Err(latency.damaged(line.hlog, why));
            }
            ops.push(line.figures.clone().with_times(Times::default()));
        }
        let mut hosts = Vec::with_capacity(slice.hosts.len());
        for (part, name) in self.line.hosts.iter().zip(&slice.hosts) {
            if part.figures.name != *name {
                let why = sentence!("journal-host", "expected host {name}", name);
                return Err(latency.damaged(part.hlog, why));
            }
            hosts.push(part.figures.clone().with_service(PackedHistogram::new()));
        }
        Ok(self.line.interval(ops, SetupFigures::default(), hosts))
    }

    /// Decodes the second's histograms and adds their counts directly to the slice's histograms.
    /// Creating a histogram per second would take longer than the rest of the reading. Only the
    /// operations of a probe or a stretch get a histogram per second, because its results need them.
    fn add_histograms(
        &self,
        interval: &mut Interval,
        fold: &mut SliceFold,
        latency: &Latency,
        buffers: &mut Buffers,
    ) -> Result<(), RecordError> {
        let is_probe = fold.start().is_by_second();
        let sums = fold.sums();
        for (at, (line, figures)) in self.operations.iter().zip(&mut interval.ops).enumerate() {
            let promised = Timed::ALL.map(|timed| (timed.name(), line.figures.times[timed]));
            latency.decode(line.hlog, buffers, promised, |place, counts| {
                let timed = Timed::ALL[place];
                if !is_probe {
                    return sums.ops[at][timed].add_encoded(counts);
                }
                let times = PackedHistogram::decode(counts)?;
                let count = times.len();
                figures.times[timed] = times;
                Ok(count)
            })?;
        }
        if let Some(part) = &self.line.setup {
            let promised = SetupStep::ALL.map(|step| (step.name(), part.steps[step]));
            let take =
                |place: usize, counts: &[u8]| sums.setup[SetupStep::ALL[place]].add_encoded(counts);
            latency.decode(part.hlog, buffers, promised, take)?;
        }
        for (part, sum) in self.line.hosts.iter().zip(&mut sums.hosts) {
            let promised = [(Timed::Service.name(), part.figures.service)];
            latency.decode(part.hlog, buffers, promised, |_, counts| {
                sum.add_encoded(counts)
            })?;
        }
        Ok(())
    }

    /// Checks that the second belongs to `slice` and has the slice's number of operations and
    /// hosts.
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
        let (second, head) = (self.line.second, &slice.head);
        if let Some((what, found, expected)) = counts
            .into_iter()
            .find(|(_, found, expected)| found != expected)
        {
            return Err(damaged(sentence!(
                "second-counts",
                "second {second} of slice {slice} has {found} {what}, not {expected}",
                second,
                slice = head.index,
                found,
                what,
                expected
            )));
        }
        let own = (head.index, head.target.as_str(), head.workload.as_str());
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
            Some((index, target, workload)) => Err(damaged(sentence!(
                "second-of-other-slice",
                "second {second} belongs to slice {index}, {workload} on {target}, not to slice \
                 {slice}, {own_workload} on {own_target}",
                second,
                index,
                workload,
                target,
                slice = own.0,
                own_workload = own.2,
                own_target = own.1
            ))),
        }
    }
}

impl SecondLine {
    pub(super) fn key(&self) -> (u64, bool) {
        (self.second, self.drain)
    }
}
