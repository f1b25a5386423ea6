"""A headless Chromium that is told what to do through pipes, in its DevTools protocol; nothing but Python's standard library."""
import base64
import json
import os
import pathlib
import selectors
import shutil
import subprocess
import sys
import tempfile
import time

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
         "--disable-extensions", "--disable-background-networking", "--force-color-profile=srgb", "--force-device-scale-factor=1",
         "--remote-debugging-pipe"]

# The browser reads from descriptor 3 and writes to 4.
START = """import fcntl, os, sys
pipes = [fcntl.fcntl(int(word), fcntl.F_DUPFD, 10) for word in sys.argv[1:3]]
os.dup2(pipes[0], 3)
os.dup2(pipes[1], 4)
os.execvp(sys.argv[3], sys.argv[3:])"""


def program():
    """The name of the browser on this machine; None if there is none."""
    return next((name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name)), None)


class Browser:
    """One page of one browser: with Browser() as page: page.open(path)."""

    def __init__(self, width=1200, height=700, flags=(), patience=120):
        self.patience, self.number, self.session, self.buffer, self.events = patience, 0, None, b"", []
        self.folder = tempfile.mkdtemp(prefix="pytree-chromium-")
        read, their_write = os.pipe()
        their_read, write = os.pipe()
        command = [program(), *FLAGS, *flags, f"--user-data-dir={self.folder}", "about:blank"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", START, str(their_read), str(their_write), *command], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(their_read, their_write), start_new_session=True)
        os.close(their_read)
        os.close(their_write)
        self.read, self.write = read, write
        self.selector = selectors.DefaultSelector()
        self.selector.register(read, selectors.EVENT_READ)
        target = next(one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.read)
        os.close(self.write)
        self.selector.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        """The next message of the browser."""
        until = time.monotonic() + self.patience
        while b"\0" not in self.buffer:
            if not self.selector.select(max(0, until - time.monotonic())):
                raise TimeoutError(f"the browser said nothing for {self.patience} s")
            piece = os.read(self.read, 1 << 16)
            if not piece:
                raise EOFError("the browser has ended")
            self.buffer += piece
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **params):
        """A call of the protocol, and its result."""
        self.number += 1
        asked = {"id": self.number, "method": method, "params": params}
        if self.session:
            asked["sessionId"] = self.session
        text = json.dumps(asked).encode() + b"\0"
        while text:
            text = text[os.write(self.write, text):]
        while True:
            got = self.message()
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError(f"{method}: {got['error']}")
                return got["result"]
            self.events.append(got)

    def open(self, path, fragment=""):
        """Loads a file, from nothing, and waits until it is there. Returns the seconds that took, for the browser."""
        self.call("Page.navigate", url="about:blank")
        self.wait("Page.loadEventFired")
        self.events.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri() + fragment)
        self.wait("Page.loadEventFired")
        return self.value("performance.getEntriesByType('navigation')[0].loadEventEnd || performance.now()") / 1000

    def wait(self, event):
        """Waits for an event, which may have come before."""
        while not any(one.get("method") == event for one in self.events):
            self.events.append(self.message())
        self.events = [one for one in self.events if one.get("method") != event]

    def value(self, expression):
        """What an expression of the page is."""
        got = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(f"{expression}: {got['exceptionDetails']}")
        return got["result"].get("value")

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def key(self, key, text=""):
        """Presses a key, such as ArrowDown, or "/" with its text."""
        codes = {"ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "Enter": 13, "Escape": 27, "Home": 36, "End": 35}
        for kind in ("keyDown", "keyUp"):
            said = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=codes.get(key, ord(key[0].upper())), **said)
        self.settle()

    def problems(self):
        """Exceptions of the page, and requests for anything but the page itself."""
        bad = [one["params"]["exceptionDetails"]["text"] for one in self.events if one.get("method") == "Runtime.exceptionThrown"]
        urls = [one["params"]["request"]["url"] for one in self.events if one.get("method") == "Network.requestWillBeSent"]
        return bad + [url for url in urls[1:] if not url.startswith("data:")]

    def picture(self, path):
        """Saves what is seen as a PNG file."""
        self.settle()
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
