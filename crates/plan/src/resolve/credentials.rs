//! S3 credentials: literal, from a variable or a file, generated, or missing.

use crate::keys::scalar::{At, Field, KeyField};
use crate::plan_file::mistake::Mistake;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::secrets::placeholders;
use crate::secrets::secret::{KeySource, Secret};
use crate::target::{Credentials, Launch, Reach, SessionToken, Signature, TargetDraft};
use crate::{Sentence, sentence};

/// Characters of generated access keys: upper-case letters and digits.
const ACCESS_KEY_LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ACCESS_KEY_LENGTH: usize = 20;
/// Characters of generated secret keys: none of them is special in a shell, a URL or a settings
/// file.
const SECRET_KEY_LETTERS: &[u8] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const SECRET_KEY_LENGTH: usize = 40;
/// Minimum length in bytes of a secret that is searched for in longer texts. A shorter secret, such
/// as `minio`, can be part of another word by chance.
const TELLING: usize = 8;

const LACKS_SECRET_KEY: &str = "an access key and no secret key; give it with TENBIN_SECRET_KEY or \
                                --secret-key-file, or in a plan with secret_key_env or \
                                secret_key_file";
const LACKS_ACCESS_KEY: &str = "a secret key and no access key; give it with --access-key or \
                                TENBIN_ACCESS_KEY, or in a plan with access_key or access_key_env";
const TWO_IDENTITIES: &str = "a web identity token and keys, and the token needs no keys; remove one \
                              of the two";
const LACKS_KEYS: &str = "a session token but no keys; set the access key and the secret key of the \
                          same session, too";

pub(super) type Key = (Secret, KeySource);

/// What the credentials of a target are for.
#[derive(Clone, Copy)]
pub(super) struct Usage<'a> {
    pub(super) signature: Signature,
    /// Name of a workload that needs S3 on the target, if any.
    pub(super) s3_workload: Option<&'a str>,
    /// Whether a web identity stands for keys.
    pub(super) has_web_identity: bool,
    /// Whether a secret key needs no access key: the access layer of a blobstore uses only the secret
    /// key, for its tokens.
    pub(super) secret_is_enough: bool,
}

pub(super) fn resolve(
    resolver: &mut Resolver<'_>,
    draft: &TargetDraft,
    place: Place,
    name: &str,
    reach: &Reach,
    usage: Usage<'_>,
) -> Option<Credentials> {
    let findings_before = resolver.findings.count();
    let (access, secret, token) = written(resolver, draft, place);
    if resolver.findings.count() > findings_before {
        return None;
    }
    let given = access.is_some() || secret.is_some() || token.is_some();
    if usage.has_web_identity {
        if given {
            resolver.refuse(
                place,
                sentence!(
                    "target-has",
                    "target {target:?} has {what}",
                    target = name,
                    what = Sentence::fixed(TWO_IDENTITIES)
                ),
            );
        }
        return None;
    }
    if usage.signature == Signature::None && given && matches!(reach, Reach::Endpoint { .. }) {
        resolver.refuse(
            place,
            sentence!(
                "unused-credentials",
                "target {name:?} has credentials, but signature = \"none\" does not use \
                 credentials; remove one of the two",
                name
            ),
        );
        return None;
    }
    let lacks = match (access, secret) {
        (Some((access, access_source)), Some((secret, secret_source))) => {
            return Some(Credentials {
                access_key: access.reveal().to_owned(),
                secret_key: secret,
                access_key_source: access_source,
                secret_key_source: secret_source,
                session_token: token.map(|(secret, source)| SessionToken { secret, source }),
            });
        }
        (None, Some((secret, source))) if usage.secret_is_enough && token.is_none() => {
            return Some(Credentials {
                access_key: String::new(),
                secret_key: secret,
                access_key_source: KeySource::Generated,
                secret_key_source: source,
                session_token: None,
            });
        }
        (None, None) if token.is_none() => {
            return missing(resolver, place, name, reach, usage);
        }
        (Some(_), None) => LACKS_SECRET_KEY,
        (None, Some(_)) => LACKS_ACCESS_KEY,
        (None, None) => LACKS_KEYS,
    };
    resolver.refuse(
        place,
        sentence!(
            "target-has",
            "target {target:?} has {what}",
            target = name,
            what = Sentence::fixed(lacks)
        ),
    );
    None
}

/// The access key, the secret key and the session token of the plan, each from one place.
fn written(
    resolver: &mut Resolver<'_>,
    draft: &TargetDraft,
    place: Place,
) -> (Option<Key>, Option<Key>, Option<Key>) {
    let access = one_of(
        resolver,
        place,
        &[
            ("access_key", literal(&draft.access_key)),
            ("access_key_env", variable(&draft.access_key_env)),
        ],
    );
    let secret = one_of(
        resolver,
        place,
        &[
            ("secret_key", literal(&draft.secret_key)),
            ("secret_key_env", variable(&draft.secret_key_env)),
            ("secret_key_file", file(&draft.secret_key_file)),
        ],
    );
    let token = one_of(
        resolver,
        place,
        &[
            ("session_token", literal(&draft.session_token)),
            ("session_token_env", variable(&draft.session_token_env)),
            ("session_token_file", file(&draft.session_token_file)),
        ],
    );
    (access, secret, token)
}

/// The credentials of a target for which the plan sets none: generated if Tenbin starts the target.
fn missing(
    resolver: &mut Resolver<'_>,
    place: Place,
    name: &str,
    reach: &Reach,
    usage: Usage<'_>,
) -> Option<Credentials> {
    match (reach, usage.s3_workload) {
        (Reach::Launched(launch), workload) => (workload.is_some() || mentions_keys(launch))
            .then(|| Credentials::made_up(&mut *resolver.context.random)),
        (Reach::Builtin(_), workload) => {
            workload.map(|_| Credentials::made_up(&mut *resolver.context.random))
        }
        (Reach::Endpoint { .. }, None) | (Reach::Files(_), _) => None,
        (Reach::Endpoint { .. }, _) if usage.signature == Signature::None => None,
        (Reach::Endpoint { .. }, Some(workload)) => {
            resolver.refuse(place, Mistake::no_credentials(name, workload));
            None
        }
    }
}

fn mentions_keys(launch: &Launch) -> bool {
    let texts = launch.command.iter().chain(launch.env.values());
    texts
        .flat_map(|text| placeholders::names(text))
        .any(|name| name == "access_key" || name == "secret_key")
}

impl Credentials {
    /// Generates credentials from `random`, which must not be predictable.
    pub fn made_up(random: &mut dyn FnMut() -> u64) -> Self {
        let mut letters = |alphabet: &[u8], length: usize| -> String {
            (0..length)
                .map(|_| char::from(alphabet[(random() % alphabet.len() as u64) as usize]))
                .collect()
        };
        Self::generated(
            letters(ACCESS_KEY_LETTERS, ACCESS_KEY_LENGTH),
            letters(SECRET_KEY_LETTERS, SECRET_KEY_LENGTH),
        )
    }
}

/// How the draft gives a secret: literally, in an environment variable, or in a file.
#[derive(Clone)]
pub(super) enum Origin<'a> {
    Literal(&'a At<Secret>),
    Variable(&'a Field),
    File(&'a Field),
}

pub(super) fn literal(field: &KeyField) -> Option<Origin<'_>> {
    field.as_ref().map(Origin::Literal)
}

pub(super) fn variable(field: &Field) -> Option<Origin<'_>> {
    field.is_some().then_some(Origin::Variable(field))
}

pub(super) fn file(field: &Field) -> Option<Origin<'_>> {
    field.is_some().then_some(Origin::File(field))
}

pub(super) fn one_of(
    resolver: &mut Resolver<'_>,
    place: Place,
    origins: &[(&str, Option<Origin<'_>>)],
) -> Option<Key> {
    let mut given = origins
        .iter()
        .filter_map(|(key, origin)| origin.as_ref().map(|origin| (*key, origin)));
    let (key, origin) = given.next()?;
    if let Some((other, _)) = given.next() {
        resolver.refuse(
            place,
            sentence!(
                "either-not-both",
                "give either {key} or {other}, not both",
                key,
                other
            ),
        );
        return None;
    }
    match origin {
        Origin::Literal(secret) => check(
            resolver,
            secret.place,
            key,
            secret.value.clone(),
            KeySource::Literal,
        ),
        Origin::Variable(field) => from_variable(resolver, key, field),
        Origin::File(field) => from_file(resolver, key, field),
    }
}

fn from_variable(resolver: &mut Resolver<'_>, key: &str, field: &Field) -> Option<Key> {
    let place = field.as_ref()?.place;
    let name = resolver.text(key, field)?;
    match (resolver.context.environment)(&name) {
        Some(value) => check(
            resolver,
            place,
            key,
            Secret::new(value),
            KeySource::Env(name),
        ),
        None => {
            resolver.wrong(
                place,
                key,
                sentence!(
                    "variable-not-set",
                    "the environment variable {variable:?} is not set",
                    variable = name
                ),
            );
            None
        }
    }
}

fn from_file(resolver: &mut Resolver<'_>, key: &str, field: &Field) -> Option<Key> {
    let place = field.as_ref()?.place;
    let path = resolver.path(key, field)?;
    let bytes = resolver.file(place, key, &path)?;
    let Ok(text) = String::from_utf8(bytes) else {
        resolver.wrong(
            place,
            key,
            sentence!("file-not-text", "{path} is not text", path = path.display()),
        );
        return None;
    };
    let secret = Secret::new(text.trim_end_matches(['\r', '\n']));
    check(resolver, place, key, secret, KeySource::File(path))
}

fn check(
    resolver: &mut Resolver<'_>,
    place: Place,
    key: &str,
    secret: Secret,
    source: KeySource,
) -> Option<Key> {
    let what_is_wrong = match secret.reveal() {
        "" => sentence!("is-empty", "is empty"),
        text if text.chars().any(char::is_control) => {
            sentence!(
                "has-control",
                "contains a line break or another control character"
            )
        }
        _ => return Some((secret, source)),
    };
    let holder = match &source {
        KeySource::Env(name) => {
            sentence!("the-variable", "the environment variable {name:?}", name)
        }
        KeySource::File(path) => sentence!("the-file", "the file {path}", path = path.display()),
        KeySource::Literal | KeySource::Generated => sentence!("the-value", "it"),
    };
    resolver.wrong(
        place,
        key,
        sentence!(
            "wrong-value-of", "{holder} {what_is_wrong}", holder, what_is_wrong
        ),
    );
    None
}

/// `launch` without the secret key, so that no printed plan contains the key. A secret key in the
/// command is refused, as is a session token in the command or the environment. A secret key in the
/// environment is replaced by `{secret_key}`.
pub(super) fn kept_out_of(
    resolver: &mut Resolver<'_>,
    mut launch: Launch,
    credentials: &Credentials,
    draft: &TargetDraft,
) -> Launch {
    let secret = credentials.secret_key.reveal();
    let shows_it = |text: &str| secret.len() >= TELLING && text.contains(secret);
    let command = draft.command.as_ref();
    let place = command.map_or(Place::Nowhere, |list| list.place);
    if launch.command.iter().any(|word| shows_it(word)) {
        resolver.wrong(
            place,
            "command",
            sentence!(
                "shows-secret",
                "contains the secret key, which every user of the machine could read there; hand \
                 it over in env as {{secret_key}}"
            ),
        );
    }
    let token = credentials.session_token.as_ref();
    let token = token.map_or("", |token| token.secret.reveal());
    let texts = || launch.command.iter().chain(launch.env.values());
    if token.len() >= TELLING && texts().any(|text| text.contains(token)) {
        resolver.wrong(
            place,
            "command",
            sentence!(
                "shows-token",
                "contains the session token, or env does, and both can be printed in reports; \
                 remove the token: Tenbin sends it with every request"
            ),
        );
    }
    let values = launch.env.values_mut();
    for value in values.filter(|value| *value == secret || shows_it(value)) {
        *value = value.replace(secret, "{secret_key}");
    }
    launch
}
