//! Groonga as a target: a foreground process on a free port, with its database in the scratch
//! directory.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::ports::free_port;
use super::processes::{kill_group, tied, wait_until};
use super::scratch::Scratch;
use super::servers::{Server, path_of};

/// The schema and the indexes of the Droonga benchmark's pages.
pub(crate) const PAGES_SCHEMA: &str = "\
table_create Categories TABLE_HASH_KEY ShortText
table_create Pages TABLE_HASH_KEY UInt64
column_create Pages title COLUMN_SCALAR ShortText
column_create Pages text COLUMN_SCALAR Text
column_create Pages categories COLUMN_VECTOR Categories
column_create Categories pages_categories COLUMN_INDEX Pages categories
table_create Terms TABLE_PAT_KEY ShortText --default_tokenizer TokenBigram --normalizer NormalizerAuto
column_create Terms pages COLUMN_INDEX|WITH_SECTION|WITH_POSITION Pages title,text
";

/// Commands that load `count` pages: the title `page<n>` of page `n` is a word that no other page
/// contains; all pages contain the word `common` in the text.
pub(crate) fn pages(count: u32) -> String {
    let mut commands = "load --table Pages\n[\n".to_owned();
    for page in 1..=count {
        let comma = if page == count { "" } else { "," };
        commands += &format!(
            "{{\"_key\":{page},\"title\":\"page{page}x\",\"text\":\"common text of page number \
             {page}\",\"categories\":[\"c{}\"]}}{comma}\n",
            page % 7
        );
    }
    commands + "]\n"
}

/// A running Groonga; killed on drop, and at the latest at the end of the thread that started it.
#[derive(Debug)]
pub(crate) struct Groonga {
    child: Child,
    address: String,
    port: u16,
    query_log: String,
    home: String,
}

impl Groonga {
    /// Starts Groonga on 127.0.0.1 with the schema and `count` pages.
    pub(crate) fn with_pages(scratch: &Scratch, count: u32) -> Self {
        Self::at(
            scratch,
            "127.0.0.1",
            &(PAGES_SCHEMA.to_owned() + &pages(count)),
        )
    }

    /// Starts Groonga on a local address, with a new database created by `commands`.
    pub(crate) fn at(scratch: &Scratch, address: &str, commands: &str) -> Self {
        Self::on(scratch, address, free_port, commands)
    }

    /// Starts Groonga on another local address with the port of this one, as the nodes of a cluster
    /// on several machines have.
    pub(crate) fn beside(&self, scratch: &Scratch, address: &str, commands: &str) -> Self {
        let port = self.port;
        Self::on(scratch, address, move || port, commands)
    }

    fn on(scratch: &Scratch, address: &str, port: impl Fn() -> u16, commands: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let home = scratch.join(&format!(
            "groonga-{}",
            COUNT.fetch_add(1, Ordering::Relaxed)
        ));
        std::fs::create_dir(&home).expect("a directory for groonga");
        let database = format!("{home}/db");
        make_database(&home, &database, commands);
        // Another test can take the free port before Groonga binds it.
        let mut complaint = String::new();
        for _ in 0..5 {
            match Self::try_start(scratch, &home, &database, (address, port())) {
                Ok(groonga) => return groonga,
                Err(log) => complaint = log,
            }
        }
        panic!("groonga does not start:\n{complaint}");
    }

    /// Port of the server.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// `http://<address>:<port>/`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}:{}/", self.address, self.port)
    }

    /// `name=url`, for `--target`.
    pub(crate) fn target(&self, name: &str) -> String {
        format!("{name}={}", self.url())
    }

    /// Sends a command by its path, and returns the response.
    pub(crate) fn ask(&self, path: &str) -> String {
        let mut stream = TcpStream::connect((self.address.as_str(), self.port)).expect("groonga");
        let request = format!("GET {path} HTTP/1.0\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("groonga reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("groonga answers");
        answer
    }

    /// Directory with the database file `db`.
    pub(crate) fn home(&self) -> &str {
        &self.home
    }

    /// Process ID.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Content of the query log so far.
    pub(crate) fn query_log(&self) -> String {
        std::fs::read_to_string(&self.query_log).unwrap_or_default()
    }

    /// Kills the process with SIGKILL, like a crash.
    pub(crate) fn kill(&mut self) {
        kill_group(self.child.id());
        let _ = self.child.wait();
    }

    /// Starts Groonga once. The error is Groonga's log.
    fn try_start(
        scratch: &Scratch,
        home: &str,
        database: &str,
        (address, port): (&str, u16),
    ) -> Result<Self, String> {
        let log = format!("{home}/groonga.log");
        let query_log = format!("{home}/query.log");
        let mut child = tied(path_of(Server::Groonga))
            .args(["-s", "--protocol", "http", "--bind-address", address])
            .args(["--port", &port.to_string()])
            .args(["--log-path", &log, "--query-log-path", &query_log])
            .arg(database)
            .env(scratch.mark().0, scratch.mark().1)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("groonga can be started");
        let mut ended = false;
        let is_up = wait_until(Duration::from_secs(30), || {
            ended = matches!(child.try_wait(), Ok(Some(_)));
            ended || TcpStream::connect((address, port)).is_ok()
        });
        let groonga = Self {
            child,
            address: address.to_owned(),
            port,
            query_log,
            home: home.to_owned(),
        };
        if is_up && !ended {
            return Ok(groonga);
        }
        drop(groonga);
        Err(std::fs::read_to_string(log).unwrap_or_default())
    }
}

impl Drop for Groonga {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Creates a database from commands, which Groonga reads from standard input.
fn make_database(home: &str, database: &str, commands: &str) {
    let mut maker = tied(path_of(Server::Groonga))
        .args(["--log-path", &format!("{home}/making.log"), "-n", database])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("groonga can be started");
    let mut input = maker.stdin.take().expect("its standard input");
    input.write_all(commands.as_bytes()).expect("groonga reads");
    drop(input);
    let ended = maker.wait().expect("groonga ends");
    assert!(ended.success(), "groonga cannot make a database: {ended}");
}
