//! Secrets given to `tenbin init`: no file contains them, and the CI file sets their variables.

use std::time::Duration;

use super::common::{Scratch, Tenbin};
use super::{SHORT, exists, launched, own_server, read};

#[test]
fn a_secret_in_a_url_is_a_reference_in_the_plan() {
    let scratch = Scratch::new("init-secret");
    let (first, second) = (own_server(&scratch), own_server(&scratch));
    let urls = [
        format!("{}?q=1&api_key=hush-first", first.url()),
        format!("{}?q=1&api_key=hush-second", second.url()),
    ];
    let words = [
        "init", "--kind", "http", "--server", &urls[0], "--second", &urls[1],
    ];
    let made = Tenbin::new(&scratch, words).run();
    made.expect_code(0)
        .expect_stdout("first: GET /?q=1&api_key=… → status 200, ")
        .expect_stderr("before the run, set TENBIN_QUERY_API_KEY, TENBIN_QUERY_API_KEY_2")
        .expect_silence_about("hush");
    let plan = read(&scratch, "tenbin.toml");
    assert!(!plan.contains("hush"), "{plan}");
    for kept in [
        "?q=1&api_key={env:TENBIN_QUERY_API_KEY}\"",
        "?q=1&api_key={env:TENBIN_QUERY_API_KEY_2}\"",
    ] {
        assert!(plan.contains(kept), "{plan}");
    }
    let run = format!("run tenbin.toml --rounds 2 {SHORT}");
    Tenbin::line(&scratch, &run)
        .run()
        .expect_code(2)
        .expect_stderr("\"TENBIN_QUERY_API_KEY\" is not set");
    Tenbin::line(&scratch, &run)
        .env("TENBIN_QUERY_API_KEY", "hush-first")
        .env("TENBIN_QUERY_API_KEY_2", "hush-second")
        .run()
        .expect_measured();
    let request =
        "init --kind http --server http://127.0.0.1:9/ --request /a?token=hush-3 --no-try";
    Tenbin::line(&scratch, format!("{request} --out other.toml"))
        .run()
        .expect_code(0)
        .expect_stderr("before the run, set TENBIN_QUERY_TOKEN");
    let plan = read(&scratch, "other.toml");
    let path = "path = \"/a?token={env:TENBIN_QUERY_TOKEN}\"";
    assert!(plan.contains(path), "{plan}");
}

#[test]
fn a_secret_variable_of_a_command_is_a_reference_in_the_plan() {
    let scratch = Scratch::new("init-secret-command");
    let server = format!("APP_PASSWORD='hush it' {}", launched());
    let words = ["init", "--kind", "http", "--server", &server];
    Tenbin::new(&scratch, words)
        .run()
        .expect_code(0)
        .expect_stderr("before the run, set TENBIN_ENV_APP_PASSWORD to")
        .expect_silence_about("hush");
    let plan = read(&scratch, "tenbin.toml");
    assert!(!plan.contains("hush"), "{plan}");
    let kept = "command = \"APP_PASSWORD={env:TENBIN_ENV_APP_PASSWORD} /";
    assert!(plan.contains(kept), "{plan}");
    let run = format!("run tenbin.toml --rounds 1 {SHORT}");
    Tenbin::line(&scratch, &run)
        .run()
        .expect_code(2)
        .expect_stderr("\"TENBIN_ENV_APP_PASSWORD\" is not set");
    Tenbin::line(&scratch, &run)
        .env("TENBIN_ENV_APP_PASSWORD", "hush it")
        .run()
        .expect_measured();
    scratch.expect_nobody_left(Duration::from_secs(2));
}

#[test]
fn a_secret_argument_of_a_command_is_refused() {
    let scratch = Scratch::new("init-secret-argument");
    let init = "init --kind http --no-try --goal gate --ci github";
    for (options, why) in [
        (
            "--server './server --token=hush --port {port}'",
            "--token=… in --server holds a secret, which the plan would show; pass it in an environment \
             variable: TOKEN={env:TOKEN} sh -c 'exec ./server --token=\"$TOKEN\" --port {port}'",
        ),
        (
            "--server './server {port}' --second \"sh -c 'API_KEY=hush ./server {port}'\"",
            "API_KEY=… in --second holds a secret",
        ),
        (
            "--server './server {port}' --build 'NPM_TOKEN=hush make'",
            "NPM_TOKEN=… in --build holds a secret, which the CI file would show; use a variable of the \
             CI job: $NPM_TOKEN",
        ),
        (
            "--server 'A={env:BASE} ./server {port}'",
            "the CI file cannot set the environment variable \"BASE\"",
        ),
    ] {
        Tenbin::line(&scratch, format!("{init} {options}"))
            .run()
            .expect_code(2)
            .expect_stderr(why)
            .expect_silence_about("hush");
        for name in ["tenbin.toml", ".github"] {
            assert!(!exists(&scratch, name), "{options}");
        }
    }
}

#[test]
fn the_file_of_each_ci_system_sets_the_variables_of_the_plan() {
    for (ci, file, expected, create) in [
        (
            "github",
            ".github/workflows/performance.yml",
            "        env:\n          BASE: ${{ github.event.pull_request.base.sha }}\n          \
             HEAD: ${{ github.event.pull_request.head.sha }}\n          \
             PAGE: ${{ secrets.PAGE }}\n          \
             TENBIN_QUERY_API_KEY: ${{ secrets.TENBIN_QUERY_API_KEY }}\n",
            "for CI, create the repository secrets PAGE, TENBIN_QUERY_API_KEY (Settings > ",
        ),
        (
            "gitlab",
            ".gitlab-ci.yml",
            "    # Variables of the plan, which the project sets (Settings > CI/CD > Variables, masked):\n    \
             # PAGE, TENBIN_QUERY_API_KEY\n",
            "for CI, create the masked variables PAGE, TENBIN_QUERY_API_KEY of the project (",
        ),
        (
            "jenkins",
            "Jenkinsfile",
            "    PAGE = credentials('PAGE')\n    \
             TENBIN_QUERY_API_KEY = credentials('TENBIN_QUERY_API_KEY')\n",
            "kind secret text with the IDs PAGE, TENBIN_QUERY_API_KEY (",
        ),
    ] {
        let scratch = Scratch::new("init-ci-secrets");
        let words = [
            "init",
            "--kind",
            "http",
            "--server",
            "http://127.0.0.1:9/{env:PAGE}?api_key=hush-key",
            "--second",
            "http://127.0.0.1:9/b",
            "--goal",
            "gate",
            "--ci",
            ci,
            "--no-try",
        ];
        let run = Tenbin::new(&scratch, words).run();
        run.expect_code(0).expect_silence_about("hush");
        let last = run.stdout.lines().last().unwrap_or_default();
        assert!(last.contains(create), "{run}");
        let text = read(&scratch, file);
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains("hush"), "{text}");
    }
    let scratch = Scratch::new("init-ci-keys");
    let line = "init --kind s3 --server http://127.0.0.1:9/ --second http://127.0.0.1:8/ --goal gate \
                --ci github --no-try";
    Tenbin::line(&scratch, line)
        .run()
        .expect_code(0)
        .expect_stdout("secrets TENBIN_ACCESS_KEY, TENBIN_SECRET_KEY (");
    let text = read(&scratch, ".github/workflows/performance.yml");
    let key = "TENBIN_SECRET_KEY: ${{ secrets.TENBIN_SECRET_KEY }}\n";
    assert!(text.contains(key), "{text}");
}
