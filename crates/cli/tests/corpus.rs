//! Runs the fuzzer's checks on every stored fuzzer input for the pages of runs.

#[path = "../../../fuzz/checks/ui_paths.rs"]
mod ui_paths;

use std::path::Path;

#[test]
fn the_stored_paths_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/ui_paths");
    let mut inputs = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus exists") {
        let file = entry.expect("an entry").path();
        let input = std::fs::read(&file).expect("an input");
        // Catches the panic to name the input.
        let passed = std::panic::catch_unwind(|| ui_paths::check(&input));
        assert!(passed.is_ok(), "{}", file.display());
        inputs += 1;
    }
    assert!(inputs > 5, "the corpus is nearly empty");
}
