//! Ctrl-C: the first ends the current slice and prints the results so far, the second exits
//! immediately.

use std::io;
use std::sync::Arc;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use tenbin_runner::Stop;

use crate::exit::Exit;

const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// The stop flags set by the first signal. Calls `say` after the first signal. The second signal
/// ends Tenbin; its guards then stop the processes that Tenbin launched.
///
/// # Errors
/// When the signal handlers cannot be installed.
pub(crate) fn stop(say: impl Fn(&str) + Send + 'static) -> io::Result<Stop> {
    let stop = Stop::new();
    for signal in SIGNALS {
        // Registered first and therefore checked first: armed only by the flag below, and never
        // by a run that ends by itself.
        flag::register_conditional_shutdown(
            signal,
            i32::from(Exit::Interrupted as u8),
            Arc::clone(stop.asked()),
        )?;
        flag::register(signal, Arc::clone(stop.asked()))?;
        flag::register(signal, Arc::clone(stop.over()))?;
    }
    // Signal handlers must not print: a separate thread does.
    let mut signals = Signals::new(SIGNALS)?;
    std::thread::Builder::new()
        .name("interrupt".to_owned())
        .spawn(move || {
            if signals.forever().next().is_some() {
                say("stopping; press Ctrl-C again to exit immediately without a result");
            }
        })?;
    Ok(stop)
}
