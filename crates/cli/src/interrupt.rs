//! Ctrl-C: the first Ctrl-C in a phase of a run ends that phase in order, the second exits
//! immediately. The phases are everything up to the result, and the clean-up.

use std::io;
use std::sync::Arc;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use tenbin_plan::{Sentence, sentence};
use tenbin_runner::Stop;

use crate::exit::Exit;

/// Signals of which the second in a phase exits immediately.
const IMPATIENT: [i32; 2] = [SIGINT, SIGTERM];

/// Installs the signal handlers and returns the stop flags that the first signal sets. After a
/// signal, `say` is called. The second signal in a phase ends Tenbin, and the guards then stop the
/// processes that Tenbin launched.
///
/// SIGHUP, the end of the terminal, ends the run like the first Ctrl-C. The kernel and the shell
/// may both send the signal, so further ones neither end Tenbin at once nor end the clean-up.
/// Under `nohup`, which ignores the signal, the run goes on.
///
/// # Errors
/// If the signal handlers cannot be installed: one sentence.
pub(crate) fn stop(say: impl Fn(&Sentence) + Send + 'static) -> Result<Stop, Sentence> {
    install(say)
        .map_err(|why| sentence!("no-ctrl-c", "cannot install the Ctrl-C handler: {why}", why))
}

fn install(say: impl Fn(&Sentence) + Send + 'static) -> io::Result<Stop> {
    let stop = Stop::new();
    for signal in IMPATIENT {
        // Handlers run in the order of registration: this handler exits only if a previous signal
        // has set the flag below. A run that ends by itself does not set this flag.
        flag::register_conditional_shutdown(
            signal,
            i32::from(Exit::Interrupted.code()),
            Arc::clone(stop.again()),
        )?;
        flag::register(signal, Arc::clone(stop.again()))?;
        flag::register(signal, Arc::clone(stop.late()))?;
    }
    let mut handled = IMPATIENT.to_vec();
    if !is_ignored(SIGHUP) {
        handled.push(SIGHUP);
    }
    for &signal in &handled {
        flag::register(signal, Arc::clone(stop.asked()))?;
        flag::register(signal, Arc::clone(stop.over()))?;
    }
    // Signal handlers must not print, so a separate thread prints.
    let mut signals = Signals::new(&handled)?;
    let phase = stop.clone();
    std::thread::Builder::new()
        .name("interrupt".to_owned())
        .spawn(move || {
            for _ in signals.forever() {
                say(&if phase.is_cleaning() {
                    sentence!(
                        "stopping-clean-up",
                        "stopping the clean-up, the result is kept; press Ctrl-C again to exit \
                         immediately"
                    )
                } else {
                    sentence!(
                        "stopping",
                        "stopping; press Ctrl-C again to exit immediately without a result"
                    )
                });
            }
        })?;
    Ok(stop)
}

/// Whether the process was started with this signal ignored.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    is_in_mask(&status, signal)
}

/// Whether the line `SigIgn` of `/proc/PID/status` contains this signal.
fn is_in_mask(status: &str, signal: i32) -> bool {
    let mut lines = status.lines();
    let mask = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ignored_signal_is_found_in_the_mask() {
        let status = "Name:\tx\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n";
        assert!(is_in_mask(status, SIGHUP));
        assert!(is_in_mask(status, 13));
        assert!(!is_in_mask(status, SIGINT));
        assert!(!is_in_mask("", SIGHUP));
    }
}
