#!/usr/bin/env python3
"""Writes Chakra traces of one collective, for numbers of ranks without an example in ASTRA-sim.

    traces.py OPERATION RANKS BYTES PREFIX

makes PREFIX.0.et, PREFIX.1.et, ... with one node each. OPERATION is all_reduce, all_gather,
all_to_all or reduce_scatter. The format is et_def.proto of Chakra: messages, each after its length
as a varint.
"""

import sys

OPERATIONS = {"all_reduce": 0, "all_gather": 2, "all_to_all": 6, "reduce_scatter": 7}
COLLECTIVE_NODE = 7


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def attribute(name, field, value):
    return text(10, text(1, name) + number(field, value))


def trace(operation, rank, size):
    node = (
        number(1, rank)
        + text(2, operation)
        + number(3, COLLECTIVE_NODE)
        + attribute("is_cpu_op", 27, 0)
        + attribute("comm_type", 9, OPERATIONS[operation])
        + attribute("comm_size", 9, size)
    )
    metadata = text(1, "0.0.4")
    return varint(len(metadata)) + metadata + varint(len(node)) + node


def main():
    if len(sys.argv) != 5 or sys.argv[1] not in OPERATIONS:
        sys.exit(__doc__)
    operation, ranks, size, prefix = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    for rank in range(ranks):
        with open(f"{prefix}.{rank}.et", "wb") as file:
            file.write(trace(operation, rank, size))


if __name__ == "__main__":
    main()
