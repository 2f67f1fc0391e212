//! `tenbin hub`: nobody connects without a key, keys have the permissions of their roles, and
//! nats-server ends with Tenbin.
#![cfg(target_os = "linux")]

mod common;

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_nats::{Client, ConnectErrorKind, ConnectOptions, Subscriber};
use common::nats::{client, in_runtime, seed_in, without_key};
use common::{Hub, Scratch, Tenbin};
use futures_util::StreamExt as _;
use nix::sys::signal::Signal;

const SOON: Duration = Duration::from_secs(30);
const SILENCE: Duration = Duration::from_secs(1);

fn seed_of(hub: &Hub, name: &str) -> String {
    seed_in(&hub.file(name))
}

async fn next(subscriber: &mut Subscriber) -> String {
    let message = tokio::time::timeout(SOON, subscriber.next()).await;
    let message = message.expect("a message in time").expect("a message");
    String::from_utf8(message.payload.to_vec()).expect("text")
}

/// Waits until the server has processed everything that the client sent.
async fn settle(client: &Client) {
    client.flush().await.expect("flushed");
    tokio::time::sleep(SILENCE).await;
}

/// A program with the given commands in place of starting the server.
fn fake_server(scratch: &Scratch, commands: &str) -> String {
    let path = scratch.write(
        "fake",
        format!(
            "#!/bin/sh\ncase $1 in\n--version) echo nats-server: v0 ;;\n-t) ;;\n*) {commands} ;;\nesac\n"
        ),
    );
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    path
}

#[test]
fn nobody_connects_without_a_key_or_without_tls() {
    let scratch = Scratch::new("hub-keys");
    let hub = Hub::start(&scratch, &[]);

    let mut plain = TcpStream::connect(hub.address()).expect("a connection");
    plain.set_read_timeout(Some(SOON)).expect("a time limit");
    let mut reader = BufReader::new(plain.try_clone().expect("a copy"));
    let mut info = String::new();
    reader.read_line(&mut info).expect("a line");
    assert!(info.contains("\"tls_required\":true"), "{info}");
    assert!(info.contains("\"auth_required\":true"), "{info}");
    plain.write_all(b"CONNECT {}\r\nPING\r\n").expect("sent");
    let mut rest = Vec::new();
    let ended = reader.read_to_end(&mut rest);
    let is_closed = ended.map_or_else(|error| error.kind() == ErrorKind::ConnectionReset, |_| true);
    let rest = String::from_utf8_lossy(&rest);
    assert!(is_closed && !rest.contains("PONG"), "{rest}");

    let creds = hub.file("agent.creds");
    let unknown = nkeys::KeyPair::new_user().seed().expect("a seed");
    in_runtime(async {
        let nobody = without_key(&creds, "_INBOX_AGENT").connect(&hub.url).await;
        let error = nobody.expect_err("no key");
        assert_eq!(error.kind(), ConnectErrorKind::AuthorizationViolation);

        let other = without_key(&creds, "_INBOX_AGENT").nkey(unknown);
        let error = other.connect(&hub.url).await.expect_err("an unknown key");
        assert_eq!(error.kind(), ConnectErrorKind::AuthorizationViolation);

        let untrusting = ConnectOptions::with_nkey(seed_of(&hub, "agent.creds"));
        let error = untrusting
            .connect(&hub.url)
            .await
            .expect_err("no authority");
        assert!(error.to_string().contains("UnknownIssuer"), "{error}");
    });
    hub.interrupt().expect_code(0);
    scratch.expect_nobody_left(SOON);
}

#[test]
fn each_role_may_only_do_its_part() {
    let scratch = Scratch::new("hub-roles");
    let hub = Hub::start(&scratch, &[]);
    let (agent_file, coordinator_file) = (hub.file("agent.creds"), hub.file("coordinator.creds"));
    in_runtime(async {
        let (agent, agent_errors) = client(&hub.url, &agent_file, "_INBOX_AGENT").await;
        let (coordinator, coordinator_errors) =
            client(&hub.url, &coordinator_file, "_INBOX_COORDINATOR").await;
        let subscribed = "both subscribe";
        let mut hello = agent.subscribe("tenbin.hello").await.expect(subscribed);
        let mut orders = agent
            .subscribe("tenbin.agent.x.order")
            .await
            .expect(subscribed);
        let mut events = coordinator
            .subscribe("tenbin.agent.*.event")
            .await
            .expect(subscribed);
        settle(&agent).await;
        settle(&coordinator).await;

        let publish = async |client: &Client, subject: &'static str, text: &'static str| {
            client.publish(subject, text.into()).await.expect("queued");
            settle(client).await;
        };
        publish(&agent, "tenbin.agent.x.event", "from the agent").await;
        assert_eq!(next(&mut events).await, "from the agent");
        publish(&coordinator, "tenbin.agent.x.order", "an order").await;
        assert_eq!(next(&mut orders).await, "an order");
        let answer = async {
            let asked = hello.next().await.expect("a request");
            let reply = asked.reply.expect("a subject for the reply");
            agent.publish(reply, "here".into()).await.expect("queued");
        };
        let (reply, ()) = futures_util::future::join(
            coordinator.request("tenbin.hello", "who is there".into()),
            answer,
        )
        .await;
        assert_eq!(reply.expect("a reply").payload, "here");
        assert_eq!(agent_errors.try_iter().count(), 0);
        assert_eq!(coordinator_errors.try_iter().count(), 0);

        publish(&agent, "tenbin.agent.x.order", "forged").await;
        let error = agent_errors.recv_timeout(SOON).expect("an error");
        assert!(
            error.to_lowercase().contains("permissions violation")
                && error.contains("tenbin.agent.x.order"),
            "{error}"
        );
        let forged = tokio::time::timeout(SILENCE, orders.next()).await;
        assert!(forged.is_err(), "{forged:?}");

        let eavesdropping = agent.subscribe("_INBOX_COORDINATOR.>").await;
        drop(eavesdropping);
        publish(&coordinator, "anything", "else").await;
        settle(&agent).await;
        assert_eq!(agent_errors.try_iter().count(), 1);
        assert_eq!(coordinator_errors.try_iter().count(), 1);
    });
    hub.interrupt().expect_code(0);
}

#[test]
fn a_second_start_accepts_earlier_copies_and_no_seed_is_printed() {
    let scratch = Scratch::new("hub-again");
    let hub = Hub::start(&scratch, &["--name", "127.0.0.1"]);
    let copy = PathBuf::from(scratch.join("copied.creds"));
    std::fs::copy(hub.file("agent.creds"), &copy).expect("a copy");
    let seeds = [
        seed_of(&hub, "agent.creds"),
        seed_of(&hub, "coordinator.creds"),
    ];
    let mode = |path: &Path| path.metadata().expect("a file").mode() & 0o777;
    assert_eq!(mode(&hub.directory), 0o700);
    let entries = std::fs::read_dir(&hub.directory).expect("the directory");
    let files = entries.map(|entry| entry.expect("an entry").path());
    let files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    assert_eq!(files.len(), 6, "{files:?}");
    for file in &files {
        assert_eq!(mode(file), 0o600, "{}", file.display());
    }
    let log = hub.file("targets/nats-server.log");
    let first = hub.interrupt();
    first.expect_code(0);
    assert!(!first.stdout.contains("earlier"), "{first}");

    let hub = Hub::start(&scratch, &[]);
    in_runtime(async {
        client(&hub.url, &copy, "_INBOX_AGENT").await;
    });
    let second = hub.interrupt();
    second
        .expect_code(0)
        .expect_stdout("keys in tenbin-hub (those of an earlier start")
        .expect_stdout("(copy tenbin-hub/agent.creds there)")
        .expect_stdout("--creds tenbin-hub/coordinator.creds")
        .expect_stderr("only this machine can connect")
        .expect_stderr("use --listen 0.0.0.0:");
    let log = std::fs::read_to_string(log).expect("the log");
    for seed in &seeds {
        first.expect_silence_about(seed);
        second.expect_silence_about(seed);
        assert!(!log.contains(seed.as_str()));
    }
}

#[test]
fn nats_server_ends_with_tenbin() {
    let scratch = Scratch::new("hub-killed");
    let hub = Hub::start(&scratch, &[]);
    let is_server = |command: &str| {
        let program = command.split(' ').next();
        program.is_some_and(|program| program.ends_with("nats-server"))
    };
    let alive = scratch.alive();
    assert!(alive.iter().any(|process| is_server(&process.command)));
    hub.running.signal(Signal::SIGKILL);
    scratch.expect_nobody_left(Duration::from_secs(10));

    let hub = Hub::start(&scratch, &[]);
    for process in scratch.alive() {
        if is_server(&process.command) {
            process.kill();
        }
    }
    let outcome = hub.running.wait(SOON);
    outcome
        .expect_code(3)
        .expect_stderr("nats-server was killed by SIGKILL after")
        .expect_stderr("Server is ready");
    scratch.expect_nobody_left(SOON);
}

#[test]
fn a_hub_that_cannot_start_says_why() {
    let scratch = Scratch::new("hub-cannot");
    let hub = |arguments: &[&str]| {
        let all = ["hub", "--listen", "127.0.0.1:0"].iter().chain(arguments);
        Tenbin::new(&scratch, all)
    };
    std::fs::create_dir(scratch.join("bin")).expect("a directory");
    symlink("/usr/bin/setpriv", scratch.join("bin/setpriv")).expect("a link");
    hub(&[])
        .env("PATH", scratch.join("bin"))
        .run()
        .expect_code(3)
        .expect_stderr("apt install nats-server");
    hub(&["--nats-server", "/bin/echo"])
        .run()
        .expect_code(3)
        .expect_stderr("/bin/echo is not nats-server");
    hub(&["--name", "tls://x"])
        .run()
        .expect_code(3)
        .expect_stderr("hub name \"tls://x\" is neither");
    assert!(!scratch.path().join("tenbin-hub").exists());

    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    Tenbin::new(&scratch, ["hub", "--listen", &address])
        .run()
        .expect_code(3)
        .expect_stderr(&format!("cannot listen on {address}: "));

    let fake = fake_server(&scratch, "echo it is broken; exit 7");
    hub(&["--nats-server", &fake])
        .run()
        .expect_code(3)
        .expect_stderr("nats-server exited with status 7 after")
        .expect_stderr("before it accepted connections; its last output:\n  | it is broken");

    let fake = fake_server(&scratch, "echo still starting; sleep 600");
    hub(&["--nats-server", &fake])
        .env("TENBIN_HELPER_TIMEOUT", "10s")
        .run()
        .expect_code(3)
        .expect_stderr("note: nats-server: waiting for port 127.0.0.1:")
        .expect_stderr("nats-server did not accept connections within 10s: ")
        .expect_stderr("  | still starting");
    scratch.expect_nobody_left(SOON);
}
