//! Errors keep their arguments on the way to the reader. The texts of sentences are tested beside them.

use std::io;
use std::path::{Path, PathBuf};

use tenbin_plan::{Context, Draft};
use tenbin_targets::probe::ProbeError;

use super::*;

/// The first problem of a plan with these lines.
fn of_plan(lines: &str) -> Box<dyn Error> {
    let target = "[[target]]\nname = \"a\"\nurl = \"http://h\"\n[[workload]]\nkind = \"http\"\n";
    let draft = Draft::from_toml(&format!("{lines}\n{target}"), Path::new("a.toml"));
    let mut context = Context::of_this_process().expect("a context");
    let plan = draft.and_then(|draft| draft.resolve(&mut context));
    let refusal = plan.expect_err("no plan");
    Box::new(refusal.problems()[0].clone())
}

fn missing() -> io::Error {
    io::Error::from_raw_os_error(2)
}

/// Errors with their texts in English and in Japanese.
#[expect(clippy::too_many_lines, reason = "one row for each error")]
fn errors() -> Vec<(Box<dyn Error>, &'static str, &'static str)> {
    vec![
        (
            of_plan("[load]\ntimeout = \"soon\""),
            "a.toml:2:11: timeout: \"soon\" is not a duration; write for example \"500ms\", \"2s\" or \
             \"1m30s\"",
            "a.toml:2:11: timeout: 「soon」は時間ではない。\"500ms\"、\"2s\"、\"1m30s\" のように書く",
        ),
        (
            of_plan("[load]\nconections = 3"),
            "a.toml:2:1: unknown key \"conections\" in [load]; did you mean \"connections\"?",
            "a.toml:2:1: キー「conections」は [load] にない。「connections」ではないか",
        ),
        (
            of_plan("[load]\nrate = \"9/s\"\nsteps = [\"9/s for 1s\"]"),
            "a.toml:3:9: steps: excludes rate; leave out one of them",
            "a.toml:3:9: steps: rate と一緒には使えない。片方を外す",
        ),
        (
            Box::new(RunError::Record(RecordError::Io {
                doing: "read",
                path: PathBuf::from("runs/a"),
                source: missing(),
            })),
            "cannot read runs/a: No such file or directory (os error 2)",
            "runs/a を読めない。そのファイルやディレクトリーはない",
        ),
        (
            Box::new(
                tenbin_cluster::Creds::read(Path::new("no/agent.creds")).expect_err("no file"),
            ),
            "credentials no/agent.creds: No such file or directory (os error 2)",
            "認証情報 no/agent.creds: そのファイルやディレクトリーはない",
        ),
        (
            Box::new(CommandError::TooFewRuns { asked: 3, there: 2 }),
            "runs/ has 2 measured runs, so there is no run number 3 from the newest; see tenbin list",
            "runs/ の測定済みの実行は 2 件しかなく、新しい方から 3 番目はない。tenbin list で一覧を見る",
        ),
        (
            Box::new(CommandError::UnknownRule {
                name: "x".to_owned(),
                near: vec!["xy".to_owned(), "xz".to_owned()],
            }),
            "there is no rule \"x\"; did you mean xy or xz?",
            "規則「x」はない。xy、xz ではないか",
        ),
        (
            Box::new(BuildError::NotBefore {
                good: "side".to_owned(),
                bad: "HEAD".to_owned(),
                near: None,
            }),
            "side is no ancestor of HEAD along first parents, so no single commit separates them; name \
             an earlier commit of the same branch, such as the fork point",
            "side は HEAD の最初の親をたどった祖先ではないため、1 つのコミットでは分けられない。\
             同じブランチの以前のコミットを指定する",
        ),
        (
            Box::new(TargetError::Unreachable {
                target: "a".to_owned(),
                source: ProbeError::Refused {
                    address: tenbin_http::Address::Tcp(([127, 0, 0, 1], 8080).into()),
                },
            }),
            "target \"a\": nothing listens on 127.0.0.1:8080 (connection refused); is the server \
             started?",
            "ターゲット「a」: 127.0.0.1:8080 を待ち受けるものがない(接続の拒否)。\
             サーバーは起動しているか",
        ),
        (
            Box::new(TargetError::EndedEarly {
                target: "a".to_owned(),
                exit: tenbin_targets::Exit {
                    status: tenbin_targets::ExitStatus::Code(3),
                    after: std::time::Duration::from_millis(500),
                },
                advice: None,
                tail: tenbin_targets::error::LogTail(vec!["no port".to_owned(), "bye".to_owned()]),
            }),
            "target \"a\" exited with status 3 after 0.5 s, before it was ready; its last output:\n  \
             | no port\n  | bye",
            "ターゲット「a」は準備ができる前に終わった(0.5 秒後にステータス 3 で終了した)。最後の出力:\n  \
             | no port\n  | bye",
        ),
    ]
}

#[test]
fn errors_have_a_text_in_both_languages() {
    for (error, english, japanese) in errors() {
        assert_eq!(error.to_string(), english);
        assert_eq!(said(&*error, Language::Japanese).as_deref(), Some(japanese));
        assert_eq!(said(&*error, Language::English), None);
    }
}

/// A part that is only English makes the whole error English: no error mixes two languages.
#[test]
fn an_error_with_an_english_part_is_printed_in_english_as_a_whole() {
    let error = TargetError::Observe {
        target: "a".to_owned(),
        reason: "it is strange".to_owned().into(),
    };
    assert_eq!(said(&error, Language::Japanese), None, "{error}");
    assert_eq!(said(&std::fmt::Error, Language::Japanese), None);
}

/// The reasons in the tables of keys are fixed texts.
#[test]
fn every_reason_of_a_key_is_translated() {
    let mut reasons = 0;
    for key in tenbin_plan::all_keys() {
        let excludes = key.excludes.iter().flatten().map(|it| it.why);
        let needs = key.needs.iter().map(|it| it.why);
        let only = key.scope.iter().map(|it| it.why);
        for why in excludes.chain(needs).chain(only) {
            reasons += 1;
            let said = said_in(&Sentence::fixed(why), Language::Japanese);
            assert!(said.is_some(), "{}: {why}", key.name);
        }
    }
    assert!(reasons > 40, "{reasons}");
}
