//! Labels, notes and deletion.

use std::fs;
use std::path::Path;

use crate::client::{Ui, listed};
use crate::common::{Scratch, Tenbin};
use crate::stand::small;

#[test]
fn runs_get_labels_and_notes_and_are_deleted_after_a_question() {
    let scratch = Scratch::new("ui-changes");
    let root = scratch.path().join("runs");
    let names = ["2026-01-01T120000-a", "2026-01-02T120000-b"];
    let [one, other] = names.map(|name| small(&root, name, "valid", "b is faster than a"));
    let left = [&one, &other].map(|run| fs::write(run.join("left.json"), "[]"));
    assert!(left.iter().all(Result::is_ok));
    let ui = Ui::start(&scratch, "");
    let [of_one, of_other] = names.map(|name| format!("run/{name}"));

    let labelled = ui.post(&format!("{of_one}/label"), "label=before.1");
    assert_eq!(labelled.status, 303, "{}", labelled.body);
    let back = format!("Location: {}{of_one}\r\n", ui.base);
    assert!(labelled.head.contains(&back), "{}", labelled.head);
    assert_eq!(listed(&ui.page("?label=before")), [names[0]]);
    Tenbin::line(&scratch, "list")
        .run()
        .expect_stdout("before.1");
    for (label, why) in [
        ("before.1", "has the label"),
        ("last", "is no label"),
        ("a+b", "is no label"),
    ] {
        let refused = ui.post(&format!("{of_other}/label"), &format!("label={label}"));
        assert_eq!(refused.status, 409, "{label}");
        assert!(refused.body.contains(why), "{}", refused.body);
    }
    assert_eq!(ui.post(&format!("{of_one}/label"), "label=").status, 303);
    assert!(!one.join("label.txt").exists());
    Tenbin::line(&scratch, format!("label {} x", names[0]))
        .inside(&["env", "-C", "runs"])
        .run()
        .expect_code(2)
        .expect_stderr("is not in runs/ of this directory");

    let noted = ui.post(&format!("{of_one}/note"), "note=+after+%3Cthe%3E+update+");
    assert_eq!(noted.status, 303, "{}", noted.body);
    let note = fs::read_to_string(one.join("note.txt")).expect("a note");
    assert_eq!(note, "after <the> update\n");
    assert!(
        ui.page("")
            .contains("after &lt;the&gt; update: b is faster")
    );
    saved_unchanged(&ui, &of_one, &one.join("note.txt"));
    for note in ["a%0Ab".to_owned(), "x".repeat(501)] {
        assert_eq!(
            ui.post(&format!("{of_one}/note"), &format!("note={note}"))
                .status,
            409
        );
    }
    Tenbin::line(&scratch, "note 2026-01-01 'by hand'")
        .run()
        .expect_code(0);
    Tenbin::line(&scratch, "list")
        .run()
        .expect_stdout("by hand  b is faster");
    Tenbin::line(&scratch, "note 2026-01-01 ''")
        .run()
        .expect_code(0);
    assert!(!one.join("note.txt").exists());

    let asked = ui.page(&format!("{of_one}/delete"));
    assert!(asked.contains("method=\"post\"") && one.exists(), "{asked}");
    // A place to which the run would leave the directory.
    let outside = scratch.path().join("outside");
    fs::create_dir(&outside).expect("a directory");
    std::os::unix::fs::symlink(&outside, root.join(".trash")).expect("a link");
    let refused = ui.post(&format!("{of_one}/delete"), "");
    assert_eq!(refused.status, 409);
    assert!(
        refused.body.contains("is a symbolic link") && one.exists(),
        "{}",
        refused.body
    );
    fs::remove_file(root.join(".trash")).expect("the link");
    // What a killed run may have left is not lost with it.
    fs::write(
        other.join("left.json"),
        r#"[{"what": "3 objects in bucket b"}]"#,
    )
    .expect("a file");
    let refused = ui.post(&format!("{of_other}/delete"), "");
    assert!(
        refused.status == 409 && refused.body.contains("3 objects in bucket b"),
        "{}",
        refused.body
    );

    let deleted = ui.post(&format!("{of_one}/delete"), "");
    assert_eq!(deleted.status, 303, "{}", deleted.body);
    assert!(
        root.join(".trash")
            .join(names[0])
            .join("plan.toml")
            .exists()
            && !one.exists()
    );
    let list = ui.page(&format!("?moved={}", names[0]));
    assert!(
        list.contains(&format!("{} is now in .trash", names[0])),
        "{list}"
    );
    assert_eq!(listed(&list), [names[1]]);
    assert!(!ui.page("?moved=nobody").contains("is now in .trash"));
    assert_eq!(ui.post(&format!("{of_one}/delete"), "").status, 404);
    ui.end();
}

/// Saves the form of a note as its page shows it: the note stays the same.
fn saved_unchanged(ui: &Ui, run: &str, file: &Path) {
    let note = "👨\u{200d}👩\u{200d}👧 base\n";
    let before = fs::read(file).expect("a note");
    fs::write(file, note).expect("a note");
    let page = ui.page(run);
    let (_, field) = page.split_once("name=\"note\" value=\"").expect("a field");
    let (value, _) = field.split_once('"').expect("an end");
    assert!(!value.contains('\u{200d}'), "{value}");
    // As a browser reads the page.
    let value = value.replace("&#x200d;", "\u{200d}");
    let form = format!("note={}", value.replace(' ', "+"));
    fs::remove_file(file).expect("a note");
    assert_eq!(ui.post(&format!("{run}/note"), &form).status, 303);
    assert_eq!(fs::read_to_string(file).expect("a note"), note);
    fs::write(file, before).expect("a note");
}
