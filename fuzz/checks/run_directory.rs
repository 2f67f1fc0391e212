//! What must hold for the files of a run directory, whatever they hold.
//!
//! An input has up to five parts, separated by a line `%%`: `intervals.jsonl`,
//! `latency.hlog`, `plan.toml`, `environment.json` and `slices.bin`. A part that is empty or missing is
//! that of the small valid run in `fuzz/run/`, which was written before there was a `slices.bin`.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

use tenbin_plan::{Context, Draft, Plan};
use tenbin_record::RecordedRun;
use tenbin_report::formats::kept;
use tenbin_report::{Extent, View, for_terminal, terminal};
use tenbin_result::{Document, Trust, document_from_json};
use tenbin_verdict::Source;

const FILES: [&str; 5] = [
    "intervals.jsonl", "latency.hlog", "plan.toml", "environment.json", "slices.bin",
];
const VALID: [&[u8]; 5] = [
    include_bytes!("../run/intervals.jsonl"),
    include_bytes!("../run/latency.hlog"),
    include_bytes!("../run/plan.toml"),
    include_bytes!("../run/environment.json"),
    b"",
];

/// Panics when a run is refused without a reason, or when what is shown of it has control
/// characters or is no valid document. Says whether the input could be shown.
pub(crate) fn check(input: &[u8]) -> bool {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME
        .lock()
        .unwrap_or_else(|held| held.into_inner());
    let directory = directory();
    write(directory, input);
    let recorded = match tenbin_record::read(directory) {
        Ok(recorded) => recorded,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "refused without a reason");
            return false;
        }
    };
    let Some(plan) = plan_of(&recorded) else {
        return false;
    };
    let document = document(directory, &recorded, &plan);
    check_document(&document);
    true
}

fn check_document(document: &Document) {
    for width in [40, 100] {
        let view = View {
            width,
            colour: false,
            extent: Extent::Verbose,
        };
        let text = terminal(document, view);
        let lines = text.lines();
        for line in lines {
            assert_eq!(for_terminal(line), line, "control characters are shown");
        }
    }
    for format in kept(document) {
        let bytes = format.bytes(document);
        if format.file != "result.json" {
            continue;
        }
        let again = match document_from_json(&bytes) {
            Ok(again) => again,
            Err(why) => panic!("result.json cannot be read: {why}"),
        };
        assert!(again.trust == document.trust, "another trust after reading");
    }
    if document.results.is_empty() {
        assert!(document.trust != Trust::Valid, "valid without a result");
    }
}

fn document(directory: &Path, recorded: &RecordedRun, plan: &Plan) -> Document {
    let assessment = tenbin_verdict::assess(
        plan,
        &recorded.slices,
        tenbin_verdict::AfterRounds {
            sustained: &recorded.sustained,
            limit_probes: &recorded.limit_probes,
        },
        recorded.complete,
        &recorded.environment,
        &recorded.integrity,
    );
    tenbin_verdict::document(&Source {
        directory,
        started: recorded.started,
        plan,
        environment: &recorded.environment,
        slices: &recorded.slices,
        complete: recorded.complete,
        ended: recorded.ended,
        assessment: &assessment,
    })
}

/// The plan as `tenbin show` reads it: without the files and variables that it names.
fn plan_of(recorded: &RecordedRun) -> Option<Plan> {
    let mut context = Context {
        cores: 2,
        directory: PathBuf::from("/directory"),
        seed: 1,
        environment: Box::new(|_| Some("not-needed".to_owned())),
        open: Box::new(|_| Ok(Box::new(&b"not-needed"[..]))),
        without_files: true,
        random: Box::new(|| 1),
    };
    let draft = Draft::from_toml(&recorded.plan_toml, Path::new("plan.toml"));
    let resolved = draft.and_then(|draft| draft.resolve(&mut context));
    match resolved {
        Ok(plan) => Some(plan),
        Err(refusal) => {
            assert!(!refusal.to_string().is_empty(), "refused without a reason");
            None
        }
    }
}

fn write(directory: &Path, input: &[u8]) {
    const BETWEEN: &[u8] = b"\n%%\n";
    let mut rest = Some(input);
    for (name, valid) in FILES.iter().zip(VALID) {
        let part = rest.unwrap_or_default();
        let is_last = FILES.last() == Some(name);
        let at = if is_last {
            None
        } else {
            part.windows(BETWEEN.len()).position(|four| four == BETWEEN)
        };
        let (own, after) = match at {
            // The line end in front of the separator belongs to the part.
            Some(at) => (&part[..=at], Some(&part[at + BETWEEN.len()..])),
            None => (part, None),
        };
        let is_empty = own.iter().all(|&byte| byte == b'\n');
        let content = if is_empty { valid } else { own };
        std::fs::write(directory.join(name), content).expect("a file in memory");
        rest = after;
    }
}

fn directory() -> &'static Path {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() {
            memory.to_owned()
        } else {
            std::env::temp_dir()
        };
        let path = root.join(format!("tenbin-run-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory in memory");
        path
    })
}
