//! Source for a page in Prometheus' text format: the page of the server itself, of process
//! exporter, or of node exporter for the whole host.

mod text;

use std::collections::BTreeSet;

use tenbin_plan::Observe;

use super::fetch::Fetcher;
use super::{Kind, Lost, Source, Subject, now};
use crate::usage::{Detail, Scope, Usage};
use text::Sample;

const PATH: &str = "/metrics";
const ACCEPT: &str = "text/plain;version=0.0.4";
/// Largest page, bytes. The pages of large servers have some megabytes.
const LIMIT: usize = 16 * 1024 * 1024;

/// Modes of `node_cpu_seconds_total` that count as busy. Idle, iowait and steal time do not count;
/// user time already includes guest time.
const WORKING: [&str; 5] = ["user", "nice", "system", "irq", "softirq"];

const NODE_CPU: &str = "node_cpu_seconds_total";
const NODE_BOOT: &str = "node_boot_time_seconds";
const GROUP_CPU: &str = "namedprocess_namegroup_cpu_seconds_total";
const GROUP_MEMORY: &str = "namedprocess_namegroup_memory_bytes";
const GROUP_READ: &str = "namedprocess_namegroup_read_bytes_total";
const GROUP_WRITTEN: &str = "namedprocess_namegroup_write_bytes_total";
const GROUP_SWITCHES: &str = "namedprocess_namegroup_context_switches_total";
const PROCESS_CPU: &str = "process_cpu_seconds_total";
const PROCESS_MEMORY: &str = "process_resident_memory_bytes";
const PROCESS_START: &str = "process_start_time_seconds";

const WANTED: [&str; 10] = [
    NODE_CPU, NODE_BOOT, GROUP_CPU, GROUP_MEMORY, GROUP_READ, GROUP_WRITTEN, GROUP_SWITCHES,
    PROCESS_CPU, PROCESS_MEMORY, PROCESS_START,
];

pub(super) struct Prometheus;

impl Kind for Prometheus {
    fn open(&self, subject: &Subject<'_>) -> Option<Result<Box<dyn Source>, String>> {
        let Some(Observe::Prometheus { page, group }) = subject.observe else {
            return None;
        };
        let mut source = match Fetcher::new(page, PATH, ACCEPT, LIMIT) {
            Ok(fetcher) => Page {
                fetcher,
                group: group.clone(),
            },
            Err(why) => return Some(Err(why)),
        };
        Some(source.fetch().map(|_| Box::new(source) as Box<dyn Source>))
    }
}

#[derive(Debug)]
struct Page {
    fetcher: Fetcher,
    group: Option<String>,
}

impl Page {
    fn fetch(&mut self) -> Result<Usage, String> {
        let started = now();
        let fetched = self.fetcher.fetch()?;
        // The page usually has no time stamp; the local time is accurate enough for differences.
        let asked = f64::midpoint(started, now());
        let at = self.fetcher.url();
        match fetched.status {
            200 => usage(&fetched.body, self.group.as_deref(), asked)
                .map_err(|why| format!("{at} {why}")),
            status @ (401 | 403) => Err(format!(
                "{at} refuses the request (status {status}); does it require a token \
                 (observe.token_file)?"
            )),
            status => Err(format!(
                "{at} responds with status {status}; check the path"
            )),
        }
    }
}

impl Source for Page {
    fn read(&mut self, _: Detail) -> Result<Usage, Lost> {
        self.fetch().map_err(Lost::Because)
    }

    fn is_here(&self) -> bool {
        false
    }
}

/// Parses the totals on a page. An error text continues a sentence that starts with the page's
/// address.
fn usage(body: &[u8], group: Option<&str>, asked: f64) -> Result<Usage, String> {
    let text = std::str::from_utf8(body).map_err(|_| "is not text".to_owned())?;
    let samples = text::parse(text, |name| WANTED.contains(&name)).map_err(|line| {
        format!("is not in Prometheus' text format (line {line}); check the path")
    })?;
    let page = Samples(samples);
    // Exporters also report their own process, so metrics of groups and hosts take precedence.
    let usage = if group.is_some() || page.has(GROUP_CPU) {
        page.of_group(group)?
    } else if page.has(NODE_CPU) {
        page.of_host()?
    } else if page.has(PROCESS_CPU) {
        page.of_process()?
    } else {
        return Err(format!(
            "has none of {PROCESS_CPU}, {GROUP_CPU} and {NODE_CPU}"
        ));
    };
    Ok(Usage {
        at: page.time_stamp().unwrap_or(asked),
        ..usage
    })
}

struct Samples(Vec<Sample>);

impl Samples {
    fn has(&self, name: &str) -> bool {
        self.of(name).next().is_some()
    }

    fn of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Sample> {
        self.0.iter().filter(move |sample| sample.name == name)
    }

    /// The only sample with this name. Several samples are an error, because the page then covers
    /// several processes.
    fn only(&self, name: &str) -> Result<Option<f64>, String> {
        let mut samples = self.of(name);
        match (samples.next(), samples.next()) {
            (found, None) => found.map(|sample| checked(sample.value, name)).transpose(),
            (_, Some(_)) => Err(format!(
                "has several {name}: it covers more than one process; use the page of the \
                 server itself"
            )),
        }
    }

    fn of_process(&self) -> Result<Usage, String> {
        Ok(Usage {
            epoch: self.only(PROCESS_START)?.map_or(0, f64::to_bits),
            cpu_seconds: self.only(PROCESS_CPU)?,
            rss_bytes: self.only(PROCESS_MEMORY)?.map(to_u64),
            ..Usage::default()
        })
    }

    fn of_host(&self) -> Result<Usage, String> {
        let working = self
            .of(NODE_CPU)
            .filter(|sample| WORKING.contains(&sample.label("mode")));
        Ok(Usage {
            epoch: self.only(NODE_BOOT)?.map_or(0, f64::to_bits),
            scope: Scope::Host,
            cpu_seconds: sum(working)?,
            ..Usage::default()
        })
    }

    fn of_group(&self, asked: Option<&str>) -> Result<Usage, String> {
        let groups: BTreeSet<&str> = self.of(GROUP_CPU).map(|s| s.label("groupname")).collect();
        let group = match (asked, groups.len()) {
            (Some(group), _) if groups.contains(group) => group,
            (None, 1) => groups.first().copied().unwrap_or_default(),
            (Some(group), 0) => {
                return Err(format!(
                    "has no groups of processes, and so no {group:?}; is it that of process \
                     exporter?"
                ));
            }
            (Some(group), _) => {
                return Err(format!(
                    "has no group {group:?}; it has {}",
                    listed(&groups)
                ));
            }
            (None, _) => {
                return Err(format!(
                    "has several groups of processes; name one with observe.group \
                     (--observe-group): {}",
                    listed(&groups)
                ));
            }
        };
        let of = |name, label: &'static str, value: &'static str| {
            let mine = self.of(name).filter(move |sample| {
                sample.label("groupname") == group
                    && (label.is_empty() || sample.label(label) == value)
            });
            sum(mine)
        };
        let count = |name, label, value| of(name, label, value).map(|sum| sum.map(to_u64));
        Ok(Usage {
            cpu_seconds: of(GROUP_CPU, "", "")?,
            rss_bytes: count(GROUP_MEMORY, "memtype", "resident")?,
            read_bytes: count(GROUP_READ, "", "")?,
            written_bytes: count(GROUP_WRITTEN, "", "")?,
            voluntary_switches: count(GROUP_SWITCHES, "ctxswitchtype", "voluntary")?,
            involuntary_switches: count(GROUP_SWITCHES, "ctxswitchtype", "nonvoluntary")?,
            ..Usage::default()
        })
    }

    /// Time of the latest CPU sample, seconds, if all CPU samples have a time stamp.
    fn time_stamp(&self) -> Option<f64> {
        let cpu = [NODE_CPU, GROUP_CPU, PROCESS_CPU];
        let mut stamps = cpu
            .into_iter()
            .flat_map(|name| self.of(name))
            .map(|s| s.timestamp);
        let first = stamps.next()??;
        let latest = stamps.try_fold(first, |latest, stamp| Some(latest.max(stamp?)))?;
        Some(latest as f64 / 1e3)
    }
}

/// The sum of the samples' values; `None` if there are no samples.
fn sum<'a>(samples: impl Iterator<Item = &'a Sample>) -> Result<Option<f64>, String> {
    let mut sum = None;
    for sample in samples {
        let value = checked(sample.value, &sample.name)?;
        sum = Some(sum.unwrap_or(0.0) + value);
    }
    Ok(sum)
}

fn checked(value: f64, name: &str) -> Result<f64, String> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(format!("has an impossible {name}: {value}"))
    }
}

/// Converts a counter, which this format gives as a floating-point number.
fn to_u64(value: f64) -> u64 {
    value as u64
}

/// Names of groups for use in a message, escaped and limited in number.
fn listed(groups: &BTreeSet<&str>) -> String {
    const SHOWN: usize = 8;
    let names: Vec<String> = groups
        .iter()
        .take(SHOWN)
        .map(|name| name.chars().take(40).collect::<String>())
        .map(|name| format!("{name:?}"))
        .collect();
    let more = if groups.len() > SHOWN {
        " and others"
    } else {
        ""
    };
    match names.as_slice() {
        [] => "none".to_owned(),
        names => format!("{}{more}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(page: &str, group: Option<&str>) -> Result<Usage, String> {
        usage(page.as_bytes(), group, 7.0)
    }

    #[test]
    fn the_page_of_a_server_is_read() {
        let page = "process_cpu_seconds_total 12.5\nprocess_resident_memory_bytes 4.096e+06\n\
                    process_start_time_seconds 1.7e9\n";
        let usage = of(page, None).unwrap();
        assert_eq!(
            (usage.cpu_seconds, usage.rss_bytes),
            (Some(12.5), Some(4_096_000))
        );
        assert_eq!((usage.scope, usage.at), (Scope::Processes, 7.0));
        assert_eq!(
            (usage.written_bytes, usage.voluntary_switches),
            (None, None),
            "not 0"
        );
        let restarted = page.replace("1.7e9", "1.8e9");
        assert_ne!(of(&restarted, None).unwrap().epoch, usage.epoch);
        let silent = of("process_cpu_seconds_total 12.5\n", None).unwrap();
        assert_eq!(silent.rss_bytes, None, "not 0");
    }

    #[test]
    fn node_exporter_gives_the_whole_host_and_not_itself() {
        let page = "node_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 1000\n\
                    node_cpu_seconds_total{cpu=\"0\",mode=\"iowait\"} 100\n\
                    node_cpu_seconds_total{cpu=\"0\",mode=\"steal\"} 50\n\
                    node_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 10\n\
                    node_cpu_seconds_total{cpu=\"1\",mode=\"system\"} 5.5\n\
                    node_cpu_seconds_total{cpu=\"1\",mode=\"softirq\"} 0.5\n\
                    process_cpu_seconds_total 3\nprocess_resident_memory_bytes 9\n";
        let usage = of(page, None).unwrap();
        assert_eq!((usage.scope, usage.cpu_seconds), (Scope::Host, Some(16.0)));
        assert_eq!(
            usage.rss_bytes, None,
            "the exporter's memory does not count"
        );
    }

    const GROUPS: &str = "process_cpu_seconds_total 99\n\
        namedprocess_namegroup_cpu_seconds_total{groupname=\"nginx\",mode=\"system\"} 2\n\
        namedprocess_namegroup_cpu_seconds_total{groupname=\"nginx\",mode=\"user\"} 3\n\
        namedprocess_namegroup_cpu_seconds_total{groupname=\"sshd\",mode=\"user\"} 70\n\
        namedprocess_namegroup_memory_bytes{groupname=\"nginx\",memtype=\"resident\"} 1000\n\
        namedprocess_namegroup_memory_bytes{groupname=\"nginx\",memtype=\"virtual\"} 90000\n\
        namedprocess_namegroup_read_bytes_total{groupname=\"nginx\"} 11\n\
        namedprocess_namegroup_write_bytes_total{groupname=\"nginx\"} 12\n\
        namedprocess_namegroup_context_switches_total{ctxswitchtype=\"voluntary\",groupname=\"nginx\"} 5\n\
        namedprocess_namegroup_context_switches_total{ctxswitchtype=\"nonvoluntary\",groupname=\"nginx\"} 6\n";

    #[test]
    fn process_exporter_gives_the_configured_group() {
        let usage = of(GROUPS, Some("nginx")).unwrap();
        assert_eq!(
            (usage.cpu_seconds, usage.rss_bytes),
            (Some(5.0), Some(1000))
        );
        assert_eq!(
            (usage.read_bytes, usage.written_bytes),
            (Some(11), Some(12))
        );
        let switches = (usage.voluntary_switches, usage.involuntary_switches);
        assert_eq!(switches, (Some(5), Some(6)));
        let other = of(GROUPS, Some("sshd")).unwrap();
        assert_eq!((other.cpu_seconds, other.rss_bytes), (Some(70.0), None));
    }

    #[test]
    fn one_of_several_groups_must_be_selected() {
        let why = of(GROUPS, None).unwrap_err();
        assert!(why.ends_with(": \"nginx\", \"sshd\""), "{why}");
        let why = of(GROUPS, Some("apache")).unwrap_err();
        assert!(why.contains("has no group \"apache\""), "{why}");
        let why = of("process_cpu_seconds_total 1\n", Some("x")).unwrap_err();
        assert!(why.contains("is it that of process exporter?"), "{why}");
        let alone = "namedprocess_namegroup_cpu_seconds_total{groupname=\"a\",mode=\"user\"} 3\n";
        assert_eq!(of(alone, None).unwrap().cpu_seconds, Some(3.0));
    }

    #[test]
    fn time_stamps_of_a_page_are_used() {
        let page = "process_cpu_seconds_total 1 5500\n";
        assert_eq!(of(page, None).unwrap().at, 5.5);
        let half = "namedprocess_namegroup_cpu_seconds_total{groupname=\"a\",mode=\"user\"} 3 100\n\
                    namedprocess_namegroup_cpu_seconds_total{groupname=\"a\",mode=\"system\"} 3\n";
        assert_eq!(of(half, None).unwrap().at, 7.0);
    }

    #[test]
    fn impossible_figures_are_refused() {
        for (page, expected) in [
            ("<html></html>\n", "text format (line 1)"),
            ("up 1\n", "has none of"),
            ("process_cpu_seconds_total NaN\n", "impossible"),
            ("process_cpu_seconds_total -1\n", "impossible"),
            (
                "process_cpu_seconds_total{i=\"1\"} 1\nprocess_cpu_seconds_total{i=\"2\"} 1\n",
                "more than one process",
            ),
        ] {
            let why = of(page, None).unwrap_err();
            assert!(why.contains(expected), "{why}");
        }
        assert_eq!(usage(b"\xff", None, 0.0), Err("is not text".to_owned()));
    }
}
