#!/usr/bin/env python3
"""A longer way on one machine: whatever goes to 10.99.0.2 comes back to 10.99.0.1 later.

    unshare --net python3 delay.py 10ms COMMAND…

Runs the command where only it can see the network device that this makes. A server that
the command starts on 10.99.0.1 is also reached as 10.99.0.2, and then every packet, either
way, is held back for so long: with 10ms a round trip takes 20 ms, which TCP itself sees.
"""

import fcntl
import heapq
import os
import select
import struct
import subprocess
import sys
import time

TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001
IFF_NO_PI = 0x1000
LARGEST = 65535


def open_device(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    for line in (
        "link set lo up",
        f"addr add 10.99.0.1/24 dev {name}",
        f"link set {name} up",
    ):
        subprocess.run(["ip", *line.split()], check=True)
    return device


def turned(packet):
    """With sender and receiver exchanged; no checksum changes with their order."""
    return packet[:12] + packet[16:20] + packet[12:16] + packet[20:]


def carry(device, delay, child):
    under_way = []
    number = 0
    while child.poll() is None:
        wait = 0.1
        if under_way:
            wait = min(wait, max(0.0, under_way[0][0] - time.monotonic()))
        ready, _, _ = select.select([device], [], [], wait)
        now = time.monotonic()
        while ready:
            try:
                packet = os.read(device, LARGEST)
            except BlockingIOError:
                break
            if packet[0] >> 4 == 4:
                number += 1
                heapq.heappush(under_way, (now + delay, number, turned(packet)))
        while under_way and under_way[0][0] <= time.monotonic():
            os.write(device, heapq.heappop(under_way)[2])
    return child.returncode


def main():
    if len(sys.argv) < 3 or not sys.argv[1].endswith("ms"):
        sys.exit("usage: unshare --net python3 delay.py 10ms COMMAND…")
    device = open_device("later")
    child = subprocess.Popen(sys.argv[2:])
    try:
        sys.exit(carry(device, float(sys.argv[1][:-2]) / 1000, child))
    except KeyboardInterrupt:
        sys.exit(child.wait())


if __name__ == "__main__":
    main()
