#!/usr/bin/env python3
"""Makes the demo's sample tables with Apache Spark and Delta Lake: make_samples.py OUT_DIR

Needs: pip install pyspark==4.2.0, Java 17 or later, and io.delta:delta-spark_4.2_2.13:4.4.0 with its dependencies in the
local Maven repository: mvn dependency:get -Dartifact=io.delta:delta-spark_4.2_2.13:4.4.0. The data is seeded: rows are the same in every run; file names, ids and
commit times are Spark's own.
"""
import random
import shutil
import sys
import tempfile
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

from pyspark.sql import SparkSession

SEED = 20210901
MAVEN = Path.home() / '.m2' / 'repository'
JARS = [
    MAVEN / 'io/delta/delta-spark_4.2_2.13/4.4.0/delta-spark_4.2_2.13-4.4.0.jar',
    MAVEN / 'io/delta/delta-storage/4.4.0/delta-storage-4.4.0.jar',
    MAVEN / 'io/unitycatalog/unitycatalog-client/0.6.0/unitycatalog-client-0.6.0.jar',
]
CITIES = ['NYC', 'Boston', 'Chicago', 'São Paulo', 'Zürich']


def session():
    builder = SparkSession.builder.master('local[2]').appName('samples')
    settings = {
        'spark.jars': ','.join(map(str, JARS)),
        'spark.sql.extensions': 'io.delta.sql.DeltaSparkSessionExtension',
        'spark.sql.catalog.spark_catalog': 'org.apache.spark.sql.delta.catalog.DeltaCatalog',
        'spark.sql.warehouse.dir': tempfile.mkdtemp(),
        'spark.ui.enabled': 'false',
        'spark.sql.shuffle.partitions': '1',
        'spark.default.parallelism': '1',
        'spark.sql.session.timeZone': 'UTC',
        'spark.driver.extraJavaOptions': '-Duser.timezone=UTC',
        'spark.databricks.delta.snapshotPartitions': '1',
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def trips(spark, path):
    """Partitioned by date: which files would `date = '2021-09-01'` read, and why?"""
    rng = random.Random(SEED)
    spark.sql(
        f"""CREATE TABLE delta.`{path}` (
              trip_id BIGINT NOT NULL COMMENT 'unique over all cities', city STRING, date DATE,
              pickup TIMESTAMP, dropoff TIMESTAMP, distance_km DOUBLE, fare DECIMAL(8,2), tip DECIMAL(8,2),
              passengers INT, payment STRUCT<method: STRING, tags: ARRAY<STRING>>)
            USING delta PARTITIONED BY (date) COMMENT 'Taxi trips of one week, one day a commit'"""
    )
    schema = spark.table(f'delta.`{path}`').schema
    trip_id = 9_007_199_254_740_990
    for day in range(7):
        start = datetime(2021, 8, 29) + timedelta(days=day)
        rows = []
        for _ in range(400):
            trip_id += 1
            pickup = start + timedelta(seconds=rng.randrange(86_000), microseconds=rng.randrange(1_000_000))
            km = round(rng.lognormvariate(1.2, 0.7), 2)
            fare = round(2.5 + 1.8 * km, 2)
            tip = None if rng.random() < 0.3 else round(fare * rng.random() * 0.25, 2)
            method = rng.choice(['card', 'cash', 'app'])
            rows.append(
                (trip_id, rng.choice(CITIES), start.date(), pickup, pickup + timedelta(minutes=3 + 2 * km), km,
                 as_decimal(fare), as_decimal(tip), rng.randrange(1, 5),
                 (method, rng.sample(['airport', 'night', 'shared', 'toll'], rng.randrange(3))))
            )
        spark.createDataFrame(rows, schema).coalesce(1).write.format('delta').mode('append').save(path)


def as_decimal(value):
    return None if value is None else Decimal(f'{value:.2f}')


def inventory(spark, path):
    """Time travel and a change feed: appends, an update, a delete, a merge, a new column."""
    run = lambda text: spark.sql(text.format(T=f'delta.`{path}`'))
    run("CREATE TABLE {T} (sku STRING, name STRING, stock INT, price DECIMAL(8,2)) USING delta "
        "TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', 'delta.enableInCommitTimestamps' = 'true')")
    run("INSERT INTO {T} SELECT concat('SKU-', lpad(id, 4, '0')), concat('item ', id), CAST(10 + id % 40 AS INT), "
        "CAST(1.25 * (1 + id % 17) AS DECIMAL(8,2)) FROM range(0, 120, 1, 1)")
    run("UPDATE {T} SET price = price * 1.1 WHERE stock > 40")
    run("DELETE FROM {T} WHERE stock = 13")
    run("ALTER TABLE {T} ADD COLUMN (discontinued BOOLEAN COMMENT 'no longer ordered')")
    run("MERGE INTO {T} t USING (SELECT concat('SKU-', lpad(id, 4, '0')) AS sku, CAST(id AS INT) AS n "
        "FROM range(100, 140, 1, 1)) s ON t.sku = s.sku WHEN MATCHED THEN UPDATE SET stock = t.stock + 100 "
        "WHEN NOT MATCHED THEN INSERT (sku, name, stock, price, discontinued) VALUES (s.sku, 'new item', s.n, 9.99, false)")
    run("UPDATE {T} SET discontinued = true WHERE price > 20")


def customers(spark, path):
    """Deletion vectors, column mapping with a renamed column, a checkpoint, every odd type."""
    run = lambda text: spark.sql(text.format(T=f'delta.`{path}`'))
    run("CREATE TABLE {T} (id BIGINT, full_name STRING, born DATE, score DOUBLE, seen TIMESTAMP, "
        "local_time TIMESTAMP_NTZ, avatar BINARY, attributes MAP<STRING, STRING>, profile VARIANT) USING delta "
        "TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true', "
        "'delta.checkpointInterval' = '5')")
    for start in range(0, 600, 100):
        run("INSERT INTO {T} SELECT id, concat('Customer ', id), date_add(DATE'1950-01-01', CAST(id * 31 % 20000 AS INT)), "
            "CASE WHEN id % 50 = 7 THEN double('NaN') ELSE id / 7 END, "
            "timestamp_micros(1600000000000000 + id * 1234567891), "
            "timestamp_ntz'2024-02-29 12:00:00.000001', unhex(hex(id)), "
            "map('tier', element_at(array('gold', 'silver', 'bronze'), CAST(id % 3 AS INT) + 1), 'region', NULL), "
            "parse_json(concat('{{\"visits\":', id, ',\"tags\":[\"a\",null,1.5]}}')) "
            f"FROM range({start}, {start + 100}, 1, 1)")
    run("ALTER TABLE {T} RENAME COLUMN full_name TO `name (display)`")
    run("DELETE FROM {T} WHERE id % 10 = 3")
    run("UPDATE {T} SET score = -1 WHERE id BETWEEN 40 AND 45")


def main():
    out = Path(sys.argv[1]).resolve()
    spark = session()
    for make in (trips, inventory, customers):
        path = out / make.__name__
        shutil.rmtree(path, ignore_errors=True)
        make(spark, str(path))
        for checksum in path.rglob('.*.crc'):
            checksum.unlink()
    spark.stop()


main()
