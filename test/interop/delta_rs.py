"""Reads and writes Delta tables with delta-rs, for comparisons. Prints one JSON object.

usage: delta_rs.py read <table> | create <table> | append <table> | delete <table> <predicate> | checkpoint <table>
"""

import base64
import datetime
import decimal
import json
import math
import sys

import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake

UTC = datetime.timezone.utc


def value_json(value):
    """Values as `delta-web read` prints them."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        zone = "" if value.tzinfo is None else "Z"
        naive = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
        return naive.isoformat(timespec="microseconds") + zone
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {key: value_json(item) for key, item in value.items()}
    if isinstance(value, list):
        if value and all(isinstance(item, tuple) for item in value):
            return {key: value_json(item) for key, item in value}
        return [value_json(item) for item in value]
    return value


def read(path):
    table = DeltaTable(path)
    batches = QueryBuilder().register("t", table).execute("select * from t")
    rows = [
        {name: value_json(item) for name, item in row.items()}
        for row in pa.table(batches.read_all()).to_pylist()
    ]
    actions = [
        {name: value_json(item) for name, item in row.items()}
        for row in pa.table(table.get_add_actions(flatten=True)).to_pylist()
    ]
    return {
        "version": table.version(),
        "schema": json.loads(table.schema().to_json()),
        "rows": rows,
        "actions": actions,
    }


def sample(start):
    """Two rows of most types; the second one all null but its key."""
    zoned = pa.timestamp("us", tz="UTC")
    schema = pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False),
            pa.field("part", pa.string()),
            pa.field("i", pa.int32()),
            pa.field("d", pa.float64()),
            pa.field("dec", pa.decimal128(20, 3)),
            pa.field("day", pa.date32()),
            pa.field("ts", zoned),
            pa.field("b", pa.binary()),
            pa.field("ok", pa.bool_()),
            pa.field("tags", pa.list_(pa.string())),
            pa.field("s", pa.struct([pa.field("x", pa.int32())])),
        ]
    )
    full = {
        "id": start,
        "part": "a b/c",
        "i": -7,
        "d": 0.1,
        "dec": decimal.Decimal("12345678901234567.891"),
        "day": datetime.date(1969, 12, 31),
        "ts": datetime.datetime(2024, 5, 6, 7, 8, 9, 123456, tzinfo=UTC),
        "b": b"\x00\xff",
        "ok": True,
        "tags": ["x", None],
        "s": {"x": 1},
    }
    return pa.Table.from_pylist([full, {"id": start + 1}], schema=schema)


def main(command, path, *rest):
    if command == "read":
        return read(path)
    if command == "create":
        write_deltalake(path, sample(1), partition_by=["part"])
    elif command == "append":
        write_deltalake(path, sample(int(rest[0])), mode="append")
    elif command == "delete":
        return DeltaTable(path).delete(rest[0])
    elif command == "checkpoint":
        DeltaTable(path).create_checkpoint()
    else:
        raise SystemExit(__doc__)
    return {"version": DeltaTable(path).version()}


print(json.dumps(main(*sys.argv[1:])))
