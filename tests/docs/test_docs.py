# SPDX-License-Identifier: MIT
"""scripts/docs: no warning, a page for every public header, no dead link; every public type says what it is."""

import html
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse


def dead_links(folder):
    """Local links of all pages that lead to no file, or to no anchor of README's page."""
    dead = set()
    anchors = set(re.findall(r'id="([^"]+)"|name="([^"]+)"', (folder / "index.html").read_text()))
    anchors = {name for pair in anchors for name in pair if name}
    for page in folder.glob("*.html"):
        for link in re.findall(r'<(?:a|img)[^>]* (?:href|src)="([^"]*)"', page.read_text(errors="replace")):
            target = urllib.parse.urlsplit(html.unescape(link))
            if target.scheme or target.netloc or "(" in link:
                continue
            if target.path and not (folder / urllib.parse.unquote(target.path)).exists():
                dead.add(f"{page.name}: {link}")
            elif target.path == "index.html" and target.fragment and target.fragment not in anchors:
                dead.add(f"{page.name}: {link}")
    return sorted(dead)


def undocumented_types(source, folder, headers):
    options = ["QUIET=YES", "EXTRACT_ALL=NO", "GENERATE_HTML=NO", "GENERATE_LATEX=NO", f'OUTPUT_DIRECTORY="{folder}"',
               "STRIP_FROM_PATH=.", "GENERATE_XML=YES", "INPUT=" + " ".join(headers)]
    done = subprocess.run(["doxygen", "-"], input="\n".join(options), cwd=source, text=True, capture_output=True)
    if done.returncode != 0 or not (folder / "xml" / "index.xml").exists():
        return [f"doxygen failed: {done.stderr[-500:]}"]
    return re.findall(r"Compound \S+ is not documented", done.stderr)


def main(source, folder):
    if not shutil.which("doxygen"):
        print("SKIP: Doxygen is not installed (scripts/setup --tests)")
        return 77
    shutil.rmtree(folder, ignore_errors=True)
    done = subprocess.run([source / "scripts" / "docs", folder], text=True, capture_output=True)
    if done.returncode != 0:
        print(done.stderr)
        return 1
    problems = dead_links(folder)
    headers = [line for line in (source / "cmake" / "public_headers.txt").read_text().splitlines() if not line.startswith("#")]
    files = (folder / "files.html").read_text()
    problems += [f"{name}: no page" for name in headers if f">{pathlib.Path(name).name}<" not in files]
    problems += undocumented_types(source, folder, headers)
    first = (source / "README.md").read_text().split("\n\n")[1]
    if first.strip() not in (folder / "index.html").read_text():
        problems.append("index.html does not begin with README.md")
    print("\n".join(problems) or f"{len(headers)} headers documented, no dead link")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))
