//! Histograms of `latency.hlog`. This module uses no code of Tenbin, so that a bug in Tenbin's reader
//! cannot hide a bug in Tenbin's writer.

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;

/// The sum of all histograms of this kind, nanoseconds.
pub(crate) fn histogram(hlog: &str, kind: &str) -> Result<Histogram<u64>> {
    let ending = format!("/{kind}");
    let mut all = Histogram::new_with_bounds(1, 3_600_000_000_000, 3)?;
    for line in hlog.lines() {
        let mut fields = line.split(',');
        if fields.next().is_some_and(|tag| tag.ends_with(&ending)) {
            let bytes = BASE64_STANDARD.decode(fields.next_back().context("no histogram")?)?;
            all.add(&Deserializer::new().deserialize::<u64, _>(&mut &bytes[..])?)?;
        }
    }
    Ok(all)
}
