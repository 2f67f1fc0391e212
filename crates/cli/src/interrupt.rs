//! Ctrl-C: the first ends the slice and reports what there is, the second
//! leaves at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;

use crate::exit::Exit;

const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// A flag that the first signal sets; `say` is told what happens then. The second
/// one ends the process; what it launched is stopped by its guards.
///
/// # Errors
/// When the system refuses the handlers.
pub(crate) fn flag(say: impl Fn(&str) + Send + 'static) -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in SIGNALS {
        // Looked at first, so it is only armed once the flag below has been set.
        flag::register_conditional_shutdown(
            signal,
            i32::from(Exit::Interrupted as u8),
            Arc::clone(&stop),
        )?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    // Handlers must not print: a thread of its own does.
    let mut signals = Signals::new(SIGNALS)?;
    std::thread::Builder::new()
        .name("interrupt".to_owned())
        .spawn(move || {
            if signals.forever().next().is_some() {
                say("stopping; once more leaves at once, without a result");
            }
        })?;
    Ok(stop)
}
