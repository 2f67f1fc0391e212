//! The job of a measuring command of warp.

use std::time::Duration;

use tenbin_plan::{Secret, Sentence, sentence};

use super::command::{self, Operation};
use super::mix::MixedOperation;
use super::sizes::SizePlan;
use super::{hosts, mix, sizes};
use crate::mistakes::{Mistakes, at_least_one};
use crate::parse::{Given, World};

/// Checksum of stored content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Checksum {
    Md5,
    Crc32,
    Crc32c,
    Crc64Nvme,
    Sha1,
    Sha256,
    Sha512,
    XxHash64,
    XxHash3,
    XxHash128,
}

/// Server-side encryption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// With a key managed by the server.
    SseS3,
    /// With a key from the client.
    SseC,
}

/// The token of a web identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebIdentity {
    /// The token itself.
    Token(Secret),
    /// The file that holds it.
    File(String),
}

/// A measurement of warp, with warp's defaults filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct WarpJob {
    /// The operation.
    pub operation: Operation,
    /// Hosts with ports; braces as in `s{1...4}:9000` expand to several hosts.
    pub hosts: Vec<String>,
    /// Whether TLS is used.
    pub tls: bool,
    /// Whether any certificate is accepted.
    pub insecure: bool,
    /// Whether HTTP/2 is used.
    pub http2: bool,
    /// Whether connections are kept alive.
    pub keep_alive: bool,
    /// Access key.
    pub access_key: Option<Secret>,
    /// Secret key.
    pub secret_key: Option<Secret>,
    /// Session token of temporary keys.
    pub session_token: Option<Secret>,
    /// The web identity whose token is exchanged for temporary keys.
    pub web_identity: Option<WebIdentity>,
    /// URL of the token service, if it is not the host.
    pub token_service: Option<String>,
    /// Region.
    pub region: Option<String>,
    /// Whether requests are signed with Signature Version 2 instead of 4.
    pub signature_v2: bool,
    /// Whether the bucket is part of the host name.
    pub virtual_host: bool,
    /// Bucket.
    pub bucket: String,
    /// Prefix of object names.
    pub prefix: Option<String>,
    /// Number of distinct objects, if the command has a count.
    pub objects: Option<u64>,
    /// Object sizes.
    pub size: SizePlan,
    /// Connections.
    pub concurrency: u64,
    /// Measured duration.
    pub duration: Duration,
    /// Unmeasured duration before the measured duration.
    pub skip: Duration,
    /// Maximum requests per second, if limited.
    pub rate: Option<f64>,
    /// Operations of a mix with their shares; empty for other operations.
    pub mix: Vec<(MixedOperation, f64)>,
    /// Objects deleted per request.
    pub batch: Option<u64>,
    /// Objects per page of a listing.
    pub max_keys: Option<u64>,
    /// Versions of each object.
    pub versions: Option<u64>,
    /// Whether existing objects are used.
    pub existing: bool,
    /// Parts per object.
    pub parts: Option<u64>,
    /// Part size, bytes.
    pub part_size: Option<u64>,
    /// Parts of one object in flight.
    pub part_concurrency: Option<u64>,
    /// Size of the byte ranges that GET requests read, bytes.
    pub range_size: Option<u64>,
    /// Objects per archive that is uploaded (`warp snowball`).
    pub objects_per_archive: Option<u64>,
    /// Copies of each object in a fan-out.
    pub copies: Option<u64>,
    /// Files per ZIP archive (`warp zip`).
    pub files: Option<u64>,
    /// Whether payloads are hashed and signed.
    pub signed_payload: bool,
    /// Checksum of stored content.
    pub checksum: Option<Checksum>,
    /// Server-side encryption.
    pub encryption: Option<Encryption>,
    /// Storage class.
    pub storage_class: Option<String>,
    /// Metadata of objects.
    pub metadata: Vec<(String, String)>,
    /// Tags of objects.
    pub tags: Vec<(String, String)>,
    /// Whether objects are kept after the run.
    pub keep_data: bool,
    /// Name of the run.
    pub name: Option<String>,
    /// File of the log of all measured requests, if they are logged.
    pub log: Option<String>,
    /// Whether progress is hidden.
    pub quiet: bool,
    /// Whether Tenbin's result document is printed.
    pub json: bool,
    /// The only operation to show, in capitals; `None` shows all.
    pub only: Option<String>,
    /// Notes to print before the run.
    pub notes: Vec<Sentence>,
}

/// The largest object that warp stores in one PUT by default, bytes: the smallest part size of
/// warp's S3 library.
const WARP_WHOLE_AT_MOST: f64 = 16.0 * 1024.0 * 1024.0;

/// Hosts for which warp puts the bucket into the host name by default.
const VIRTUAL_HOSTS: [&str; 3] = [".amazonaws.com", ".googleapis.com", ".aliyuncs.com"];

/// Creates the job from the flags.
pub(super) fn read(
    operation: Operation,
    mut given: Given,
    world: &World<'_>,
) -> Result<WarpJob, Mistakes> {
    let name = command::for_operation(operation).name;
    if let Some(operand) = given.operands.first() {
        given.mistakes.push(sentence!(
            "warp-takes-no-arguments",
            "warp {name} takes no arguments, and {operand:?} is not a flag of it; \
            write false switches as --tls=false",
            name,
            operand
        ));
    }
    let hosts = hosts::read(&mut given, world);
    let size = match operation {
        Operation::Multipart | Operation::MultipartPut => {
            SizePlan::fixed(size_of_parts(&mut given))
        }
        _ => sizes::read(&mut given),
    };
    let mix = match operation {
        Operation::Mixed | Operation::Versioned => mix::read(&mut given),
        _ => Vec::new(),
    };
    check(operation, &mut given, &size, hosts.len());
    let web_identity = web_identity(&mut given);
    let job = WarpJob {
        operation,
        virtual_host: virtual_host(&given, &hosts),
        hosts,
        tls: given.switch("tls"),
        insecure: given.switch("insecure"),
        http2: given.switch("http2"),
        keep_alive: !given.switch("disable-http-keepalive"),
        access_key: given.secret("access-key"),
        secret_key: given.secret("secret-key"),
        session_token: given.secret("session-token"),
        token_service: given.some_text("sts-endpoint"),
        web_identity,
        region: given.some_text("region"),
        signature_v2: given.text("signature").eq_ignore_ascii_case("S3V2"),
        bucket: given.text("bucket").to_owned(),
        prefix: given.some_text("prefix"),
        objects: given.some_whole("objects"),
        size,
        concurrency: given.whole("concurrent"),
        duration: given.time("duration").unwrap_or_default(),
        skip: given.time("analyze.skip").unwrap_or_default(),
        rate: Some(given.decimal("rps-limit")).filter(|&rate| rate > 0.0),
        mix,
        batch: given.some_whole("batch"),
        max_keys: given.some_whole("max-keys"),
        versions: given.some_whole("versions"),
        existing: given.switch("list-existing"),
        parts: given.some_whole("parts"),
        part_size: given.size("part.size"),
        part_concurrency: given.some_whole("part.concurrent"),
        range_size: given.size("range-size"),
        objects_per_archive: given.some_whole("objs.per"),
        copies: given.some_whole("copies"),
        files: given.some_whole("files"),
        // As in warp: TLS already protects the payload.
        signed_payload: !given.switch("tls") && !given.switch("disable-sha256-payload"),
        checksum: checksum(&mut given),
        encryption: encryption(&mut given),
        storage_class: given.some_text("storage-class"),
        metadata: pairs(&mut given, "add-metadata"),
        tags: pairs(&mut given, "tag"),
        keep_data: given.switch("keep-data"),
        name: run_name(&mut given),
        log: log_file(name, &given),
        quiet: given.switch("quiet"),
        json: given.switch("json"),
        only: given.some_text("analyze.op").map(|op| op.to_uppercase()),
        notes: Vec::new(),
    };
    Mistakes::unless_empty(std::mem::take(&mut given.mistakes))?;
    Ok(WarpJob {
        notes: given.notes,
        ..job
    })
}

/// Checks combinations of flags, and flags that only some commands have.
fn check(operation: Operation, given: &mut Given, size: &SizePlan, hosts: usize) {
    check_amounts(given);
    check_choice(given);
    check_operation(operation, given);
    check_shares(given);
    check_storing(operation, given, size);
    if hosts > 1 && given.text("host-select").eq_ignore_ascii_case("weighed") {
        given.note(sentence!(
            "warp-host-select",
            "--host-select: hosts are used in turn; warp prefers the host with the \
            fewest requests in flight"
        ));
    }
}

fn check_amounts(given: &mut Given) {
    for flag in ["concurrent", "objects", "parts", "batch", "copies", "files"] {
        if given.is_given(flag) && given.whole(flag) == 0 {
            given.wrong(flag, at_least_one());
        }
    }
    if given.time("duration").is_some_and(|time| time.is_zero()) {
        let why = sentence!(
            "warp-duration",
            "must be longer than 0; write for example \"60s\""
        );
        given.wrong("duration", why);
    }
}

/// Checks which objects, and which of their bytes, are used.
fn check_choice(given: &mut Given) {
    if given.switch("range") && !given.is_given("range-size") {
        let why = sentence!(
            "warp-random-ranges",
            "ranges of random length are not supported; give --range-size too"
        );
        given.wrong("range", why);
    }
    if given.is_given("list-existing") && given.is_given("objects") {
        given.note(sentence!(
            "warp-objects-existing",
            "--objects: with --list-existing, limits the number of objects used"
        ));
    }
}

fn check_operation(operation: Operation, given: &mut Given) {
    if operation == Operation::Versioned {
        given.note(sentence!(
            "warp-versioned-put",
            "PUT stores its own objects in a bucket that keeps versions; warp stores new \
            versions of existing objects"
        ));
    }
    if operation == Operation::MultipartPut && given.whole("part.concurrent") > given.whole("parts")
    {
        let why = sentence!("warp-part-concurrent", "must not be more than --parts");
        given.wrong("part.concurrent", why);
    }
}

/// Checks that a mix does not delete more than it stores.
fn check_shares(given: &mut Given) {
    let (put, delete) = (
        given.decimal("put-distrib"),
        given.decimal("delete-distrib"),
    );
    if given.is_given("delete-distrib")
        && delete > put * f64::from(u8::from(given.is_given("put-distrib")))
    {
        let why = sentence!(
            "warp-deletes-more",
            "a mix deletes what it has stored: the share must not be larger than --put-distrib"
        );
        given.wrong("delete-distrib", why);
    }
}

/// Says where objects are stored in another way than by warp.
fn check_storing(operation: Operation, given: &mut Given, size: &SizePlan) {
    if matches!(operation, Operation::Multipart | Operation::MultipartPut) {
        return;
    }
    let is_large = size.mean() > WARP_WHOLE_AT_MOST;
    let is_multipart_off = given.switch("disable-multipart");
    if is_large && !is_multipart_off {
        given.note(sentence!(
            "warp-one-put",
            "objects are stored by one PUT each; warp stores objects above 16 MiB in \
            parts, which warp multipart-put does here"
        ));
    }
    if !is_large && is_multipart_off {
        given.note(sentence!(
            "warp-disable-multipart",
            "--disable-multipart: objects up to 16 MiB are stored by one PUT with and without it"
        ));
    }
}

/// Reads and checks the part size, bytes.
fn size_of_parts(given: &mut Given) -> u64 {
    let size = given.size("part.size").unwrap_or_default();
    if size == 0 {
        let why = sentence!("warp-part-size", "must be at least 1 byte");
        given.wrong("part.size", why);
    }
    size
}

/// The flags of the signature `STS_WEB_TOKEN`.
fn web_identity(given: &mut Given) -> Option<WebIdentity> {
    let is_meant = given
        .text("signature")
        .eq_ignore_ascii_case("STS_WEB_TOKEN");
    if !is_meant {
        for flag in ["sts-endpoint", "sts-web-token", "sts-web-token-file"] {
            if given.some_text(flag).is_some() {
                let why = sentence!("warp-needs-signature", "needs --signature=STS_WEB_TOKEN");
                given.wrong(flag, why);
            }
        }
        return None;
    }
    let file = given.some_text("sts-web-token-file");
    let token = given.some_text("sts-web-token");
    match (file, token) {
        (Some(_), Some(_)) => {
            let why = sentence!("warp-two-tokens", "not together with --sts-web-token");
            given.wrong("sts-web-token-file", why);
            None
        }
        (Some(file), None) => Some(WebIdentity::File(file)),
        (None, Some(token)) => Some(match token.strip_prefix("file:") {
            Some(file) => WebIdentity::File(file.to_owned()),
            None => WebIdentity::Token(Secret::new(token)),
        }),
        (None, None) => {
            let why = sentence!("warp-no-token", "STS_WEB_TOKEN needs --sts-web-token");
            given.wrong("signature", why);
            None
        }
    }
}

fn virtual_host(given: &Given, hosts: &[String]) -> bool {
    match given.text("lookup").to_ascii_lowercase().as_str() {
        "host" => true,
        "path" => false,
        _ => hosts.iter().any(|host| {
            let name = host
                .rsplit_once(':')
                .map_or(host.as_str(), |(name, _)| name);
            VIRTUAL_HOSTS.iter().any(|end| name.ends_with(end))
        }),
    }
}

fn checksum(given: &mut Given) -> Option<Checksum> {
    let chosen = match given.text("checksum").to_ascii_uppercase().as_str() {
        "CRC32" | "CRC32-FO" => Some(Checksum::Crc32),
        "CRC32C" | "CRC32C-FO" => Some(Checksum::Crc32c),
        "CRC64N" | "CRC64NVME" => Some(Checksum::Crc64Nvme),
        "SHA1" => Some(Checksum::Sha1),
        "SHA256" => Some(Checksum::Sha256),
        "SHA512" => Some(Checksum::Sha512),
        "MD5" => Some(Checksum::Md5),
        "XXH64" => Some(Checksum::XxHash64),
        "XXH3" => Some(Checksum::XxHash3),
        "XXH128" => Some(Checksum::XxHash128),
        _ => None,
    };
    match (given.switch("md5"), chosen) {
        (true, None | Some(Checksum::Md5)) => Some(Checksum::Md5),
        (true, Some(_)) => {
            given.wrong("md5", not_with("--checksum"));
            chosen
        }
        (false, chosen) => chosen,
    }
}

fn not_with(other: &'static str) -> Sentence {
    sentence!(
        "warp-not-with",
        "cannot be combined with {other}; leave one out",
        other
    )
}

fn encryption(given: &mut Given) -> Option<Encryption> {
    match (given.switch("encrypt"), given.switch("sse-s3-encrypt")) {
        (true, true) => {
            given.wrong("encrypt", not_with("--sse-s3-encrypt"));
            None
        }
        (true, false) => Some(Encryption::SseC),
        (false, true) => Some(Encryption::SseS3),
        (false, false) => None,
    }
}

fn pairs(given: &mut Given, flag: &'static str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for text in given.list(flag).to_vec() {
        match text.split_once('=') {
            Some((name, value)) if !name.is_empty() && !value.is_empty() => {
                if value.starts_with("rand:") {
                    let why = sentence!(
                        "warp-random-values",
                        "random values are not supported; write the value"
                    );
                    given.wrong(flag, why);
                }
                pairs.push((name.to_owned(), value.to_owned()));
            }
            _ => given.wrong(
                flag,
                sentence!("warp-no-pair", "{text:?} is not NAME=VALUE", text),
            ),
        }
    }
    pairs
}

/// The file of `--full`: as in warp, the name in `--benchdata` with an extension.
fn log_file(command: &str, given: &Given) -> Option<String> {
    let name = given.some_text("benchdata");
    let name = name.unwrap_or_else(|| format!("warp-{command}"));
    given.switch("full").then(|| format!("{name}.csv.zst"))
}

/// A valid run name, from `--benchdata`: the name of the file that warp would have written.
fn run_name(given: &mut Given) -> Option<String> {
    let file = given.some_text("benchdata")?;
    let last = file.rsplit('/').next().unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name: String = last
        .chars()
        .map(|c| if is_plain(c) { c } else { '-' })
        .collect();
    let name = name.trim_matches(['-', '.']).to_owned();
    (!name.is_empty()).then_some(name)
}
