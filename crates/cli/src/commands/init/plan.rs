//! The text of the plan file, with comments for whoever edits it.

use tenbin_plan::{SCHEMA_DIRECTIVE, toml_text};

use crate::args::{GoalKind, ServerKind};
use crate::commands::init::answers::{Answers, Server};

/// The text of the plan.
pub(super) fn text(answers: &Answers) -> String {
    let mut text = format!("{SCHEMA_DIRECTIVE}{}", header(answers));
    text += load(answers);
    if let Some(slo) = &answers.slo {
        text += &format!("slo = {}\n", toml_text(slo));
    }
    text += "\n# The servers. The others are compared with the first.\n";
    for (name, server) in answers.servers() {
        text += &target(name, server, answers.kind);
    }
    text + &workload(answers)
}

fn header(answers: &Answers) -> String {
    let (command, more) = match (answers.is_gate(), answers.is_of_revisions()) {
        (false, _) => ("tenbin run", ""),
        (true, false) => ("tenbin gate run", ""),
        (true, true) => (
            "tenbin gate run",
            " --base-rev main --build COMMAND\n# (`tenbin run` measures the server once, without a gate)",
        ),
    };
    let mut text = format!(
        "# A Tenbin plan. Run it with: {command} <this file>{more}\n\
         # Every key is described in docs/plan-file.md. `tenbin plan file <this file>` prints the plan with\n\
         # every default filled in.\n"
    );
    if answers.is_gate() {
        text += "\n# How much worse the candidate may be.\nmargin = \"5%\"\n";
    }
    text
}

/// The tables of rounds, load and gate.
fn load(answers: &Answers) -> &'static str {
    match (answers.goal, answers.second.is_some()) {
        (GoalKind::Compare, true) => {
            "\n[rounds]\n\
             # A round has a slice of each server. More rounds make the interval of the ratio narrower.\n\
             count = 16\n\
             slice = \"2s\"\n\
             # until = \"±2%\" # measure until the ratio is known this precisely\n\
             \n[load]\n\
             connections = 16\n\
             # rate = \"1000/s\" # send at this rate; without it, each connection sends its next request\n\
             #                   after the response\n"
        }
        (GoalKind::Compare, false) => {
            "\n[rounds]\n\
             count = 8\n\
             slice = \"2s\"\n\
             \n[load]\n\
             connections = 16\n\
             # ramp = \"1..256\" # instead of connections: find the number above which throughput stops\n\
             #                  rising\n"
        }
        (GoalKind::Rate, _) => {
            "\n[load]\n\
             # The highest rate is searched at which all of these limits hold.\n"
        }
        (GoalKind::Gate, true) => {
            "\n[gate]\n\
             # Longest time of the measurement; a clear result ends the gate sooner.\n\
             budget = \"10m\"\n\
             # figures = [\"throughput\", \"p99=10%\"] # all must pass, each with its margin\n\
             \n[load]\n\
             connections = 16\n"
        }
        (GoalKind::Gate, false) => "\n[load]\nconnections = 16\n",
    }
}

fn target(name: &str, server: &Server, kind: ServerKind) -> String {
    let mut text = format!("[[target]]\nname = {}\n", toml_text(name));
    match server {
        Server::Url(url) => {
            text += &format!("url = {}\n", toml_text(url));
            if kind == ServerKind::S3 {
                text += "access_key_env = \"TENBIN_ACCESS_KEY\"\n\
                         secret_key_env = \"TENBIN_SECRET_KEY\"\n";
            }
        }
        Server::Command(command) => {
            text += &format!(
                "# Tenbin starts the server in the directory of this file, and stops it after the run.\n\
                 command = {}\n",
                toml_text(command)
            );
        }
    }
    text + "\n"
}

fn workload(answers: &Answers) -> String {
    let request = answers.request.as_deref();
    let keys = match answers.kind {
        ServerKind::Http => {
            let more = "# method = \"POST\"\n# headers = [\"Accept: application/json\"]\n\
                        # body = '{\"name\": \"value\"}'\n# patterns = \"requests.txt\" # many requests instead\n";
            format!("kind = \"http\"\n{}{more}", path(request))
        }
        ServerKind::Search => {
            let more =
                "# patterns = \"terms.txt\" # many searches instead of one: docs/search.md\n";
            format!("kind = \"http\"\n{}{more}", path(request))
        }
        ServerKind::S3 => format!(
            "kind = \"s3\"\noperation = {}\nsize = \"64KiB\"\n# bucket = \"tenbin-bench\"\n",
            toml_text(request.unwrap_or("get"))
        ),
        ServerKind::Blob => format!(
            "kind = \"blob\"\noperation = {}\nsize = \"64KiB\"\n",
            toml_text(request.unwrap_or("pgd"))
        ),
    };
    format!("# What is sent to every server.\n[[workload]]\n{keys}")
}

fn path(request: Option<&str>) -> String {
    match request {
        Some(path) => format!("path = {}\n", toml_text(path)),
        None => "# path = \"/items?id=1\" # otherwise that of each URL\n".to_owned(),
    }
}
