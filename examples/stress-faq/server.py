#!/usr/bin/env python3
"""A small real web server: so many worker processes, each with one request at a time.

    server.py --port 8080 --workers 4 --work orm

What a request does is its work:

    hello        nothing: twelve bytes
    cpu:5ms      keeps a core busy for so long
    sleep:20ms   waits for so long, as for a database elsewhere
    lock:2ms     the same, but only one worker at a time
    spinlock:1ms the same, but the worker that has the lock keeps a core busy
    pool:5:10ms  the same, with at most five workers at a time
    write:4096   writes so many bytes to a file and waits until they are on the disk
    body:65536   nothing: a response of so many bytes
    sql          reads one user from SQLite in plain SQL
    builder      the same with a query builder (SQLAlchemy Core)
    orm          the same with an object-relational mapper (SQLAlchemy ORM)

The parent takes connections and deals them to the workers in turn, so that each has its
share; a worker answers those it has one after the other, as PHP application servers do.
"""

import argparse
import fcntl
import json
import mmap
import os
import selectors
import signal
import socket
import sqlite3
import tempfile
import time

USERS = 1000
LARGEST_HEAD = 16384


def duration(text):
    """Seconds in `5ms` or `1s`."""
    if text.endswith("ms"):
        return float(text[:-2]) / 1000
    return float(text.removesuffix("s"))


def hello():
    return lambda: b"hello world\n"


def cpu(seconds):
    def busy():
        # CPU time, not the clock's: a worker that waits for a core has not worked.
        end = time.thread_time() + seconds
        while time.thread_time() < end:
            pass
        return b"done\n"

    return busy


def sleep(seconds):
    def wait():
        time.sleep(seconds)
        return b"done\n"

    return wait


def locks(database, count):
    """So many locks that all workers share: each is a file beside the database."""
    return [open(f"{database}.lock-{number}", "a") for number in range(count)]


def lock(database, seconds):
    return pool(database, 1, sleep(seconds))


def spinlock(database, seconds):
    return pool(database, 1, cpu(seconds))


def pool(database, count, work):
    shared = locks(database, count)

    def wait():
        # Any lock that is free, else the one after the last.
        for one in shared:
            try:
                fcntl.flock(one, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                continue
        else:
            one = shared[os.getpid() % count]
            fcntl.flock(one, fcntl.LOCK_EX)
        answer = work()
        fcntl.flock(one, fcntl.LOCK_UN)
        return answer

    return wait


def write(database, size):
    # Past the page cache, so that every write waits for the disk.
    flags = os.O_WRONLY | os.O_CREAT | os.O_DIRECT | os.O_DSYNC
    file = os.open(f"{database}.written-{os.getpid()}", flags, 0o600)
    page = mmap.mmap(-1, size)

    def to_disk():
        os.pwrite(file, page, 0)
        return b"done\n"

    return to_disk


def body(size):
    text = b"x" * size
    return lambda: text


def user_numbers():
    """Every user in turn, the same order in every run."""
    number = 0
    while True:
        number = (number + 379) % USERS
        yield number + 1


def sql(database):
    connection = sqlite3.connect(database)
    numbers = user_numbers()

    def answer():
        row = connection.execute(
            "SELECT id, name, mail, born FROM users WHERE id = ?", (next(numbers),)
        ).fetchone()
        return json.dumps(dict(zip(("id", "name", "mail", "born"), row))).encode()

    return answer


def builder(database):
    import sqlalchemy as sa

    engine = sa.create_engine(f"sqlite:///{database}")
    users = sa.Table("users", sa.MetaData(), autoload_with=engine)
    connection = engine.connect()
    numbers = user_numbers()

    def answer():
        query = sa.select(users).where(users.c.id == next(numbers))
        row = connection.execute(query).one()
        return json.dumps(dict(row._mapping)).encode()

    return answer


def orm(database):
    import sqlalchemy as sa
    from sqlalchemy import orm as mapper

    engine = sa.create_engine(f"sqlite:///{database}")

    class Base(mapper.DeclarativeBase):
        pass

    class User(Base):
        __tablename__ = "users"
        id: mapper.Mapped[int] = mapper.mapped_column(primary_key=True)
        name: mapper.Mapped[str]
        mail: mapper.Mapped[str]
        born: mapper.Mapped[int]

    numbers = user_numbers()

    def answer():
        # A session a request, as frameworks have it.
        with mapper.Session(engine) as session:
            user = session.scalars(sa.select(User).where(User.id == next(numbers))).one()
            fields = {"id": user.id, "name": user.name, "mail": user.mail, "born": user.born}
        return json.dumps(fields).encode()

    return answer


def work_of(text, database):
    """What a worker does for a request, made in the worker itself."""
    name, _, argument = text.partition(":")
    if name in ("cpu", "sleep"):
        return {"cpu": cpu, "sleep": sleep}[name](duration(argument))
    if name == "hello":
        return hello()
    if name in ("lock", "spinlock"):
        return {"lock": lock, "spinlock": spinlock}[name](database, duration(argument))
    if name == "pool":
        count, _, seconds = argument.partition(":")
        return pool(database, int(count), sleep(duration(seconds)))
    if name == "write":
        return write(database, int(argument))
    if name == "body":
        return body(int(argument))
    return {"sql": sql, "builder": builder, "orm": orm}[name](database)


def prepare(database):
    with sqlite3.connect(database) as connection:
        connection.execute(
            "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, mail TEXT, born INTEGER)"
        )
        rows = ((i, f"user {i}", f"user{i}@example.com", 1950 + i % 60) for i in range(1, USERS + 1))
        connection.executemany("INSERT INTO users VALUES (?, ?, ?, ?)", rows)


def respond(body, keep):
    head = (
        "HTTP/1.1 200 OK\r\nServer: stress-faq\r\nContent-Type: text/plain\r\n"
        f"Content-Length: {len(body)}\r\nConnection: {'keep-alive' if keep else 'close'}\r\n\r\n"
    )
    return head.encode() + body


def after_body(connection, request, received):
    """What was received behind the body of the request, which is read and forgotten."""
    lengths = [line for line in request.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    left = int(lengths[0].split(b":")[1]) if lengths else 0
    while left > len(received):
        left -= len(received)
        received = connection.recv(65536)
        if not received:
            raise OSError("closed within a request")
    return received[left:]


class Worker:
    """Answers what comes on the connections that the parent deals to it."""

    def __init__(self, channel, work):
        self.channel = channel
        self.work = work
        self.selector = selectors.DefaultSelector()
        self.selector.register(channel, selectors.EVENT_READ)
        self.waiting = {}

    def run(self):
        while True:
            for key, _ in self.selector.select():
                if key.fileobj is self.channel:
                    if not self.take():
                        return
                else:
                    self.serve(key.fileobj)

    def take(self):
        _, descriptors, _, _ = socket.recv_fds(self.channel, 1, 1)
        for descriptor in descriptors:
            connection = socket.socket(fileno=descriptor)
            connection.setblocking(True)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.waiting[connection] = b""
            self.selector.register(connection, selectors.EVENT_READ)
        # Nothing dealt means that the parent is gone.
        return bool(descriptors)

    def serve(self, connection):
        try:
            received = connection.recv(65536)
            if not received:
                return self.drop(connection)
            head = self.waiting[connection] + received
            while b"\r\n\r\n" in head:
                request, head = head.split(b"\r\n\r\n", 1)
                head = after_body(connection, request, head)
                keep = b"connection: close" not in request.lower()
                connection.sendall(respond(self.work(), keep))
                if not keep:
                    return self.drop(connection)
            if len(head) > LARGEST_HEAD:
                return self.drop(connection)
            self.waiting[connection] = head
        except OSError:
            self.drop(connection)

    def drop(self, connection):
        self.selector.unregister(connection)
        del self.waiting[connection]
        connection.close()


def start_worker(work, database, others):
    parent, child = socket.socketpair()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        parent.close()
        for other in others:
            other.close()
        try:
            Worker(child, work_of(work, database)).run()
        finally:
            os._exit(0)
    child.close()
    return parent


def listen(options):
    listener = socket.create_server((os.environ.get("ADDRESS", "127.0.0.1"), options.port), backlog=1024)
    if options.port_file is not None:
        with open(options.port_file + ".part", "w") as file:
            file.write(str(listener.getsockname()[1]))
        os.rename(options.port_file + ".part", options.port_file)
    return listener


def stop(*_):
    # The workers end with their parent, which is no fault then.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, required=True, help="0 takes a free one")
    parser.add_argument("--port-file", help="file to write the port into")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--work", default="hello")
    parser.add_argument("--directory", help="for files [default: a temporary one]")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.directory) as directory:
        database = os.path.join(directory, "users.sqlite")
        prepare(database)
        listener = listen(options)
        workers = []
        for _ in range(options.workers):
            workers.append(start_worker(options.work, database, [listener, *workers]))
        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGCHLD, lambda *_: exit("a worker has ended"))
        turn = 0
        while True:
            connection, _ = listener.accept()
            socket.send_fds(workers[turn % len(workers)], [b"c"], [connection.fileno()])
            connection.close()
            turn += 1


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
