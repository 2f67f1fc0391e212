//! Converts a job of warp to a plan.

use tenbin_plan::duration::Time;
use tenbin_plan::size::Size;
use tenbin_plan::{
    At, Draft, Field, List, S3Draft, Scalar, Secret, TargetDraft, TlsDraft, WorkloadDraft,
};

use super::command::{self, Operation};
use super::job::{Checksum, Encryption, WarpJob, WebIdentity};
use super::mix::MixedOperation;

/// Name of the only target.
const TARGET: &str = "server";

impl WarpJob {
    /// The plan: one target, one workload, one slice with the measured duration.
    pub fn draft(&self) -> Draft {
        let mut draft = Draft::default();
        let command = command::for_operation(self.operation).name;
        draft.name = Some(match &self.name {
            Some(name) => At::flag("--benchdata", name.as_str()),
            None => At::nowhere(format!("warp-{command}")),
        });
        draft.targets = vec![At::nowhere(self.target())];
        draft.workloads = vec![At::nowhere(WorkloadDraft::of(self.work()))];
        draft.output.ops_log = text("--full", self.log.as_deref());
        let load = &mut draft.load;
        load.connections = Some(At::flag("--concurrent", self.concurrency));
        load.rate = self
            .rate
            .map(|rate| At::flag("--rps-limit", format!("{rate}/s")));
        load.keep_alive = (!self.keep_alive).then(|| At::flag("--disable-http-keepalive", false));
        let rounds = &mut draft.rounds;
        rounds.count = Some(At::nowhere(1_u32));
        rounds.slice = Some(At::flag("--duration", Time(self.duration).to_string()));
        rounds.warmup = Some(At::nowhere("0s"));
        rounds.lead =
            (!self.skip.is_zero()).then(|| At::flag("--analyze.skip", Time(self.skip).to_string()));
        draft
    }

    fn target(&self) -> TargetDraft {
        let scheme = if self.tls { "https" } else { "http" };
        let urls = self
            .hosts
            .iter()
            .map(|host| At::flag("--host", format!("{scheme}://{host}")));
        let (token, token_file) = match &self.web_identity {
            Some(WebIdentity::Token(token)) => (Some(token), None),
            Some(WebIdentity::File(file)) => (None, Some(file.as_str())),
            None => (None, None),
        };
        TargetDraft {
            name: Some(At::nowhere(TARGET)),
            web_identity_token: secret("--sts-web-token", token),
            web_identity_token_file: text("--sts-web-token", token_file),
            urls: Some(At::flag("--host", List::Many(urls.collect()))),
            access_key: secret("--access-key", self.access_key.as_ref()),
            secret_key: secret("--secret-key", self.secret_key.as_ref()),
            session_token: secret("--session-token", self.session_token.as_ref()),
            sts_endpoint: text("--sts-endpoint", self.token_service.as_deref()),
            region: text("--region", self.region.as_deref()),
            signature: self.signature_v2.then(|| At::flag("--signature", "v2")),
            http: self.http2.then(|| At::flag("--http2", "2")),
            tls: self.insecure.then(|| {
                At::flag(
                    "--insecure",
                    TlsDraft {
                        insecure: Some(At::flag("--insecure", true)),
                        ..TlsDraft::default()
                    },
                )
            }),
            ..TargetDraft::default()
        }
    }

    fn work(&self) -> S3Draft {
        let mut draft = S3Draft {
            operation: Some(At::nowhere(self.operations())),
            size: Some(At::flag("--obj.size", self.sizes())),
            bucket: text("--bucket", Some(&self.bucket)),
            prefix: text("--prefix", self.prefix.as_deref()),
            objects: number("--objects", self.objects),
            style: self.virtual_host.then(|| At::flag("--lookup", "virtual")),
            payload: (!self.signed_payload)
                .then(|| At::flag("--disable-sha256-payload", "unsigned")),
            checksum: self
                .checksum
                .map(|checksum| At::flag("--checksum", checksum_in_plan(checksum))),
            encryption: self.encryption.map(|encryption| match encryption {
                Encryption::SseS3 => At::flag("--sse-s3-encrypt", "sse-s3"),
                Encryption::SseC => At::flag("--encrypt", "sse-c"),
            }),
            storage_class: text("--storage-class", self.storage_class.as_deref()),
            metadata: pairs("--add-metadata", &self.metadata, ": "),
            tags: pairs("--tag", &self.tags, "="),
            ..S3Draft::default()
        };
        if self.existing {
            draft.data = Some(At::flag("--list-existing", "existing"));
        } else if self.keep_data {
            draft.data = Some(At::flag("--keep-data", "keep"));
        }
        self.set_operation_keys(&mut draft);
        draft
    }

    /// Sets the keys that apply to some operations only.
    fn set_operation_keys(&self, draft: &mut S3Draft) {
        let versions = || number("--versions", self.versions.filter(|&count| count > 1));
        match self.operation {
            Operation::Get => {
                draft.versions = versions();
                draft.range = self
                    .range_size
                    .map(|size| At::flag("--range-size", format!("random:{}", Size(size))));
            }
            Operation::Stat | Operation::Retention => draft.versions = versions(),
            Operation::List => {
                draft.page = number("--max-keys", self.max_keys);
                draft.versions = versions();
                draft.list = draft
                    .versions
                    .is_some()
                    .then(|| At::flag("--versions", "versions"));
            }
            Operation::Delete => draft.batch = number("--batch", self.batch),
            Operation::Versioned => draft.versions = Some(At::nowhere(1_u32)),
            Operation::Multipart | Operation::MultipartPut => {
                let part = self.part_size.unwrap_or_default();
                draft.part_size = Some(At::flag("--part.size", Size(part).to_string()));
                draft.parts_at_once = number("--part.concurrent", self.part_concurrency);
                if self.operation == Operation::Multipart {
                    draft.objects = Some(At::nowhere(1_u32));
                }
            }
            Operation::Snowball => draft.entries = number("--objs.per", self.objects_per_archive),
            Operation::Fanout => draft.entries = number("--copies", self.copies),
            Operation::Zip => {
                draft.entries = number("--files", self.files);
                draft.objects = Some(At::nowhere(1_u32));
            }
            Operation::Put | Operation::Mixed | Operation::Append => {}
        }
    }

    /// The operations in plan-file syntax.
    fn operations(&self) -> String {
        let name = match self.operation {
            Operation::Get => "get",
            Operation::Put => "put",
            Operation::Delete => "delete-batch",
            Operation::List => "list",
            Operation::Stat => "stat",
            Operation::Retention => "retain",
            Operation::Multipart => "get-part",
            Operation::MultipartPut => "multipart",
            Operation::Append => "append",
            Operation::Zip => "zip-get",
            Operation::Snowball => "snowball",
            Operation::Fanout => "fan-out",
            Operation::Mixed | Operation::Versioned => return self.mixed(),
        };
        name.to_owned()
    }

    fn mixed(&self) -> String {
        let share = |&(operation, share): &(MixedOperation, f64)| {
            let name = match operation {
                MixedOperation::Get => "get",
                MixedOperation::Stat => "stat",
                MixedOperation::Put => "put",
                MixedOperation::Delete => "delete",
            };
            format!("{name}:{share}")
        };
        match self.mix.as_slice() {
            [(only, _)] => share(&(*only, 1.0))
                .split_once(':')
                .map_or(String::new(), |(name, _)| name.to_owned()),
            several => several.iter().map(share).collect::<Vec<_>>().join(","),
        }
    }

    /// Object sizes in plan-file syntax. For multipart operations, the object size is part size ×
    /// number of parts, the two values that flags of warp set.
    fn sizes(&self) -> String {
        match self.operation {
            Operation::Multipart | Operation::MultipartPut => {
                let (part, parts) = (self.part_size.unwrap_or(0), self.parts.unwrap_or(1));
                Size(part.saturating_mul(parts)).to_string()
            }
            _ => self.size.in_plan(),
        }
    }
}

fn text(flag: &'static str, value: Option<&str>) -> Field {
    value.map(|value| At::flag(flag, value))
}

fn number(flag: &'static str, value: Option<u64>) -> Field {
    value.map(|value| At::flag(flag, value))
}

fn pairs(flag: &'static str, pairs: &[(String, String)], between: &str) -> Option<At<List>> {
    let lines = pairs.iter().map(|(name, value)| {
        let line: At<Scalar> = At::flag(flag, format!("{name}{between}{value}"));
        line
    });
    (!pairs.is_empty()).then(|| At::flag(flag, List::Many(lines.collect())))
}

fn checksum_in_plan(checksum: Checksum) -> &'static str {
    match checksum {
        Checksum::Md5 => "md5",
        Checksum::Crc32 => "crc32",
        Checksum::Crc32c => "crc32c",
        Checksum::Crc64Nvme => "crc64nvme",
        Checksum::Sha1 => "sha1",
        Checksum::Sha256 => "sha256",
        Checksum::Sha512 => "sha512",
        Checksum::XxHash64 => "xxhash64",
        Checksum::XxHash3 => "xxhash3",
        Checksum::XxHash128 => "xxhash128",
    }
}

fn secret(flag: &'static str, secret: Option<&Secret>) -> Option<At<Secret>> {
    secret.map(|secret| At {
        place: tenbin_plan::Place::Flag(flag),
        value: secret.clone(),
    })
}
