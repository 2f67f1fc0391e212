//! Looks up references to environment variables in targets and workloads.

use super::command_line;
use crate::draft::{ObserveDraft, ObservedDraft, WorkloadDraft};
use crate::keys::scalar::{At, List, Scalar};
use crate::resolver::Resolver;
use crate::secrets::environment::{Variables, field, query, scalar};
use crate::secrets::{Secrets, is_secret_name};
use crate::target::TargetDraft;

/// Replaces the references in targets and workloads with their values. Each target and workload
/// records the values to conceal.
pub(super) fn look_up(
    resolver: &mut Resolver<'_>,
    targets: &mut [At<TargetDraft>],
    workloads: &mut [At<WorkloadDraft>],
) {
    let mut variables = Variables::default();
    for target in targets {
        self::target(resolver, &mut target.value, &mut variables);
    }
    for workload in workloads {
        if let Some(work) = &mut workload.value.work {
            work.keys_mut().look_up(resolver, &mut variables);
        }
    }
}

fn target(resolver: &mut Resolver<'_>, draft: &mut TargetDraft, variables: &mut Variables) {
    let mut secrets = Secrets::default();
    // The URL of a launched target has placeholders, and is printed like its command.
    if draft.command.is_none() {
        field(resolver, "url", &mut draft.url, &mut secrets);
        query(&draft.url, &mut secrets, variables);
        for url in draft.urls.iter_mut().flat_map(items) {
            scalar(resolver, "urls", url, &mut secrets);
            query(&Some(url.clone()), &mut secrets, variables);
        }
    }
    let observed = draft.observe.iter_mut();
    for source in observed.flat_map(|observed| sources(&mut observed.value)) {
        pages(resolver, source, &mut secrets, variables);
    }
    command_line::move_variables(resolver, draft);
    for (name, value) in draft.env.iter_mut().flat_map(|env| &mut env.value.0) {
        let written = value.clone();
        scalar(resolver, &format!("env {name}"), value, &mut secrets);
        let Ok(text) = value.value.text() else {
            continue;
        };
        // Placeholders such as {secret_key}, and references, are not secret.
        if *value == written && is_secret_name(name) && !text.contains('{') {
            secrets.add(text, &variables.reference("ENV", name, text));
        }
    }
    draft.secrets = secrets;
}

/// The URLs of the page that a target is observed by.
fn pages(
    resolver: &mut Resolver<'_>,
    source: &mut ObserveDraft,
    secrets: &mut Secrets,
    variables: &mut Variables,
) {
    field(resolver, "observe.tenbin", &mut source.tenbin, secrets);
    query(&source.tenbin, secrets, variables);
    field(
        resolver, "observe.prometheus", &mut source.prometheus, secrets,
    );
    query(&source.prometheus, secrets, variables);
}

fn sources(observed: &mut ObservedDraft) -> Vec<&mut ObserveDraft> {
    match observed {
        ObservedDraft::One(source) => vec![source.as_mut()],
        ObservedDraft::Several(all) => all.iter_mut().map(|source| &mut source.value).collect(),
    }
}

fn items(list: &mut At<List>) -> impl Iterator<Item = &mut At<Scalar>> {
    if let List::One(value) = &list.value {
        let value = value.clone();
        let place = list.place;
        list.value = List::Many(vec![At { value, place }]);
    }
    let items = match &mut list.value {
        List::Many(items) => items.as_mut_slice(),
        List::One(_) => &mut [],
    };
    items.iter_mut()
}
