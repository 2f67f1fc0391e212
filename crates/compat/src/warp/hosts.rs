//! `--host`.

use tenbin_plan::sentence;

use crate::mistakes::unreadable;
use crate::parse::{Given, World};

/// The hosts in the given order. Braces are kept, because the plan expands them.
pub(super) fn read(given: &mut Given, world: &World<'_>) -> Vec<String> {
    let mut hosts = Vec::new();
    let text = given.text("host").to_owned();
    for part in pieces(&text) {
        match part.strip_prefix("file:") {
            None => hosts.push(part.to_owned()),
            Some(file) => match (world.read)(file) {
                Ok(lines) => hosts.extend(pieces(&lines).map(str::to_owned)),
                Err(error) => {
                    given.wrong("host", unreadable(file, &error));
                }
            },
        }
    }
    if let Some(wrong) = hosts.iter().find(|host| host.contains(['/', '@', ' '])) {
        let why = sentence!(
            "warp-no-host",
            "{wrong:?} is not a host with a port; write for example \"127.0.0.1:9000\", and --tls \
             for https",
            wrong
        );
        given.wrong("host", why);
    } else if hosts.is_empty() {
        let why = sentence!(
            "warp-empty-host",
            "is empty; write for example \"127.0.0.1:9000\""
        );
        given.wrong("host", why);
    }
    hosts
}

fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', '\n'])
        .map(str::trim)
        .filter(|piece| !piece.is_empty())
}
