# SPDX-License-Identifier: MIT
"""Converts keywords to settings of a run configuration or field template, and describes them. The keys are declared in C++ and not listed here again."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from .. import _core
from .configuration import SunShape, describe, input_error, plain, word
from .tables import is_table, write_table

# Short words for frequent keys.
ALIASES = {
    "dni": "sun.dni_w_m2",
    "rays": "tracing.rays_per_heliostat",
    "sun_shape": "sun.shape",
    "target": "aim.target",
}
# Forms of the sun's position; a new one replaces the present one.
POSITION_KEYS = tuple(_core.position_keys())


def setting(path: str, value: Any) -> str:
    """One setting "dotted.key=value"; None removes the key."""
    # Lone surrogates cannot be encoded, and a configuration could not store them.
    text = json.dumps(plain(value, path), ensure_ascii=False).encode("utf-8", "replace").decode("utf-8")
    return f"{path}={text}"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def sun_settings(sun: Any) -> list[str]:
    """Returns the settings of the keyword sun: (azimuth, elevation) in degrees, a time with its offset, or a dict with keys of section sun."""
    clear = [f"sun.{key}=null" for key in POSITION_KEYS]
    if isinstance(sun, Mapping):
        positioned = any(key in POSITION_KEYS for key in sun)
        return (clear if positioned else []) + [setting(f"sun.{key}", value) for key, value in sun.items()]
    if isinstance(sun, str) or hasattr(sun, "isoformat"):
        return [*clear, setting("sun.time", _text(sun))]
    try:
        azimuth, elevation = sun
    except (TypeError, ValueError):
        raise input_error("sun", f"{describe(sun)} is no position of the sun", "",
                          "give (azimuth, elevation) in degrees, a time, or a dict with keys of section sun") from None
    return [*clear, setting("sun.azimuth_deg", azimuth), setting("sun.elevation_deg", elevation)]


class Keys:
    """The keys of a kind of configuration, and the key that each keyword means."""

    def __init__(self, paths: Sequence[str], aliases: Mapping[str, str], of_field: bool) -> None:
        self.paths = list(paths)
        self.aliases = aliases
        self.of_field = of_field
        parts = [path.split(".") for path in paths]
        self.sections = list(dict.fromkeys(part[0].removesuffix("[]") for part in parts))
        # Keys and maps directly below a section that is a map, as "section.key".
        self.pairs = {f"{part[0]}.{part[1].removesuffix('[]')}" for part in parts
                      if len(part) > 1 and not part[0].endswith("[]") and not part[1].startswith("<")}
        self.by_word: dict[str, list[str]] = {}
        for pair in sorted(self.pairs):
            self.by_word.setdefault(pair.split(".")[1], []).append(pair)
        above = {".".join(part[:count]) for part in parts for count in range(1, len(part))}
        self.lists = {path.removesuffix("[]") for path in above if path.endswith("[]")}
        self.maps = {path for path in above if not path.endswith("[]")} - set(paths) - self.lists
        self.known = above | set(paths)

    def info(self, path: str) -> dict[str, str]:
        """Returns the declaration of a key: meaning, unit, range, default, example."""
        return _core.key_info(path, self.of_field)

    def words(self) -> dict[str, str]:
        """Returns all keywords with the paths that they mean: short words, keys that are clear alone, sections."""
        alone = {word: paths[0] for word, paths in self.by_word.items() if len(paths) == 1}
        return {**self.aliases, **{word: path for word, path in alone.items() if word not in self.sections}, **{name: name for name in self.sections}}

    def settings(self, keywords: Mapping[str, Any], caller: str) -> list[str]:
        """Returns the settings of all keywords. Raises InputError for unknown ones, with the nearest valid name."""
        result: list[str] = []
        given: dict[str, str] = {}
        for name, value in keywords.items():
            word(name, f"{caller}: keyword")
            if name == "sun" and "sun" in self.sections:
                settings = sun_settings(value)
            elif name == "state" and "state" in self.sections and not isinstance(value, str):
                settings = self._state(value, caller)
            elif name in self.sections:
                self._check_form(name, value, f"{caller}: {name}", name)
                settings = self._section(name, value)
            else:
                path = self._path(name, caller)
                self._check_form(path, value, f"{caller}: {name}", name)
                settings = [setting(path, value)]
            for path in {text.partition("=")[0] for text in settings if not text.endswith("=null")}:
                if path in given:
                    raise input_error(f"{caller}: {name}", f"{path} is given twice", f"{given[path]} gives it as well", "keep one of them")
                given[path] = name
            result += settings
        return result

    def _state(self, value: Any, caller: str) -> list[str]:
        """Returns the settings of section state, whose table may be a frame or a dict of columns."""
        if is_table(value):
            value = {"file": value}
        if isinstance(value, Mapping) and is_table(value.get("file")):
            value = {**value, "file": write_table(value["file"], f"{caller}: state")}
        self._check_form("state", value, f"{caller}: state", "state")
        return self._section("state", value)

    def _section(self, name: str, value: Any) -> list[str]:
        # The keys of a map are added to the present ones; the value of each key is replaced as a whole.
        if isinstance(value, Mapping) and value and all(f"{name}.{key}" in self.pairs for key in value):
            return [setting(f"{name}.{key}", item) for key, item in value.items()]
        return [setting(name, value)]

    def _check_form(self, path: str, value: Any, where: str, name: str) -> None:
        """Raises InputError for a value that is no dict, or no list, where the key has further keys."""
        if isinstance(value, SunShape) or value is None:
            return
        if isinstance(value, Mapping):
            if path in self.lists:
                raise input_error(where, "is a dict", "the key has a list of dicts", f"write {name}=[{self._example(f'{path}[]')}]")
            for key, item in value.items():
                below = f"{path}.{key}" if f"{path}.{key}" in self.known or f"{path}.{key}" in self.lists else f"{path}.<name>"
                if below in self.known or below in self.lists:
                    self._check_form(below, item, f"{where}.{key}", str(key))
        elif path in self.lists and isinstance(value, (list, tuple)) and path not in self.paths:
            for index, item in enumerate(value):
                if not isinstance(item, Mapping):
                    raise input_error(f"{where}[{index}]", f"{describe(item)} is no dict of keys", "", f"write {name}=[{self._example(f'{path}[]')}]")
        elif path in self.maps:
            # A number belongs to the key of the same name with a unit: slope_error_mrad.
            with_unit = next((key for key in self.paths if key.startswith(f"{path}_")), None) if isinstance(value, (int, float)) else None
            right = f"{name}_{with_unit.removeprefix(f'{path}_')}={value}" if with_unit else f"{name}={self._example(path)}"
            raise input_error(where, f"{describe(value)} is no dict of keys", "", f"write {right}")

    def _example(self, path: str) -> str:
        """Returns a dict with the first key below a path, as users write it."""
        first = next(known for known in self.paths if known.startswith(f"{path}."))
        key, below, _ = first.removeprefix(f"{path}.").partition(".")
        if below:
            return f"{{{'...' if key == '<name>' else repr(key)}: {self._example(f'{path}.{key}')}}}"
        return f"{{{key!r}: {python_text(self.info(first)['example'])}}}"

    def _path(self, name: str, caller: str) -> str:
        if name in self.aliases:
            return self.aliases[name]
        found = self.by_word.get(name, [])
        if len(found) == 1:
            return found[0]
        if found:
            first, _, word = found[0].partition(".")
            raise input_error(f"{caller}: {name}", f"may be {' or '.join(found)}", "the keyword must be clear", f"write {first}={{{word!r}: ...}}")
        words = sorted({*self.by_word, *self.sections, *self.aliases})
        raise input_error(f"{caller}: {name}", "unknown keyword", "", _core.suggest(name, words))


def python_text(example: str) -> str:
    """Returns the example of a key, which is YAML, as Python's text."""
    if example in ("true", "false"):
        return example.capitalize()
    return example if re.fullmatch(r"[-+]?[\d.]+(e[-+]?\d+)?|\[[-\d., e\[\]]*\]", example) else repr(example.strip('"'))


RUN_KEYS = Keys(_core.known_keys(), ALIASES, of_field=False)
FIELD_KEYS = Keys(_core.field_keys(), {}, of_field=True)


def describe_key(info: Mapping[str, str]) -> str:
    """Returns the meaning of a key with its unit, range and default."""
    unit = "" if info["unit"] == "-" else f" in {info['unit']}"
    usual = info["default"]
    default = usual if usual.startswith(("required", "none", "one of")) else f"default {usual}"
    return f"{info['meaning']}. Value{unit}: {info['range']}; {default}"


def describe_keys(keys: Keys) -> str:
    """Returns the keys by section, for help()."""
    lines = ["Keys by section, each with its values and default. Those marked * need their section, since others have the same name:"]
    alone = set(keys.words().values())
    short = {path: word for word, path in keys.aliases.items()}
    for section in keys.sections:
        if section in keys.paths:
            lines += ["", f"{section}: {describe_key(keys.info(section))}"]
            continue
        lines += ["", f"{section}:"]
        for path in keys.paths:
            if path.startswith((f"{section}.", f"{section}[]")):
                key = path.removeprefix(section).lstrip(".")
                word = f" ({short[path]})" if short.get(path, key) != key else ""
                lines.append(f"    {key}{word}{'' if path in alone or '.' in key else ' *'}: {describe_key(keys.info(path))}")
    return "\n".join(lines)


class _NotGiven:
    """The default of keywords in signatures: the configuration or the program decides."""

    def __repr__(self) -> str:
        return "..."


Function = TypeVar("Function", bound=Callable[..., Any])


def with_keys(keys: Keys, *, described: bool = False) -> Callable[[Function], Function]:
    """Returns a decorator that gives a function the keywords of a configuration as parameters of its signature, so that interpreters complete them.
    described: also appends all keys to the function's documentation."""
    def add(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_NotGiven()) for name in keys.words()
                if name not in signature.parameters]
        function.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        if described:
            function.__doc__ = f"{inspect.getdoc(function)}\n\n{describe_keys(keys)}\n"
        return function
    return add
