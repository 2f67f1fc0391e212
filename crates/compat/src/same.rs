//! Flags of Tenbin, each with another tool's flag for the same setting.

/// Flags of Tenbin with those of a tool.
type Pairs = &'static [(&'static str, &'static str)];

const SAME: &[(&str, Pairs)] = &[
    (
        "ab",
        &[
            ("--connections", "-c"),
            ("--requests", "-n"),
            ("--timeout", "-s"),
            ("--header", "-H"),
            ("--body-file", "-p"),
            ("--method", "-m"),
            ("--source", "-B"),
            ("--cert", "-E"),
        ],
    ),
    (
        "hsbench",
        &[
            ("--connections", "-t"),
            ("--objects", "-n"),
            ("--size", "-z"),
            ("--region", "-r"),
            ("--page", "-mk"),
        ],
    ),
    (
        "warp",
        &[
            ("--connections", "--concurrent"),
            ("--size", "--obj.size"),
            ("--rate", "--rps-limit"),
            ("--part-size", "--part.size"),
            ("--page", "--max-keys"),
            ("--existing", "--list-existing"),
            ("--keep", "--keep-data"),
            ("--ops-log", "--full"),
        ],
    ),
    (
        "blobstore-bench",
        &[
            ("--connections", "-t"),
            ("--objects", "-n"),
            ("--size", "-s"),
            ("--phases", "-m"),
            ("--rounds", "-l"),
            ("--errors", "-e"),
            ("--prefix", "-pr"),
        ],
    ),
    (
        "drnbench-request-response",
        &[
            ("--timeout", "--default-timeout"),
            ("--patterns", "--request-patterns-file"),
            ("--method", "--default-method"),
            ("--think", "--wait"),
            ("--gap", "--interval"),
        ],
    ),
];

/// The pairs of the tool with this command.
pub(crate) fn flags(command: &str) -> Pairs {
    let mut tools = SAME.iter();
    tools
        .find(|(tool, _)| *tool == command)
        .map_or(&[], |(_, pairs)| pairs)
}

/// The tool's flag for the setting of Tenbin's flag `ours`, such as `--connections`, if they differ.
pub(crate) fn own_flag(command: &str, ours: &str) -> Option<&'static str> {
    let mut pairs = flags(command).iter();
    pairs.find(|(flag, _)| *flag == ours).map(|(_, own)| *own)
}
