# SPDX-License-Identifier: MIT
"""What a C++ header declares for others, and which `///` comment says what it is.

Knows as much C++ as headers in this project's style need; everything else of the language is not looked for.
"""

import dataclasses
import re

TEMPLATE = r"(?:template\b.*>\s*)?"
TYPE = re.compile(rf"^{TEMPLATE}(struct|class|union|enum(?: class| struct)?)\b(?:\s+alignas\([^)]*\))?\s+(\w+)")
NO_ENTITY = re.compile(rf"^(?:friend\b|static_assert\b|extern template\b|using namespace\b|using [\w:]+::\w+$|"
                       rf"{TEMPLATE}(?:struct|class|enum(?: class)?) \w+$)")
OBVIOUS = re.compile(r"(?:=\s*(?:default|delete)|\boverride)\s*$|\boperator\s*=(?!=)|^(?:virtual )?~\w+\(")
LITERAL = re.compile(r"\"(?:\\.|[^\"\\])*\"|(?<!\d)'(?:\\.|[^'\\])*'")


@dataclasses.dataclass
class Entity:
    line: int
    kind: str  # type, enumerator, function or data
    name: str
    is_documented: bool
    block: tuple = ()  # first and last line of the comment above a block, where only that says what it is


@dataclasses.dataclass
class Scope:
    kind: str  # namespace, type, enum or hidden
    name: str = ""
    is_public: bool = True
    is_one_line: bool = False  # of an enum, whose own comment then says what its values are


def collapsed(text):
    return " ".join(text.split())


def without_template_arguments(text):
    text = re.sub(r"\boperator\s*(<=>|[<>]=?|<<|>>|\(\))", "operator_", text)
    before = None
    while before != text:
        before, text = text, re.sub(r"<[^<>]*>", "", text)
    return text


def is_copy_or_default(words, name):
    """A constructor without arguments, or from another object of its type."""
    return re.search(rf"\b{name}\((?:\s*|(?:const )?{name}\s?&&?[^,]*)\)", words)


class Parser:
    """Reads declarations character by character."""

    def __init__(self, text):
        self.text, self.at, self.line = text, 0, 1
        self.scopes, self.entities = [], []
        self.words, self.start, self.parentheses = "", 0, 0  # of the declaration that is being read
        self.has_comment_behind = False  # of the declaration that is being read
        self.comment_above = ()  # lines of the comment right above
        self.block = ()  # lines of the comment above the block of declarations without blank lines between
        self.last = None  # the entity that a comment behind it on the same line belongs to
        self.last_end = 0

    # Characters

    def next(self):
        character = self.text[self.at]
        self.at += 1
        self.line += character == "\n"
        return character

    def rest_of_line(self):
        end = self.text.find("\n", self.at)
        end = len(self.text) if end < 0 else end
        rest, self.at = self.text[self.at:end], end
        return rest

    def skip_braces(self):
        """To the end of what the brace read last begins."""
        depth = 1
        while depth:
            literal = LITERAL.match(self.text, self.at)
            if self.text.startswith("//", self.at):
                self.rest_of_line()
            elif literal:
                self.at = literal.end()
            else:
                character = self.next()
                depth += (character == "{") - (character == "}")

    # Comments

    def read_comment(self):
        begin = self.text.rfind("\n", 0, self.at) + 1
        is_alone = not self.text[begin:self.at - 1].strip()
        comment = self.rest_of_line()
        if comment.startswith("//<"):
            if self.words:
                self.has_comment_behind = True
            elif self.last and self.last_end == self.line:
                self.last.is_documented, self.last.block = True, ()
        elif comment.startswith("//") and is_alone and not self.words:
            self.comment_above = ((self.comment_above or (self.line,))[0], self.line)

    def end_block(self):
        self.comment_above, self.block = (), ()

    # Declarations

    def clear(self):
        self.words, self.parentheses, self.has_comment_behind = "", 0, False

    def add(self, kind, name, inherits):
        """`inherits`: the comment above the block counts, the one right above always does."""
        own = bool(self.comment_above) or self.has_comment_behind
        block = self.block if inherits and not own else ()
        self.block = self.comment_above or self.block
        self.comment_above = ()
        self.last, self.last_end = None, self.line
        if all(scope.is_public and scope.kind != "hidden" for scope in self.scopes):
            self.last = Entity(self.start, kind, name, own or bool(block), block)
            self.entities.append(self.last)

    def add_declaration(self, words):
        text = re.sub(r"alignas\([^)]*\)|\[\[.*?\]\]", "", without_template_arguments(words))
        head = re.split(r"(?<![=<>!])=(?!=)", text)[0]
        if alias := re.match(r"(?:template )?using (\w+) =", text):
            self.add("type", alias[1], inherits=False)
        elif "(" in head:
            name = re.search(r"(operator[^\w\s(]+|operator [\w:&* ]+|\w+)\s*\(", head)[1].strip()
            if name == "operator_":
                name = re.search(r"operator\s*(?:\(\)|[^\w\s(]+)", words)[0]
            type_name = self.scopes[-1].name if self.scopes and self.scopes[-1].kind == "type" else ""
            if name == type_name and is_copy_or_default(words, name):
                self.last, self.comment_above = None, ()
            else:
                self.add("function", name, inherits=True)
        else:
            for part in re.sub(r"\([^()]*\)", "", text).split(","):
                name = re.search(r"(\w+)\s*(?:\[[^]]*\]\s*)*(?:\{\})?\s*$", part.split("=")[0])
                self.add("data", name[1] if name else words, inherits=True)

    def finish(self):
        """A declaration is complete."""
        words = collapsed(self.words)
        if NO_ENTITY.search(words) or OBVIOUS.search(words):
            self.last, self.comment_above = None, ()
        elif words:
            self.add_declaration(words)
        self.clear()

    def finish_enumerator(self):
        if words := self.words.split():
            self.add("enumerator", words[0], inherits=True)
            if self.last and self.scopes[-1].is_one_line:
                self.last.is_documented = True
        self.clear()

    # Braces

    def open_brace(self):
        words = collapsed(self.words)
        found = TYPE.search(words)
        if re.match(r"(inline )?namespace\b|extern \"C\"", words):
            name = words.split("namespace")[-1].strip()
            self.enter(Scope("namespace" if name else "hidden", name))
        elif found and "=" not in words:
            self.add("type", found[2], inherits=False)
            body = self.text[self.at:self.text.find("}", self.at)]
            is_enum = found[1].startswith("enum")
            is_one_line = is_enum and "\n" not in body.strip() and "//" not in body
            self.enter(Scope("enum" if is_enum else "type", found[2], found[1] != "class", is_one_line))
            if is_enum:
                self.scopes[-1].is_public = True
        else:
            self.open_value_or_body(words)

    def open_value_or_body(self, words):
        first_line = self.line
        self.skip_braces()
        head = re.split(r"(?<![=<>!])=(?!=)", without_template_arguments(words))[0]
        if "(" not in head or re.match(r"\s*[,{]", self.text[self.at:]):
            self.words += "{}"
            return
        self.finish()
        if self.line > first_line:
            self.end_block()

    def enter(self, scope):
        self.scopes.append(scope)
        self.clear()
        self.end_block()

    def close_brace(self):
        if not self.scopes:
            raise ValueError(f"line {self.line}: a brace too many")
        if self.scopes[-1].kind == "enum":
            self.finish_enumerator()
        self.scopes.pop()
        self.clear()
        self.end_block()

    def step(self, character):
        is_in_enum = bool(self.scopes) and self.scopes[-1].kind == "enum"
        if literal := LITERAL.match(self.text, self.at - 1):
            self.at = literal.end()
            self.words += '""'
        elif character == "/" and self.text.startswith("/", self.at):
            self.read_comment()
        elif character == "#" and not self.words:
            while self.rest_of_line().endswith("\\"):
                self.next()
        elif character == "\n" and not self.words:
            if re.match(r"[ \t]*\n", self.text[self.at:self.at + 200]):
                self.end_block()
        elif character in "()" or self.parentheses:
            self.parentheses += (character == "(") - (character == ")")
            self.words += character
        elif character == "{":
            self.open_brace()
        elif character == "}":
            self.close_brace()
        elif character == ";":
            self.finish()
        elif character == "," and is_in_enum:
            self.finish_enumerator()
        elif character == ":" and re.fullmatch(r"\s*(public|protected|private)", self.words):
            self.scopes[-1].is_public = self.words.strip() != "private"
            self.clear()
            self.end_block()
        elif not character.isspace() or self.words:
            self.start = self.start if self.words else self.line
            self.words += character

    def parse(self):
        while self.at < len(self.text):
            self.step(self.next())
        if self.scopes:
            raise ValueError(f"{len(self.scopes)} braces are not closed")
        return self.entities


def entities(text):
    """The Entities of a header: types, functions, data and enumerators that are neither private nor obvious (defaulted or
    deleted functions, default, copy and move constructors, destructors, assignments, overrides).

    A comment above one counts for functions, data and enumerators that follow without a blank line. An enumeration on one
    line says in its own comment what its values are. Of several data in one declaration each needs words of its own, as only
    one of them gets those of a comment."""
    return Parser(text).parse()
