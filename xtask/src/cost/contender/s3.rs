//! S3 operations by tenbin, warp and a loop around its client library.

use super::{Contender, Scene, Stable, host, peer, read};
use crate::cost::rival;

impl Stable<'_> {
    /// S3 operations by tenbin: `what` is a subcommand with its flags.
    pub(crate) fn s3(&self, name: &'static str, what: &'static str) -> Contender {
        self.tenbin_with(name, &format!("s3 {what}"))
    }

    /// A minimal loop around warp's client library. `what` is the operation on objects of `size`
    /// bytes, for 16 objects on 8 connections.
    pub(crate) fn minio_go_loop(&self, what: &'static str, size: u64) -> Contender {
        let program = Ok(self.built.join(rival::PROGRAM));
        let arguments = move |scene: &Scene<'_>| {
            let (host, seconds) = (host(scene.url), scene.seconds);
            Ok(format!("{what} {host} {size} 16 8 {seconds}"))
        };
        Contender {
            make: Some(rival::build),
            ..Contender::new(rival::NAME, program, arguments, read::number)
        }
    }
}

/// warp: `what` is a subcommand with its flags. Over plain HTTP, warp uses S3's streaming signature
/// by default, which computes SHA-256 of every 64 KiB while sending. Tenbin hashes each body once
/// before the run. Both sign all bytes of the body.
pub(crate) fn warp(what: &'static str) -> Contender {
    peer(
        "warp",
        "`go install github.com/minio/warp@latest`, and zstd from Debian",
        |_| read::warp(),
        move |scene| {
            let (host, seconds) = (host(scene.url), scene.seconds);
            let result = read::WARP_RESULT;
            format!(
                "{what} --host {host} --duration {seconds}s --bucket tenbin-cost-warp \
                 --no-color --benchdata {result}"
            )
        },
    )
}
