//! The helpers around drnbench: the Droonga tutorial's lines as written.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tenbin_compat::World;
use tenbin_compat::drnbench::{
    Asked, Convert, ExtractTerms, GeneratePatterns, HELPERS, Helper, Job, Send,
};

fn world() -> World<'static> {
    World {
        variable: &|_| None,
        read: &|_| Err(std::io::ErrorKind::NotFound.into()),
    }
}

fn parse(line: &str) -> Result<Asked, String> {
    let words = shlex::split(line).expect("closed quotes");
    let helper = Helper::named(&words[0]).expect("a helper");
    helper
        .parse(&words[1..], &world())
        .map_err(|mistakes| mistakes.to_string())
}

fn job(line: &str) -> Job {
    match parse(line) {
        Ok(Asked::Work(job, notes)) => {
            assert_eq!(notes, [""; 0], "{line}");
            *job
        }
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn the_tutorials_lines() {
    let terms = |escape: bool| {
        Job::ExtractTerms(ExtractTerms {
            column: 0,
            escape,
            files: Vec::new(),
        })
    };
    assert_eq!(job("drnbench-extract-searchterms"), terms(false));
    assert_eq!(job("drnbench-extract-searchterms --escape"), terms(true));
    assert_eq!(
        job("drnbench-generate-select-patterns --base-params='a=b' --hosts=h0,h1 t.txt"),
        Job::GeneratePatterns(GeneratePatterns {
            base_params: "a=b".to_owned(),
            hosts: vec!["h0".to_owned(), "h1".to_owned()],
            files: vec![PathBuf::from("t.txt")],
        })
    );
    let plain = Convert {
        dataset: "Default".to_owned(),
        id_prefix: None,
        date: None,
        reply_to: None,
        output: None,
        files: Vec::new(),
    };
    assert_eq!(job("grn2drn"), Job::Convert(plain.clone()));
    assert_eq!(
        job("grn2drn --id-prefix p --output=x.jsons a.grn"),
        Job::Convert(Convert {
            id_prefix: Some("p".to_owned()),
            output: Some(PathBuf::from("x.jsons")),
            files: vec![PathBuf::from("a.grn")],
            ..plain
        })
    );
    let one = Send {
        servers: vec!["node0".to_owned()],
        port: 10_031,
        tag: "droonga".to_owned(),
        rate: Some(100.0),
        report_throughput: true,
        completion: Some(("Default".to_owned(), "any".to_owned())),
        validate: true,
        files: Vec::new(),
    };
    assert_eq!(
        job("droonga-send --server=node0 --report-throughput"),
        Job::Send(one.clone())
    );
    assert_eq!(
        job("droonga-send --server=node0 --server=node1 --server=node2 \
             --messages-per-second=100 --report-throughput"),
        Job::Send(Send {
            servers: ["node0", "node1", "node2"].map(str::to_owned).to_vec(),
            ..one.clone()
        })
    );
    assert_eq!(
        job("droonga-send --no-completion --no-validation --messages-per-second=-1"),
        Job::Send(Send {
            servers: vec!["localhost".to_owned()],
            rate: None,
            report_throughput: false,
            completion: None,
            validate: false,
            ..one
        })
    );
}

#[test]
fn what_is_wrong_is_said() {
    for (line, complaint) in [
        (
            "droonga-send --messages-per-second=fast",
            "--messages-per-second: \"fast\" is neither",
        ),
        (
            "droonga-send --default-port=70000",
            "--default-port: a port is",
        ),
        (
            "droonga-send --default-protocol=http",
            "--default-protocol: messages go over",
        ),
        ("droonga-send --sever=x", "did you mean --server?"),
        (
            "grn2drn --encoding=EUC-JP",
            "--encoding: commands are read as UTF-8",
        ),
        (
            "drnbench-extract-searchterms --column-index=x",
            "--column-index: \"x\" is not",
        ),
    ] {
        let said = parse(line).expect_err(line);
        assert!(said.contains(complaint), "{said}");
    }
    for helper in HELPERS {
        let Ok(Asked::Help(text)) = parse(&format!("{} --help", helper.name)) else {
            panic!("{} has no help", helper.name);
        };
        assert!(
            text.starts_with(&format!("Usage: tenbin {} ", helper.name)),
            "{text}"
        );
    }
}

proptest! {
    #[test]
    fn no_line_brings_them_down(line in "[-a-zA-Z0-9 =:/.é]{0,60}") {
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        for helper in HELPERS {
            let _ = helper.parse(&arguments, &world());
        }
    }
}

#[test]
fn the_page_on_search_has_the_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/search.md");
    let page = std::fs::read_to_string(path).expect("docs/search.md");
    for helper in HELPERS {
        let table = format!("### {}\n\n{}", helper.name, helper.documented());
        assert!(
            page.contains(&table),
            "docs/search.md should have:\n{table}"
        );
    }
}
