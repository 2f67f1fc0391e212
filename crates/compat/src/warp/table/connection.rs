//! Where the server is and how to get there.

use super::MEASURING;
use crate::flag::{Flag, Kind};

const STS: &str = "Tenbin asks no token service; get keys from it and give such that \
                   last with --access-key and --secret-key";

const BUFFERS: &str = "socket buffers are left to the system, which sizes them as it goes";

pub(super) const FLAGS: &[Flag] = &[
    Flag::new(
        MEASURING,
        "host",
        Kind::Text,
        "127.0.0.1:9000",
        "hosts with their ports, separated by commas; s{1...4}:9000 stands for four, \
         file:NAME for those in a file",
    )
    .variable("WARP_HOST"),
    Flag::new(MEASURING, "access-key", Kind::Secret, "", "access key").variable("WARP_ACCESS_KEY"),
    Flag::new(
        MEASURING,
        "secret-key",
        Kind::Secret,
        "",
        "secret key; better in the environment, since every user of a machine can read \
         command lines",
    )
    .variable("WARP_SECRET_KEY"),
    Flag::new(
        MEASURING,
        "session-token",
        Kind::Secret,
        "",
        "session token of temporary keys",
    )
    .variable("WARP_SESSION_TOKEN"),
    Flag::new(MEASURING, "tls", Kind::Switch, "", "speak TLS").variable("WARP_TLS"),
    Flag::new(
        MEASURING,
        "ktls",
        Kind::Switch,
        "",
        "let the kernel speak TLS",
    )
    .variable("WARP_KTLS")
    .refused("the engine speaks TLS itself; use --tls"),
    Flag::new(
        MEASURING,
        "insecure",
        Kind::Switch,
        "",
        "accept any certificate",
    ),
    Flag::new(
        MEASURING,
        "region",
        Kind::Text,
        "",
        "region; us-east-1 without",
    )
    .variable("WARP_REGION"),
    Flag::new(
        MEASURING,
        "signature",
        Kind::Choice(&["S3V4", "S3V2", "IAM", "STS_WEB_TOKEN"]),
        "S3V4",
        "how requests are signed",
    ),
    Flag::new(MEASURING, "sts-endpoint", Kind::Text, "", "token service")
        .variable("WARP_STS_ENDPOINT")
        .refused(STS),
    Flag::new(
        MEASURING,
        "sts-web-token",
        Kind::Secret,
        "",
        "token for the token service",
    )
    .variable("WARP_STS_WEB_TOKEN")
    .refused(STS),
    Flag::new(
        MEASURING,
        "sts-web-token-file",
        Kind::Text,
        "",
        "file with that token",
    )
    .variable("WARP_STS_WEB_TOKEN_FILE")
    .refused(STS),
    Flag::new(
        MEASURING,
        "lookup",
        Kind::Choice(&["", "host", "path"]),
        "",
        "where the bucket stands: in the host name or in the path; without, in the host name \
         for amazonaws.com, googleapis.com and aliyuncs.com and else in the path",
    ),
    Flag::new(
        MEASURING,
        "host-select",
        Kind::Choice(&["weighed", "roundrobin"]),
        "weighed",
        "how several hosts are chosen from",
    ),
    Flag::new(
        MEASURING,
        "resolve-host",
        Kind::Switch,
        "",
        "use every address that a name has",
    )
    .refused("names are looked up once; give the addresses themselves to --host"),
    Flag::new(MEASURING, "http2", Kind::Switch, "", "speak HTTP/2"),
    Flag::new(
        MEASURING,
        "disable-http-keepalive",
        Kind::Switch,
        "",
        "open a connection for every request",
    ),
    Flag::new(
        MEASURING,
        "sndbuf",
        Kind::Whole,
        "32768",
        "socket buffer for writing, bytes",
    )
    .noted(BUFFERS),
    Flag::new(
        MEASURING,
        "rcvbuf",
        Kind::Whole,
        "32768",
        "socket buffer for reading, bytes",
    )
    .noted(BUFFERS),
];
