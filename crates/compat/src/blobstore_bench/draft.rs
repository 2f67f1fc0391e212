//! The plan that a command line of blobstore-bench stands for.

use std::time::Duration;

use tenbin_plan::duration::Time;
use tenbin_plan::size::Size;
use tenbin_plan::{At, BlobDraft, Draft, List, Phase, Scalar, TargetDraft, WorkloadDraft};

use super::{Backend, BlobstoreBenchJob, SECRET_KEY_VARIABLE};

/// Duration of a mode without a time limit: 24 hours, because every mode must end.
const NO_LIMIT: Duration = Duration::from_secs(24 * 3600);

impl BlobstoreBenchJob {
    /// The plan: one target, one workload per mode, one round per loop.
    pub fn draft(&self) -> Draft {
        let mut draft = Draft::default();
        draft.name = Some(At::nowhere("blobstore-bench"));
        draft.targets = vec![At::nowhere(self.target())];
        let mut has_put = false;
        let modes = self.modes.iter();
        draft.workloads = modes
            .map(|(phase, name)| {
                has_put |= *phase == Phase::Put;
                At::nowhere(self.workload(*phase, name, has_put))
            })
            .collect();
        draft.load.connections = Some(At::flag("-t", self.threads));
        draft.threads = Some(At::flag("-t", self.threads));
        draft.rounds.count = Some(At::flag("-l", self.loops));
        let slice = self.duration.unwrap_or(NO_LIMIT);
        draft.rounds.slice = Some(At::flag("-d", Time(slice).to_string()));
        draft.rounds.warmup = Some(At::nowhere("0s"));
        draft.rounds.gap = Some(At::nowhere("0s"));
        draft
    }

    fn target(&self) -> TargetDraft {
        let mut target = TargetDraft {
            name: Some(At::nowhere("blobstore")),
            secret_key_env: self
                .has_secret_key
                .then(|| At::nowhere(SECRET_KEY_VARIABLE)),
            ..TargetDraft::default()
        };
        match &self.backend {
            Backend::Dummy => {
                target.name = Some(At::nowhere("dummy"));
                target.builtin = Some(At::flag("-b", "dummy"));
            }
            Backend::Blobstore(hosts) if hosts.len() == 1 => {
                target.url = Some(At::flag("-c", hosts[0].as_str()));
            }
            Backend::Blobstore(hosts) => {
                let hosts = hosts.iter().map(|host| {
                    let host: Scalar = host.as_str().into();
                    At::flag("-c", host)
                });
                target.urls = Some(At::flag("-c", List::Many(hosts.collect())));
            }
        }
        target
    }

    /// The workload of a mode; `has_put`: an earlier mode has stored the blobs.
    fn workload(&self, phase: Phase, name: &str, has_put: bool) -> WorkloadDraft {
        let reads = phase == Phase::Get;
        let part = self
            .part
            .filter(|_| reads && !has_put && self.directory.is_some());
        let mut workload = WorkloadDraft::of(BlobDraft {
            operation: Some(At::flag("-m", phase.name())),
            size: Some(At::flag("-s", Size(self.size).to_string())),
            objects: self.objects.map(|objects| At::flag("-n", objects)),
            prefix: self.set.as_ref().map(|set| At::flag("-pr", set.as_str())),
            locations: self
                .directory
                .as_ref()
                .map(|directory| At::flag("-r", directory.as_str())),
            range: part.map(|part| At::flag("-s", format!("0-{}", part - 1))),
            verify: (reads && !self.verify).then(|| At::flag("-verify", false)),
            errors: self.errors.map(|errors| At::flag("-e", errors)),
            ..BlobDraft::default()
        });
        workload.name = Some(At::nowhere(name));
        workload
    }
}
