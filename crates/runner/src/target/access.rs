//! Connection settings of a target, whether the target ran before the run, and whether its data is
//! removed with the run.

use tenbin_engine::{Address, Destination, HTTP1, HTTP2, Host, Route};
use tenbin_plan::{Builtin, HttpVersion, Reach, Store, Target};
use tenbin_targets::{ResolvedRoute, Running};
use tenbin_workloads::{BlobAccess, Site};

/// The target as workloads see it: its hosts, in the same order as in `running.route`.
pub(crate) fn site(running: &Running, target: &Target) -> Site {
    let first = Site::new(
        running.url.clone(),
        running.credentials.clone(),
        target.region.clone(),
    )
    .signed(target.signature)
    .of_target(&target.name, blob_access(target));
    let others = running.route.hosts.iter().skip(1);
    others.fold(first, |site, host| site.and_host(&host.url))
}

/// The protocol for storing blobs on a target.
pub(crate) fn blob_access(target: &Target) -> BlobAccess {
    match (&target.reach, target.reach.store(target.store)) {
        (Reach::Files(_), _) => BlobAccess::Files,
        (Reach::Builtin(Builtin::Dummy), _) => BlobAccess::Dummy,
        (_, Store::S3) => BlobAccess::S3,
        (_, Store::Blobstore) => BlobAccess::Blobstore,
    }
}

/// The engine's destination for a target.
pub(crate) fn destination(running: &Running, target: &Target) -> Destination {
    match &target.reach {
        Reach::Files(files) => Destination::Files {
            directory: files.path.clone(),
            sync: files.sync,
        },
        Reach::Builtin(Builtin::Dummy) => Destination::Null,
        _ => Destination::Route(route(&running.route)),
    }
}

/// The engine's connection settings for a target.
pub(crate) fn route(route: &ResolvedRoute) -> Route {
    let address = |address: &tenbin_targets::Address| match address {
        tenbin_targets::Address::Tcp(address) => Address::Tcp(*address),
        tenbin_targets::Address::Unix(path) => Address::Unix(path.clone()),
    };
    let hosts = route.hosts.iter().map(|host| Host {
        name: host.name.clone(),
        addresses: host.addresses.iter().map(address).collect(),
        weight: host.weight,
        server_name: host.server_name.clone(),
    });
    Route {
        hosts: hosts.collect(),
        protocol: match route.http {
            HttpVersion::Http1 => HTTP1,
            HttpVersion::Http2 => HTTP2,
        },
        tls: route.tls.clone(),
        source: route.source,
    }
}

/// Whether a target existed before the run, as a running server or a directory.
pub(crate) fn was_there(target: &Target) -> bool {
    matches!(target.reach, Reach::Endpoint { .. } | Reach::Files(_))
}

/// Whether all data of a target is in a directory that Tenbin removes.
pub(crate) fn is_disposable(target: &Target) -> bool {
    match &target.reach {
        Reach::Endpoint { .. } | Reach::Files(_) => false,
        Reach::Builtin(_) => true,
        Reach::Launched(launch) => {
            let mut places = launch.command.iter().chain(launch.env.values());
            places.any(|place| place.contains("{data}"))
        }
    }
}
