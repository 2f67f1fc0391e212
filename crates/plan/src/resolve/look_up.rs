//! References in what a draft says of targets and workloads.

use crate::desk::Desk;
use crate::draft::{TargetDraft, WorkloadDraft};
use crate::references::{Variables, field, query, scalar};
use crate::scalar::{At, List, Scalar};
use crate::secrets::{Secrets, is_secret_name};

/// Looks up every reference in the texts of targets and workloads that may have some, and notes
/// on each target and workload what is to be concealed.
pub(super) fn look_up(
    desk: &mut Desk<'_>,
    targets: &mut [At<TargetDraft>],
    workloads: &mut [At<WorkloadDraft>],
) {
    let mut variables = Variables::default();
    for target in targets {
        self::target(desk, &mut target.value, &mut variables);
    }
    for workload in workloads {
        if let Some(work) = &mut workload.value.work {
            work.keys_mut().look_up(desk, &mut variables);
        }
    }
}

fn target(desk: &mut Desk<'_>, draft: &mut TargetDraft, variables: &mut Variables) {
    let mut secrets = Secrets::default();
    // The URL of a launched target has placeholders, and is printed like its command.
    if draft.command.is_none() {
        field(desk, "url", &mut draft.url, &mut secrets);
        query(&draft.url, &mut secrets, variables);
        for url in draft.urls.iter_mut().flat_map(items) {
            scalar(desk, "urls", url, &mut secrets);
            query(&Some(url.clone()), &mut secrets, variables);
        }
    }
    for (name, value) in draft.env.iter_mut().flat_map(|env| &mut env.value.0) {
        let written = value.clone();
        scalar(desk, &format!("env {name}"), value, &mut secrets);
        let Ok(text) = value.value.text() else {
            continue;
        };
        // A placeholder such as {secret_key} is no secret, and neither is a reference.
        if *value == written && is_secret_name(name) && !text.contains('{') {
            secrets.add(text, &variables.reference("ENV", name, text));
        }
    }
    draft.secrets = secrets;
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
