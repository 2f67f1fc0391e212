//! The route to a target: resolved addresses and connection settings.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tenbin_http::Address;
use tenbin_plan::{HttpVersion, IpVersion, Sentence, sentence};
use url::Url;

use crate::error::TargetError;
use crate::probe::{self, Endpoint};
use crate::tls;

/// Time limit of a connection attempt to one address.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// One host of a target, with its addresses.
#[derive(Debug, Clone)]
pub struct Host {
    /// Host name, with the port unless it is the scheme's default. Unique within a target.
    pub name: String,
    /// Base URL of the host.
    pub url: Url,
    /// Resolved addresses; never empty.
    pub addresses: Vec<Address>,
    /// Share of the requests, relative to the weights of the other hosts.
    pub weight: u32,
    /// Name for SNI and for the certificate check; `None` without TLS.
    pub server_name: Option<ServerName<'static>>,
    /// Duration of the name resolution; `None` if no name was resolved.
    pub dns: Option<Duration>,
    /// Whether the addresses come from the plan, so that every address must respond.
    is_pinned: bool,
}

/// The route to a target: resolved hosts and connection settings.
#[derive(Debug, Clone, Default)]
pub struct ResolvedRoute {
    /// The hosts; empty only for a target without a server.
    pub hosts: Vec<Host>,
    /// HTTP version.
    pub http: HttpVersion,
    /// TLS configuration, with ALPN according to `http`; `None` without TLS.
    pub tls: Option<Arc<ClientConfig>>,
    /// Local address of the connections; chosen by the operating system if `None`.
    pub source: Option<IpAddr>,
    /// Whether invalid certificates are accepted.
    pub insecure: bool,
    /// Warnings, one sentence each, about addresses that are unused because no server listens
    /// there.
    pub(crate) warnings: Vec<String>,
    /// File of certificate authorities, as given in the plan.
    ca: Option<PathBuf>,
}

impl ResolvedRoute {
    /// Resolves the hosts of a target, given as URLs with weights, and reads the files of the TLS
    /// settings. `unix`: path of a socket that replaces all addresses.
    pub(crate) fn resolve_hosts(
        target: &str,
        hosts: &[(Url, u32)],
        plan: &tenbin_plan::Connect,
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
                let unusable = |reason: Sentence| TargetError::Url {
                    target: target.to_owned(),
                    url: url.to_string(),
                    reason,
                };
                let resolved = match &unix {
                    Some(path) => Resolved::at(Address::Unix(path.clone())),
                    None => resolve(target, url, plan)?,
                };
                let asked = plan.tls.server_name.as_deref();
                let name = asked.unwrap_or(host_without_brackets(url).unwrap_or_default());
                let server_name = tls
                    .is_some()
                    .then(|| ServerName::try_from(name.to_owned()))
                    .transpose()
                    .map_err(|_| {
                        unusable(sentence!(
                            "host-not-certifiable",
                            "its host is not valid in a certificate"
                        ))
                    })?;
                Ok(Host {
                    name: host_and_port(url),
                    url: url.clone(),
                    addresses: resolved.addresses,
                    weight: *weight,
                    server_name,
                    dns: resolved.resolved_in,
                    is_pinned: resolved.is_pinned,
                })
            })
            .collect::<Result<_, TargetError>>()?;
        Ok(Self {
            hosts,
            http: plan.http,
            insecure: tls.is_some() && plan.tls.insecure,
            tls,
            source: plan.source,
            warnings: Vec::new(),
            ca: plan.tls.ca.clone(),
        })
    }

    /// Creates a route to `urls` without a target. Keeps only addresses that accept connections.
    ///
    /// # Errors
    /// The reason, in one clause: a URL is invalid or a host cannot be resolved.
    pub(crate) fn to_urls(urls: &[String]) -> Result<Self, String> {
        let read = |url: &String| match url.parse() {
            Ok(url) => Ok((url, 1)),
            Err(error) => Err(format!("{url}: {error}")),
        };
        let hosts: Vec<(Url, u32)> = urls.iter().map(read).collect::<Result<_, _>>()?;
        let route = Self::resolve_hosts("server", &hosts, &tenbin_plan::Connect::default(), None);
        let mut route = route.map_err(|error| error.to_string())?;
        route.keep_accepting();
        Ok(route)
    }

    /// Creates a route to a closed port, for tests.
    #[cfg(test)]
    pub(crate) fn to_closed_port() -> Self {
        let url: Url = "http://127.0.0.1:9/".parse().expect("a URL");
        Self::resolve_hosts(
            "nowhere",
            &[(url, 1)],
            &tenbin_plan::Connect::default(),
            None,
        )
        .expect("an address needs no resolver")
    }

    /// The endpoints: every address of every host.
    pub fn endpoints(&self) -> impl Iterator<Item = (&Host, Endpoint)> {
        let hosts = self.hosts.iter();
        hosts.flat_map(move |host| {
            self.endpoints_of(host)
                .map(move |endpoint| (host, endpoint))
        })
    }

    /// Every address of a host.
    pub(crate) fn endpoints_of<'a>(
        &'a self,
        host: &'a Host,
    ) -> impl Iterator<Item = Endpoint> + 'a {
        let addresses = host.addresses.iter();
        addresses.map(move |address| self.endpoint(host, address))
    }

    /// The route to only one host, given by its index.
    pub(crate) fn only(&self, at: usize) -> Self {
        Self {
            hosts: self.hosts.get(at).cloned().into_iter().collect(),
            ..self.clone()
        }
    }

    fn endpoint(&self, host: &Host, address: &Address) -> Endpoint {
        Endpoint {
            address: address.clone(),
            source: self.source,
            http: self.http,
            tls: self.tls.clone().zip(host.server_name.clone()),
            ca: self.ca.clone(),
        }
    }

    /// Removes resolved addresses that do not accept connections, and keeps only one address
    /// family. `localhost` often has two addresses, and most servers listen on only one of them.
    pub(crate) fn keep_accepting(&mut self) {
        for at in 0..self.hosts.len() {
            let host = &self.hosts[at];
            if host.is_pinned || host.addresses.len() < 2 {
                continue;
            }
            let accepts = |address: &&Address| {
                probe::connect(&self.endpoint(host, address), CONNECT_TIMEOUT).is_ok()
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
            for closed in all.iter().filter(|address| !kept.contains(address)) {
                self.warnings.push(format!(
                    "no server accepts connections on {closed}, one of {} addresses of {}; it is \
                     not used",
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

/// Host name, with the port unless it is the scheme's default.
fn host_and_port(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// The host of a URL, without the brackets of an IPv6 address.
fn host_without_brackets(url: &Url) -> Option<&str> {
    let host = url.host_str()?;
    Some(host.trim_start_matches('[').trim_end_matches(']'))
}

struct Resolved {
    addresses: Vec<Address>,
    resolved_in: Option<Duration>,
    is_pinned: bool,
}

impl Resolved {
    fn at(address: Address) -> Self {
        Self {
            addresses: vec![address],
            resolved_in: None,
            is_pinned: true,
        }
    }
}

fn resolve(target: &str, url: &Url, plan: &tenbin_plan::Connect) -> Result<Resolved, TargetError> {
    let unusable = |reason: Sentence| TargetError::Url {
        target: target.to_owned(),
        url: url.to_string(),
        reason,
    };
    let host = host_without_brackets(url)
        .ok_or_else(|| unusable(sentence!("url-no-host-part", "it has no host")))?;
    let port = url
        .port_or_known_default()
        .ok_or_else(|| unusable(sentence!("url-no-port", "it has no port")))?;
    let unresolved = |source| TargetError::Unresolved {
        target: target.to_owned(),
        host: host.to_owned(),
        source,
    };
    let pin = plan
        .resolve
        .iter()
        .find(|pin| (pin.host.as_str(), pin.port) == (host, port));
    let started = Instant::now();
    let resolved: Vec<SocketAddr> = match pin {
        Some(pin) => pin.sockets().collect(),
        None => (host, port)
            .to_socket_addrs()
            .map_err(unresolved)?
            .collect(),
    };
    let asked = pin.is_none() && host.parse::<IpAddr>().is_err();
    let resolved_in = asked.then(|| started.elapsed());
    let by_source = || match plan.source? {
        IpAddr::V4(_) => Some(IpVersion::V4),
        IpAddr::V6(_) => Some(IpVersion::V6),
    };
    let version = plan.ip_version.or_else(by_source);
    let wanted = |address: &SocketAddr| version.is_none_or(|version| version.has(address.ip()));
    let mut addresses: Vec<Address> = Vec::new();
    for address in resolved.into_iter().filter(wanted).map(Address::Tcp) {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    if addresses.is_empty() {
        let what = match version {
            None => sentence!("name-no-address", "the name has no address"),
            Some(IpVersion::V4) => sentence!(
                "name-no-ipv4",
                "the name has no IPv4 address, and only IPv4 is allowed"
            ),
            Some(IpVersion::V6) => sentence!(
                "name-no-ipv6",
                "the name has no IPv6 address, and only IPv6 is allowed"
            ),
        };
        return Err(unresolved(io::Error::other(what)));
    }
    Ok(Resolved {
        addresses,
        resolved_in,
        is_pinned: pin.is_some(),
    })
}
