//! The command line of blobstore-bench, the benchmark in CubeFS's blobstore.

mod draft;
mod hosts;

use std::collections::BTreeMap;
use std::time::Duration;

use tenbin_plan::size::Size;
use tenbin_plan::{Phase, Sentence, blob_set_name, sentence};

use self::hosts::hosts;
use crate::flag::{Flag, Kind};
use crate::help;
use crate::mistakes::{Mistakes, unreadable};
use crate::parse::{Given, Style, Table, World};

const TOOL: &[&str] = &["blobstore-bench"];

/// Every flag of blobstore-bench, including two that blobstore-bench declares and then rejects, and
/// one that Tenbin adds.
pub const FLAGS: &[&[Flag]] = &[&[
    Flag::new(
        TOOL,
        "b",
        Kind::Text,
        "blobstore",
        "backend: blobstore or dummy",
    ),
    Flag::new(TOOL, "c", Kind::Text, "", "file with the hosts").variable(CONF_VARIABLE),
    Flag::new(
        TOOL,
        "m",
        Kind::Text,
        "pgd",
        "modes in order: p put, g get, d delete",
    ),
    Flag::new(
        TOOL,
        "n",
        Kind::Text,
        "-1",
        "objects per mode; -1 for no limit",
    ),
    Flag::new(
        TOOL,
        "d",
        Kind::Text,
        "60",
        "maximum duration of a mode, seconds; -1 for no limit",
    ),
    Flag::new(
        TOOL,
        "e",
        Kind::Text,
        "3",
        "allowed failures in the whole run; -1 for any number",
    ),
    Flag::new(
        TOOL,
        "t",
        Kind::Whole,
        "1",
        "threads, each with one connection",
    ),
    Flag::new(TOOL, "l", Kind::Whole, "1", "repetitions of the modes"),
    Flag::new(
        TOOL,
        "s",
        Kind::Text,
        "1Mi",
        "object size: 10Ki is 10 × 1024 bytes, 10K is 10,000",
    ),
    Flag::new(
        TOOL,
        "db",
        Kind::Text,
        "memory",
        "storage of locations: memory, or rocksdb for on disk",
    ),
    Flag::new(TOOL, "r", Kind::Text, "", "directory for locations on disk"),
    Flag::new(TOOL, "pr", Kind::Text, "", "name of the set of objects"),
    Flag::new(
        TOOL,
        "i",
        Kind::Decimal,
        "1.0",
        "seconds between reports, an integer",
    ),
    Flag::new(
        TOOL,
        "o",
        Kind::Text,
        "",
        "JSON file for the result; without this flag no file, not even output.json",
    ),
    Flag::new(
        TOOL,
        "verify",
        Kind::Switch,
        "true",
        "added by Tenbin: compare what is read with what was stored",
    ),
]];

const CONF_VARIABLE: &str = "BLOBSTORE_BENCH_CONF";

/// Environment variable with the secret key of an access layer that requires tokens.
pub const SECRET_KEY_VARIABLE: &str = "TENBIN_SECRET_KEY";

/// A parsed command line of blobstore-bench.
pub type Parsed = crate::Parsed<BlobstoreBenchJob>;

/// Where a run stores blobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backend {
    /// The CubeFS access layer at these URLs.
    Blobstore(Vec<String>),
    /// No storage: every operation completes immediately.
    Dummy,
}

/// A measurement of blobstore-bench, with defaults filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct BlobstoreBenchJob {
    /// Where the run stores blobs.
    pub backend: Backend,
    /// Whether the environment has the secret key of the access layer's tokens, in
    /// [`SECRET_KEY_VARIABLE`].
    pub has_secret_key: bool,
    /// Path of the configuration file with the hosts, as given by the flag or the environment
    /// variable.
    pub conf: String,
    /// The modes (put, get, delete) in order, each with the name of its workload.
    pub modes: Vec<(Phase, String)>,
    /// Objects per mode; `None` without a limit.
    pub objects: Option<u64>,
    /// Maximum duration of a mode; `None` without a limit.
    pub duration: Option<Duration>,
    /// Allowed failures in the whole run; `None` without a limit.
    pub errors: Option<u64>,
    /// Threads, each with one connection.
    pub threads: u64,
    /// Repetitions of the modes.
    pub loops: u64,
    /// Seconds between reports, at least 1.
    pub interval: u32,
    /// Size of an object, bytes.
    pub size: u64,
    /// Bytes at the start of each blob that a get of blobs from an earlier run reads: the size, if
    /// the command line states one; `None` for whole blobs.
    pub part: Option<u64>,
    /// The object size as written on the command line.
    pub written_size: String,
    /// Storage of blob locations (what a PUT returns and a GET requires): `-db`, as written on the
    /// command line.
    pub database: String,
    /// Directory in which the blob locations are stored; `None` if they are kept in memory, and for
    /// [`Backend::Dummy`].
    pub directory: Option<String>,
    /// Name of the set of objects, as written on the command line.
    pub prefix: Option<String>,
    /// Name of the set of objects in the plan.
    pub set: Option<String>,
    /// JSON file for the result.
    pub json: Option<String>,
    /// Whether content is compared with what was stored.
    pub verify: bool,
    /// Notes to print before the run.
    pub notes: Vec<Sentence>,
}

const TABLE: Table = Table {
    style: Style::Go,
    tool: "blobstore-bench",
    command: "blobstore-bench",
    flags: FLAGS,
};

/// The flag value that means no limit.
const WITHOUT_LIMIT: &str = "-1";

/// Parses the arguments of `blobstore-bench`.
///
/// # Errors
///
/// Every mistake in the arguments, one sentence each.
pub fn parse(arguments: &[String], world: &World<'_>) -> Result<Parsed, Mistakes> {
    let mut given = match TABLE.read_flags(
        arguments,
        world,
        sentence!(
            "bench-about",
            "blobstore-bench's command line on Tenbin's engine: every blob has unique content, which is \
            compared when it is read, errors never count as throughput, and there is a verdict."
        ),
    ) {
        Ok(given) => given,
        Err(help) => return Ok(Parsed::Help(help)),
    };
    given.need_at_least_one(&["t", "l"]);
    let backend = backend(&mut given, world);
    let size = size(&mut given, &backend);
    let set = given.some_text("pr").map(|name| blob_set_name(&name));
    if let Some(set) = set.as_ref().filter(|set| *set != given.text("pr")) {
        given.note(sentence!(
            "bench-set",
            "-pr: the set of blobs is called {set}",
            set
        ));
    }
    let on_disk = is_on_disk(&mut given);
    let job = job(&mut given, backend, size, set, on_disk);
    refuse_what_cannot_run(&mut given, &job, on_disk);
    if given.text("e") != WITHOUT_LIMIT {
        // blobstore-bench applies the limit to each thread.
        given.note(sentence!(
            "bench-errors",
            "-e: counts the failures of the whole run, not of each thread"
        ));
    }
    Mistakes::unless_empty(std::mem::take(&mut given.mistakes))?;
    let secret_key = (world.variable)(SECRET_KEY_VARIABLE);
    Ok(Parsed::Measure(Box::new(BlobstoreBenchJob {
        notes: given.notes,
        has_secret_key: secret_key.is_some() && job.backend != Backend::Dummy,
        ..job
    })))
}

/// The measurement that the flags ask for.
fn job(
    given: &mut Given,
    backend: Backend,
    size: u64,
    set: Option<String>,
    on_disk: bool,
) -> BlobstoreBenchJob {
    BlobstoreBenchJob {
        has_secret_key: false,
        conf: given.text("c").to_owned(),
        modes: modes(given),
        objects: limit(given, "n", 1),
        duration: limit(given, "d", 1).map(Duration::from_secs),
        errors: limit(given, "e", 0),
        threads: given.whole("t"),
        loops: given.whole("l"),
        interval: interval(given),
        size,
        part: Some(size).filter(|size| given.is_given("s") && *size > 0),
        written_size: given.text("s").to_owned(),
        database: if given.is_given("db") {
            given.text("db").to_owned()
        } else {
            String::new()
        },
        directory: given
            .some_text("r")
            .filter(|_| on_disk && backend != Backend::Dummy),
        prefix: given.some_text("pr"),
        set,
        json: given.some_text("o"),
        verify: given.switch("verify"),
        notes: Vec::new(),
        backend,
    }
}

/// Refuses what has no end, or no place to find its objects.
fn refuse_what_cannot_run(given: &mut Given, job: &BlobstoreBenchJob, on_disk: bool) {
    if on_disk && job.directory.is_none() && job.backend != Backend::Dummy {
        let why = sentence!(
            "bench-no-directory",
            "is missing; locations on disk need a directory"
        );
        given.wrong("r", why);
    }
    let is_unlimited = |flag| given.text(flag) == WITHOUT_LIMIT;
    if is_unlimited("d") && is_unlimited("n") {
        let why = sentence!(
            "front-no-end",
            "time and objects cannot both be unlimited; give -n or -d"
        );
        given.wrong("d", why);
    }
    if let Some((first, _)) = job.modes.first()
        && *first != Phase::Put
        && !on_disk
        && job.backend != Backend::Dummy
    {
        let why = sentence!(
            "bench-starts-empty",
            "{modes:?} starts with {letter}, and locations in memory start empty; put first, or keep \
            locations on disk (-db rocksdb -r DIR) and run -m p before it with the same -r and -pr",
            modes = given.text("m"),
            letter = first.letter()
        );
        given.wrong("m", why);
    }
}

fn backend(given: &mut Given, world: &World<'_>) -> Backend {
    match given.text("b") {
        "dummy" => return Backend::Dummy,
        "blobstore" => {}
        "s3" | "fs" => {
            let why = sentence!(
                "bench-other-backend",
                "is not a backend of blobstore-bench; use tenbin blob: --target \
                file:///DIR for files, --store s3 for an S3 store"
            );
            given.wrong("b", why);
            return Backend::Dummy;
        }
        other => {
            let why = sentence!(
                "bench-no-backend",
                "{other:?} is not a backend; write blobstore or dummy",
                other
            );
            given.wrong("b", why);
            return Backend::Dummy;
        }
    }
    let file = given.text("c").to_owned();
    if file.is_empty() {
        let why = sentence!(
            "bench-no-conf",
            "is missing; name the file with the hosts, or set {variable}",
            variable = CONF_VARIABLE
        );
        given.wrong("c", why);
        return Backend::Blobstore(Vec::new());
    }
    let read = (world.read)(&file).map_err(|error| unreadable(&file, &error));
    let in_file = |why: Sentence| sentence!("front-in-file", "{file}: {why}", file, why);
    match read.and_then(|text| hosts(&text).map_err(in_file)) {
        Ok((hosts, of_access)) => {
            if !of_access {
                given.note(sentence!(
                    "bench-cluster-manager",
                    "-c: {file} names hosts of the cluster manager; Tenbin needs the access layer and \
                     looks for it at {hosts}; \"priority_addrs\" in the file names the access layer's \
                     own hosts",
                    file,
                    hosts = hosts.join(" and ")
                ));
            }
            Backend::Blobstore(hosts)
        }
        Err(why) => {
            given.wrong("c", why);
            Backend::Blobstore(Vec::new())
        }
    }
}

fn is_on_disk(given: &mut Given) -> bool {
    match given.text("db") {
        "" | "memory" => false,
        "rocksdb" => {
            given.note(sentence!(
                "bench-rocksdb",
                "-db rocksdb: locations are kept on disk in Tenbin's own files, not in \
                RocksDB"
            ));
            true
        }
        other => {
            let why = sentence!(
                "bench-database",
                "{other:?} is neither memory nor rocksdb",
                other
            );
            given.wrong("db", why);
            false
        }
    }
}

/// Reads an integer of at least `least`; -1 means no limit and gives `None`.
fn limit(given: &mut Given, flag: &'static str, least: u64) -> Option<u64> {
    let text = given.text(flag).to_owned();
    if text == WITHOUT_LIMIT {
        return None;
    }
    let number = text.parse().ok().filter(|&number| number >= least);
    if number.is_none() {
        let why = sentence!(
            "front-no-limit",
            "{text:?} is neither an integer of {least} or more nor -1",
            text,
            least
        );
        given.wrong(flag, why);
    }
    number
}

fn modes(given: &mut Given) -> Vec<(Phase, String)> {
    let text = given.text("m").to_owned();
    let mut counts: BTreeMap<char, u32> = BTreeMap::new();
    let mut modes = Vec::new();
    let is_letters = !text.is_empty() && text.chars().all(|letter| "pgd".contains(letter));
    let phases = Phase::several(&text).ok().filter(|_| is_letters);
    let Some(phases) = phases else {
        let why = sentence!(
            "bench-modes",
            "{text:?} is not a string of modes; the modes are p, g and d",
            text
        );
        given.wrong("m", why);
        return modes;
    };
    for phase in phases {
        let count = counts.entry(phase.letter()).or_default();
        *count += 1;
        let name = match count {
            1 => phase.name().to_owned(),
            count => format!("{}-{count}", phase.name()),
        };
        modes.push((phase, name));
    }
    modes
}

/// The report interval, seconds: a whole number, because figures are recorded per second.
fn interval(given: &mut Given) -> u32 {
    let seconds = given.decimal("i");
    if seconds.fract() != 0.0 || !(1.0..=f64::from(u32::MAX)).contains(&seconds) {
        let why = sentence!(
            "bench-interval",
            "{text:?} is not a whole number of seconds; figures are recorded per second",
            text = given.text("i")
        );
        given.wrong("i", why);
    }
    seconds as u32
}

fn size(given: &mut Given, backend: &Backend) -> u64 {
    let text = given.text("s").to_owned();
    match text.parse::<Size>() {
        Ok(Size(0)) if *backend != Backend::Dummy => {
            let why = sentence!(
                "bench-empty-blobs",
                "the access layer refuses empty blobs; give at least 1 byte, or -b dummy"
            );
            given.wrong("s", why);
            0
        }
        Ok(size) => size.0,
        Err(error) => {
            given.wrong("s", error.sentence());
            0
        }
    }
}

/// The flags as a Markdown table, for the documentation.
pub fn table() -> String {
    help::flag_table(FLAGS.iter().copied().flatten(), TOOL)
}
