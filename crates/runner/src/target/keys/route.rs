//! How requests for keys are sent.

use std::sync::Arc;
use std::time::Duration;

use tenbin_engine::Address as EngineAddress;
use tenbin_http::{Address, Client, Destination, Reply};
use tenbin_plan::{Sentence, Target, sentence};
use tenbin_targets::{ResolvedRoute, Running};
use tenbin_workloads::s3::sessions::KeyRequest;
use url::Url;

use super::MayAsk;

/// Time limit of one request for keys.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Size of the largest response, bytes; tokens have some thousand.
const MAX_BODY: usize = 1 << 20;
/// Content type of requests to token services.
const FORM: &str = "application/x-www-form-urlencoded";
/// The only HTTP version in which keys are requested.
const ALPN: &[u8] = b"http/1.1";

/// The connections to what issues keys.
pub(super) struct KeyRoute {
    /// The target.
    route: ResolvedRoute,
    url: Url,
    /// The token service, if it is not the target.
    service: Option<Url>,
    may_ask: MayAsk,
}

impl KeyRoute {
    pub(super) fn new(target: &Target, running: &Running, may_ask: MayAsk) -> Self {
        let mut route = running.route.clone();
        if let Some(tls) = &mut route.tls {
            Arc::make_mut(tls).alpn_protocols = vec![ALPN.to_vec()];
        }
        // The plan has checked the URL.
        let service = target.token_service();
        Self {
            route,
            url: running.url.clone(),
            service: service.and_then(|url| Url::parse(&url).ok()),
            may_ask,
        }
    }

    /// The URL of the token service.
    pub(super) fn service(&self) -> &Url {
        self.service.as_ref().unwrap_or(&self.url)
    }

    /// Sends a request to the token service.
    pub(super) fn ask_service(&self, request: &KeyRequest) -> Result<Reply, Sentence> {
        match &self.service {
            None => self.ask_target(request, self.url.clone()),
            Some(url) => {
                let own = self.route.tls.as_ref().map(Arc::clone);
                let tls = match (url.scheme(), own) {
                    ("https", None) => {
                        let config = tenbin_http::tls::client_config(None, false)
                            .map_err(Sentence::quoted)?;
                        Some(Arc::new(config))
                    }
                    (_, own) => own,
                };
                let destinations = Destination::of_url(url, tls.as_ref());
                let destinations = destinations.map_err(Sentence::quoted)?;
                self.ask(request, url, destinations)
            }
        }
    }

    /// Sends a request to the target under this host name.
    pub(super) fn ask_bucket(&self, request: &KeyRequest, host: &str) -> Result<Reply, Sentence> {
        let url = Url::parse(&format!("{}://{host}/", self.url.scheme()));
        let url = url.map_err(|error| {
            sentence!(
                "keys-no-host",
                "{host} is not a host ({error})",
                host,
                error
            )
        })?;
        self.ask_target(request, url)
    }

    fn ask_target(&self, request: &KeyRequest, url: Url) -> Result<Reply, Sentence> {
        let hosts = self.route.hosts.iter();
        let destinations = hosts.flat_map(|host| {
            let tls = self.route.tls.as_ref().zip(host.server_name.as_ref());
            host.addresses.iter().map(move |address| Destination {
                address: address.clone(),
                source: self.route.source,
                tls: tls.map(|(config, name)| (Arc::clone(config), name.clone())),
            })
        });
        self.ask(request, &url, destinations.collect())
    }

    /// Sends the request to the first address that can be reached.
    fn ask(
        &self,
        request: &KeyRequest,
        url: &Url,
        destinations: Vec<Destination>,
    ) -> Result<Reply, Sentence> {
        let mut why = sentence!("keys-no-address", "it has no address");
        for destination in destinations {
            self.check(&destination.address)?;
            match send(request, url, destination) {
                Ok(reply) => return Ok(reply),
                Err(error) => why = error,
            }
        }
        Err(why)
    }

    fn check(&self, address: &Address) -> Result<(), Sentence> {
        let address = match address {
            Address::Tcp(address) => EngineAddress::Tcp(*address),
            Address::Unix(path) => EngineAddress::Unix(path.clone()),
        };
        (self.may_ask)(&address)
    }
}

fn send(request: &KeyRequest, url: &Url, destination: Destination) -> Result<Reply, Sentence> {
    let client = Client::at(destination, url);
    let mut client = client.map_err(|error| Sentence::from(&error))?;
    client.set_timeout(TIMEOUT);
    client.set_max_body(MAX_BODY);
    for (name, value) in &request.headers {
        if !client.add_header(name, value) {
            return Err(sentence!(
                "keys-header",
                "the header {name} cannot be sent",
                name
            ));
        }
    }
    let reply = match &request.form {
        Some(form) => client.post(&request.path, FORM, form.as_bytes()),
        None => client.get(&request.path),
    };
    reply.map_err(|error| tenbin_corpus::Error::from(error).sentence())
}
