//! Work without a server: the null workload and blobs.

use super::{Contender, SOME_SLICES, Scene, Stable, read};
use crate::cost::server::data_root;

/// Number of files per round. The files fit into memory that the virtual machine already has:
/// obtaining more memory from the host would cost only the first contender.
const FILES: u64 = 60_000;

/// Number of rounds of files per second of a turn.
const ROUNDS_OF_FILES_A_SECOND: u64 = 1;

impl Stable<'_> {
    /// The null workload, for the duration of a turn or for a number of operations.
    pub(crate) fn null(
        &self,
        name: &'static str,
        cores: &'static str,
        connections: usize,
        operations: Option<u64>,
    ) -> Contender {
        let threads = cores.split(',').count();
        let program = Ok(self.built.join("examples/null"));
        let arguments = move |scene: &Scene<'_>| {
            Ok(match operations {
                Some(count) => format!("{threads} {connections} 600 {count}"),
                None => format!("{threads} {connections} {}", scene.seconds),
            })
        };
        Contender {
            cores,
            ..Contender::new(name, program, arguments, read::null)
        }
    }

    /// A typical blobstore-bench command line with the dummy store, on both cores. Every mode of
    /// `modes` runs for `times` times the length of a turn.
    pub(crate) fn dummy(&self, name: &'static str, modes: &'static str, times: u64) -> Contender {
        Contender {
            name,
            cores: "0,1",
            read: read::blobstore_bench,
            ..self.tenbin(move |scene| {
                let seconds = scene.seconds * times;
                Ok(format!(
                    "blobstore-bench -b dummy -d {seconds} -m {modes} -pr cost -s 10Ki -t 2"
                ))
            })
        }
    }

    /// Put, get and delete of blobs of `size` bytes in files, by tenbin.
    pub(crate) fn files(&self, size: u64) -> Contender {
        let tenbin = self.tenbin(move |scene| {
            let rounds = scene.seconds * ROUNDS_OF_FILES_A_SECOND;
            Ok(format!(
                "blob --target s=file://{} --phases pgd --size {size} --objects {FILES} \
                 --rounds {rounds} --connections 1 --slice 10m {SOME_SLICES}",
                data_root().join("tenbin-cost-files").display()
            ))
        });
        Contender {
            read: read::all_of_tenbin,
            ..tenbin
        }
    }

    /// The operations of [`Stable::files`] by the loop [`bare_files`](crate::cost::bare_files).
    pub(crate) fn bare_files(&self, size: u64) -> Contender {
        self.xtask("bare loop", move |scene| {
            let rounds = scene.seconds * ROUNDS_OF_FILES_A_SECOND;
            Ok(format!(
                "bare-files {} {rounds} {FILES} {size}",
                data_root().join("tenbin-cost-files").display()
            ))
        })
    }
}
