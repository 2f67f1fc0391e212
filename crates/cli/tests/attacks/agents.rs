//! Attacks on agents: names whose addresses change, redirects, and orders that are sent again.

use std::net::TcpListener;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::time::timeout;

use super::common::nats::{client, in_runtime};
use super::common::{Agents, Outcome, Scratch, Tenbin};
use super::play::{Act, Http1, send, serve_on};

const SOON: Duration = Duration::from_secs(60);
/// An address that agents of these tests may send requests to, and one that they may not.
const ALLOWED: &str = "127.0.0.2";
const FORBIDDEN: &str = "127.0.0.1";

/// Counts the requests of a server.
type Count = Arc<AtomicUsize>;

/// Answers every request with these bytes and closes the connection, so that each request needs a
/// new one.
fn answering(
    listener: TcpListener,
    answer: impl Fn(usize) -> String + Send + Sync + 'static,
) -> Count {
    let count = Count::default();
    let own = Arc::clone(&count);
    let protocol = Http1 { at_once: false };
    serve_on(listener, protocol, 0, move |_| -> Vec<Act> {
        vec![send(answer(own.fetch_add(1, Ordering::Relaxed)))]
    });
    count
}

fn listener(address: &str, port: u16) -> TcpListener {
    TcpListener::bind((address, port)).expect("a port")
}

fn port_of(listener: &TcpListener) -> u16 {
    listener.local_addr().expect("its address").port()
}

const WELL: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

fn redirect(port: u16) -> String {
    format!(
        "HTTP/1.1 302 Found\r\nLocation: http://{FORBIDDEN}:{port}/\r\nContent-Length: 2\r\n\
         Connection: close\r\n\r\nno"
    )
}

fn sum(count: &Count) -> usize {
    count.load(Ordering::Relaxed)
}

/// A command line that loads `url` with one agent.
fn loaded<'a>(scratch: &'a Scratch, agents: &Agents, url: &str, more: &[&str]) -> Tenbin<'a> {
    let usual = "--rounds 6 --slice 300ms --gap 20ms --warmup 100ms --connections 2 --timeout 1s";
    let words = ["http", "--target", url]
        .into_iter()
        .chain(usual.split(' '));
    let options = agents.options(1);
    let words = words.chain(more.iter().copied());
    Tenbin::new(scratch, words.chain(options.iter().map(String::as_str)))
}

/// A file like `/etc/hosts`, and the words before a command that uses it in place of that file.
fn hosts(scratch: &Scratch, name: &str, text: &str) -> (String, Vec<String>) {
    let file = scratch.write(name, text);
    let script = format!("mount --bind '{file}' /etc/hosts && exec \"$@\"");
    let words = [
        "unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
    ];
    let words = words.into_iter().chain([script.as_str(), "sh"]);
    (file, words.map(str::to_owned).collect())
}

#[test]
fn a_name_that_changes_its_address_leads_an_agent_nowhere_else() {
    let scratch = Scratch::new("attack-rebinding");
    let here = listener(ALLOWED, 0);
    let port = port_of(&here);
    let allowed = answering(here, |_| WELL.to_owned());
    let forbidden = answering(listener(FORBIDDEN, port), |_| WELL.to_owned());
    let line = |address: &str| format!("{address} rebound.test\n");
    let (file, inside) = hosts(&scratch, "agent.hosts", &line(ALLOWED));
    let words: Vec<&str> = inside.iter().map(String::as_str).collect();
    let agents = Agents::start_inside(&scratch, &[&words], &["--allow", ALLOWED]);
    let (_, own) = hosts(&scratch, "own.hosts", &line(ALLOWED));
    let own: Vec<&str> = own.iter().map(String::as_str).collect();
    let url = format!("http://rebound.test:{port}/");
    let run = || loaded(&scratch, &agents, &url, &["--rate", "100/s"]).inside(&own);
    // Written in place, because the agent sees this file and not another one of the same name.
    let set = |text: &str| {
        let file = std::fs::OpenOptions::new().write(true).open(&file);
        let file = file.expect("the hosts of the agent");
        file.write_all_at(text.as_bytes(), 0).expect("written");
        file.set_len(text.len() as u64).expect("cut");
    };

    let mut running = run().start();
    let is_measured = || {
        let lines = scratch.run().map(|run| run.join("intervals.jsonl"));
        let text = lines.and_then(|lines| std::fs::read_to_string(lines).ok());
        text.is_some_and(|text| text.contains("\"kind\":\"end\""))
    };
    running.wait_until(SOON, is_measured);
    set(&line(FORBIDDEN));
    let before = sum(&allowed);
    running.wait(SOON).expect_measured();
    assert!(sum(&allowed) > before + 30, "{} requests", sum(&allowed));
    assert_eq!(sum(&forbidden), 0, "the name was resolved again");

    for text in [line(FORBIDDEN), line(ALLOWED) + &line(FORBIDDEN)] {
        set(&text);
        let refused = run().run();
        refused
            .expect_code(3)
            .expect_stderr("this agent may not send requests to 127.0.0.1");
        assert_eq!(sum(&forbidden), 0, "{text}: {refused}");
    }
}

#[test]
fn a_redirect_leads_an_agent_nowhere_else() {
    let scratch = Scratch::new("attack-redirected");
    let elsewhere = listener(FORBIDDEN, 0);
    let port = port_of(&elsewhere);
    let forbidden = answering(elsewhere, |_| WELL.to_owned());
    let at_once = listener(ALLOWED, 0);
    let later = listener(ALLOWED, 0);
    let [at_once_url, later_url] =
        [&at_once, &later].map(|here| format!("http://{ALLOWED}:{}/", port_of(here)));
    answering(at_once, move |_| redirect(port));
    let answer = move |count: usize| match count {
        0..200 => WELL.to_owned(),
        _ => redirect(port),
    };
    answering(later, answer);
    let agents = Agents::start(&scratch, 1, &["--allow", ALLOWED]);
    let run = |url: &str, more: &[&str]| -> Outcome {
        let run = loaded(&scratch, &agents, url, more).run();
        assert_eq!(sum(&forbidden), 0, "{run}");
        run
    };
    run(&at_once_url, &[]).expect_code(3);
    run(&at_once_url, &["--follow"])
        .expect_code(3)
        .expect_stderr("redirects to another server");
    run(&at_once_url, &["--expect", "302"]).expect_measured();
    let changed = run(&later_url, &["--rate", "100/s"]);
    assert!(matches!(changed.code, Some(4 | 6)), "{changed}");
}

#[test]
fn orders_that_are_sent_again_send_no_request() {
    let scratch = Scratch::new("attack-replayed");
    let here = listener(FORBIDDEN, 0);
    let url = format!("http://{FORBIDDEN}:{}/", port_of(&here));
    let requests = answering(here, |_| WELL.to_owned());
    let agents = Agents::start(&scratch, 1, &[]);
    let (agent_key, key) = (
        agents.hub.file("agent.creds"),
        agents.hub.file("coordinator.creds"),
    );
    let run = || loaded(&scratch, &agents, &url, &["--rate", "100/s"]);
    in_runtime(async {
        let (spy, _) = client(&agents.hub.url, &agent_key, "_INBOX_AGENT").await;
        let mut captured = Vec::new();
        let mut orders = spy
            .subscribe("tenbin.agent.agent-0.order")
            .await
            .expect("subscribed");
        let mut leases = spy.subscribe("tenbin.lease").await.expect("subscribed");
        spy.flush().await.expect("flushed");
        let mut first = run().start();
        while first.is_running() {
            for subscriber in [&mut orders, &mut leases] {
                while let Ok(Some(one)) =
                    timeout(Duration::from_millis(20), subscriber.next()).await
                {
                    captured.push((one.subject, one.payload));
                }
            }
        }
        first.wait(SOON).expect_measured();
        assert!(captured.len() > 10, "{} messages", captured.len());

        let (thief, _) = client(&agents.hub.url, &key, "_INBOX_COORDINATOR").await;
        let replay = async || {
            for (subject, payload) in &captured {
                thief
                    .publish(subject.clone(), payload.clone())
                    .await
                    .expect("queued");
            }
            thief.flush().await.expect("flushed");
        };
        let before = sum(&requests);
        replay().await;
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert_eq!(sum(&requests), before, "the agent obeyed an old order");

        // Old orders between those of another run change nothing in it.
        let mut second = run().start();
        while second.is_running() {
            replay().await;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        let second = second.wait(SOON);
        second.expect_measured();
        let result = scratch.result();
        let slices = result["slices"].as_array().expect("slices");
        assert_eq!(slices.len(), 6, "{second}");
        for slice in slices {
            // A request at the very end of a slice can be late on a busy machine; one more than
            // planned would be that of an old order.
            let ok = slice["ok"].as_u64().expect("a count");
            assert!((27..=30).contains(&ok), "{ok} requests\n{second}");
        }
    });
}
