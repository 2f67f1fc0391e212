//! A repository with a history.

use std::path::PathBuf;

use crate::common::{Scratch, shell};

/// Commits of the repository, on all branches.
pub(crate) const COMMITS: usize = 32;

/// Commits of `main` before the branches: all but one on each branch and one later.
const BEFORE: usize = COMMITS - BRANCHES.len() - 1;

/// Branches with one commit each: name, subject, and time that the server sleeps.
const BRANCHES: [(&str, &str, &str); 3] = [
    ("slower", "Think longer", "40000"),
    ("equal", "Say more", "20000"),
    ("faster", "Think shorter", "10000"),
];

/// A server with a thread for each connection that sleeps before it responds.
const SERVER: &str = r#"
#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SLEEP_US 20000

static void *serve(void *argument) {
    int connection = (int)(long)argument;
    char request[4096];
    size_t length = 0;
    for (;;) {
        ssize_t got = read(connection, request + length, sizeof request - 1 - length);
        if (got <= 0) break;
        request[length += (size_t)got] = 0;
        if (!strstr(request, "\r\n\r\n")) continue;
        length = 0;
        usleep(SLEEP_US);
        const char *response = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
        if (write(connection, response, strlen(response)) < 0) break;
    }
    close(connection);
    return NULL;
}

int main(int count, char **arguments) {
    int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET};
    if (count != 3 || strcmp(arguments[1], "--port")) return 2;
    address.sin_port = htons((unsigned short)atoi(arguments[2]));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 128)) return 1;
    for (;;) {
        pthread_t thread;
        int connection = accept(listener, NULL, NULL);
        if (connection < 0) continue;
        if (!pthread_create(&thread, NULL, serve, (void *)(long)connection)) pthread_detach(thread);
    }
}
"#;

/// Notes which commits are built, so that a test sees that all others are not.
const MAKEFILE: &str = "server: server.c\n\techo $$TENBIN_COMMIT >>\"$$HOME/built\"\n\tcc -O1 -pthread -o server server.c\n";

/// The server of a commit.
fn server(sleep: &str, comment: &str) -> String {
    let server = SERVER.replace("20000", sleep);
    format!("{server}\n// {comment}\n")
}

/// A repository with the branches `main`, `slower`, `equal` and `faster`.
pub(crate) fn repository(scratch: &Scratch) -> PathBuf {
    let directory = scratch.path().join("origin");
    std::fs::create_dir(&directory).expect("a directory");
    let place = directory.to_str().expect("a path in UTF-8").to_owned();
    let commit = |server: String, subject: &str| {
        std::fs::write(directory.join("server.c"), server).expect("a file");
        let line = format!(
            "git add -A && git -c user.name=a -c user.email=a@example.com commit -q -m '{subject}'"
        );
        shell(&place, &line);
    };
    shell(&place, "git init -q -b main");
    std::fs::write(directory.join("Makefile"), MAKEFILE).expect("a file");
    for number in 1..=BEFORE {
        let subject = format!("Revise the server, {number}");
        commit(server("20000", &subject), &subject);
    }
    for (branch, subject, sleep) in BRANCHES {
        shell(&place, &format!("git checkout -q -b {branch} main"));
        commit(server(sleep, subject), subject);
    }
    // What main gains later is no fault of the branches.
    shell(&place, "git checkout -q main");
    commit(server("5000", "Hardly think"), "Hardly think");
    directory
}
