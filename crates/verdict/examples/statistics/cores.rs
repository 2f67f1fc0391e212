//! Independent simulations on all cores.

use std::num::NonZeroUsize;
use std::thread;

/// `simulate` of every number below `count`, in order. Each core has a contiguous part.
pub(crate) fn on_all_cores<T: Send>(count: u32, simulate: impl Fn(u32) -> T + Sync) -> Vec<T> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get) as u32;
    let each = count.div_ceil(cores).max(1);
    let simulate = &simulate;
    thread::scope(|scope| {
        let parts: Vec<_> = (0..count)
            .step_by(each as usize)
            .map(|first| {
                let last = count.min(first + each);
                scope.spawn(move || (first..last).map(simulate).collect::<Vec<T>>())
            })
            .collect();
        let results = parts.into_iter();
        results
            .flat_map(|part| part.join().expect("a simulation ends"))
            .collect()
    })
}
