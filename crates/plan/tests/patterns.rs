//! Requests drawn from a file, as keys of a plan.

mod support;

use support::{resolve_in, world};
use tenbin_plan::{Plan, Refusal, WorkloadKind};

const FILES: &[(&str, &[u8])] = &[
    ("/made-up/paths.txt", b"/a\n/b\n/c\n"),
    ("/made-up/bad.txt", b"/a\n\nb\n"),
    ("/made-up/terms.txt", "tea\nC++ 町\n\ntea\n".as_bytes()),
    ("/made-up/bad.json", b"{\"g\": [\n\"/a\", 5]}"),
    (
        "/made-up/uneven.json",
        b"{\"a\": {\"frequency\": 2, \"patterns\": [\"/a\"]}}",
    ),
];

fn resolve(keys: &str) -> Result<Plan, Refusal> {
    let text = format!(
        "[[target]]\nname = \"a\"\nurl = \"http://127.0.0.1:1\"\n[[workload]]\nkind = \"http\"\n{keys}\n"
    );
    resolve_in(&text, &mut world(&[], FILES))
}

fn refusal(keys: &str) -> String {
    resolve(keys).expect_err(keys).to_string()
}

#[test]
fn a_printed_plan_draws_from_the_same_patterns() {
    for keys in [
        "patterns = \"paths.txt\"",
        "patterns = \"paths.txt\"\npatterns_format = \"text\"\norder = \"zipf:1.5\"\nslowest = 0\n\
         hits = \"/hits/total/value\"\ncache_hit = \"50%\"\ncache_size = 1\ncache_counters = \"groonga\"",
        "patterns = \"paths.txt\"\norder = \"shuffled\"\ncache_size = 7\nmethod = \"HEAD\"",
    ] {
        let plan = resolve(keys).unwrap_or_else(|refusal| panic!("{keys}\n{refusal}"));
        let printed = plan.to_toml();
        let again = resolve_in(&printed, &mut world(&[], FILES));
        assert_eq!(again.expect(&printed), plan, "{printed}");
    }
}

#[test]
fn what_is_left_open_gets_its_default() {
    let plan = resolve("patterns = \"paths.txt\"\ncache_hit = \"100%\"\ncache_size = 3").unwrap();
    assert_eq!(plan.workloads[0].name, "http-patterns");
    let WorkloadKind::Http(work) = &plan.workloads[0].kind else {
        panic!("an http workload");
    };
    let patterns = work.patterns.as_ref().unwrap();
    assert_eq!(patterns.order.to_string(), "weighted");
    assert_eq!((patterns.slowest, patterns.set.len()), (5, 3));
    assert_eq!(patterns.cache().unwrap().patterns(), Some(3));
}

#[test]
fn a_template_in_a_header_is_found_beside_patterns() {
    let found = |header: &str| {
        let keys = format!("patterns = \"paths.txt\"\nheaders = [\"{header}\"]");
        let plan = resolve(&keys).unwrap();
        let found = plan.literal_templates().into_iter();
        let texts = found.map(|(_, template)| template.text);
        texts.collect::<Vec<_>>()
    };
    assert_eq!(found("Authorization: Bearer {token}"), ["{token}"]);
    assert_eq!(found("Accept: text/html"), [""; 0]);
}

#[test]
fn mistakes_are_told_with_their_place() {
    for (keys, expected) in [
        (
            "patterns = \"bad.txt\"",
            "plan.toml:6:12: patterns: /made-up/bad.txt:3: \"b\" does not begin with a slash",
        ),
        (
            "patterns = \"bad.json\"",
            "plan.toml:6:12: patterns: /made-up/bad.json:2:7: invalid type: integer `5`, expected a \
             path, an object, or a list of patterns",
        ),
        (
            "patterns = \"missing.txt\"",
            "plan.toml:6:12: patterns: cannot read /made-up/missing.txt: entity not found",
        ),
        (
            "patterns = \"paths.txt\"\npath = \"/x\"",
            "plan.toml:7:8: path: applies to a single request, but the file of patterns defines \
             the requests; leave out one of the two",
        ),
        (
            "order = \"shuffled\"",
            "plan.toml:6:9: order: needs patterns, the file of requests",
        ),
        (
            "patterns = \"paths.txt\"\ncache_hit = \"50%\"",
            "plan.toml:7:13: cache_hit: a hit ratio of 50% with a cache of 100 needs 200 different \
             patterns (100 ÷ 50%), which the file cannot provide: it has 3",
        ),
        (
            "patterns = \"paths.txt\"\ncache_hit = \"0%\"",
            "plan.toml:7:13: cache_hit: \"0%\" is not between 0.1% and 100%",
        ),
        (
            "patterns = \"paths.txt\"\norder = \"random\"",
            "plan.toml:7:9: order: \"random\" is not one of \"weighted\", \"sequential\", \
             \"shuffled\", \"zipf\", \"zipf:1.1\" (an exponent above 0, at most 10)",
        ),
        (
            "patterns = \"paths.txt\"\nhits = \"solr\"",
            "plan.toml:7:8: hits: \"solr\" is not one of \"auto\", \"none\", \"groonga\", \
             \"opensearch\", or a JSON pointer such as \"/hits/total/value\"",
        ),
    ] {
        assert_eq!(refusal(keys), expected, "{keys}");
    }
}

#[test]
fn frequencies_that_do_not_add_up_are_noted() {
    let plan = resolve("patterns = \"uneven.json\"").unwrap();
    let WorkloadKind::Http(work) = &plan.workloads[0].kind else {
        panic!("an http workload");
    };
    assert_eq!(
        work.patterns.as_ref().unwrap().set.notes(),
        ["the frequencies add up to 2, not to 1: they are taken in proportion"]
    );
}

/// `tenbin show` shows a run whose files are missing.
#[test]
fn a_plan_can_be_looked_at_without_its_files() {
    let mut world = world(&[], &[]);
    world.without_files = true;
    let text = "[[target]]\nbuiltin = \"s3-memory\"\n[[workload]]\nkind = \"http\"\n\
                patterns = \"gone.txt\"\ncache_hit = \"50%\"\n[[workload]]\nkind = \"http\"\n\
                load = { trace = \"gone.trace\" }\n[[workload]]\nkind = \"s3\"\n\
                operation = \"put\"\nsize = \"file:gone\"\n";
    let plan = resolve_in(text, &mut world).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert_eq!(plan.workloads.len(), 3);
}

/// Two targets, of which one is named by its kind and one by its name.
fn two(workload: &str) -> Result<Plan, Refusal> {
    let text = format!(
        "aa = true\n[[target]]\nname = \"a\"\nurl = \"http://127.0.0.1:1\"\nstatus = \"groonga\"\n\
         [[target]]\nname = \"b\"\nurl = \"http://127.0.0.1:2\"\n[[workload]]\nkind = \"http\"\n\
         {workload}\n"
    );
    resolve_in(&text, &mut world(&[], FILES))
}

const FLAT: &str = "patterns = \"terms.txt\"\nhits_tolerance = \"10%\"\n\
    [workload.by_target.groonga]\nsearch = \"groonga\"\n\
    [workload.by_target.b]\npath = \"/s?x={term}\"\nbody = '{\"q\": \"{term}\"}'\nhits = \"/n\"";

fn sent(plan: &Plan, target: usize) -> Vec<(String, String, String)> {
    let work = plan.work_on(&plan.targets[target], &plan.workloads[0]);
    let patterns = work.patterns().expect("patterns");
    let each = patterns.set.patterns().iter();
    each.map(|one| {
        let body = String::from_utf8(one.body.clone()).expect("text");
        (one.method.clone(), one.path.clone(), body)
    })
    .collect()
}

#[test]
fn each_target_gets_the_terms_in_its_own_words() {
    let plan = two(FLAT).unwrap();
    let of_a = sent(&plan, 0);
    assert_eq!(of_a.len(), 2);
    assert_eq!(of_a[1].0, "GET");
    assert!(
        of_a[1].1.ends_with("&query=C%5C%2B%5C%2B%20%E7%94%BA"),
        "{of_a:?}"
    );
    let of_b = sent(&plan, 1);
    let post = |path: &str, body: &str| ("POST".to_owned(), path.to_owned(), body.to_owned());
    assert_eq!(
        of_b,
        [
            post("/s?x=tea", "{\"q\": \"tea\"}"),
            post("/s?x=C%2B%2B%20%E7%94%BA", "{\"q\": \"C++ 町\"}")
        ]
    );
    // The twin of `a` is sent the same requests as `a`.
    assert_eq!(sent(&plan, 2), of_a);
    let hits = |target: usize| {
        let work = plan.work_on(&plan.targets[target], &plan.workloads[0]);
        work.hits().unwrap().to_string()
    };
    assert_eq!((hits(0), hits(1)), ("groonga".to_owned(), "/n".to_owned()));
    let work = plan.work_on(&plan.targets[1], &plan.workloads[0]);
    let labels: Vec<String> = work
        .patterns()
        .unwrap()
        .set
        .patterns()
        .iter()
        .map(|one| one.label())
        .collect();
    assert_eq!(labels, ["tea", "C++ 町"]);

    let nested = FLAT
        .replace("patterns = \"terms.txt\"\n", "")
        .replace("workload.by_target", "workload.patterns.by_target")
        .replace(
            "[workload.patterns.by_target.groonga]",
            "[workload.patterns]\nterms = \"terms.txt\"\n[workload.patterns.by_target.groonga]",
        );
    assert_eq!(two(&nested).unwrap(), plan, "{nested}");
    let printed = plan.to_toml();
    let again = resolve_in(&printed, &mut world(&[], FILES));
    assert_eq!(again.expect(&printed), plan, "{printed}");
}

#[test]
fn templates_and_targets_have_to_fit() {
    for (workload, why) in [
        (
            FLAT.replace(".b]", ".c]"),
            "has no request for target \"b\" in by_target",
        ),
        (
            FLAT.replace(".b]", ".c]"),
            "has a request for \"c\" in by_target, but that is neither",
        ),
        (
            FLAT.replace("{term}", "term"),
            "by_target.b: path and body have no placeholder",
        ),
        (
            FLAT.replace("{term}", "{term:x}"),
            "is not a placeholder for the term",
        ),
        (
            FLAT.replace("path = \"/s", "path = \"s"),
            "does not begin with a slash",
        ),
        (
            FLAT.replace("search = ", "path = \"/x\"\nsearch = "),
            "is set by search",
        ),
        (
            FLAT.replace("body =", "bodi ="),
            "unknown key \"bodi\" in by_target; did you mean \"body\"?",
        ),
        (
            FLAT.replace("10%", "60%"),
            "hits_tolerance: \"60%\" is not between 0% and 50%",
        ),
        (
            FLAT.replace("patterns = \"terms.txt\"\n", ""),
            "by_target: needs patterns",
        ),
    ] {
        let said = two(&workload).expect_err(&workload).to_string();
        assert!(said.contains(why), "{said}");
    }
}
