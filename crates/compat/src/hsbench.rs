//! The command line of hsbench, an S3 benchmark that runs a sequence of modes, such as PUT and GET.

use std::collections::BTreeMap;
use std::time::Duration;

use tenbin_plan::duration::Time;
use tenbin_plan::size::Size;
use tenbin_plan::{
    At, Draft, Place, S3Draft, Secret, Sentence, TargetDraft, WorkloadDraft, sentence,
};

use crate::flag::{Flag, Kind};
use crate::help;
use crate::mistakes::Mistakes;
use crate::parse::{Given, Style, Table, World};

const TOOL: &[&str] = &["hsbench"];

/// Every flag of hsbench.
pub const FLAGS: &[&[Flag]] = &[&[
    Flag::new(TOOL, "a", Kind::Secret, "", "access key").variable("AWS_ACCESS_KEY_ID"),
    Flag::new(
        TOOL,
        "s",
        Kind::Secret,
        "",
        "secret key; safer in the environment",
    )
    .variable("AWS_SECRET_ACCESS_KEY"),
    Flag::new(TOOL, "u", Kind::Text, "", "URL of the server").variable("AWS_HOST"),
    Flag::new(TOOL, "r", Kind::Text, "us-east-1", "region"),
    Flag::new(
        TOOL,
        "b",
        Kind::Whole,
        "1",
        "number of buckets that objects are spread over",
    ),
    Flag::new(
        TOOL,
        "bp",
        Kind::Text,
        "hotsauce-bench",
        "prefix of bucket names",
    ),
    Flag::new(TOOL, "op", Kind::Text, "", "prefix of object names"),
    Flag::new(
        TOOL,
        "d",
        Kind::Text,
        "60",
        "maximum duration of a mode, seconds; -1 for no limit",
    ),
    Flag::new(
        TOOL,
        "n",
        Kind::Text,
        "-1",
        "objects per mode; -1 for no limit",
    ),
    Flag::new(TOOL, "l", Kind::Whole, "1", "repetitions of the modes"),
    Flag::new(
        TOOL,
        "m",
        Kind::Text,
        "cxiplgdcx",
        "modes in order: p put, g get, d delete, l list, c clear, x delete buckets, i create \
        buckets",
    ),
    Flag::new(
        TOOL,
        "mk",
        Kind::Whole,
        "1000",
        "keys per page of a listing",
    ),
    Flag::new(TOOL, "t", Kind::Whole, "1", "connections"),
    Flag::new(
        TOOL,
        "z",
        Kind::Text,
        "1M",
        "object size; K, M and G are powers of 1024",
    ),
    Flag::new(TOOL, "ri", Kind::Decimal, "1.0", "seconds between reports")
        .noted("only totals are shown; the run directory has every second"),
    Flag::new(TOOL, "o", Kind::Text, "", "CSV file for the result"),
    Flag::new(TOOL, "j", Kind::Text, "", "JSON file for the result"),
]];

/// A parsed command line of hsbench.
pub type Parsed = crate::Parsed<HsbenchJob>;

/// A measured mode of hsbench, given as a letter in `-m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// `p`.
    Put,
    /// `g`.
    Get,
    /// `d`.
    Delete,
    /// `l`.
    List,
}

impl Mode {
    /// The mode's name in hsbench's results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Put => "PUT",
            Self::Get => "GET",
            Self::Delete => "DEL",
            Self::List => "LIST",
        }
    }

    fn operation(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Get => "get",
            Self::Delete => "delete",
            Self::List => "list",
        }
    }
}

/// A measurement of hsbench, with defaults filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct HsbenchJob {
    /// URL of the server.
    pub url: String,
    /// Access key.
    pub access_key: Option<Secret>,
    /// Secret key.
    pub secret_key: Option<Secret>,
    /// Region.
    pub region: String,
    /// Number of buckets.
    pub buckets: u64,
    /// Prefix of the bucket names.
    pub bucket_prefix: String,
    /// Prefix of object names.
    pub object_prefix: Option<String>,
    /// Maximum duration of a mode; `None` without a limit.
    pub duration: Option<Duration>,
    /// Objects per mode; `None` without a limit.
    pub objects: Option<u64>,
    /// Repetitions of the modes.
    pub loops: u64,
    /// The measured modes in order, each with the name of its workload.
    pub modes: Vec<(Mode, String)>,
    /// Keys per page of a listing.
    pub max_keys: u64,
    /// Threads, each with one connection.
    pub threads: u64,
    /// Size of an object, bytes.
    pub size: u64,
    /// CSV file for the result.
    pub csv: Option<String>,
    /// JSON file for the result.
    pub json: Option<String>,
    /// Notes to print before the run.
    pub notes: Vec<Sentence>,
}

const TABLE: Table = Table {
    style: Style::Go,
    tool: "hsbench",
    command: "hsbench",
    flags: FLAGS,
};

/// Duration of a mode without a time limit: 24 hours, because every mode must end.
const NO_LIMIT: Duration = Duration::from_secs(24 * 3600);

/// Parses the arguments of `hsbench`.
///
/// # Errors
///
/// Every mistake in the arguments, one sentence each.
pub fn parse(arguments: &[String], world: &World<'_>) -> Result<Parsed, Mistakes> {
    let mut given = match TABLE.read_flags(
        arguments,
        world,
        sentence!(
            "hsbench-about",
            "hsbench's command line on Tenbin's engine: responses are timed to their last byte, errors \
            never count as throughput, and there is a verdict."
        ),
    ) {
        Ok(given) => given,
        Err(help) => return Ok(Parsed::Help(help)),
    };
    given.need_at_least_one(&["b", "l", "t", "mk"]);
    let job = HsbenchJob {
        url: url(&mut given),
        access_key: given.secret("a"),
        secret_key: given.secret("s"),
        region: given.text("r").to_owned(),
        buckets: given.whole("b"),
        bucket_prefix: given.text("bp").to_owned(),
        object_prefix: given.some_text("op"),
        duration: limit(&mut given, "d").map(Duration::from_secs),
        objects: limit(&mut given, "n"),
        loops: given.whole("l"),
        modes: modes(&mut given),
        max_keys: given.whole("mk"),
        threads: given.whole("t"),
        size: size(&mut given),
        csv: given.some_text("o"),
        json: given.some_text("j"),
        notes: Vec::new(),
    };
    if job.duration.is_none() && job.objects.is_none() {
        let why = sentence!(
            "front-no-end",
            "time and objects cannot both be unlimited; give -n or -d"
        );
        given.wrong("d", why);
    }
    Mistakes::unless_empty(std::mem::take(&mut given.mistakes))?;
    Ok(Parsed::Measure(Box::new(HsbenchJob {
        notes: given.notes,
        ..job
    })))
}

fn url(given: &mut Given) -> String {
    let url = given.text("u").to_owned();
    if url.is_empty() {
        let why = sentence!(
            "hsbench-no-url",
            "is missing; give the URL of the server, such as http://127.0.0.1:9000"
        );
        given.wrong("u", why);
    }
    url
}

/// Reads an integer; -1 means no limit and gives `None`.
fn limit(given: &mut Given, flag: &'static str) -> Option<u64> {
    let text = given.text(flag).to_owned();
    if text == "-1" {
        return None;
    }
    let number = text.parse().ok().filter(|&number| number > 0);
    if number.is_none() {
        let why = sentence!(
            "front-no-limit",
            "{text:?} is neither an integer of {least} or more nor -1",
            text,
            least = 1
        );
        given.wrong(flag, why);
    }
    number
}

fn modes(given: &mut Given) -> Vec<(Mode, String)> {
    let text = given.text("m").to_owned();
    let mut counts: BTreeMap<Mode, u32> = BTreeMap::new();
    let mut modes = Vec::new();
    let mut of_buckets = false;
    for letter in text.chars() {
        let mode = match letter {
            'p' => Mode::Put,
            'g' => Mode::Get,
            'd' => Mode::Delete,
            'l' => Mode::List,
            'c' | 'x' | 'i' => {
                of_buckets = true;
                continue;
            }
            other => {
                let why = sentence!(
                    "hsbench-no-mode",
                    "{other:?} is not a mode; the modes are c, x, i, p, l, g, d",
                    other
                );
                given.wrong("m", why);
                continue;
            }
        };
        let count = counts.entry(mode).or_default();
        *count += 1;
        let name = match count {
            1 => mode.operation().to_owned(),
            count => format!("{}-{count}", mode.operation()),
        };
        modes.push((mode, name));
    }
    if modes.is_empty() {
        let why = sentence!(
            "hsbench-nothing-measured",
            "none of the modes p, g, d and l is given, so nothing is measured"
        );
        given.wrong("m", why);
    }
    if of_buckets {
        given.note(sentence!(
            "hsbench-modes",
            "-m: modes c, x and i are not measured: missing buckets are created, and only what \
            Tenbin created is deleted"
        ));
    }
    if modes.iter().any(|&(mode, _)| mode != Mode::Put) {
        given.note(sentence!(
            "hsbench-own-objects",
            "-m: g, d and l have their own objects, loaded before; hsbench uses what p left"
        ));
    }
    modes
}

/// The object size, bytes. Units are powers of 1024, also without an `i` (`KB` is `KiB`).
fn size(given: &mut Given) -> u64 {
    let text = given.text("z").to_owned();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => Some(1),
        "K" | "KB" | "KIB" => Some(1 << 10),
        "M" | "MB" | "MIB" => Some(1 << 20),
        "G" | "GB" | "GIB" => Some(1_u64 << 30),
        _ => None,
    };
    let number = digits
        .parse::<f64>()
        .ok()
        .filter(|number| (0.0..1e15).contains(number));
    match (number, factor) {
        (Some(number), Some(factor)) => (number * factor as f64) as u64,
        _ => {
            let why = sentence!(
                "hsbench-no-size",
                "{text:?} is not a size; write for example 4K, 64K or 1M",
                text
            );
            given.wrong("z", why);
            0
        }
    }
}

impl HsbenchJob {
    /// The plan: one target, one workload per mode, one round per loop.
    pub fn draft(&self) -> Draft {
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere("hsbench"));
        let key = |flag, key: &Option<Secret>| {
            key.as_ref().map(|key| At {
                place: Place::Flag(flag),
                value: key.clone(),
            })
        };
        draft.targets = vec![At::nowhere(TargetDraft {
            name: Some(At::nowhere("server")),
            url: Some(At::flag("-u", self.url.as_str())),
            access_key: key("-a", &self.access_key),
            secret_key: key("-s", &self.secret_key),
            region: Some(At::flag("-r", self.region.as_str())),
            ..TargetDraft::default()
        })];
        let modes = self.modes.iter();
        draft.workloads = modes
            .map(|(mode, name)| At::nowhere(self.workload(*mode, name)))
            .collect();
        draft.load.connections = Some(At::flag("-t", self.threads));
        draft.load.requests = self.objects.map(|objects| At::flag("-n", objects));
        draft.rounds.count = Some(At::flag("-l", self.loops));
        let slice = self.duration.unwrap_or(NO_LIMIT);
        draft.rounds.slice = Some(At::flag("-d", Time(slice).to_string()));
        draft.rounds.warmup = Some(At::nowhere("0s"));
        draft
    }

    fn workload(&self, mode: Mode, name: &str) -> WorkloadDraft {
        let mut workload = WorkloadDraft::of(S3Draft {
            operation: Some(At::flag("-m", mode.operation())),
            size: Some(At::flag("-z", Size(self.size).to_string())),
            bucket: Some(At::flag("-bp", self.bucket_prefix.as_str())),
            buckets: (self.buckets > 1).then(|| At::flag("-b", self.buckets)),
            prefix: self
                .object_prefix
                .as_ref()
                .map(|prefix| At::flag("-op", format!("{prefix}{name}/"))),
            objects: self.objects.map(|objects| At::flag("-n", objects)),
            page: (mode == Mode::List).then(|| At::flag("-mk", self.max_keys)),
            payload: Some(At::nowhere("unsigned")),
            ..S3Draft::default()
        });
        workload.name = Some(At::nowhere(name));
        workload
    }
}

/// The flags as a Markdown table, for the documentation.
pub fn table() -> String {
    help::flag_table(FLAGS.iter().copied().flatten(), TOOL)
}
