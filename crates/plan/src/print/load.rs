//! Prints the keys of a load.

use std::time::Duration;

use crate::draft::{Load, LoadDraft};
use crate::keys::page::Page;
use crate::load::Pace;
use crate::load::trace::Trace;
use crate::units::duration::Time;

pub(super) fn load(page: &mut Page, load: &Load, slice: Duration) {
    if let Pace::Trace(trace) = &load.pace {
        page.note(&LoadDraft::trace, arrivals(trace, slice));
    }
    load.print_keys(page);
}

fn arrivals(trace: &Trace, slice: Duration) -> String {
    let all = trace.offsets.len();
    let sent = trace.due_within(slice.as_secs_f64());
    let what_happens = if sent < all {
        format!("{} of them after the end of a slice, not sent", all - sent)
    } else {
        "a slice ends with the last".to_owned()
    };
    let arrivals = match all {
        1 => "1 arrival".to_owned(),
        all => format!("{all} arrivals over {}", Time(trace.length())),
    };
    format!("{arrivals}; {what_happens}")
}
