//! The commands that measure, their flags, and what a flag changes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches};
use tenbin_cli::args::{Cli, Command, OutputArgs, SearchCommand};
use tenbin_plan::{
    AgentsDraft, BlobDraft, CompareDraft, Context, Draft, HttpDraft, Key, LoadDraft, ObserveDraft,
    OutputDraft, Plan, Refusal, RoundsDraft, S3Draft, Section as _, Takes, TargetDraft, TlsDraft,
    Value, WorkloadDraft,
};

use super::values::{Row, VALUES};

/// The commands that measure, with the options without which they measure nothing. `s3` stands for
/// each of its operations.
const COMMANDS: &[(&str, &str)] = &[
    ("quickstart", ""),
    ("http", ""),
    ("s3", ""),
    ("blob", ""),
    ("search ramp", "--clients 1,2,4"),
    ("run", ""),
    ("rerun", ""),
];

const PLAN: &str = "seed = 7\n[[target]]\nname = \"a\"\nurl = \"http://127.0.0.1:8080/\"\n\
                    [[workload]]\nkind = \"http\"\n";

/// A way to name the target of a command.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    /// The command has its own targets.
    Own,
    Positional,
    Target,
    NamedTarget,
    Launch,
    Builtin,
}

const NAME: &str = "a";

/// A flag of a command.
#[derive(Clone)]
pub(crate) struct FlagOf {
    /// Name with dashes.
    pub(crate) name: String,
    /// Whether the flag can have a value.
    pub(crate) takes_value: bool,
    /// The value that differs from the default; `None` if it is in no table.
    value: Option<String>,
    /// Whether a value can begin with the name of a target.
    per_target: bool,
    /// The plan key that the flag sets.
    key: Option<&'static str>,
}

impl FlagOf {
    /// Whether a sentence names the flag or its plan key.
    pub(crate) fn is_named_in(&self, sentence: &str) -> bool {
        let word = self.name.trim_start_matches('-');
        let key = self.key.unwrap_or(word);
        let content = word.trim_end_matches("-file").replace('-', " ");
        let words = [word, key, &word.replace('-', "_"), &content];
        words.iter().any(|name| sentence.contains(name))
    }
}

/// A command line with a flag, and the same line without the flag.
pub(crate) struct Case {
    pub(crate) line: String,
    without: String,
}

/// The plan of a command line, and its options that are not part of the plan; or why it is refused.
type Planned = Result<(Plan, String), String>;

/// What a flag of a command line does.
#[derive(Debug)]
pub(crate) enum Effect {
    OnPlan,
    OnOutput,
    Refused(String),
    None,
}

pub(crate) struct Measuring {
    /// Every command, to look at.
    declared: clap::Command,
    /// Every command, to parse with.
    parser: RefCell<clap::Command>,
    /// The plans of lines without the flag, each of which many cases share.
    known: RefCell<HashMap<String, Planned>>,
    /// A directory with `plan.toml`, which is also the plan of a run.
    directory: tempfile::TempDir,
}

impl Measuring {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("plan.toml"), PLAN).expect("a file");
        let mut declared = Cli::command();
        declared.build();
        Self {
            parser: RefCell::new(Cli::command()),
            known: RefCell::default(),
            declared,
            directory,
        }
    }

    /// The words of every command that measures.
    pub(crate) fn commands(&self) -> Vec<String> {
        let mut all = Vec::new();
        for (words, _) in COMMANDS {
            if *words != "s3" {
                all.push((*words).to_owned());
                continue;
            }
            let s3 = self.of("s3").get_subcommands();
            let operations = s3
                .map(clap::Command::get_name)
                .filter(|name| *name != "help");
            all.extend(operations.map(|name| format!("s3 {name}")));
        }
        all
    }

    fn of(&self, words: &str) -> &clap::Command {
        words.split(' ').fold(&self.declared, |command, word| {
            command.find_subcommand(word).expect(word)
        })
    }

    /// The flags of a command.
    pub(crate) fn flags(&self, words: &str) -> Vec<FlagOf> {
        let arguments = self.of(words).get_arguments();
        let own = arguments.filter(|arg| {
            // `--lang` is of the whole program.
            arg.get_long().is_some()
                && !["help", "version", "lang"].contains(&arg.get_id().as_str())
        });
        own.map(|arg| {
            let name = format!("--{}", arg.get_long().unwrap_or_default());
            let key = key_of(&name, words);
            let shown = arg.get_value_names().unwrap_or_default();
            let per_target = shown.iter().any(|shown| shown.starts_with("[NAME=]"));
            let takes_value = arg.get_action().takes_values();
            let takes = key.as_ref().and_then(|key| takes(key, &name));
            FlagOf {
                takes_value,
                value: match (takes_value, takes) {
                    (false, _) | (true, Some(Takes::PerTargetMeans(_))) => Some(String::new()),
                    (true, Some(Takes::Optional(..))) => key
                        .and_then(|key| typical(&key))
                        .map(|value| format!("={value}")),
                    (true, _) => key.and_then(|key| typical(&key)).or_else(|| choice(arg)),
                },
                per_target: per_target || matches!(takes, Some(Takes::PerTargetMeans(_))),
                key: key.map(|key| key.name),
                name,
            }
        })
        .collect()
    }

    /// Every command line that tests a flag.
    pub(crate) fn cases(&self, words: &str, flag: &FlagOf) -> Vec<Case> {
        let rows = rows(words, &flag.name);
        let typical = flag.value.as_ref().map(|value| (value.clone(), "", false));
        let given = rows
            .iter()
            .map(|row| (row.value.to_owned(), row.with, row.tls));
        let values: Vec<_> = if rows.is_empty() {
            typical.into_iter().collect()
        } else {
            given.collect()
        };
        let alone = values.iter().filter(|(_, with, _)| !with.is_empty());
        let alone: Vec<_> = alone
            .map(|(value, _, tls)| (value.clone(), "", *tls))
            .collect();
        let values: Vec<_> = values.into_iter().chain(alone).collect();
        assert!(
            !values.is_empty(),
            "{} of {words}: add a row to VALUES",
            flag.name
        );
        let mut cases = Vec::new();
        for (value, with, tls) in values {
            for way in ways(words) {
                let value = value.replace("{name}", NAME);
                let bare = self.target(words, way, tls);
                let own = own_options(words);
                // Options with which the command measures something replace its usual options.
                let is_own = |text: &str| !own.is_empty() && text.contains("clients");
                let line_own = if is_own(&flag.name) || is_own(with) {
                    ""
                } else {
                    own
                };
                let base_own = if is_own(with) { "" } else { own };
                let with = match self.base_plan(&format!("{bare} {base_own} {with}")) {
                    Ok(_) => with,
                    // The options are refused here, so that the flag stands alone.
                    Err(_) => "",
                };
                let without = match self.base_plan(&format!("{bare} {base_own} {with}")) {
                    Ok(_) => format!("{bare} {base_own} {with}"),
                    Err(_) => format!("{bare} {own}"),
                };
                let case = |value: &str| Case {
                    line: format!("{bare} {line_own} {with} {}", spelled(&flag.name, value)),
                    without: without.clone(),
                };
                cases.push(case(&value));
                let has_name = !matches!(way, Way::Own | Way::Positional | Way::Target);
                if flag.per_target && has_name {
                    cases.push(case(&match value.as_str() {
                        "" => format!("={NAME}"),
                        value => format!("{NAME}={value}"),
                    }));
                }
            }
        }
        cases
    }

    /// Command lines with a value that means nothing.
    pub(crate) fn meaningless(&self, words: &str, flag: &FlagOf) -> Vec<Case> {
        let rows = rows(words, &flag.name);
        let (with, tls) = rows.first().map_or(("", false), |row| (row.with, row.tls));
        let ways = ways(words).into_iter();
        ways.map(|way| {
            let base = format!("{} {}", self.target(words, way, tls), own_options(words));
            let with = self
                .base_plan(&format!("{base} {with}"))
                .map_or("", |_| with);
            let value = if is_optional(self.argument(words, &flag.name)) {
                "=banana"
            } else {
                "banana"
            };
            Case {
                line: format!("{base} {with} {}", spelled(&flag.name, value)),
                without: format!("{base} {with}"),
            }
        })
        .collect()
    }

    fn argument(&self, words: &str, flag: &str) -> &clap::Arg {
        let mut arguments = self.of(words).get_arguments();
        let name = flag.trim_start_matches('-');
        arguments
            .find(|arg| arg.get_long() == Some(name))
            .expect("a flag of the command")
    }

    /// A command with its target.
    fn target(&self, words: &str, way: Way, tls: bool) -> String {
        let scheme = if tls { "https" } else { "http" };
        let builtin = match words {
            "http" | "search ramp" => "http",
            "blob" => "blob",
            _ => "s3-memory",
        };
        let url = format!("{scheme}://localhost:8080/");
        let target = match way {
            Way::Own if words == "quickstart" => String::new(),
            Way::Own if words == "run" => self
                .directory
                .path()
                .join("plan.toml")
                .display()
                .to_string(),
            Way::Own => self.directory.path().display().to_string(),
            Way::Positional => url,
            Way::Target => format!("--target {url}"),
            Way::NamedTarget => format!("--target {NAME}={url}"),
            Way::Launch if tls => format!(
                "--launch '{NAME}=server --port {{port}}' --launch-url {NAME}=https://localhost:{{port}}/"
            ),
            Way::Launch => format!("--launch '{NAME}=server --port {{port}}'"),
            Way::Builtin => format!("--builtin {NAME}={builtin}"),
        };
        let needs_keys = words.starts_with("s3 ") && matches!(way, Way::Target | Way::NamedTarget);
        let keys = if needs_keys {
            "--access-key key --secret-key secret"
        } else {
            ""
        };
        format!("tenbin {words} {target} {keys}")
    }

    /// What the flag of a case does.
    pub(crate) fn effect(&self, case: &Case) -> Effect {
        let with = match self.plan(&case.line) {
            Ok(with) => with,
            Err(sentence) => return Effect::Refused(sentence),
        };
        let without = self.base_plan(&case.without);
        let without = without.unwrap_or_else(|why| panic!("{}\n{why}", case.without));
        if with.0 != without.0 {
            Effect::OnPlan
        } else if with.1 != without.1 {
            Effect::OnOutput
        } else {
            Effect::None
        }
    }

    /// The plan of a line without the flag.
    fn base_plan(&self, line: &str) -> Planned {
        let known = self.known.borrow().get(line).cloned();
        known.unwrap_or_else(|| {
            let plan = self.plan(line);
            self.known
                .borrow_mut()
                .insert(line.to_owned(), plan.clone());
            plan
        })
    }

    fn plan(&self, line: &str) -> Planned {
        let words = shlex::split(line).expect("closed quotes");
        let matches = self.parser.borrow_mut().try_get_matches_from_mut(words);
        let matches = matches.map_err(|error| error.to_string())?;
        let cli = Cli::from_arg_matches(&matches).map_err(|error| error.to_string())?;
        let (draft, output, more) = match &cli.command {
            Command::Quickstart(args) => (Ok(args.draft()), &args.output, String::new()),
            Command::Protocol(command) => {
                let args = command.args();
                let earlier = args
                    .earlier()
                    .map(|it| format!("{:?} {:?}", it.before, it.changed));
                (args.draft(), args.output(), earlier.unwrap_or_default())
            }
            Command::Search(search) => match &**search {
                SearchCommand::Ramp(args) => {
                    let path = format!("{:?}", args.output_path);
                    (args.draft(), &args.output, path)
                }
                _ => panic!("{line} does not measure"),
            },
            Command::Run(args) => (args.draft(), &args.output, String::new()),
            Command::Rerun(args) => (args.draft(&args.run), &args.output, String::new()),
            _ => panic!("{line} does not measure"),
        };
        let sentences = |refusal: Refusal| refusal.to_string();
        let mut draft = draft.map_err(sentences)?;
        output.write_down(&mut draft);
        let plan = draft.resolve(&mut world()).map_err(sentences)?;
        Ok((plan, format!("{} {more}", fingerprint(output))))
    }
}

/// The options without which a command measures nothing.
fn own_options(words: &str) -> &'static str {
    let own = COMMANDS.iter().find(|(name, _)| *name == words);
    own.map_or("", |(_, options)| options)
}

fn fingerprint(output: &OutputArgs) -> String {
    let OutputArgs {
        out,
        quiet,
        verbose,
        json,
        strict,
        ..
    } = output;
    format!("{} {quiet} {verbose} {json} {strict}", out.display())
}

/// The ways in which a command can be given its target.
fn ways(words: &str) -> Vec<Way> {
    match words {
        "quickstart" | "run" | "rerun" => vec![Way::Own],
        "http" => vec![
            Way::Positional,
            Way::Target,
            Way::NamedTarget,
            Way::Launch,
            Way::Builtin,
        ],
        // All operations have the same options, which are the same code.
        words if words.starts_with("s3 ") && !["s3 get", "s3 suite"].contains(&words) => {
            vec![Way::NamedTarget]
        }
        _ => vec![Way::Target, Way::NamedTarget, Way::Launch, Way::Builtin],
    }
}

fn rows(words: &str, flag: &str) -> Vec<&'static Row> {
    let of_flag = |of: bool| {
        let rows = VALUES.iter().filter(move |row| row.flag == flag);
        let meant = rows.filter(move |row| row.of.is_empty() != of);
        meant
            .filter(|row| words.starts_with(row.of))
            .collect::<Vec<_>>()
    };
    match of_flag(true) {
        own if own.is_empty() => of_flag(false),
        own => own,
    }
}

/// The plan key that a flag sets.
fn key_of(flag: &str, words: &str) -> Option<Key> {
    let work = match words {
        "http" | "search ramp" => HttpDraft::KEYS,
        "blob" => BlobDraft::KEYS,
        _ => S3Draft::KEYS,
    };
    let sections = [
        work,
        Draft::KEYS,
        CompareDraft::KEYS,
        RoundsDraft::KEYS,
        LoadDraft::KEYS,
        OutputDraft::KEYS,
        AgentsDraft::KEYS,
        TargetDraft::KEYS,
        TlsDraft::KEYS,
        ObserveDraft::KEYS,
        WorkloadDraft::KEYS,
    ];
    let has_flag = |key: &&Key| key.flags.iter().flatten().any(|it| it.name == flag);
    sections.into_iter().flatten().find(has_flag).copied()
}

/// What follows a flag of a key.
fn takes(key: &Key, flag: &str) -> Option<Takes> {
    let mut flags = key.flags.iter().flatten();
    flags.find(|it| it.name == flag).map(|it| it.takes)
}

/// A value of a key that differs from its default.
fn typical(key: &Key) -> Option<String> {
    let default = match key.default {
        tenbin_plan::KeyDefault::Value(value)
        | tenbin_plan::KeyDefault::Explained { value, .. } => value,
        tenbin_plan::KeyDefault::Rule(_) => "",
    };
    Some(match key.value {
        Value::Whole { least, most } => {
            let values = [3, 4, least, most].into_iter();
            let mut fit = values.filter(|value| (least..=most).contains(value));
            fit.find(|value| value.to_string() != default)?.to_string()
        }
        Value::Time { .. } => "7s".to_owned(),
        Value::Rate => "70/s".to_owned(),
        Value::Size => "7MiB".to_owned(),
        Value::Choice(names) => {
            let mut names = names().into_iter().rev();
            names.find(|name| *name != default)?.to_owned()
        }
        Value::Switch | Value::Text(_) => return None,
    })
}

/// A possible value of an argument that is not its default.
fn choice(arg: &clap::Arg) -> Option<String> {
    let defaults = arg.get_default_values();
    let values = arg.get_possible_values();
    let mut names = values.iter().rev().map(|value| value.get_name().to_owned());
    names.find(|name| !defaults.iter().any(|default| default == name.as_str()))
}

/// Whether a value of the argument can be left out; a value then follows an equals sign.
fn is_optional(arg: &clap::Arg) -> bool {
    arg.get_num_args()
        .is_some_and(|count| count.min_values() == 0 && count.max_values() == 1)
}

fn spelled(flag: &str, value: &str) -> String {
    match value {
        "" => flag.to_owned(),
        value if value.starts_with('=') => format!("{flag}{value}"),
        value => format!("{flag} {value}"),
    }
}

pub(crate) fn world() -> Context {
    let mut draws = 0;
    Context {
        cores: 4,
        directory: PathBuf::from("/made-up"),
        seed: 7,
        environment: Box::new(|name| {
            (name == "TENBIN_PAGE").then(|| "value of the variable".to_owned())
        }),
        open: Box::new(|path| {
            let content: &[u8] = match path.extension() {
                Some(trace) if trace == "trace" => b"0\n0.5\n9\n",
                Some(paths) if paths == "paths" => b"/a\n/b\n/c\n",
                _ => b"from a file\n",
            };
            Ok(Box::new(content))
        }),
        without_files: false,
        random: Box::new(move || {
            draws += 1;
            draws
        }),
    }
}
