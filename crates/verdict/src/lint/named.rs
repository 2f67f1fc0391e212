//! Names of operations, as people write them.

/// Whether `name`, as somebody wrote it, is this operation. A benchmark of Go can be named without
/// its number of processors: `Get` is `Get-8`.
pub fn is_named(operation: &str, name: &str) -> bool {
    let rest = operation.strip_prefix(name);
    rest.is_some_and(|rest| {
        let processors = rest.strip_prefix('-');
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        rest.is_empty() || processors.is_some_and(is_number)
    })
}
