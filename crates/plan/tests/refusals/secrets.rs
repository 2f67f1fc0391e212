//! Refusals of credentials, which never repeat a credential.

use super::support::{resolve_in, world};
use super::{S3, refusal};

#[test]
fn credentials() {
    let target =
        |lines: &str| format!("{S3}[[target]]\nname = \"m\"\nurl = \"http://h:9000\"\n{lines}");
    for (lines, expected) in [
        (
            "",
            r#"plan.toml:5:1: target "m" needs S3 credentials for workload "w"; give --access-key and --secret-key (or TENBIN_ACCESS_KEY and TENBIN_SECRET_KEY), or in a plan access_key_env and secret_key_env; for anonymous requests --anonymous, or in a plan signature = "none""#,
        ),
        (
            "session_token = \"t\"",
            r#"plan.toml:5:1: target "m" has a session token but no keys; set the access key and the secret key of the same session, too"#,
        ),
        (
            "access_key = \"k\"\nsecret_key = \"hunter2\"\nsignature = \"none\"",
            r#"plan.toml:5:1: target "m" has credentials, but signature = "none" does not use credentials; remove one of the two"#,
        ),
        (
            "access_key = \"k\"\nsecret_key = \"hunter2\"\nsession_token = \"t\"\nsession_token_env = \"T\"",
            "plan.toml:5:1: give either session_token or session_token_env, not both",
        ),
        (
            "signature = \"v3\"\naccess_key = \"k\"\nsecret_key = \"hunter2\"",
            r#"plan.toml:8:13: signature: "v3" is not one of "v4", "v2", "none"; did you mean "v4"?"#,
        ),
        (
            "access_key = \"k\"",
            r#"plan.toml:5:1: target "m" has an access key and no secret key; give it with TENBIN_SECRET_KEY or --secret-key-file, or in a plan with secret_key_env or secret_key_file"#,
        ),
        (
            "secret_key = \"hunter2\"",
            r#"plan.toml:5:1: target "m" has a secret key and no access key; give it with --access-key or TENBIN_ACCESS_KEY, or in a plan with access_key or access_key_env"#,
        ),
        (
            "access_key = \"k\"\nsecret_key_env = \"GONE\"",
            r#"plan.toml:9:18: secret_key_env: the environment variable "GONE" is not set"#,
        ),
        (
            "access_key = \"k\"\nsecret_key_file = \"gone\"",
            "plan.toml:9:19: secret_key_file: cannot read /made-up/gone: entity not found",
        ),
        (
            "access_key = \"k\"\nsecret_key = \"hunter2\"\nsecret_key_env = \"X\"",
            "plan.toml:5:1: give either secret_key or secret_key_env, not both",
        ),
        (
            "access_key = \"k\"\nsecret_key = 122",
            "plan.toml:9:14: a key is text; put it in quotes",
        ),
        (
            "access_key = \"k\"\nsecret_key = \"\"",
            "plan.toml:9:14: secret_key: it is empty",
        ),
    ] {
        assert_eq!(refusal(&target(lines)), expected);
    }
}

#[test]
fn temporary_keys() {
    let target = |lines: &str| {
        format!(
            "{S3}[[target]]\nname = \"m\"\nurl = \"http://h:9000\"\naccess_key = \"k\"\nsecret_key = \
             \"hunter2\"\n{lines}"
        )
    };
    for (lines, expected) in [
        (
            "web_identity_token = \"hunter22\"",
            r#"plan.toml:5:1: target "m" has a web identity token and keys, and the token needs no keys; remove one of the two"#,
        ),
        (
            "assume_role = \"arn\"\nsignature = \"v2\"",
            r#"plan.toml:5:1: target "m" has assume_role, and temporary keys need signature = "v4"; remove one of the two"#,
        ),
        (
            "assume_role = \"a b\"",
            r#"plan.toml:10:15: assume_role: "a b" is not a role; write for example "arn:aws:iam::123456789012:role/bench""#,
        ),
        (
            "role_duration = \"20m\"",
            "plan.toml:10:17: role_duration: is for temporary keys of a token service; give assume_role (--assume-role), web_identity_token_file (--web-identity-token-file) or sts_endpoint (--sts-endpoint) too",
        ),
        (
            "sts_endpoint = \"http://u:hunter22@h/\"",
            r#"plan.toml:10:16: sts_endpoint: holds a user or a password, which printed plans would show; write for example "http://127.0.0.1:9000""#,
        ),
        (
            "sts_endpoint = \"h:9000\"",
            r#"plan.toml:10:16: sts_endpoint: is not a URL that begins with http:// or https://; write for example "http://127.0.0.1:9000""#,
        ),
        (
            "external_id = \"x\"",
            "plan.toml:10:15: external_id: is for a role; give assume_role (--assume-role) too",
        ),
    ] {
        assert_eq!(refusal(&target(lines)), expected);
    }
    let web = "[[workload]]\nkind = \"http\"\n[[target]]\nname = \"m\"\nurl = \"http://h:9000\"\n\
               assume_role = \"arn\"\n";
    assert_eq!(
        refusal(web),
        r#"plan.toml:3:1: target "m" has assume_role, and no workload sends S3 requests to it; remove one of the two"#
    );
}

#[test]
fn a_session_token_in_a_command_is_refused_and_not_repeated() {
    let text = format!(
        "{S3}[[target]]\ncommand = \"server --port {{port}} --token=hunter22\"\naccess_key = \"k\"\n\
         secret_key = \"another-secret\"\nsession_token = \"hunter22\"\n"
    );
    let message = refusal(&text);
    assert!(message.contains("contains the session token"), "{message}");
    assert!(!message.contains("hunter22"), "{message}");
}

#[test]
fn a_secret_in_a_command_is_refused_and_not_repeated() {
    let text = format!(
        "{S3}[[target]]\ncommand = \"server --port {{port}} --password=hunter22\"\naccess_key = \"k\"\nsecret_key_env = \"PW\"\n"
    );
    let refusal = resolve_in(&text, &mut world(&[("PW", "hunter22")], &[])).expect_err("refused");
    assert_eq!(
        refusal.to_string(),
        "plan.toml:6:11: command: contains the secret key, which every user of the machine could read there; hand it over in env as {secret_key}"
    );
}

#[test]
fn no_refusal_repeats_a_secret() {
    for text in [
        "[[target]]\nsecret_key = hunter2\n",
        "[[target]]\nsecret_key = \"hunter2\n",
        "[[target]]\nsecrte_key = \"hunter2\"\n",
        "[[target]]\nsecret_key = [\"hunter2\"]\n",
        "[[target]]\nsecret_key = { a = \"hunter2\" }\n",
        "[[target]]\nurl = \"http://u:hunter2@h\"\n",
        "[[target]]\nurl = \"https://u:hunter2@h\"\n",
        "[[target]]\nurl = \"u:hunter2@h\"\n",
        "[[target]]\nurl = \"http:/u:hunter2@h\"\n",
        "[[target]]\nurl = \"h:80/?api_key=hunter2\"\n",
        "[[target]]\nurl = \"ftp://h/?token=hunter2\"\n",
        "[[target]]\nurl = \"http://h:0/?X-Amz-Signature=hunter2\"\n",
        "[[target]]\nurl = \"http://h/#access_token=hunter2\"\n",
        "[[target]]\ncommand = \"x\"\nurl = \"ftp://{host}/?sig=hunter2\"\n",
        "[[target]]\ncommand = \"x\"\nurl = \"http://u:hunter2@h\"\n",
        "[[workload]]\nkind = \"http\"\nheaders = [\"Authorization hunter2\"]\n",
        "[[workload]]\nkind = \"http\"\nheaders = [\"Authorization: hunter2\\n\"]\n",
    ] {
        let refusal = refusal(text);
        assert!(!refusal.contains("hunter2"), "{refusal}");
    }
}
