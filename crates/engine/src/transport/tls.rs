//! TLS over a socket, with as few copies and system calls as rustls allows.
//!
//! The unbuffered rustls session has no buffers. Instead, all connections of a thread share one
//! large ciphertext buffer, so that an idle connection needs little memory and a large body few
//! reads.

use std::cell::RefCell;
use std::io::{self, IoSlice};
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::client::{ClientConnectionData, UnbufferedClientConnection};
use rustls::pki_types::ServerName;
use rustls::unbuffered::{
    ConnectionState, EncodeError, EncodeTlsData, EncryptError, InsufficientSizeError, WriteTraffic,
};

use super::socket::Socket;
use super::trouble;

/// Ciphertext per read, bytes.
const READ_AT_ONCE: usize = 128 * 1024;
/// Most plaintext encrypted at once, bytes: four full records.
const WRITE_AT_ONCE: usize = 64 * 1024;
/// Size from which the ciphertext buffer can hold [`WRITE_AT_ONCE`] bytes of plaintext in full
/// records, bytes.
const WRITE_ROOM: usize = WRITE_AT_ONCE + 4 * 1024;

/// Consecutive buffers of at most this size each, in bytes, are joined into one record.
const SMALL_PIECE: usize = 4 * 1024;

/// Buffers shared by all sessions of a thread; no content is kept between calls.
struct Scratch {
    /// Ciphertext received or to be sent.
    cipher: Vec<u8>,
    /// Small plaintext buffers, joined.
    plain: Vec<u8>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = const {
        RefCell::new(Scratch {
            cipher: Vec::new(),
            plain: Vec::new(),
        })
    };
}

/// The client side of a TLS session.
pub(super) struct Session {
    tls: UnbufferedClientConnection,
    /// The received start of an incomplete record.
    partial: Vec<u8>,
    /// Plaintext that did not fit into the reader's buffer; the first `spare_taken` bytes have been
    /// read.
    spare: Vec<u8>,
    spare_taken: usize,
    /// Ciphertext that the socket did not accept at once; the first `sent` bytes have been sent
    /// since.
    unsent: Vec<u8>,
    sent: usize,
    /// Whether the last read emptied the socket.
    dry: bool,
    /// Whether the server has sent close_notify.
    ended: bool,
}

/// The destination of decrypted plaintext.
struct Room<'a> {
    /// The reader's buffer; `None` drops the plaintext.
    into: Option<&'a mut [u8]>,
    size: usize,
    filled: usize,
}

impl Room<'_> {
    fn none() -> Self {
        Self {
            into: None,
            size: 0,
            filled: 0,
        }
    }

    fn put(&mut self, plain: &[u8], spare: &mut Vec<u8>) {
        let (fits, rest) = plain.split_at(plain.len().min(self.size - self.filled));
        if let Some(into) = &mut self.into {
            into[self.filled..self.filled + fits.len()].copy_from_slice(fits);
        }
        self.filled += fits.len();
        spare.extend_from_slice(rest);
    }
}

impl Session {
    pub(super) fn new(config: &Arc<ClientConfig>, name: &ServerName<'static>) -> io::Result<Self> {
        let tls = UnbufferedClientConnection::new(config.clone(), name.clone())
            .map_err(|error| trouble::of_tls(&error))?;
        Ok(Self {
            tls,
            partial: Vec::new(),
            spare: Vec::new(),
            spare_taken: 0,
            unsent: Vec::new(),
            sent: 0,
            dry: false,
            ended: false,
        })
    }

    /// Sends the client hello.
    pub(super) fn start_handshake(&mut self, socket: &mut Socket) -> io::Result<()> {
        self.process(&mut [], &mut Room::none(), &mut |_| Ok(()))?;
        or_later(self.flush(socket))
    }

    /// Continues the handshake. Returns whether it is complete.
    pub(super) fn advance_handshake(&mut self, socket: &mut Socket) -> io::Result<bool> {
        or_later(self.flush(socket))?;
        while self.tls.is_handshaking() {
            match self.pull(socket, &mut Room::none()) {
                Ok(0) => {
                    return Err(io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        "connection closed during the TLS handshake",
                    ));
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    #[inline]
    pub(super) fn read(&mut self, socket: &mut Socket, into: &mut [u8]) -> io::Result<usize> {
        let size = into.len();
        self.receive(
            socket,
            Room {
                into: Some(into),
                size,
                filled: 0,
            },
        )
    }

    /// Drops at most `most` bytes of plaintext, which are decrypted but not copied.
    pub(super) fn discard(&mut self, socket: &mut Socket, most: usize) -> io::Result<usize> {
        self.receive(
            socket,
            Room {
                into: None,
                size: most,
                filled: 0,
            },
        )
    }

    fn receive(&mut self, socket: &mut Socket, mut room: Room<'_>) -> io::Result<usize> {
        if self.spare_taken < self.spare.len() {
            return Ok(self.take_spare(&mut room));
        }
        if room.size == 0 {
            return Ok(0);
        }
        loop {
            if self.ended {
                return Ok(0);
            }
            if self.pull(socket, &mut room)? == 0 && !self.ended {
                return Err(trouble::cut_off());
            }
            if room.filled > 0 {
                return Ok(room.filled);
            }
            if self.dry && !self.ended {
                // The socket held only a part of a record, or a record without plaintext.
                return Err(io::ErrorKind::WouldBlock.into());
            }
        }
    }

    fn take_spare(&mut self, room: &mut Room<'_>) -> usize {
        let spare = &self.spare[self.spare_taken..];
        let fits = &spare[..spare.len().min(room.size)];
        room.put(fits, &mut Vec::new());
        self.spare_taken += fits.len();
        if self.spare_taken == self.spare.len() {
            self.spare.clear();
            self.spare_taken = 0;
        }
        room.filled
    }

    /// Reads the socket once and decrypts all complete records. Returns the number of bytes read
    /// from the socket; 0 at the end of the stream.
    fn pull(&mut self, socket: &mut Socket, room: &mut Room<'_>) -> io::Result<usize> {
        SCRATCH.with_borrow_mut(
            |Scratch {
                 cipher: scratch, ..
             }| {
                let held = self.partial.len();
                if scratch.len() < held + READ_AT_ONCE {
                    scratch.resize(held + READ_AT_ONCE, 0);
                }
                let end = held + READ_AT_ONCE;
                let count = loop {
                    match socket.read(&mut scratch[held..end]) {
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => {
                            self.dry = error.kind() == io::ErrorKind::WouldBlock;
                            return Err(error);
                        }
                        Ok(count) => break count,
                    }
                };
                self.dry = count < READ_AT_ONCE;
                if count == 0 {
                    return Ok(0);
                }
                scratch[..held].copy_from_slice(&self.partial);
                self.partial.clear();
                let filled = held + count;
                let used = self
                    .process(&mut scratch[..filled], room, &mut |_| Ok(()))
                    .inspect_err(|_| {
                        // Sends the TLS alert; a failure to send is ignored.
                        let _ = self.flush(socket);
                    })?;
                self.partial.extend_from_slice(&scratch[used..filled]);
                // Sends the reply to a key update or the last message of the handshake.
                or_later(self.flush(socket))?;
                Ok(count)
            },
        )
    }

    /// Processes `incoming` and returns the number of consumed bytes. Calls `ready` when the
    /// session can encrypt.
    fn process(
        &mut self,
        incoming: &mut [u8],
        room: &mut Room<'_>,
        ready: &mut dyn FnMut(
            &mut WriteTraffic<'_, ClientConnectionData>,
        ) -> Result<(), EncryptError>,
    ) -> io::Result<usize> {
        let mut used = 0;
        loop {
            let status = self.tls.process_tls_records(&mut incoming[used..]);
            let mut discard = status.discard;
            let state = match status.state {
                Ok(state) => state,
                Err(error) => {
                    self.alert(&mut incoming[used + discard..])?;
                    return Err(trouble::of_tls(&error));
                }
            };
            let more = match state {
                ConnectionState::ReadTraffic(mut traffic) => {
                    while let Some(record) = traffic.next_record() {
                        let record = record.map_err(|error| trouble::of_tls(&error))?;
                        discard += record.discard;
                        room.put(record.payload, &mut self.spare);
                    }
                    true
                }
                ConnectionState::EncodeTlsData(mut data) => {
                    encode(&mut data, &mut self.unsent)?;
                    true
                }
                ConnectionState::TransmitTlsData(data) => {
                    data.done();
                    true
                }
                ConnectionState::PeerClosed => {
                    self.ended = true;
                    true
                }
                ConnectionState::WriteTraffic(mut traffic) => {
                    ready(&mut traffic).map_err(io::Error::other)?;
                    false
                }
                _ => false,
            };
            used += discard;
            if !more {
                return Ok(used);
            }
        }
    }

    /// Encrypts and sends some bytes from the start of `pieces`. Returns the number of plaintext
    /// bytes encrypted.
    pub(super) fn write(
        &mut self,
        socket: &mut Socket,
        pieces: &[IoSlice<'_>],
    ) -> io::Result<usize> {
        self.flush(socket)?;
        SCRATCH.with_borrow_mut(|Scratch { cipher, plain }| {
            if cipher.len() < WRITE_ROOM {
                cipher.resize(READ_AT_ONCE, 0);
            }
            let mut sealed = None;
            // The session must receive the bytes of a pending incomplete record again.
            let mut held = std::mem::take(&mut self.partial);
            let used = self.process(&mut held, &mut Room::none(), &mut |traffic| {
                sealed = Some(seal(traffic, pieces, cipher, plain)?);
                Ok(())
            })?;
            held.drain(..used);
            self.partial = held;
            let Some(sealed) = sealed else {
                return Err(io::ErrorKind::BrokenPipe.into());
            };
            self.send(socket, &cipher[..sealed.cipher])?;
            Ok(sealed.plain)
        })
    }

    /// Sends ciphertext, and keeps the bytes that the socket does not accept.
    fn send(&mut self, socket: &mut Socket, bytes: &[u8]) -> io::Result<()> {
        if self.wants_write() {
            // Earlier messages of the session are sent first.
            self.unsent.extend_from_slice(bytes);
            return or_later(self.flush(socket));
        }
        let count = loop {
            match socket.write(bytes) {
                Ok(count) => break count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break 0,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        };
        self.unsent.extend_from_slice(&bytes[count..]);
        Ok(())
    }

    #[inline]
    pub(super) fn wants_write(&self) -> bool {
        self.sent < self.unsent.len()
    }

    pub(super) fn flush(&mut self, socket: &mut Socket) -> io::Result<()> {
        while self.wants_write() {
            match socket.write(&self.unsent[self.sent..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.unsent.clear();
        self.sent = 0;
        Ok(())
    }

    #[inline]
    pub(super) fn emptied(&self) -> bool {
        self.dry && self.spare.is_empty()
    }

    pub(super) fn application_protocol(&self) -> Option<&[u8]> {
        self.tls.alpn_protocol()
    }

    /// Sends close_notify, if that is possible without blocking.
    pub(super) fn send_close_notify(&mut self, socket: &mut Socket) {
        if self.wants_write() {
            return;
        }
        let mut notice = [0; 128];
        let mut length = 0;
        let mut held = std::mem::take(&mut self.partial);
        let outcome = self.process(&mut held, &mut Room::none(), &mut |traffic| {
            length = traffic.queue_close_notify(&mut notice)?;
            Ok(())
        });
        if outcome.is_ok() {
            // The connection is being closed; a failure is ignored.
            let _ = socket.write(&notice[..length]);
        }
    }

    /// Sends the TLS alert for an error. Called once, because the session must not receive the
    /// malformed bytes again.
    fn alert(&mut self, incoming: &mut [u8]) -> io::Result<()> {
        match self.tls.process_tls_records(incoming).state {
            Ok(ConnectionState::EncodeTlsData(mut data)) => encode(&mut data, &mut self.unsent),
            _ => Ok(()),
        }
    }
}

/// Number of bytes before and after encryption.
#[derive(Default)]
struct Sealed {
    plain: usize,
    cipher: usize,
}

/// Encrypts up to [`WRITE_AT_ONCE`] bytes of `pieces` into `cipher`, in as few records as possible.
fn seal(
    traffic: &mut WriteTraffic<'_, ClientConnectionData>,
    pieces: &[IoSlice<'_>],
    cipher: &mut Vec<u8>,
    plain: &mut Vec<u8>,
) -> Result<Sealed, EncryptError> {
    let mut sealed = Sealed::default();
    plain.clear();
    for (index, piece) in pieces.iter().enumerate() {
        let room = WRITE_AT_ONCE - sealed.plain;
        let part = &piece[..piece.len().min(room)];
        sealed.plain += part.len();
        let is_alone = plain.is_empty() && index + 1 == pieces.len();
        if part.len() <= SMALL_PIECE && !is_alone {
            plain.extend_from_slice(part);
            continue;
        }
        sealed.cipher += encrypt(traffic, plain, cipher, sealed.cipher)?;
        plain.clear();
        sealed.cipher += encrypt(traffic, part, cipher, sealed.cipher)?;
    }
    sealed.cipher += encrypt(traffic, plain, cipher, sealed.cipher)?;
    Ok(sealed)
}

/// Encrypts `part` into `room` at offset `at`. Returns the size of the ciphertext, bytes.
fn encrypt(
    traffic: &mut WriteTraffic<'_, ClientConnectionData>,
    part: &[u8],
    room: &mut Vec<u8>,
    at: usize,
) -> Result<usize, EncryptError> {
    if part.is_empty() {
        return Ok(0);
    }
    match traffic.encrypt(part, &mut room[at..]) {
        // More ciphertext than expected, because the records are small and each has an overhead.
        Err(EncryptError::InsufficientSize(InsufficientSizeError { required_size })) => {
            room.resize(at + required_size, 0);
            traffic.encrypt(part, &mut room[at..])
        }
        outcome => outcome,
    }
}

/// Appends a message of the session to `unsent`.
fn encode(
    data: &mut EncodeTlsData<'_, ClientConnectionData>,
    unsent: &mut Vec<u8>,
) -> io::Result<()> {
    let at = unsent.len();
    let outcome = match data.encode(&mut []) {
        Err(EncodeError::InsufficientSize(InsufficientSizeError { required_size })) => {
            unsent.resize(at + required_size, 0);
            data.encode(&mut unsent[at..])
        }
        outcome => outcome,
    };
    outcome.map(drop).map_err(io::Error::other)
}

/// Turns `WouldBlock` into success, because the rest is sent after the next event.
fn or_later(outcome: io::Result<()>) -> io::Result<()> {
    match outcome {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
        outcome => outcome,
    }
}
