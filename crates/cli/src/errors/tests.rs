use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::*;

fn problem(file: Option<&str>, key: Option<&str>, mistake: Mistake) -> Problem {
    Problem {
        file: file.map(PathBuf::from),
        position: file.zip(key).map(|_| (3, 7)),
        key: key.map(str::to_owned),
        mistake,
    }
}

fn of_flag(mistake: impl Into<Mistake>) -> Box<dyn Error> {
    Box::new(problem(None, Some("--flag"), mistake.into()))
}

fn not_one_of(or_percentile: bool, meant: Option<&str>) -> NotOneOf {
    NotOneOf {
        value: "\"p9x\"".to_owned(),
        choices: vec!["\"p90\"".to_owned(), "\"p99\"".to_owned()],
        or_percentile,
        meant: meant.map(str::to_owned),
    }
}

fn unknown_rule(near: &[&str]) -> Box<dyn Error> {
    Box::new(CommandError::UnknownRule {
        name: "x".to_owned(),
        near: near.iter().map(|name| (*name).to_owned()).collect(),
    })
}

/// Every message with its text in English and in Japanese.
fn errors() -> Vec<(Box<dyn Error>, &'static str, &'static str)> {
    let name = |name: &str| name.to_owned();
    let missing = || io::Error::from_raw_os_error(2);
    let denied = || io::Error::from_raw_os_error(13);
    let unreadable = |path: Option<&str>, error: &io::Error| Mistake::Unreadable {
        path: path.map(PathBuf::from),
        kind: error.kind(),
        error: error.to_string(),
    };
    let refused = || TargetError::Unreachable {
        target: name("a"),
        source: ProbeError::Refused {
            address: tenbin_http::Address::Tcp(([127, 0, 0, 1], 8080).into()),
        },
    };
    vec![
        (
            Box::new(BuildError::NoRepository("not a git repository".into())),
            "git finds no repository here (not a git repository); run the command in the repository of the server",
            "ここに git のリポジトリーがない(not a git repository)。サーバーのリポジトリーで実行する",
        ),
        (
            Box::new(BuildError::NoRevision {
                name: name("x"),
                repository: PathBuf::from("/p"),
            }),
            "\"x\" is no revision of /p; name a commit, branch or tag that is fetched",
            "「x」は /p のリビジョンではない。取得済みのコミット、ブランチ、タグを指定する",
        ),
        (
            Box::new(BuildError::Build {
                revision: name("main (1a2b)"),
                command: name("make"),
                why: name("exit status: 2"),
            }),
            "the build of main (1a2b) failed (exit status: 2): make; its output is above",
            "main (1a2b) のビルドに失敗した: make。出力は上にある",
        ),
        (
            Box::new(BuildError::NotBefore {
                good: name("side"),
                bad: name("HEAD (1a2b)"),
                near: Some(name("3c4d")),
            }),
            "side is no ancestor of HEAD (1a2b) along first parents, so no single commit separates \
             them; name an earlier commit of the same branch, such as 3c4d",
            "side は HEAD (1a2b) の最初の親をたどった祖先ではないため、1 つのコミットでは分けられない。\
             同じブランチの以前のコミットを指定する(例: 3c4d)",
        ),
        (
            Box::new(BuildError::SameCommit {
                good: name("v1"),
                bad: name("HEAD"),
            }),
            "v1 and HEAD are the same commit; name a --good that was not slower",
            "v1 と HEAD は同じコミット。遅くなかったコミットを --good で指定する",
        ),
        (
            Box::new(BuildError::NoCache),
            "there is no cache directory: HOME is not set; name a directory with --build-dir",
            "HOME が設定されていないため、キャッシュディレクトリーがない。--build-dir で指定する",
        ),
        (
            Box::new(problem(Some("a.toml"), None, unreadable(None, &missing()))),
            "a.toml: cannot be read: No such file or directory (os error 2)",
            "a.toml を読めない。そのファイルはない",
        ),
        (
            Box::new(problem(
                Some("a.toml"),
                Some("body_file"),
                unreadable(Some("b"), &denied()),
            )),
            "a.toml:3:7: body_file: cannot read b: Permission denied (os error 13)",
            "a.toml:3:7: body_file: b を読めない。権限がない",
        ),
        (
            Box::new(RunError::Record(RecordError::Io {
                doing: "read",
                path: PathBuf::from("runs/a"),
                source: missing(),
            })),
            "cannot read runs/a: No such file or directory (os error 2)",
            "runs/a を読めない。そのファイルはない",
        ),
        (
            Box::new(CorpusError::Read {
                name: name("a.xml"),
                source: denied(),
            }),
            "cannot read a.xml: Permission denied (os error 13)",
            "a.xml を読めない。権限がない",
        ),
        (
            Box::new(CommandError::Unreadable {
                path: PathBuf::from("a"),
                source: missing(),
            }),
            "a cannot be read: No such file or directory (os error 2)",
            "a を読めない。そのファイルはない",
        ),
        (
            Box::new(CommandError::NoRun),
            "there is no run in runs/ of this directory; name a run directory",
            "このディレクトリーの runs/ に実行がない。実行ディレクトリーを指定する",
        ),
        (
            Box::new(CommandError::TooFewRuns { asked: 3, there: 2 }),
            "runs/ has 2 measured runs, and this asks for number 3 from the newest; see tenbin list",
            "runs/ の測定済みの実行は 2 件しかなく、新しい方から 3 番目はない。tenbin list で一覧を見る",
        ),
        (
            Box::new(CommandError::SeveralRuns {
                word: "2026".to_owned(),
                runs: vec!["2026-1".to_owned(), "2026-2".to_owned()],
            }),
            "several runs begin with \"2026\": 2026-1, 2026-2; write more of the name",
            "「2026」で始まる実行がいくつもある(2026-1、2026-2)。名前をもっと長く書く",
        ),
        (
            Box::new(CommandError::StillRunning {
                path: PathBuf::from("runs/a"),
            }),
            "the run in runs/a is still running and has measured nothing yet",
            "runs/a の実行はまだ続いており、何も測定していない",
        ),
        (
            unknown_rule(&[]),
            "there is no rule \"x\"; `tenbin explain` lists all of them",
            "規則「x」はない。一覧は `tenbin explain` が表示する",
        ),
        (
            unknown_rule(&["xy", "xz"]),
            "there is no rule \"x\"; did you mean xy or xz?",
            "規則「x」はない。xy、xz ではないか",
        ),
        (
            Box::new(refused()),
            "target \"a\": nothing listens on 127.0.0.1:8080 (connection refused); is the server \
             started?",
            "ターゲット「a」: 127.0.0.1:8080 を待ち受けるものがない(接続の拒否)。\
             サーバーは起動しているか",
        ),
        (
            Box::new(RunError::Target(TargetError::Unresolved {
                target: name("a"),
                host: name("h"),
                source: io::Error::other("unknown"),
            })),
            "cannot resolve host \"h\" of target \"a\": unknown",
            "ターゲット「a」のホスト「h」の名前を解決できない(unknown)",
        ),
        (
            Box::new(RunError::Rejected {
                target: name("a"),
                workload: name("get"),
                status: 404,
            }),
            "target \"a\", workload \"get\": the first request failed: GET returned status 404, \
             which does not count as success; correct the URL, or accept the status with --expect \
             404",
            "ターゲット「a」、ワークロード「get」: 最初のリクエストが失敗した。\
             GET の応答のステータスは 404 で、成功に数えない。URL を直すか、--expect 404 で\
             このステータスを受け入れる",
        ),
        (
            Box::new(problem(None, None, Mistake::NoTarget)),
            "no target to measure; give its URL, --target NAME=URL for each server, --launch NAME='COMMAND {port}' to start one, or a [[target]] table in a plan",
            "測るターゲットがない。URL か、サーバーごとに --target NAME=URL、起動するなら --launch NAME='COMMAND {port}'、またはプランの [[target]] 表で指定する",
        ),
        (
            Box::new(problem(
                None,
                None,
                Mistake::NoCredentials {
                    target: name("a"),
                    workload: name("get"),
                },
            )),
            "target \"a\" needs S3 credentials for workload \"get\"; give --access-key and \
             --secret-key (or TENBIN_ACCESS_KEY and TENBIN_SECRET_KEY), or in a plan \
             access_key_env and secret_key_env; for anonymous requests --anonymous, or in a plan \
             signature = \"none\"",
            "ターゲット「a」のワークロード「get」には S3 の認証情報が必要。--access-key と --secret-key\
             (または TENBIN_ACCESS_KEY と TENBIN_SECRET_KEY)、プランでは access_key_env と \
             secret_key_env を指定する。署名なしのリクエストなら --anonymous、プランでは \
             signature = \"none\"",
        ),
        (
            of_flag(Mistake::SameName {
                what: "target",
                name: name("a"),
            }),
            "--flag: two targets have the name \"a\"; rename one",
            "--flag: 2 つのターゲットの名前が「a」。片方の名前を変える",
        ),
        (
            Box::new(InitError::SameFile {
                path: PathBuf::from("a"),
            }),
            "a would be both the plan and the CI file; choose another file with --ci-out",
            "a はプランと CI のファイルの両方になる。--ci-out で別のファイルを指定する",
        ),
        (
            of_flag(Mistake::UnknownTarget {
                name: name("x"),
                targets: vec![name("a"), name("b")],
                meant: Some(name("a")),
            }),
            "--flag: there is no target \"x\" among a, b; did you mean \"a\"?",
            "--flag: ターゲット「x」はない。あるのは a、b。「a」ではないか",
        ),
        (
            of_flag(Mistake::NotAUrl {
                text: name("h:1"),
                meant: name("http://h:1"),
            }),
            "--flag: \"h:1\" is not a URL; did you mean \"http://h:1\"?",
            "--flag: 「h:1」は URL ではない。「http://h:1」ではないか",
        ),
        (
            of_flag(TimeError::NoNumber(name("soon"))),
            "--flag: \"soon\" is not a duration; write for example \"500ms\", \"2s\" or \"1m30s\"",
            "--flag: 「soon」は時間ではない。\"500ms\"、\"2s\"、\"1m30s\" のように書く",
        ),
        (
            of_flag(RateError::NoNumber(name("fast"))),
            "--flag: \"fast\" is not a rate; write for example \"1000/s\", \"60/m\" or 250 (a second)",
            "--flag: 「fast」はレートではない。\"1000/s\"、\"60/m\"、250(毎秒)のように書く",
        ),
        (
            of_flag(not_one_of(false, Some("p90"))),
            "--flag: \"p9x\" is not one of \"p90\", \"p99\"; did you mean \"p90\"?",
            "--flag: \"p9x\" は使えない。使えるのは \"p90\"、\"p99\"。「p90」ではないか",
        ),
        (
            of_flag(not_one_of(true, None)),
            "--flag: \"p9x\" is not one of \"p90\", \"p99\" (or another percentile, such as p75)",
            "--flag: \"p9x\" は使えない。使えるのは \"p90\"、\"p99\"(または p75 などのパーセンタイル)",
        ),
        (
            of_flag(Mistake::TooSmall {
                number: 0,
                least: 1,
            }),
            "--flag: 0 is too small; the minimum is 1",
            "--flag: 0 は小さすぎる。最小は 1",
        ),
        (
            of_flag(Mistake::TooLarge {
                number: 70_000,
                most: 65_535,
            }),
            "--flag: 70000 is too large; the maximum is 65535",
            "--flag: 70000 は大きすぎる。最大は 65535",
        ),
        (
            of_flag(Mistake::TooShort {
                time: Duration::from_millis(1),
                least: Duration::from_millis(100),
            }),
            "--flag: 1ms is too short; the minimum is 100ms",
            "--flag: 1ms は短すぎる。最短は 100ms",
        ),
    ]
}

#[test]
fn common_errors_have_a_text_in_both_languages() {
    for (error, english, japanese) in errors() {
        assert_eq!(error.to_string(), english);
        assert_eq!(said(&*error, Language::Japanese).as_deref(), Some(japanese));
        assert_eq!(said(&*error, Language::English), None);
    }
}

#[test]
fn other_errors_are_printed_in_english_as_a_whole() {
    let others: [Box<dyn Error>; 3] = [
        Box::new(CommandError::Unreadable {
            path: PathBuf::from("a"),
            source: io::Error::from_raw_os_error(21),
        }),
        of_flag("is strange"),
        Box::new(io::Error::from_raw_os_error(2)),
    ];
    for other in &others {
        assert_eq!(said(&**other, Language::Japanese), None, "{other}");
    }
}
