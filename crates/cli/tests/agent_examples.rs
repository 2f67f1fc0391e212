//! The unit and the examples for agents: systemd accepts the unit, the manifests match the schemas of
//! Kubernetes, and the commands in both start an agent. The commands of the README measure a server.
#![cfg(target_os = "linux")]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{
    Hub, Scratch, Server, Tenbin, path_of, search_path, search_path_with_tenbin, tied, wait_until,
};
use saphyr::{LoadableYamlNode as _, Yaml};
use serde_json::Value;

const SOON: Duration = Duration::from_secs(30);

fn example(name: &str) -> PathBuf {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/agents");
    examples.join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(example(name)).expect("the example")
}

fn packaged(name: &str) -> String {
    let units = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/systemd");
    std::fs::read_to_string(units.join(name)).expect("a file of the packages")
}

/// Fails unless the arguments start an agent that connects to the NATS server.
#[track_caller]
fn expect_agent(scratch: &Scratch, arguments: &[String], name: Option<&str>) {
    let mut agent = Tenbin::new(scratch, arguments).start();
    let waits = wait_until(SOON, || {
        agent.so_far().contains("waits for a coordinator") || !agent.is_running()
    });
    let said = agent.so_far();
    assert!(waits && agent.is_running(), "{said}");
    assert!(said.contains("may send requests to 10.0.0.0/"), "{said}");
    let named = format!("agent \"{}\"", name.unwrap_or_default());
    assert!(name.is_none() || said.contains(&named), "{said}");
}

#[test]
fn systemd_accepts_the_unit_and_its_command_starts_an_agent() {
    let scratch = Scratch::new("agents-systemd");
    let unit = packaged("tenbin-agent.service");
    let built = env!("CARGO_BIN_EXE_tenbin");
    let copy = scratch.write(
        "tenbin-agent.service",
        unit.replace("ExecStart=tenbin", &format!("ExecStart={built}")),
    );
    let verified = Command::new("systemd-analyze")
        .args(["verify", "--man=no", &copy])
        .output()
        .expect("systemd-analyze runs (`cargo xtask setup` installs systemd)");
    // systemd-analyze only warns about unknown settings.
    let said = String::from_utf8_lossy(&verified.stderr);
    assert!(verified.status.success() && said.is_empty(), "{said}");

    let values = |key: &str| -> Vec<&str> {
        let lines = unit.lines().filter_map(|line| line.split_once('='));
        let of_key = lines.filter(|(found, _)| *found == key);
        of_key.map(|(_, value)| value).collect()
    };
    for (key, value) in [
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"),
        ("PrivateTmp", "yes"),
        ("DynamicUser", "yes"),
        ("CapabilityBoundingSet", ""),
        ("RestrictAddressFamilies", "AF_INET AF_INET6 AF_NETLINK"),
        ("MemoryDenyWriteExecute", "yes"),
        ("LimitNOFILE", "1048576"),
    ] {
        assert_eq!(values(key), [value], "{key}");
    }
    let hub = Hub::start(&scratch, &[]);
    let credential = values("LoadCredential");
    let (name, _) = credential[0].split_once(':').expect("a name and a file");
    let creds = hub.file("agent.creds").display().to_string();
    assert_eq!(values("EnvironmentFile"), ["/etc/tenbin/agent.env"]);
    let settings = packaged("agent.env");
    let setting = |name: &str| {
        let mut lines = settings.lines().filter_map(|line| line.split_once('='));
        let line = lines.find(|(found, _)| *found == name);
        line.expect("a setting").1
    };
    let command = values("ExecStart")[0]
        .replace(&format!("${{CREDENTIALS_DIRECTORY}}/{name}"), &creds)
        .replace("${NATS}", &hub.url)
        .replace("${ALLOW}", setting("ALLOW"))
        .replace("$OPTIONS", setting("OPTIONS"));
    let words = command.split_whitespace().skip(1).map(str::to_owned);
    expect_agent(&scratch, &Vec::from_iter(words), None);
}

#[test]
fn the_manifests_match_the_schemas_of_kubernetes() {
    for name in ["kubernetes/nats.yaml", "kubernetes/agents.yaml"] {
        let checked = Command::new("python3")
            .args(["-m", "kubernetes_validate", "--strict"])
            .arg(example(name))
            .env("PATH", search_path())
            .output()
            .expect("python3 runs");
        let said = String::from_utf8_lossy(&checked.stderr);
        let found = String::from_utf8_lossy(&checked.stdout);
        assert!(
            checked.status.success() && found.contains(" passed for resource deployment/"),
            "{name}: {found}{said}"
        );
    }
}

/// The pod of the deployment in a manifest.
fn pod<'y>(documents: &'y [Yaml<'y>]) -> &'y Yaml<'y> {
    let kind = |document: &&Yaml<'_>| document["kind"].as_str() == Some("Deployment");
    let deployment = documents.iter().find(kind).expect("a deployment");
    &deployment["spec"]["template"]["spec"]
}

/// Names of the files that the command in the README puts into a secret.
fn files_of_secret(name: &str) -> Vec<String> {
    let readme = text("kubernetes/README.md").replace("\\\n", " ");
    let command = format!("create secret generic {name} ");
    let line = readme.lines().find_map(|line| line.split_once(&command));
    let (_, files) = line.expect("the secret is created");
    let files = files.split_whitespace().map(|word| {
        let file = word.strip_prefix("--from-file=tenbin-hub/");
        file.expect("a file of the hub").to_owned()
    });
    files.collect()
}

#[test]
fn the_pods_have_the_files_they_need_and_start_an_agent() {
    let scratch = Scratch::new("agents-kubernetes");
    let (nats, agents) = (text("kubernetes/nats.yaml"), text("kubernetes/agents.yaml"));
    let nats = Yaml::load_from_str(&nats).expect("YAML");
    let agents = Yaml::load_from_str(&agents).expect("YAML");
    for pod in [pod(&nats), pod(&agents)] {
        let container = &pod["containers"][0];
        let resources = &container["resources"];
        assert_eq!(resources["requests"], resources["limits"]);
        let security = &container["securityContext"];
        assert_eq!(security["readOnlyRootFilesystem"].as_bool(), Some(true));
        assert_eq!(security["allowPrivilegeEscalation"].as_bool(), Some(false));
        assert_eq!(pod["securityContext"]["runAsNonRoot"].as_bool(), Some(true));
    }

    // The NATS server needs no other file of the hub.
    let hub = Hub::start(&scratch, &[]);
    let (address, directory) = (hub.address(), hub.directory.clone());
    hub.interrupt().expect_code(0);
    let mounted = scratch.path().join("mounted");
    std::fs::create_dir(&mounted).expect("a directory");
    let secret = pod(&nats)["volumes"][0]["secret"]["secretName"].as_str();
    for file in files_of_secret(secret.expect("a secret")) {
        std::fs::copy(directory.join(&file), mounted.join(&file)).expect("a file of the hub");
    }
    let arguments = pod(&nats)["containers"][0]["args"].as_sequence();
    let arguments = arguments
        .expect("arguments")
        .iter()
        .map(|word| word.as_str());
    let mut server = tied(path_of(Server::Nats))
        .args(arguments.map(|word| word.expect("a text")))
        .current_dir(&mounted)
        .stderr(Stdio::null())
        .spawn()
        .expect("nats-server starts");
    let listens = wait_until(SOON, || std::net::TcpStream::connect(address).is_ok());
    assert!(listens, "nats-server does not listen");

    let pod = pod(&agents);
    let secret = pod["volumes"][0]["secret"]["secretName"].as_str();
    let place = pod["containers"][0]["volumeMounts"][0]["mountPath"].as_str();
    let [file] = &files_of_secret(secret.expect("a secret"))[..] else {
        panic!("an agent needs one file");
    };
    let inside = format!("{}/{file}", place.expect("a place"));
    let outside = directory.join(file).display().to_string();
    let port = address.port();
    let arguments = pod["containers"][0]["args"]
        .as_sequence()
        .expect("arguments");
    let arguments = arguments.iter().map(|word| {
        word.as_str()
            .expect("a text")
            .replace("$(POD_NAME)", "tenbin-agent-5f7d8")
            .replace("nats.tenbin.svc:4222", &format!("127.0.0.1:{port}"))
            .replace(&inside, &outside)
    });
    expect_agent(
        &scratch,
        &Vec::from_iter(arguments),
        Some("tenbin-agent-5f7d8"),
    );
    server.kill().expect("a signal");
    server.wait().expect("an end");
}

/// The commands in the README's section "Several machines", and the output that it shows.
fn several_machines() -> (Vec<String>, Vec<String>) {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).expect("the README");
    let (_, section) = readme
        .split_once("\n## Several machines\n")
        .expect("a section");
    let (section, _) = section.split_once("\n## ").expect("a next section");
    let blocks = section.split("```console\n").skip(1);
    let lines = blocks.flat_map(|block| block.lines().take_while(|line| *line != "```"));
    let (commands, shown): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("$ "));
    let commands = commands.iter().map(|line| line[2..].to_owned());
    (
        commands.collect(),
        shown.into_iter().map(str::to_owned).collect(),
    )
}

/// The host name in the name of an agent.
fn machine(agent: &Value) -> &str {
    let name = agent["agent"].as_str().unwrap_or_default();
    name.rsplit_once('-').map_or("", |(machine, _)| machine)
}

#[test]
fn the_commands_of_the_readme_measure_from_two_machines() {
    path_of(Server::Nats);
    let scratch = Scratch::new("agents-readme");
    let (commands, shown) = several_machines();
    assert_eq!(commands.len(), 3, "{commands:?}");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/three_machines.sh");
    let (mark, directory) = scratch.mark();
    let mut child = tied("unshare")
        .args(["--user", "--map-root-user", "--net", "--mount"])
        // When the test is killed, so are the processes of the script.
        .args(["--pid", "--fork", "--kill-child", "--mount-proc"])
        .args(["--", "bash"])
        .arg(script)
        .args(&commands)
        .current_dir(scratch.path())
        .env("PATH", search_path_with_tenbin(&scratch))
        .env("NO_COLOR", "1")
        .env(mark, directory)
        .stdin(Stdio::null())
        .spawn()
        .expect("unshare can be started");
    let mut code = None;
    let ended = wait_until(Duration::from_secs(180), || {
        let status = child.try_wait().expect("the shell can be waited for");
        code = status.and_then(|status| status.code());
        status.is_some()
    });
    let _ = child.kill();
    let said = |name: &str| {
        std::fs::read_to_string(scratch.path().join(name))
            .unwrap_or_else(|error| format!("{error}"))
    };
    let coordinator = said("coordinator.output");
    assert!(ended, "not done: {coordinator}");
    // 6: INVALID, as on a busy test machine.
    assert!(matches!(code, Some(0 | 6)), "{code:?}: {coordinator}");
    for line in shown {
        assert!(said("hub.output").contains(&line), "{}", said("hub.output"));
    }
    let result = scratch.result();
    let agents = result["agents"].as_array().expect("agents");
    // The host name, and digits that tell machines with the same host name apart.
    let machines: Vec<&str> = agents.iter().map(machine).collect();
    assert_eq!(machines, ["load1", "load2"], "{agents:#?}");
    for agent in agents {
        assert!(
            agent["throughput"]["value"].as_f64() > Some(0.0),
            "{agent:#}"
        );
    }
    scratch.expect_nobody_left(Duration::from_secs(10));
}
