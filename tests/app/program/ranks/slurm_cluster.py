# SPDX-License-Identifier: MIT
"""A SLURM cluster of two nodes on this machine, for the tests of srun and sbatch.

Each node has a network, processes, a name and an /etc/hosts of its own, in which, as Debian sets it up, its own name leads to
127.0.1.1. Both share the file system and the cores. node1 also runs the controller. Keys, sockets, state and logs lie in one
temporary folder, and nothing outlives the cluster.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from harness import clean_environment

TOOLS = ("unshare", "nsenter", "ip", "munged", "slurmctld", "slurmd", "srun", "sbatch", "scontrol")
SEARCHED = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
NODES = ("node1", "node2")
ADDRESSES = ("10.98.0.1", "10.98.0.2")  # in a network that nobody else sees
START_SECONDS = 30

# cred_expire is also how long a job that was put back into the queue waits; 5 s is the least that SLURM heeds.
CONFIGURATION = """\
ClusterName=helioray
SlurmctldHost=node1({addresses[0]})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool_%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd_%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin={task_plugin}
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
NodeName=node1 NodeAddr={addresses[0]} CPUs={cores} State=UNKNOWN
NodeName=node2 NodeAddr={addresses[1]} CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""


class NoCluster(Exception):
    """SLURM cannot run here; the text is the reason."""


class Cluster:
    """Starts the cluster, or raises NoCluster. close() ends everything that runs on it."""

    def __init__(self):
        missing = [tool for tool in TOOLS if not shutil.which(tool, path=SEARCHED)]
        if missing:
            raise NoCluster(f"SLURM cannot be run here: {', '.join(missing)} not installed")
        if os.geteuid() != 0:
            raise NoCluster("SLURM cannot be run here: needs root")
        self.processes = []
        self.inits = []
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="helioray_slurm_"))
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def close(self):
        # The end of a node's first process is the end of all of them.
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self):
        # munged and slurmd refuse folders that others may write to.
        self.folder.chmod(0o711)
        (self.folder / "state").mkdir()
        key = self.folder / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        for node in NODES:
            self._start_node(node)
        self._connect_nodes()
        # SLURM binds tasks to cores that it counts from 0. It gives a core to one task, and there are to be two on a node.
        cores = os.sched_getaffinity(0)
        self.cores = max(2, len(cores))
        self.binds = cores == set(range(self.cores))
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            folder=self.folder, addresses=ADDRESSES, cores=self.cores,
            task_plugin="task/affinity" if self.binds else "task/none"))
        self._daemon("munged", "munged", "--force", "-F", "--key-file", key, "--socket", self.folder / "munge.socket", "--pid-file",
                     self.folder / "munge.pid", "--log-file", self.folder / "munge.log", "--seed-file", self.folder / "seed")
        self._daemon("slurmctld", *self.on_node(0), "slurmctld", "-D")
        for i, node in enumerate(NODES):
            self._daemon(f"slurmd_{node}", *self.on_node(i), "slurmd", "-D", "-N", node)
        self._wait("sinfo", lambda states: states.split() == ["idle"] * len(NODES), "-h", "-N", "-o", "%t", seconds=START_SECONDS)

    def _start_node(self, node):
        hosts = self.folder / f"hosts_{node}"
        lines = ["127.0.0.1 localhost", f"127.0.1.1 {node}"]
        lines += [f"{address} {name}" for name, address in zip(NODES, ADDRESSES) if name != node]
        hosts.write_text("\n".join(lines) + "\n")
        # The shell is the node's first process; while it waits, it collects processes whose parents have ended.
        script = 'hostname "$0" && mount --bind "$1" /etc/hosts && ip link set lo up && echo ready && { sleep infinity & wait; }'
        process = subprocess.Popen(
            ["unshare", "--net", "--uts", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", script, node, str(hosts)],
            env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.processes.append(process)
        line = process.stdout.readline().strip()
        if line != "ready":
            raise NoCluster(f"SLURM cannot be run here: a node needs namespaces: {line}")
        self.inits.append(pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])

    def _connect_nodes(self):
        # The link is made inside the first node, so that no name is taken on this machine.
        networks = [("nsenter", "--target", init, "--net", "ip") for init in self.inits]
        commands = [[*networks[0], "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", self.inits[1]]]
        for network, address in zip(networks, ADDRESSES):
            commands.append([*network, "addr", "add", f"{address}/24", "dev", "eth0"])
            commands.append([*network, "link", "set", "eth0", "up"])
        for command in commands:
            done = subprocess.run(command, env=self.environment(), capture_output=True, text=True)
            if done.returncode != 0:
                raise NoCluster(f"SLURM cannot be run here: {' '.join(command[-6:])}: {done.stderr.strip()}")

    def _daemon(self, name, *command):
        with open(self.folder / f"{name}.out", "w") as log:
            self.processes.append(subprocess.Popen(list(map(str, command)), env=self.environment(), stdin=subprocess.DEVNULL,
                                                   stdout=log, stderr=subprocess.STDOUT))

    def _wait(self, tool, reached, *arguments, seconds):
        end = time.monotonic() + seconds
        while True:
            done = self.run(tool, *arguments)
            if reached(done.stdout):
                return
            if time.monotonic() > end:
                tails = [f"{log.name}: {log.read_text()[-300:]}" for log in sorted(self.folder.glob("*.out"))]
                raise NoCluster(f"SLURM does not start: {done.stdout} {done.stderr} {' '.join(tails)}")
            time.sleep(0.1)

    def environment(self, **extra):
        """That of a user of the cluster who is not in a job."""
        return clean_environment(**{"PATH": SEARCHED, "SLURM_CONF": self.folder / "slurm.conf", **extra})

    def on_node(self, index):
        """The beginning of a command line that runs on a node."""
        return ["nsenter", "--target", self.inits[index], "--net", "--uts", "--mount", "--pid"]

    def command(self, folder, *command):
        """A command line that runs in a folder on node1, where users log in, with environment()."""
        # Entering a node leads to the root folder.
        return [*self.on_node(0), "env", "--chdir", str(folder), *map(str, command)]

    def run(self, *command, folder=None, timeout=120, **environment):
        """Runs a command on node1 to its end."""
        return subprocess.run(self.command(folder or self.folder, *command), env=self.environment(**environment), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=timeout)
