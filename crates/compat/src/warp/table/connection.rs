//! Flags for the server and the connections.

use super::{MEASURING, READING};
use crate::flag::{Flag, Kind};

const NO_METADATA_SERVICE: &str = "Tenbin asks no metadata service of a cloud machine for keys; \
give them with --access-key, --secret-key and --session-token, or a web identity with \
--signature=STS_WEB_TOKEN; for the keys of a role, use tenbin s3 with --assume-role";

const RDMA: &str = "Tenbin sends S3 requests over TCP; leave it out";

const BUFFERS: &str = "socket buffers are sized by the operating system";

pub(super) const FLAGS: &[Flag] = &[
    Flag::new(
        MEASURING,
        "host",
        Kind::Text,
        "127.0.0.1:9000",
        "hosts with ports, separated by commas; s{1...4}:9000 expands to four, \
        file:NAME reads them from a file",
    )
    .variable("WARP_HOST"),
    Flag::new(MEASURING, "access-key", Kind::Secret, "", "access key").variable("WARP_ACCESS_KEY"),
    Flag::new(
        MEASURING,
        "secret-key",
        Kind::Secret,
        "",
        "secret key; safer in the environment, since every user of a machine can read \
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
    Flag::new(MEASURING, "tls", Kind::Switch, "", "use TLS").variable("WARP_TLS"),
    Flag::new(MEASURING, "ktls", Kind::Switch, "", "use kernel TLS")
        .variable("WARP_KTLS")
        .refused("the engine implements TLS itself; use --tls"),
    Flag::new(MEASURING, "rdma", Kind::Text, "", "use S3 over RDMA")
        .variable("WARP_RDMA")
        .refused(RDMA),
    Flag::new(
        MEASURING,
        "rdma.window",
        Kind::Text,
        "",
        "size of the pinned window of RDMA PUTs",
    )
    .variable("WARP_RDMA_WINDOW")
    .refused(RDMA),
    Flag::new(
        MEASURING,
        "insecure",
        Kind::Switch,
        "",
        "accept any certificate",
    ),
    Flag::new(
        READING,
        "insecure",
        Kind::Switch,
        "",
        "accept any certificate",
    )
    .refused("this command opens no connection; leave it out"),
    Flag::new(
        MEASURING,
        "region",
        Kind::Text,
        "",
        "region; default us-east-1",
    )
    .variable("WARP_REGION"),
    Flag::new(
        MEASURING,
        "signature",
        Kind::Choice(&["S3V4", "S3V2", "IAM", "STS_WEB_TOKEN"]),
        "S3V4",
        "signature version",
    )
    .refusing(&[("IAM", NO_METADATA_SERVICE)]),
    Flag::new(
        MEASURING,
        "sts-endpoint",
        Kind::Text,
        "",
        "URL of the token service of STS_WEB_TOKEN; default: the host",
    )
    .variable("WARP_STS_ENDPOINT"),
    Flag::new(
        MEASURING,
        "sts-web-token",
        Kind::Secret,
        "",
        "token of a web identity for STS_WEB_TOKEN; file:NAME reads it from a file, again for \
        every renewal",
    )
    .variable("WARP_STS_WEB_TOKEN"),
    Flag::new(
        MEASURING,
        "sts-web-token-file",
        Kind::Text,
        "",
        "file with that token",
    )
    .variable("WARP_STS_WEB_TOKEN_FILE"),
    Flag::new(
        MEASURING,
        "lookup",
        Kind::Choice(&["", "host", "path"]),
        "",
        "position of the bucket: in the host name or in the path; default: in the host name \
        for amazonaws.com, googleapis.com and aliyuncs.com, otherwise in the path",
    ),
    Flag::new(
        MEASURING,
        "host-select",
        Kind::Choice(&["weighed", "roundrobin"]),
        "weighed",
        "selection among several hosts",
    ),
    Flag::new(
        MEASURING,
        "resolve-host",
        Kind::Switch,
        "",
        "use every address of a name",
    )
    .refused("names are resolved once; give each address with --host"),
    Flag::new(MEASURING, "http2", Kind::Switch, "", "use HTTP/2"),
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
