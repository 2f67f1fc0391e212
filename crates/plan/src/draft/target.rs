//! The keys of `[[target]]`.

use crate::connect::{DeadHosts, HttpVersion, IpVersion, TlsVersion};
use crate::draft::observe::ObservedDraft;
use crate::key::{Flag, Takes, choice, section, size, switch, text, time};
use crate::reach::Builtin;
use crate::scalar::{Entries, FromFlag, List, Scalar, SweepDraft};
use crate::searched::SearchServer;
use crate::secret::Secret;
use crate::secrets::Secrets;
use crate::store::Store;
use crate::target::Signature;

section! {
    /// One `[[target]]`: `url` or `urls`, or `command` with further keys, or `builtin`.
    pub struct TargetDraft("in [[target]]", "a table such as [[target]]") {
        /// unique name
        name: Scalar = text("name")
            .default_rule("host and port, program, or name of the built-in server");
        /// program and arguments, as a list, or as one line with quotes as in a shell. No shell is
        /// run
        command: List = text("list, or one line of text").synonyms(&["cmd"]);
        /// addresses of this machine. Tenbin starts one process per address, replaces `{host}` with
        /// the address, and sends requests to the processes in turn. `3` means 127.0.0.1, 127.0.0.2
        /// and 127.0.0.3. The target is ready when all processes are ready; its resource usage is
        /// the sum over all processes
        nodes: List = text("1 to 100, or a list of addresses").default_rule("one process");
        /// additional environment variables
        env: Entries = text("`{ NAME = \"value\" }`").synonyms(&["environment"])
            .flag(
                Flag::of(
                    "--launch-env",
                    Takes::OfTarget("NAME=VARIABLE=VALUE"),
                    "Environment variable of a launched server, repeatable; {secret_key} in \
                     VALUE is replaced with the S3 secret key",
                ),
            );
        /// working directory
        directory: Scalar = text("path")
            .default_rule("the directory of the plan file")
            .synonyms(&["cwd", "workdir"])
            .flag(
                Flag::of(
                    "--launch-dir",
                    Takes::OfTarget("NAME=DIR"),
                    "Working directory of a launched server",
                )
                .default("the current directory"),
            );
        /// base URL of a running server, `http://host:port/path` or `https://…`; for S3 without a
        /// path. `"file:///DIR"` is a directory. For a target with a `command`, the URL of the
        /// started server
        url: Scalar = text("URL")
            .default_rule(
                "with `command` `\"http://127.0.0.1:{port}/\"`; with `nodes` \
                 `\"http://{host}:{port}/\"`",
            )
            .synonyms(&["endpoint", "host", "address"])
            .flag(
                Flag::of(
                    "--launch-url",
                    Takes::OfTarget("NAME=URL"),
                    "URL of a launched server",
                )
                .default("http://127.0.0.1:{port}/"),
            );
        /// base URLs of hosts that share the load, with the same scheme and path. With `weight N`
        /// (1 to 1000) after its URL, a host gets N times as many requests as a host with weight 1
        urls: List = text("list of URLs")
            .default_rule("weight 1 each")
            .synonyms(&["hosts", "endpoints"])
            .flag(Flag::per_target(
                "--host",
                "[NAME=]URL",
                "Another host of a target, repeatable. Append 'weight 3' to the URL for three \
                 times the requests. http://db{1...4}:9000 adds four hosts",
            ));
        /// readiness check: the port of the URL, or the Unix socket, accepts connections; a URL
        /// returns a status below 500 (with `http = "2"`, any response); or the output of the
        /// server contains a text
        ready: ReadyDraft = text(
            "one of `{ port = true }`, `{ url = \"http://…\" }`, `{ log = \"text\" }`",
        )
        .default_rule("`{ port = true }`")
            .flag(
                Flag::of(
                    "--ready",
                    Takes::OfTarget("NAME=HOW"),
                    "Readiness check of a launched server: port (accepts connections), url:URL \
                     (responds with a status below 500) or log:TEXT (the output contains TEXT)",
                )
                .default("port"),
            );
        /// maximum time for the server to become ready
        ready_within: Scalar = time().default("30s").synonyms(&["ready_timeout"])
            .flag(
                Flag::of(
                    "--ready-within",
                    Takes::OfTarget("NAME=TIME"),
                    "Longest time for a launched server to become ready",
                ),
            );
        /// maximum time for the server to exit after SIGTERM; then the server is killed
        stop_within: Scalar = time().default("10s").synonyms(&["stop_timeout"])
            .flag(
                Flag::of(
                    "--stop-within",
                    Takes::OfTarget("NAME=TIME"),
                    "Longest time for a launched server to stop before it is killed",
                ),
            );
        /// a built-in server, or `"dummy"`, which is no server
        builtin: Scalar = choice::<Builtin>();
        /// the server's version, for the report; Tenbin does not request it
        /// from the server
        version: Scalar = text("text")
            .flag(Flag::per_target(
                "--server-version",
                "[NAME=]TEXT",
                "Version of a server to print in the report; Tenbin does not detect versions",
            ));
        /// with `builtin = "s3-memory"` or `"blob"`: memory limit for all objects or blobs, for
        /// example `"4GiB"`. A PUT beyond the limit gets status 507
        memory: Scalar = size()
            .default_rule("half of the free memory, divided by the number of such targets")
            .flag(
                Flag::per_target(
                    "--builtin-memory",
                    "[NAME=]SIZE",
                    "Memory limit of a built-in server for its objects or blobs, for example \
                     4GiB; a PUT beyond the limit gets status 507",
                )
                .default(
                    "half of the free memory, divided by the number of such servers",
                ),
            );
        /// parameters with their values: numbers, or distinct texts of letters, digits, `-`, `_`
        /// and `.`. `{workers}` is replaced with the value in `command`, `env`, `url` and `ready`.
        /// Several parameters give all combinations, at most 32
        sweep: SweepDraft = text("`{ workers = [1, 2, 4] }`").synonyms(&["matrix"]);
        /// HTTP version. HTTP/2 is negotiated in the TLS handshake (ALPN) for `https://`, and used
        /// with prior knowledge for `http://`
        http: Scalar = choice::<HttpVersion>()
            .default("1.1")
            .synonyms(&["protocol", "http_version"])
            .flag(Flag::per_target(
                "--http",
                "[NAME=]VERSION",
                "HTTP version: 1.1 or 2. Version 2 is negotiated by ALPN with https, and used \
                 by prior knowledge with http",
            ));
        /// TLS settings, see [below](#tls)
        tls: TlsDraft = text("table");
        /// Unix socket to connect to; path and host name still come from the URL. `{data}` and
        /// `{port}` are replaced for a target with a `command`
        unix: Scalar = text("path").synonyms(&["unix_socket", "socket"])
            .flag(Flag::per_target(
                "--unix-socket",
                "[NAME=]PATH",
                "Connect to this Unix socket instead of the host of the URL; path and Host \
                 header still come from the URL",
            ));
        /// addresses of a host, instead of name resolution; IPv6 with or without brackets
        resolve: List = text("list of `\"name:port:address,…\"`")
            .flag(Flag::per_target(
                "--resolve",
                "[NAME=]HOST:PORT:ADDRESS[,ADDRESS]",
                "Addresses to use for a host instead of name resolution, repeatable; IPv6 \
                 addresses in brackets",
            ));
        /// use only addresses of this IP version
        ip_version: Scalar = choice::<IpVersion>()
            .default_rule("the version of the first resolved address")
            .flag(Flag::of(
                "--ipv4",
                Takes::PerTargetMeans("4"),
                "Use only IPv4 addresses",
            ))
            .flag(Flag::of(
                "--ipv6",
                Takes::PerTargetMeans("6"),
                "Use only IPv6 addresses",
            ));
        /// local source address of connections
        source: Scalar = text("IP address")
            .default_rule("the system's choice")
            .synonyms(&["interface", "bind"])
            .flag(Flag::per_target(
                "--source",
                "[NAME=]ADDRESS",
                "Local source address of connections",
            ));
        /// what happens to hosts of a target with several hosts that do not respond before the run:
        /// `"count"`: their share of the requests is sent to them, and its failures are counted.
        /// `"leave-out"`: the other hosts get all requests (not with agents). `"refuse"`: the run
        /// does not start. If no host responds, the run does not start. Finding `dead_hosts`
        dead_hosts: Scalar = choice::<DeadHosts>()
            .default("count")
            .flag(Flag::per_target(
                "--dead-hosts",
                "[NAME=]HOW",
                "What happens to hosts that do not respond before the run, if others do: count \
                 their share as failures, leave-out, or refuse to start",
            ));
        /// kind of the server, to load the pages of [`[corpus]`](#corpus) into it. With
        /// `"groonga"`, every host gets all pages
        corpus: Scalar = text("`\"groonga\"`, `\"opensearch\"`").default_rule("no pages");
        /// kind of the server. Before every slice, Tenbin checks that the target has as many nodes
        /// as hosts and that all nodes are alive, as [`tenbin search status`](search.md#status)
        /// does. If the check fails, the run ends with an error, and the slices measured before are
        /// kept
        status: Scalar = choice::<SearchServer>().default_rule("the value of `corpus`");
        /// name of a cluster that is measured in several sizes. Targets with the same `cluster` are
        /// different sizes of that cluster, with different numbers of hosts. The result contains
        /// the ratio of each size to the next smaller size, and of the smallest size to the
        /// baseline, if the baseline is not part of the cluster
        cluster: Scalar = text("name");
        /// source of this server's cache counters, instead of the workload's
        /// [`cache_counters`](#kind--http), for targets with different servers
        cache_counters: Scalar = text("as for the workload").default_rule("the workload's");
        /// source of the figures on CPU, memory and storage, [see below](#observe)
        observe: ObservedDraft = text("table, or list of tables")
            .default_rule("the processes that Tenbin starts; otherwise costs are unknown");
        /// S3 access key
        access_key: Secret = text("text")
            .default_rule("generated, if Tenbin starts the target")
            .synonyms(&["user"])
            .flag(
                Flag::per_target(
                    "--access-key",
                    "[NAME=]KEY",
                    "Access key, for all targets or for one",
                )
                .variable("TENBIN_ACCESS_KEY"),
            );
        /// environment variable with the access key
        access_key_env: Scalar = text("name");
        /// S3 secret key, literally. Prefer `secret_key_env` or `secret_key_file`
        secret_key: Secret = text("text")
            .default_rule("generated, if Tenbin starts the target")
            .synonyms(&["password"])
            .flag(
                Flag::per_target(
                    "--secret-key",
                    "[NAME=]KEY",
                    "Secret key, for all targets or for one; better in the environment or in a \
                     file, since every user of the machine can read command lines",
                )
                .variable("TENBIN_SECRET_KEY"),
            );
        /// environment variable with the secret key
        secret_key_env: Scalar = text("name");
        /// file with the secret key; a trailing line break is removed
        secret_key_file: Scalar = text("path")
            .flag(Flag::per_target(
                "--secret-key-file",
                "[NAME=]FILE",
                "File that holds the secret key, for all targets or for one; overrides --secret-key",
            ));
        /// session token of temporary keys (AWS STS), literally. Prefer `session_token_env` or
        /// `session_token_file`
        session_token: Secret = text("text").synonyms(&["token", "security_token"])
            .flag(
                Flag::per_target(
                    "--session-token",
                    "[NAME=]TOKEN",
                    "Session token of temporary keys (AWS STS), for all targets or for one; better \
                     in the environment or in a file",
                )
                .variable("TENBIN_SESSION_TOKEN"),
            );
        /// environment variable with the session token
        session_token_env: Scalar = text("name");
        /// file with the session token
        session_token_file: Scalar = text("path")
            .flag(Flag::per_target(
                "--session-token-file",
                "[NAME=]FILE",
                "File that holds the session token; overrides --session-token",
            ));
        /// how S3 requests are signed: `"v2"` is for servers without v4; `"none"` sends requests
        /// unsigned, even if keys are set
        signature: Scalar = choice::<Signature>()
            .default("v4")
            .synonyms(&["signature_version"])
            .flag(Flag::per_target(
                "--signature",
                "[NAME=]VERSION",
                "Request signature: v4, v2 (for old servers) or none",
            ))
            .flag(
                Flag::of(
                    "--anonymous",
                    Takes::PerTargetMeans("none"),
                    "Send unsigned requests to all targets, or to target NAME; the same as \
                     --signature none",
                )
                .excludes(&["signature"]),
            );
        /// storage protocol of blobs, for a target with a URL or a command: the access layer of
        /// CubeFS's blobstore, or S3
        store: Scalar = choice::<Store>().default("blobstore")
            .flag(Flag::per_target(
                "--store",
                "[NAME=]STORE",
                "Protocol of the store, for all targets with a URL or for one: blobstore or s3",
            ));
        /// S3 region
        region: Scalar = text("text").default("us-east-1")
            .flag(Flag::per_target(
                "--region",
                "[NAME=]REGION",
                "Region, for all targets or for one",
            ));
    }
    tables {
        /// Secret values, which no output contains; found while the draft is resolved.
        #[serde(skip)]
        pub secrets: Secrets,
    }
}

section! {
    /// The `tls` of a target.
    pub struct TlsDraft("in tls", "a table such as { ca = \"ca.pem\" }") {
        /// PEM file of the authorities to trust instead of the system's; may contain a self-signed
        /// server certificate
        ca: Scalar = text("path")
            .default_rule("the system's")
            .synonyms(&["cacert", "ca_file"])
            .flag(Flag::per_target(
                "--cacert",
                "[NAME=]FILE",
                "PEM file of the certificate authorities to trust instead of the system's",
            ));
        /// PEM file of the client certificate, with its intermediate certificates
        cert: Scalar = text("path").synonyms(&["cert_file"])
            .flag(Flag::per_target(
                "--cert",
                "[NAME=]FILE",
                "PEM file of the client certificate",
            ));
        /// PEM file of the client certificate's private key
        key: Scalar = text("path")
            .default_rule("the file of `cert`")
            .synonyms(&["key_file"])
            .flag(
                Flag::per_target("--key", "[NAME=]FILE", "PEM file of the client certificate's \
                 private key")
                    .default("the file of --cert"),
            );
        /// `true`: accept any certificate. Every result contains a warning
        insecure: Scalar = switch().default("false")
            .flag(Flag::of(
                "--insecure",
                Takes::PerTargetMeans("true"),
                "Accept any server certificate; the report mentions this option",
            ));
        /// server name for SNI and for certificate verification
        server_name: Scalar = text("host name")
            .default_rule("the URL's host")
            .synonyms(&["sni"])
            .flag(
                Flag::per_target(
                    "--server-name",
                    "[NAME=]HOST",
                    "Server name to send (SNI) and to verify in the certificate",
                )
                .default("the URL's host"),
            );
        /// resume earlier sessions where the server offers it. If `false`, every handshake is a
        /// full handshake, so that two servers do the same work whatever their settings
        resume: Scalar = switch().default("false")
            .flag(Flag::of(
                "--tls-resume",
                Takes::PerTargetMeans("true"),
                "Resume TLS sessions [default: full handshake on every connection]",
            ));
        /// offer only this TLS version
        version: Scalar = choice::<TlsVersion>().default_rule("both")
            .flag(
                Flag::per_target(
                    "--tls-version",
                    "[NAME=]VERSION",
                    "TLS version to offer: 1.2 or 1.3",
                )
                .default("both"),
            );
    }
}

section! {
    /// The `ready` of a target: exactly one of its keys.
    pub struct ReadyDraft(
        "in ready",
        "a table: { port = true }, { url = \"…\" } or { log = \"…\" }"
    ) {
        /// the port of the target's URL accepts connections
        port: Scalar = text("`true`");
        /// the URL returns a status below 500
        url: Scalar = text("URL");
        /// the output of the server contains this text
        log: Scalar = text("text");
    }
}

impl FromFlag for ReadyDraft {}
impl FromFlag for TlsDraft {}
