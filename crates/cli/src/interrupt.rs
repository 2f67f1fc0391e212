//! Ctrl-C: the first ends the slice and reports what there is, the second
//! leaves at once.

use std::io;
use std::sync::Arc;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use tenbin_runner::Stop;

use crate::exit::Exit;

const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// What the first signal sets; `say` is told what happens then. The second one ends
/// the process; what it launched is stopped by its guards.
///
/// # Errors
/// When the system refuses the handlers.
pub(crate) fn stop(say: impl Fn(&str) + Send + 'static) -> io::Result<Stop> {
    let stop = Stop::new();
    for signal in SIGNALS {
        // Looked at first, so it is only armed once the flag below has been set; and
        // never by a run that ends for a reason of its own.
        flag::register_conditional_shutdown(
            signal,
            i32::from(Exit::Interrupted as u8),
            Arc::clone(stop.asked()),
        )?;
        flag::register(signal, Arc::clone(stop.asked()))?;
        flag::register(signal, Arc::clone(stop.over()))?;
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
