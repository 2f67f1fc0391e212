//! `tenbin search status`.

use std::time::{Duration, Instant};

use tenbin_corpus::Error;
use tenbin_corpus::status::{Node, nodes};
use tenbin_plan::{Sentence, sentence};

use super::stop;
use crate::args::SearchStatusArgs;
use crate::exit::Exit;
use crate::output;
use crate::sentences::said;

/// Interval between two checks.
const AGAIN: Duration = Duration::from_millis(250);

/// Prints every node, and whether the number of nodes is as expected.
pub(super) fn status(args: &SearchStatusArgs) -> Result<Exit, Error> {
    let login = args.login.read().map_err(Error::Refused)?;
    let stop = stop()?;
    let start = Instant::now();
    let (found, complaint) = loop {
        let found = nodes(args.of, &args.servers, &login)?;
        let complaint = complaint(&found, args.expect);
        if complaint.is_none() || start.elapsed() >= args.wait.0 || stop.is_asked() {
            break (found, complaint);
        }
        std::thread::sleep(AGAIN);
    };
    let line = |node: &Node| {
        let state = if node.alive { "alive" } else { "dead" };
        let name = tenbin_report::for_terminal(&node.name);
        let note = tenbin_report::for_terminal(&said(&node.note));
        format!("{state:<6} {name}  {note}\n")
    };
    let text: String = found.iter().map(line).collect();
    output::print_text(&text);
    match complaint {
        None => Ok(Exit::Done),
        Some(complaint) => {
            output::say_error(&complaint);
            Ok(Exit::Target)
        }
    }
}

/// Describes what differs from the expectation.
fn complaint(found: &[Node], expected: Option<usize>) -> Option<Sentence> {
    let alive = found.iter().filter(|node| node.alive).count();
    let dead: Vec<&str> = found
        .iter()
        .filter(|node| !node.alive)
        .map(|node| node.name.as_str())
        .collect();
    if !dead.is_empty() {
        return Some(sentence!(
            "nodes-dead",
            "{alive} of {found} nodes are alive; not {dead}",
            alive,
            found = found.len(),
            dead = dead.join(", ")
        ));
    }
    match expected {
        Some(expected) if expected != alive => Some(sentence!(
            "nodes-unexpected",
            "{alive} nodes are alive, and {expected} were expected",
            alive,
            expected
        )),
        _ if alive == 0 => Some(sentence!(
            "nodes-none",
            "the servers reported no nodes; check --server and --of"
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_missing_and_surplus_nodes_are_told() {
        let node = |name: &str, alive: bool| Node {
            name: name.to_owned(),
            alive,
            note: Sentence::default(),
        };
        let both = [node("a", true), node("b", true)];
        assert_eq!(complaint(&both, None), None);
        assert_eq!(complaint(&both, Some(2)), None);
        for expected in [1, 3] {
            let text = complaint(&both, Some(expected)).unwrap();
            assert_eq!(
                text.to_string(),
                format!("2 nodes are alive, and {expected} were expected")
            );
        }
        let one = [node("a", true), node("b", false)];
        let text = complaint(&one, Some(1)).unwrap();
        assert_eq!(text, "1 of 2 nodes are alive; not b");
        assert!(complaint(&[], None).is_some());
    }
}
