//! What a finding says of the test machine, which is busy, nearly full or shares its hardware with others.

/// Rules that judge the machine of the test and not what the test measures.
pub(crate) const MACHINE_RULES: &[&str] = &[
    "absolute_figures", "client_saturated", "cpu_frequency", "disk_space", "machine_full",
    "others_busy", "send_lag", "shared_cores", "steal", "storage_pressure", "swapping",
    "throttled",
];

/// Whether a printed line names one of these rules.
pub(crate) fn names_machine_rule(line: &str) -> bool {
    let mut words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.any(|word| MACHINE_RULES.contains(&word))
}
