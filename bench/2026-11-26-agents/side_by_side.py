"""An agent and the same engine without an agent, at the same time on the same core: each gets half
of it, so other programs slow both. usage: side_by_side.py TENBIN SECONDS PAIRS

nginx, the hub and the agent's coordinator run on the second core.
"""

import glob
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time

NGINX = """daemon off; worker_processes 1; pid nginx.pid; error_log /dev/null;
events { worker_connections 1024; }
http { access_log off; keepalive_requests 100000000;
  server { listen 127.0.0.1:18080; location / { return 200 'hello, world'; } } }"""
HUB = "tls://127.0.0.1:14222"

tenbin, seconds, pairs = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3])
os.chdir(tempfile.mkdtemp(prefix="tenbin-side-"))
os.environ["PATH"] += ":" + os.path.expanduser("~/.cache/tenbin/servers/bin") + ":/usr/sbin"
with open("nginx.conf", "w") as file:
    file.write(NGINX)


def start(core, *command):
    quiet = subprocess.DEVNULL
    return subprocess.Popen(["taskset", "-c", core, *command], stdout=quiet, stderr=quiet)


def load(out):
    return [tenbin, "http", "--target", "s=http://127.0.0.1:18080/", "--connections", "64",
            "--threads", "1", "--rounds", "1", "--slice", f"{seconds}s", "--warmup", "0s",
            "--lead", "0s", "--quiet", "--out", out]


def cpu(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def responses(out):
    lines = map(json.loads, open(glob.glob(f"{out}/*/intervals.jsonl")[0]))
    return sum(line["ok"] for line in lines if line["kind"] == "operation")


servers = [start("1", "nginx", "-p", os.getcwd(), "-c", "nginx.conf"),
           start("1", tenbin, "hub", "--listen", HUB.removeprefix("tls://"))]
time.sleep(2)
agent = start("0", tenbin, "agent", "--nats", HUB, "--creds", "tenbin-hub/agent.creds")
time.sleep(2)
sent, cost = [], []
try:
    for pair in range(pairs):
        before = cpu(agent.pid)
        direct = start("0", *load(f"direct-{pair}"))
        coordinator = start("1", *load(f"agent-{pair}"), "--agents", "1", "--nats", HUB,
                            "--creds", "tenbin-hub/coordinator.creds")
        _, _, usage = os.wait4(direct.pid, 0)
        coordinator.wait()
        time.sleep(0.3)
        counts = responses(f"direct-{pair}"), responses(f"agent-{pair}")
        micros = ((usage.ru_utime + usage.ru_stime) / counts[0] * 1e6,
                  (cpu(agent.pid) - before) / counts[1] * 1e6)
        sent.append(counts[1] / counts[0])
        cost.append(micros[1] / micros[0])
        print(f"| {counts[0]} | {counts[1]} | {sent[-1]:.3f} | {micros[0]:.2f} | {micros[1]:.2f} "
              f"| {cost[-1]:.3f} |", flush=True)
finally:
    for process in [agent, *reversed(servers)]:
        process.send_signal(signal.SIGTERM)
print(f"medians: {statistics.median(sent):.3f} times the responses, "
      f"{statistics.median(cost):.3f} times the CPU time per response")
