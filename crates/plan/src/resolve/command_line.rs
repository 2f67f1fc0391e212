//! The command line of a server that Tenbin starts: split into words as a shell does, without a
//! shell.

use crate::keys::scalar::{At, Entries, List, Scalar};
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::secrets::placeholders;
use crate::target::TargetDraft;
use crate::{Sentence, sentence};

/// Words that mean something to a shell only.
const OPERATORS: [&str; 11] = [
    "&&", "||", "|", ";", "&", ">", ">>", "<", "2>&1", "2>", "&>",
];
/// Commands of a shell that are no programs.
const BUILT_IN: [&str; 5] = ["cd", "export", "source", ".", "ulimit"];

/// Moves the variables before a command line to the environment, where secrets are looked for.
pub(super) fn move_variables(resolver: &mut Resolver<'_>, draft: &mut TargetDraft) {
    let Some(At {
        value: List::One(Scalar::Text(line)),
        place,
    }) = &mut draft.command
    else {
        return;
    };
    let place = *place;
    let mut rest = line.trim_start();
    let mut variables = Vec::new();
    while let Some(raw) = unquoted(rest).next()
        && let Some([word]) = shlex::split(raw).as_deref()
        && let Some((name, value)) = variable(word)
    {
        variables.push((name.to_owned(), value.to_owned()));
        rest = rest[raw.len()..].trim_start();
    }
    if variables.is_empty() {
        return;
    }
    *line = rest.to_owned();
    let env = draft.env.get_or_insert_with(|| At {
        value: Entries::default(),
        place,
    });
    for (name, value) in variables {
        if env.value.0.iter().any(|(known, _)| *known == name) {
            let message = sentence!(
                "set-twice-in-env",
                "sets {name}, and so does env; leave one out",
                name
            );
            resolver.wrong(place, "command", message);
        } else {
            let value = At {
                value: Scalar::Text(value),
                place,
            };
            env.value.0.push((name, value));
        }
    }
}

/// The words of a command; `None` if they are wrong, which is reported.
pub(super) fn of(
    resolver: &mut Resolver<'_>,
    list: &At<List>,
    swept: &[&str],
) -> Option<Vec<String>> {
    match read(list, swept) {
        Ok(words) => Some(words),
        Err((place, message)) => {
            resolver.wrong(place, "command", message);
            None
        }
    }
}

type Wrong = (Place, Sentence);

fn read(list: &At<List>, swept: &[&str]) -> Result<Vec<String>, Wrong> {
    let mut words = Vec::new();
    for At { value, place } in list.items() {
        let text = value.text().map_err(|message| (place, message))?;
        words.push((place, text.to_owned()));
    }
    let is_line = matches!(list.value, List::One(_));
    if is_line {
        words = split(words)?;
    }
    for (place, word) in &words {
        placeholders::check(word, swept).map_err(|message| (*place, message))?;
        if placeholders::names(word).any(|name| name == "secret_key") {
            let message = sentence!(
                "secret-in-command",
                "{{secret_key}} is not allowed in a command, which every user of the machine \
                    can read; pass it in env"
            );
            return Err((*place, message.to_owned()));
        }
        if word.contains('\0') {
            return Err((*place, sentence!("has-nul", "contains a NUL character")));
        }
    }
    let words: Vec<String> = words.into_iter().map(|(_, word)| word).collect();
    match words.first() {
        Some(program) if is_line && BUILT_IN.contains(&program.as_str()) => {
            Err((list.place, needs_shell(program)))
        }
        Some(program) if !program.is_empty() => Ok(words),
        _ => Err((list.place, sentence!("no-program", "names no program"))),
    }
}

/// Splits a command line into words as a shell does, without expanding anything.
fn split(lines: Vec<(Place, String)>) -> Result<Vec<(Place, String)>, Wrong> {
    let mut words = Vec::new();
    for (place, line) in lines {
        let split = shlex::split(&line).ok_or_else(|| {
            (
                place,
                sentence!(
                    "open-quote",
                    "{line:?} has a quote that is never closed",
                    line
                ),
            )
        })?;
        if let Some(operator) = unquoted(&line).find(|word| OPERATORS.contains(word)) {
            return Err((place, needs_shell(operator)));
        }
        words.extend(split.into_iter().map(|word| (place, word)));
    }
    Ok(words)
}

fn needs_shell(word: &str) -> Sentence {
    sentence!(
        "needs-shell",
        "{word:?} is for a shell, and the command runs without one; set variables with \
            --launch-env, the directory with --launch-dir, or start a shell: sh -c '…'",
        word
    )
}

/// The words of a line outside of quotes, with the quotes of partly quoted words.
fn unquoted(line: &str) -> impl Iterator<Item = &str> {
    let (mut quote, mut is_escaped) = (None, false);
    line.split(move |letter: char| {
        let was_escaped = std::mem::take(&mut is_escaped);
        match (quote, letter) {
            (Some(open), close) if open == close && !was_escaped => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => is_escaped = !was_escaped,
            (None, '"' | '\'') if !was_escaped => quote = Some(letter),
            _ => {}
        }
        quote.is_none() && !was_escaped && letter.is_whitespace()
    })
}

/// Name and value, if the word sets an environment variable.
fn variable(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_start = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    let is_name = name.starts_with(is_start)
        && name
            .chars()
            .all(|letter| is_start(letter) || letter.is_ascii_digit());
    is_name.then_some((name, value))
}
