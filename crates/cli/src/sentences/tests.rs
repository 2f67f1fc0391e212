use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tenbin_compat::{Help, Mistakes, Parsed, Printer, World};
use tenbin_compat::{
    ab, blobstore_bench, drnbench, hsbench, publish_subscribe, request_response, warp, wrk,
};

use super::*;

/// Sentences with a plural in English, whose Japanese text has none.
const WITH_PLURAL: &[&str] = &["slices"];

/// The first lines of the tests of a file.
const TESTS: &str = "\n#[cfg(test)]\nmod tests {";

/// What the code of the workspace says of a sentence.
#[derive(Default)]
struct InCode {
    /// The words of the calls, among them the names of the arguments.
    words: BTreeSet<String>,
    /// The English texts, as they are written.
    texts: BTreeSet<String>,
}

/// All sentences in the code of the workspace by their ids.
fn in_code() -> BTreeMap<String, InCode> {
    let mut all = BTreeMap::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for member in std::fs::read_dir(crates).expect("the workspace").flatten() {
        read_directory(&member.path().join("src"), &mut all);
    }
    // `Sentence::verbatim` and `Sentence::fixed`, which do not use the macro.
    let verbatim: &mut InCode = all.entry("said".to_owned()).or_default();
    verbatim.words.insert("text".to_owned());
    verbatim.texts.insert("{text}".to_owned());
    all
}

fn read_directory(directory: &Path, all: &mut BTreeMap<String, InCode>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && path.ends_with("sentences") {
            continue;
        } else if path.is_dir() {
            read_directory(&path, all);
        } else if path.extension().is_some_and(|it| it == "rs") {
            let file = std::fs::read_to_string(&path).expect("code");
            let code = without_tests(&file);
            for (at, begin) in code.match_indices("sentence!(") {
                let call = &code[at + begin.len()..];
                if let Some((id, text)) = id_and_text(call) {
                    let sentence = all.entry(id).or_default();
                    sentence.words.extend(words(call));
                    sentence.texts.insert(text);
                }
            }
        }
    }
}

/// The code of a file before its tests, which say sentences of no catalogue.
fn without_tests(file: &str) -> &str {
    let (code, _) = file.split_once(TESTS).unwrap_or((file, ""));
    code
}

/// The first two arguments of a call, if both are string literals.
fn id_and_text(call: &str) -> Option<(String, String)> {
    let (id, rest) = literal(call)?;
    let (text, _) = literal(rest.trim_start().strip_prefix(',')?)?;
    Some((id, text))
}

/// The string literal at the start of the code, with its lines joined, and the code after it.
fn literal(code: &str) -> Option<(String, &str)> {
    let code = code.trim_start().strip_prefix('"')?;
    let mut is_escaped = false;
    let end = code.find(|c: char| {
        let is_end = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    })?;
    let mut lines = code[..end].split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    let text = lines.fold(first, |text, line| text + line.trim_start());
    Some((text, &code[end + 1..]))
}

/// The words from a call to the end of its function, among them the names in `name = value` and
/// `.with("name", …)`.
fn words(call: &str) -> impl Iterator<Item = String> {
    let rest = call.split("\n}\n").next().unwrap_or(call);
    let words = rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.map(str::to_owned)
}

/// The arguments that each Japanese text uses.
fn in_japanese() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut id = "";
    for line in SENTENCES.japanese.lines().filter(|it| !it.starts_with('#')) {
        if let Some((name, _)) = line.split_once(" =")
            && !name.starts_with(' ')
        {
            id = name;
            assert!(
                all.insert(id, BTreeSet::new()).is_none(),
                "{id} occurs twice"
            );
        }
        let used = line.split('$').skip(1).map(|rest| {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            &rest[..end.unwrap_or(rest.len())]
        });
        all.entry(id).or_default().extend(used);
    }
    all.remove("");
    all
}

#[test]
fn every_sentence_has_a_japanese_text_with_its_arguments() {
    let code = in_code();
    let texts = in_japanese();
    assert!(code.len() > 250, "{}", code.len());
    let missing: Vec<&String> = code
        .keys()
        .filter(|id| !texts.contains_key(id.as_str()))
        .collect();
    assert!(missing.is_empty(), "no text in Japanese: {missing:?}");
    let unused: Vec<&&str> = texts.keys().filter(|id| !code.contains_key(**id)).collect();
    assert!(unused.is_empty(), "no sentence has these texts: {unused:?}");
    for (id, used) in &texts {
        let unknown: Vec<&&str> = used
            .iter()
            .filter(|name| !code[*id].words.contains(**name))
            .collect();
        assert!(unknown.is_empty(), "{id} has no {unknown:?}");
    }
}

/// The Japanese text belongs to the id: a second English text would be printed with the meaning of
/// the first.
#[test]
fn every_id_has_one_english_text() {
    let differ: Vec<String> = in_code()
        .into_iter()
        .filter(|(id, it)| (it.texts.len() > 1) != WITH_PLURAL.contains(&id.as_str()))
        .map(|(id, it)| format!("{id}: {:?}", it.texts))
        .collect();
    assert!(differ.is_empty(), "{differ:#?}");
}

#[test]
fn every_text_is_printed() {
    for (id, used) in in_japanese() {
        let message = used
            .iter()
            .fold(Message::new(id), |message, name| message.with(name, "2"));
        let said = SENTENCES.say(&message, Language::Japanese);
        assert!(said.is_some_and(|text| !text.contains('$')), "{id}");
    }
}

#[test]
fn parts_are_printed_in_the_language_too_and_a_text_without_translation_stays_english() {
    let part = tenbin_plan::sentence!("slices", "{slices} slices", slices = 4);
    let whole = tenbin_plan::sentence!("removed", "removed {what}", what = part);
    let whole = whole.with_part("what", [part]);
    let japanese = |sentence: &Sentence| said_in(sentence, Language::Japanese);
    assert_eq!(japanese(&whole).as_deref(), Some("4 スライスを削除した"));
    assert_eq!(said_in(&whole, Language::English), None);
    let unknown = tenbin_plan::sentence!("removed", "removed {what}", what = "x");
    let unknown = unknown.with_part("what", ["something else".into()]);
    assert_eq!(japanese(&unknown), None);
}

/// Notes of flags are fixed texts, which stand in another table.
#[test]
fn every_note_on_a_flag_of_another_tool_is_translated() {
    let mut notes = 0;
    for spelling in tenbin_compat::SPELLINGS {
        for flag in spelling.flags.iter().copied().flatten() {
            if let Some(note) = flag.note() {
                notes += 1;
                assert!(fixed(note).is_some(), "{}: {note}", flag.name);
            }
        }
    }
    assert!(notes > 5, "{notes}");
}

/// The code of the files below a directory.
fn code_below(directory: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(directory).expect("code").flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(code_below(&path));
        } else {
            all.push(std::fs::read_to_string(&path).expect("code"));
        }
    }
    all
}

/// The fixed text that a call in the code of a reader gives as the reason; `None` for another reason,
/// and for the state of a JSON member, which no translation repeats.
fn fixed_reason(name: &str, call: &str) -> Option<String> {
    let argument = match name {
        "Fault::in_line(" => call.split_once(',')?.1,
        _ => call,
    };
    let (text, _) = literal(argument)?;
    let is_of_member = ["no ", "under ", "neither "];
    let is_of_member = is_of_member.iter().any(|begin| text.starts_with(begin));
    (!is_of_member).then(|| text.replace("\\\"", "\""))
}

#[test]
fn every_fixed_reason_why_a_file_cannot_be_read_is_translated() {
    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/src/formats");
    let mut reasons = BTreeSet::new();
    for file in code_below(&formats) {
        let code = without_tests(&file);
        for name in ["Fault::of_the_file(", "Fault::in_line(", ".fault("] {
            let calls = code.match_indices(name);
            reasons
                .extend(calls.filter_map(|(at, _)| fixed_reason(name, &code[at + name.len()..])));
        }
    }
    assert!(reasons.len() > 70, "{}", reasons.len());
    let missing: Vec<&String> = reasons
        .iter()
        .filter(|text| fixed(text).is_none())
        .collect();
    assert!(missing.is_empty(), "no text in Japanese: {missing:#?}");
}

fn help_of<Job>(parsed: Result<Parsed<Job>, Mistakes>) -> Help {
    match parsed {
        Ok(Parsed::Help(help)) => help,
        Ok(_) | Err(_) => panic!("no help"),
    }
}

/// The help of every command line of another tool.
fn helps() -> Vec<Help> {
    let world = World {
        variable: &|_| None,
        read: &|_| Err(std::io::ErrorKind::NotFound.into()),
    };
    let ask = ["--help".to_owned()];
    let mut helps = vec![
        help_of(ab::parse(&ask, &world)),
        help_of(wrk::parse(&ask, &world)),
        help_of(wrk::parse_wrk2(&ask, &world)),
        help_of(hsbench::parse(&ask, &world)),
        help_of(blobstore_bench::parse(&ask, &world)),
        help_of(request_response::parse(&ask, &world)),
        help_of(publish_subscribe::parse(&ask, &world)),
    ];
    for helper in drnbench::HELPERS {
        match helper.parse(&ask, &world) {
            Ok(drnbench::Parsed::Help(help)) => helps.push(help),
            other => panic!("{}: {other:?}", helper.name),
        }
    }
    let commands = warp::COMMANDS.iter();
    let commands = commands.filter(|command| command.task != warp::Task::None);
    let lines = commands.map(|command| vec![command.name.to_owned(), ask[0].clone()]);
    for line in lines.chain([Vec::new()]) {
        match warp::parse(&line, &world) {
            Ok(warp::Parsed::Help(help)) => helps.push(help),
            other => panic!("{line:?}: {other:?}"),
        }
    }
    helps
}

#[test]
fn the_help_of_every_command_line_of_another_tool_is_translated() {
    let missing = RefCell::new(BTreeSet::new());
    let said = RefCell::new(0);
    let printer = Printer {
        say: &|sentence: &Sentence| {
            *said.borrow_mut() += 1;
            said_in(sentence, Language::Japanese).unwrap_or_else(|| {
                missing.borrow_mut().insert(sentence.to_string());
                String::new()
            })
        },
        wrap: &|text: &str, _: usize| text.to_owned(),
    };
    for help in helps() {
        help.printed(&printer);
    }
    let missing = missing.borrow();
    assert!(missing.is_empty(), "no text in Japanese: {missing:#?}");
    assert!(*said.borrow() > 1_000, "{}", said.borrow());
}
