//! Pages, nodes, clusters and restarted targets.

#![allow(
    clippy::too_many_lines,
    reason = "a test tells one story, or has a table of cases"
)]

mod support;

use support::resolve;
use tenbin_plan::{Plan, Reach, Relaunch, SearchServer, WorkloadKind};

const WORKLOAD: &str = "[[workload]]\nkind = \"http\"\npatterns = \"{corpus}\"\n";
const CORPUS: &str = "[corpus]\nsynthetic = 50\n";

fn target(name: &str, rest: &str) -> String {
    format!(
        "[[target]]\nname = \"{name}\"\ncommand = \"groonga {{host}} {{port}} {{data}}\"\n{rest}\n"
    )
}

fn plan(text: &str) -> Plan {
    resolve(text).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"))
}

fn refusal(text: &str) -> String {
    resolve(text).expect_err(text).to_string()
}

/// Resolves a plan, and checks that its printed text resolves to the same plan.
fn repeated(text: &str) -> Plan {
    let once = plan(text);
    let printed = once.to_toml();
    let again = plan(&printed);
    assert_eq!(again, once, "{printed}");
    assert_eq!(again.to_toml(), printed);
    once
}

#[test]
fn one_slip_about_the_pages_is_told_once() {
    let rest = target("a", "corpus = \"groonga\"") + WORKLOAD;
    for (corpus, told) in [
        (
            "[corpus]\nsynthetc = 50\n",
            "unknown key \"synthetc\" in [corpus]",
        ),
        (
            "[corpu]\nsynthetic = 50\n",
            "unknown key \"corpu\" at the top",
        ),
        (
            "[corpus]\nsynthetic = \"many\"\n",
            "\"many\" is not a whole number",
        ),
        ("[corpus]\n", "[corpus] needs one source of pages"),
        ("", "pages are to be loaded into target \"a\""),
    ] {
        let refusal = refusal(&format!("{corpus}{rest}"));
        assert!(refusal.contains(told), "{refusal}");
        assert_eq!(refusal.lines().count(), 1, "{refusal}");
    }
}

#[test]
fn each_target_has_its_own_counters_of_its_cache() {
    let text = format!(
        "{CORPUS}{}{}{}{WORKLOAD}cache_counters = \"/cache\"\n",
        target("one", "corpus = \"groonga\"\ncache_counters = \"groonga\""),
        target(
            "two",
            "corpus = \"opensearch\"\ncache_counters = \"opensearch\""
        ),
        target("three", "corpus = \"groonga\""),
    );
    let plan = repeated(&text);
    let work = &plan.workloads[0];
    let paths = plan.targets.iter().map(|target| {
        let counters = plan.cache_counters(target, work).expect("counters");
        // Requests are prepared with the same counters.
        let sent = plan.work_on(target, work);
        let prepared = sent.patterns().expect("patterns").cache_counters.as_ref();
        assert_eq!(prepared, Some(counters));
        counters.path().to_owned()
    });
    let paths: Vec<String> = paths.collect();
    assert_eq!(
        paths,
        [
            "/d/status",
            "/_nodes/_local/stats/indices/request_cache",
            "/cache"
        ]
    );
}

#[test]
fn a_cluster_of_every_size_is_the_same_when_it_is_printed() {
    let text = format!(
        "[rounds]\nrelaunch = true\n{CORPUS}language = \"both\"\nseed = 7\nmax_records = 40\n\
         text_limit = 100\ndirectory = \"pages\"\nterms = 5\nbase = \"/d/select?query=\"\n{}{}{}{WORKLOAD}",
        target("direct", "corpus = \"groonga\""),
        target(
            "two",
            "nodes = [\"127.0.0.1\", \"::1\"]\nstatus = \"opensearch\"\ncluster = \"c\""
        ),
        target("three", "nodes = 3\ncluster = \"c\""),
    );
    let plan = repeated(&text);
    let counts: Vec<usize> = plan.targets.iter().map(|it| it.host_count()).collect();
    assert_eq!(counts, [1, 2, 3]);
    let Reach::Launched(launch) = &plan.targets[2].reach else {
        panic!("it has a command");
    };
    assert_eq!(launch.url, "http://{host}:{port}/");
    assert_eq!(plan.clusters()[0].targets, [1, 2]);
    let searched = &plan.targets[0].searched;
    assert_eq!(
        searched.status,
        Some(SearchServer::Groonga),
        "that of corpus"
    );
    assert_eq!(plan.relaunch(), Relaunch::Slice);
    assert!(plan.draws_from_corpus());
    assert_eq!(
        plan.corpus
            .as_ref()
            .unwrap()
            .directory
            .as_deref()
            .unwrap()
            .to_str(),
        Some("/made-up/pages")
    );
}

#[test]
fn requests_made_of_pages_take_their_place() {
    let mut plan = plan(&format!("{CORPUS}{}{WORKLOAD}", target("a", "")));
    plan.fill_patterns("/d/select?query=a\n/d/select?query=b\n".as_bytes())
        .unwrap();
    let WorkloadKind::Http(http) = &plan.workloads[0].kind else {
        panic!("it is plain HTTP");
    };
    assert_eq!(http.patterns.as_ref().unwrap().set.len(), 2);
    let why = plan.fill_patterns(b"no path\n").unwrap_err();
    assert!(why.text().contains("does not begin with a slash"), "{why}");

    let dialled = WORKLOAD.to_owned() + "cache_hit = \"50%\"\n";
    let mut plan = resolve(&format!("{CORPUS}{}{dialled}", target("a", ""))).unwrap();
    let why = plan.fill_patterns(b"/a\n/b\n").unwrap_err();
    assert!(why.text().contains("needs 200 different patterns"), "{why}");
}

#[test]
fn what_does_not_go_together_is_refused_in_a_sentence() {
    let with = |head: &str, targets: &str| refusal(&format!("{head}{targets}{WORKLOAD}"));
    let one = || target("a", "");
    for (refusal, expected) in [
        (with("", &one()), "the plan has no [corpus]"),
        (
            refusal(&format!(
                "{}[[workload]]\nkind = \"http\"\n",
                target("a", "corpus = \"groonga\"")
            )),
            "pages are to be loaded into target \"a\", but the plan has no [corpus]",
        ),
        (with("[corpus]\n", &one()), "needs one source of pages"),
        (
            with("[corpus]\nsynthetic = 5\nwikipedia = \"x\"\n", &one()),
            "needs one source of pages",
        ),
        (
            with("[corpus]\nwikipedia = \"x\"\nlanguage = \"en\"\n", &one()),
            "is for synthetic pages",
        ),
        (
            with("[corpus]\nsynthetic = 5\nbase = \"d\"\n", &one()),
            "does not begin with a slash",
        ),
        (
            with("[corpus]\nsynthetics = 5\n", &one()),
            "did you mean \"synthetic\"?",
        ),
        (
            with(CORPUS, &target("a", "nodes = 0")),
            "nodes: 0 is too small",
        ),
        (
            with(CORPUS, &target("a", "nodes = [\"node0\"]")),
            "is not an address of this machine",
        ),
        (
            with(
                CORPUS,
                &target("a", "nodes = [\"127.0.0.1\", \"127.0.0.1\"]"),
            ),
            "is listed twice",
        ),
        (
            with(
                CORPUS,
                "[[target]]\nname = \"a\"\ncommand = \"x {port}\"\nnodes = 2\n",
            ),
            "{host} is missing from command and env",
        ),
        (
            with(
                CORPUS,
                &target("a", "nodes = 2\nurl = \"http://127.0.0.1:{port}/\""),
            ),
            "does not contain {host}",
        ),
        (
            with(
                CORPUS,
                &(target("a", "nodes = 2\ncluster = \"c\"")
                    + &target("b", "nodes = 2\ncluster = \"c\"")),
            ),
            "of cluster \"c\" have the same number of hosts",
        ),
        (
            with(CORPUS, "[[target]]\nurl = \"http://h/\"\nnodes = 2\n"),
            "nodes: is for a target that has a command",
        ),
        (
            with(CORPUS, &target("a", "corpus = \"droonga\"")),
            "over another protocol",
        ),
        (
            with(
                CORPUS,
                "[[target]]\nbuiltin = \"http\"\nstatus = \"groonga\"\n",
            ),
            "is for search servers",
        ),
        (
            with(
                &format!("[rounds]\nrelaunch = true\n{CORPUS}"),
                "[[target]]\nurl = \"http://h/\"\n",
            ),
            "only the caches of this target would stay warm",
        ),
        (
            refusal(&format!(
                "[rounds]\nrelaunch = true\n{}[[workload]]\nkind = \"s3\"\noperation = \"put\"\n",
                target("a", "")
            )),
            "relaunch supports only plain HTTP workloads that run in rounds",
        ),
    ] {
        assert!(refusal.contains(expected), "{refusal}\n{expected}");
    }
}
