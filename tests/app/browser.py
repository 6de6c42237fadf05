# SPDX-License-Identifier: MIT
"""Opens pages in Chromium without a window."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import unittest


def find_browser():
    """The browser, or a skipped test."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        raise unittest.SkipTest("neither Chromium nor Google Chrome is installed")
    return browser

# Draws WebGL on the processor.
WITH_WEBGL = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")


def ask_page(folder: pathlib.Path, page: str, script: str, width=1280, dark=False, options=("--disable-gpu",)):
    """What a script finds in a page of this width in pixels: `script` sets members of `found`. `options` of the browser choose how it draws. Output goes to a file and the session is
    ended as a whole: children of a browser that hangs would keep a pipe open."""
    (folder / "probe.html").write_text(page.replace("</body>", """<script>
        window.addEventListener("error", e => { document.title = "ERROR " + e.message; });
        const found = {};
        %s
        document.body.dataset.found = JSON.stringify(found);
        </script></body>""" % script), encoding="utf-8")
    with open(folder / "dom.html", "wb") as out:
        running = subprocess.Popen([find_browser(), "--headless", "--no-sandbox", *options, "--disable-dev-shm-usage", "--no-first-run",
                                    "--disable-background-networking", "--hide-scrollbars", f"--window-size={width},1600",
                                    f"--blink-settings=preferredColorScheme={0 if dark else 1}", f"--user-data-dir={folder}/profile", "--dump-dom",
                                    f"file://{folder}/probe.html"], stdout=out, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            running.wait(timeout=240)
        except subprocess.TimeoutExpired:
            raise AssertionError("the browser does not answer") from None
        finally:
            try:
                os.killpg(running.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
    dom = (folder / "dom.html").read_text(encoding="utf-8")
    answer = re.search(r'data-found="([^"]*)"', dom)
    assert answer, dom[:300]
    return json.loads(answer[1].replace("&quot;", '"').replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
