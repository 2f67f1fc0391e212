//! The global allocator, with counters of allocations: that of the system, or mimalloc in static binaries,
//! because that of musl takes one lock for all threads.
//!
//! Every thread has separate counters, so that counting costs only a few additions. Shared counters
//! would slow down the built-in servers, which run in the same process. The hot path of the
//! load generator allocates nothing.

#[cfg(not(target_env = "musl"))]
use std::alloc::System as Inner;
use std::sync::{LazyLock, Mutex};

use alloc_tracker::{Allocator, Operation, ProcessSpan, Session};
#[cfg(target_env = "musl")]
use mimalloc::MiMalloc as Inner;
use tenbin_record::Allocated;

#[global_allocator]
static ALLOCATOR: Allocator<Inner> = Allocator::new(Inner);

/// Name of the counter in the `alloc_tracker` session; never printed.
const NAME: &str = "tenbin";

static METER: LazyLock<Mutex<Meter>> = LazyLock::new(|| Mutex::new(Meter::new()));

/// The allocations of the process, as the sum of consecutive `alloc_tracker` spans.
struct Meter {
    session: Session,
    operation: Operation,
    span: Option<ProcessSpan>,
}

impl Meter {
    fn new() -> Self {
        let session = Session::new().no_stdout().no_file();
        let operation = session.operation(NAME);
        let span = Some(operation.measure_process().iterations(1));
        Self {
            session,
            operation,
            span,
        }
    }

    fn total(&mut self) -> Option<Allocated> {
        // Only ended spans are counted: end the current span and start the next.
        self.span = None;
        self.span = Some(self.operation.measure_process().iterations(1));
        let report = self.session.to_report();
        let (_, all) = report.operations().find(|(name, _)| *name == NAME)?;
        Some(Allocated {
            bytes: all.total_bytes_allocated(),
            count: all.total_allocations_count(),
        })
    }
}

/// The allocations of this process since the first call; `None` if the counters are unavailable.
pub(crate) fn allocated() -> Option<Allocated> {
    METER.lock().ok()?.total()
}

#[cfg(test)]
mod tests {
    use super::allocated;

    #[test]
    fn what_any_thread_allocates_is_counted() {
        let before = allocated().unwrap();
        let thread = std::thread::spawn(|| std::hint::black_box(vec![1_u8; 1 << 20]).len());
        assert_eq!(thread.join().unwrap(), 1 << 20);
        let taken = allocated().unwrap().since(before);
        assert!(taken.bytes >= 1 << 20, "{taken:?}");
        assert!(taken.bytes < 1 << 24, "{taken:?}");
        assert!(taken.count >= 1, "{taken:?}");
        let again = allocated().unwrap();
        assert!(again.bytes >= before.bytes + (1 << 20), "it only grows");
    }
}
