"""Runs SQL with Apache Spark and Delta, for comparisons.

usage: spark.py <scratch folder> <jar>...

One JSON request per line of standard input, one answer per line of standard output:
{"sql": ["...", ...]}  ->  {"schema": ..., "rows": [...]} of the last statement, or {"error": {"name", "message"}}
"""

import base64
import datetime
import decimal
import json
import math
import os
import re
import struct
import sys

os.environ["TZ"] = "UTC"
# Delta's decimals have up to 38 digits.
decimal.getcontext().prec = 40
# What the JVM prints is not for our reader.
answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)

from py4j.protocol import Py4JJavaError  # noqa: E402
from pyspark.errors import PySparkException  # noqa: E402
from pyspark.sql import SparkSession, types  # noqa: E402

CONFIG = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1500m",
    # The tables are small: start-up and compilation of code are what costs.
    "spark.driver.extraJavaOptions": "-Duser.timezone=UTC -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.ui.explainMode": "simple",
    "spark.sql.maxPlanStringLength": "200",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.databricks.delta.retentionDurationCheck.enabled": "false",
}


def start(scratch, jars):
    builder = SparkSession.builder.master("local[2]").config("spark.jars", ",".join(jars))
    for key, value in CONFIG.items():
        builder = builder.config(key, value)
    builder = builder.config("spark.sql.warehouse.dir", os.path.join(scratch, "warehouse"))
    spark = builder.config("spark.local.dir", os.path.join(scratch, "local")).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def value_json(value, kind):
    """A value as `delta-web read` prints it."""
    if value is None:
        return None
    if isinstance(kind, types.StructType):
        return {field.name: value_json(value[i], field.dataType) for i, field in enumerate(kind)}
    if isinstance(kind, types.ArrayType):
        return [value_json(item, kind.elementType) for item in value]
    if isinstance(kind, types.MapType):
        pairs = [(value_json(k, kind.keyType), value_json(v, kind.valueType)) for k, v in value.items()]
        if isinstance(kind.keyType, types.StringType):
            return dict(pairs)
        return [{"key": key, "value": item} for key, item in pairs]
    if isinstance(value, float):
        return floating(value, isinstance(kind, types.FloatType))
    if isinstance(value, decimal.Decimal):
        return format(value.quantize(decimal.Decimal(1).scaleb(-kind.scale)), "f")
    if isinstance(value, datetime.datetime):
        zone = "Z" if isinstance(kind, types.TimestampType) else ""
        return value.replace(tzinfo=None).isoformat(timespec="microseconds") + zone
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, types.VariantVal):
        return json.loads(value.toJson())
    return value


def floating(value, is_single):
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if not is_single:
        return value
    texts = (f"{value:.{digits}g}" for digits in range(1, 10))
    return float(next(text for text in texts if single(float(text)) == single(value)))


def single(value):
    return struct.pack("f", value)


def run(spark, statements):
    for statement in statements:
        frame = spark.sql(statement)
    rows = [value_json(row, frame.schema) for row in frame.collect()]
    return {"schema": frame.schema.jsonValue(), "rows": rows}


def answer(spark, line):
    try:
        return run(spark, json.loads(line)["sql"])
    except (PySparkException, Py4JJavaError) as error:
        # A message begins with the name of its condition: [NAME] or [NAME.PART].
        message = str(error)
        named = re.search(r"\[([A-Z][A-Z0-9_.]+)\]", message)
        return {"error": {"name": named[1] if named else type(error).__name__, "message": message[:500]}}


def main(scratch, *jars):
    spark = start(scratch, jars)
    print(json.dumps({"spark": spark.version}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(spark, line)), file=answers, flush=True)
    spark.stop()


main(*sys.argv[1:])
