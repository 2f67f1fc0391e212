//! S3 servers that outlive a run: one process each on a free port, with data in the scratch
//! directory.

use std::fs::File;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::ports::free_port;
use super::processes::{kill_group, tied, wait_until};
use super::scratch::Scratch;
use super::servers::{Server, path_of, search_path};

/// Access key of every store.
pub(crate) const ACCESS: &str = "tenbin-test-user";
/// Secret key of every store.
pub(crate) const SECRET: &str = "hush-this-is-the-secret-key";

/// A running S3 server; killed on drop.
#[derive(Debug)]
pub(crate) struct Store {
    child: Child,
    port: u16,
    data: PathBuf,
}

impl Store {
    /// Starts MinIO with these arguments after `minio server` and these environment variables.
    pub(crate) fn minio(scratch: &Scratch, words: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::start(scratch, "minio", |port, data| {
            let mut command = tied(path_of(Server::Minio));
            // Variables in the environment of the test machine must not affect this server.
            command
                .env_clear()
                .arg("server")
                .args(words)
                .args(["--address", &format!("127.0.0.1:{port}")])
                .arg(data)
                .env("MINIO_ROOT_USER", ACCESS)
                .env("MINIO_ROOT_PASSWORD", SECRET)
                .env("MINIO_BROWSER", "off")
                .env("MINIO_UPDATE", "off")
                .envs(variables.iter().copied());
            command
        })
    }

    /// Starts rclone with these arguments after `rclone serve s3` and a limit of `files` open
    /// files.
    pub(crate) fn rclone(scratch: &Scratch, words: &[&str], files: u32) -> Self {
        Self::rclone_with(scratch, words, files, &[])
    }

    /// Like [`Self::rclone`], with existing directories in the data, because rclone caches the
    /// directory list at its first request.
    pub(crate) fn rclone_with(
        scratch: &Scratch,
        words: &[&str],
        files: u32,
        directories: &[&str],
    ) -> Self {
        Self::start(scratch, "rclone", |port, data| {
            for directory in directories {
                std::fs::create_dir_all(data.join(directory)).expect("a directory");
            }
            let mut command = tied("sh");
            command
                .env_clear()
                .args(["-c", &format!("ulimit -n {files}; exec \"$@\""), "sh"])
                .arg(path_of(Server::Rclone))
                .args(["serve", "s3", "--config", ""])
                .args(words)
                .args(["--addr", &format!("127.0.0.1:{port}")])
                .arg(data)
                // A CSV list with a single element that contains a comma.
                .env("RCLONE_AUTH_KEY", format!("\"{ACCESS},{SECRET}\""));
            command
        })
    }

    /// Port on 127.0.0.1.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// `name=url`, for `--target`.
    pub(crate) fn target(&self, name: &str) -> String {
        format!("{name}=http://127.0.0.1:{}", self.port)
    }

    /// Process ID.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Creates a directory (a bucket or a subdirectory) directly in the data of the server.
    pub(crate) fn make_directory(&self, name: &str) {
        std::fs::create_dir_all(self.data.join(name)).expect("a directory");
    }

    /// Files in the data directory, recursively.
    pub(crate) fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        let mut open = vec![self.data.clone()];
        while let Some(directory) = open.pop() {
            // The server can remove the directory at the same time.
            let entries = std::fs::read_dir(directory).into_iter().flatten();
            for path in entries.flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    open.push(path);
                } else {
                    files.push(path.display().to_string());
                }
            }
        }
        files
    }

    /// Sorted names of the entries of the data directory.
    pub(crate) fn entries(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.data)
            .expect("the data directory")
            .map(|entry| entry.expect("an entry").file_name())
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn start(scratch: &Scratch, name: &str, command: impl Fn(u16, &PathBuf) -> Command) -> Self {
        // Another test can take the free port before the server binds it.
        for _ in 0..5 {
            let port = free_port();
            let home = scratch.path().join(format!("{name}-{port}"));
            let data = home.join("data");
            std::fs::create_dir_all(&data).expect("a data directory");
            let log = File::create(home.join("server.log")).expect("a log file");
            let child = command(port, &data)
                .env("HOME", &home)
                .env("PATH", search_path())
                .env(scratch.mark().0, scratch.mark().1)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(log)
                .spawn()
                .unwrap_or_else(|error| panic!("{name} cannot be started: {error}"));
            let mut store = Self { child, port, data };
            if store.comes_up() {
                return store;
            }
        }
        panic!("{name} does not come up");
    }

    /// Waits until the server responds with any status but 503; MinIO rejects object operations for
    /// a moment after its port opens.
    fn comes_up(&mut self) -> bool {
        let mut ended = false;
        let up = wait_until(Duration::from_secs(60), || {
            ended = matches!(self.child.try_wait(), Ok(Some(_)));
            ended || (TcpStream::connect(("127.0.0.1", self.port)).is_ok() && self.is_ready())
        });
        up && !ended
    }

    fn is_ready(&self) -> bool {
        use std::io::{Read as _, Write as _};
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else {
            return false;
        };
        let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
        let mut answer = [0; 12];
        // A server without this path responds with a status other than 503.
        let asked = stream.write_all(
            b"GET /minio/health/cluster HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        );
        asked.is_ok() && stream.read_exact(&mut answer).is_ok() && &answer[9..] != b"503"
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        kill_group(self.child.id());
        let _ = self.child.wait();
    }
}
