//! The keys of blob workloads.

use std::path::PathBuf;
use std::time::Duration;

use super::{BlobHash, LARGEST_PUT, MOST_LOCATIONS, MOST_POLL_CONNECTIONS, Phase};
use crate::bucket;
use crate::choose::{ByteRange, Choose};
use crate::keys::form::{Kind, NAME, SIZES};
use crate::keys::page::{self, Page};
use crate::keys::row::{self, Flag, Takes, switch, text, time, whole};
use crate::keys::scalar::{List, Scalar};
use crate::keys::section::section;
use crate::naming;
use crate::rng::name_number;
use crate::units::size::Size;
use crate::units::sizes::Sizes;
use crate::{Sentence, sentence};

/// Maximum number of blobs: a key has twelve digits for the number of a blob.
const MOST_BLOBS: u64 = 999_999_999_999;

section! {
    /// The keys of a workload of kind `blob`.
    pub struct BlobDraft("in [[workload]]", "a table such as [[workload]]") {
        /// phases in order, one workload each: `"pgd"` puts, gets and deletes; or a mix of operations
        /// that are sent at the same time, by shares
        operation: Scalar, shown operation = text("`\"pgd\"`, one of `\"put\"`, `\"get\"`, `\"delete\"`, or a mix `\"put:20,get:75,delete:5\"`")
            .default_rule("required")
            .synonyms(&["op", "mix", "phases"])
            .flag(
                Flag::text(
                    "--phases",
                    "PHASES",
                    "Phases of a round, in this order: p put, g get, d delete, for example pgd or \
                     pggg; --rounds sets the number of repetitions. Or a mix of operations at the \
                     same time, by shares: put:20,get:75,delete:5",
                )
                .default("pgd"),
            );
        /// size of a blob, in the same notation as for S3; above 1 GiB only with the protocol of
        /// CubeFS's blobstore, which refuses empty blobs
        size: Scalar, shown size = text("0 bytes to 5 GiB")
            .kinds(SIZES)
            .default("1MiB")
            .flag(Flag::text(
                "--size",
                "SIZE",
                "Size of a blob, for example 10KiB or 1MB; any between two: 1KiB..1MiB; several \
                 with shares: 1KiB:60,1MiB:40",
            ));
        /// maximum number of blobs per slice; for a mix, the number of blobs that are stored before the
        /// run and that GET reads
        objects: Scalar => Option<u64> = whole(1, MOST_BLOBS)
            .default_rule("as many as the time allows; 1,000 for a mix")
            .flag(
                Flag::whole(
                    "--objects",
                    "N",
                    "Maximum number of blobs per phase; for a mix, blobs stored before the run, \
                     which GET reads",
                )
                .default("as many as its time allows; 1,000 for a mix"),
            );
        /// name of the set of blobs, used as the name of the file in `locations` and in the keys of
        /// the blobs
        prefix: Scalar => Option<String>, read prefix = text("name")
            .kinds(NAME)
            .default_rule("with `locations`: `blobs`; otherwise a name derived from the seed")
            .flag(
                Flag::text(
                    "--prefix",
                    "NAME",
                    "Name of the set of blobs, used in the files of --locations and in keys",
                )
                .default("blobs among locations, else the run's own"),
            );
        /// directory in which the locations of blobs (what a PUT returns and a GET requires) are
        /// kept after the run. If this key is set, the default seed is 1
        locations: Scalar => Option<PathBuf> = text("path").default_rule("in memory").flag(
            Flag::text(
                "--locations",
                "DIR",
                "Keep locations in this directory, so that a later run finds the blobs; then only \
                 phase d deletes blobs",
            )
            .default("in memory; remaining blobs are deleted at the end"),
        );
        /// bucket on an S3 store, created if missing
        bucket: Scalar => String, read bucket::read = text("name").default("tenbin-bench").changes_only().flag(Flag::text(
            "--bucket",
            "NAME",
            "Bucket on S3 stores, created if missing",
        ));
        /// compare every byte read with the content written
        verify: Scalar => bool = switch().default("true").changes_only().flag(Flag::of(
            "--no-verify",
            Takes::Switches(false),
            "Do not compare the content that is read with the content that was put",
        ));
        /// checksums that the server computes for each upload and that Tenbin compares with the
        /// content sent
        hashes: List => Vec<BlobHash> = text("list of `\"crc32\"`, `\"md5\"`, `\"sha1\"`, `\"sha256\"`")
            .kinds(&[Kind::Names(&["crc32", "md5", "sha1", "sha256"])])
            .flag(
            Flag::of(
                "--hashes",
                Takes::Commas("NAMES"),
                "Checksums that the server computes, to be compared, separated by commas: crc32, \
                 md5, sha1, sha256",
            ),
        );
        /// byte range to read
        range: Scalar => Option<ByteRange> = text("`\"random:64KiB\"` or `\"0-1023\"`")
            .default_rule("the whole blob")
            .flag(Flag::text(
                "--range",
                "RANGE",
                "Part of a blob that g reads: random:64KiB or 0-1023",
            ));
        /// how often a slice reads a blob: `"sequential"` reads all blobs in order, and then from
        /// the start again
        choose: Scalar => Choose, read choose = text("`\"once\"`, `\"sequential\"`").kinds(&[Kind::Names(&["once", "sequential"])]).default("once").changes_only().flag(Flag::text(
            "--choose",
            "HOW",
            "How often g reads each blob: once, or sequential (again and again until the time is \
             over)",
        ));
        /// blobs per delete request
        batch: Scalar => u32 = whole(1, MOST_LOCATIONS as u64).default("1").changes_only().flag(Flag::whole(
            "--batch",
            "N",
            "Blobs per delete request, up to 1024",
        ));
        /// with the protocol of CubeFS's blobstore: size above which a blob is stored in pieces, at
        /// most 1 GiB
        alloc_above: Scalar => u64, read alloc_above = row::size().default("256MiB").changes_only().flag(Flag::text(
            "--alloc-above",
            "SIZE",
            "Size above which blobs are stored in pieces (/alloc, /putat, /sign); at most 1GiB",
        ));
        /// send content in blocks of 64 KiB, each with its CRC-32, which CubeFS's access layer
        /// checks
        crc_framed: Scalar => bool = switch().default("false").changes_only().flag(Flag::of(
            "--crc-framed",
            Takes::Switches(true),
            "Send content in blocks of 64 KiB, each with its CRC-32, which the access layer checks",
        ));
        /// read deleted blobs until they are gone, and report how long that takes
        until_gone: Scalar => bool = switch().default("false").changes_only().flag(Flag::of(
            "--until-gone",
            Takes::Switches(true),
            "Read deleted blobs until they are gone, and report how long that takes",
        ));
        /// with `until_gone`: how long a deleted blob may still be readable; longer is a failure
        gone_within: Scalar => Duration, read not_nothing = time().default("1m").changes_only().flag(Flag::text(
            "--gone-within",
            "TIME",
            "With --until-gone: longest time until a blob is gone; longer is a failure",
        ));
        /// with `until_gone`: the longest pause between two polls of a blob
        poll_interval: Scalar => Duration, read not_nothing = time().default("100ms").changes_only().flag(Flag::text(
            "--poll-interval",
            "TIME",
            "With --until-gone: longest pause between two polls of a blob; the pause is an eighth \
             of the time since its deletion, and 1ms at least",
        ));
        /// with `until_gone`: connections for polling, in addition to those of the load; also the
        /// maximum number of blobs polled at the same time
        poll_connections: Scalar => usize = whole(1, MOST_POLL_CONNECTIONS).default("16").changes_only().flag(
            Flag::whole(
                "--poll-connections",
                "N",
                "With --until-gone: connections for polling deleted blobs, in addition to \
                 --connections; as many blobs are polled at once",
            ),
        );
        /// maximum number of failures on a target; a larger number ends the run
        errors: Scalar => Option<u64> = whole(0, u64::MAX).default_rule("unlimited").flag(
            Flag::whole("--errors", "N", "Largest number of failures; one more ends the run")
                .default("no limit"),
        );
    }
    stored {
        /// One phase of a blob workload. Phases with the same locations and prefix use the same
        /// blobs: one phase reads or deletes the blobs that an earlier phase stored.
        #[derive(Debug, Clone, PartialEq)]
        pub struct BlobWork {
            /// The phase.
            pub phase: Phase = Phase::Put,
            /// Sizes of the blobs.
            pub sizes: Sizes = Sizes::fixed(DEFAULT_SIZE),
        }
    }
}

/// Default size of a blob, bytes.
const DEFAULT_SIZE: u64 = 1 << 20;

fn operation(work: &BlobWork, page: &mut Page) {
    page.key(&BlobDraft::operation, page::text(work.phase));
}

fn size(work: &BlobWork, page: &mut Page) {
    page.key(&BlobDraft::size, page::text(&work.sizes));
}

fn alloc_above(scalar: &Scalar) -> Result<u64, Sentence> {
    let size = scalar.size()?;
    if (1..=LARGEST_PUT).contains(&size) {
        Ok(size)
    } else {
        Err(sentence!(
            "blob-piece-size",
            "{scalar} is out of range; the size must be 1 byte to {largest_put}, the maximum \
                of one request",
            scalar,
            largest_put = Size(LARGEST_PUT)
        ))
    }
}

fn not_nothing(scalar: &Scalar) -> Result<Duration, Sentence> {
    match scalar.time()? {
        Duration::ZERO => Err(sentence!(
            "time-zero",
            "{scalar} is zero; write for example \"100ms\"",
            scalar
        )),
        time => Ok(time),
    }
}

fn choose(scalar: &Scalar) -> Result<Choose, Sentence> {
    match scalar.parsed::<Choose>()? {
        each @ (Choose::Once | Choose::Sequential) => Ok(each),
        other => Err(sentence!(
            "blob-choice",
            "\"{other}\" is for S3 objects; blobs are read \"once\" or, in order again and \
                again, \"sequential\"",
            other
        )),
    }
}

fn prefix(scalar: &Scalar) -> Result<String, Sentence> {
    let text = scalar.text()?;
    if is_set_name(text) {
        Ok(text.to_owned())
    } else {
        Err(sentence!(
            "blob-name",
            "{text:?} is not a name for blobs: letters, digits, '-', '_' and '.', beginning \
                with a letter or a digit, at most {longest_prefix} of them",
            text,
            longest_prefix = LONGEST_PREFIX
        ))
    }
}

fn is_set_name(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_name = text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(fits);
    is_name && text.len() <= LONGEST_PREFIX
}

const LONGEST_PREFIX: usize = 64;

/// Length of the part of a text that becomes a part of the name of a set.
const FITTING: usize = 40;

/// The name of a set of blobs for any text: the text if it can be a name, otherwise the part of the
/// text that can, with a hash of the text.
pub fn blob_set_name(text: &str) -> String {
    if is_set_name(text) {
        return text.to_owned();
    }
    let hash = format!("{:016x}", name_number(text));
    let fitting: String = naming::from_text(text).chars().take(FITTING).collect();
    match fitting.as_str() {
        "" => hash,
        fitting => format!("{fitting}-{hash}"),
    }
}
