//! The load generators that are compared: command line and output parser of each. In a row, all
//! load generators send the same requests on the same number of connections.

mod agents;
mod commands;
mod connections;
mod http;
mod open_loop;
mod read;
mod s3;
mod stores;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

pub(crate) use self::s3::warp;
use super::server::{ACCESS_KEY, SECRET_KEY, presign};
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
    /// The arguments, quoted as for a shell.
    arguments: Arguments,
    /// Parses the output of the program.
    read: fn(&str) -> Option<Said>,
    /// A subcommand and a flag that some builds of the program lack.
    needs: Option<(&'static str, &'static str)>,
    /// Makes what a turn needs, such as the program if it is not built elsewhere.
    make: Option<fn(&Path) -> Result<()>>,
    /// Whether this process views the live page of the program.
    is_watched: bool,
    /// Exit status of a completed run with doubtful figures.
    doubtful: Option<i32>,
}

impl Contender {
    /// A load generator on the first core.
    fn new(
        name: &'static str,
        program: Result<PathBuf, String>,
        arguments: impl Fn(&Scene<'_>) -> Result<String> + 'static,
        read: fn(&str) -> Option<Said>,
    ) -> Self {
        Self {
            name,
            program,
            cores: "0",
            arguments: Box::new(arguments),
            read,
            needs: None,
            make: None,
            is_watched: false,
            doubtful: None,
        }
    }

    /// Makes what a turn needs, and checks the program. The error is the reason why the program
    /// cannot take part.
    pub(crate) fn prepare(&self) -> Result<(), String> {
        let program = self.program.as_ref().map_err(String::clone)?;
        if let Some(make) = self.make {
            make(program).map_err(|error| format!("{} cannot run: {error:#}", self.name))?;
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
        let arguments = (self.arguments)(scene)?;
        let arguments = shlex::split(&arguments)
            .with_context(|| format!("the quotes of `{arguments}` do not match"))?;
        let mut command = Command::new("taskset");
        command
            .args(["--cpu-list", self.cores])
            .arg(self.program())
            .args(arguments)
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

/// Options of `tenbin` for one slice on one thread without warm-up, settling time and probes, so that
/// all requests count, as for the peers.
const ONE_SLICE: &str = "--rounds 1 --threads 1 --warmup 0s --lead 0s --probes none --json --quiet \
                         --out tenbin-cost";

/// Like [`ONE_SLICE`], for several rounds of loads that have no probes.
const SOME_SLICES: &str = "--threads 1 --warmup 0s --lead 0s --json --quiet --out tenbin-cost";

/// Like [`ONE_SLICE`], with a settling time in which all connections are opened.
const ONE_SETTLED_SLICE: &str = "--rounds 1 --threads 1 --warmup 0s --lead 500ms --json --quiet \
                                 --out tenbin-cost";

/// All contenders. `built` is the directory of Tenbin's programs.
pub(crate) struct Stable<'a> {
    pub(crate) built: &'a Path,
}

impl Stable<'_> {
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

    fn tenbin(&self, arguments: impl Fn(&Scene<'_>) -> Result<String> + 'static) -> Contender {
        Contender {
            // Exit status of an INVALID result. On a busy machine the result can be INVALID, but
            // the CPU time is still correct.
            doubtful: Some(6),
            ..Contender::new(
                "tenbin",
                Ok(self.built.join("tenbin")),
                arguments,
                read::tenbin,
            )
        }
    }

    /// A task of the `xtask` beside `tenbin`, which prints the number of its operations.
    fn xtask(
        &self,
        name: &'static str,
        arguments: impl Fn(&Scene<'_>) -> Result<String> + 'static,
    ) -> Contender {
        Contender::new(name, Ok(self.built.join("xtask")), arguments, read::number)
    }
}

/// A load generator other than Tenbin, in the `PATH` or where `cargo xtask setup` and other package
/// managers put it.
fn peer(
    name: &'static str,
    from: &'static str,
    read: fn(&str) -> Option<Said>,
    arguments: impl Fn(&Scene<'_>) -> String + 'static,
) -> Contender {
    let program = shell::find_program(name)
        .or_else(|| setup::find_built(name))
        .ok_or_else(|| format!("{name} is not installed ({from})"));
    Contender::new(name, program, move |scene| Ok(arguments(scene)), read)
}

/// Host and port of an `http://` URL.
fn host(url: &str) -> &str {
    url.trim_start_matches("http://").trim_end_matches('/')
}
