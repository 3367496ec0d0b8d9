"""A SLURM of one node on this machine, by Debian's packages, without systemd and database.

All its files lie in one folder. A link in /etc/slurm leads there, because jobs start their steps in
an environment without the variables of SLURM. Without accounting the state of jobs comes from
squeue, which shows finished ones for as long as ``MinJobAge`` says.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

SYSTEM_CONFIGURATION = Path("/etc/slurm/slurm.conf")
PACKAGES = ("slurmctld", "slurmd", "slurm-client", "munge")
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={state}/munge.socket
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=2
JobAcctGatherParams=OverMemoryKill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
EnforcePartLimits=ALL
ReturnToService=2
KillWait=5
MinJobAge=7200
AccountingStorageType=accounting_storage/none
StateSaveLocation={state}/controller
SlurmdSpoolDir={state}/spool
SlurmctldPidFile={state}/slurmctld.pid
SlurmdPidFile={state}/slurmd.pid
SlurmctldLogFile={state}/slurmctld.log
SlurmdLogFile={state}/slurmd.log
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE DefMemPerCPU=512 State=UP
"""


def install() -> None:
    """Install what is missing, or skip the test and say what to do."""
    if os.geteuid() != 0:
        pytest.skip("a SLURM is brought up by root only: run `sudo make test-slurm`")
    if SYSTEM_CONFIGURATION.exists():
        pytest.skip(f"this machine has a SLURM of its own: {SYSTEM_CONFIGURATION}")
    if all(shutil.which(f"/usr/sbin/{name}") for name in ("slurmctld", "slurmd", "munged")):
        return
    if not shutil.which("apt-get"):
        pytest.skip(f"install SLURM and munge (Debian: {' '.join(PACKAGES)}) and run this again")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    options = ["-y", "-qq", "--no-install-recommends"]
    for command in (["update", "-qq"], ["install", *options, *PACKAGES]):
        done = subprocess.run(["apt-get", *command], env=quiet, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"apt-get cannot install {' '.join(PACKAGES)}: {done.stderr[-300:]}")


@contextmanager
def one_node(state: Path, cpus: int = 4) -> Iterator[dict[str, str]]:
    """Bring a SLURM up; the environment in which its clients find it. It ends with the block."""
    for folder in ("controller", "spool"):
        (state / folder).mkdir(parents=True)
    host = socket.gethostname().partition(".")[0]
    memory = int(psutil.virtual_memory().total / 2**20 * 0.9)
    configuration = state / "slurm.conf"
    configuration.write_text(CONFIGURATION.format(host=host, state=state, cpus=cpus, memory=memory))
    environment = {**os.environ, "SLURM_CONF": str(configuration)}
    SYSTEM_CONFIGURATION.parent.mkdir(exist_ok=True)
    SYSTEM_CONFIGURATION.unlink(missing_ok=True)  # a link of a test that was killed leads nowhere
    SYSTEM_CONFIGURATION.symlink_to(configuration)
    key = state / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)

    def succeeds(*command: str) -> bool:
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        return done.returncode == 0

    def is_ready() -> bool:
        command = ["sinfo", "--noheader", "--format", "%t"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        return done.stdout.strip() in ("idle", "mix", "alloc")

    munged = ["/usr/sbin/munged", "--force", "--foreground", f"--socket={state}/munge.socket"]
    munged += [f"--{name}-file={state}/munge.{name}" for name in ("key", "log", "pid", "seed")]
    daemons = []
    try:
        for command, is_up in (
            (munged, lambda: succeeds("munge", "-n", f"--socket={state}/munge.socket")),
            (["/usr/sbin/slurmctld", "-D"], lambda: succeeds("scontrol", "ping")),
            (["/usr/sbin/slurmd", "-D"], is_ready),
        ):
            log = (state / f"{Path(command[0]).name}.out").open("w")
            daemon = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
            daemons.append(daemon)
            end = time.monotonic() + 60
            while not is_up():
                said = Path(log.name).read_text()[-1000:]
                assert daemon.poll() is None, f"{command[0]} has ended: {said}"
                assert time.monotonic() < end, f"{command[0]} did not come up: {said}"
                time.sleep(0.2)
        yield environment
    finally:
        SYSTEM_CONFIGURATION.unlink(missing_ok=True)
        subprocess.run(["scancel", "--me"], env=environment, capture_output=True)
        for daemon in reversed(daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
