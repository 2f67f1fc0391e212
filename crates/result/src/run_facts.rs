//! What the list and the history of runs need of a result, without the rest.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use tenbin_record::{CpuQuota, Environment};

use crate::comparison::Comparison;
use crate::document::{Run, SCHEMA, Target};
use crate::figure::Figure;
use crate::history::CircumstanceKind;
use crate::metric::{Metric, MetricName};
use crate::percentiles::TimeAt;
use crate::trust::Trust;
use crate::workload::Workload;

/// The CPU quota of processes that have none, in place of a number of cores.
pub const UNLIMITED: &str = "unlimited";

/// The facts about a run that its history needs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunFacts {
    /// Start of the run, RFC 3339, UTC; empty for imported results.
    pub started: String,
    /// Whether the result was imported from files of other tools.
    pub imported: bool,
    /// Name of the baseline.
    pub baseline: Option<String>,
    /// Name of the target that the plan calls its anchor.
    pub anchor: Option<String>,
    /// What is known of the circumstances.
    pub circumstances: Vec<KnownFact>,
    /// The settings of each workload by key.
    pub settings: BTreeMap<String, BTreeMap<String, SettingFact>>,
    /// The figures.
    pub figures: Vec<FigureFacts>,
}

/// A setting of a workload.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingFact {
    /// The value.
    pub value: String,
    /// Whether the value is the default. A version that does not know the setting does the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub usual: bool,
}

/// A known circumstance of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownFact {
    /// What it is.
    pub what: CircumstanceKind,
    /// Name of the target that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// The value.
    pub value: String,
}

/// A figure of a workload on a target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FigureFacts {
    /// Name of the workload.
    pub workload: String,
    /// Name of the target.
    pub target: String,
    /// Name of the figure.
    pub metric: MetricName,
    /// Whether the figure decides comparisons of the workload.
    pub primary: bool,
    /// The absolute figure.
    pub value: Option<Figure>,
    /// How far the absolute figure can be trusted.
    pub trust: Trust,
    /// The ratio to the baseline; `None` for the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Figure>,
    /// How far the ratio can be trusted.
    pub ratio_trust: Trust,
    /// The ratio to the baseline in each complete block, in run order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<f64>,
}

/// The members of a document that are read; all others are skipped.
#[derive(Deserialize)]
struct Partial {
    schema: String,
    run: Run,
    trust: Trust,
    #[serde(default)]
    comparisons: Vec<Comparison>,
    results: Vec<PartialResult>,
    #[serde(default)]
    targets: Vec<Target>,
    #[serde(default)]
    workloads: Vec<Workload>,
    #[serde(default)]
    environment: Environment,
}

#[derive(Deserialize)]
struct PartialResult {
    workload: String,
    target: String,
    #[serde(default)]
    throughput: Option<Figure>,
    #[serde(default)]
    server_cpu: Option<Figure>,
    #[serde(default)]
    operations: Vec<PartialOperation>,
    #[serde(default)]
    spectrum: Vec<TimeAt>,
}

#[derive(Deserialize)]
struct PartialOperation {
    #[serde(default)]
    p50: Option<Figure>,
    #[serde(default)]
    p99: Option<Figure>,
}

impl RunFacts {
    /// Reads the facts from a result document.
    ///
    /// # Errors
    /// If the text is no result document of a known version; the reason in one clause.
    pub fn read(content: &[u8]) -> Result<Self, String> {
        let document: Partial =
            serde_json::from_slice(content).map_err(|error| error.to_string())?;
        if document.schema != SCHEMA {
            return Err(format!("is no document of the schema {SCHEMA}"));
        }
        Ok(document.facts())
    }
}

impl Partial {
    fn facts(self) -> RunFacts {
        let twin = self.run.twin.clone();
        let imported = self.run.is_imported();
        let figures = self
            .results
            .iter()
            .filter(|result| Some(&result.target) != twin.as_ref())
            .flat_map(|result| self.figures(result))
            .collect();
        RunFacts {
            circumstances: if imported {
                Vec::new()
            } else {
                circumstances(&self.run, &self.environment, &self.targets)
            },
            settings: self.workloads.iter().map(settings).collect(),
            figures,
            imported,
            started: self.run.started,
            baseline: self.run.baseline,
            anchor: self.run.anchor,
        }
    }

    fn figures(&self, result: &PartialResult) -> Vec<FigureFacts> {
        let workload = self.workloads.iter().find(|it| it.name == result.workload);
        let closed = workload.is_none_or(|workload| workload.closed_loop);
        let metrics = Metric::of_load(closed).iter();
        let mut named: Vec<MetricName> = metrics.map(|metric| (*metric).into()).collect();
        let compared = self.comparisons.iter();
        for each in compared.filter(|each| each.workload == result.workload) {
            if !named.contains(&each.metric) {
                named.push(each.metric.clone());
            }
        }
        let of = |metric: &MetricName| self.figure(result, metric, closed);
        named.iter().filter_map(of).collect()
    }

    /// `None` if the result has neither the figure nor its ratio.
    fn figure(
        &self,
        result: &PartialResult,
        metric: &MetricName,
        closed: bool,
    ) -> Option<FigureFacts> {
        let mut compared = self
            .comparisons
            .iter()
            .filter(|each| each.workload == result.workload && each.metric == *metric);
        let own = compared
            .clone()
            .find(|each| each.challenger == result.target);
        let default = *metric == Metric::default_primary(closed);
        let value = result.value(metric);
        let has_ratio = own.is_some_and(|each| each.ratio.is_some());
        (value.is_some() || has_ratio).then(|| FigureFacts {
            workload: result.workload.clone(),
            target: result.target.clone(),
            metric: metric.clone(),
            primary: compared.next().map_or(default, |each| each.primary),
            value,
            trust: self.trust,
            ratio: own.and_then(|each| each.ratio),
            ratio_trust: own.map_or(self.trust, |each| each.trust),
            blocks: own.map_or_else(Vec::new, |each| each.block_ratios.clone()),
        })
    }
}

impl PartialResult {
    fn value(&self, metric: &MetricName) -> Option<Figure> {
        let quantile = match metric.known()? {
            Metric::Throughput => return self.throughput,
            Metric::ServerCpu => return self.server_cpu,
            Metric::SERVICE_P50 | Metric::RESPONSE_P50 => 0.5,
            Metric::SERVICE_P99 | Metric::RESPONSE_P99 => 0.99,
            _ => return None,
        };
        if let [only] = self.operations.as_slice() {
            return if quantile == 0.5 { only.p50 } else { only.p99 };
        }
        let at = |time: &&TimeAt| (time.quantile - quantile).abs() < 1e-9;
        self.spectrum.iter().find(at).map(|time| Figure {
            value: time.seconds,
            interval: None,
            n: 1,
        })
    }
}

/// The settings of a workload; for documents of older versions and imported results, its description
/// and load.
fn settings(workload: &Workload) -> (String, BTreeMap<String, SettingFact>) {
    let fact = |value: &String, usual| SettingFact {
        value: value.clone(),
        usual,
    };
    let mut all = BTreeMap::new();
    match &workload.settings {
        Some(settings) => {
            let facts = settings
                .iter()
                .map(|one| (one.key.clone(), fact(&one.value, one.usual)));
            all.extend(facts);
        }
        None => {
            all.insert("description".to_owned(), fact(&workload.description, false));
        }
    }
    all.insert("load".to_owned(), fact(&workload.load, false));
    let request = workload
        .request
        .as_deref()
        .and_then(|it| it.split_once(' '));
    if let Some((_, path)) = request
        && all.contains_key("method")
    {
        // The path can also stand in the URL of the target. Targets with different URLs have no common
        // request, so that a run without a path is no difference.
        let path = fact(&path.to_owned(), true);
        all.entry("path".to_owned()).or_insert(path);
    }
    (workload.name.clone(), all)
}

fn circumstances(run: &Run, here: &Environment, targets: &[Target]) -> Vec<KnownFact> {
    use CircumstanceKind as Kind;

    let number = |number: Option<u64>| number.map(|number| number.to_string());
    let agents: Vec<&str> = here
        .agents
        .iter()
        .map(|agent| agent.name.as_str())
        .collect();
    let seconds = run.slice_seconds.map(|seconds| format!("{seconds} s"));
    let whole = [
        (Kind::Machine, here.hostname.clone()),
        (Kind::Kernel, here.kernel.clone()),
        (Kind::Cpu, here.cpu_model.clone()),
        (Kind::Cores, number(here.cores)),
        (Kind::CpuQuota, quota(here.cpu_quota)),
        (Kind::Memory, memory(here.memory_bytes)),
        (Kind::Governor, here.governor.clone()),
        (Kind::Tenbin, here.tenbin_version.clone()),
        (Kind::Threads, number(run.threads)),
        (
            Kind::Agents,
            (!agents.is_empty()).then(|| agents.join(", ")),
        ),
        (Kind::Slice, seconds),
    ];
    let whole = whole.into_iter().map(|(what, value)| (what, None, value));
    let of_target = |target: &Target| {
        let known = here.targets.get(&target.name);
        let program = known.map(|known| {
            let mut text = String::new();
            for file in &known.program {
                let separator = if text.is_empty() { "" } else { ", " };
                let _ = write!(
                    text,
                    "{separator}{} ({} bytes, modified {} s after 1970)",
                    file.path,
                    file.bytes,
                    file.modified_ns / 1_000_000_000
                );
            }
            text
        });
        let name = Some(target.name.clone());
        [
            (Kind::Version, known.and_then(|known| known.version.clone())),
            (Kind::Program, program.filter(|text| !text.is_empty())),
            (
                Kind::CpuQuota,
                quota(known.and_then(|known| known.cpu_quota)),
            ),
            (Kind::Description, Some(target.description.clone())),
            (
                Kind::ServerHeader,
                known.and_then(|known| known.server_header.clone()),
            ),
        ]
        .map(|(what, value)| (what, name.clone(), value))
    };
    let all = whole.chain(targets.iter().flat_map(of_target));
    all.filter_map(|(what, of, value)| {
        Some(KnownFact {
            what,
            of,
            value: value?,
        })
    })
    .collect()
}

/// The quota in cores; `unlimited` without one.
fn quota(quota: Option<CpuQuota>) -> Option<String> {
    quota.map(|quota| match quota {
        CpuQuota::Millicores(count) => (count as f64 / 1000.0).to_string(),
        CpuQuota::Unlimited => UNLIMITED.to_owned(),
    })
}

/// The memory in tenths of GiB: kernels of one machine reserve different amounts.
fn memory(bytes: Option<u64>) -> Option<String> {
    bytes.map(|bytes| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HistorySeries;
    use crate::workload::Setting;

    #[test]
    fn a_path_in_the_url_is_the_same_setting_as_path() {
        let of = |path: Option<&str>| {
            let setting = |key: &str, value: &str| Setting {
                key: key.to_owned(),
                value: value.to_owned(),
                usual: false,
            };
            let path = path.map(|path| setting("path", path));
            settings(&Workload {
                request: Some("GET /items".to_owned()),
                settings: Some([setting("method", "GET")].into_iter().chain(path).collect()),
                ..Workload::default()
            })
        };
        let path = |of: (String, BTreeMap<String, SettingFact>)| of.1["path"].value.clone();
        assert_eq!(path(of(None)), path(of(Some("/items"))));
        assert_eq!(path(of(Some("/other"))), "/other");
        assert!(of(None).1["path"].usual);
    }

    #[test]
    fn figures_of_other_versions_are_read_and_written_again_as_they_were() {
        for name in ["service_p99", "energy", ""] {
            let written = serde_json::json!({ "target": "app", "metric": name });
            let facts: FigureFacts = serde_json::from_value(written).expect("facts");
            let again = serde_json::to_value(&facts).expect("JSON");
            assert_eq!(again["metric"], name);
            let series = HistorySeries {
                metric: facts.metric,
                ..HistorySeries::default()
            };
            let again = serde_json::to_value(&series).expect("JSON");
            assert_eq!(again["metric"], name);
        }
        let lacks: FigureFacts = serde_json::from_str("{}").expect("facts");
        assert_eq!(lacks.metric, MetricName::default());
    }
}
