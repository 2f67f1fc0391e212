//! `cargo xtask support`: tries every S3 operation on every S3 server and writes the support table
//! to `docs/s3.md`.

mod outcome;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use self::outcome::Outcome;
use crate::{setup, shell};

/// Plan file with the servers.
const SERVERS: &str = "examples/object-stores/local.toml";
const PAGE: &str = "docs/s3.md";
const BEGIN: &str = "<!-- support: begin -->";
const END: &str = "<!-- support: end -->";

/// Operations and variants of operations: name in the table, and keys of the workload.
const WORK: &[(&str, &str)] = &[
    ("put", "operation = \"put\""),
    (
        "put, chunks signed",
        "operation = \"put\"\npayload = \"streaming\"",
    ),
    (
        "put, checksum behind",
        "operation = \"put\"\npayload = \"trailer\"\nchecksum = \"crc32c\"",
    ),
    (
        "put with `content-md5`",
        "operation = \"put\"\nchecksum = \"md5\"",
    ),
    (
        "put with CRC32",
        "operation = \"put\"\nchecksum = \"crc32\"",
    ),
    (
        "put with CRC32C",
        "operation = \"put\"\nchecksum = \"crc32c\"",
    ),
    (
        "put with CRC64NVME",
        "operation = \"put\"\nchecksum = \"crc64nvme\"",
    ),
    ("put with SHA-1", "operation = \"put\"\nchecksum = \"sha1\""),
    (
        "put with SHA-256",
        "operation = \"put\"\nchecksum = \"sha256\"",
    ),
    ("get, verified", "operation = \"get\""),
    (
        "get, any range",
        "operation = \"get\"\nrange = \"random:100\"",
    ),
    ("delete", "operation = \"delete\"\nobjects = 2000"),
    (
        "delete-batch",
        "operation = \"delete-batch\"\nobjects = 5000",
    ),
    ("list, V2", "operation = \"list\"\npage = 50"),
    ("list, V1", "operation = \"list\"\nlist = \"v1\"\npage = 50"),
    (
        "list by delimiter",
        "operation = \"list\"\ndelimiter = \"/\"\nprefixes = \"4\"",
    ),
    ("stat", "operation = \"stat\""),
    ("get-attributes", "operation = \"get-attributes\""),
    ("copy", "operation = \"copy\""),
    ("mixed", "operation = \"get:45,stat:30,put:15,delete:10\""),
    (
        "multipart",
        "operation = \"multipart\"\nsize = \"11MiB\"\nobjects = 4",
    ),
    (
        "get-part",
        "operation = \"get-part\"\nsize = \"11MiB\"\nobjects = 4",
    ),
    ("versioned put", "operation = \"put\"\nversions = 2"),
    ("versioned get", "operation = \"get\"\nversions = 2"),
    (
        "versioned delete",
        "operation = \"delete\"\nversions = 2\nobjects = 1000",
    ),
    (
        "list of versions",
        "operation = \"list\"\nlist = \"versions\"\nversions = 2",
    ),
    ("put-tags", "operation = \"put-tags\""),
    (
        "get-tags",
        "operation = \"get-tags\"\ntags = [\"team=storage\"]",
    ),
    ("delete-tags", "operation = \"delete-tags\""),
    ("retain", "operation = \"retain\""),
    ("legal-hold", "operation = \"legal-hold\""),
    ("append", "operation = \"append\""),
    ("snowball", "operation = \"snowball\"\nentries = 10"),
    ("zip-get", "operation = \"zip-get\"\nentries = 10"),
    ("zip-list", "operation = \"zip-list\"\nentries = 10"),
    ("fan-out", "operation = \"fan-out\"\nentries = 10"),
    (
        "storage class",
        "operation = \"put\"\nstorage_class = \"STANDARD\"",
    ),
    (
        "metadata, type, tags",
        "operation = \"put\"\nmetadata = [\"owner: tenbin\"]\ncontent_type = \"text/plain\"\ntags = [\"team=storage\"]",
    ),
];

/// Tries every operation on every server and writes the table.
pub(crate) fn run(words: &str) -> Result<()> {
    let page = std::fs::read_to_string(PAGE).with_context(|| format!("cannot read {PAGE}"))?;
    let (before, after) = around_the_table(&page)?;
    let tenbin = build()?;
    let servers = servers()?;
    let scratch = std::env::temp_dir().join(format!("tenbin-support-{}", std::process::id()));
    let mut rows = Vec::new();
    for &(name, keys) in WORK.iter().filter(|(name, _)| name.contains(words)) {
        let mut cells = Vec::new();
        for server in &servers {
            let outcome = try_out(&tenbin, server, keys, &scratch)?;
            println!("{name} on {}: {outcome}", server.name);
            cells.push(outcome);
        }
        rows.push((name, cells));
    }
    std::fs::remove_dir_all(&scratch).context("cannot remove the scratch directory")?;
    let table = table(&servers, &rows);
    if !words.is_empty() {
        println!("\n{table}");
        return Ok(());
    }
    let page = format!("{before}{BEGIN}\n\n{table}\n{END}{after}");
    std::fs::write(PAGE, page).with_context(|| format!("cannot write {PAGE}"))?;
    println!("written into {PAGE}");
    Ok(())
}

fn around_the_table(page: &str) -> Result<(&str, &str)> {
    let parts = page.split_once(BEGIN);
    let parts = parts.and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    parts.with_context(|| format!("{PAGE} has no lines `{BEGIN}` and `{END}` for the table"))
}

fn build() -> Result<PathBuf> {
    shell::succeed(shell::cargo().args(["build", "--release", "--package", "tenbin"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    Ok(std::path::absolute(target.join("release/tenbin"))?)
}

/// Name of a server, and its table in the plan file.
struct Server {
    name: String,
    target: String,
}

/// The servers of the example plan, and the built-in server.
fn servers() -> Result<Vec<Server>> {
    let text =
        std::fs::read_to_string(SERVERS).with_context(|| format!("cannot read {SERVERS}"))?;
    let plan: toml::Table = text
        .parse()
        .with_context(|| format!("{SERVERS} is no plan"))?;
    let targets = plan.get("target").and_then(toml::Value::as_array);
    let targets = targets.with_context(|| format!("{SERVERS} has no targets"))?;
    let mut servers = Vec::new();
    for target in targets {
        let name = target.get("name").and_then(toml::Value::as_str);
        let name = name.with_context(|| format!("a target in {SERVERS} has no name"))?;
        servers.push(Server {
            name: name.to_owned(),
            target: in_a_plan(target)?,
        });
    }
    servers.push(Server {
        name: "built-in".to_owned(),
        target: "[[target]]\nname = \"built-in\"\nbuiltin = \"s3-memory\"\n".to_owned(),
    });
    Ok(servers)
}

fn in_a_plan(target: &toml::Value) -> Result<String> {
    let mut plan = toml::Table::new();
    plan.insert(
        "target".to_owned(),
        toml::Value::Array(vec![target.clone()]),
    );
    Ok(toml::to_string(&plan)?)
}

/// Runs one operation on one server for a short time.
fn try_out(tenbin: &Path, server: &Server, keys: &str, scratch: &Path) -> Result<Outcome> {
    let _ = std::fs::remove_dir_all(scratch);
    std::fs::create_dir_all(scratch)?;
    let defaults = [
        ("size", "size = \"1KiB\"\n"),
        ("objects", "objects = 200\n"),
    ];
    let defaults: String = defaults
        .iter()
        .filter(|(key, _)| !keys.lines().any(|line| line.starts_with(key)))
        .map(|(_, line)| *line)
        .collect();
    // The workload name must be a name for which the example creates rclone's directories.
    let plan = format!(
        "seed = 1\n[rounds]\ncount = 2\nslice = \"300ms\"\nwarmup = \"0s\"\n[load]\nconnections = 4\n\
         {}\n[[workload]]\nname = \"put-1KiB\"\nkind = \"s3\"\n{defaults}{keys}\n",
        server.target
    );
    let file = scratch.join("plan.toml");
    std::fs::write(&file, plan)?;
    let runs = scratch.join("runs");
    let output = Command::new(tenbin)
        .arg("run")
        .arg(&file)
        .arg("--out")
        .arg(&runs)
        .env("PATH", setup::path_with_servers()?)
        .output()
        .context("tenbin cannot be run")?;
    if output.status.code() == Some(1) {
        bail!("tenbin failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    outcome::of(&runs, &String::from_utf8_lossy(&output.stderr))
}

/// The table with a column per server, and footnotes with the reasons of failures.
fn table(servers: &[Server], rows: &[(&str, Vec<Outcome>)]) -> String {
    let names: Vec<&str> = servers.iter().map(|server| server.name.as_str()).collect();
    let mut text = format!("| operation | {} |\n", names.join(" | "));
    text += &format!("|---|{}\n", "---|".repeat(names.len()));
    let mut notes: Vec<&str> = Vec::new();
    for (name, cells) in rows {
        let cells = cells.iter().map(|cell| match cell.why() {
            None => cell.word().to_owned(),
            Some(why) => {
                let number = notes
                    .iter()
                    .position(|note| *note == why)
                    .unwrap_or_else(|| {
                        notes.push(why);
                        notes.len() - 1
                    });
                format!("{} ({})", cell.word(), number + 1)
            }
        });
        text += &format!("| {name} | {} |\n", cells.collect::<Vec<_>>().join(" | "));
    }
    for (at, note) in notes.iter().enumerate() {
        let gap = if at == 0 { "\n" } else { "" };
        text += &format!("{gap}{}. {note}\n", at + 1);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_tried() {
        let operations = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../crates/plan/src/work/s3/operation.rs"
        );
        let operations = std::fs::read_to_string(operations).unwrap();
        let rows = operations.lines().filter_map(|line| {
            let (_, name) = line.strip_suffix("\" {")?.split_once(" = \"")?;
            Some(name)
        });
        let tried = |name: &str| {
            let key = format!("operation = {name:?}");
            let mut keys = WORK.iter().flat_map(|(_, keys)| keys.lines());
            keys.any(|line| line == key)
        };
        let (tried, untried): (Vec<&str>, Vec<&str>) = rows.partition(|name| tried(name));
        assert!(tried.len() > 15, "{tried:?}");
        assert_eq!(untried, [""; 0]);
    }
}
