//! How the command lines of other tools spell the flags that Tenbin's messages name.

use std::borrow::Cow;

use tenbin_plan::{Sentence, sentence};

use crate::flag::Flag;
use crate::same;

/// The flags of a tool, for messages to its users.
#[derive(Debug, Clone, Copy)]
pub struct Spelling {
    /// The command of Tenbin that accepts the tool's command line.
    pub command: &'static str,
    /// Every flag of the tool.
    pub flags: &'static [&'static [Flag]],
    /// The command of Tenbin that has all flags.
    pub instead: &'static str,
}

/// The tools with requests.
pub const SPELLINGS: &[Spelling] = &[
    Spelling {
        command: "wrk",
        flags: crate::wrk::FLAGS,
        instead: "tenbin http",
    },
    Spelling {
        command: "wrk2",
        flags: crate::wrk::FLAGS,
        instead: "tenbin http",
    },
    Spelling {
        command: "ab",
        flags: crate::ab::FLAGS,
        instead: "tenbin http",
    },
    Spelling {
        command: "hsbench",
        flags: crate::hsbench::FLAGS,
        instead: "tenbin s3",
    },
    Spelling {
        command: "warp",
        flags: crate::warp::FLAGS,
        instead: "tenbin s3",
    },
    Spelling {
        command: "blobstore-bench",
        flags: crate::blobstore_bench::FLAGS,
        instead: "tenbin blob",
    },
    Spelling {
        command: "drnbench-request-response",
        flags: crate::request_response::FLAGS,
        instead: "tenbin search ramp",
    },
];

impl Spelling {
    /// The spelling of the tool with this command.
    pub fn for_command(command: &str) -> Option<&'static Self> {
        SPELLINGS
            .iter()
            .find(|spelling| spelling.command == command)
    }

    /// The message with the tool's own flags in place of Tenbin's. If the tool has no such flag, the
    /// message says which command has the flag. `added` returns whether Tenbin adds a flag to the
    /// flags of the tool, and `say` a sentence in the language of the message.
    pub fn spell<'a>(
        &self,
        message: &'a str,
        added: impl Fn(&str) -> bool,
        say: impl Fn(&Sentence) -> String,
    ) -> Cow<'a, str> {
        let mut text = String::with_capacity(message.len());
        let mut missing: Vec<&str> = Vec::new();
        let mut rest = message;
        while let Some(at) = rest.find("--") {
            let (before, from) = rest.split_at(at);
            let length = from.len() - from.trim_start_matches(is_flag_char).len();
            let length = from[..length].trim_end_matches(['.', '-']).len().max(2);
            let (flag, after) = from.split_at(length);
            text.push_str(before);
            rest = after;
            // The flags of a complete command line are those of its command.
            let is_of_command = last_clause(&text).contains("tenbin ");
            let is_flag = flag.len() > 2 && !before.ends_with(is_flag_char);
            let own = same::own_flag(self.command, flag);
            match own {
                Some(own) if is_flag && !is_of_command => text.push_str(own),
                _ => {
                    let is_known = self.has(flag) || added(flag) || is_of_command || !is_flag;
                    if !is_known && !missing.contains(&flag) {
                        missing.push(flag);
                    }
                    text.push_str(flag);
                }
            }
        }
        text.push_str(rest);
        if !missing.is_empty() {
            let are = if missing.len() == 1 {
                "is a flag"
            } else {
                "are flags"
            };
            text.push_str(&say(&sentence!(
                "front-flag-elsewhere",
                " ({flags} {are} of `{instead}`, not of `tenbin {command}`)",
                flags = missing.join(", "),
                are,
                instead = self.instead,
                command = self.command
            )));
        }
        if text == message {
            Cow::Borrowed(message)
        } else {
            Cow::Owned(text)
        }
    }

    fn has(&self, flag: &str) -> bool {
        let name = flag.trim_start_matches('-');
        let mut flags = self.flags.iter().copied().flatten();
        name.len() > 1 && flags.any(|flag| flag.name == name)
    }
}

fn is_flag_char(c: char) -> bool {
    c == '-' || c == '.' || c.is_ascii_lowercase() || c.is_ascii_digit()
}

/// The text after the last end of a clause.
fn last_clause(text: &str) -> &str {
    let end = text.rfind([';', '→', ',', '(']).unwrap_or(0);
    &text[end..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(command: &str, message: &str) -> String {
        let spelling = Spelling::for_command(command).expect(command);
        spelling
            .spell(message, |flag| flag == "--observe", ToString::to_string)
            .into_owned()
    }

    #[test]
    fn messages_name_flags_of_the_tool_or_the_command_that_has_them() {
        for (command, message, expected) in [
            (
                "ab",
                "use more --connections: the number is the limit",
                "use more -c: the number is the limit",
            ),
            ("wrk", "use more --connections", "use more --connections"),
            (
                "wrk",
                "correct the URL, or accept the status with --expect 404",
                "correct the URL, or accept the status with --expect 404 (--expect is a flag of \
                 `tenbin http`, not of `tenbin wrk`)",
            ),
            (
                "ab",
                "run longer with --rounds 12 --slice 1s, or --rounds 16",
                "run longer with --rounds 12 --slice 1s, or --rounds 16 (--rounds, --slice are flags of \
                 `tenbin http`, not of `tenbin ab`)",
            ),
            ("ab", "add --observe port", "add --observe port"),
            (
                "warp",
                "run without --ops-log, or without agents",
                "run without --full, or without agents",
            ),
            (
                "wrk",
                "for all of it, run `tenbin http URL --verify`",
                "for all of it, run `tenbin http URL --verify`",
            ),
            ("ab", "no flag here -- at all", "no flag here -- at all"),
        ] {
            assert_eq!(spelled(command, message), expected, "{command}");
        }
    }

    #[test]
    fn every_spelling_is_a_flag_of_the_tool() {
        for spelling in SPELLINGS {
            for (ours, own) in same::flags(spelling.command) {
                let name = own.trim_start_matches('-');
                let mut flags = spelling.flags.iter().copied().flatten();
                assert!(
                    flags.any(|flag| flag.is_called(name)),
                    "{}: {own}",
                    spelling.command
                );
                assert!(
                    !spelling.has(ours),
                    "{}: {ours} is its own flag",
                    spelling.command
                );
            }
        }
    }
}
