#!/usr/bin/env python3
"""A longer, narrower or lossy network path on one machine.

    unshare --net python3 network_path.py --delay 10ms --rate 50mbit --loss 1% COMMAND…

Runs the command where only it can see the network device that this makes: whatever goes to
10.99.0.2 comes back to 10.99.0.1. A server that the command starts on 10.99.0.1 is also reached
as 10.99.0.2, and then every packet, either way, is held back for the delay: with 10ms a round
trip takes 20 ms, which TCP itself sees. The rate is that of both directions together, as in
tc-tbf(8), and the loss is a share of the packets.
"""

import argparse
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import sys
import time

TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001
IFF_NO_PI = 0x1000
LARGEST = 65535
NAME = "path"


def open_device(rate):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", NAME.encode(), IFF_TUN | IFF_NO_PI))
    lines = [
        "ip link set lo up",
        f"ip addr add 10.99.0.1/24 dev {NAME}",
        f"ip link set {NAME} up",
    ]
    if rate is not None:
        lines.append(f"tc qdisc add dev {NAME} root tbf rate {rate} burst 32kb latency 50ms")
    for line in lines:
        subprocess.run(line.split(), check=True)
    return device


def turned(packet):
    """With sender and receiver exchanged; no checksum changes with their order."""
    return packet[:12] + packet[16:20] + packet[12:16] + packet[20:]


def carry(device, delay, loss, child):
    chance = random.Random(1)
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
            if packet[0] >> 4 == 4 and chance.random() >= loss:
                number += 1
                heapq.heappush(under_way, (now + delay, number, turned(packet)))
        while under_way and under_way[0][0] <= time.monotonic():
            os.write(device, heapq.heappop(under_way)[2])
    return child.returncode


def milliseconds(text):
    return float(text.removesuffix("ms")) / 1000


def percent(text):
    return float(text.removesuffix("%")) / 100


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delay", type=milliseconds, default=0.0, help="each way, such as 10ms")
    parser.add_argument("--rate", help="such as 50mbit")
    parser.add_argument("--loss", type=percent, default=0.0, help="such as 1%%")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.command:
        parser.error("name a command")
    device = open_device(options.rate)
    child = subprocess.Popen(options.command)
    try:
        sys.exit(carry(device, options.delay, options.loss, child))
    except KeyboardInterrupt:
        sys.exit(child.wait())


if __name__ == "__main__":
    main()
