//! A network delay for kernels without netem: packets to one address of a pair of virtual
//! interfaces come back to this machine from that address after a delay. A local server is thus
//! reachable over a path with a delay.

use std::os::fd::{AsFd, AsRawFd};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use nix::ifaddrs::getifaddrs;
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, SockaddrLike, bind, recv, send,
    socket,
};

/// Local address of the servers.
pub(crate) const HERE: &str = "10.9.0.1";
/// Remote address; packets to this address come back to [`HERE`].
pub(crate) const FAR: &str = "10.9.0.2";
/// Environment variable of the reflecting process: one-way delay in milliseconds.
const DELAY: &str = "TENBIN_TEST_REFLECT";

/// Shell commands that set up the delayed network, for a shell in a separate network namespace. The
/// network exists as long as that shell or the program that it executes. The test binary must have
/// a test `reflects` that calls [`serve_if_asked`].
pub(crate) fn set_up(one_way: Duration) -> String {
    let binary = std::env::current_exe().expect("the test's own file");
    format!(
        "ip link set lo up && ip link add here type veth peer name there \
         && ip addr add {HERE}/24 dev here && ip link set here up && ip link set there up \
         && ip neigh add {FAR} lladdr 02:00:00:00:00:02 dev here nud permanent \
         && {{ {DELAY}={} setpriv --pdeathsig KILL -- '{}' --exact reflects >/dev/null 2>&1 & }}",
        one_way.as_millis(),
        binary.display()
    )
}

/// Reflects packets until the process is killed, if [`DELAY`] is set.
pub(crate) fn serve_if_asked() {
    let Ok(delay) = std::env::var(DELAY) else {
        return;
    };
    let delay = Duration::from_millis(delay.parse().expect("milliseconds"));
    let wire = socket(
        AddressFamily::Packet,
        SockType::Raw,
        SockFlag::empty(),
        SockProtocol::EthAll,
    )
    .expect("a packet socket");
    let there = getifaddrs()
        .expect("interfaces")
        .filter(|one| one.interface_name == "there")
        .find_map(|one| one.address.filter(|it| it.as_link_addr().is_some()))
        .expect("the interface");
    assert_eq!(there.family(), Some(AddressFamily::Packet));
    bind(wire.as_raw_fd(), &there).expect("bound");
    let out = wire.as_fd().try_clone_to_owned().expect("a second handle");
    let (later, due) = mpsc::channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || {
        for (at, frame) in due {
            thread::sleep(at.saturating_duration_since(Instant::now()));
            let _ = send(out.as_raw_fd(), &frame, MsgFlags::empty());
        }
    });
    let mut room = vec![0; 1 << 16];
    while let Ok(length) = recv(wire.as_raw_fd(), &mut room, MsgFlags::empty()) {
        if let Some(frame) = reflected(&room[..length]) {
            let _ = later.send((Instant::now() + delay, frame));
        }
    }
}

/// The frame with source and destination exchanged, if it contains TCP over IPv4 without options to
/// the remote address.
fn reflected(frame: &[u8]) -> Option<Vec<u8>> {
    let far: std::net::Ipv4Addr = FAR.parse().ok()?;
    let is_ours = frame.get(12..15)? == [0x08, 0x00, 0x45]
        && frame.get(23)? == &6
        && frame.get(30..34)? == far.octets();
    if !is_ours {
        return None;
    }
    let length = usize::from(u16::from_be_bytes([frame[16], frame[17]]));
    let mut back = frame.get(..14 + length)?.to_vec();
    back[..12].rotate_left(6);
    back[26..34].rotate_left(4);
    // The sender left the checksum to the network card, which a virtual interface lacks.
    back[50..52].fill(0);
    let sum = checksum(&back[26..34], &back[34..]);
    back[50..52].copy_from_slice(&sum.to_be_bytes());
    Some(back)
}

/// TCP checksum (RFC 9293 section 3.1) over both addresses, protocol, length and segment.
fn checksum(addresses: &[u8], segment: &[u8]) -> u16 {
    let words = |bytes: &[u8]| -> u64 {
        let pairs = bytes.chunks(2);
        pairs
            .map(|pair| u64::from(pair[0]) << 8 | u64::from(pair.get(1).copied().unwrap_or(0)))
            .sum()
    };
    let mut sum = words(addresses) + 6 + segment.len() as u64 + words(segment);
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}
