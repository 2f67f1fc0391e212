//! The examples: every plan is valid, also for a linter with the schema that it names, and the
//! containers match the plan that uses them. The tests only read the container file, because containers
//! cannot run on every test machine.

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Scratch, Server, Tenbin, path_of};
use saphyr::{LoadableYamlNode as _, Yaml};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// Files with this extension in a directory and its subdirectories.
fn files(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("the examples") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|found| found == ending) {
            found.push(path);
        }
    }
    found
}

/// The plan of a file with all defaults, as `tenbin plan file` prints it.
fn resolved(scratch: &Scratch, file: &Path) -> String {
    let file = file.to_str().expect("a path in UTF-8");
    let plan = Tenbin::new(scratch, ["plan", "file", file]).run();
    plan.expect_code(0);
    plan.stdout
}

#[test]
fn every_plan_resolves() {
    let scratch = Scratch::new("plans");
    let plans = files(&examples(), "toml");
    assert!(plans.len() >= 4, "{plans:?}");
    for plan in plans {
        assert!(resolved(&scratch, &plan).contains("[[target]]"));
    }
}

/// Checks files with Taplo and the schemas that they name; returns whether all are valid, and what
/// Taplo says.
fn linted(files: &[PathBuf]) -> (bool, String) {
    let output = Command::new(path_of(Server::Taplo))
        .args(["lint", "--no-auto-config"])
        .args(files)
        .output()
        .expect("taplo can be started");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    (output.status.success(), said)
}

#[test]
fn taplo_accepts_the_plans_and_what_tenbin_prints_and_names_a_wrong_key() {
    let scratch = Scratch::new("taplo");
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/plan.schema.json");
    let schema = schema.canonicalize().expect("the schema");
    let published = std::fs::read_to_string(&schema).expect("the schema");
    let published: serde_json::Value = serde_json::from_str(&published).expect("JSON");
    let address = published["$id"].as_str().expect("an address");
    // The test has no network, so the schema is read from its file in place of its address.
    let directive = format!("#:schema {address}\n");
    let local = format!("#:schema file://{}\n", schema.display());
    let plans = files(&examples().canonicalize().expect("the examples"), "toml");
    let (mut right, mut wrong) = (plans.clone(), Vec::new());
    for (number, plan) in plans.iter().enumerate() {
        let text = std::fs::read_to_string(plan).expect("a plan");
        assert!(text.starts_with("#:schema ../"), "{}", plan.display());
        let printed = resolved(&scratch, plan);
        let printed = printed.strip_prefix(directive.as_str());
        let printed = printed.unwrap_or_else(|| panic!("{}: no {directive}", plan.display()));
        let right_file = format!("right-{number}.toml");
        let wrong_file = format!("wrong-{number}.toml");
        right.push(
            scratch
                .write(&right_file, format!("{local}{printed}"))
                .into(),
        );
        let with_mistake = format!("{local}sead = 1\n{printed}");
        wrong.push(PathBuf::from(scratch.write(&wrong_file, with_mistake)));
    }
    let (passes, said) = linted(&right);
    assert!(passes, "{said}");
    let (passes, said) = linted(&wrong);
    assert!(!passes, "{said}");
    for number in 0..wrong.len() {
        let is_named = said.contains(&format!("wrong-{number}.toml"));
        assert!(is_named && said.contains("sead"), "{number}: {said}");
    }
}

#[test]
fn the_plan_for_local_processes_resolves_with_jog_uncommented() {
    let scratch = Scratch::new("jog");
    let text = std::fs::read_to_string(examples().join("object-stores/local.toml")).expect("it");
    // The lines after "# [[target]]" up to the empty line that ends the comment.
    let (before, commented) = text.split_once("# [[target]]\n").expect("JOG's lines");
    let (commented, after) = commented.split_once("\n\n").expect("their end");
    let lines = commented.lines().map(|line| {
        let line = line.strip_prefix('#').expect("a comment");
        format!("{}\n", line.trim_start())
    });
    let jog: String = lines.collect();
    let plan = scratch.write("plan.toml", format!("{before}[[target]]\n{jog}\n{after}"));
    let printed = resolved(&scratch, Path::new(&plan));
    assert!(printed.contains("name = \"jog\""), "{printed}");
}

#[test]
fn the_blob_stores_are_compared_and_the_mix_up_is_the_first_finding() {
    let scratch = Scratch::new("blob-example");
    let program = Path::new(env!("CARGO_BIN_EXE_tenbin"));
    let programs = program.parent().expect("its directory");
    let before = std::env::var("PATH").expect("a PATH");
    let path = format!("{}:{before}", programs.display());
    let plan = examples().join("blob/local.toml");
    let plan = plan.to_str().expect("a path in UTF-8");
    let run = Tenbin::new(&scratch, ["run", "--json", plan])
        .env("PATH", &path)
        .run();
    run.expect_code(6);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let first = &document["findings"][0];
    let about = ["rule", "target", "workload"].map(|key| first[key].as_str());
    let expected = ["errors", "mixed-up", "get-10KiB"].map(Some);
    assert_eq!(about, expected, "{}", document["findings"]);
    let advice = first["advice"].as_str().unwrap_or_default();
    assert!(
        advice.contains("other bytes than those that were stored"),
        "{advice}"
    );
    let gone = document["results"].as_array().into_iter().flatten();
    let gone = gone.flat_map(|result| result["operations"].as_array().into_iter().flatten());
    let gone: Vec<_> = gone.filter(|one| one["operation"] == "gone").collect();
    assert_eq!(gone.len(), 2, "{}", document["results"]);
    // The deletion delay of 50 ms, not the 610 ms until the server closes the connection.
    for one in gone {
        let median = one["p50"]["value"].as_f64().expect("a time");
        assert!((0.05..0.3).contains(&median), "{one}");
    }
}

#[test]
fn the_containers_are_those_of_the_plan() {
    let directory = examples().join("object-stores");
    let text = std::fs::read_to_string(directory.join("compose.yml")).expect("compose.yml");
    let documents = Yaml::load_from_str(&text).expect("compose.yml is YAML");
    let [compose] = documents.as_slice() else {
        panic!("one document");
    };
    let plan = std::fs::read_to_string(directory.join("compose.toml")).expect("compose.toml");
    let plan: toml::Table = plan.parse().expect("compose.toml is TOML");
    let volumes = compose["volumes"].as_mapping().expect("named volumes");
    let mut used = BTreeSet::new();
    let mut published = BTreeSet::new();
    for (name, service) in compose["services"].as_mapping().expect("services") {
        let name = name.as_str().expect("a name");
        let strings = |key: &str| -> Vec<&str> {
            let list = service[key].as_sequence();
            let list = list.unwrap_or_else(|| panic!("{name} has no {key}"));
            list.iter().map(|each| each.as_str().expect(key)).collect()
        };
        let image = service["image"].as_str().expect("an image");
        assert!(
            image
                .rsplit_once(':')
                .is_some_and(|(_, tag)| tag != "latest"),
            "{name}: {image} is another image tomorrow"
        );
        let test = service["healthcheck"]["test"].as_sequence();
        assert!(test.is_some_and(|words| words.len() > 1), "{name}: health");
        let ports: Vec<u16> = strings("ports")
            .iter()
            .map(|port| {
                let [host, outside, _inside] = port.split(':').collect::<Vec<_>>()[..] else {
                    panic!("{name}: {port} is bound to every address");
                };
                assert_eq!(host, "127.0.0.1", "{name}: {port}");
                outside.parse().expect("a port")
            })
            .collect();
        for volume in strings("volumes") {
            let (volume, _) = volume.split_once(':').expect("a volume and its place");
            assert!(
                volumes.iter().any(|(key, _)| key.as_str() == Some(volume)),
                "{name}: volume {volume} is not named, and `down -v` would not remove it"
            );
            used.insert(volume.to_owned());
        }
        let target = target_of(&plan, name);
        let url = target["url"].as_str().expect("a url");
        assert_eq!(url, format!("http://127.0.0.1:{}", ports[0]), "{name}");
        let environment = service["environment"].as_mapping().expect("environment");
        for (key, endings) in [
            ("access_key", ["ACCESS_KEY", "ROOT_USER"]),
            ("secret_key", ["SECRET_KEY", "ROOT_PASSWORD"]),
        ] {
            let given = environment.iter().find(|(variable, _)| {
                let variable = variable.as_str().expect("a variable");
                endings.iter().any(|ending| variable.ends_with(ending))
            });
            let (_, given) = given.unwrap_or_else(|| panic!("{name} is given no {key}"));
            assert_eq!(given.as_str(), target[key].as_str(), "{name}: {key}");
            assert_eq!(given.as_str(), Some("benchadmin"), "{name}: {key}");
        }
        published.extend(ports);
    }
    assert_eq!(Vec::from_iter(published), [9200, 9300, 9301]);
    assert_eq!(used.len(), volumes.len(), "a volume that nobody uses");
    let targets = plan["target"].as_array().expect("targets");
    let services = compose["services"].as_mapping().expect("services");
    assert_eq!(targets.len(), services.len());
}

fn target_of<'p>(plan: &'p toml::Table, name: &str) -> &'p toml::Value {
    let targets = plan["target"].as_array().expect("targets");
    targets
        .iter()
        .find(|target| target["name"].as_str() == Some(name))
        .unwrap_or_else(|| panic!("the plan has no target {name}"))
}
