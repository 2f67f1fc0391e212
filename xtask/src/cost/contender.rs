//! The load generators that are compared: command line and output parser of each. In a row, all
//! load generators send the same requests on the same number of connections.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::rival;
use super::server::{ACCESS_KEY, SECRET_KEY, data_root, nginx, presign};
use super::turn::{Said, Turn};
use crate::{setup, shell};

/// The parameters of a turn.
pub(crate) struct Scene<'a> {
    /// URL of the server; empty without a server.
    pub(crate) url: &'a str,
    /// Options for the agents beside the server; empty without agents.
    pub(crate) agents: &'a str,
    /// Duration of the load, seconds.
    pub(crate) seconds: u64,
}

type Arguments = Box<dyn Fn(&Scene<'_>) -> Result<String>>;

/// A load generator and the parser of its output.
pub(crate) struct Contender {
    /// Name in the table.
    pub(crate) name: &'static str,
    /// Path of the program, or the reason why the program is missing.
    program: Result<PathBuf, String>,
    /// The cores that the program can use, as for `taskset`.
    cores: &'static str,
    arguments: Arguments,
    /// Parses the output of the program.
    read: fn(&str) -> Option<Said>,
    /// A subcommand and a flag that some builds of the program lack.
    needs: Option<(&'static str, &'static str)>,
    /// Builds the program, unless it is built elsewhere.
    make: Option<fn(&Path) -> Result<()>>,
    /// Whether this process views the live page of the program.
    is_watched: bool,
    /// Exit status of a completed run with doubtful figures.
    doubtful: Option<i32>,
}

impl Contender {
    /// Builds and checks the program. The error is the reason why the program cannot take part.
    pub(crate) fn prepare(&self) -> Result<(), String> {
        let program = self.program.as_ref().map_err(String::clone)?;
        if let Some(make) = self.make {
            make(program).map_err(|error| format!("{} is not built: {error:#}", self.name))?;
        }
        let Some((subcommand, flag)) = self.needs else {
            return Ok(());
        };
        match shell::output_of(Command::new(program).args([subcommand, "--help"])) {
            Ok(help) if !help.contains(flag) => Err(format!("{} has no {flag} yet", self.name)),
            _ => Ok(()),
        }
    }

    /// Path of the program, or only its name if the program is missing.
    fn program(&self) -> &Path {
        self.program.as_deref().unwrap_or(Path::new(self.name))
    }

    /// Prepares a turn on the cores of this contender.
    pub(crate) fn turn(&self, scene: &Scene<'_>) -> Result<Turn> {
        let mut command = Command::new("taskset");
        command
            .args(["--cpu-list", self.cores])
            .arg(self.program())
            .args((self.arguments)(scene)?.split_whitespace())
            .env("TENBIN_ACCESS_KEY", ACCESS_KEY)
            .env("TENBIN_SECRET_KEY", SECRET_KEY)
            .env("WARP_ACCESS_KEY", ACCESS_KEY)
            .env("WARP_SECRET_KEY", SECRET_KEY)
            .current_dir(std::env::temp_dir());
        Ok(Turn {
            command,
            doubtful: self.doubtful,
            is_watched: self.is_watched,
            read: self.read,
        })
    }

    /// The command line, for the report.
    pub(crate) fn shown(&self, scene: &Scene<'_>) -> Result<String> {
        let program = self.program().file_name().unwrap_or_default().display();
        let arguments = (self.arguments)(scene)?;
        Ok(presign::hide(&format!("{program} {}", arguments.trim())))
    }

    /// The program of the packages instead of the one with the profile `release`.
    pub(crate) fn of_packages(self, stable: &Stable<'_>) -> Self {
        let triple = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
        let program = stable.built.with_file_name(triple).join("dist/tenbin");
        let missing = || "there is no program of the packages: `cargo xtask dist` builds it";
        let program = program.is_file().then_some(program);
        Self {
            program: program.ok_or_else(|| missing().to_owned()),
            ..self
        }
    }

    /// This contender with a different name.
    fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    fn watched(self) -> Self {
        Self {
            is_watched: true,
            ..self
        }
    }

    fn needing(self, subcommand: &'static str, flag: &'static str) -> Self {
        Self {
            needs: Some((subcommand, flag)),
            ..self
        }
    }
}

/// Options of `tenbin` for one slice on one thread without warm-up and settling time, so that all
/// requests count, as for the peers.
const ONE_SLICE: &str =
    "--rounds 1 --threads 1 --warmup 0s --lead 0s --json --quiet --out tenbin-cost";

/// Like [`ONE_SLICE`], for several rounds.
const SOME_SLICES: &str = "--threads 1 --warmup 0s --lead 0s --json --quiet --out tenbin-cost";

/// Number of files per round. The files fit into memory that the virtual machine already has:
/// obtaining more memory from the host would cost only the first contender.
const FILES: u64 = 60_000;

/// Number of rounds of files per second of a turn.
const ROUNDS_OF_FILES_A_SECOND: u64 = 1;

/// All contenders. `built` is the directory of Tenbin's programs.
pub(crate) struct Stable<'a> {
    pub(crate) built: &'a Path,
}

impl Stable<'_> {
    /// All contenders for plain GETs: tenbin, the bare loop and the peers.
    pub(crate) fn http(&self, connections: usize) -> Vec<Contender> {
        vec![
            self.tenbin(move |scene| get(scene, connections, "")),
            self.bare_loop(connections),
            wrk(connections),
            peer("ab", "Debian: apache2-utils", read_ab, move |scene| {
                // With only -t, ab ends after 50,000 requests.
                let Scene { url, seconds, .. } = scene;
                format!("-q -k -c {connections} -t {seconds} -n 100000000 {url}")
            }),
            peer(
                "h2load",
                "Debian: nghttp2-client",
                read_h2load,
                move |scene| {
                    let Scene { url, seconds, .. } = scene;
                    format!("--h1 -t 1 -c {connections} -D {seconds} {url}")
                },
            ),
            peer("hey", "Debian: hey", read_hey, move |scene| {
                let Scene { url, seconds, .. } = scene;
                format!("-z {seconds}s -c {connections} -cpus 1 {url}")
            }),
            oha(connections),
        ]
    }

    /// Plain GETs by tenbin, without a live page and with a live page with one viewer.
    pub(crate) fn with_live_page(&self, connections: usize) -> Vec<Contender> {
        let live = self.tenbin(move |scene| get(scene, connections, "--live"));
        vec![
            self.tenbin(move |scene| get(scene, connections, "")),
            live.named("with --live")
                .needing("http", "--live")
                .watched(),
        ]
    }

    /// Plain GETs by tenbin, by this process and by an agent. The figures of the agent include its
    /// coordinator and its hub, on the same core.
    pub(crate) fn with_agent(&self, connections: usize) -> Vec<Contender> {
        let with_agent = self.tenbin(move |scene| {
            let options = get(scene, connections, "")?;
            Ok(format!("with-agents 1 {options}"))
        });
        let with_agent = Contender {
            program: Ok(self.built.join("xtask")),
            ..with_agent.named("1 agent")
        };
        vec![
            self.tenbin(move |scene| get(scene, connections, "")),
            with_agent,
        ]
    }

    /// GETs at a constant rate, `times` times the length of a turn, by the agents beside the server.
    pub(crate) fn by_agents(&self, name: &'static str, times: u64) -> Contender {
        self.tenbin(move |scene| {
            let Scene { url, agents, .. } = scene;
            let seconds = scene.seconds * times;
            Ok(format!(
                "http --target s={url} {agents} --rate 6400/s --connections 256 --slice {seconds}s \
                 {ONE_SLICE}"
            ))
        })
        .named(name)
    }

    /// GETs of 1 MiB by tenbin, with and without reading the content of some responses.
    pub(crate) fn with_sampled_content(&self) -> Vec<Contender> {
        let get_large = |more: &'static str| {
            self.tenbin(move |scene| {
                let url = format!("{}{}", scene.url, nginx::LARGE);
                get(
                    &Scene {
                        url: &url,
                        ..*scene
                    },
                    8,
                    more,
                )
            })
        };
        vec![
            get_large("--may-differ body").named("no content read"),
            get_large("").named("content sampled"),
        ]
    }

    /// The contenders for TLS. None of the contenders verifies the certificate.
    pub(crate) fn https(&self, connections: usize) -> Vec<Contender> {
        vec![
            self.tenbin(move |scene| get(scene, connections, "--insecure"))
                .needing("http", "--insecure"),
            wrk(connections),
            oha(connections),
        ]
    }

    /// S3 operations by tenbin: `what` is a subcommand with its flags.
    pub(crate) fn s3(&self, name: &'static str, what: &'static str) -> Contender {
        self.tenbin_with(name, &format!("s3 {what}"))
    }

    /// A subcommand of tenbin with its flags.
    pub(crate) fn tenbin_with(&self, name: &'static str, what: &str) -> Contender {
        let what = what.to_owned();
        self.tenbin(move |scene| {
            let Scene { url, seconds, .. } = scene;
            Ok(format!(
                "{what} --target s={url} --slice {seconds}s {ONE_SLICE}"
            ))
        })
        .named(name)
    }

    /// Plain requests by tenbin for an object with a presigned URL.
    pub(crate) fn presigned(
        &self,
        name: &'static str,
        method: &'static str,
        connections: usize,
    ) -> Contender {
        self.tenbin(move |scene| {
            let seconds = scene.seconds;
            let url = presign::object_url(scene.url, method)?;
            let body = match method {
                "PUT" => format!("--method PUT --body-file {}", presign::BODY_FILE),
                _ => String::new(),
            };
            Ok(format!(
                "http {body} --target s={url} --connections {connections} --slice {seconds}s {ONE_SLICE}"
            ))
        })
        .named(name)
    }

    /// A fixed number of GETs by tenbin.
    pub(crate) fn counted(
        &self,
        name: &'static str,
        connections: usize,
        requests: u64,
    ) -> Contender {
        self.tenbin(move |scene| {
            let url = scene.url;
            Ok(format!(
                "http --target s={url} --connections {connections} --requests {requests} --slice 10m {ONE_SLICE}"
            ))
        })
        .named(name)
    }

    /// GETs by tenbin in slices of 100 ms, with the same server as every target.
    pub(crate) fn short_slices(
        &self,
        name: &'static str,
        targets: &'static [&'static str],
        slices: usize,
    ) -> Contender {
        let rounds = slices / targets.len();
        let tenbin = self.tenbin(move |scene| {
            let named = |target| format!("--target {target}={}", scene.url);
            let targets: Vec<String> = targets.iter().map(named).collect();
            Ok(format!(
                "http {} --rate 300/s --connections 4 --slice 100ms --gap 0s --rounds {rounds} \
                 {SOME_SLICES}",
                targets.join(" ")
            ))
        });
        Contender {
            read: read_all_of_tenbin,
            ..tenbin.named(name)
        }
    }

    /// A command of tenbin that only prints.
    pub(crate) fn printing(&self, name: &'static str, arguments: &'static str) -> Contender {
        let tenbin = self.tenbin(move |_| Ok(arguments.to_owned()));
        Contender {
            read: |said| counted((!said.trim().is_empty()).then_some(1)),
            ..tenbin.named(name)
        }
    }

    /// `tenbin show` or `tenbin report` of the run directory in [`Scene::url`], with these flags.
    pub(crate) fn show(
        &self,
        name: &'static str,
        command: &'static str,
        flags: &'static str,
    ) -> Contender {
        let tenbin = self.tenbin(move |scene| Ok(format!("{command} {} {flags}", scene.url)));
        Contender {
            // `tenbin show` uses all cores.
            cores: "0,1",
            read: |said| counted((!said.trim().is_empty()).then_some(1)),
            ..tenbin.named(name)
        }
    }

    /// The null workload, for the duration of a turn or for a number of operations.
    pub(crate) fn null(
        &self,
        name: &'static str,
        cores: &'static str,
        connections: usize,
        operations: Option<u64>,
    ) -> Contender {
        let threads = cores.split(',').count();
        Contender {
            name,
            program: Ok(self.built.join("examples/null")),
            cores,
            arguments: Box::new(move |scene| {
                Ok(match operations {
                    Some(count) => format!("{threads} {connections} 600 {count}"),
                    None => format!("{threads} {connections} {}", scene.seconds),
                })
            }),
            read: read_null,
            needs: None,
            make: None,
            is_watched: false,
            doubtful: None,
        }
    }

    /// A typical blobstore-bench command line with the dummy store, on both cores. Every mode of
    /// `modes` runs for `times` times the length of a turn.
    pub(crate) fn dummy(&self, name: &'static str, modes: &'static str, times: u64) -> Contender {
        Contender {
            name,
            cores: "0,1",
            read: read_blobstore_bench,
            ..self.tenbin(move |scene| {
                let seconds = scene.seconds * times;
                Ok(format!(
                    "blobstore-bench -b dummy -d {seconds} -m {modes} -pr cost -s 10Ki -t 2"
                ))
            })
        }
    }

    /// Put, get and delete of blobs of `size` bytes in files, by tenbin.
    pub(crate) fn files(&self, size: u64) -> Contender {
        let tenbin = self.tenbin(move |scene| {
            let rounds = scene.seconds * ROUNDS_OF_FILES_A_SECOND;
            Ok(format!(
                "blob --target s=file://{} --phases pgd --size {size} --objects {FILES} \
                 --rounds {rounds} --connections 1 --slice 10m {SOME_SLICES}",
                data_root().join("tenbin-cost-files").display()
            ))
        });
        Contender {
            read: read_all_of_tenbin,
            ..tenbin
        }
    }

    /// The operations of [`Stable::files`] by the loop [`bare_files`](super::bare_files).
    pub(crate) fn bare_files(&self, size: u64) -> Contender {
        Contender {
            name: "bare loop",
            program: Ok(self.built.join("xtask")),
            cores: "0",
            arguments: Box::new(move |scene| {
                let rounds = scene.seconds * ROUNDS_OF_FILES_A_SECOND;
                Ok(format!(
                    "bare-files {} {rounds} {FILES} {size}",
                    data_root().join("tenbin-cost-files").display()
                ))
            }),
            read: |said| counted(said.trim().parse().ok()),
            needs: None,
            make: None,
            is_watched: false,
            doubtful: None,
        }
    }

    fn tenbin(&self, arguments: impl Fn(&Scene<'_>) -> Result<String> + 'static) -> Contender {
        Contender {
            name: "tenbin",
            program: Ok(self.built.join("tenbin")),
            cores: "0",
            arguments: Box::new(arguments),
            read: read_tenbin,
            needs: None,
            make: None,
            is_watched: false,
            // Exit status of an INVALID result. On a busy machine the result can be INVALID, but
            // the CPU time is still correct.
            doubtful: Some(6),
        }
    }

    fn bare_loop(&self, connections: usize) -> Contender {
        Contender {
            name: "bare loop",
            program: Ok(self.built.join("xtask")),
            cores: "0",
            arguments: Box::new(move |scene| {
                let (address, seconds) = (host(scene.url), scene.seconds);
                Ok(format!("bare-loop {address} {connections} {seconds}"))
            }),
            read: |said| counted(said.trim().parse().ok()),
            needs: None,
            make: None,
            is_watched: false,
            doubtful: None,
        }
    }

    /// A minimal loop around warp's client library. `what` is the operation on objects of `size`
    /// bytes.
    pub(crate) fn minio_go_loop(&self, what: &'static str, size: u64) -> Contender {
        Contender {
            name: rival::NAME,
            program: Ok(self.built.join(rival::PROGRAM)),
            cores: "0",
            arguments: Box::new(move |scene| {
                let (host, seconds) = (host(scene.url), scene.seconds);
                Ok(format!("{what} {host} {size} 16 8 {seconds}"))
            }),
            read: |said| counted(said.trim().parse().ok()),
            needs: None,
            make: Some(rival::build),
            is_watched: false,
            doubtful: None,
        }
    }
}

/// warp: `what` is a subcommand with its flags. Over plain HTTP, warp uses S3's streaming signature
/// by default, which computes SHA-256 of every 64 KiB while sending. Tenbin hashes each body once
/// before the run. Both sign all bytes of the body.
pub(crate) fn warp(what: &'static str) -> Contender {
    peer(
        "warp",
        "`go install github.com/minio/warp@latest`, and zstd from Debian",
        |_| read_warp(),
        move |scene| {
            let (host, seconds) = (host(scene.url), scene.seconds);
            format!(
                "{what} --host {host} --duration {seconds}s --bucket tenbin-cost-warp \
                 --no-color --benchdata {WARP_RESULT}"
            )
        },
    )
}

/// Result file of warp, without the extension `.json.zst` that warp adds.
const WARP_RESULT: &str = "tenbin-cost-warp-result";

fn peer(
    name: &'static str,
    from: &'static str,
    read: fn(&str) -> Option<Said>,
    arguments: impl Fn(&Scene<'_>) -> String + 'static,
) -> Contender {
    Contender {
        name,
        program: shell::find_program(name)
            .or_else(|| setup::find_built(name))
            .ok_or_else(|| format!("{name} is not installed ({from})")),
        cores: "0",
        arguments: Box::new(move |scene| Ok(arguments(scene))),
        read,
        needs: None,
        make: None,
        is_watched: false,
        doubtful: None,
    }
}

/// Host and port of an `http://` URL.
fn host(url: &str) -> &str {
    url.trim_start_matches("http://").trim_end_matches('/')
}

fn get(scene: &Scene<'_>, connections: usize, more: &str) -> Result<String> {
    let Scene { url, seconds, .. } = scene;
    Ok(format!(
        "http {more} --target s={url} --connections {connections} --slice {seconds}s {ONE_SLICE}"
    ))
}

fn wrk(connections: usize) -> Contender {
    peer("wrk", "Debian: wrk", read_wrk, move |scene| {
        let Scene { url, seconds, .. } = scene;
        format!("-t 1 -c {connections} -d {seconds}s {url}")
    })
}

fn oha(connections: usize) -> Contender {
    peer(
        "oha",
        "`cargo install oha --locked`",
        read_oha,
        move |scene| {
            let Scene { url, seconds, .. } = scene;
            format!("-z {seconds}s -c {connections} --insecure --no-tui --output-format json {url}")
        },
    )
}

fn counted(operations: Option<u64>) -> Option<Said> {
    Some(Said {
        operations: operations?,
        seconds: None,
    })
}

/// The number before `after` in the first line that contains `after`.
fn number_before(said: &str, after: &str) -> Option<u64> {
    let before = said
        .lines()
        .find_map(|line| Some(line.split_once(after)?.0))?;
    before.split_whitespace().next_back()?.parse().ok()
}

/// The number after `before` in the first line that contains `before`.
fn number_after(said: &str, before: &str) -> Option<u64> {
    let after = said
        .lines()
        .find_map(|line| Some(line.split_once(before)?.1))?;
    after.split_whitespace().next()?.parse().ok()
}

fn read_tenbin(said: &str) -> Option<Said> {
    let document: serde_json::Value = serde_json::from_str(said).ok()?;
    let result = &document["results"][0];
    // Failed requests can cost less than requests with a response.
    (result["failed"].as_u64() == Some(0)).then_some(())?;
    counted(result["ok"].as_u64())
}

/// The sum of the operations of all results; `None` if an operation failed.
fn read_all_of_tenbin(said: &str) -> Option<Said> {
    let document: serde_json::Value = serde_json::from_str(said).ok()?;
    let results = document["results"].as_array()?;
    let each = results.iter().map(|result| {
        (result["failed"].as_u64() == Some(0)).then_some(())?;
        result["ok"].as_u64()
    });
    counted(each.sum())
}

/// The sums of operations and seconds over all modes.
fn read_blobstore_bench(said: &str) -> Option<Said> {
    let totals = || said.lines().filter(|line| line.contains("Int: TOTAL"));
    let field = |line: &str, name: &str| -> Option<f64> {
        let after = line.split_once(name)?.1;
        after.split(',').next()?.trim().parse().ok()
    };
    let sum = |name| -> Option<f64> { totals().map(|line| field(line, name)).sum() };
    totals()
        .all(|line| line.ends_with("Slowdowns: 0"))
        .then_some(())?;
    Some(Said {
        operations: sum("Ops: ")? as u64,
        seconds: sum("Dur(s): "),
    })
}

fn read_null(said: &str) -> Option<Said> {
    let mut words = said.split_whitespace();
    Some(Said {
        operations: words.next()?.parse().ok()?,
        seconds: words.next()?.parse().ok(),
    })
}

fn read_wrk(said: &str) -> Option<Said> {
    counted(number_before(said, " requests in "))
}

fn read_ab(said: &str) -> Option<Said> {
    counted(number_after(said, "Complete requests:"))
}

fn read_h2load(said: &str) -> Option<Said> {
    counted(number_before(said, " succeeded,"))
}

fn read_hey(said: &str) -> Option<Said> {
    counted(number_before(said, " responses"))
}

fn read_oha(said: &str) -> Option<Said> {
    let document: serde_json::Value = serde_json::from_str(said).ok()?;
    counted(document["statusCodeDistribution"]["200"].as_u64())
}

/// Reads the exact number of operations from the result file of warp, because warp prints only
/// rounded rates.
fn read_warp() -> Option<Said> {
    let file = std::env::temp_dir().join(format!("{WARP_RESULT}.json.zst"));
    let text = shell::output_of(Command::new("zstd").arg("-dcq").arg(file)).ok()?;
    count_of_warp(&text)
}

fn count_of_warp(text: &str) -> Option<Said> {
    let document: serde_json::Value = serde_json::from_str(text).ok()?;
    let total = &document["total"];
    (total["total_errors"].as_u64() == Some(0)).then_some(())?;
    counted(total["total_requests"].as_u64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operations(said: Option<Said>) -> Option<u64> {
        said.map(|said| said.operations)
    }

    #[test]
    fn counts_are_found_in_what_each_generator_says() {
        let wrk = "Running 5s test\n  510000 requests in 5.10s, 80MB read\n";
        assert_eq!(operations(read_wrk(wrk)), Some(510_000));
        let ab = "Concurrency Level: 64\nComplete requests:      482114\n";
        assert_eq!(operations(read_ab(ab)), Some(482_114));
        let h2load = "requests: 400 total, 464 started, 400 done, 399 succeeded, 1 failed\n";
        assert_eq!(operations(read_h2load(h2load)), Some(399));
        let hey = "Status code distribution:\n  [200]\t180000 responses\n";
        assert_eq!(operations(read_hey(hey)), Some(180_000));
        let oha = r#"{"statusCodeDistribution": {"200": 7}}"#;
        assert_eq!(operations(read_oha(oha)), Some(7));
        assert_eq!(operations(read_null("100 0.5 0.4\n")), Some(100));
    }

    #[test]
    fn every_mode_of_blobstore_bench_counts() {
        let line = |mode: &str, slowdowns: u64| {
            format!(
                "2026/11/22 00:37:16 Loop: 0, Int: TOTAL, Dur(s): 2.5, Mode: {mode}, Ops: 100, \
                 MB/s: 1.00, IO/s: 40, Lat(ms): [ min: 0.0, avg: 0.0, 99%: 0.0, max: 8.1 ], \
                 Slowdowns: {slowdowns}\n"
            )
        };
        let said = read_blobstore_bench(&(line("PUT", 0) + &line("GET", 0))).expect("two modes");
        assert_eq!((said.operations, said.seconds), (200, Some(5.0)));
        assert!(read_blobstore_bench(&(line("PUT", 0) + &line("GET", 1))).is_none());
    }

    #[test]
    fn a_turn_with_failures_counts_nothing() {
        let tenbin = |failed: u64| format!(r#"{{"results": [{{"ok": 9, "failed": {failed}}}]}}"#);
        assert_eq!(operations(read_tenbin(&tenbin(0))), Some(9));
        assert_eq!(operations(read_tenbin(&tenbin(1))), None);
        let warp = |failed: u64| {
            format!(r#"{{"total": {{"total_requests": 9, "total_errors": {failed}}}}}"#)
        };
        assert_eq!(operations(count_of_warp(&warp(0))), Some(9));
        assert_eq!(operations(count_of_warp(&warp(1))), None);
    }
}
