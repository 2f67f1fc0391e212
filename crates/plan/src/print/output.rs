//! Prints `[output]`.

use crate::draft::OutputDraft;
use crate::output::Output;
use crate::page::{Page, list, text};

pub(super) fn output(page: &mut Page, output: &Output) {
    if *output == Output::default() {
        return;
    }
    page.table("[output]");
    if !output.export.is_empty() {
        page.key(&OutputDraft::export, list(output.export.iter().map(text)));
    }
    match output.live {
        None => {}
        Some(0) => page.key(&OutputDraft::live, true),
        Some(port) => page.key(&OutputDraft::live, port),
    }
    if let Some(address) = output.prometheus {
        page.key(&OutputDraft::prometheus, text(address));
    }
    if let Some(url) = &output.otlp {
        page.key(&OutputDraft::otlp, text(url));
    }
}
