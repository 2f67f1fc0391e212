//! The command that builds a project, by the files that the project has.

use std::fs;
use std::path::Path;

use tenbin_report::quoted;

/// A command that builds a program of the project in a directory.
type Build = fn(directory: &Path, program: Option<&str>) -> String;

/// Files of a project, each with the command that builds such a project.
const PROJECTS: &[(&str, Build)] = &[("Cargo.toml", cargo), ("go.mod", go), ("Makefile", make)];

/// The command that builds the project in a directory, with `program` as the file that the command makes
/// if the path is relative. `None` for a directory without a known project.
pub(super) fn build_of(directory: &Path, program: Option<&str>) -> Option<String> {
    let program = program.filter(|program| is_relative(program));
    let mut projects = PROJECTS.iter();
    let known = projects.find(|(file, _)| directory.join(file).is_file());
    known.map(|(_, build)| build(directory, program))
}

/// Whether a program is a file below a directory, without placeholders.
pub(super) fn is_relative(program: &str) -> bool {
    program.contains('/') && !program.starts_with('/') && !program.contains('{')
}

/// A program without the `./` before it.
fn plain(program: &str) -> &str {
    program.strip_prefix("./").unwrap_or(program)
}

/// The name of the file.
fn name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

fn cargo(directory: &Path, program: Option<&str>) -> String {
    let release = "cargo build --release".to_owned();
    let Some(program) = program else {
        return release;
    };
    if plain(program).starts_with("target/debug/") {
        return "cargo build".to_owned();
    }
    if plain(program).starts_with("target/") {
        return release;
    }
    let manifest = fs::read_to_string(directory.join("Cargo.toml")).unwrap_or_default();
    match binary(&manifest, name(program)) {
        Some(binary) => {
            let built = quoted(&format!("target/release/{binary}"));
            format!("{release} && cp {built} {}", quoted(program))
        }
        None => release,
    }
}

/// The binary of a manifest that becomes a program: that with the name of the program, or that of the
/// package.
fn binary<'a>(manifest: &'a str, program: &str) -> Option<&'a str> {
    let names = || {
        manifest.lines().filter_map(|line| {
            let (key, value) = line.split_once('=')?;
            let is_name = key.trim() == "name";
            is_name.then(|| value.trim().trim_matches(['"', '\'']))
        })
    };
    names()
        .find(|name| *name == program)
        .or_else(|| names().next())
}

fn go(directory: &Path, program: Option<&str>) -> String {
    let Some(program) = program else {
        return "go build -o ./ ./...".to_owned();
    };
    let below = format!("./cmd/{}", name(program));
    let is_below = directory.join(&below).is_dir();
    let package = if is_below { below.as_str() } else { "." };
    format!("go build -o {} {}", quoted(program), quoted(package))
}

fn make(directory: &Path, program: Option<&str>) -> String {
    let makefile = fs::read_to_string(directory.join("Makefile")).unwrap_or_default();
    let rules: Vec<&str> = makefile.lines().filter_map(rule).collect();
    let place = program.and_then(|it| rules.iter().position(|rule| *rule == plain(it)));
    match place {
        // The first rule is the default.
        None | Some(0) => "make".to_owned(),
        Some(place) => format!("make {}", quoted(rules[place])),
    }
}

/// The name of the rule that a line of a Makefile begins.
fn rule(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once(':')?;
    let is_rule = !name.starts_with(['\t', ' ', '#', '.']) && !name.contains('=');
    (is_rule && !rest.starts_with('=')).then(|| name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_makes_the_program() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path();
        let build = |program| build_of(place, Some(program));
        assert_eq!(build("./server"), None);

        fs::write(
            place.join("Makefile"),
            "CC := cc\n.PHONY: all\nall: server\nserver: main.c\n\tcc -o $@\n",
        )
        .unwrap();
        assert_eq!(build("./server").as_deref(), Some("make server"));
        assert_eq!(build("./other").as_deref(), Some("make"));

        fs::write(place.join("go.mod"), "module example.org/shop\n").unwrap();
        let go = build("./server");
        assert_eq!(go.as_deref(), Some("go build -o ./server ."));
        fs::create_dir_all(place.join("cmd/server")).unwrap();
        let go = build("./bin/server");
        assert_eq!(go.as_deref(), Some("go build -o ./bin/server ./cmd/server"));

        fs::write(place.join("Cargo.toml"), "[package]\nname = \"shop\"\n").unwrap();
        for (program, command) in [
            ("target/release/shop", "cargo build --release"),
            ("./target/debug/shop", "cargo build"),
            (
                "./server",
                "cargo build --release && cp target/release/shop ./server",
            ),
            ("/usr/bin/server", "cargo build --release"),
            ("server", "cargo build --release"),
        ] {
            assert_eq!(build(program).as_deref(), Some(command), "{program}");
        }
    }
}
