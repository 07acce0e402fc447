"""CPU time and peak memory of a command and all that it starts, under limits. Shared by `run` and `growth`."""
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from statistics import median

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))


@dataclass
class Measured:
    code: int
    output: str
    cpu: float  # user and system seconds
    mib: float  # peak of the largest process
    over: str = ""  # which limit ended it


def measure(command, cpu_limit=0, memory_mib=0, folder=None):
    """Runs an argument list (or a line for the shell)."""

    def limit():
        if cpu_limit:
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_limit), int(cpu_limit) + 1))
        if memory_mib:
            resource.setrlimit(resource.RLIMIT_AS, (memory_mib << 20, memory_mib << 20))

    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=folder, preexec_fn=limit,
                                   shell=isinstance(command, str))
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode(errors="replace")
    result = Measured(process.returncode, text, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
    if cpu_limit and result.cpu >= cpu_limit - 0.5:
        result.over = f"> {int(cpu_limit)} s"
    elif memory_mib and result.code != 0 and ("out of memory" in text or "alloc" in text):
        result.over = f"> {memory_mib // 1024} GiB"
    return result


def peak(runs):
    """The greatest peak. The least that can be told is what this interpreter takes, from which every command starts."""
    floor = measure(["true"]).mib
    most = max(run.mib for run in runs)
    return f"≤ {number(floor, 1)}" if most <= floor * 1.03 else number(most, 1)


def number(value, digits=2):
    """A figure with as many places as say something."""
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.{digits}f}"


def spread(values, digits=2):
    """The median; with several values, the least and the greatest behind it."""
    if not values:
        return "–"
    text = number(median(values), digits)
    return text if len(values) < 2 else f"{text} [{number(min(values), digits)}, {number(max(values), digits)}]"


def machine():
    """What the figures depend on, without names of this machine."""
    cpu = "unknown CPU"
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
                break
    gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = []
    for command in (["gcc", "-dumpfullversion"], ["spin", "-V"], ["rumur", "--version"]):
        try:
            told = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            continue
        first = (told.stdout + told.stderr).strip().splitlines()[0]
        versions.append(f"gcc {first}" if command[0] == "gcc" else first.replace(" version", ""))
    return f"{cpu}, {os.cpu_count()} cores, {gib:.0f} GiB; {'; '.join(versions)}"


def fail(text, code=2):
    print(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr)
    sys.exit(code)


def faultline_program():
    program = os.path.realpath(os.environ.get("FAULTLINE", os.path.join(ROOT, "build", "faultline")))
    if not os.access(program, os.X_OK):
        fail(f"no {program}; build it, or say where it is: FAULTLINE=…")
    return program
