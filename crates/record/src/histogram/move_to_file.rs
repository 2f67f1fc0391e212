//! Moves histograms of complete slices from memory to a file.

use tenbin_engine::Timed;

use crate::histogram::packed::PackedHistogram;
use crate::histogram::store::Store;
use crate::slice::Slice;

/// Moves histograms of slices to the file of `store`, once the memory limit is reached.
pub(crate) fn move_histograms(slices: &mut [Slice], store: &mut Store) {
    let mut all = Vec::new();
    for slice in &mut *slices {
        let closed_loop = slice.closed_loop;
        for op in &mut slice.ops {
            for (timed, times) in Timed::ALL.into_iter().zip(op.times.as_mut().into_array()) {
                // In a closed loop, `response` and `service` share a histogram and must keep
                // sharing it.
                all.extend((timed != Timed::Response || !closed_loop).then_some(times));
            }
        }
        all.extend(slice.setup.as_mut().into_array());
        all.extend(slice.hosts.iter_mut().map(|host| &mut host.service));
        all.extend(slice.agents.iter_mut().map(|agent| &mut agent.times));
    }
    move_out(all, store);
    for slice in slices.iter_mut().filter(|slice| slice.closed_loop) {
        for op in &mut slice.ops {
            op.times.response = op.times.service.clone();
        }
    }
}

/// Moves the histograms that exceed the memory limit to the file, with a single write.
pub(crate) fn move_out(mut histograms: Vec<&mut PackedHistogram>, store: &mut Store) {
    let mut bytes = Vec::new();
    histograms.retain(|histogram| match histogram.in_memory() {
        Some(counts) if store.has_no_room(counts.len()) => {
            bytes.extend_from_slice(counts);
            true
        }
        _ => false,
    });
    if bytes.is_empty() {
        return;
    }
    let Some(mut stored) = store.write(&bytes) else {
        return;
    };
    for histogram in histograms {
        histogram.move_to(&mut stored);
    }
}
