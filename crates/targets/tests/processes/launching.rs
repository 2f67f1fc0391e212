//! Tests of starting targets, and of the errors when the start fails.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tenbin_plan::{Credentials, Reach, Ready};
use tenbin_targets::{ExitStatus, TargetError};

use crate::support::{TestRun, address_of, launch_of, script, target};

pub(crate) fn start_and_stop() {
    let run = TestRun::new();
    let mut target = script("touch $DATA/file; echo port $PORT; echo up; exec sleep 1000");
    let launch = launch_of(&mut target);
    launch.env.insert("DATA".into(), "{data}".into());
    launch.env.insert("PORT".into(), "{port}".into());
    let mut running = run.bring_up(&target).unwrap();

    let data = run.path().join("targets/script/data");
    assert!(data.join("file").exists());
    let port = running.url.port().unwrap();
    assert_eq!(address_of(&running).port(), port);
    running.alive().unwrap();
    assert!(running.usage().is_some());

    running.stop().unwrap();
    assert!(!data.exists());
    assert!(!run.path().join("targets/script").exists());
    assert!(run.log("script").contains(&format!("port {port}\nup\n")));
    assert!(running.usage().is_none(), "nobody is left to be observed");
}

pub(crate) fn missing_program() {
    let run = TestRun::new();
    let mut absent = script("");
    launch_of(&mut absent).command = vec!["no-such-server".into()];
    assert_eq!(
        run.bring_up(&absent).unwrap_err().to_string(),
        "cannot start target \"script\": no such program \"no-such-server\" in PATH; \
         install it or give its full path"
    );

    // An executable file whose interpreter does not exist.
    let broken = run.path().join("broken");
    std::fs::write(&broken, "#!/no/such/interpreter\n").unwrap();
    std::fs::set_permissions(&broken, PermissionsExt::from_mode(0o755)).unwrap();
    launch_of(&mut absent).command = vec!["./broken".into()];
    let text = run.bring_up(&absent).unwrap_err().to_string();
    assert!(text.contains("broken: No such file"), "{text}");
}

pub(crate) fn early_end() {
    let run = TestRun::new();
    let started = Instant::now();
    let target = script("echo one; printf '\\033[31mtwo: bad\\n' >&2; printf last; exit 3");
    let error = run.bring_up(&target).unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(15));
    let TargetError::EndedEarly { exit, tail, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(exit.status, ExitStatus::Code(3));
    assert_eq!(tail.0, ["one", " [31mtwo: bad", "last"]);
    let text = error.to_string();
    assert!(text.contains("exited with status 3 after "), "{text}");

    let killed = run.bring_up(&script("kill -9 $$")).unwrap_err().to_string();
    assert!(killed.contains("was killed by SIGKILL"), "{killed}");
    assert!(killed.contains("it printed nothing"), "{killed}");
}

pub(crate) fn late() {
    let run = TestRun::new();
    let mut target =
        script("i=0; while [ $i -lt 60 ]; do echo line $i; i=$((i+1)); done; sleep 1000");
    let launch = launch_of(&mut target);
    launch.ready = Ready::Port;
    launch.ready_within = Duration::from_secs(4);
    let text = run.bring_up(&target).unwrap_err().to_string();
    assert!(
        text.starts_with(
            "target \"script\" was not ready within 4s: nothing listens on 127.0.0.1:"
        ),
        "{text}"
    );
    assert!(
        text.ends_with("| line 59") && text.contains("| line 20"),
        "{text}"
    );
    assert!(!text.contains("line 19"), "{text}");
}

pub(crate) fn ready_by_log_and_url() {
    let run = TestRun::new();
    // The script prints the ready text without a line end, in two parts.
    let mut by_log = script("printf 'server is '; sleep 0.1; printf 'READY now'; exec sleep 1000");
    launch_of(&mut by_log).ready = Ready::Log("is READY".into());
    run.bring_up(&by_log).unwrap();

    let mut by_url = script("");
    let exe = std::env::current_exe().unwrap().display().to_string();
    let launch = launch_of(&mut by_url);
    launch.command = [&exe, "serve", "http", "--listen", "127.0.0.1:{port}"]
        .map(String::from)
        .to_vec();
    // `localhost` has two addresses; the server listens on one of them.
    launch.url = "http://localhost:{port}/".into();
    launch.ready = Ready::Url("http://localhost:{port}/health".into());
    run.bring_up(&by_url).unwrap();
    launch_of(&mut by_url).ready = Ready::Port;
    let running = run.bring_up(&by_url).unwrap();
    assert!(address_of(&running).is_ipv4());
}

pub(crate) fn secrets() {
    let run = TestRun::new();
    let mut target = script("echo key=$KEY secret=$SECRET own=$HOME; echo up; exec sleep 1000");
    target.credentials = Some(Credentials::literal("AKEXAMPLE", "s3cr3t/word"));
    let launch = launch_of(&mut target);
    launch.env.insert("KEY".into(), "{access_key}".into());
    launch.env.insert("SECRET".into(), "{secret_key}".into());
    let mut running = run.bring_up(&target).unwrap();
    running.stop().unwrap();
    let log = run.log("script");
    assert!(
        log.contains("key=[redacted] secret=[redacted] own="),
        "{log}"
    );
    assert!(!format!("{running:?}").contains("s3cr3t"));
}

pub(crate) fn occupied() {
    let run = TestRun::new();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut target = script("echo up; sleep 1000");
    let launch = launch_of(&mut target);
    launch.url = format!("http://{}/", other.local_addr().unwrap());
    launch.ready = Ready::Port;
    let error = run.bring_up(&target).unwrap_err();
    assert!(matches!(error, TargetError::Occupied { .. }), "{error}");
}

pub(crate) fn interrupt() {
    let run = TestRun::new();
    let target = script("exec sleep 1000");
    let started = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            run.stop.store(true, Ordering::Relaxed);
        });
        let error = run.bring_up(&target).unwrap_err();
        assert!(matches!(error, TargetError::Interrupted { .. }), "{error}");
    });
    assert!(started.elapsed() < Duration::from_secs(15));
}

pub(crate) fn endpoints() {
    let run = TestRun::new();
    let endpoint = |url: &str| {
        target(
            "there",
            Reach::Endpoint {
                url: url.parse().unwrap(),
            },
        )
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let running = run
        .bring_up(&endpoint(&format!("http://localhost:{port}/x")))
        .unwrap();
    assert_eq!(address_of(&running), listener.local_addr().unwrap());
    assert!(running.usage().is_none() && running.alive().is_ok());

    let v6 = run.bring_up(&endpoint("http://[::1]:81/")).unwrap();
    assert_eq!(address_of(&v6), "[::1]:81".parse().unwrap());

    // The name is longer than DNS allows, so that no resolver sends it to the network.
    let name = format!("{}.invalid", "x".repeat(70));
    let text = run
        .bring_up(&endpoint(&format!("http://{name}/")))
        .unwrap_err()
        .to_string();
    assert!(
        text.starts_with(&format!(
            "cannot resolve host \"{name}\" of target \"there\""
        )),
        "{text}"
    );
}
