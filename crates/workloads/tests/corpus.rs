//! Tests that every input in the fuzzing corpus for S3 workloads passes the checks of the fuzzer.

#[path = "../../../fuzz/checks/s3_xml.rs"]
mod s3_xml;

use std::path::Path;

#[test]
fn the_kept_documents_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/s3_xml");
    let mut inputs = 0;
    for entry in std::fs::read_dir(&folder).expect("the corpus is there") {
        let file = entry.expect("an entry").path();
        let input = std::fs::read(&file).expect("an input");
        // Caught, so that the failure names the input.
        let passed = std::panic::catch_unwind(|| s3_xml::check(&input));
        assert!(passed.is_ok(), "{}", file.display());
        inputs += 1;
    }
    assert!(inputs > 5, "the corpus is nearly empty");
}
