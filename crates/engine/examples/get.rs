//! Sends GET requests to one address and prints rate, CPU time and latency: `cargo run --release -p
//! tenbin-engine --example get -- 127.0.0.1:8080 64 5` TLS: `https://127.0.0.1:8443`, with
//! `CACERT=file.pem` for the CA. HTTP/2: `h2c://127.0.0.1:8080` or `h2://127.0.0.1:8443`;
//! `STREAMS=8` sets the concurrent streams per connection.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tenbin_engine::{
    Destination, Drive, ErrorClass, Exchange, HTTP2, Judgement, Moment, Next, Part, Route,
    SliceEvent, Workload, drive,
};
use tenbin_plan::{Load, Pace};

struct Get;

impl Workload for Get {
    fn operations(&self) -> &[&'static str] {
        &["GET"]
    }

    fn next(&mut self, _now: Moment, exchange: &mut Exchange) -> Next {
        if exchange.head.is_empty() {
            exchange
                .head
                .extend_from_slice(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
            return Next::Ready;
        }
        Next::Same
    }

    fn judge(&mut self, _exchange: &mut Exchange, status: u16, _length: u64) -> Judgement {
        if status == 200 {
            Judgement::Correct
        } else {
            Judgement::Failed(ErrorClass::Status, String::new())
        }
    }
}

fn route(target: &str) -> Route {
    let (scheme, address) = target.split_once("://").unwrap_or(("http", target));
    let mut route = Route::plain(address.parse().unwrap());
    if scheme.starts_with("h2") {
        route.protocol = HTTP2;
    }
    if matches!(scheme, "https" | "h2") {
        route.tls = Some(Arc::new(trust(scheme == "h2")));
        route.hosts[0].server_name = Some(ServerName::try_from("localhost").unwrap());
    }
    route
}

fn trust(http2: bool) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    let file = std::env::var("CACERT").unwrap();
    for certificate in CertificateDer::pem_file_iter(file).unwrap() {
        roots.add(certificate.unwrap()).unwrap();
    }
    let mut config = ClientConfig::builder()
        .with_root_certificates(roots)
        .with_no_client_auth();
    if http2 {
        config.alpn_protocols = vec![b"h2".to_vec()];
    }
    config
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let connections: usize = args[2].parse().unwrap();
    let seconds: f64 = args[3].parse().unwrap();
    let pace = args.get(4).map_or(Pace::Closed, |rate| Pace::Constant {
        per_second: rate.parse().unwrap(),
    });
    let destination = match args[1].as_str() {
        "null" => Destination::Null,
        address => Destination::Route(route(address)),
    };
    let plan = Drive {
        rest: None,
        destination,
        load: Load {
            pace,
            depth: std::env::var("STREAMS").map_or(1, |depth| depth.parse().unwrap()),
            ..Load::closed(connections)
        },
        seed: 1,
        lead: Duration::from_millis(200),
        stages: false,
        part: Part::default(),
        window: Some(Duration::from_secs_f64(seconds)),
    };
    let (mut ok, mut cpu, mut failed) = (0, 0, 0);
    let mut service = tenbin_engine::histogram::latency_histogram();
    let mut lag = tenbin_engine::histogram::latency_histogram();
    let done = drive(
        &plan,
        vec![Box::new(Get)],
        &AtomicBool::new(false),
        &mut |event| {
            let SliceEvent::Sample(sample) = event else {
                return;
            };
            ok += sample.ops[0].counts.ok;
            failed += sample.ops[0].failed_count();
            cpu += sample.cpu;
            service.add(&*sample.ops[0].times.service).unwrap();
            lag.add(&*sample.ops[0].times.lag).unwrap();
        },
    )
    .unwrap();
    println!(
        "ok {ok} failed {failed} rate {:.0}/s cpu {:.3} µs/op p50 {:.1} µs p99 {:.1} µs lag p50 {:.1} p99 {:.1} µs",
        ok as f64 / done.seconds,
        cpu as f64 / ok as f64 / 1e3,
        service.value_at_quantile(0.5) as f64 / 1e3,
        service.value_at_quantile(0.99) as f64 / 1e3,
        lag.value_at_quantile(0.5) as f64 / 1e3,
        lag.value_at_quantile(0.99) as f64 / 1e3,
    );
}
