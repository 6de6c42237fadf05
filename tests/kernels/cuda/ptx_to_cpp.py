# SPDX-License-Identifier: MIT
"""Translates the PTX of the CUDA kernels into C++ that computes the same numbers on a CPU.

Every instruction becomes one call of a function in ptx_machine.h with the name of the instruction (add.rn.f32:
add_rn_f32), every label a label of C++. An instruction that ptx_machine.h does not define is an error of the compiler, so
that nothing is left out by mistake. A pointer in global, local or constant memory is one of the CPU; a pointer in shared
memory is an offset in the memory of the block, as the 32 bits of its register demand.
"""
import re

TYPES = {"pred": "bool", "b16": "uint16_t", "b32": "uint32_t", "f32": "float", "b64": "uint64_t", "f64": "double"}
SIZES = {"8": 1, "16": 2, "32": 4, "64": 8}
KERNEL = re.compile(r"\d(trace_units|backward_units)INS0_(\d+)(\w+)")
LOCATIONS = ("global", "local", "const", "param", "shared")


class Function:
    """One function or kernel: its parameters, registers, local memory and instructions."""

    def __init__(self, name, is_kernel, parameters):
        self.name = name
        self.is_kernel = is_kernel
        self.parameters = parameters  # [(name, size, alignment)]
        self.declarations = []
        self.shared = {}
        self.statements = []


class Translator:
    """Translates the text of one PTX file."""

    def __init__(self, ptx):
        self.lines = [line.split("//")[0].strip() for line in ptx.splitlines()]
        self.constants = {}
        self.shared = {}  # {name: offset}, of the function that is translated
        self.dynamic = set()
        self.local = set()
        self.functions = []
        self.position = 0

    def next_statement(self):
        """The next statement up to a semicolon, a label, or a brace."""
        text = ""
        while self.position < len(self.lines):
            line = self.lines[self.position]
            self.position += 1
            if not text and (line == "" or line.startswith((".version", ".target", ".address_size", ".maxntid", ".minnctapersm"))):
                continue
            text = f"{text} {line}".strip()
            if text.endswith((";", ":", "{", "}")) or re.fullmatch(r"[{}]", text):
                return text
            if text.startswith((".entry", ".func", ".visible .entry")) and self.peek() == "{":
                return text
        return text or None

    def peek(self):
        """The next line that is not empty."""
        position = self.position
        while position < len(self.lines) and (self.lines[position] == "" or self.lines[position].startswith((".maxntid", ".minnctapersm"))):
            position += 1
        return self.lines[position] if position < len(self.lines) else None

    def translate(self):
        """C++ of all constants, functions and kernels."""
        while (statement := self.next_statement()) is not None:
            if statement.startswith(".const"):
                name, values = re.fullmatch(r"\.const \.align \d+ \.b8 (\w+)\[\d+\] = \{(.*)\};", statement).groups()
                self.constants[name] = values
            elif statement.startswith(".extern .shared"):
                self.dynamic.add(re.search(r"(\w+)\[\];", statement).group(1))
            elif re.match(r"(\.visible )?\.(entry|func)", statement) and not statement.endswith(";"):
                self.translate_function(statement)
            elif not statement.endswith(";"):
                raise ValueError(f"unknown PTX: {statement[:200]}")
        parts = ['#include "ptx_machine.h"', "", "namespace {", ""]
        parts += [f"alignas(16) const uint8_t {name}[] = {{{values}}};" for name, values in self.constants.items()]
        for function in self.functions:
            if not function.is_kernel:
                parts.append(f"{self.signature(function)};")
        parts += [self.function_text(function) for function in self.functions if not function.is_kernel]
        parts += ["", "}  // namespace", ""]
        parts += [self.function_text(function) for function in self.functions if function.is_kernel]
        return "\n".join(parts) + "\n"

    @staticmethod
    def signature(function):
        if function.is_kernel:
            kernel, length, rest = KERNEL.search(function.name).groups()
            return f'extern "C" void {kernel}_{rest[:int(length)]}(const Thread& thread, const uint8_t* parameters)'
        return f"void {function.name}({', '.join(['const Thread& thread', *(f'uint64_t {name}' for name, _, _ in function.parameters)])})"

    def function_text(self, function):
        size = sum((size + 7) // 8 * 8 for _, size, _ in function.parameters)
        checks = [f"    check_parameters(thread, {size});"] if function.is_kernel else []
        return "\n".join([f"{self.signature(function)} {{", *checks, *(f"    {line}" for line in function.declarations),
                          *function.statements, "}"])

    def translate_function(self, header):
        is_kernel = ".entry" in header
        name = re.search(r"\.(?:entry|func) (\w+)", header).group(1)
        parameters = []
        for alignment, kind, parameter, count in re.findall(r"\.param (?:\.align (\d+) )?\.[bu](\d+) (\w+)(?:\[(\d+)\])?", header):
            parameters.append((parameter, SIZES[kind] * int(count or 1), int(alignment or SIZES[kind])))
        function = Function(name, is_kernel, parameters)
        self.functions.append(function)
        self.local = set()
        self.shared = {}
        self.offsets = {}
        offset = 0
        for parameter, size, alignment in parameters:
            offset = (offset + alignment - 1) // alignment * alignment
            self.offsets[parameter] = offset
            offset += size
        assert self.next_statement() == "{"
        depth = 1
        shared_bytes = 0
        while depth:
            statement = self.next_statement()
            # A block on one line, as that of a temporary register.
            inner = statement
            while inner:
                if inner.startswith("{"):
                    depth += 1
                    function.statements.append("    {")
                    inner = inner[1:].strip()
                    continue
                if inner.startswith("}"):
                    depth -= 1
                    if depth:
                        function.statements.append("    }")
                    inner = inner[1:].strip()
                    continue
                end = inner.find(";")
                one, inner = (inner, "") if end < 0 else (inner[:end], inner[end + 1:].strip())
                shared = re.match(r"\.shared \.align (\d+) \.b8 (\w+)\[(\d+)\]", one)
                if shared:
                    shared_bytes = (shared_bytes + int(shared.group(1)) - 1) // int(shared.group(1)) * int(shared.group(1))
                    self.shared[shared.group(2)] = shared_bytes
                    shared_bytes += int(shared.group(3))
                    continue
                line = self.statement(one.strip(), function)
                if line:
                    function.statements.append(f"    {line}")
        dynamic = (shared_bytes + 15) // 16 * 16
        function.statements = [re.sub(r"DYNAMIC_SHARED", f"{dynamic}u", line) for line in function.statements]
        if is_kernel:
            function.declarations.append(f"check_shared(thread, {dynamic});")

    def statement(self, text, function):
        if text.endswith(":"):
            return f"{self.label(text[:-1])}:;"
        if text.startswith(".pragma"):
            return ""
        if text.startswith(".reg"):
            kind, name, count = re.fullmatch(r"\.reg \.(\w+)\s+%?(\w+)(?:<(\d+)>)?", text).groups()
            declaration = f"{TYPES[kind]} {self.register(name)}{f'[{count}]' if count else ''};"
            if count or name in ("SP", "SPL"):
                function.declarations.append(declaration)
                return ""
            return declaration
        if text.startswith(".local"):
            alignment, name, count = re.fullmatch(r"\.local \.align (\d+) \.b8\s+(\w+)\[(\d+)\]", text).groups()
            self.local.add(name)
            function.declarations.append(f"alignas({alignment}) uint8_t {name}[{count}];")
            return ""
        if text.startswith(".param"):
            return f"uint64_t {text.split()[-1]};"
        guard = re.match(r"@(!?)%(p\d+)\s+", text)
        if guard:
            text = text[guard.end():]
        line = self.instruction(text)
        return f"if ({guard.group(1)}{self.register(guard.group(2))}) {{ {line} }}" if guard else line

    @staticmethod
    def label(name):
        return name.strip().replace("$", "")

    @staticmethod
    def register(name):
        numbered = re.fullmatch(r"(p|rs|r|f|fd|rd)(\d+)", name)
        return f"{numbered.group(1)}[{numbered.group(2)}]" if numbered else name

    def operand(self, text):
        text = text.strip()
        if text.startswith("%"):
            if "." in text:
                return "thread." + text[1:].replace(".", "_")
            return self.register(text[1:])
        if re.fullmatch(r"0f[0-9A-Fa-f]{8}", text):
            return f"bits_to_f32(0x{text[2:]}u)"
        if re.fullmatch(r"0d[0-9A-Fa-f]{16}", text):
            return f"bits_to_f64(0x{text[2:]}ull)"
        if re.fullmatch(r"-?(0x[0-9A-Fa-f]+|\d+)", text):
            return f"static_cast<int64_t>({text}{'ull' if abs(int(text, 0)) >= 2 ** 63 else 'll'})"
        if re.fullmatch(r"\w+", text):
            return self.address(text)
        raise ValueError(f"unknown operand {text}")

    def address(self, name):
        """Value of a symbol."""
        if name in self.shared:
            return f"{self.shared[name]}u"
        if name in self.dynamic:
            return "DYNAMIC_SHARED"
        if name in self.constants or name in self.local:
            return f"to_address({name})"
        if name in self.offsets:
            function = self.functions[-1]
            return f"to_address(parameters + {self.offsets[name]})" if function.is_kernel else f"to_address(&{name})"
        raise ValueError(f"unknown symbol {name}")

    def memory(self, text, space):
        """Pointer of an operand in square brackets."""
        base, offset = re.fullmatch(r"\[([%\w]+)(?:\+(-?\d+))?\]", text.strip()).groups()
        value = self.operand(base)
        return f"thread.at_{'shared' if space == 'shared' else 'address'}({value}, {offset or 0})"

    def instruction(self, text):
        mnemonic, _, rest = text.partition(" ")
        if "\t" in mnemonic:
            mnemonic, _, rest = text.partition("\t")
        parts = mnemonic.split(".")
        rest = rest.strip()
        if parts[0] == "bra":
            return f"goto {self.label(rest)};"
        if parts[0] == "ret":
            return "return;"
        if parts[0] == "call":
            name, arguments = re.fullmatch(r"(\w+)\s*,\s*\((.*)\)", rest).groups()
            return f"{name}(thread, {arguments.strip()});"
        if mnemonic == "st.param.b64":
            name, value = re.fullmatch(r"\[(\w+)\+0\]\s*,\s*(.*)", rest).groups()
            return f"{name} = {self.operand(value)};"
        operands = [part.strip() for part in re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,\s][^,]*", rest)]
        space = next((part for part in parts if part in LOCATIONS), "")
        if parts[0] in ("ld", "st"):
            kind = parts[-1]
            pointer = self.memory(operands[1 if parts[0] == "ld" else 0], space)
            values = operands[0 if parts[0] == "ld" else 1].strip("{}").split(",")
            return " ".join(f"{parts[0]}_{kind}({pointer}, {index}, {self.operand(value)});" for index, value in enumerate(values))
        if parts[0] == "atom":
            name = "_".join(part for part in parts if part not in LOCATIONS)
            return f"{self.operand(operands[0])} = {name}({self.memory(operands[1], space)}, {self.operand(operands[2])});"
        if parts[0] == "bar":
            return f"thread.{'warp' if parts[1] == 'warp' else 'block'}_barrier();"
        if mnemonic in ("redux.sync.add.u32", "redux.sync.add.s32", "vote.sync.ballot.b32", "shfl.sync.bfly.b32"):
            target = operands[0].split("|")[0]
            return f"{self.operand(target)} = {'_'.join(parts)}(thread, {self.operand(operands[1])}, {self.operand(operands[2])});"
        if parts[0] == "mov" or parts[0] == "cvta":
            pointer = "thread" if parts[0] == "cvta" and "shared" in parts else ""
            if pointer:
                name = "to_shared" if parts[1] == "to" else "from_shared"
                return f"{self.operand(operands[0])} = thread.{name}({self.operand(operands[1])});"
            return f"copy_bits({self.operand(operands[0])}, {self.operand(operands[1])});"
        arguments = ", ".join(self.operand(value) for value in operands[1:])
        return f"{self.operand(operands[0])} = {'_'.join(parts)}({arguments});"


def translate(ptx):
    """C++ source for the text of a PTX file."""
    return Translator(ptx).translate()
