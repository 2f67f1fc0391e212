//! Prints workloads as tables.

use std::time::Duration;

use super::load::load;
use crate::draft::WorkloadDraft;
use crate::keys::page::{Page, text};
use crate::plan::workload::Workload;

pub(super) fn workload(page: &mut Page, workload: &Workload, own_load: bool, slice: Duration) {
    page.table("[[workload]]");
    page.pair("name", text(&workload.name));
    workload.kind.print(page);
    page.unless(&WorkloadDraft::stages, workload.stages, false);
    if own_load {
        page.text += "[workload.load]\n";
        load(page, &workload.load, slice);
    }
}
