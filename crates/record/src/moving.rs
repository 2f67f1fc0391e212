//! Moves histograms of complete slices from memory to a file.

use crate::packed::PackedHistogram;
use crate::slice::Slice;
use crate::store::Store;

/// Moves histograms of slices to the file of `store`, once the memory limit is reached.
pub(crate) fn move_histograms(slices: &mut [Slice], store: &mut Store) {
    let mut all = Vec::new();
    for slice in &mut *slices {
        let closed_loop = slice.closed_loop;
        for op in &mut slice.ops {
            all.extend([
                &mut op.service,
                &mut op.lag,
                &mut op.first_byte,
                &mut op.failed,
            ]);
            // In a closed loop, `response` and `service` share a histogram and must keep sharing
            // it.
            all.extend((!closed_loop).then_some(&mut op.response));
        }
        let setup = &mut slice.setup;
        all.extend([&mut setup.connect, &mut setup.tls, &mut setup.first_byte]);
        all.extend([&mut setup.response, &mut setup.total]);
        all.extend(slice.hosts.iter_mut().map(|host| &mut host.service));
        all.extend(slice.agents.iter_mut().map(|agent| &mut agent.times));
    }
    move_out(all, store);
    for slice in slices.iter_mut().filter(|slice| slice.closed_loop) {
        for op in &mut slice.ops {
            op.response = op.service.clone();
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
        let length = histogram.in_memory().map_or(0, <[u8]>::len);
        histogram.move_to(stored.split_off_first(length));
    }
}
