# SPDX-License-Identifier: MIT
"""Numbers and texts of the arrays in VTK's XML files, read without the program's code."""

import base64
import struct

import numpy


def numbers(array):
    """Values of a VTK DataArray with inline binary data."""
    data = base64.b64decode(array.text)
    (size,) = struct.unpack("<Q", data[:8])
    assert len(data) == 8 + size
    return numpy.frombuffer(data[8:], {"Float64": "<f8", "Int64": "<i8"}[array.get("type")])


def strings(array):
    """Texts of a VTK DataArray of bytes in ASCII, each of which ends with a zero."""
    codes = bytes(int(code) for code in array.text.split())
    return [text.decode() for text in codes.split(b"\0")[:-1]]


def areas(points, quads):
    """Areas of quadrilaterals, exact for flat ones."""
    a, b, c, d = (points[quads[:, k]] for k in range(4))
    return 0.5 * numpy.linalg.norm(numpy.cross(c - a, d - b), axis=1)
