//! Finds unknown keys of a plan, and suggests the keys that were probably meant.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::draft::{
    AgentsDraft, CompareDraft, CorpusDraft, Draft, GateDraft, LoadDraft, ObserveDraft, OutputDraft,
    RoundsDraft, WorkloadDraft,
};
use crate::keys::row::{Key, Section};
use crate::keys::suggest::{meant_by, nearest};
use crate::plan_file::problem::{Findings, Place};
use crate::target::{ReadyDraft, TargetDraft, TlsDraft};
use crate::work::PROTOCOLS;
use crate::work::http::TemplateDraft;
use crate::{Sentence, sentence};

/// The keys of one kind of table.
struct Known {
    /// Name of the table in messages: `in [rounds]`.
    title: &'static str,
    /// Names of the keys, each with synonyms from other tools.
    names: Vec<(&'static str, &'static [&'static str])>,
}

impl Known {
    fn of<S: Section>() -> Self {
        Self::new(S::TITLE, S::KEYS.iter())
    }

    fn new<'a>(title: &'static str, keys: impl Iterator<Item = &'a Key>) -> Self {
        let names = keys.map(|key| (key.name, key.synonyms)).collect();
        Self { title, names }
    }

    /// Adds the names of the tables that this kind of table can contain.
    fn and(mut self, tables: &[(&'static str, &'static [&'static str])]) -> Self {
        self.names.extend(tables);
        self
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|(known, _)| *known == name)
    }

    /// The key whose name is `word`, otherwise the key that has `word` as a synonym.
    fn meant(&self, word: &str) -> Option<&'static str> {
        let by_name = self.names.iter().find(|(name, _)| *name == word);
        let by_synonym = || {
            let mut names = self.names.iter();
            names.find(|(_, synonyms)| synonyms.contains(&word))
        };
        by_name.or_else(by_synonym).map(|(name, _)| *name)
    }

    /// All names and synonyms.
    fn words(&self) -> impl Iterator<Item = &'static str> {
        let synonyms = self.names.iter().flat_map(|(_, synonyms)| *synonyms);
        let names = self.names.iter().map(|(name, _)| *name);
        names.chain(synonyms.copied())
    }
}

/// The tables at the top of a plan.
const TABLES: &[(&str, &[&str])] = &[
    ("compare", &[]),
    ("rounds", &[]),
    ("load", &[]),
    ("output", &[]),
    ("agents", &[]),
    ("corpus", &[]),
    ("gate", &[]),
    ("target", &["targets", "server"]),
    ("workload", &["workloads"]),
];

/// Removes and reports every unknown key of a plan.
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
            ("gate", DeValue::Table(table)) => sections.check(&sections.gate, table, findings),
            ("output", DeValue::Table(table)) => sections.check(&sections.output, table, findings),
            ("agents", DeValue::Table(table)) => sections.check(&sections.agents, table, findings),
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

/// Replaces a table `[workload.patterns]` by keys of the workload: `terms` becomes `patterns`, and
/// the other keys, such as `by_target`, keep their names.
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

/// The keys that workloads of all protocols have in common.
fn common() -> Known {
    Known::of::<WorkloadDraft>().and(&[("load", &[])])
}

/// The key below which a draft holds the keys of a workload's protocol. In a plan file, these keys
/// are among the other keys of the workload.
const WORK: &str = "work";

/// Moves the keys of a workload's protocol into a separate table with the name of the protocol.
/// Reports keys that only other protocols have. If `kind` is missing or wrong, the keys of all
/// protocols are removed, and the mistake is reported later.
fn gather_work(workload: &mut DeTable<'_>, findings: &mut Findings) {
    let kind = workload
        .get("kind")
        .and_then(|kind| kind.get_ref().as_str());
    let own = kind.and_then(|kind| PROTOCOLS.iter().find(|entry| entry.traits.name == kind));
    let common_keys = common();
    let (common, keys) = std::mem::take(workload)
        .into_iter()
        .partition::<DeTable<'_>, _>(|(key, _)| common_keys.has(key.get_ref()));
    *workload = common;
    let Some(own) = own else {
        return;
    };
    let mut gathered = DeTable::new();
    for (key, value) in keys {
        let name = key.get_ref().as_ref();
        let has = |keys: &[Key]| keys.iter().any(|key| key.name == name);
        if has(own.keys) {
            gathered.insert(key, value);
            continue;
        }
        let mut others = PROTOCOLS.iter();
        if let Some(other) = others.find(|entry| has(entry.keys)) {
            let (theirs, ours) = (other.traits.name, own.traits.name);
            findings.about(
                Place::Byte(value.span().start),
                name,
                sentence!(
                    "key-of-other-kind",
                    "is for workloads of kind {theirs:?}; this one is of kind {ours:?}",
                    theirs,
                    ours
                ),
            );
        }
    }
    let table = |table| Spanned::new(0..0, DeValue::Table(table));
    let mut work = DeTable::new();
    work.insert(Spanned::new(0..0, own.traits.name.into()), table(gathered));
    workload.insert(Spanned::new(0..0, WORK.into()), table(work));
}

struct Sections {
    plan: Known,
    compare: Known,
    rounds: Known,
    load: Known,
    output: Known,
    agents: Known,
    corpus: Known,
    gate: Known,
    target: Known,
    ready: Known,
    tls: Known,
    observe: Known,
    workload: Known,
    workload_load: Known,
    template: Known,
}

impl Sections {
    fn new() -> Self {
        let of_protocols = PROTOCOLS.iter().flat_map(|entry| entry.keys);
        let mut workload = common();
        workload.names.extend(Known::new("", of_protocols).names);
        Self {
            plan: Known::of::<Draft>().and(TABLES),
            compare: Known::of::<CompareDraft>(),
            rounds: Known::of::<RoundsDraft>(),
            load: Known::of::<LoadDraft>(),
            output: Known::of::<OutputDraft>(),
            agents: Known::of::<AgentsDraft>(),
            corpus: Known::of::<CorpusDraft>(),
            gate: Known::of::<GateDraft>(),
            target: Known::of::<TargetDraft>(),
            ready: Known::of::<ReadyDraft>(),
            tls: Known::of::<TlsDraft>(),
            observe: Known::of::<ObserveDraft>(),
            workload,
            workload_load: Known {
                title: "in [workload.load]",
                ..Known::of::<LoadDraft>()
            },
            template: Known::of::<TemplateDraft>(),
        }
    }

    fn check(&self, section: &Known, table: &mut DeTable<'_>, findings: &mut Findings) {
        let unknown: Vec<(String, Place)> = table
            .keys()
            .filter(|key| !section.has(key.get_ref()))
            .map(|key| (key.get_ref().to_string(), Place::Byte(key.span().start)))
            .collect();
        if unknown.is_empty() {
            return;
        }
        for (name, place) in unknown {
            // A hint compares the name with all keys, which takes long for a file of mistakes.
            let hint = if findings.is_full() {
                Sentence::default()
            } else {
                self.hint(section, &name)
            };
            findings.add(
                place,
                sentence!(
                    "unknown-key",
                    "unknown key {name:?} {title}{hint}",
                    name,
                    title = Sentence::fixed(section.title),
                    hint
                ),
            );
        }
        // Removing keys one by one would move all later keys each time.
        let all = std::mem::take(table).into_iter();
        *table = all.filter(|(key, _)| section.has(key.get_ref())).collect();
    }

    /// Checks the keys of the table at `key` in `table`, or of every table in a list at `key`.
    fn inside(&self, table: &mut DeTable<'_>, key: &str, section: &Known, findings: &mut Findings) {
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

    /// Checks the keys of a workload's request templates (`by_target`).
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
                    sentence!(
                        "double-brackets",
                        "[{name}] needs double brackets, [[{name}]], because a plan can have \
                         several",
                        name
                    ),
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

    fn hint(&self, section: &Known, name: &str) -> Sentence {
        let near = nearest(name, section.words());
        if let Some(meant) = near.and_then(|word| section.meant(word)) {
            return meant_by(Some(meant));
        }
        let homes = [
            &self.compare, &self.rounds, &self.load, &self.output, &self.agents, &self.corpus,
            &self.gate, &self.target, &self.tls, &self.workload,
        ];
        let mut homes = homes.iter();
        let found = homes.find_map(|home| Some((home.meant(name)?, home.title)));
        match found {
            Some((meant, title)) => sentence!(
                "key-belongs",
                "; {meant:?} belongs {title}",
                meant,
                title = Sentence::fixed(title)
            ),
            None => Sentence::default(),
        }
    }
}
