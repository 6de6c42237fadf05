# SPDX-License-Identifier: MIT
"""scripts/docs: no warning, so every public declaration has documentation; a page for every public header, no dead link."""

import html
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree


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


def undocumented(source, folder, headers):
    """Enumerators on lines of their own and types without members, about which Doxygen does not warn."""
    options = ["QUIET=YES", "WARNINGS=NO", "EXTRACT_ALL=YES", "GENERATE_HTML=NO", "GENERATE_LATEX=NO", "GENERATE_XML=YES", "XML_PROGRAMLISTING=NO",
               f'OUTPUT_DIRECTORY="{folder}"', "STRIP_FROM_PATH=.", "DISTRIBUTE_GROUP_DOC=YES", "INPUT=" + " ".join(headers)]
    subprocess.run(["doxygen", "-"], input="\n".join(options), cwd=source, text=True, check=True, capture_output=True)
    pages = [xml.etree.ElementTree.parse(page).getroot() for page in (folder / "xml").glob("*.xml")]

    def is_bare(element):
        return not any("".join(element.find(kind).itertext()).strip() for kind in ("briefdescription", "detaileddescription"))
    enums = {enum.get("id"): enum for page in pages for enum in page.iter("memberdef") if enum.get("kind") == "enum"}
    assert len(enums) > 40, f"only {len(enums)} enumerations were found"
    problems = []
    for enum in enums.values():
        place = enum.find("location")
        if place.get("bodystart") != place.get("bodyend"):
            problems += [f"{place.get('file')}:{place.get('line')}: enumerator {value.findtext('name')} is not documented"
                         for value in enum.findall("enumvalue") if is_bare(value)]
    return problems + [f"{compound.find('location').get('file')}:{compound.find('location').get('line')}: {compound.findtext('compoundname')} is not documented"
                       for page in pages for compound in page.iter("compounddef") if compound.get("kind") in ("struct", "class") and compound.get("prot") != "private" and is_bare(compound)]


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
    problems += undocumented(source, folder, headers)
    first = (source / "README.md").read_text().split("\n\n")[1]
    if first.strip() not in (folder / "index.html").read_text():
        problems.append("index.html does not begin with README.md")
    print("\n".join(problems) or f"{len(headers)} headers documented, no dead link")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))
