//! A plan printed as TOML: the same experiment, without its secrets.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;

use crate::comparing::{DEFAULT_MARGIN, SweepPoint};
use crate::duration::Time;
use crate::model::{
    Arrivals, Credentials, HttpWork, KeySource, Launch, Load, Pace, Plan, Reach, Ready, Rounds,
    Target, Workload, WorkloadKind,
};
use crate::names::{DEFAULT_REGION, Kind, Named, Style};
use crate::rate::Rate;
use crate::s3::{S3Operation, S3Work, Stored};
use crate::schedule::rounds_per_block;
use crate::size::Size;
use crate::step::Step;
use crate::trace::Trace;
use crate::way::{ClientCertificate, HttpVersion, Tls, Way};

impl Plan {
    /// The plan as TOML that [`Draft::from_toml`](crate::Draft::from_toml) reads
    /// and that resolves to the same plan again. Keys given literally are printed
    /// as the environment variable to put them in; made-up ones not at all.
    ///
    /// A request body that is not UTF-8 must come from a file
    /// ([`HttpWork::body_file`]), as it does in every resolved plan.
    pub fn to_toml(&self) -> String {
        let mut page = Page::default();
        page.comment("A Tenbin plan, every default filled in. Run it with: tenbin run <this file>");
        page.text += "\n";
        page.pair("name", text(&self.name));
        page.pair("seed", self.seed);
        page.pair("threads", self.threads);
        self.comparing(&mut page);
        rounds(&mut page, &self.rounds, self.targets.len());
        let shared_load = self.shared_load();
        if let Some(shared) = shared_load {
            page.table("[load]");
            load(&mut page, shared, self.rounds.slice);
        }
        let variables = Variables::new(self.written_targets());
        for each in self.written_targets() {
            target(&mut page, each, &self.targets, &variables);
        }
        for each in &self.workloads {
            workload(&mut page, each, shared_load.is_none(), self.rounds.slice);
        }
        page.text
    }

    /// How targets are held against each other, as far as that is not as usual.
    fn comparing(&self, page: &mut Page) {
        let comparing = &self.comparing;
        if self.targets.len() > 1
            && let Some(baseline) = self.baseline()
        {
            let meaning = "the others are compared with it";
            page.explained("baseline", text(&baseline.name), meaning);
        }
        if let Some(twin) = self.twin() {
            let meaning = format!("{}: the same again, to see the noise", twin.name);
            page.explained("aa", "true", &meaning);
        }
        if comparing.margin != DEFAULT_MARGIN {
            let meaning = "no farther apart is equivalent";
            page.explained("margin", text(comparing.margin), meaning);
        }
        if !comparing.expect.is_empty() {
            page.pair("expect", list(comparing.expect.iter().map(text)));
        }
    }

    /// The targets as they stand in a plan: a sweep once, by its first point, and no
    /// twin.
    fn written_targets(&self) -> Vec<&Target> {
        let twin = self.twin().map(|twin| &twin.name);
        let mut written: Vec<&Target> = Vec::new();
        let of = |target: &Target| Some(target.sweep.as_ref()?.of.clone());
        for target in &self.targets {
            let is_known = of(target).is_some() && written.iter().any(|one| of(one) == of(target));
            if twin != Some(&target.name) && !is_known {
                written.push(target);
            }
        }
        written
    }

    /// The load of all workloads, if they have the same.
    fn shared_load(&self) -> Option<&Load> {
        let first = &self.workloads.first()?.load;
        let same = self
            .workloads
            .iter()
            .all(|workload| workload.load == *first);
        same.then_some(first)
    }
}

/// TOML as it grows.
#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn table(&mut self, header: &str) {
        self.text += &format!("\n{header}\n");
    }

    fn comment(&mut self, comment: &str) {
        self.text += &format!("# {comment}\n");
    }

    fn pair(&mut self, key: &str, value: impl Display) {
        self.text += &format!("{key} = {value}\n");
    }

    /// Only what is not as usual.
    fn unless<T: Display + PartialEq>(&mut self, key: &str, value: T, usual: T) {
        if value != usual {
            self.pair(key, value);
        }
    }

    /// As [`Page::unless`], for one of several names.
    fn name_unless<T: Named + Default>(&mut self, key: &str, value: T) {
        if value != T::default() {
            self.pair(key, text(Named::name(value)));
        }
    }

    fn explained(&mut self, key: &str, value: impl Display, comment: &str) {
        self.text += &format!("{key} = {value} # {comment}\n");
    }
}

fn text(value: impl Display) -> String {
    toml::Value::String(value.to_string()).to_string()
}

fn list(values: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", values.into_iter().collect::<Vec<_>>().join(", "))
}

fn inline_table(entries: &BTreeMap<String, String>) -> String {
    let pairs = entries
        .iter()
        .map(|(name, value)| format!("{} = {}", key_text(name), text(value)));
    format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
}

fn key_text(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match !key.is_empty() && key.chars().all(bare) {
        true => key.to_owned(),
        false => text(key),
    }
}

fn rounds(page: &mut Page, rounds: &Rounds, targets: usize) {
    page.table("[rounds]");
    let blocks = |count: u32| {
        let blocks = count / rounds_per_block(targets);
        match targets {
            0 | 1 => None,
            2 => Some(format!("{blocks} ABBA quads")),
            _ => Some(format!("{blocks} Williams squares")),
        }
    };
    match (blocks(rounds.count), rounds.until) {
        (None, None) => page.pair("count", rounds.count),
        (Some(blocks), None) => page.explained("count", rounds.count, &blocks),
        (blocks, Some(_)) => {
            let blocks = blocks.map_or_else(String::new, |blocks| format!(": {blocks}"));
            page.explained("count", rounds.count, &format!("the fewest{blocks}"));
        }
    }
    if let Some(until) = rounds.until {
        let meaning = "ends when every deciding ratio is known so well";
        page.explained("until", text(format!("±{}", until.within)), meaning);
        let blocks = blocks(until.most).map_or_else(String::new, |blocks| format!(": {blocks}"));
        page.explained("max_count", until.most, &format!("the most{blocks}"));
    }
    page.explained(
        "slice",
        text(Time(rounds.slice)),
        "measured part of a slice",
    );
    page.explained(
        "lead",
        text(Time(rounds.lead)),
        "unmeasured head of every slice",
    );
    page.explained("gap", text(Time(rounds.gap)), "rest between slices");
    page.explained(
        "warmup",
        text(Time(rounds.warmup)),
        "unmeasured, before the first slice of each workload on each target",
    );
}

fn load(page: &mut Page, load: &Load, slice: Duration) {
    page.explained("connections", load.connections, "over all threads");
    page.explained("depth", load.depth, "requests out at once on each");
    match &load.pace {
        Pace::Closed => page.comment("no rate: each connection sends its next request at once"),
        Pace::Constant { per_second } => page.pair("rate", rate(*per_second)),
        Pace::Poisson { per_second } => {
            page.pair("rate", rate(*per_second));
            spread(page, Arrivals::Poisson);
        }
        Pace::Ramp { from, to, arrivals } => {
            page.explained("rate", rate(*from), "at the start of a slice");
            page.explained("rate_to", rate(*to), "at its end");
            spread(page, *arrivals);
        }
        Pace::Steps { steps, arrivals } => {
            let steps = steps
                .iter()
                .map(|&(per_second, length)| text(Step { per_second, length }));
            page.explained("steps", list(steps), "the last to the end of a slice");
            spread(page, *arrivals);
        }
        Pace::Trace(played) => trace(page, played, slice),
        Pace::Search(search) => {
            page.explained(
                "slo",
                text(&search.slo),
                "the highest rate is looked for at which this holds",
            );
            if let Some(from) = search.from {
                page.explained("rate", rate(from), "where the search begins");
            }
            page.pair("arrivals", text(search.arrivals.name()));
        }
    }
    if let Some(think) = load.think {
        page.explained("think", text(think), "rest after each answer");
    }
    page.pair("timeout", text(Time(load.timeout)));
    page.pair("keep_alive", load.keep_alive);
    if let Some(requests) = load.requests {
        page.explained("requests", requests, "a slice ends after so many");
    }
}

/// Even arrivals go without saying.
fn spread(page: &mut Page, arrivals: Arrivals) {
    if arrivals != Arrivals::Constant {
        page.pair("arrivals", text(arrivals.name()));
    }
}

fn trace(page: &mut Page, trace: &Trace, slice: Duration) {
    let all = trace.offsets.len();
    let sent = trace.due_within(slice.as_secs_f64());
    let what_happens = if sent < all {
        format!("{} of them after the end of a slice, not sent", all - sent)
    } else {
        "a slice ends with the last".to_owned()
    };
    let arrivals = match all {
        1 => "1 arrival".to_owned(),
        all => format!("{all} arrivals over {}", Time(trace.length())),
    };
    page.explained(
        "trace",
        text(trace.path.display()),
        &format!("{arrivals}; {what_happens}"),
    );
    page.explained("trace_speed", trace.speed, "times as fast as recorded");
}

/// A rate outside what [`Rate`] allows cannot come out of a draft.
fn rate(per_second: f64) -> String {
    match Rate::per_second(per_second) {
        Ok(rate) => text(rate),
        Err(_) => per_second.to_string(),
    }
}

fn target(page: &mut Page, target: &Target, all: &[Target], variables: &Variables) {
    page.table("[[target]]");
    let sweep = target.sweep.as_ref();
    page.pair("name", text(sweep.map_or(&target.name, |point| &point.of)));
    match &target.reach {
        Reach::Endpoint { url } if target.way.hosts.is_empty() => page.pair("url", text(url)),
        Reach::Endpoint { .. } => page.pair("urls", list(target.way.hosts.iter().map(text))),
        Reach::Launched(launched) => launch(page, sweep.map_or(launched, |point| &point.template)),
        Reach::Builtin(builtin) => page.pair("builtin", text(Named::name(*builtin))),
    }
    if let Some(point) = sweep {
        page.explained("sweep", sweep_table(point, all), "a target for each value");
    }
    way(page, &target.way);
    if let Some(keys) = &target.credentials {
        credentials(page, keys, &variables.of(&target.name));
    }
    page.name_unless("signature", target.signature);
    if target.region != DEFAULT_REGION {
        page.pair("region", text(&target.region));
    }
}

/// Every parameter with its values, as the points of the sweep have them.
fn sweep_table(first: &SweepPoint, all: &[Target]) -> String {
    let points = || {
        let points = all.iter().filter_map(|target| target.sweep.as_ref());
        points.filter(|point| point.of == first.of)
    };
    let axes = first.values.iter().map(|(name, _)| {
        let mut values: Vec<&String> = Vec::new();
        let mine = points().flat_map(|point| &point.values);
        for (_, value) in mine.filter(|(other, _)| other == name) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        format!("{name} = {}", list(values.into_iter().map(text)))
    });
    format!("{{ {} }}", axes.collect::<Vec<_>>().join(", "))
}

/// What differs from the simplest way.
fn way(page: &mut Page, way: &Way) {
    if way.http != HttpVersion::default() {
        page.pair("http", text(way.http.name()));
    }
    if let Some(path) = &way.unix {
        page.pair("unix", text(path.display()));
    }
    if !way.resolve.is_empty() {
        page.pair("resolve", list(way.resolve.iter().map(text)));
    }
    if let Some(version) = way.ip_version {
        page.pair("ip_version", version.name());
    }
    if let Some(source) = way.source {
        page.pair("source", text(source));
    }
    let pairs = tls(&way.tls);
    if !pairs.is_empty() {
        let pairs = pairs.iter().map(|(key, value)| format!("{key} = {value}"));
        let table = format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "));
        match way.tls.insecure {
            true => page.explained("tls", table, "certificates are not checked"),
            false => page.pair("tls", table),
        }
    }
}

fn tls(tls: &Tls) -> Vec<(&'static str, String)> {
    let path = |path: &PathBuf| text(path.display());
    let client = |file: fn(&ClientCertificate) -> &PathBuf| tls.client.as_ref().map(file);
    [
        ("ca", tls.ca.as_ref().map(path)),
        ("cert", client(|client| &client.cert).map(path)),
        ("key", client(|client| &client.key).map(path)),
        ("insecure", tls.insecure.then(|| "true".to_owned())),
        ("server_name", tls.server_name.as_ref().map(text)),
        ("resume", tls.resume.then(|| "true".to_owned())),
        ("version", tls.version.map(|version| text(version.name()))),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key, value?)))
    .collect()
}

fn launch(page: &mut Page, launch: &Launch) {
    page.pair("command", list(launch.command.iter().map(text)));
    if !launch.env.is_empty() {
        page.pair("env", inline_table(&launch.env));
    }
    if let Some(directory) = &launch.directory {
        page.pair("directory", text(directory.display()));
    }
    page.pair("url", text(&launch.url));
    match &launch.ready {
        Ready::Port => page.pair("ready", "{ port = true }"),
        Ready::Url(url) => page.pair("ready", format!("{{ url = {} }}", text(url))),
        Ready::Log(line) => page.pair("ready", format!("{{ log = {} }}", text(line))),
    }
    page.pair("ready_within", text(Time(launch.ready_within)));
    page.pair("stop_within", text(Time(launch.stop_within)));
}

fn credentials(page: &mut Page, keys: &Credentials, suffix: &str) {
    if keys.secret_key_source == KeySource::Generated {
        page.comment("credentials are made up for every run");
        return;
    }
    key(page, "access_key", &keys.access_key_source, suffix);
    key(page, "secret_key", &keys.secret_key_source, suffix);
    if let Some(token) = &keys.session_token {
        key(page, "session_token", &token.source, suffix);
    }
}

fn key(page: &mut Page, name: &str, source: &KeySource, suffix: &str) {
    match source {
        KeySource::Env(variable) => page.pair(&format!("{name}_env"), text(variable)),
        KeySource::File(path) => page.pair(&format!("{name}_file"), text(path.display())),
        KeySource::Generated => {}
        KeySource::Literal => {
            let variable = format!("TENBIN_{}{suffix}", name.to_uppercase());
            page.explained(
                &format!("{name}_env"),
                text(variable),
                "keys are not written down: put it there",
            );
        }
    }
}

/// In which environment variables to put keys that were given literally: the
/// same for all targets if all have the same, else one for each target.
struct Variables {
    suffixes: BTreeMap<String, String>,
}

impl Variables {
    fn new(targets: Vec<&Target>) -> Self {
        let literal: Vec<&Target> = targets
            .into_iter()
            .filter(|target| has_literal(target))
            .collect();
        let same = literal
            .windows(2)
            .all(|pair| same_secrets(pair[0], pair[1]));
        let mut suffixes = BTreeMap::new();
        for (index, target) in literal.iter().enumerate() {
            let by_name = format!("_{}", as_variable(&target.name));
            let suffix = match same {
                true => String::new(),
                false if suffixes.values().any(|taken| *taken == by_name) => {
                    format!("{by_name}_{index}")
                }
                false => by_name,
            };
            suffixes.insert(target.name.clone(), suffix);
        }
        Self { suffixes }
    }

    fn of(&self, target: &str) -> String {
        self.suffixes.get(target).cloned().unwrap_or_default()
    }
}

fn same_secrets(one: &Target, other: &Target) -> bool {
    let secrets = |target: &Target| {
        let keys = target.credentials.as_ref()?;
        let token = keys.session_token.as_ref();
        let token = token.map(|token| token.secret.clone());
        Some((keys.access_key.clone(), keys.secret_key.clone(), token))
    };
    secrets(one) == secrets(other)
}

fn has_literal(target: &Target) -> bool {
    target.credentials.as_ref().is_some_and(|keys| {
        let token = keys.session_token.as_ref();
        keys.access_key_source == KeySource::Literal
            || keys.secret_key_source == KeySource::Literal
            || token.is_some_and(|token| token.source == KeySource::Literal)
    })
}

fn as_variable(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    name.chars().map(plain).collect()
}

fn workload(page: &mut Page, workload: &Workload, own_load: bool, slice: Duration) {
    page.table("[[workload]]");
    page.pair("name", text(&workload.name));
    work(page, &workload.kind);
    if own_load {
        page.text += "[workload.load]\n";
        load(page, &workload.load, slice);
    }
}

fn work(page: &mut Page, kind: &WorkloadKind) {
    match kind {
        WorkloadKind::Http(work) => http(page, work),
        WorkloadKind::S3(work) => s3(page, work),
    }
}

/// What is sent, as keys of a workload's table.
pub(crate) fn work_as_toml(kind: &WorkloadKind) -> String {
    let mut page = Page::default();
    work(&mut page, kind);
    page.text
}

fn http(page: &mut Page, work: &HttpWork) {
    page.pair("kind", text(Kind::Http.name()));
    page.pair("method", text(&work.method));
    if let Some(path) = &work.path {
        page.pair("path", text(path));
    }
    if !work.printed_headers.is_empty() {
        let lines = work.printed_headers.iter();
        page.pair(
            "headers",
            list(lines.map(|(name, value)| text(format!("{name}: {value}")))),
        );
    }
    match &work.body_file {
        Some(path) => page.pair("body_file", text(path.display())),
        None if work.body.is_empty() => {}
        None => page.pair("body", text(String::from_utf8_lossy(&work.body))),
    }
    if !work.expect.is_empty() {
        page.pair("expect", list(work.expect.iter().map(u16::to_string)));
    }
}

fn s3(page: &mut Page, work: &S3Work) {
    let usual = S3Work::new(S3Operation::Put, 0, 1);
    let has = |which: fn(S3Operation) -> bool| work.mix.operations().any(which);
    let style = match work.virtual_host {
        true => Style::Virtual,
        false => Style::Path,
    };
    page.pair("kind", text(Kind::S3.name()));
    page.pair("operation", text(&work.mix));
    page.pair("size", text(&work.sizes));
    page.pair("bucket", text(&work.bucket));
    page.unless("buckets", work.buckets, usual.buckets);
    if let Some(prefix) = &work.prefix {
        page.pair("prefix", text(prefix));
    }
    page.pair("objects", work.objects);
    page.name_unless("keys", work.keys);
    if work.prefixes != usual.prefixes {
        page.pair("prefixes", text(&work.prefixes));
    }
    if work.choose != usual.choose {
        page.pair("choose", text(work.choose));
    }
    page.pair("style", text(style.name()));
    page.pair("payload", text(work.payload.name()));
    if has(S3Operation::reads) {
        page.explained(
            "verify",
            work.verify,
            "compare every byte with what was put",
        );
    }
    page.name_unless("checksum", work.checksum);
    page.name_unless("content", work.content);
    page.unless("compressible", work.compressible, usual.compressible);
    stored(page, &work.stored);
    page.name_unless("data", work.data);
    if has(|operation| matches!(operation, S3Operation::Multipart | S3Operation::GetPart)) {
        page.pair("part_size", text(Size(work.part_size)));
        page.pair("parts_at_once", work.parts_at_once);
    }
    if let Some(range) = work.range {
        page.pair("range", text(range));
    }
    page.name_unless("list", work.listing.form);
    if has(|operation| matches!(operation, S3Operation::List | S3Operation::ZipList)) {
        page.pair("page", work.listing.page);
    }
    if let Some(delimiter) = &work.listing.delimiter {
        page.pair("delimiter", text(delimiter));
    }
    if work.mix.has(S3Operation::DeleteBatch) {
        page.pair("batch", work.batch);
    }
    page.unless("versions", work.versions, usual.versions);
    page.unless("rewrite", work.rewrite, usual.rewrite);
    page.unless("retries", work.retries, usual.retries);
    page.unless("entries", work.entries, usual.entries);
}

fn stored(page: &mut Page, stored: &Stored) {
    page.name_unless("encryption", stored.encryption);
    if let Some(class) = &stored.storage_class {
        page.pair("storage_class", text(class));
    }
    if let Some(kind) = &stored.content_type {
        page.pair("content_type", text(kind));
    }
    let pairs = |pairs: &[(String, String)], between: &str| {
        let pairs = pairs.iter();
        list(pairs.map(|(name, value)| text(format!("{name}{between}{value}"))))
    };
    if !stored.metadata.is_empty() {
        page.pair("metadata", pairs(&stored.metadata, ": "));
    }
    if !stored.tags.is_empty() {
        page.pair("tags", pairs(&stored.tags, "="));
    }
}
