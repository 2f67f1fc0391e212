//! What an agent refuses.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::*;

fn machine(limits: AgentLimits) -> Machine {
    let here = std::env::temp_dir();
    Machine {
        limits,
        directory: here.clone(),
        executable: PathBuf::from("tenbin"),
        plan_directory: here,
        assigned: None,
    }
}

/// A plan with these lines in its target, its workload and its load.
fn plan(target: &str, workload: &str, load: &str) -> String {
    format!(
        "seed = 1\n[[target]]\nname = \"a\"\nurl = \"http://127.0.0.1:9/\"\n{target}\n\
         [[workload]]\nkind = \"http\"\n{workload}\n[workload.load]\nconnections = 4\n{load}\n"
    )
}

/// The part of the first of two agents.
fn assignment(plan: String) -> Assignment {
    Assignment {
        plan,
        directory: "/".to_owned(),
        files: Vec::new(),
        variables: Vec::new(),
        agent: 0,
        agents: 2,
        threads: 2,
    }
}

fn prepare(machine: &mut Machine, assignment: &Assignment) -> Result<(), Sentence> {
    machine.prepare(assignment, &Arc::new(AtomicBool::new(false)))
}

fn refusal(
    machine: &mut Machine,
    plan: String,
    (agent, agents, threads): (usize, usize, usize),
) -> String {
    let assignment = Assignment {
        agent,
        agents,
        threads: threads.saturating_mul(agents),
        ..assignment(plan)
    };
    let stop = Arc::new(AtomicBool::new(false));
    let refused = machine.prepare(&assignment, &stop);
    refused.expect_err("a refusal").to_string()
}

#[test]
fn a_coordinator_cannot_read_files_and_variables_of_an_agent() {
    let file = std::env::temp_dir().join(format!("tenbin-agent-{}", std::process::id()));
    std::fs::write(&file, "a secret of this machine\n").expect("a file");
    let path = file.display();
    for (target, workload, load) in [
        (
            "",
            format!("body_file = \"{path}\"\nmethod = \"POST\""),
            String::new(),
        ),
        ("", format!("patterns = \"{path}\""), String::new()),
        (
            "",
            "headers = [\"X: {env:HOME}\"]".to_owned(),
            String::new(),
        ),
        ("", String::new(), format!("trace = \"{path}\"")),
    ] {
        let plan = plan(target, &workload, &load);
        let why = refusal(
            &mut machine(AgentLimits::loopback()),
            plan.clone(),
            (0, 2, 1),
        );
        assert!(!why.contains("a secret"), "{why}");
        let home = std::env::var("HOME").expect("HOME");
        assert!(!why.contains(&home), "{plan}: {why}");
    }
    let token =
        format!("observe = {{ tenbin = \"http://127.0.0.1:9/\", token_file = \"{path}\" }}");
    let why = refusal(
        &mut machine(AgentLimits::loopback()),
        plan(&token, "", ""),
        (0, 2, 1),
    );
    assert!(why.contains("the agent may not read it"), "{why}");
    let tls = "tls = { ca = \"/dev/zero\" }";
    let own = plan(tls, "", "").replace("http://", "https://");
    let why = refusal(&mut machine(AgentLimits::loopback()), own, (0, 2, 1));
    assert!(why.contains("the agent may not read it"), "{why}");
    let observe = "observe = { prometheus = \"http://192.0.2.1:9/\" }";
    let why = refusal(
        &mut machine(AgentLimits::loopback()),
        plan(observe, "", ""),
        (0, 2, 1),
    );
    assert!(why.contains("agents observe no targets"), "{why}");
    std::fs::remove_file(&file).expect("removed");
}

#[test]
fn the_limits_count_what_the_agent_really_sends() {
    let limits = AgentLimits {
        connections: Some(1),
        rate: Some(10.0),
        ..AgentLimits::loopback()
    };
    // Only the first of the agents has a connection.
    let alone = plan("", "", "rate = 1000").replace("connections = 4", "connections = 1");
    let why = refusal(&mut machine(limits.clone()), alone, (0, 100, 1));
    assert!(why.contains("cannot be divided among 100 agents"), "{why}");
    let why = refusal(
        &mut machine(limits.clone()),
        plan("", "", "rate = 4"),
        (0, 2, 1),
    );
    assert!(why.contains("needs 2 connections of this agent"), "{why}");
    let deleting = "operation = \"pd\"\nuntil_gone = true\npoll_connections = 5";
    let deleting = plan("", deleting, "rate = 4").replace("kind = \"http\"", "kind = \"blob\"");
    let polling = AgentLimits {
        connections: Some(4),
        ..limits.clone()
    };
    let why = refusal(&mut machine(polling.clone()), deleting.clone(), (0, 2, 1));
    assert!(why.contains("needs 5 connections of this agent"), "{why}");
    let why = refusal(&mut machine(polling), deleting, (1, 2, 1));
    assert!(why.contains("polls without a fixed rate"), "{why}");
    let why = refusal(&mut machine(limits), plan("", "", "rate = 100"), (3, 4, 1));
    assert!(
        why.contains("needs 25 requests per second of this agent"),
        "{why}"
    );
}

#[test]
fn impossible_numbers_are_refused() {
    for numbers in [
        (0, 0, 1),
        (2, 2, 1),
        (0, 2, 0),
        (0, 2, usize::MAX),
        (0, usize::MAX, 2),
    ] {
        let why = refusal(
            &mut machine(AgentLimits::loopback()),
            plan("", "", ""),
            numbers,
        );
        assert!(why.contains("invalid"), "{numbers:?}: {why}");
    }
    let mut ready = machine(AgentLimits::loopback());
    prepare(&mut ready, &assignment(plan("", "", ""))).expect("a plan");
    let order = SliceOrder {
        slice: 1,
        seed: 1,
        window: 1,
        state: Bytes::from_static(b"no state"),
        ..SliceOrder::default()
    };
    let times: [fn(&mut SliceOrder); 4] = [
        |order| order.lead = u64::MAX,
        |order| order.window = 0,
        |order| order.rest = Some(u64::MAX),
        |_| {},
    ];
    for change in times {
        let mut order = order.clone();
        change(&mut order);
        let gate = Arc::new(StartGate::new(Duration::MAX));
        let stop = Arc::new(AtomicBool::new(false));
        let why = ready.slice(&order, gate, &stop, &mut |_| {});
        assert!(
            why.is_err_and(|why| why.text().contains("invalid")),
            "{order:?}"
        );
    }
}

#[test]
fn files_of_the_coordinator_are_used_and_secrets_only_if_the_agent_allows_them() {
    let own = tempfile::tempdir().expect("a directory");
    let key = own.path().join("key");
    std::fs::write(&key, "own secret\n").expect("a file");
    let link = own.path().join("link");
    std::os::unix::fs::symlink("/etc/hostname", &link).expect("a link");

    let body = plan("", "method = \"POST\"\nbody_file = \"/no/such/file\"", "");
    let sent = Assignment {
        files: vec![("/no/such/file".to_owned(), Bytes::from_static(b"sent"))],
        ..assignment(body)
    };
    prepare(&mut machine(AgentLimits::loopback()), &sent).expect("the coordinator's file");

    let with_key = |path: &Path| {
        let keys = format!(
            "access_key = \"abc\"\nsecret_key_file = \"{}\"",
            path.display()
        );
        let s3 = plan(&keys, "operation = \"put\"\nsize = \"1KiB\"", "");
        assignment(s3.replace("kind = \"http\"", "kind = \"s3\""))
    };
    let allowed = AgentLimits {
        files: vec![own.path().to_owned()],
        ..AgentLimits::loopback()
    };
    prepare(&mut machine(allowed.clone()), &with_key(&key)).expect("an allowed file");
    for (limits, path) in [(AgentLimits::loopback(), &key), (allowed, &link)] {
        let why = prepare(&mut machine(limits), &with_key(path)).expect_err("a refusal");
        assert!(why.text().contains("the agent may not read it"), "{why}");
    }
}

#[test]
fn variables_are_used_only_if_the_agent_allows_them() {
    let header = || assignment(plan("", "headers = [\"X: {env:HOME}\"]", ""));
    let why = prepare(&mut machine(AgentLimits::loopback()), &header()).expect_err("a refusal");
    assert!(
        why.text().ends_with("start the agent with --env HOME"),
        "{why}"
    );
    let allowed = AgentLimits {
        variables: BTreeSet::from(["HOME".to_owned()]),
        ..AgentLimits::loopback()
    };
    prepare(&mut machine(allowed), &header()).expect("an allowed variable");
    // What the coordinator has generated replaces no variable of the agent.
    let pretended = Assignment {
        variables: vec![("HOME".to_owned(), "/elsewhere".to_owned())],
        ..header()
    };
    prepare(&mut machine(AgentLimits::loopback()), &pretended).expect_err("a refusal");
}

#[test]
fn other_addresses_and_other_protocols_are_refused() {
    let outside = plan("", "", "").replace("127.0.0.1", "192.0.2.1");
    let why = refusal(&mut machine(AgentLimits::loopback()), outside, (0, 2, 1));
    assert!(why.contains("may not send requests to 192.0.2.1"), "{why}");
    let blob = plan("", "operation = \"put\"\nsize = \"1KiB\"", "");
    let blob = blob.replace("kind = \"http\"", "kind = \"blob\"");
    let files = blob.replace("http://127.0.0.1:9/", "file:///tmp/unused");
    let why = refusal(&mut machine(AgentLimits::loopback()), files, (0, 2, 1));
    assert!(
        why.contains("agents send requests only to servers"),
        "{why}"
    );
}
