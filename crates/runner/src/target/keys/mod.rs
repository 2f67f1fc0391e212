//! Temporary keys of a target: obtained before the first request, and renewed by a thread of their
//! own, so that no request waits for a renewal.

mod lease;
mod route;
mod source;

use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tenbin_engine::Address;
use tenbin_plan::{Plan, Sentence, Signature, Target, sentence};
use tenbin_record::RefusedRenewal;
use tenbin_targets::Running;
use tenbin_workloads::s3::keyring::{Keyring, Keyrings};
use tenbin_workloads::{BucketAddress, Site, buckets};

use self::lease::{Lease, Refused, keep};
use self::route::KeyRoute;
use self::source::{Base, Source};
use crate::error::RunError;

/// Whether keys may be requested at an address.
pub(crate) type MayAsk = Box<dyn Fn(&Address) -> Result<(), Sentence> + Send + Sync>;

/// Keys may be requested at any address.
pub(crate) fn anywhere() -> MayAsk {
    Box::new(|_| Ok(()))
}

/// Tries before the run, as long as the server says that it cannot issue keys yet.
const FIRST_TRIES: u32 = 5;
/// Pause before another of these tries.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// The temporary keys of a target. Dropping the value ends their renewal.
pub(crate) struct KeyKeeper {
    keyrings: Keyrings,
    refused: Arc<Mutex<Vec<Refused>>>,
    /// Dropped to end the thread.
    _stop: Sender<()>,
}

impl KeyKeeper {
    /// Obtains the keys of a target that the plan wants for its workloads, and begins their
    /// renewal; `None` if the keys of the target stay as they are. `site` is the target without
    /// temporary keys.
    pub(crate) fn start(
        plan: &Plan,
        target: &Target,
        running: &Running,
        site: &Site,
        may_ask: MayAsk,
    ) -> Result<Option<Self>, RunError> {
        let sources = sources(plan, target, running, site)?;
        if sources.is_none() {
            return Ok(None);
        }
        let route = Arc::new(KeyRoute::new(target, running, may_ask));
        let mut keyrings = Keyrings::default();
        let mut leases = Vec::new();
        if let Some(source) = sources.account {
            let lease = first(target, Source::account(source, &route))?;
            keyrings.account = Some(Arc::clone(&lease.ring));
            leases.push(lease);
        }
        for bucket in sources.buckets {
            let base = match (&keyrings.account, &running.credentials) {
                (Some(ring), _) => Base::Ring(Arc::clone(ring)),
                (None, Some(keys)) => Base::Fixed(keys.clone()),
                (None, None) => continue,
            };
            let name = bucket.name.clone();
            let lease = first(target, Source::bucket(bucket, base, target, &route))?;
            keyrings.buckets.insert(name, Arc::clone(&lease.ring));
            leases.push(lease);
        }
        Self::spawn(target, keyrings, leases).map(Some)
    }

    fn spawn(target: &Target, keyrings: Keyrings, leases: Vec<Lease>) -> Result<Self, RunError> {
        let (stop, stopped) = mpsc::channel();
        let refused = Arc::<Mutex<Vec<Refused>>>::default();
        let log = Arc::clone(&refused);
        thread::Builder::new()
            .name("keys".to_owned())
            .spawn(move || keep(leases, &stopped, &log))
            .map_err(|error| RunError::Keys {
                target: target.name.clone(),
                issuer: "the system".to_owned(),
                why: sentence!(
                    "no-renewal-thread",
                    "no thread for their renewal ({error})",
                    error
                ),
            })?;
        Ok(Self {
            keyrings,
            refused,
            _stop: stop,
        })
    }

    /// The target with its temporary keys.
    pub(crate) fn give(&self, mut site: Site) -> Site {
        let account = self.keyrings.account.as_ref();
        if let Some(keys) = account.map(|ring| ring.keys()) {
            site.credentials = Some(keys);
        }
        site.with_keyrings(self.keyrings.clone())
    }

    /// The refused renewals so far; `started` is the start of the run.
    pub(crate) fn refused(&self, target: &str, started: Instant) -> Vec<RefusedRenewal> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let all = refused.iter();
        all.map(|one| one.recorded(target, started)).collect()
    }
}

/// What the keys of a target come from.
#[derive(Default)]
struct Sources<'a> {
    /// The target, if a token service issues its keys.
    account: Option<(&'a Target, Option<Base>)>,
    /// The buckets that issue keys.
    buckets: Vec<BucketAddress>,
}

impl Sources<'_> {
    fn is_none(&self) -> bool {
        self.account.is_none() && self.buckets.is_empty()
    }
}

fn sources<'a>(
    plan: &Plan,
    target: &'a Target,
    running: &Running,
    site: &Site,
) -> Result<Sources<'a>, RunError> {
    let has_keys = running.credentials.is_some() || target.sessions.web_identity.is_some();
    if target.signature != Signature::V4 || !has_keys {
        return Ok(Sources::default());
    }
    let mut found = Sources::default();
    if target.sessions.gets_keys() {
        found.account = Some((target, running.credentials.clone().map(Base::Fixed)));
    }
    for work in &plan.workloads {
        let named = buckets(&plan.work_on(target, work), site);
        let is_express = |bucket: &BucketAddress| target.sessions.is_express(&bucket.name);
        if named.len() > 1 && named.iter().any(is_express) {
            return Err(RunError::Keys {
                target: target.name.clone(),
                issuer: "CreateSession".to_owned(),
                why: sentence!(
                    "session-buckets",
                    "workload \"{name}\" uses {named} buckets, and sessions are for one bucket; \
                     leave out buckets, or express_session (--express-session)",
                    name = work.name,
                    named = named.len()
                ),
            });
        }
        for bucket in named.into_iter().filter(is_express) {
            if !found.buckets.iter().any(|other| other.name == bucket.name) {
                found.buckets.push(bucket);
            }
        }
    }
    Ok(found)
}

/// The first keys of a source. A source that cannot issue keys yet is asked again.
fn first(target: &Target, source: Source) -> Result<Lease, RunError> {
    let mut tries = 0;
    loop {
        tries += 1;
        match source.obtain() {
            Ok(issued) => {
                let ring = Arc::new(Keyring::new(source.key_use(), issued.keys.clone()));
                return Ok(Lease::new(source, ring, issued.life));
            }
            Err(refusal) if refusal.is_temporary && tries < FIRST_TRIES => {
                thread::sleep(FIRST_PAUSE);
            }
            Err(refusal) => {
                return Err(RunError::Keys {
                    target: target.name.clone(),
                    issuer: source.describe(),
                    why: refusal.why,
                });
            }
        }
    }
}
