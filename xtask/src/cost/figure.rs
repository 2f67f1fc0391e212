//! The quantities of a turn.

use super::turn::Spent;

/// The quantity that is measured in a turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Figure {
    /// CPU microseconds per operation.
    MicrosPerOperation,
    /// CPU microseconds per operation in user mode, of all threads.
    UserMicrosPerOperation,
    /// CPU microseconds per operation, of the load threads.
    LoadThreadMicrosPerOperation,
    /// CPU microseconds per operation in user mode, of the load threads.
    LoadThreadUserMicrosPerOperation,
    /// CPU milliseconds of the program.
    Milliseconds,
    /// CPU milliseconds of the program without its load threads.
    MillisecondsBesideLoad,
    /// CPU seconds per GiB, for operations with this many bytes each.
    CpuPerGib(u64),
    /// Million operations per second of wall time.
    MillionsPerSecond,
    /// Million operations per CPU second.
    MillionsPerCpuSecond,
    /// Peak resident memory, MiB.
    PeakMib,
    /// Wall time of the work, seconds.
    Seconds,
    /// CPU time ÷ wall time, per cent.
    PercentOfCore,
    /// Like `PercentOfCore`, in the measured window only.
    PercentOfCoreInWindow,
    /// The 99th percentile of the send lag, microseconds.
    LagMicros,
}

impl Figure {
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::MicrosPerOperation => "CPU µs a request",
            Self::UserMicrosPerOperation => "user CPU µs a request",
            Self::LoadThreadMicrosPerOperation => "CPU µs a request of the load threads",
            Self::LoadThreadUserMicrosPerOperation => "user CPU µs a request of the load threads",
            Self::Milliseconds => "CPU ms",
            Self::MillisecondsBesideLoad => "CPU ms outside of load threads",
            Self::CpuPerGib(_) => "CPU s a GiB",
            Self::MillionsPerSecond => "million operations a second",
            Self::MillionsPerCpuSecond => "million operations a CPU second",
            Self::PeakMib => "MiB",
            Self::Seconds => "s",
            Self::PercentOfCore => "% of a core",
            Self::PercentOfCoreInWindow => "% of a core in the window",
            Self::LagMicros => "µs, p99 of the send lag",
        }
    }

    /// The figure of a turn; `None` if the turn has no such figure.
    pub(crate) fn of(self, spent: &Spent) -> Option<f64> {
        let operations = spent.operations as f64;
        Some(match self {
            Self::MicrosPerOperation => spent.cpu_seconds * 1e6 / operations,
            Self::UserMicrosPerOperation => spent.user_seconds * 1e6 / operations,
            Self::LoadThreadMicrosPerOperation => {
                spent.load_threads?.cpu_seconds() * 1e6 / operations
            }
            Self::LoadThreadUserMicrosPerOperation => {
                spent.load_threads?.user_seconds * 1e6 / operations
            }
            Self::Milliseconds => spent.cpu_seconds * 1e3,
            Self::MillisecondsBesideLoad => {
                (spent.cpu_seconds - spent.load_threads?.cpu_seconds()) * 1e3
            }
            Self::CpuPerGib(size) => {
                spent.cpu_seconds / (operations * size as f64 / (1u64 << 30) as f64)
            }
            Self::MillionsPerSecond => operations / 1e6 / spent.wall_seconds,
            Self::MillionsPerCpuSecond => operations / 1e6 / spent.cpu_seconds,
            Self::PeakMib => spent.peak_kib as f64 / 1024.0,
            Self::Seconds => spent.wall_seconds,
            Self::PercentOfCore => 100.0 * spent.cpu_seconds / spent.wall_seconds,
            Self::PercentOfCoreInWindow => 100.0 * spent.share_in_window?,
            Self::LagMicros => spent.lag_p99? * 1e6,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::load_threads::LoadThreads;

    #[test]
    fn figures_are_per_unit_of_work() {
        let spent = Spent {
            cpu_seconds: 0.5,
            user_seconds: 0.25,
            wall_seconds: 2.0,
            operations: 1024,
            peak_kib: 2048,
            ..Spent::default()
        };
        let figure = |figure: Figure| figure.of(&spent).expect("a figure");
        assert_eq!(figure(Figure::CpuPerGib(1 << 20)), 0.5);
        assert_eq!(figure(Figure::MicrosPerOperation), 0.5e6 / 1024.0);
        assert_eq!(figure(Figure::UserMicrosPerOperation), 0.25e6 / 1024.0);
        assert_eq!(figure(Figure::Milliseconds), 500.0);
        assert_eq!(figure(Figure::MillionsPerSecond), 512e-6);
        assert_eq!(figure(Figure::MillionsPerCpuSecond), 2048e-6);
        assert_eq!(figure(Figure::PeakMib), 2.0);
        assert_eq!(figure(Figure::PercentOfCore), 25.0);
    }

    #[test]
    fn some_figures_are_of_some_turns_only() {
        let without = Spent {
            operations: 1000,
            cpu_seconds: 1.0,
            ..Spent::default()
        };
        let spent = Spent {
            load_threads: Some(LoadThreads {
                user_seconds: 0.25,
                system_seconds: 0.5,
            }),
            lag_p99: Some(20e-6),
            share_in_window: Some(0.25),
            ..without
        };
        let figures = [
            (Figure::LoadThreadMicrosPerOperation, 750.0),
            (Figure::LoadThreadUserMicrosPerOperation, 250.0),
            (Figure::MillisecondsBesideLoad, 250.0),
            (Figure::PercentOfCoreInWindow, 25.0),
            (Figure::LagMicros, 20.0),
        ];
        for (figure, value) in figures {
            assert_eq!(figure.of(&spent), Some(value));
            assert_eq!(figure.of(&without), None);
        }
    }
}
