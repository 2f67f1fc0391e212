//! `cargo xtask faq`: checks that Tenbin diagnoses the situations of a stress-testing FAQ. A plan
//! in `examples/stress-faq` creates each situation on this machine, and the first finding must
//! match.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::busy::Busy;
use crate::{kept, setup, shell};

/// Beginning of the output line with the run directory.
const RUN: &str = "Run ";

/// Directory of the plans.
const PLANS: &str = "examples/stress-faq";

/// A situation of the FAQ.
struct Situation {
    /// Statement of the FAQ about the situation.
    says: &'static str,
    /// File name of the plan, without `.toml`.
    plan: &'static str,
    /// Network delay of every packet, such as `10ms`; `None` for no delay.
    delay: Option<&'static str>,
    /// The expected result.
    expected: Expected,
}

/// The expected result of a situation.
enum Expected {
    /// The first finding has this rule.
    First(&'static str),
    /// The first finding has this rule, and the ratio of this target to the baseline is below this
    /// number.
    Slower(&'static str, &'static str, f64),
    /// The first finding has this rule, if given, and each target in the list has a lower ratio to
    /// the baseline than the previous target.
    Order(Option<&'static str>, &'static [&'static str]),
    /// The optimum of the sweep is at least the first and at most the second number.
    Optimum(u64, u64),
}

const SITUATIONS: &[Situation] = &[
    Situation {
        says: "1. without keep-alive throughput falls several times",
        plan: "keep-alive",
        delay: None,
        expected: Expected::Slower("keep_alive", "closes", 0.5),
    },
    Situation {
        says: "2. from far away the network is measured, not the server",
        plan: "far-away",
        delay: Some("10ms"),
        expected: Expected::First("network_latency"),
    },
    Situation {
        says: "3. too few connections leave the CPU idle",
        plan: "too-few-connections",
        delay: None,
        expected: Expected::First("too_few_connections"),
    },
    Situation {
        says: "3. a busy CPU is the limit",
        plan: "server-cpu",
        delay: None,
        expected: Expected::First("server_cpu"),
    },
    Situation {
        says: "4. flat throughput beside an idle CPU: too few workers",
        plan: "worker-limit",
        delay: None,
        expected: Expected::First("worker_limit"),
    },
    Situation {
        says: "4. for computing, as many workers as cores",
        plan: "workers-cpu",
        delay: None,
        expected: Expected::Optimum(1, 4),
    },
    Situation {
        says: "4. for waiting, several times as many",
        plan: "workers-sleep",
        delay: None,
        expected: Expected::Optimum(8, 16),
    },
    Situation {
        says: "5. a proxy costs; keep-alive behind it wins part of it back",
        plan: "proxy",
        delay: None,
        expected: Expected::Order(Some("proxy_hop"), &["with-keep-alive", "without-log"]),
    },
    Situation {
        says: "6. TLS costs, mostly in handshakes",
        plan: "tls",
        delay: None,
        expected: Expected::First("keep_alive"),
    },
    Situation {
        says: "7. plain SQL, query builder, mapper",
        plan: "three-ways",
        delay: None,
        expected: Expected::Order(None, &["builder", "orm"]),
    },
    Situation {
        says: "8. the generator itself is the limit",
        plan: "generator",
        delay: None,
        expected: Expected::First("client_saturated"),
    },
];

/// Runs the situations whose plan name contains one of `words` (all without words) and prints the
/// findings. If `busy` is given, other programs use that percentage of each core meanwhile.
///
/// # Errors
/// If a plan cannot be run, a result is unexpected, or the busy programs cannot be started.
pub(crate) fn run(words: &[&str], busy: Option<&str>) -> Result<()> {
    let tenbin = build()?;
    // Start the busy programs only after the build, which they would slow down.
    let busy = busy.map(Busy::start).transpose()?;
    let mut text = format!("| {} | found | |\n|---|---|---|\n", head(busy.as_ref()));
    let mut lines = String::new();
    let mut failed = 0;
    let is_meant = |plan: &str| words.is_empty() || words.iter().any(|word| plan.contains(word));
    let wanted = SITUATIONS.iter().filter(|each| is_meant(each.plan));
    for situation in wanted {
        println!("==> {} ({}.toml)", situation.says, situation.plan);
        let (result, said) = weigh(&tenbin, situation)?;
        let (found, is_right) = situation.expected.judge(&result);
        println!("{found}\n");
        let verdict = if is_right {
            "as expected"
        } else {
            "**otherwise**"
        };
        writeln!(text, "| {} | {found} | {verdict} |", situation.says)?;
        writeln!(lines, "\n{}.toml:\n\n```text\n{said}```", situation.plan)?;
        failed += usize::from(!is_right);
    }
    print!("{text}");
    if words.is_empty() {
        let machine = crate::cost::machine()?;
        let name = if busy.is_some() { "faq-busy" } else { "faq" };
        let beside = busy
            .as_ref()
            .map_or(String::new(), |busy| format!(", {}", busy.words()));
        let page = format!(
            "# The FAQ\n\n`cargo xtask faq`: the situations of a stress-testing FAQ, each set up \
             by a plan in [examples/stress-faq](../../examples/stress-faq/README.md), and \
             what Tenbin says first of it{beside}.\n\n{text}\n{machine}.\n\n## The screen of each run\n{lines}"
        );
        println!("\nkept in {}", kept::page(name, &page)?.display());
    }
    ensure!(failed == 0, "{failed} came out otherwise");
    Ok(())
}

/// Heading of the first column of the table.
fn head(busy: Option<&Busy>) -> String {
    let says = "the FAQ says";
    busy.map_or(says.to_owned(), |busy| format!("{says}, {}", busy.words()))
}

/// Builds the program as users do, and returns its path.
pub(crate) fn build() -> Result<PathBuf> {
    shell::succeed(shell::cargo().args(["build", "--release"]))?;
    Ok(shell::workspace_root().join("target/release/tenbin"))
}

/// Runs the plan and returns the result document and the terminal output.
fn weigh(tenbin: &Path, situation: &Situation) -> Result<(Value, String)> {
    let plans = shell::workspace_root().join(PLANS);
    let runs = shell::workspace_root()
        .join("target/tmp/faq")
        .join(situation.plan);
    if runs.exists() {
        std::fs::remove_dir_all(&runs)?;
    }
    let mut command = match situation.delay {
        None => Command::new(tenbin),
        Some(delay) => {
            let mut command = Command::new("unshare");
            command.args(["--net", "python3", "network_path.py", "--delay", delay]);
            command.arg(tenbin);
            command
        }
    };
    command
        .current_dir(&plans)
        .env("PATH", setup::path_with_servers()?)
        .args([
            "run",
            &format!("{}.toml", situation.plan),
            "--quiet",
            "--out",
        ])
        .arg(&runs);
    let output = command
        .output()
        .with_context(|| format!("`{}` cannot be run", shell::show(&command)))?;
    // An INVALID run (exit code 6) also has a result.
    if !matches!(output.status.code(), Some(0 | 6)) {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{}: {}", situation.plan, said.trim());
    }
    let run = std::fs::read_dir(&runs)?
        .next()
        .with_context(|| format!("{}: no run was kept", situation.plan))??;
    let result = std::fs::read_to_string(run.path().join("result.json"))?;
    let result = serde_json::from_str(&result)
        .with_context(|| format!("{}: the result is no document", situation.plan))?;
    // The output ends with the local run directory, which is omitted from the page.
    let said = String::from_utf8_lossy(&output.stdout);
    let said = said.replace(&*runs.to_string_lossy(), "runs");
    let shown = said.lines().take_while(|line| !line.starts_with(RUN));
    Ok((result, shown.map(|line| format!("{line}\n")).collect()))
}

impl Expected {
    /// The finding in words, and whether it matches the expected result.
    fn judge(&self, result: &Value) -> (String, bool) {
        match self {
            Self::First(rule) => {
                let (name, seen) = first_finding(result);
                (format!("`{name}`: {seen}"), name == *rule)
            }
            Self::Slower(rule, target, most) => {
                let (name, seen) = first_finding(result);
                let ratio = ratio_of(result, target);
                let is_right = name == *rule && ratio.is_some_and(|ratio| ratio < *most);
                let ratio = ratio.map_or("unknown".to_owned(), |ratio| format!("{ratio:.3}"));
                (format!("`{name}`: {seen}; {target} × {ratio}"), is_right)
            }
            Self::Order(rule, targets) => {
                let ratios: Vec<Option<f64>> = targets
                    .iter()
                    .map(|target| ratio_of(result, target))
                    .collect();
                let falls = ratios.windows(2).all(|pair| pair[0] > pair[1]);
                let all_slower = ratios.iter().all(|ratio| ratio.is_some_and(|r| r < 1.0));
                let shown = targets.iter().zip(&ratios).map(|(target, ratio)| {
                    let ratio = ratio.map_or("unknown".to_owned(), |r| format!("{r:.3}"));
                    format!("{target} × {ratio}")
                });
                let shown = shown.collect::<Vec<_>>().join(", ");
                let Some(rule) = rule else {
                    return (shown, falls && all_slower);
                };
                let (name, seen) = first_finding(result);
                let is_right = falls && all_slower && name == *rule;
                (format!("`{name}`: {seen}; {shown}"), is_right)
            }
            Self::Optimum(least, most) => {
                let (name, seen) = optimum(result);
                let value = name.rsplit('=').next().and_then(|n| n.parse().ok());
                let is_right = value.is_some_and(|n: u64| (*least..=*most).contains(&n));
                (format!("{name}: {seen}"), is_right)
            }
        }
    }
}

/// The rule and the evidence of the first finding.
fn first_finding(result: &Value) -> (String, String) {
    let first = &result["findings"][0];
    (text(&first["rule"]), text(&first["evidence"]))
}

/// Primary metric of `challenger` divided by that of the baseline, in the first workload.
fn ratio_of(result: &Value, challenger: &str) -> Option<f64> {
    let comparisons = result["comparisons"].as_array()?;
    let found = comparisons
        .iter()
        .find(|each| each["primary"] == true && each["challenger"] == challenger)?;
    found["ratio"]["value"].as_f64()
}

/// The optimum of a sweep, such as `workers=4`, and the sentence about the optimum in the report.
fn optimum(result: &Value) -> (String, String) {
    let found = &result["optima"][0];
    (text(&found["place"]), text(&found["sentence"]))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or("nothing").replace('|', "\\|")
}
