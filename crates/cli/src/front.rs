//! The command line that the user wrote: Tenbin's own, or that of another tool.

use std::borrow::Cow;
use std::sync::OnceLock;

use tenbin_compat::Spelling;

use crate::sentences::said;

static USED: OnceLock<&Spelling> = OnceLock::new();

/// Sets that the user wrote a command line of this tool. From now on, messages name its flags.
pub(crate) fn choose(tool: &str) {
    if let Some(spelling) = Spelling::for_command(tool) {
        USED.get_or_init(|| spelling);
    }
}

/// Whether the user wrote a command line of Tenbin.
pub(crate) fn is_own() -> bool {
    USED.get().is_none()
}

/// The message with flags of the command line that the user wrote.
pub(crate) fn spelled(message: &str) -> Cow<'_, str> {
    match USED.get() {
        Some(spelling) => spelling.spell(message, crate::args::is_added, said),
        None => Cow::Borrowed(message),
    }
}
