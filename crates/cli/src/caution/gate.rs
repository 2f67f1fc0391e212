//! What the budget of a gate allows.

use std::time::Duration;

use tenbin_plan::duration::Time;
use tenbin_plan::{GateBudget, Plan, sentence};

use super::Caution;

/// What the budget of a gate allows, if the budget ends the gate before its largest number of rounds;
/// a warning if the rounds are too few for a pass.
pub(super) fn budget_of_gate(plan: &Plan) -> Option<Caution> {
    let GateBudget {
        budget,
        allowed,
        measured,
        needed,
    } = plan.gate_budget()?;
    let most = plan.rounds.most();
    let enough = Time(Duration::from_secs(plan.in_rounds(needed).as_secs() + 1));
    if most < needed {
        return Some(Caution::Warning(sentence!(
            "gate-few-rounds",
            "no pass is possible: the gate measures at most {most} rounds, and a pass needs at least \
             {needed} rounds (about {time}) → use --max-rounds {needed} or more",
            most,
            needed,
            time = Time::rounded(plan.lasting(needed))
        )));
    }
    if measured < needed {
        return Some(Caution::Warning(sentence!(
            "gate-budget-too-short",
            "no pass is possible: a budget of {budget} allows {measured} rounds, and a pass needs at \
             least {needed} rounds → use --budget {enough} or more",
            budget = Time(budget),
            measured,
            needed,
            enough
        )));
    }
    let told = if allowed < needed {
        sentence!(
            "gate-budget-short",
            "a budget of {budget} allows {allowed} rounds, and a pass needs at least {needed} rounds: \
             the gate measures {measured} rounds in any case, and then stops → use --budget {enough} \
             or more, so that the budget allows a pass",
            budget = Time(budget),
            allowed,
            needed,
            measured,
            enough
        )
    } else {
        sentence!(
            "gate-budget",
            "the gate stops after {budget} of measuring (--budget): a budget of {budget} allows \
             {allowed} rounds; a pass needs at least {needed} rounds (about {enough})",
            budget = Time(budget),
            allowed,
            needed,
            enough
        )
    };
    (allowed < most).then_some(Caution::Note(told))
}

#[cfg(test)]
mod tests {
    use tenbin_plan::{Context, Draft};

    use super::*;

    fn plan(keys: &str) -> Plan {
        let mut text = keys.to_owned();
        for name in ["base", "candidate"] {
            text += &format!("[[target]]\nname = \"{name}\"\nbuiltin = \"s3-memory\"\n");
        }
        text += "[[workload]]\nkind = \"s3\"\noperation = \"put\"\n";
        let draft = Draft::from_toml(&text, std::path::Path::new("plan.toml"));
        let context = &mut Context::of_this_process().unwrap();
        draft.unwrap().resolve(context).unwrap()
    }

    #[test]
    fn a_gate_says_what_its_budget_allows() {
        let said = |gate: &str, rounds: &str| {
            let keys = format!(
                "[gate]\n{gate}\n[rounds]\nslice = \"1s\"\nlead = \"500ms\"\ngap = \"100ms\"\nwarmup = \
                 \"1s\"\nsustain = \"0\"\nprobes = \"none\"\n{rounds}\n"
            );
            budget_of_gate(&plan(&keys))
        };
        // A block of four slices takes 6.4 s.
        assert_eq!(said("", ""), None);
        let found = said("budget = \"40s\"", "");
        let Some(Caution::Note(note)) = &found else {
            panic!("{found:?}");
        };
        assert_eq!(
            note.text(),
            "the gate stops after 40s of measuring (--budget): a budget of 40s allows 14 rounds; a \
             pass needs at least 10 rounds (about 32s)"
        );
        let found = said("budget = \"20s\"", "");
        let Some(Caution::Note(note)) = &found else {
            panic!("{found:?}");
        };
        assert!(
            note.text().contains("a budget of 20s allows 8 rounds")
                && note
                    .text()
                    .contains("the gate measures 10 rounds in any case")
                && note.text().contains("use --budget 32s or more"),
            "{note}"
        );
        let found = said("budget = \"5s\"", "count = 4");
        let Some(Caution::Warning(warning)) = &found else {
            panic!("{found:?}");
        };
        assert!(
            warning
                .text()
                .starts_with("no pass is possible: a budget of 5s allows 4 rounds"),
            "{warning}"
        );
        let found = said("", "count = 4\nmax_count = 8");
        let Some(Caution::Warning(warning)) = &found else {
            panic!("{found:?}");
        };
        assert!(
            warning.text().ends_with("use --max-rounds 10 or more"),
            "{warning}"
        );
    }
}
