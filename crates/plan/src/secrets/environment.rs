//! `{env:NAME}` in the texts of a plan, and values that look secret.
//!
//! A printed plan contains neither the value of a reference nor a literal that looks secret: a
//! reference is printed as written, and the literal is printed as a reference to the environment
//! variable that the next run reads.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;

use crate::keys::scalar::{At, Field, Scalar};
use crate::resolver::Resolver;
use crate::secrets::parameters::is_secret_parameter;
use crate::secrets::{Secrets, is_secret_name};
use crate::{Sentence, sentence};

pub(crate) fn field(
    resolver: &mut Resolver<'_>,
    key: &str,
    field: &mut Field,
    secrets: &mut Secrets,
) {
    if let Some(value) = field {
        scalar(resolver, key, value, secrets);
    }
}

pub(crate) fn scalar(
    resolver: &mut Resolver<'_>,
    key: &str,
    value: &mut At<Scalar>,
    secrets: &mut Secrets,
) {
    let Scalar::Text(text) = &value.value else {
        return;
    };
    let context = &resolver.context;
    let looked_up = with_values(
        text,
        &context.environment,
        &resolver.looked_up,
        |found, reference| secrets.add(found, reference),
    );
    match looked_up {
        Ok(looked_up) if looked_up == *text => {}
        Ok(looked_up) => {
            secrets.add(&looked_up, text);
            value.value = Scalar::Text(looked_up);
        }
        Err(message) => resolver.wrong(value.place, key, message),
    }
}

/// Largest total length of the variables that a plan names, bytes. A plan can name one variable many
/// times, and a short plan could otherwise fill the memory.
const LARGEST_LOOK_UP: usize = 16 << 20;

/// Replaces every `{env:NAME}` in a text with the value of the variable; `found` is called with
/// each value and its reference. `looked_up` is the total length of the values so far.
pub(crate) fn with_values(
    written: &str,
    environment: &dyn Fn(&str) -> Option<String>,
    looked_up: &Cell<usize>,
    mut found: impl FnMut(&str, &str),
) -> Result<String, Sentence> {
    let mut text = String::new();
    let mut rest = written;
    while let Some((before, reference)) = rest.split_once("{env:") {
        let (variable, after) = reference.split_once('}').ok_or(sentence!(
            "env-open",
            "{{env: has no closing brace; write {{env:NAME}}"
        ))?;
        let value = environment(variable).ok_or_else(|| {
            sentence!(
                "variable-not-set",
                "the environment variable {variable:?} is not set",
                variable
            )
        })?;
        looked_up.set(looked_up.get().saturating_add(value.len()));
        if looked_up.get() > LARGEST_LOOK_UP {
            return Err(sentence!(
                "variables-too-long",
                "the values of {{env:…}} in this plan are longer than {largest_look_up} MiB \
                    in all, the most that is looked up",
                largest_look_up = LARGEST_LOOK_UP >> 20
            ));
        }
        found(&value, &format!("{{env:{variable}}}"));
        text += before;
        text += &value;
        rest = after;
    }
    Ok(text + rest)
}

/// Records as secrets the values of parameters with names that look secret, in a query or a path.
/// `field` is a URL or a path.
pub(crate) fn query(field: &Field, secrets: &mut Secrets, variables: &mut Variables) {
    if let Some(text) = field.as_ref().and_then(|field| field.value.text().ok()) {
        parameters(text, secrets, variables);
    }
}

/// As [`query`], for a URL or a path as text.
pub(crate) fn parameters(text: &str, secrets: &mut Secrets, variables: &mut Variables) {
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    // A weight can follow a URL.
    let until = |text: &str, ends: &[char]| text.split(ends).next().unwrap_or_default().to_owned();
    // Parameters of a path: `/a;jsessionid=…/b`.
    for part in path.split(';').skip(1) {
        pairs(&until(part, &['/', ' ', '#']), "QUERY", secrets, variables);
    }
    pairs(&until(query, &[' ', '#']), "QUERY", secrets, variables);
}

/// Records as secrets the values of fields with names that look secret, in a body that is a form or
/// JSON.
pub(crate) fn body(field: &Field, secrets: &mut Secrets, variables: &mut Variables) {
    let Some(text) = field.as_ref().and_then(|field| field.value.text().ok()) else {
        return;
    };
    match serde_json::from_str(text) {
        Ok(value) => json(&value, secrets, variables),
        Err(_) => pairs(text, "BODY", secrets, variables),
    }
}

fn pairs(text: &str, kind: &str, secrets: &mut Secrets, variables: &mut Variables) {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    let is_secret = |name: &str, value: &str| is_secret_parameter(name) && !value.is_empty();
    for (name, value) in pairs.filter(|(name, value)| is_secret(name, value)) {
        let reference = variables.reference(kind, name, value);
        secrets.add_parameter(name, value, &reference);
    }
}

fn json(value: &serde_json::Value, secrets: &mut Secrets, variables: &mut Variables) {
    match value {
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_str() {
                    Some(text) if is_secret_name(name) && !text.is_empty() => {
                        let quoted = value.to_string();
                        let written = &quoted[1..quoted.len() - 1];
                        let reference = variables.reference("BODY", name, written);
                        secrets.add(written, &reference);
                        secrets.add(&quoted, &format!("\"{reference}\""));
                    }
                    _ => json(value, secrets, variables),
                }
            }
        }
        serde_json::Value::Array(items) => {
            items.iter().for_each(|item| json(item, secrets, variables));
        }
        _ => {}
    }
}

/// The variables in which the next run expects literal secrets, with their values.
#[derive(Default)]
pub struct Variables(BTreeMap<String, String>);

impl fmt::Debug for Variables {
    /// The names only: the values are secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Variables {
    /// The reference to the variable of a secret, for example `{env:TENBIN_ENV_DB_PASSWORD}` of the kind
    /// `ENV`. A number is appended to the variable's name if the name already stands for a different value.
    pub fn reference(&mut self, kind: &str, name: &str, value: &str) -> String {
        let usual = variable(kind, name);
        let mut variable = usual.clone();
        let mut number = 1;
        while self.0.get(&variable).is_some_and(|taken| taken != value) {
            number += 1;
            variable = format!("{usual}_{number}");
        }
        self.0.insert(variable.clone(), value.to_owned());
        format!("{{env:{variable}}}")
    }
}

/// The name of the environment variable for a secret that was given literally.
pub(crate) fn variable(kind: &str, name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    let name: String = name.chars().map(plain).collect();
    format!("TENBIN_{kind}_{name}")
}
