//! Keys that no plan has, and what was probably meant.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::draft::{
    CompareDraft, CorpusDraft, Draft, LoadDraft, ObserveDraft, ReadyDraft, RoundsDraft,
    TargetDraft, TlsDraft, WorkloadDraft,
};
use crate::key_names::keys_of;
use crate::problem::{Findings, Place};
use crate::suggest::nearest;
use crate::work::PROTOCOLS;
use crate::work::http::TemplateDraft;

/// One kind of table: how messages call it, and its keys.
struct Section {
    title: &'static str,
    keys: Vec<&'static str>,
}

/// Words of other tools and older habits, with the key that means the same.
const SYNONYMS: &[(&str, &str)] = &[
    ("concurrency", "connections"),
    ("levels", "ramp"),
    ("objective", "slo"),
    ("clients", "connections"),
    ("concurrent", "connections"),
    ("users", "connections"),
    ("vus", "connections"),
    ("workers", "threads"),
    ("reference", "baseline"),
    ("twin", "aa"),
    ("equivalence", "margin"),
    ("thresholds", "expect"),
    ("primary", "decide"),
    ("metric", "decide"),
    ("precision", "until"),
    ("max_rounds", "max_count"),
    ("matrix", "sweep"),
    ("pipeline", "depth"),
    ("pipelining", "depth"),
    ("streams", "depth"),
    ("rps", "rate"),
    ("qps", "rate"),
    ("max_requests", "requests"),
    ("arrival", "arrivals"),
    ("stages", "steps"),
    ("keepalive", "keep_alive"),
    ("iterations", "count"),
    ("rounds", "count"),
    ("pause", "gap"),
    ("time", "duration"),
    ("warm_up", "warmup"),
    ("targets", "target"),
    ("workloads", "workload"),
    ("server", "target"),
    ("endpoint", "url"),
    ("host", "url"),
    ("address", "url"),
    ("hosts", "urls"),
    ("endpoints", "urls"),
    ("protocol", "http"),
    ("http_version", "http"),
    ("unix_socket", "unix"),
    ("socket", "unix"),
    ("interface", "source"),
    ("bind", "source"),
    ("cacert", "ca"),
    ("ca_file", "ca"),
    ("cert_file", "cert"),
    ("key_file", "key"),
    ("sni", "server_name"),
    ("cmd", "command"),
    ("environment", "env"),
    ("cwd", "directory"),
    ("workdir", "directory"),
    ("ready_timeout", "ready_within"),
    ("stop_timeout", "stop_within"),
    ("op", "operation"),
    ("type", "kind"),
    ("header", "headers"),
    ("status", "expect"),
    ("object_size", "size"),
    ("object_count", "objects"),
    ("mix", "operation"),
    ("sizes", "size"),
    ("distribution", "choose"),
    ("max_keys", "page"),
    ("user", "access_key"),
    ("password", "secret_key"),
    ("token", "session_token"),
    ("security_token", "session_token"),
    ("signature_version", "signature"),
];

/// Takes every unknown key out of a plan's table and notes it.
pub(crate) fn remove_unknown(plan: &mut DeTable<'_>, findings: &mut Findings) {
    let sections = Sections::new();
    sections.check(&sections.plan, plan, findings);
    for (name, value) in plan.iter_mut() {
        let place = Place::Byte(name.span().start);
        match (name.get_ref().as_ref(), value.get_mut()) {
            ("compare", DeValue::Table(table)) => {
                sections.check(&sections.compare, table, findings);
            }
            ("rounds", DeValue::Table(table)) => sections.check(&sections.rounds, table, findings),
            ("corpus", DeValue::Table(table)) => sections.check(&sections.corpus, table, findings),
            ("load", DeValue::Table(table)) => sections.check(&sections.load, table, findings),
            ("target", value) => {
                sections.each(value, "target", place, findings, |table, findings| {
                    sections.check(&sections.target, table, findings);
                    sections.inside(table, "ready", &sections.ready, findings);
                    sections.inside(table, "tls", &sections.tls, findings);
                    sections.inside(table, "observe", &sections.observe, findings);
                })
            }
            ("workload", value) => {
                sections.each(value, "workload", place, findings, |table, findings| {
                    spread_patterns(table);
                    sections.check(&sections.workload, table, findings);
                    sections.templates(table, findings);
                    sections.inside(table, "load", &sections.workload_load, findings);
                    gather_work(table, findings);
                });
            }
            _ => {}
        }
    }
}

/// `[workload.patterns]` with `terms` and `by_target` in it means `patterns` and `by_target` of
/// the workload.
fn spread_patterns(workload: &mut DeTable<'_>) {
    let Some(DeValue::Table(inner)) = workload.get_mut("patterns").map(toml::Spanned::get_mut)
    else {
        return;
    };
    let inner = std::mem::take(inner);
    workload.remove("patterns");
    for (mut name, value) in inner {
        if name.get_ref() == "terms" {
            *name.get_mut() = "patterns".into();
        }
        workload.insert(name, value);
    }
}

/// Keys of every workload, whatever its protocol is.
fn common_keys() -> impl Iterator<Item = &'static str> {
    let keys = keys_of::<WorkloadDraft>().iter().copied();
    keys.filter(|key| *key != WORK)
}

/// Where a draft has the keys of a workload's protocol; a plan file has them among the others.
const WORK: &str = "work";

/// Puts the keys of a workload's protocol into a table of their own, by the name of the protocol.
/// Notes keys that only other protocols have. Without a right `kind`, the missing work is noted later.
fn gather_work(workload: &mut DeTable<'_>, findings: &mut Findings) {
    let kind = workload
        .get("kind")
        .and_then(|kind| kind.get_ref().as_str());
    let own = kind.and_then(|kind| PROTOCOLS.iter().find(|entry| entry.traits.name == kind));
    let is_common = |key: &str| common_keys().any(|common| common == key);
    let (common, keys) = std::mem::take(workload)
        .into_iter()
        .partition::<DeTable<'_>, _>(|(key, _)| is_common(key.get_ref()));
    *workload = common;
    let Some(own) = own else {
        return;
    };
    let mut gathered = DeTable::new();
    for (key, value) in keys {
        let name = key.get_ref().as_ref();
        if (own.keys)().contains(&name) {
            gathered.insert(key, value);
            continue;
        }
        let mut others = PROTOCOLS.iter();
        if let Some(other) = others.find(|entry| (entry.keys)().contains(&name)) {
            let (theirs, ours) = (other.traits.name, own.traits.name);
            findings.about(
                Place::Byte(value.span().start),
                name,
                format!("is for workloads of kind {theirs:?}; this one is of kind {ours:?}"),
            );
        }
    }
    let table = |table| Spanned::new(0..0, DeValue::Table(table));
    let mut work = DeTable::new();
    work.insert(Spanned::new(0..0, own.traits.name.into()), table(gathered));
    workload.insert(Spanned::new(0..0, WORK.into()), table(work));
}

struct Sections {
    plan: Section,
    compare: Section,
    rounds: Section,
    load: Section,
    corpus: Section,
    target: Section,
    ready: Section,
    tls: Section,
    observe: Section,
    workload: Section,
    workload_load: Section,
    template: Section,
}

impl Sections {
    fn new() -> Self {
        let with = |title, keys: Vec<&'static str>| Section { title, keys };
        let section = |title, keys: &[&'static str]| with(title, keys.to_vec());
        let of_protocols = PROTOCOLS
            .iter()
            .flat_map(|entry| (entry.keys)().iter().copied());
        Self {
            plan: section("at the top of the plan", keys_of::<Draft>()),
            compare: section("in [compare]", keys_of::<CompareDraft>()),
            rounds: section("in [rounds]", keys_of::<RoundsDraft>()),
            load: section("in [load]", keys_of::<LoadDraft>()),
            corpus: section("in [corpus]", keys_of::<CorpusDraft>()),
            target: section("in [[target]]", keys_of::<TargetDraft>()),
            ready: section("in ready", keys_of::<ReadyDraft>()),
            tls: section("in tls", keys_of::<TlsDraft>()),
            observe: section("in observe", keys_of::<ObserveDraft>()),
            workload: with(
                "in [[workload]]",
                common_keys().chain(of_protocols).collect(),
            ),
            workload_load: section("in [workload.load]", keys_of::<LoadDraft>()),
            template: section("in by_target", keys_of::<TemplateDraft>()),
        }
    }

    fn check(&self, section: &Section, table: &mut DeTable<'_>, findings: &mut Findings) {
        let unknown: Vec<(String, Place)> = table
            .keys()
            .filter(|key| !section.keys.contains(&key.get_ref().as_ref()))
            .map(|key| (key.get_ref().to_string(), Place::Byte(key.span().start)))
            .collect();
        for (name, place) in unknown {
            let hint = self.hint(section, &name);
            findings.add(
                place,
                format!("unknown key {name:?} {}{hint}", section.title),
            );
            table.remove(name.as_str());
        }
    }

    /// Checks the table that stands in `table` under `key`.
    fn inside(
        &self,
        table: &mut DeTable<'_>,
        key: &str,
        section: &Section,
        findings: &mut Findings,
    ) {
        match table.get_mut(key).map(toml::Spanned::get_mut) {
            Some(DeValue::Table(inner)) => self.check(section, inner, findings),
            Some(DeValue::Array(list)) => {
                for item in list.iter_mut() {
                    if let DeValue::Table(inner) = item.get_mut() {
                        self.check(section, inner, findings);
                    }
                }
            }
            _ => {}
        }
    }

    /// Checks the templates of a workload.
    fn templates(&self, workload: &mut DeTable<'_>, findings: &mut Findings) {
        let table = workload.get_mut("by_target").map(toml::Spanned::get_mut);
        let Some(DeValue::Table(table)) = table else {
            return;
        };
        for (_, template) in table.iter_mut() {
            if let DeValue::Table(template) = template.get_mut() {
                self.check(&self.template, template, findings);
            }
        }
    }

    /// Runs `check` on every table of a list of tables.
    fn each(
        &self,
        value: &mut DeValue<'_>,
        name: &str,
        place: Place,
        findings: &mut Findings,
        check: impl Fn(&mut DeTable<'_>, &mut Findings),
    ) {
        match value {
            DeValue::Array(list) => {
                for item in list.iter_mut() {
                    if let DeValue::Table(table) = item.get_mut() {
                        check(table, findings);
                    }
                }
            }
            DeValue::Table(table) => {
                findings.add(
                    place,
                    format!("[{name}] needs double brackets, [[{name}]]: there may be several"),
                );
                check(table, findings);
                let table = std::mem::take(table);
                let mut list = toml::de::DeArray::new();
                list.push(toml::Spanned::new(0..0, DeValue::Table(table)));
                *value = DeValue::Array(list);
            }
            _ => {}
        }
    }

    fn hint(&self, section: &Section, name: &str) -> String {
        let synonyms = SYNONYMS
            .iter()
            .filter(|(_, meant)| section.keys.contains(meant))
            .map(|&(word, _)| word);
        let near = nearest(name, section.keys.iter().copied().chain(synonyms));
        if let Some(word) = near {
            let meant = SYNONYMS
                .iter()
                .filter(|_| !section.keys.contains(&word))
                .find(|&&(synonym, meant)| synonym == word && section.keys.contains(&meant))
                .map_or(word, |&(_, meant)| meant);
            return format!("; did you mean {meant:?}?");
        }
        let homes = [
            &self.compare,
            &self.rounds,
            &self.load,
            &self.corpus,
            &self.target,
            &self.tls,
            &self.workload,
        ];
        let meant = SYNONYMS
            .iter()
            .find(|&&(synonym, _)| synonym == name)
            .map_or(name, |&(_, meant)| meant);
        match homes.iter().find(|home| home.keys.contains(&meant)) {
            Some(home) => format!("; {meant:?} belongs {}", home.title),
            None => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const PAGE: &str = include_str!("../../../docs/plan-file.md");

    /// What stands in code in the first cells of the tables below a heading, and
    /// below the headings inside it.
    fn documented(heading: &str) -> BTreeSet<&'static str> {
        let level = heading.bytes().take_while(|&byte| byte == b'#').count();
        let starts_another = |line: &&str| {
            let depth = line.bytes().take_while(|&byte| byte == b'#').count();
            !(1..=level).contains(&depth)
        };
        PAGE.lines()
            .skip_while(|line| *line != heading)
            .skip(1)
            .take_while(starts_another)
            .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
            .map(|(key, _)| key)
            .filter(|key| key.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_')))
            .collect()
    }

    #[test]
    fn the_page_on_plan_files_has_every_key_and_no_other() {
        let sections = Sections::new();
        // Tables inside have headings of their own, or a row in another table.
        let elsewhere = |section: &Section, others: &[&'static str]| {
            let keys = section.keys.iter().copied();
            keys.filter(|key| !others.contains(key)).collect()
        };
        let tables = ["compare", "rounds", "load", "corpus", "target", "workload"];
        let ways = ["command", "builtin"];
        let mut target_keys: BTreeSet<&str> = elsewhere(&sections.target, &ways);
        target_keys.extend(&sections.tls.keys);
        target_keys.extend(&sections.observe.keys);
        let expected: [(&str, BTreeSet<&str>); 6] = [
            ("## Top level", elsewhere(&sections.plan, &tables)),
            ("## `[compare]`", elsewhere(&sections.compare, &[])),
            ("## `[rounds]`", elsewhere(&sections.rounds, &[])),
            ("## `[load]`", elsewhere(&sections.load, &[])),
            ("## `[corpus]`", elsewhere(&sections.corpus, &[])),
            ("## `[[target]]`", target_keys),
        ];
        for (heading, keys) in expected {
            assert_eq!(documented(heading), keys, "{heading}");
        }
        assert_eq!(
            documented("## `[[workload]]`"),
            elsewhere(&sections.workload, &[]),
            "workload"
        );
        let in_text = ways.iter().chain(&sections.ready.keys);
        for key in in_text {
            assert!(
                PAGE.contains(&format!("`{key}`")) || PAGE.contains(&format!("{{ {key} = ")),
                "{key}"
            );
        }
    }
}
