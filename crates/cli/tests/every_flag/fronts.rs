//! The flags of other tools: each has the effect of its row, or a note, or is refused.

use std::collections::BTreeSet;
use std::fmt::Debug;

use tenbin_compat::flag::{Fate, Flag, Kind};
use tenbin_compat::{
    Mistakes, Parsed, World, ab, blobstore_bench, hsbench, publish_subscribe, request_response,
    warp, wrk,
};
use tenbin_plan::{Draft, Plan, Sentence};

use super::measuring::world;

/// What a command line asks for: the plan, everything that was read, and the notes.
struct Asked {
    plan: Option<Plan>,
    read: String,
    notes: Vec<Sentence>,
}

/// Reads a command line of a tool.
type Read = fn(&[String]) -> Result<Asked, String>;

/// A command line of a tool that measures.
struct Front {
    command: &'static str,
    flags: &'static [&'static [Flag]],
    base: &'static str,
    read: Read,
}

const FRONTS: &[Front] = &[
    Front {
        command: "wrk",
        flags: wrk::FLAGS,
        base: "http://127.0.0.1:8080/",
        read: |line| {
            let of =
                |job: &mut wrk::WrkJob| (Some(job.web.draft()), std::mem::take(&mut job.web.notes));
            asked(wrk::parse(line, &files()), of)
        },
    },
    Front {
        command: "ab",
        flags: ab::FLAGS,
        base: "-n 100 http://127.0.0.1:8080/",
        read: |line| {
            let of =
                |job: &mut ab::AbJob| (Some(job.web.draft()), std::mem::take(&mut job.web.notes));
            asked(ab::parse(line, &files()), of)
        },
    },
    Front {
        command: "ab",
        flags: ab::FLAGS,
        base: "-n 100 https://127.0.0.1:8443/",
        read: |line| {
            let of =
                |job: &mut ab::AbJob| (Some(job.web.draft()), std::mem::take(&mut job.web.notes));
            asked(ab::parse(line, &files()), of)
        },
    },
    Front {
        command: "hsbench",
        flags: hsbench::FLAGS,
        base: "-a key -s secret -u http://127.0.0.1:9000",
        read: |line| {
            let of =
                |job: &mut hsbench::HsbenchJob| (Some(job.draft()), std::mem::take(&mut job.notes));
            asked(hsbench::parse(line, &files()), of)
        },
    },
    Front {
        command: "blobstore-bench",
        flags: blobstore_bench::FLAGS,
        base: "-c conf.json",
        read: |line| {
            let of = |job: &mut blobstore_bench::BlobstoreBenchJob| {
                (Some(job.draft()), std::mem::take(&mut job.notes))
            };
            asked(blobstore_bench::parse(line, &files()), of)
        },
    },
    Front {
        command: request_response::NAME,
        flags: request_response::FLAGS,
        base: "--request-patterns-file=some.paths --end-n-clients=4",
        read: |line| {
            let of = |job: &mut request_response::RampJob| {
                let draft = job.draft(job.cache_counters.as_deref());
                (Some(draft), std::mem::take(&mut job.notes))
            };
            asked(request_response::parse(line, &files()), of)
        },
    },
    Front {
        command: publish_subscribe::NAME,
        flags: publish_subscribe::FLAGS,
        base: "--n-steps=2",
        read: |line| {
            let of = |job: &mut publish_subscribe::FeedJob| (None, std::mem::take(&mut job.notes));
            asked(publish_subscribe::parse(line, &files()), of)
        },
    },
    Front {
        command: "put",
        flags: warp::FLAGS,
        base: WARP,
        read: |line| warp("put", line),
    },
    Front {
        command: "get",
        flags: warp::FLAGS,
        base: WARP,
        read: |line| warp("get", line),
    },
    Front {
        command: "mixed",
        flags: warp::FLAGS,
        base: WARP,
        read: |line| warp("mixed", line),
    },
    Front {
        command: "delete",
        flags: warp::FLAGS,
        base: WARP,
        read: |line| warp("delete", line),
    },
    Front {
        command: "list",
        flags: warp::FLAGS,
        base: WARP,
        read: |line| warp("list", line),
    },
    Front {
        command: "multipart-put",
        flags: warp::FLAGS,
        base: WARP,
        read: |line| warp("multipart-put", line),
    },
    Front {
        command: "snowball",
        flags: warp::FLAGS,
        base: WARP,
        read: |line| warp("snowball", line),
    },
    Front {
        command: "fanout",
        flags: warp::FLAGS,
        base: WARP,
        read: |line| warp("fanout", line),
    },
    Front {
        command: "zip",
        flags: warp::FLAGS,
        base: WARP,
        read: |line| warp("zip", line),
    },
    Front {
        command: "retention",
        flags: warp::FLAGS,
        base: WARP,
        read: |line| warp("retention", line),
    },
];

const WARP: &str = "--host=127.0.0.1:9000,127.0.0.1:9001 --access-key=key --secret-key=secret";

fn warp(command: &str, line: &[String]) -> Result<Asked, String> {
    let line: Vec<String> = std::iter::once(command.to_owned())
        .chain(line.iter().cloned())
        .collect();
    match warp::parse(&line, &files()).map_err(|wrong| wrong.to_string())? {
        warp::Parsed::Measure(mut job) => {
            let notes = std::mem::take(&mut job.notes);
            Ok(Asked {
                plan: Some(resolved(job.draft())?),
                read: format!("{job:?}"),
                notes,
            })
        }
        other => Ok(Asked {
            plan: None,
            read: format!("{other:?}"),
            notes: Vec::new(),
        }),
    }
}

fn asked<Job: Debug>(
    parsed: Result<Parsed<Job>, Mistakes>,
    of: impl Fn(&mut Job) -> (Option<Draft>, Vec<Sentence>),
) -> Result<Asked, String> {
    match parsed.map_err(|wrong| wrong.to_string())? {
        Parsed::Measure(mut job) => {
            let (draft, notes) = of(&mut job);
            Ok(Asked {
                plan: draft.map(resolved).transpose()?,
                read: format!("{job:?}"),
                notes,
            })
        }
        other => Ok(Asked {
            plan: None,
            read: format!("{other:?}"),
            notes: Vec::new(),
        }),
    }
}

fn resolved(draft: Draft) -> Result<Plan, String> {
    draft
        .resolve(&mut world())
        .map_err(|refusal| refusal.to_string())
}

fn files() -> World<'static> {
    World {
        variable: &|_| None,
        read: &|path| {
            if path.contains("feed") {
                return Ok("{\"key\": \"{id}\"}".to_owned());
            }
            let port = if path.contains("other") { 9501 } else { 9500 };
            Ok(format!(
                "{{\"priority_addrs\": [\"http://127.0.0.1:{port}\"]}}"
            ))
        },
    }
}

/// Values that do not follow from the type of a flag, with other flags that it needs.
const VALUES: &[(&str, &str, &str, &str)] = &[
    ("", "host", "127.0.0.1:9002", ""),
    ("", "obj.size", "6MiB", ""),
    ("", "part.size", "6MiB", ""),
    ("", "lookup", "host", ""),
    ("", "host-select", "roundrobin", ""),
    ("", "signature", "S3V2", ""),
    ("", "checksum", "SHA512", ""),
    ("put", "encrypt", "", "--tls"),
    ("put", "insecure", "", "--tls"),
    ("mixed", "delete-distrib", "12", "--put-distrib=20"),
    ("multipart-put", "parts", "7", "--part.concurrent=2"),
    ("drnbench-publish-subscribe", "feed-file", "feed.json", ""),
    ("wrk", "connections", "7", ""),
    ("wrk", "duration", "7s", ""),
    ("wrk", "threads", "3", ""),
    ("wrk", "timeout", "7s", ""),
    ("wrk", "header", "'X-A: 1'", ""),
    ("wrk", "rate", "70", ""),
    ("wrk", "u_latency", "", "-R 70"),
    ("wrk", "batch_latency", "", "-R 70"),
    ("ab", "B", "127.0.0.2", ""),
    ("ab", "C", "a=b", ""),
    ("ab", "H", "'X-A: 1'", ""),
    ("ab", "T", "text/html", "-p some.file"),
    ("ab", "m", "OPTIONS", ""),
    ("ab", "n", "200", ""),
    ("hsbench", "u", "http://127.0.0.1:9001", ""),
    ("hsbench", "d", "7", ""),
    ("hsbench", "n", "7", ""),
    ("hsbench", "m", "cxipgdcx", ""),
    ("hsbench", "z", "7K", ""),
    ("blobstore-bench", "b", "dummy", ""),
    ("blobstore-bench", "c", "other.json", ""),
    ("blobstore-bench", "m", "pd", ""),
    ("blobstore-bench", "n", "7", ""),
    ("blobstore-bench", "d", "7", ""),
    ("blobstore-bench", "e", "7", ""),
    ("blobstore-bench", "s", "7Ki", ""),
    ("blobstore-bench", "db", "rocksdb", "-r places"),
    ("blobstore-bench", "r", "elsewhere", "-db rocksdb -r places"),
    ("blobstore-bench", "i", "7", ""),
    ("blobstore-bench", "verify", "=false", ""),
    (
        "drnbench-request-response", "default-hosts", "127.0.0.2", "",
    ),
    ("drnbench-request-response", "default-host", "127.0.0.2", ""),
    ("drnbench-request-response", "default-method", "POST", ""),
    ("drnbench-request-response", "cache-counters", "groonga", ""),
    (
        "drnbench-request-response", "request-patterns-file", "other.paths", "",
    ),
    ("drnbench-request-response", "duration", "7", ""),
    ("drnbench-request-response", "start-n-clients", "2", ""),
    ("drnbench-publish-subscribe", "hosts", "127.0.0.2", ""),
    ("drnbench-publish-subscribe", "n-steps", "3", ""),
    ("drnbench-publish-subscribe", "subscribe-path", "/watch", ""),
    ("drnbench-publish-subscribe", "publish-path", "/feed", ""),
];

/// Honoured flags that change nothing in a plan: they decide what is printed or written.
const OUTSIDE: &[(&str, &str)] = &[
    ("wrk", "latency"),
    ("wrk", "u_latency"),
    ("wrk", "version"),
    ("ab", "V"),
    ("ab", "d"),
    ("ab", "q"),
    ("ab", "e"),
    ("hsbench", "o"),
    ("hsbench", "j"),
    ("blobstore-bench", "i"),
    ("blobstore-bench", "o"),
    ("drnbench-request-response", "n-slow-requests"),
    ("drnbench-request-response", "n-fast-requests"),
    ("drnbench-request-response", "output-path"),
];

/// Honoured flags with one possible value, the default: every other value is refused. `--range` needs
/// `--range-size`, which implies it. A web identity is refused beside the keys that every line has
/// here; the tests of warp's command line try it without.
const DEFAULT_ONLY: [&str; 6] = [
    "mode", "obj.generator", "range", "sts-endpoint", "sts-web-token", "sts-web-token-file",
];

/// Checks every flag of every tool.
pub(crate) fn check() {
    let mut wrong = Vec::new();
    let (mut honoured, mut effective) = (BTreeSet::new(), BTreeSet::new());
    let mut refused = Vec::new();
    for front in FRONTS {
        let flags = front.flags.iter().copied().flatten();
        for flag in flags.filter(|flag| flag.is_of(front.command)) {
            let name = flag.name;
            let (base, line) = lines(front, flag);
            let without = read(front, &base).unwrap_or_else(|why| panic!("{base}\n{why}"));
            let result = match (read(front, &line), flag.fate) {
                (Err(why), _) => {
                    refused.push(format!("{} {line}: {why}", front.command));
                    let is_named = names(&why, name).then_some(());
                    is_named.ok_or(format!("refused: {why}"))
                }
                (Ok(_), Fate::Refused(_)) => Err("accepted, and its row says refused".to_owned()),
                (Ok(with), Fate::Noted(_)) => {
                    let noted = with.notes.iter().any(|note| names(note.text(), name));
                    noted
                        .then_some(())
                        .ok_or("no note names the flag".to_owned())
                }
                (Ok(with), Fate::Honoured) => {
                    effective.insert(name);
                    let is_outside = OUTSIDE.contains(&(front.command, name)) || front.base == WARP;
                    match with.plan != without.plan || with.notes != without.notes {
                        true => Ok(()),
                        // A tool with its own loop has no plan.
                        false
                            if with.read != without.read && (is_outside || with.plan.is_none()) =>
                        {
                            Ok(())
                        }
                        false => Err("no effect".to_owned()),
                    }
                }
            };
            if flag.fate == Fate::Honoured {
                honoured.insert(name);
            }
            if let Err(why) = result {
                wrong.push(format!("{} {line}: {why}", front.command));
            }
        }
    }
    let never = honoured.difference(&effective);
    let never: Vec<_> = never.filter(|name| !DEFAULT_ONLY.contains(name)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(never.is_empty(), "never accepted: {never:?} {refused:#?}");
}

fn names(text: &str, flag: &str) -> bool {
    text.contains(flag)
}

fn read(front: &Front, line: &str) -> Result<Asked, String> {
    (front.read)(&shlex::split(line).expect("closed quotes"))
}

/// The command line without and with a flag.
fn lines(front: &Front, flag: &Flag) -> (String, String) {
    let rows = VALUES.iter().filter(|(command, name, ..)| {
        *name == flag.name && (*command == front.command || command.is_empty())
    });
    let row = rows.max_by_key(|(command, ..)| command.len());
    let (value, with) = row.map_or(("", ""), |(_, _, value, with)| (*value, *with));
    let value = match value {
        "" => typical(flag),
        value => value.to_owned(),
    };
    let base = format!("{with} {}", front.base);
    let dashes = if flag.name.len() > 1 { "--" } else { "-" };
    let spelled = match flag.kind {
        Kind::Switch => format!("{dashes}{}{}", flag.name, value),
        _ if dashes == "--" => format!("--{}={value}", flag.name),
        _ => format!("-{} {value}", flag.name),
    };
    // getopt stops at no operand, and Go's flags stand before operands.
    let line = format!("{spelled} {base}");
    let line = match base.split_once(' ') {
        Some(_)
            if base.contains(&format!("-{} ", flag.name))
                || base.contains(&format!("--{}=", flag.name)) =>
        {
            format!("{base} {spelled}")
        }
        _ => line,
    };
    (base, line)
}

/// A value of the flag's type that is not its default.
fn typical(flag: &Flag) -> String {
    let text = match flag.kind {
        Kind::Switch if flag.default == "true" => "=false",
        Kind::Switch => "",
        Kind::Whole | Kind::Decimal => "7",
        Kind::Size => "64KiB",
        Kind::Time => "7s",
        Kind::Text | Kind::Secret => "word",
        Kind::List => "name=value",
        Kind::Choice(words) => words.last().copied().unwrap_or_default(),
    };
    text.to_owned()
}
