//! `tenbin doctor`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use tenbin_plan::{
    AgentsDraft, At, Draft, Flag, LoadDraft, Refusal, S3Draft, S3Operation, WorkloadDraft,
};

use super::flags::Offered;
use super::{Flags, KeyArgs, TargetArgs, set};
use crate::args::options::per_target::value_for;

/// `tenbin doctor`.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Without a subcommand, Tenbin checks only this machine and needs no server. It prints one line for
each check: the state (ok, warning, failed or unknown), the evidence and what to do. The last line
says whether the machine is fit to measure. Exit code 0 if no check failed, otherwise 3.

Examples:
  tenbin doctor
  tenbin doctor --duration 30s --connections 512
  tenbin doctor --agents 2 --nats tls://10.0.0.1:4222 --creds tenbin-hub/coordinator.creds
  tenbin doctor s3 --target minio=http://127.0.0.1:9000"
)]
pub struct DoctorArgs {
    /// Kind of the servers to check; `None` to check only this machine.
    #[command(subcommand)]
    pub command: Option<DoctorCommand>,
    /// Options of the check of this machine.
    #[command(flatten)]
    pub machine: DoctorMachineArgs,
}

/// `tenbin doctor` without a subcommand.
#[derive(Args)]
pub struct DoctorMachineArgs {
    /// Time for which to measure the noise of the machine: variation of CPU speed, and pauses
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub duration: tenbin_plan::duration::Time,
    /// Number of connections of the planned run
    #[arg(
        long,
        short,
        visible_alias = "concurrency",
        value_name = "N",
        default_value_t = 16
    )]
    pub connections: u32,
    /// Directory for run directories of the planned run
    #[arg(long, value_name = "DIR", default_value = "runs")]
    pub out: PathBuf,
    /// Port of a server that you will start, repeatable: reports whether the port is free, or which
    /// process uses the port
    #[arg(long, value_name = "PORT")]
    pub port: Vec<u16>,
    /// Print the check results as JSON
    #[arg(long)]
    pub json: bool,
    /// Load machines that are checked too.
    #[command(flatten)]
    pub agents: Flags<AgentsDraft>,
}

/// The kinds of servers that can be checked.
#[derive(Subcommand)]
pub enum DoctorCommand {
    /// Check S3 object stores, and this machine
    S3(DoctorS3Args),
}

/// `tenbin doctor s3`.
#[derive(Args)]
#[command(after_help = "\
Prints one line for each check: the state (ok, warning, failed or unknown), the evidence and what to
do. Tenbin creates nothing on a target. Without a target, Tenbin checks only this machine.

Examples:
  tenbin doctor s3 --port 9200 --port 9300
  tenbin doctor s3 --target minio=http://127.0.0.1:9000 --connections 64")]
pub struct DoctorS3Args {
    /// The systems under test.
    #[command(flatten)]
    pub targets: TargetArgs,
    /// Credentials of the targets.
    #[command(flatten)]
    pub keys: KeyArgs,
    /// Bucket of the planned run, and addressing.
    #[command(flatten)]
    pub bucket: Flags<PlannedBucket>,
    /// Number of connections of the planned run [default: 16]
    #[arg(
        long,
        short,
        visible_alias = "concurrency",
        value_name = "N",
        help_heading = "What a run would do"
    )]
    pub connections: Option<u32>,
    /// Directory for run directories of the planned run
    #[arg(
        long,
        value_name = "DIR",
        default_value = "runs",
        help_heading = "What a run would do"
    )]
    pub out: PathBuf,
    /// Port of a server that you will start, repeatable: reports whether the port is free, or which
    /// process uses the port
    #[arg(long, value_name = "PORT", help_heading = "Where to look")]
    pub port: Vec<u16>,
    /// Directory on this machine in which a target stores its data [default: determined from the
    /// process of the target]
    #[arg(long, value_name = "[NAME=]DIR", help_heading = "Where to look")]
    pub data: Vec<String>,
    /// Print the check results as JSON
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Load machines that are checked too, and the targets from there.
    #[command(flatten)]
    pub agents: Flags<AgentsDraft>,
}

/// The flags of S3 workloads that the check offers.
pub struct PlannedBucket;

impl Offered for PlannedBucket {
    type Draft = S3Draft;
    const HEADING: &'static str = "What a run would do";

    fn offers(flag: &Flag) -> bool {
        flag.also_in.contains(&"doctor")
    }

    fn described(flag: &Flag) -> Flag {
        Flag {
            heading: None,
            help: match flag.name {
                "--bucket" => "Bucket of the planned run",
                _ => flag.help,
            },
            ..*flag
        }
    }
}

impl DoctorS3Args {
    /// The plan of the run to check; `None` without a target.
    ///
    /// # Errors
    ///
    /// If an option names a target that does not exist.
    pub fn draft(&self) -> Result<Option<Draft>, Refusal> {
        let mut targets = self.targets.drafts()?;
        if targets.is_empty() {
            return Ok(None);
        }
        self.keys.give_all(&mut targets)?;
        let work = S3Draft {
            operation: Some(At::nowhere(S3Operation::Put.name())),
            ..S3Draft::clone(&self.bucket.0)
        };
        let mut load = LoadDraft::default();
        set(&mut load.connections, "--connections", self.connections);
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere("doctor"));
        draft.load = load;
        draft.targets = targets;
        draft.workloads = vec![At::nowhere(WorkloadDraft::of(work))];
        Ok(Some(draft))
    }

    /// Data directories from `--data` of the `targets`, by target name.
    pub fn data(&self, targets: &[String]) -> BTreeMap<String, PathBuf> {
        let found = targets.iter().filter_map(|target| {
            let directory = value_for(&self.data, Some(target), targets)?;
            Some((target.clone(), PathBuf::from(directory)))
        });
        found.collect()
    }
}
