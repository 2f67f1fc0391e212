//! Checks the kernel: its release, whether it runs in a virtual machine, and its limit on waiting
//! connections.

use tenbin_plan::sentence;

use super::{Check, CheckConfig, Outcome};

/// Facts about the kernel.
#[derive(Debug, Clone, Default)]
struct Kernel {
    /// Release, for example `6.8.0`.
    release: Option<String>,
    /// Whether a hypervisor runs this machine.
    is_virtual: Option<bool>,
    /// Most connections that wait until a local server accepts them.
    backlog: Option<u64>,
}

pub(super) struct KernelCheck;

impl Check for KernelCheck {
    fn name(&self) -> &'static str {
        "kernel"
    }

    fn of_machine(&self, config: &CheckConfig) -> Vec<Outcome> {
        let text = |path: &str| std::fs::read_to_string(path).ok();
        let trimmed = |path: &str| Some(text(path)?.trim().to_owned());
        let kernel = Kernel {
            release: trimmed("/proc/sys/kernel/osrelease"),
            is_virtual: text("/proc/cpuinfo").as_deref().and_then(is_virtual),
            backlog: trimmed("/proc/sys/net/core/somaxconn").and_then(|number| number.parse().ok()),
        };
        vec![judge(&kernel, config.connections)]
    }
}

/// Whether the processor flags name a hypervisor; `None` where there are no such flags.
fn is_virtual(cpuinfo: &str) -> Option<bool> {
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags"))?;
    Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

fn judge(kernel: &Kernel, connections: u64) -> Outcome {
    let Some(release) = &kernel.release else {
        return Outcome::unknown(sentence!(
            "release-unreadable", "its release is not readable"
        ));
    };
    let (place, virtual_word) = match kernel.is_virtual {
        Some(true) => (", in a virtual machine", "yes"),
        Some(false) => (", not in a virtual machine", "no"),
        None => ("", "unknown"),
    };
    let Some(backlog) = kernel.backlog else {
        let kernel = sentence!("kernel", "{release}{place}", release, place);
        return Outcome::ok(kernel.with("virtual", virtual_word));
    };
    let evidence = sentence!(
        "kernel-backlog",
        "{release}{place}; up to {backlog} connections can wait until a local server accepts them",
        release,
        place,
        backlog
    );
    let evidence = evidence.with("virtual", virtual_word);
    if connections > backlog {
        let advice = sentence!(
            "raise-somaxconn",
            "{connections} connections that open together can exceed this limit, and those above it \
             are delayed by 1 s or more: raise net.core.somaxconn",
            connections
        );
        return Outcome::warning(evidence, advice);
    }
    Outcome::ok(evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    #[test]
    fn more_connections_than_the_backlog_are_a_warning() {
        let kernel = Kernel {
            release: Some("6.12".to_owned()),
            is_virtual: Some(true),
            backlog: Some(128),
        };
        assert_eq!(judge(&kernel, 128).state, State::Ok);
        let found = judge(&kernel, 129);
        assert_eq!(found.state, State::Warning);
        assert!(
            found
                .evidence
                .text()
                .starts_with("6.12, in a virtual machine; up to 128")
        );
        assert_eq!(judge(&Kernel::default(), 1).state, State::Unknown);
    }

    #[test]
    fn a_hypervisor_is_one_of_the_flags() {
        let info = "processor: 0\nflags\t\t: fpu hypervisor lahf_lm\n";
        assert_eq!(is_virtual(info), Some(true));
        assert_eq!(is_virtual("flags : fpu\n"), Some(false));
        assert_eq!(is_virtual("Features : asimd\n"), None);
    }
}
