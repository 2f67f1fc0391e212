//! Names of buckets.

use std::net::Ipv4Addr;

use crate::keys::scalar::Scalar;
use crate::{Sentence, sentence};

/// The default bucket name.
pub(crate) const DEFAULT_BUCKET: &str = "tenbin-bench";

/// Reads a bucket name by the rules for general purpose buckets (Amazon S3 user guide).
pub(crate) fn read(scalar: &Scalar) -> Result<String, Sentence> {
    let bucket = scalar.text()?;
    let refuse = |why: Sentence| {
        Err(sentence!(
            "no-bucket-name",
            "{bucket:?} is not a bucket name: {why}; write for example {default_bucket:?}",
            bucket,
            default_bucket = DEFAULT_BUCKET,
            why
        ))
    };
    if !(3..=63).contains(&bucket.len()) {
        return refuse(sentence!("bucket-length", "it has 3 to 63 characters"));
    }
    let alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    if !bucket
        .chars()
        .all(|c| alphanumeric(c) || c == '-' || c == '.')
    {
        return refuse(sentence!(
            "bucket-letters",
            "it is made of lower-case letters, digits, '-' and '.'"
        ));
    }
    if !bucket.starts_with(alphanumeric) || !bucket.ends_with(alphanumeric) {
        return refuse(sentence!(
            "bucket-ends",
            "it begins and ends with a letter or a digit"
        ));
    }
    if bucket.contains("..") {
        return refuse(sentence!("bucket-dots", "it has no two dots in a row"));
    }
    if bucket.parse::<Ipv4Addr>().is_ok() {
        return refuse(sentence!(
            "bucket-address",
            "it does not look like an IP address"
        ));
    }
    if ["xn--", "sthree-", "amzn-s3-demo-"]
        .iter()
        .any(|prefix| bucket.starts_with(prefix))
    {
        return refuse(sentence!(
            "bucket-starts",
            "xn--, sthree- and amzn-s3-demo- are reserved beginnings"
        ));
    }
    // `--x-s3` ends the names of directory buckets (S3 Express One Zone).
    if ["-s3alias", "--ol-s3", ".mrap"]
        .iter()
        .any(|suffix| bucket.ends_with(suffix))
    {
        return refuse(sentence!(
            "bucket-endings",
            "-s3alias, --ol-s3 and .mrap are reserved endings"
        ));
    }
    Ok(bucket.to_owned())
}
