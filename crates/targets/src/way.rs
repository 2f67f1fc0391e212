//! The way to a target, with every name resolved.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tenbin_plan::{HttpVersion, IpVersion};
use url::Url;

use crate::address::Address;
use crate::error::TargetError;
use crate::probe::{self, Door};
use crate::tls;

/// How long an address may take to show that somebody listens on it.
const ACCEPTS_WITHIN: Duration = Duration::from_secs(1);

/// One host of a target.
#[derive(Debug, Clone)]
pub struct Host {
    /// Host and, unless it is the scheme's own, port: unique within a target.
    pub name: String,
    /// Its base URL.
    pub url: Url,
    /// At least one.
    pub addresses: Vec<Address>,
    /// Its share of the requests against the weights of the others.
    pub weight: u32,
    /// Whom its certificate must name, and SNI; with TLS only.
    pub server_name: Option<ServerName<'static>>,
    /// How long the system took to resolve its name, if it was asked.
    pub dns: Option<Duration>,
    /// The addresses were written in the plan, so that each must answer.
    is_pinned: bool,
}

/// The way to a target.
#[derive(Debug, Clone, Default)]
pub struct Way {
    /// At least one, unless nobody is there to answer.
    pub hosts: Vec<Host>,
    /// What is spoken.
    pub http: HttpVersion,
    /// TLS, if it is spoken; offers what `http` says.
    pub tls: Option<Arc<ClientConfig>>,
    /// Address that connections come from; the system's choice without.
    pub source: Option<IpAddr>,
    /// Certificates are not checked.
    pub insecure: bool,
    /// Addresses that are not used because nobody answers there, a sentence each.
    pub(crate) left_out: Vec<String>,
    /// The plan's own file of authorities.
    ca: Option<PathBuf>,
}

impl Way {
    /// Resolves the hosts of a target, URL and weight each, and reads what TLS needs.
    /// `unix` stands in for all addresses.
    pub(crate) fn find(
        target: &str,
        hosts: &[(Url, u32)],
        plan: &tenbin_plan::Way,
        unix: Option<PathBuf>,
    ) -> Result<Self, TargetError> {
        let is_https = hosts.iter().any(|(url, _)| url.scheme() == "https");
        let tls = is_https
            .then(|| tls::client_config(&plan.tls, plan.http).map(Arc::new))
            .transpose()
            .map_err(|reason| TargetError::Tls {
                target: target.to_owned(),
                reason,
            })?;
        let hosts = hosts
            .iter()
            .map(|(url, weight)| {
                let unusable = |reason: &str| TargetError::Url {
                    target: target.to_owned(),
                    url: url.to_string(),
                    reason: reason.to_owned(),
                };
                let found = match &unix {
                    Some(path) => Found::at(Address::Unix(path.clone())),
                    None => resolve(target, url, plan)?,
                };
                let asked = plan.tls.server_name.as_deref();
                let name = asked.unwrap_or(bare(url).unwrap_or_default());
                let server_name = tls
                    .is_some()
                    .then(|| ServerName::try_from(name.to_owned()))
                    .transpose()
                    .map_err(|_| unusable("its host cannot stand in a certificate"))?;
                Ok(Host {
                    name: shown(url),
                    url: url.clone(),
                    addresses: found.addresses,
                    weight: *weight,
                    server_name,
                    dns: found.took,
                    is_pinned: found.is_pinned,
                })
            })
            .collect::<Result<_, TargetError>>()?;
        Ok(Self {
            hosts,
            http: plan.http,
            insecure: tls.is_some() && plan.tls.insecure,
            tls,
            source: plan.source,
            left_out: Vec::new(),
            ca: plan.tls.ca.clone(),
        })
    }

    /// To all of these URLs, before a plan has a target for them; of each host the addresses that
    /// accept connections.
    ///
    /// # Errors
    /// One clause: a URL that cannot be read, or a host without an address.
    pub(crate) fn to(urls: &[String]) -> Result<Self, String> {
        let read = |url: &String| match url.parse() {
            Ok(url) => Ok((url, 1)),
            Err(error) => Err(format!("{url}: {error}")),
        };
        let hosts: Vec<(Url, u32)> = urls.iter().map(read).collect::<Result<_, _>>()?;
        let way = Self::find("server", &hosts, &tenbin_plan::Way::default(), None);
        let mut way = way.map_err(|error| error.to_string())?;
        way.settle();
        Ok(way)
    }

    /// One that leads nowhere, for tests.
    #[cfg(test)]
    pub(crate) fn to_nowhere() -> Self {
        let url: Url = "http://127.0.0.1:9/".parse().expect("a URL");
        Self::find("nowhere", &[(url, 1)], &tenbin_plan::Way::default(), None)
            .expect("an address needs no resolver")
    }

    /// Everything there is to knock at: each address of each host.
    pub fn doors(&self) -> impl Iterator<Item = (&Host, Door)> {
        self.hosts.iter().flat_map(move |host| {
            let addresses = host.addresses.iter();
            addresses.map(move |address| (host, self.door(host, address)))
        })
    }

    /// The way to one of the hosts alone.
    pub(crate) fn only(&self, at: usize) -> Self {
        Self {
            hosts: self.hosts.get(at).cloned().into_iter().collect(),
            ..self.clone()
        }
    }

    fn door(&self, host: &Host, address: &Address) -> Door {
        Door {
            address: address.clone(),
            source: self.source,
            http: self.http,
            tls: self.tls.clone().zip(host.server_name.clone()),
            ca: self.ca.clone(),
        }
    }

    /// Of several addresses that the system named, keeps those of one family that
    /// accept connections: `localhost` is two, and most servers listen on one.
    pub(crate) fn settle(&mut self) {
        for at in 0..self.hosts.len() {
            let host = &self.hosts[at];
            if host.is_pinned || host.addresses.len() < 2 {
                continue;
            }
            let accepts = |address: &&Address| {
                probe::connect(&self.door(host, address), ACCEPTS_WITHIN).is_ok()
            };
            let accepting: Vec<Address> = host.addresses.iter().filter(accepts).cloned().collect();
            let first = accepting.first().unwrap_or(&host.addresses[0]);
            let is_v4 = is_ipv4(first);
            let family = |address: &&Address| is_ipv4(address) == is_v4;
            let (mut kept, all): (Vec<Address>, Vec<Address>) = (
                accepting.iter().filter(family).cloned().collect(),
                host.addresses.iter().filter(family).cloned().collect(),
            );
            if kept.is_empty() {
                kept.clone_from(&all);
            }
            for silent in all.iter().filter(|address| !kept.contains(address)) {
                self.left_out.push(format!(
                    "nothing accepts connections on {silent}, one of {} addresses of {}; it is \
                     left out",
                    all.len(),
                    host.name
                ));
            }
            self.hosts[at].addresses = kept;
        }
    }
}

fn is_ipv4(address: &Address) -> bool {
    matches!(address, Address::Tcp(address) if address.is_ipv4())
}

/// Host and, unless it is the scheme's own, port.
fn shown(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// The host of a URL without brackets.
fn bare(url: &Url) -> Option<&str> {
    let host = url.host_str()?;
    Some(host.trim_start_matches('[').trim_end_matches(']'))
}

struct Found {
    addresses: Vec<Address>,
    took: Option<Duration>,
    is_pinned: bool,
}

impl Found {
    fn at(address: Address) -> Self {
        Self {
            addresses: vec![address],
            took: None,
            is_pinned: true,
        }
    }
}

fn resolve(target: &str, url: &Url, plan: &tenbin_plan::Way) -> Result<Found, TargetError> {
    let unusable = |reason: &str| TargetError::Url {
        target: target.to_owned(),
        url: url.to_string(),
        reason: reason.to_owned(),
    };
    let host = bare(url).ok_or_else(|| unusable("it has no host"))?;
    let port = url
        .port_or_known_default()
        .ok_or_else(|| unusable("it has no port"))?;
    let unresolved = |source| TargetError::Unresolved {
        target: target.to_owned(),
        host: host.to_owned(),
        source,
    };
    let pin = plan
        .resolve
        .iter()
        .find(|pin| (pin.host.as_str(), pin.port) == (host, port));
    let begun = Instant::now();
    let found: Vec<SocketAddr> = match pin {
        Some(pin) => pin.sockets().collect(),
        None => (host, port)
            .to_socket_addrs()
            .map_err(unresolved)?
            .collect(),
    };
    let asked = pin.is_none() && host.parse::<IpAddr>().is_err();
    let took = asked.then(|| begun.elapsed());
    let by_source = || match plan.source? {
        IpAddr::V4(_) => Some(IpVersion::V4),
        IpAddr::V6(_) => Some(IpVersion::V6),
    };
    let version = plan.ip_version.or_else(by_source);
    let wanted = |address: &SocketAddr| version.is_none_or(|version| version.has(address.ip()));
    let mut addresses: Vec<Address> = Vec::new();
    for address in found.into_iter().filter(wanted).map(Address::Tcp) {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    if addresses.is_empty() {
        let what = match version {
            None => "it has no address",
            Some(IpVersion::V4) => "it has no IPv4 address, and only those are wanted",
            Some(IpVersion::V6) => "it has no IPv6 address, and only those are wanted",
        };
        return Err(unresolved(io::Error::other(what)));
    }
    Ok(Found {
        addresses,
        took,
        is_pinned: pin.is_some(),
    })
}
