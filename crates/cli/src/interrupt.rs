//! Ctrl-C: the first Ctrl-C ends the current slice and prints the results so far, the second exits
//! immediately.

use std::io;
use std::sync::Arc;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use tenbin_runner::Stop;

use crate::exit::Exit;

const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// Installs the signal handlers and returns the stop flags that the first signal sets. After the
/// first signal, `say` is called. The second signal ends Tenbin, and the guards then stop the
/// processes that Tenbin launched.
///
/// # Errors
/// If the signal handlers cannot be installed.
pub(crate) fn stop(say: impl Fn(&str) + Send + 'static) -> io::Result<Stop> {
    let stop = Stop::new();
    for signal in SIGNALS {
        // Handlers run in the order of registration: this handler exits only if a previous signal
        // has set the flag below. A run that ends by itself does not set this flag.
        flag::register_conditional_shutdown(
            signal,
            i32::from(Exit::Interrupted as u8),
            Arc::clone(stop.asked()),
        )?;
        flag::register(signal, Arc::clone(stop.asked()))?;
        flag::register(signal, Arc::clone(stop.over()))?;
    }
    // Signal handlers must not print, so a separate thread prints.
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
