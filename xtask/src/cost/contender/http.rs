//! Plain HTTP requests by tenbin and other load generators.

use anyhow::Result;

use super::{Contender, ONE_SLICE, SOME_SLICES, Scene, Stable, host, peer, read};
use crate::cost::server::{nginx, paths, presign};

/// The log of requests of [`Stable::with_request_log`], in the directory of temporary files.
const REQUEST_LOG: &str = "tenbin-cost-ops.csv.zst";

impl Stable<'_> {
    /// All contenders for plain GETs: tenbin, the bare loop and the peers.
    pub(crate) fn http(&self, connections: usize) -> Vec<Contender> {
        vec![
            self.get(connections, ""),
            self.bare_loop(connections),
            wrk("", connections),
            ab("-k", connections),
            h2load(move |scene| {
                let Scene { url, seconds, .. } = scene;
                format!("--h1 -t 1 -c {connections} -D {seconds} {url}")
            }),
            peer("hey", "Debian: hey", read::hey, move |scene| {
                let Scene { url, seconds, .. } = scene;
                format!("-z {seconds}s -c {connections} -cpus 1 {url}")
            }),
            oha("", connections),
        ]
    }

    /// Plain GETs by tenbin, without a live page and with a live page with one viewer.
    pub(crate) fn with_live_page(&self, connections: usize) -> Vec<Contender> {
        vec![
            self.get(connections, ""),
            self.get(connections, "--live")
                .named("with --live")
                .needing("http", "--live")
                .watched(),
        ]
    }

    /// Plain GETs by tenbin, without and with a log of all requests.
    pub(crate) fn with_request_log(&self, connections: usize) -> Vec<Contender> {
        let logged =
            self.tenbin(move |scene| get(scene, connections, &format!("--ops-log {REQUEST_LOG}")));
        vec![
            self.get(connections, "").named("no log"),
            logged.named("with --ops-log"),
        ]
    }

    /// GETs by tenbin of the paths of a file, with one path and with as many as have figures of
    /// their own.
    pub(crate) fn with_patterns(&self, connections: usize) -> Vec<Contender> {
        let patterns = |name, count| {
            let contender = self.tenbin(move |scene| {
                let file = paths::file(count)?;
                get(scene, connections, &format!("--patterns {file}"))
            });
            contender.named(name)
        };
        vec![
            patterns("1 request", 1),
            patterns("10,000 requests", 10_000),
        ]
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
            self.get(connections, "--insecure")
                .needing("http", "--insecure"),
            wrk("", connections),
            oha("", connections),
        ]
    }

    /// The contenders for TLS with a new connection for each request.
    pub(crate) fn https_reconnecting(&self, connections: usize) -> Vec<Contender> {
        vec![
            self.get(connections, "--insecure --no-keep-alive"),
            wrk("-H 'Connection: close'", connections),
            ab("", connections),
            oha("--disable-keepalive", connections),
        ]
    }

    /// The contenders for HTTP/2 over TLS.
    pub(crate) fn http2(&self, connections: usize, streams: usize) -> Vec<Contender> {
        let tenbin = self.tenbin(move |scene| {
            let options = format!("--insecure --http 2 --depth {streams}");
            get(scene, connections, &options)
        });
        let peer = h2load(move |scene| {
            let Scene { url, seconds, .. } = scene;
            format!("-t 1 -c {connections} -m {streams} -D {seconds} {url}")
        });
        vec![tenbin, peer]
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
            read: read::all_of_tenbin,
            ..tenbin.named(name)
        }
    }

    /// GETs by tenbin in slices of 200 ms at a low rate, so that the load threads have little to do.
    pub(crate) fn slow_slices(&self, name: &'static str, slices: usize) -> Contender {
        let tenbin = self.tenbin(move |scene| {
            Ok(format!(
                "http --target s={} --rate 100/s --connections 4 --slice 200ms --gap 0s \
                 --rounds {slices} {SOME_SLICES}",
                scene.url
            ))
        });
        Contender {
            read: read::all_of_tenbin,
            ..tenbin.named(name)
        }
    }

    /// GETs by tenbin in a closed loop.
    fn get(&self, connections: usize, more: &'static str) -> Contender {
        self.tenbin(move |scene| get(scene, connections, more))
    }

    fn bare_loop(&self, connections: usize) -> Contender {
        self.xtask("bare loop", move |scene| {
            let (address, seconds) = (host(scene.url), scene.seconds);
            Ok(format!("bare-loop {address} {connections} {seconds}"))
        })
    }
}

/// The arguments of tenbin for GETs in a closed loop.
pub(super) fn get(scene: &Scene<'_>, connections: usize, more: &str) -> Result<String> {
    let Scene { url, seconds, .. } = scene;
    Ok(format!(
        "http {more} --target s={url} --connections {connections} --slice {seconds}s {ONE_SLICE}"
    ))
}

fn wrk(more: &'static str, connections: usize) -> Contender {
    peer("wrk", "Debian: wrk", read::wrk, move |scene| {
        let Scene { url, seconds, .. } = scene;
        format!("{more} -t 1 -c {connections} -d {seconds}s {url}")
    })
}

fn ab(more: &'static str, connections: usize) -> Contender {
    peer("ab", "Debian: apache2-utils", read::ab, move |scene| {
        // With only -t, ab ends after 50,000 requests.
        let Scene { url, seconds, .. } = scene;
        format!("-q {more} -c {connections} -t {seconds} -n 100000000 {url}")
    })
}

fn h2load(arguments: impl Fn(&Scene<'_>) -> String + 'static) -> Contender {
    peer("h2load", "Debian: nghttp2-client", read::h2load, arguments)
}

fn oha(more: &'static str, connections: usize) -> Contender {
    peer(
        "oha",
        "`cargo install oha --locked`",
        read::oha,
        move |scene| {
            let Scene { url, seconds, .. } = scene;
            format!(
                "-z {seconds}s -c {connections} --insecure --no-tui --output-format json {more} {url}"
            )
        },
    )
}
