//! Names of targets and workloads: checks and defaults.

use std::collections::BTreeSet;

use crate::keys::scalar::{Field, Scalar};
use crate::plan_file::mistake::Mistake;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::{Sentence, sentence};

const LONGEST: usize = 64;

/// Reads a name, and checks that file names and tables can contain the name.
pub(crate) fn checked(scalar: &Scalar) -> Result<String, Sentence> {
    let name = scalar.text()?;
    if name.is_empty() {
        return Err(sentence!("empty-name", "a name cannot be empty"));
    }
    if let Some(bad) = name.chars().find(|&c| !allowed(c)) {
        let better = from_text(name);
        let hint = match better.as_str() {
            "" => Sentence::default(),
            better => sentence!("better-name", ", for example {better:?}", better),
        };
        return Err(sentence!(
            "bad-name",
            "{name:?} has {bad:?} in it; a name is made of letters, digits, '-', '_' and '.'{hint}",
            name,
            bad,
            hint
        ));
    }
    if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return Err(sentence!(
            "name-start",
            "{name:?} does not begin with a letter or a digit",
            name
        ));
    }
    if name.len() > LONGEST {
        return Err(sentence!(
            "name-length",
            "a name has at most {longest} characters",
            longest = LONGEST
        ));
    }
    Ok(name.to_owned())
}

/// The text changed into a name; can be empty.
pub(crate) fn from_text(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| if allowed(c) { c } else { '-' })
        .collect();
    let trimmed = plain.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let end = trimmed.len().min(LONGEST);
    trimmed[..end].trim_end_matches(['-', '.']).to_owned()
}

fn allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// The names in use, without duplicates.
#[derive(Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// The name in `field`; without one, `default`, with a number at its end if `default` is in
    /// use.
    pub(crate) fn pick(
        &mut self,
        resolver: &mut Resolver<'_>,
        what: &'static str,
        field: &Field,
        default: impl FnOnce() -> String,
    ) -> String {
        let name = match resolver.read("name", field, checked) {
            Some(name) => {
                if self.taken.contains(&name) {
                    let place = field.as_ref().map_or(Place::Nowhere, |field| field.place);
                    let name = name.clone();
                    resolver.wrong(place, "name", Mistake::same_name(what, &name));
                }
                name
            }
            None => self.free(&default()),
        };
        self.taken.insert(name.clone());
        name
    }

    /// Adds the name of a target in a sweep, and reports a name that is too long.
    pub(crate) fn take(
        &mut self,
        resolver: &mut Resolver<'_>,
        what: &'static str,
        name: &str,
        place: Place,
    ) {
        if name.len() > LONGEST {
            let message = sentence!(
                "name-of-sweep-length",
                "{name:?} is too long for a name, which has at most {longest} characters; \
                    shorten the {what}'s own name",
                name,
                longest = LONGEST,
                what
            );
            resolver.wrong(place, "sweep", message);
        }
        self.taken.insert(name.to_owned());
    }

    /// The common part of the names of a ramp's levels: the name in `field`, or `default`.
    pub(crate) fn base(
        &self,
        resolver: &mut Resolver<'_>,
        field: &Field,
        default: impl FnOnce() -> String,
    ) -> String {
        resolver
            .read("name", field, checked)
            .unwrap_or_else(default)
    }

    /// The name of one level of a ramp.
    pub(crate) fn level(&mut self, base: &str, connections: usize) -> String {
        let name = self.free(&lengthened(base, &format!("-c{connections}")));
        self.taken.insert(name.clone());
        name
    }

    fn free(&self, wanted: &str) -> String {
        std::iter::once(wanted.to_owned())
            .chain((2u32..).map(|number| numbered(wanted, number)))
            .find(|name| !self.taken.contains(name))
            .expect("numbers do not run out")
    }
}

/// The name with a number at its end, shortened to the maximum length of a name.
fn numbered(name: &str, number: u32) -> String {
    lengthened(name, &format!("-{number}"))
}

/// The name with `end` at its end, shortened to the maximum length of a name.
fn lengthened(name: &str, end: &str) -> String {
    let room = name.len().min(LONGEST - end.len());
    format!("{}{end}", &name[..room])
}

/// The name with `end` at its end, and with a number if that name is in `taken`.
pub(crate) fn behind(name: &str, end: &str, taken: &BTreeSet<&str>) -> String {
    let numbers = (2u32..).map(|number| lengthened(name, &format!("{end}-{number}")));
    std::iter::once(lengthened(name, end))
        .chain(numbers)
        .find(|name| !taken.contains(name.as_str()))
        .expect("numbers do not run out")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_default_is_a_name_however_often_it_is_taken() {
        let mut names = Names::default();
        let long = "x".repeat(LONGEST);
        for _ in 0..12 {
            let name = names.free(&long);
            assert!(checked(&Scalar::from(name.as_str())).is_ok(), "{name}");
            assert!(names.taken.insert(name));
        }
    }
}
