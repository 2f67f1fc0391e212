//! What to do if a container does not start: the client of its engine says the cause in its output.

use tenbin_plan::{Reach, Ready, Sentence, Target, sentence};

use crate::error::ExitStatus;

/// Number of digits of a container's id, which a client prints for a container in the background.
const ID: usize = 64;
/// Number of digits that name a container.
const SHORT_ID: usize = 12;

/// The client of the container that a target is; `None` for other targets.
pub(super) fn client_of(target: &Target) -> Option<&'static str> {
    match &target.reach {
        Reach::Launched(launch) => launch.container_client(),
        _ => None,
    }
}

/// What to do about a container whose client ended with a status and this output; `None` for other
/// targets and other causes.
pub(super) fn after_end(target: &Target, status: ExitStatus, tail: &[String]) -> Option<Sentence> {
    let client = client_of(target)?;
    let last = tail.last().map_or("", |line| line.trim());
    let is_id = last.len() == ID && last.bytes().all(|byte| byte.is_ascii_hexdigit());
    if status == ExitStatus::Code(0) && is_id {
        return Some(sentence!(
            "container-in-background",
            "the container keeps running in the background; stop the container with {client} stop {id}, \
             and remove -d (--detach), so that Tenbin can stop the server",
            client,
            id = last.get(..SHORT_ID).unwrap_or(last)
        ));
    }
    // Any other status is that of the program in the container, which can print the same words.
    let is_of_client = client == "nerdctl" || matches!(status, ExitStatus::Code(125..=127));
    is_of_client
        .then(|| of_output(client, &tail.join("\n").to_lowercase()))
        .flatten()
}

/// Whether the output of a client has one of these texts.
fn says(output: &str, texts: &[&str]) -> bool {
    texts.iter().any(|text| output.contains(text))
}

/// What to do about the cause that a client says, in lower case.
fn of_output(client: &str, output: &str) -> Option<Sentence> {
    if says(output, &["permission denied while trying to connect"]) {
        Some(sentence!(
            "container-not-allowed",
            "this user may not use {client}; add the user to the group {client}, or use podman",
            client
        ))
    } else if says(
        output,
        &[
            "cannot connect to the docker", "cannot connect to podman", "daemon running?",
        ],
    ) {
        let service = match client {
            "nerdctl" => "containerd",
            "podman" => "podman.socket",
            other => other,
        };
        Some(sentence!(
            "container-no-daemon",
            "the daemon of {client} cannot be reached; start the daemon, for example with \
             systemctl start {service}",
            client,
            service
        ))
    } else if says(
        output,
        &[
            "pull access denied", "repository does not exist", "manifest unknown",
            "not found: manifest", "unauthorized", "toomanyrequests", "no such image",
        ],
    ) {
        Some(sentence!(
            "container-no-image",
            "the image cannot be pulled; check its name and its tag, log in with {client} login, or \
             build the image before the run",
            client
        ))
    } else if says(output, &["port is already allocated"]) {
        Some(sentence!(
            "container-port-taken",
            "another container has the port; publish a free port that Tenbin chooses, as in -p \
             {{port}}:80"
        ))
    } else if says(
        output,
        &["is already in use by container", "name is already in use"],
    ) {
        Some(sentence!(
            "container-name-taken",
            "another container has the name; remove --name, because a target starts several times"
        ))
    } else {
        None
    }
}

/// Whether readiness depends on a published port: not with the network of the host, and not if the output
/// of the server decides.
fn is_published(target: &Target) -> bool {
    let Reach::Launched(launch) = &target.reach else {
        return false;
    };
    let is_of_host =
        |word: &String| matches!(word.as_str(), "--network=host" | "--net=host" | "host");
    !matches!(launch.ready, Ready::Log(_)) && !launch.command.iter().any(is_of_host)
}

/// What to do about a container that does not become ready; `None` for other targets.
pub(super) fn not_ready(target: &Target, tail: &[String]) -> Option<Sentence> {
    let client = client_of(target)?;
    let output = tail.join("\n").to_lowercase();
    let is_pulling = says(
        &output,
        &["unable to find image", "pulling from", "trying to pull"],
    );
    if is_pulling
        && !says(
            &output,
            &[
                "downloaded newer image",
                "writing manifest to image destination",
            ],
        )
    {
        return Some(sentence!(
            "container-pulling",
            "the image is still being pulled; pull the image before the run with {client} pull, or \
             raise --ready-within",
            client
        ));
    }
    if !is_published(target) {
        return None;
    }
    Some(sentence!(
        "container-unpublished",
        "check that -p {{port}}:PORT has the port of the server in the container, and that the \
         server listens on 0.0.0.0 there"
    ))
}
