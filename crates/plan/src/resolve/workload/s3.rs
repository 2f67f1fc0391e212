//! S3 operations.

use std::net::Ipv4Addr;

use super::super::Desk;
use crate::draft::WorkloadDraft;
use crate::model::{S3Operation, S3Work};
use crate::names::{Payload, Style};
use crate::problem::Place;
use crate::scalar::Scalar;
use crate::size::Size;

const DEFAULT_BUCKET: &str = "tenbin-bench";
const DEFAULT_SIZE: u64 = 1 << 20;
/// The most that one PutObject takes.
const LARGEST: u64 = 5 << 30;
/// So much data is small enough for a cache and a try-out, so many objects are
/// enough not to measure one.
const DEFAULT_DATA: u64 = 256 << 20;
const FEWEST_DEFAULT_OBJECTS: u64 = 16;
const MOST_DEFAULT_OBJECTS: u64 = 10_000;

pub(super) fn default_name(work: &S3Work) -> String {
    format!("{}-{}", work.operation.name(), Size(work.size))
}

pub(super) fn resolve(desk: &mut Desk<'_>, draft: &WorkloadDraft, place: Place) -> Option<S3Work> {
    if draft.operation.is_none() {
        desk.refuse(
            place,
            "an S3 workload needs its operation: \"put\", \"get\" or \"delete\"",
        );
    }
    let operation: Option<S3Operation> = desk.choice("operation", &draft.operation);
    let size = desk.read("size", &draft.size, size).unwrap_or(DEFAULT_SIZE);
    let bucket = desk
        .read("bucket", &draft.bucket, bucket)
        .unwrap_or_else(|| DEFAULT_BUCKET.to_owned());
    let objects = desk
        .read("objects", &draft.objects, |scalar| {
            scalar.whole(1, u64::MAX)
        })
        .unwrap_or_else(|| default_objects(size));
    let style = desk.choice("style", &draft.style).unwrap_or(Style::Path);
    let payload = desk
        .choice("payload", &draft.payload)
        .unwrap_or(Payload::Signed);
    let verify = desk.read("verify", &draft.verify, Scalar::switch);
    let operation = operation?;
    if let (Some(true), false) = (verify, operation == S3Operation::Get) {
        let place = draft.verify.as_ref().map_or(place, |verify| verify.place);
        desk.wrong(
            place,
            "verify",
            format!(
                "only \"get\" returns content to verify; this is {:?}",
                operation.name()
            ),
        );
    }
    Some(S3Work {
        operation,
        size,
        bucket,
        objects,
        virtual_host: style == Style::Virtual,
        signed_payload: payload == Payload::Signed,
        verify: verify.unwrap_or(operation == S3Operation::Get),
    })
}

fn size(scalar: &Scalar) -> Result<u64, String> {
    let size = scalar.size()?;
    if size > LARGEST {
        return Err(format!(
            "{} is more than one PUT can carry; the most is {}",
            Size(size),
            Size(LARGEST)
        ));
    }
    Ok(size)
}

fn default_objects(size: u64) -> u64 {
    DEFAULT_DATA
        .checked_div(size)
        .unwrap_or(MOST_DEFAULT_OBJECTS)
        .clamp(FEWEST_DEFAULT_OBJECTS, MOST_DEFAULT_OBJECTS)
}

/// The rules for general purpose buckets in the Amazon S3 user guide.
fn bucket(scalar: &Scalar) -> Result<String, String> {
    let bucket = scalar.text()?;
    let refuse = |why: &str| {
        Err(format!(
            "{bucket:?} is not a bucket name: {why}; write for example {DEFAULT_BUCKET:?}"
        ))
    };
    if !(3..=63).contains(&bucket.len()) {
        return refuse("it has 3 to 63 characters");
    }
    let alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    if !bucket
        .chars()
        .all(|c| alphanumeric(c) || c == '-' || c == '.')
    {
        return refuse("it is made of lower-case letters, digits, '-' and '.'");
    }
    if !bucket.starts_with(alphanumeric) || !bucket.ends_with(alphanumeric) {
        return refuse("it begins and ends with a letter or a digit");
    }
    if bucket.contains("..") {
        return refuse("it has no two dots in a row");
    }
    if bucket.parse::<Ipv4Addr>().is_ok() {
        return refuse("it does not look like an IP address");
    }
    if ["xn--", "sthree-", "amzn-s3-demo-"]
        .iter()
        .any(|prefix| bucket.starts_with(prefix))
    {
        return refuse("xn--, sthree- and amzn-s3-demo- are reserved beginnings");
    }
    if ["-s3alias", "--ol-s3", ".mrap", "--x-s3"]
        .iter()
        .any(|suffix| bucket.ends_with(suffix))
    {
        return refuse("-s3alias, --ol-s3, .mrap and --x-s3 are reserved endings");
    }
    Ok(bucket.to_owned())
}
