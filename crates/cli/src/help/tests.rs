use std::collections::BTreeSet;

use super::*;

/// The commands that print help in every language, with their subcommands.
const MAIN: &[&str] = &[
    "quickstart", "http", "s3", "blob", "search", "run", "gate", "rerun", "list", "history",
    "label", "rm", "prune", "init", "bisect", "show", "report", "compare", "import", "lint",
    "chart", "explain", "pack", "verify", "plan", "doctor", "clean", "agent", "agents",
    "completions", "man", "serve", "observe", "hub", "ui", "note",
];

fn each(command: &Command, path: &str, all: &mut Vec<(String, Command)>) {
    all.push((path.to_owned(), command.clone()));
    for sub in command
        .get_subcommands()
        .filter(|it| it.get_name() != "help")
    {
        each(sub, &format!("{path} {}", sub.get_name()), all);
    }
}

fn main_commands() -> Vec<(String, Command)> {
    let mut whole = args::command();
    whole.build();
    let mut all = Vec::new();
    for name in MAIN {
        each(
            whole.find_subcommand(name).expect("a command"),
            name,
            &mut all,
        );
    }
    all
}

/// What a translation keeps: flags, placeholders and addresses.
fn names(text: &str) -> BTreeSet<&str> {
    let words =
        text.split(|c: char| c.is_whitespace() || !c.is_ascii() || "()[],;'\"`".contains(c));
    let words = words.map(|word| word.trim_end_matches(['.', ':']));
    words
        // The list of formats is in a document.
        .filter(|word| *word != "--help")
        .filter(|word| word.starts_with("--") || word.starts_with('{') || word.contains("://"))
        .collect()
}

#[test]
fn every_text_of_the_main_commands_is_translated_and_keeps_names_and_defaults() {
    let texts = Catalogue::of(Language::Japanese).expect("a catalogue");
    let mut missing = BTreeSet::new();
    let all = main_commands();
    assert!(all.len() > 35, "{}", all.len());
    for (path, command) in &all {
        if texts.about(path).is_none() {
            missing.insert(format!("command {path}"));
        }
        let after = command.get_after_long_help();
        if let Some(after) = after.or(command.get_after_help())
            && texts.after(path, &after.to_string()).is_none()
        {
            missing.insert(format!("after {path}"));
        }
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let english = args::whole_help(arg);
            if arg.get_long_help().is_some() && texts.brief(arg).is_none() {
                missing.insert(format!("brief {arg}"));
            }
            let heading = arg.get_help_heading().unwrap_or("Options");
            if texts.heading(heading).is_none() {
                missing.insert(format!("heading {heading}"));
            }
            let Some(japanese) = texts.option(arg, path) else {
                missing.insert(format!("option {arg} / {path}: {english}"));
                continue;
            };
            let named = names(&english);
            let lost: Vec<_> = named.difference(&names(japanese)).copied().collect();
            if !lost.is_empty() {
                missing.insert(format!("{lost:?} of option {arg} / {path}: {english}"));
            }
            if english.contains("[default: ") && !japanese.contains("[既定: ") {
                missing.insert(format!("default of option {arg} / {path}: {english}"));
            }
        }
    }
    let missing: Vec<String> = missing.into_iter().collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// A sentence that was not translated has four plain words in a row. Lists of values have commas.
#[test]
fn help_in_japanese_has_no_english_sentence() {
    for (path, _) in main_commands() {
        let words = ["tenbin"]
            .into_iter()
            .chain(path.split(' '))
            .chain(["--help"]);
        let arguments: Vec<OsString> = words.map(OsString::from).collect();
        let page = page(&arguments, Language::Japanese);
        let page = page
            .unwrap_or_else(|| panic!("{path} lacks a text"))
            .to_string();
        let examples = page.find("\n例:").unwrap_or(page.len());
        let mut plain = 0;
        for word in page[..examples].split_inclusive(' ') {
            let is_plain = word.trim().len() > 1
                && word
                    .trim()
                    .chars()
                    .all(|letter| letter.is_ascii_lowercase());
            plain = if is_plain { plain + 1 } else { 0 };
            assert!(plain < 4, "{path}: …{word}… in\n{page}");
        }
        assert!(page.contains("使い方: tenbin"), "{page}");
    }
}

#[test]
fn the_first_page_is_translated_and_english_stays_with_clap() {
    let arguments = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
    let page = |line: &str| super::page(&arguments(line), Language::Japanese);
    let first = page("tenbin --help").expect("a page").to_string();
    assert!(
        first.contains("測定と比較:") && first.contains("quickstart"),
        "{first}"
    );
    assert!(
        page("tenbin wrk --help").is_none(),
        "it is the text of another tool"
    );
    assert!(super::page(&arguments("tenbin --help"), Language::English).is_none());
    let of_help = page("tenbin help s3 get").map(|it| it.to_string());
    assert_eq!(
        of_help,
        page("tenbin s3 get --help").map(|it| it.to_string())
    );
}

fn in_english(line: &str) -> String {
    let asked = args::command().try_get_matches_from(line.split(' '));
    asked.expect_err("help is no command").to_string()
}

fn in_japanese(line: &str) -> String {
    let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
    page(&arguments, Language::Japanese)
        .expect("a page")
        .to_string()
}

#[test]
fn the_short_help_has_the_frequent_options_only() {
    for command in ["http", "s3 get", "s3 mixed", "blob", "search ramp"] {
        for help in [in_english, in_japanese] {
            let short = help(&format!("tenbin {command} -h"));
            let long = help(&format!("tenbin {command} --help"));
            assert!(short.lines().count() <= 62, "{short}");
            assert!(short.contains("  tenbin "), "an example: {short}");
            assert!(long.lines().count() > 250, "{long}");
            assert!(
                short.contains("--duration") && !short.contains("--tls-resume"),
                "{short}"
            );
            assert!(
                short.contains("--help") && long.contains("--tls-resume"),
                "{short}"
            );
        }
    }
}

#[test]
fn the_short_help_in_a_gate_or_a_bisect_begins_with_their_options() {
    let gate = [
        "--base-rev", "--candidate-rev", "--build", "--margin", "--budget", "--cannot-tell",
    ];
    let bisect = ["--good", "--bad", "--build", "--margin", "--certainty"];
    for (outer, own) in [("gate", &gate[..]), ("bisect", &bisect)] {
        for command in ["http", "s3 get", "blob", "run"] {
            for help in [in_english, in_japanese] {
                let short = help(&format!("tenbin {outer} {command} -h"));
                for option in own {
                    assert!(short.contains(option), "{option}: {short}");
                }
                let example = format!("  tenbin {outer} {command} ");
                assert!(short.contains(&example), "{short}");
                assert!(short.find(own[0]) < short.find("--quiet"), "{short}");
            }
        }
    }
}
