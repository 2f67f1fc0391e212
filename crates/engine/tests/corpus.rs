//! Runs the fuzzer's checks on every stored fuzzer input for responses.

#[path = "../../../fuzz/checks/answer.rs"]
mod answer;
#[path = "../../../fuzz/checks/h2.rs"]
mod h2;

use std::path::Path;

#[test]
fn the_stored_responses_of_http_1_pass() {
    replay("answer", answer::check);
}

#[test]
fn the_stored_frames_of_http_2_pass() {
    replay("h2", h2::check);
}

fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let mut inputs = 0;
    for entry in std::fs::read_dir(folder.join(target)).expect("the corpus exists") {
        let file = entry.expect("an entry").path();
        let input = std::fs::read(&file).expect("an input");
        // Catches the panic to name the input.
        let passed = std::panic::catch_unwind(|| check(&input));
        assert!(passed.is_ok(), "{}", file.display());
        inputs += 1;
    }
    assert!(inputs > 5, "the corpus is nearly empty");
}
