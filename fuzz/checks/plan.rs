//! What must hold for the reading of any text as a plan.

use std::io;
use std::path::{Path, PathBuf};

use tenbin_plan::{Context, Draft, KeySource, Plan, Refusal, Secret, WorkloadKind};

/// Panics when a plan does not survive being printed, or a refusal says nothing.
/// Says whether the input was a plan.
pub(crate) fn check(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else {
        return false;
    };
    let plan = match resolve(text) {
        Ok(plan) => plan,
        Err(refusal) => {
            assert!(!refusal.problems().is_empty(), "refused without a reason");
            assert!(!refusal.to_string().is_empty(), "refused without a word");
            return false;
        }
    };
    let printed = plan.to_toml();
    let again = match resolve(&printed) {
        Ok(again) => again,
        Err(refusal) => panic!("the printed plan is refused: {refusal}\n{printed}"),
    };
    let reprinted = again.to_toml();
    assert_eq!(
        without_literal_keys(&plan, &plan),
        without_literal_keys(&plan, &again),
        "the printed plan is another one:\n{printed}"
    );
    let third = resolve(&reprinted).expect("what was printed twice is refused");
    assert_eq!(
        third, again,
        "printing twice changes the plan:\n{reprinted}"
    );
    true
}

fn resolve(text: &str) -> Result<Plan, Refusal> {
    Draft::from_toml(text, Path::new("plan.toml"))?.resolve(&mut made_up_world())
}

/// A world in which every variable is set and every file is there, unless its name
/// says `missing`: a plan made by chance must not touch the real one.
fn made_up_world() -> Context {
    let mut draws = 0;
    Context {
        cores: 4,
        directory: PathBuf::from("/made-up"),
        seed: 7,
        environment: Box::new(|name| {
            (!name.contains("missing")).then(|| format!("value of {name}"))
        }),
        open: Box::new(|path| {
            let name = path.to_string_lossy();
            if name.contains("missing") {
                return Err(io::Error::from(io::ErrorKind::NotFound));
            }
            if name.contains("trace") {
                return Ok(Box::new(&b"# recorded\n10\n10.5\n12.25\n"[..]));
            }
            Ok(Box::new(io::Cursor::new(format!("content of {name}\n"))))
        }),
        without_files: false,
        random: Box::new(move || {
            draws += 1;
            draws
        }),
    }
}

/// `plan` without the keys and the secret headers that `original` has literally: a
/// plan is printed without them, so they come back from elsewhere.
fn without_literal_keys(original: &Plan, plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    for (target, was) in plan.targets.iter_mut().zip(&original.targets) {
        let (Some(keys), Some(was)) = (&mut target.credentials, &was.credentials) else {
            continue;
        };
        if was.access_key_source == KeySource::Literal {
            keys.access_key.clear();
            keys.access_key_source = KeySource::Literal;
        }
        if was.secret_key_source == KeySource::Literal {
            keys.secret_key = Secret::new("");
            keys.secret_key_source = KeySource::Literal;
        }
    }
    for (workload, was) in plan.workloads.iter_mut().zip(&original.workloads) {
        let (WorkloadKind::Http(work), WorkloadKind::Http(was)) = (&mut workload.kind, &was.kind)
        else {
            continue;
        };
        let printed_otherwise = was.headers.iter().zip(&was.printed_headers);
        for (header, (value, printed)) in work.headers.iter_mut().zip(printed_otherwise) {
            if value != printed {
                header.1.clear();
            }
        }
    }
    plan
}
