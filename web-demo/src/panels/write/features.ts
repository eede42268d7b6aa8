/** What a new table may be asked for, in plain words. */
export interface FeatureChoice {
  readonly name: string;
  readonly title: string;
  readonly what: string;
  readonly properties: readonly [string, string][];
}

export const FEATURES: readonly FeatureChoice[] = [
  {
    name: 'deletionVectors',
    title: 'Deletion vectors',
    what: 'Deleting rows marks them instead of writing their files again. Readers must know the feature.',
    properties: [['delta.enableDeletionVectors', 'true']],
  },
  {
    name: 'changeDataFeed',
    title: 'Change data feed',
    what: 'Which rows each version inserted, updated or deleted can be read.',
    properties: [['delta.enableChangeDataFeed', 'true']],
  },
  {
    name: 'columnMapping',
    title: 'Column mapping',
    what: 'Columns can be renamed and dropped without writing files again; names may have any characters.',
    properties: [['delta.columnMapping.mode', 'name']],
  },
  {
    name: 'inCommitTimestamps',
    title: 'In-commit timestamps',
    what: "A commit's time is in the commit, not that of its file: time travel survives copies.",
    properties: [['delta.enableInCommitTimestamps', 'true']],
  },
  {
    name: 'rowTracking',
    title: 'Row tracking',
    what: 'Every row has an id that stays when its file is written again.',
    properties: [['delta.enableRowTracking', 'true']],
  },
  {
    name: 'v2Checkpoint',
    title: 'V2 checkpoints',
    what: 'Checkpoints of large tables are written in parts. Readers must know the feature.',
    properties: [['delta.checkpointPolicy', 'v2']],
  },
  {
    name: 'appendOnly',
    title: 'Append-only',
    what: 'No row can be deleted or changed.',
    properties: [['delta.appendOnly', 'true']],
  },
];

/** Types that the form offers; nested ones come from a file. */
export const TYPE_NAMES = [
  'string',
  'long',
  'integer',
  'short',
  'byte',
  'double',
  'float',
  'decimal(10,2)',
  'boolean',
  'date',
  'timestamp',
  'timestamp_ntz',
  'binary',
  'variant',
];

/** Lines of `key=value`; the lines that are none. */
export function propertiesOf(text: string): { properties: [string, string][]; bad: string[] } {
  const lines = text.split('\n').map((line) => line.trim());
  const given = lines.filter((line) => line !== '');
  const pairs = given.map((line) => /^([^=\s]+)\s*=\s*(.*)$/.exec(line));
  return {
    properties: pairs.flatMap((pair) => (pair === null ? [] : [[pair[1]!, pair[2]!] as [string, string]])),
    bad: given.filter((_, at) => pairs[at] === null),
  };
}
