"""Answers calls of ykman with ykman's own code, which is imported once: each call
gets a fork of this process. warmykman.go starts it:

    python3 server.py SCRIPT

SCRIPT is the installed ykman. File descriptor 3 listens for the callers (client).
A byte on standard output says that ykman is imported. Standard input ends when
the tests do: then every call under way is killed, and the server ends.

A caller sends a length (4 bytes, big-endian) and so many bytes, fields parted by
NUL: the number of arguments, the arguments, the working folder, the environment.
With them come its descriptors 0, 1, 2 and, if there is one, 3. It gets the exit
status (4 bytes). When it goes away before, its call is killed.
"""

import atexit
import gc
import os
import selectors
import signal
import socket
import struct
import sys
import threading


def load():
    """Imports ykman's command line, 5 or 4, and gives its main function."""
    try:
        from ykman._cli.__main__ import main
    except ImportError:
        from ykman.cli.__main__ import main
    return main


def receive(conn):
    """Reads a call: its fields and descriptors. OSError or ValueError if it is none."""
    data, fds, _, _ = socket.recv_fds(conn, 1 << 16, 4)
    try:
        want = 4 + struct.unpack(">I", data[:4])[0] if len(data) >= 4 else 4
        while len(data) < want:
            more = conn.recv(want - len(data))
            if not more:
                raise ValueError("the caller has gone")
            data += more
        return [os.fsdecode(field) for field in data[4:].split(b"\0")], fds
    except BaseException:
        close(fds)
        raise


def able():
    """Fails where this Python (3.9) or this kernel (5.3) lacks what serve needs."""
    os.close(os.pidfd_open(os.getpid()))
    return socket.recv_fds, os.waitstatus_to_exitcode


def close(fds):
    for fd in fds:
        os.close(fd)


def serve(listener):
    """Forks for each call, and returns in the child alone, ready to be ykman."""
    ready = selectors.DefaultSelector()
    ready.register(0, selectors.EVENT_READ)
    ready.register(listener, selectors.EVENT_READ)
    calls = {}  # connection: (process, descriptor of the process)
    while True:
        for key, _ in ready.select():
            if key.fileobj == 0:
                for pid, _ in calls.values():
                    os.kill(pid, signal.SIGKILL)
                os._exit(0)
            elif key.fileobj is listener:
                conn, _ = listener.accept()
                try:
                    fields, fds = receive(conn)
                except (OSError, ValueError, struct.error):
                    conn.close()
                    continue
                pid = os.fork()
                if pid == 0:
                    become(fields, fds, [ready, listener, conn, *calls])
                    return
                close(fds)
                process = os.pidfd_open(pid)
                calls[conn] = pid, process
                ready.register(process, selectors.EVENT_READ, conn)
                ready.register(conn, selectors.EVENT_READ, conn)
            elif key.data in calls:
                conn = key.data
                pid, process = calls.pop(conn)
                if key.fileobj is conn:  # it says no more, so it has gone
                    os.kill(pid, signal.SIGKILL)
                _, status = os.waitpid(pid, 0)
                ready.unregister(process)
                ready.unregister(conn)
                os.close(process)
                code = os.waitstatus_to_exitcode(status)
                try:
                    conn.send(struct.pack(">i", code if code >= 0 else 128 - code))
                except OSError:
                    pass
                conn.close()


def become(fields, fds, others):
    """Makes the fork what the kernel makes of a program that is started."""
    for other in others:
        other.close()
    os.setsid()
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
    close(fds)
    count = int(fields[0])
    sys.argv = fields[1 : 1 + count]
    os.chdir(fields[1 + count])
    os.environ.clear()
    os.environ.update(field.split("=", 1) for field in fields[2 + count :] if field)


def leave(code):
    """Ends as the interpreter does after sys.exit(code), but frees no memory bit by bit."""
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit((code or 0) & 0xFF)


able()
script = sys.argv[1]
sys.path[0] = os.path.dirname(script)
main = load()
gc.collect()
gc.freeze()  # what is here already is never looked through, so its pages stay shared
listener = socket.socket(fileno=3)
os.write(1, b"\n")
serve(listener)
sys.argv[0] = script
try:
    main()
except SystemExit as end:
    leave(end.code)
except BaseException:
    sys.excepthook(*sys.exc_info())
    leave(1)
leave(0)
