//! Checks that `deny.toml` allows the licence of every dependency.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::metadata::{Metadata, Package};
use super::spdx;

/// The part of `deny.toml` that this check reads.
#[derive(Deserialize)]
struct Deny {
    licenses: Licenses,
}

#[derive(Deserialize)]
struct Licenses {
    allow: BTreeSet<String>,
}

/// Fails with a list of all packages with a forbidden licence.
pub(super) fn check() -> Result<()> {
    let text = std::fs::read_to_string("deny.toml").context("cannot read deny.toml")?;
    let deny: Deny = toml::from_str(&text).context("cannot read deny.toml")?;
    let metadata = Metadata::of_everything()?;
    let packages: Vec<&Package> = metadata.used_packages().collect();
    let offences: Vec<String> = packages
        .iter()
        .filter_map(|package| offence(package, &deny.licenses.allow))
        .collect();
    if !offences.is_empty() {
        bail!(
            "{}\nthe allowed licences are in deny.toml",
            offences.join("\n")
        );
    }
    println!("{} packages, all under allowed licences", packages.len());
    Ok(())
}

fn offence(package: &Package, allowed: &BTreeSet<String>) -> Option<String> {
    let Package { name, version, .. } = package;
    let Some(expression) = package.license.as_deref() else {
        return Some(format!("{name} {version} names no licence"));
    };
    match spdx::allows(expression, |licence| allowed.contains(licence)) {
        Ok(true) => None,
        Ok(false) => Some(format!("{name} {version} is under {expression}")),
        Err(error) => Some(format!("{name} {version}: licence `{expression}`: {error}")),
    }
}
