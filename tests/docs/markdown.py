# SPDX-License-Identifier: MIT
"""The parts of Markdown documents that can be checked."""

import dataclasses
import os
import pathlib
import re
import shlex

SOURCE = pathlib.Path(os.environ.get("HELIORAY_SOURCE_DIR", ".")).resolve()
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "app/README.md", "app/validation/README.md", "cmake/README.md", "configs/README.md",
             "distributed/README.md", "kernels/README.md", "python/README.md", "raytracer/studies/efficiency/README.md", "raytracer/operators/README.md", "raytracer/tracing/physical/README.md",
             "raytracer/results/README.md", "scenario/import/README.md", "scripts/README.md", "scripts/packages/README.md",
             *sorted(p.relative_to(SOURCE).as_posix() for p in SOURCE.glob("tutorials/**/*.md"))]


@dataclasses.dataclass
class Block:
    """A fenced block: its language ("" for commands), text, first line in the document, and the heading above it."""
    language: str
    text: str
    line: int
    heading: str


class Document:
    def __init__(self, path):
        self.path = path
        self.folder = (SOURCE / path).parent
        self.blocks, self.headings, self.prose = [], [], []
        fence = None
        for number, line in enumerate((SOURCE / path).read_text().splitlines(), 1):
            mark = re.match(r"```(\w*)$", line)
            if fence is None and mark:
                fence = Block(mark[1], "", number + 1, self.headings[-1] if self.headings else "")
            elif fence is not None and line == "```":
                self.blocks.append(fence)
                fence = None
            elif fence is not None:
                fence.text += line + "\n"
            else:
                if line.startswith("#"):
                    self.headings.append(line.lstrip("# "))
                self.prose.append((number, line))
        assert fence is None, f"{path}: the block of line {fence.line} has no end"

    def inline_code(self):
        """(line number, text) of all code in backticks; escaped bars of tables are plain ones."""
        return [(n, code.replace("\\|", "|")) for n, line in self.prose for code in re.findall(r"`([^`]+)`", line)]

    def links(self):
        return [(n, link) for n, line in self.prose for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line))]

    def anchors(self):
        plain = [re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in self.headings]
        return set(plain)


def is_commands(block):
    return block.language in ("", "sh", "bash")


@dataclasses.dataclass
class Command:
    """A command line: its text, its words after variables, the variables, and where it stands."""
    text: str
    words: list
    variables: list
    line: int
    heading: str


def commands(block):
    """The command lines of a block without comments; lines that end in a backslash go on."""
    found, text, start = [], "", block.line
    for number, line in enumerate(block.text.splitlines(), block.line):
        if not text:
            start = number
        text += line
        if text.endswith("\\"):
            text = text[:-1]
            continue
        words = shlex.split(text, comments=True)
        variables = [w for w in words if re.match(r"[A-Z_]+=", w)]
        words = [w for w in words if w not in variables and w != "&"]
        if words:
            found.append(Command(text, words, variables, start, block.heading))
        text = ""
    return found
