/** Table features in plain words. */
const HINTS: Record<string, string> = {
  allowColumnDefaults: 'columns may have default values',
  appendOnly: 'rows may be added, never changed or removed',
  catalogManaged: 'commits go through a catalog',
  changeDataFeed: 'row changes can be read as a feed',
  checkConstraints: 'rows must satisfy CHECK conditions',
  clustering: 'files are clustered by columns (liquid clustering)',
  columnMapping: 'columns can be renamed and dropped without rewriting files',
  deletionVectors: 'deleted rows are marked, not rewritten',
  domainMetadata: 'named settings of other features live in the log',
  generatedColumns: 'columns are computed from others',
  identityColumns: 'columns are numbered by the writer',
  inCommitTimestamp: 'commit times are recorded in the commits',
  invariants: 'columns may refuse nulls or other values',
  rowTracking: 'every row has a stable id',
  timestampNtz: 'timestamps without a time zone',
  typeWidening: 'column types may have grown wider',
  v2Checkpoint: 'checkpoints may be split into sidecar files',
  vacuumProtocolCheck: 'vacuum checks the protocol before it deletes',
  variantType: 'semi-structured values',
  variantShredding: 'semi-structured values with typed parts',
};

export function featureHint(feature: string): string {
  return HINTS[feature.replace(/-preview$/, '')] ?? '';
}
