/** Tables that Spark makes, and we write to. */
import type { SparkRow } from './session.ts';

export interface SparkMade {
  readonly name: string;
  /** What follows the table's name in CREATE TABLE. */
  readonly create: string;
  readonly statements: readonly string[];
  /** The rows then, by hand. Columns that are not named are null. */
  readonly rows: readonly SparkRow[];
  /** What we append, and how it reads where that is not the same. */
  readonly append: SparkRow;
  readonly appended?: SparkRow;
  readonly deltaRs?: boolean;
}

const insertFive = "INSERT INTO T SELECT id, concat('k', id % 2) FROM range(1, 6)";

export const sparkMade: readonly SparkMade[] = [
  {
    name: 'the oldest protocol, partitioned',
    create:
      "(id BIGINT, k STRING) USING delta PARTITIONED BY (k) TBLPROPERTIES ('delta.minReaderVersion' = '1', 'delta.minWriterVersion' = '2')",
    statements: [insertFive, "INSERT INTO T VALUES (6, 'a/b c%é='), (7, NULL)", 'DELETE FROM T WHERE id = 2'],
    rows: [
      { id: 1, k: 'k1' },
      { id: 3, k: 'k1' },
      { id: 4, k: 'k0' },
      { id: 5, k: 'k1' },
      { id: 6, k: 'a/b c%é=' },
      { id: 7 },
    ],
    append: { id: 90, k: 'a/b c%é=' },
    deltaRs: true,
  },
  {
    name: 'column mapping and deletion vectors',
    create:
      "(id BIGINT, `k k` STRING) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name', 'delta.enableDeletionVectors' = 'true')",
    statements: [insertFive, 'DELETE FROM T WHERE id IN (2, 4)', 'ALTER TABLE T RENAME COLUMN `k k` TO k'],
    rows: [
      { id: 1, k: 'k1' },
      { id: 3, k: 'k1' },
      { id: 5, k: 'k1' },
    ],
    append: { id: 90, k: 'x' },
    deltaRs: true,
  },
  {
    name: 'V2 checkpoints, row tracking, in-commit timestamps',
    create:
      "(id BIGINT, k STRING) USING delta TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2', 'delta.enableRowTracking' = 'true', 'delta.enableInCommitTimestamps' = 'true')",
    statements: [insertFive, "UPDATE T SET k = 'u' WHERE id = 3", 'DELETE FROM T WHERE id = 2'],
    rows: [
      { id: 1, k: 'k1' },
      { id: 3, k: 'u' },
      { id: 4, k: 'k0' },
      { id: 5, k: 'k1' },
    ],
    append: { id: 90, k: 'x' },
  },
  {
    name: 'constraints, generated and default columns',
    create:
      "(id BIGINT NOT NULL, twice STRING GENERATED ALWAYS AS (CAST(id AS STRING)), k STRING DEFAULT 'none') USING delta TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')",
    statements: [
      'ALTER TABLE T ADD CONSTRAINT positive CHECK (id > 0)',
      "INSERT INTO T (id, k) VALUES (1, 'a'), (2, DEFAULT)",
    ],
    rows: [
      { id: 1, twice: '1', k: 'a' },
      { id: 2, twice: '2', k: 'none' },
    ],
    append: { id: 90 },
    appended: { id: 90, twice: '90', k: 'none' },
  },
  {
    name: 'clustered, types widened, variants',
    create:
      "(id BIGINT, n INT, v VARIANT) USING delta CLUSTER BY (id, n) TBLPROPERTIES ('delta.enableTypeWidening' = 'true')",
    statements: [
      "INSERT INTO T VALUES (1, 7, parse_json('[1]')), (2, NULL, NULL)",
      'ALTER TABLE T ALTER COLUMN n TYPE BIGINT',
      'INSERT INTO T VALUES (3, 3000000000, NULL)',
      'OPTIMIZE T',
    ],
    rows: [{ id: 1, n: 7, v: [1] }, { id: 2 }, { id: 3, n: 3000000000 }],
    append: { id: 90, n: 2 ** 40 },
  },
];
