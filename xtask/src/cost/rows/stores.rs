//! Rows without a server: the null workload and blobs.

use super::{Method, Reading, Row};
use crate::cost::contender::Stable;
use crate::cost::figure::Figure;
use crate::cost::goal::Goal;
use crate::cost::server::Kind;

pub(super) fn rows(stable: &Stable<'_>) -> Vec<Row> {
    vec![null(stable), files(stable), dummy(stable)]
}

fn null(stable: &Stable<'_>) -> Row {
    Row {
        name: "null workload",
        server: Kind::None,
        method: Method::Whole,
        core_awake: false,
        contenders: vec![
            stable.null("1 thread", "0", 64, None),
            stable.null("2 threads", "0,1", 128, None),
        ],
        readings: vec![
            // CPU time does not depend on other programs that use the core of the thread.
            Reading {
                figure: Figure::MillionsPerCpuSecond,
                goals: vec![Goal::AtLeast("1 thread", 25.0)],
            },
            // Only wall time includes the time in which threads wait for each other.
            Reading {
                figure: Figure::MillionsPerSecond,
                goals: vec![Goal::AtLeastTimes("2 threads", 1.9, "1 thread")],
            },
        ],
    }
}

/// Blobs in files: the cost beyond the system calls is Tenbin's work, which is generating,
/// comparing, timing and recording.
fn files(stable: &Stable<'_>) -> Row {
    Row {
        name: "blobs of 10 KiB in files: put, get, delete",
        server: Kind::None,
        method: Method::Beyond,
        core_awake: false,
        contenders: vec![stable.files(10 << 10), stable.bare_files(10 << 10)],
        readings: vec![Reading {
            figure: Figure::MicrosPerOperation,
            goals: vec![Goal::AtMostTimes("tenbin", 1.1, "bare loop")],
        }],
    }
}

/// A blobstore-bench command line with the dummy store; blobstore-bench itself reached 5.8 million
/// operations per second.
fn dummy(stable: &Stable<'_>) -> Row {
    Row {
        name: "blobstore-bench -b dummy, 2 threads",
        server: Kind::None,
        method: Method::Whole,
        core_awake: false,
        contenders: vec![
            stable.dummy("put", "p", 1),
            stable.dummy("put, get, delete", "pgd", 1),
        ],
        readings: vec![Reading {
            figure: Figure::MillionsPerSecond,
            goals: vec![
                Goal::AtLeast("put", 40.0),
                Goal::AtLeast("put, get, delete", 40.0),
            ],
        }],
    }
}
