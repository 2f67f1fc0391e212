//! The systems under test: the keys of `[[target]]`, and what they become.

mod connect;
mod container;
mod credentials;
mod describe;
mod print;
mod reach;
mod ready;
mod scope;
mod sessions;
mod sweep_point;
mod tls;

pub use connect::{DeadHosts, Host, HttpVersion, IpVersion, Pin};
pub use credentials::{Credentials, SessionToken, Signature};
pub use reach::{Builtin, Files, Reach};
pub use ready::{Ready, ReadyDraft};
pub use sessions::WebIdentity;
pub use sweep_point::SweepPoint;
pub use tls::{ClientCertificate, Tls, TlsDraft, TlsVersion};

pub(crate) use connect::ip;
pub(crate) use print::{Variables, target as print_target};

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::draft::observe::ObservedDraft;
use crate::keys::form::{Kind, NAME};
use crate::keys::row::{Flag, Only, Takes, Yields, choice, size, switch, text, time, time_from};
use crate::keys::scalar::{Entries, List, Scalar, SweepDraft};
use crate::keys::section::section;
use crate::naming;
use crate::observe::Observe;
use crate::patterns::CacheCounters;
use crate::search_servers::SearchServer;
use crate::secrets::Secrets;
use crate::secrets::secret::Secret;
use crate::store::Store;

/// Heading of the flags of targets.
pub const TARGETS: &str = "Targets (the first is the baseline, unless --baseline is given)";
/// Heading of the flags that control how connections are opened.
pub const CONNECTIONS: &str = "Connections (NAME= limits a setting to one target)";
/// Heading of the flags of credentials.
pub const CREDENTIALS: &str = "Credentials (generated for servers that Tenbin starts)";
/// Heading of the flags of blob stores.
pub const STORES: &str = "Blobs";

/// The default S3 region.
pub(crate) const DEFAULT_REGION: &str = "us-east-1";

const LAUNCHED: &str = "is for a target that has a command";
pub(crate) const NOT_BUILT_IN: &str =
    "is not for a built-in server, which speaks HTTP/1.1 on a port of 127.0.0.1";
const SEARCH_SERVERS: &str = "is for search servers, which have a url or a command";
const TOKEN_SERVICES: &str =
    "is for targets with a url or a command: a built-in server issues no temporary keys";
const NEEDS_STS: &str = "is for temporary keys of a token service; give assume_role \
                         (--assume-role), web_identity_token_file (--web-identity-token-file) or \
                         sts_endpoint (--sts-endpoint) too";
const GETS_KEYS: &[&str] = &[
    "assume_role", "sts_endpoint", "web_identity_token", "web_identity_token_env",
    "web_identity_token_file",
];

section! {
    /// One `[[target]]`: `url` or `urls`, or `command` with further keys, or `builtin`.
    pub struct TargetDraft("in [[target]]", "a table such as [[target]]") {
        /// unique name
        name: Scalar = text("name")
            .kinds(NAME)
            .default_rule("host and port, program, or name of the built-in server");
        /// program and arguments, as a list, or as one line with quotes as in a shell. No shell is
        /// run
        command: List, shown print::command = text("list, or one line of text").synonyms(&["cmd"]);
        /// addresses of this machine. Tenbin starts one process per address, replaces `{host}` with
        /// the address, and sends requests to the processes in turn. `3` means 127.0.0.1, 127.0.0.2
        /// and 127.0.0.3. The target is ready when all processes are ready; its resource usage is
        /// the sum over all processes
        nodes: List, shown print::nodes = text("1 to 100, or a list of addresses")
            .kinds(&[Kind::Whole { least: 1, most: 100 }, Kind::Text])
            .only(Only::Launched, LAUNCHED).default_rule("one process");
        /// additional environment variables
        env: Entries, shown print::env = text("`{ NAME = \"value\" }`")
            .only(Only::Launched, LAUNCHED).synonyms(&["environment"])
            .flag(
                Flag::of(
                    "--launch-env",
                    Takes::OfTarget("NAME=VARIABLE=VALUE"),
                    "Environment variable of a launched server, repeatable; {secret_key} in \
                     VALUE is replaced with the S3 secret key",
                ).under(TARGETS)
                .secret(),
            );
        /// working directory
        directory: Scalar => Option<PathBuf> = text("path")
            .only(Only::Launched, LAUNCHED)
            .default_rule("the directory of the plan file")
            .synonyms(&["cwd", "workdir"])
            .flag(
                Flag::of(
                    "--launch-dir",
                    Takes::OfTarget("NAME=DIR"),
                    "Working directory of a launched server",
                ).under(TARGETS)
                .default("the current directory"),
            );
        /// base URL of a running server, `http://host:port/path` or `https://…`; for S3 without a
        /// path. `"file:///DIR"` is a directory. For a target with a `command`, the URL of the
        /// started server
        url: Scalar, shown print::launched_url = text("URL")
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
                ).under(TARGETS)
                .default("http://127.0.0.1:{port}/"),
            );
        /// base URLs of hosts that share the load, with the same scheme and path. With `weight N`
        /// (1 to 1000) after its URL, a host gets N times as many requests as a host with weight 1
        urls: List = text("list of URLs")
            .default_rule("weight 1 each")
            .synonyms(&["hosts", "endpoints"])
            .flag(Flag::several_per_target(
                "--host",
                "[NAME=]URL",
                "Another host of a target, repeatable. Append 'weight 3' to the URL for three \
                 times the requests. http://db{1...4}:9000 adds four hosts",
            ).under(CONNECTIONS));
        /// readiness check: the port of the URL, or the Unix socket, accepts connections (of a
        /// container: the server responds); a URL returns a status below 500 (with `http = "2"`, any
        /// response); or the output of the server contains a text
        ready: ReadyDraft, shown print::ready = text(
            "one of `{ port = true }`, `{ url = \"http://…\" }`, `{ log = \"text\" }`",
        )
        .only(Only::Launched, LAUNCHED)
        .default_rule("`{ port = true }`")
            .flag(
                Flag::of(
                    "--ready",
                    Takes::OfTarget("NAME=HOW"),
                    "Readiness check of a launched server: port (accepts connections; of a container: \
                     the server responds), url:URL (responds with a status below 500) or log:TEXT \
                     (the output contains TEXT)",
                ).under(TARGETS)
                .default("port"),
            );
        /// maximum time for the server to become ready
        ready_within: Scalar => Duration = time()
            .only(Only::Launched, LAUNCHED).default("30s").synonyms(&["ready_timeout"])
            .flag(
                Flag::of(
                    "--ready-within",
                    Takes::OfTarget("NAME=TIME"),
                    "Longest time for a launched server to become ready",
                ).under(TARGETS),
            );
        /// maximum time for the server to exit after SIGTERM; then the server is killed
        stop_within: Scalar => Duration = time()
            .only(Only::Launched, LAUNCHED).default("10s").synonyms(&["stop_timeout"])
            .flag(
                Flag::of(
                    "--stop-within",
                    Takes::OfTarget("NAME=TIME"),
                    "Longest time for a launched server to stop before it is killed",
                ).under(TARGETS),
            );
        /// a built-in server, or `"dummy"`, which is no server
        builtin: Scalar = choice::<Builtin>();
        /// parameters with their values: numbers, or distinct texts of letters, digits, `-`, `_`
        /// and `.`. `{workers}` is replaced with the value in `command`, `env`, `url` and `ready`.
        /// Several parameters give all combinations, at most 32
        sweep: SweepDraft = text("`{ workers = [1, 2, 4] }`").synonyms(&["matrix"]);
    }
    stored {
        /// A command that Tenbin starts, observes and stops.
        ///
        /// Placeholders in `command`, `env`, `url` and `ready` are replaced: `{port}` with a free port,
        /// `{data}` with a new directory (removed after the run) in the run directory, and `{access_key}`
        /// and `{secret_key}` with the target's credentials, which are generated if the plan has none.
        /// `{secret_key}` is not allowed in `command`, which every user of the machine can read.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Launch {
            /// Program and arguments.
            pub command: Vec<String> = Vec::new(),
            /// Addresses of this machine, with one process per address; empty: one process on
            /// 127.0.0.1. `{host}` is replaced with the address.
            pub nodes: Vec<IpAddr> = Vec::new(),
            /// Additional environment variables.
            pub env: BTreeMap<String, String> = BTreeMap::new(),
            /// Base URL of the started server, with placeholders.
            pub url: String = String::new(),
            /// The readiness check.
            pub ready: Ready = Ready::Port,
        }
    }
    {
        /// HTTP version. HTTP/2 is negotiated in the TLS handshake (ALPN) for `https://`, and used
        /// with prior knowledge for `http://`
        http: Scalar => HttpVersion = choice::<HttpVersion>()
            .default("1.1")
            .changes_only()
            .synonyms(&["protocol", "http_version"])
            .flag(Flag::per_target(
                "--http",
                "[NAME=]VERSION",
                "HTTP version: 1.1 or 2. Version 2 is negotiated by ALPN with https, and used \
                 by prior knowledge with http",
            ).under(CONNECTIONS));
        /// Unix socket to connect to; path and host name still come from the URL. `{data}` and
        /// `{port}` are replaced for a target with a `command`
        unix: Scalar, shown print::unix = text("path")
            .only(Only::Servers, NOT_BUILT_IN).synonyms(&["unix_socket", "socket"])
            .flag(Flag::per_target(
                "--unix-socket",
                "[NAME=]PATH",
                "Connect to this Unix socket instead of the host of the URL; path and Host \
                 header still come from the URL",
            ).under(CONNECTIONS));
        /// addresses of a host, instead of name resolution; IPv6 with or without brackets
        resolve: List, shown print::resolve = text("list of `\"name:port:address,…\"`")
            .only(Only::Servers, NOT_BUILT_IN)
            .flag(Flag::several_per_target(
                "--resolve",
                "[NAME=]HOST:PORT:ADDRESS[,ADDRESS]",
                "Addresses to use for a host instead of name resolution, repeatable; IPv6 \
                 addresses in brackets",
            ).under(CONNECTIONS));
        /// use only addresses of this IP version
        ip_version: Scalar => Option<IpVersion> = choice::<IpVersion>()
            .only(Only::Servers, NOT_BUILT_IN)
            .default_rule("the version of the first resolved address")
            .flag(Flag::of(
                "--ipv4",
                Takes::PerTargetMeans("4"),
                "Use only IPv4 addresses",
            ).under(CONNECTIONS))
            .flag(Flag::of(
                "--ipv6",
                Takes::PerTargetMeans("6"),
                "Use only IPv6 addresses",
            ).under(CONNECTIONS));
        /// local source address of connections
        source: Scalar => Option<IpAddr>, read connect::source = text("IP address")
            .default_rule("the system's choice")
            .synonyms(&["interface", "bind"])
            .flag(Flag::per_target(
                "--source",
                "[NAME=]ADDRESS",
                "Local source address of connections",
            ).under(CONNECTIONS));
        /// what happens to hosts of a target with several hosts that do not respond before the run:
        /// `"count"`: their share of the requests is sent to them, and its failures are counted.
        /// `"leave-out"`: the other hosts get all requests (not with agents). `"refuse"`: the run
        /// does not start. If no host responds, the run does not start. Finding `dead_hosts`
        dead_hosts: Scalar => DeadHosts = choice::<DeadHosts>()
            .default("count")
            .changes_only()
            .flag(Flag::per_target(
                "--dead-hosts",
                "[NAME=]HOW",
                "What happens to hosts that do not respond before the run, if others do: count \
                 their share as failures, leave-out, or refuse to start",
            ).under(CONNECTIONS));
        /// TLS settings, see [below](#tls)
        tls: TlsDraft, shown print::tls = text("table");
    }
    stored {
        /// Connection settings of a target, in addition to its URL.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Connect {
            /// All hosts of a target with several hosts, starting with the host of its URL; empty
            /// for a target with one host. All hosts have the same scheme and path, and no host is
            /// listed twice.
            pub hosts: Vec<Host> = Vec::new(),
            /// TLS settings, used if the URL has the scheme `https`.
            pub tls: Tls = Tls::default(),
            /// Unix socket to connect to instead of the URL's host and port. The path can contain
            /// placeholders if Tenbin launches the target.
            pub unix: Option<PathBuf> = None,
            /// Fixed addresses of host names, instead of name resolution by the system.
            pub resolve: Vec<Pin> = Vec::new(),
        }
    }
    {
        /// kind of the server, to load the pages of [`[corpus]`](#corpus) into it. With
        /// `"groonga"`, every host gets all pages
        corpus: Scalar => Option<SearchServer> = text("`\"groonga\"`, `\"opensearch\"`")
            .kinds(&[Kind::Names(&["groonga", "opensearch"])])
            .only(Only::Servers, SEARCH_SERVERS).default_rule("no pages");
        /// kind of the server. Before every slice, Tenbin checks that the target has as many nodes
        /// as hosts and that all nodes are alive, as [`tenbin search status`](search.md#status)
        /// does. If the check fails, the run ends with an error, and the slices measured before are
        /// kept
        status: Scalar => Option<SearchServer> = choice::<SearchServer>()
            .only(Only::Servers, SEARCH_SERVERS).default_rule("the value of `corpus`");
        /// name of a cluster that is measured in several sizes. Targets with the same `cluster` are
        /// different sizes of that cluster, with different numbers of hosts. The result contains
        /// the ratio of each size to the next smaller size, and of the smallest size to the
        /// baseline, if the baseline is not part of the cluster
        cluster: Scalar => Option<String>, read naming::checked = text("name")
            .kinds(NAME)
            .only(Only::Servers, SEARCH_SERVERS);
        /// source of this server's cache counters, instead of the workload's
        /// [`cache_counters`](#kind--http), for targets with different servers
        cache_counters: Scalar => Option<CacheCounters> = text("as for the workload")
            .only(Only::Servers, SEARCH_SERVERS).default_rule("the workload's");
    }
    stored {
        /// Search settings of a target; empty for a target that is not a search server.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Searched {}
    }
    {
        /// the server's version, for the report, which also has the `Server` header of the first
        /// response
        version: Scalar => Option<String>, read describe::version = text("text")
            .default_rule("what a launched server prints as its version, if Tenbin knows the program")
            .flag(Flag::per_target(
                "--server-version",
                "[NAME=]TEXT",
                "Version of a server to print in the report",
            ).default("what a launched server prints as its version").under(TARGETS));
        /// with `builtin = "s3-memory"` or a built-in blob server: memory limit for all objects or
        /// blobs, for example `"4GiB"`. A PUT beyond the limit gets status 507
        memory: Scalar => Option<u64>, read describe::memory = size()
            .only(Only::InMemory, "is for builtin = \"s3-memory\" and built-in blob servers only")
            .default_rule("half of the free memory, divided by the number of such targets")
            .flag(
                Flag::per_target(
                    "--builtin-memory",
                    "[NAME=]SIZE",
                    "Memory limit of a built-in server for its objects or blobs, for example \
                     4GiB; a PUT beyond the limit gets status 507",
                ).under(TARGETS)
                .default(
                    "half of the free memory, divided by the number of such servers",
                ),
            );
        /// source of the figures on CPU, memory and storage, [see below](#observe)
        observe: ObservedDraft, shown print::observe = text("table, or list of tables")
            .default_rule("the processes that Tenbin starts (not for containers of docker and nerdctl); otherwise costs are unknown");
        /// S3 access key
        access_key: Secret, shown print::credentials = text("text")
            .default_rule("generated, if Tenbin starts the target")
            .synonyms(&["user"])
            .yields(Yields::ToNoSignature)
            .flag(
                Flag::per_target(
                    "--access-key",
                    "[NAME=]KEY",
                    "Access key, for all targets or for one",
                ).under(CREDENTIALS)
                .variable("TENBIN_ACCESS_KEY"),
            );
        /// environment variable with the access key
        access_key_env: Scalar = text("name");
        /// S3 secret key, literally. Prefer `secret_key_env` or `secret_key_file`
        secret_key: Secret = text("text")
            .default_rule("generated, if Tenbin starts the target")
            .synonyms(&["password"])
            .yields(Yields::To("secret_key_file"))
            .yields(Yields::ToNoSignature)
            .flag(
                Flag::per_target(
                    "--secret-key",
                    "[NAME=]KEY",
                    "Secret key, for all targets or for one; better in the environment or in a \
                     file, since every user of the machine can read command lines",
                ).under(CREDENTIALS)
                .variable("TENBIN_SECRET_KEY")
                .secret(),
            );
        /// environment variable with the secret key
        secret_key_env: Scalar = text("name");
        /// file with the secret key; a trailing line break is removed
        secret_key_file: Scalar = text("path")
            .yields(Yields::ToNoSignature)
            .flag(Flag::per_target(
                "--secret-key-file",
                "[NAME=]FILE",
                "File that holds the secret key, for all targets or for one; overrides --secret-key",
            ).under(CREDENTIALS));
        /// session token of temporary keys (AWS STS), literally. Prefer `session_token_env` or
        /// `session_token_file`
        session_token: Secret = text("text").synonyms(&["token", "security_token"])
            .yields(Yields::To("session_token_file"))
            .yields(Yields::ToNoSignature)
            .flag(
                Flag::per_target(
                    "--session-token",
                    "[NAME=]TOKEN",
                    "Session token of temporary keys (AWS STS), for all targets or for one; better \
                     in the environment or in a file",
                ).under(CREDENTIALS)
                .variable("TENBIN_SESSION_TOKEN")
                .secret(),
            );
        /// environment variable with the session token
        session_token_env: Scalar = text("name");
        /// file with the session token
        session_token_file: Scalar = text("path")
            .yields(Yields::ToNoSignature)
            .flag(Flag::per_target(
                "--session-token-file",
                "[NAME=]FILE",
                "File that holds the session token; overrides --session-token",
            ).under(CREDENTIALS));
        /// how S3 requests are signed: `"v2"` is for servers without v4; `"none"` sends requests
        /// unsigned, even if keys are set
        signature: Scalar => Signature = choice::<Signature>()
            .default("v4")
            .changes_only()
            .synonyms(&["signature_version"])
            .flag(Flag::per_target(
                "--signature",
                "[NAME=]VERSION",
                "Request signature: v4, v2 (for old servers) or none",
            ).under(CREDENTIALS))
            .flag(
                Flag::of(
                    "--anonymous",
                    Takes::PerTargetMeans("none"),
                    "Send unsigned requests to all targets, or to target NAME; the same as \
                     --signature none",
                ).under(CREDENTIALS),
            );
        /// storage protocol of blobs, for a target with a URL or a command: the access layer of
        /// CubeFS's blobstore, or S3
        store: Scalar => Store = choice::<Store>()
            .default("blobstore")
            .changes_only()
            .only(Only::Servers, "is for targets with a url or a command; the protocol of this target is fixed")
            .flag(Flag::per_target(
                "--store",
                "[NAME=]STORE",
                "Protocol of the store, for all targets with a URL or for one: blobstore or s3",
            ).under(STORES));
        /// S3 region
        region: Scalar => String, read describe::region = text("text")
            .default(DEFAULT_REGION)
            .changes_only()
            .flag(Flag::per_target(
                "--region",
                "[NAME=]REGION",
                "Region, for all targets or for one",
            ).under(CREDENTIALS));
    }
    stored {
        /// A system under test.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Target {
            /// Unique name: letters, digits, `-`, `_`, `.`; in a sweep, `@` and `=` too.
            pub name: String = String::new(),
            /// How the target is reached.
            pub reach: Reach = Reach::Builtin(Builtin::Dummy),
            /// Connection settings.
            pub connect: Connect = Connect::default(),
            /// S3 credentials, if the target has any.
            pub credentials: Option<Credentials> = None,
            /// Point of a sweep, if the target is one of several that differ only in parameter
            /// values.
            pub sweep: Option<SweepPoint> = None,
            /// Source of resource usage, if not the processes that Tenbin launched.
            pub observe: Option<Observe> = None,
            /// Search settings.
            pub searched: Searched = Searched::default(),
            /// Temporary keys.
            pub sessions: Sessions = Sessions::default(),
            /// Secret values in the URL and the environment, which no output contains.
            pub secrets: Secrets = Secrets::default(),
        }
    }
    {
        /// role to assume before the run, by its ARN: requests are signed with the temporary keys
        /// that the token service (STS) issues for it, see
        /// [temporary keys](s3.md#temporary-keys)
        assume_role: Scalar => Option<String>, read sessions::role = text("ARN")
            .only(Only::Servers, TOKEN_SERVICES)
            .default_rule("no role")
            .synonyms(&["role_arn", "role", "aws_role_arn"])
            .flag(Flag::per_target(
                "--assume-role",
                "[NAME=]ARN",
                "Role to assume before the run (STS AssumeRole): requests are signed with its \
                 temporary keys, which are renewed before they expire",
            ).under(CREDENTIALS));
        /// name of the session of the role
        role_session_name: Scalar => Option<String>, read sessions::name = text("text")
            .only(Only::Servers, TOKEN_SERVICES)
            .needs(GETS_KEYS, NEEDS_STS)
            .default_rule("`\"tenbin\"`")
            .synonyms(&["aws_role_session_name"])
            .flag(Flag::per_target(
                "--role-session-name",
                "[NAME=]TEXT",
                "Name of the session of the role",
            ).default("tenbin").under(CREDENTIALS));
        /// external id that the role demands
        external_id: Scalar => Option<String>, read sessions::external_id = text("text")
            .only(Only::Servers, TOKEN_SERVICES)
            .needs(&["assume_role"], "is for a role; give assume_role (--assume-role) too")
            .refuses(
                &["web_identity_token", "web_identity_token_env", "web_identity_token_file"],
                "is for roles assumed with keys; a web identity has no external id",
            )
            .synonyms(&["role_external_id"])
            .flag(Flag::per_target(
                "--external-id",
                "[NAME=]TEXT",
                "External id that the role of --assume-role demands",
            ).under(CREDENTIALS));
        /// lifetime to request for the temporary keys, at least a second; token services accept 15
        /// minutes or more
        role_duration: Scalar => Option<Duration> = time_from(Duration::from_secs(1))
            .only(Only::Servers, TOKEN_SERVICES)
            .needs(GETS_KEYS, NEEDS_STS)
            .default_rule("the token service's, 1 hour for most")
            .synonyms(&["duration_seconds", "role_session_duration"])
            .flag(Flag::per_target(
                "--role-duration",
                "[NAME=]TIME",
                "Lifetime to request for the temporary keys",
            ).default("the token service's, 1 hour for most").under(CREDENTIALS));
        /// token of a web identity (OpenID Connect), literally: the token service exchanges it for
        /// temporary keys. Prefer `web_identity_token_file`
        web_identity_token: Secret, shown print::web_identity = text("text")
            .only(Only::Servers, TOKEN_SERVICES)
            .yields(Yields::To("web_identity_token_file"))
            .flag(
                Flag::per_target(
                    "--web-identity-token",
                    "[NAME=]TOKEN",
                    "Token of a web identity (OpenID Connect), which the token service exchanges \
                     for temporary keys; better in the environment or in a file",
                ).under(CREDENTIALS)
                .variable("TENBIN_WEB_IDENTITY_TOKEN")
                .secret(),
            );
        /// environment variable with the token of a web identity
        web_identity_token_env: Scalar = text("name").only(Only::Servers, TOKEN_SERVICES);
        /// file with the token of a web identity. The file is read again for every renewal, so
        /// that another program can replace the token
        web_identity_token_file: Scalar = text("path")
            .only(Only::Servers, TOKEN_SERVICES)
            .synonyms(&["aws_web_identity_token_file"])
            .flag(Flag::per_target(
                "--web-identity-token-file",
                "[NAME=]FILE",
                "File with the token of a web identity, read again for every renewal; overrides \
                 --web-identity-token",
            ).under(CREDENTIALS));
        /// URL of the token service (STS). Alone, it requests temporary keys for the keys of the
        /// target without a role, as MinIO has it
        sts_endpoint: Scalar => Option<String>, read sessions::endpoint = text("URL")
            .only(Only::Servers, TOKEN_SERVICES)
            .default_rule(
                "`https://sts.REGION.amazonaws.com` for a target at Amazon, otherwise the URL of \
                 the target",
            )
            .synonyms(&["sts_url", "endpoint_url_sts"])
            .flag(Flag::per_target(
                "--sts-endpoint",
                "[NAME=]URL",
                "Token service (STS) that issues temporary keys",
            ).default("the target's URL; at Amazon that of the region").under(CREDENTIALS));
        /// whether requests are signed with the keys of a session of the bucket (`CreateSession`),
        /// as directory buckets of S3 Express One Zone require, see
        /// [sessions](s3.md#s3-express-one-zone)
        express_session: Scalar => Option<bool> = switch()
            .only(Only::Servers, TOKEN_SERVICES)
            .default_rule("`true` for a bucket whose name ends in `--x-s3`")
            .flag(Flag::of(
                "--express-session",
                Takes::PerTargetMeans("true"),
                "Sign requests with the keys of a session of the bucket (CreateSession), as S3 \
                 Express One Zone requires; automatic for buckets whose names end in --x-s3",
            ).under(CREDENTIALS));
    }
    stored {
        /// Temporary keys of a target: where they come from.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Sessions {
            /// The web identity whose token is exchanged for temporary keys.
            pub web_identity: Option<WebIdentity> = None,
        }
    }
    tables {
        /// Secret values, which no output contains; found while the draft is resolved.
        #[serde(skip)]
        pub secrets: Secrets,
    }
}
