//! Every flag of every command that measures has an effect or is refused, for every way to name a
//! target. The flags are those that clap knows; a new flag is tested without a change here, except
//! a row in `every_flag/values.rs` if its type does not tell a value.

mod every_flag {
    pub(crate) mod fronts;
    pub(crate) mod measuring;
    pub(crate) mod values;
}

use std::collections::{BTreeMap, BTreeSet};

use every_flag::fronts;
use every_flag::measuring::{Effect, FlagOf, Measuring};
use every_flag::values::{FREE, OUTSIDE, VALUES};

#[test]
fn every_flag_has_an_effect_or_is_refused() {
    let measuring = Measuring::new();
    let mut silent = Vec::new();
    let mut unnamed = BTreeMap::new();
    let mut effects: BTreeMap<String, bool> = BTreeMap::new();
    let mut cases = 0;
    for command in measuring.commands() {
        for flag in measuring.flags(&command) {
            let is_outside = OUTSIDE.iter().any(|(name, _)| *name == flag.name);
            for case in measuring.cases(&command, &flag) {
                cases += 1;
                match measuring.effect(&case) {
                    Effect::OnPlan => {
                        assert!(!is_outside, "{} changes the plan: {}", flag.name, case.line);
                        effects.insert(flag.name.clone(), true);
                    }
                    Effect::OnOutput if is_outside => {
                        effects.insert(flag.name.clone(), true);
                    }
                    Effect::Refused(sentence) => {
                        effects.entry(flag.name.clone()).or_default();
                        // A value that needs keys is refused by the name of the keys.
                        let needs_keys = sentence.contains("needs S3 credentials");
                        if !needs_keys && !flag.is_named_in(&sentence) {
                            let key = (flag.name.clone(), sentence.len());
                            unnamed.entry(key).or_insert((sentence, case.line));
                        }
                    }
                    Effect::OnOutput | Effect::None => silent.push(case.line),
                }
            }
        }
    }
    let never: Vec<&String> = effects
        .iter()
        .filter(|(_, any)| !**any)
        .map(|it| it.0)
        .collect();
    let is_right = silent.is_empty() && never.is_empty() && unnamed.is_empty();
    assert!(
        is_right,
        "accepted without an effect:\n{}\nno command accepts the value of a row: {never:?}\nrefused \
         without the name of the flag:\n{unnamed:#?}",
        silent.join("\n")
    );
    assert!(cases > 3_000, "{cases} cases");
}

#[test]
fn every_row_is_for_a_flag() {
    let measuring = Measuring::new();
    let mut flags = BTreeSet::new();
    for command in measuring.commands() {
        flags.extend(measuring.flags(&command).into_iter().map(|flag| flag.name));
    }
    let rows = VALUES.iter().map(|row| row.flag);
    let named = OUTSIDE.iter().chain(FREE).map(|(flag, _)| *flag);
    for flag in rows.chain(named) {
        assert!(flags.contains(flag), "no command that measures has {flag}");
    }
}

#[test]
fn a_meaningless_value_is_refused() {
    let measuring = Measuring::new();
    let mut accepted = BTreeSet::new();
    for command in measuring.commands() {
        let flags = measuring.flags(&command).into_iter();
        let closed = |flag: &FlagOf| !FREE.iter().any(|(free, _)| *free == flag.name);
        for flag in flags.filter(|flag| flag.takes_value && closed(flag)) {
            for case in measuring.meaningless(&command, &flag) {
                if !matches!(measuring.effect(&case), Effect::Refused(_)) {
                    accepted.insert(format!("{}: {}", flag.name, case.line));
                }
            }
        }
    }
    assert!(accepted.is_empty(), "{accepted:#?}");
}

#[test]
fn every_flag_of_another_tool_has_an_effect_or_a_note_or_is_refused() {
    fronts::check();
}
