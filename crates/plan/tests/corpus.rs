//! Every input that the fuzzer keeps for plans passes the fuzzer's own checks.

#[path = "../../../fuzz/checks/plan.rs"]
mod plan;

use std::path::Path;

#[test]
fn the_kept_corpus_passes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/plan");
    let mut plans = 0;
    for entry in std::fs::read_dir(&folder).expect("the corpus is there") {
        let file = entry.expect("an entry").path();
        let input = std::fs::read(&file).expect("an input");
        // A panic alone would not name the input.
        let passed = std::panic::catch_unwind(|| plan::check(&input));
        let Ok(is_plan) = passed else {
            panic!("{}", file.display());
        };
        plans += usize::from(is_plan);
    }
    // Refusals are checked, too, but only plans are printed and read again.
    assert!(plans > 8, "only {plans} plans in the corpus");
}
