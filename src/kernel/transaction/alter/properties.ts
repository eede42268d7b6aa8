/** Changes of table properties, and the features that come with them. */
import { DeltaError } from '../../../errors.ts';
import { featuresOfProperties, sortProperties } from '../enable-features.ts';
import { mapExistingColumns } from './columns.ts';
import { CONSTRAINT_PREFIX } from './constraints.ts';
import { type Draft, mappingModeOf, withFeatures } from './draft.ts';

const MODE = 'delta.columnMapping.mode';
const COMMIT_TIMES = 'delta.enableInCommitTimestamps';
const ROW_TRACKING = 'delta.enableRowTracking';

export function setProperties(draft: Draft, properties: Readonly<Record<string, string>>): Draft {
  const { stored, signals } = sortProperties(properties);
  checkSettable(draft, stored, signals);
  const configuration = { ...draft.configuration, ...stored };
  const protocol = withFeatures(draft.protocol, [...signals, ...featuresOfProperties(stored)]);
  let changed: Draft = { ...draft, protocol, configuration };
  if (mappingModeOf(draft) === 'none' && mappingModeOf(changed) !== 'none')
    changed = mapExistingColumns(changed);
  if (isTrue(draft.configuration[COMMIT_TIMES]) && !isTrue(configuration[COMMIT_TIMES])) {
    changed = withoutProperties(changed, [
      'delta.inCommitTimestampEnablementVersion',
      'delta.inCommitTimestampEnablementTimestamp',
    ]);
  }
  return startsRowTracking(draft, stored) ? trackRows(changed) : changed;
}

function startsRowTracking({ configuration }: Draft, stored: Readonly<Record<string, string>>): boolean {
  return isTrue(stored[ROW_TRACKING]) && !isTrue(configuration[ROW_TRACKING]);
}

function checkSettable(
  draft: Draft,
  stored: Readonly<Record<string, string>>,
  signals: readonly string[],
): void {
  const constraint = Object.keys(stored).find((key) => key.startsWith(CONSTRAINT_PREFIX));
  if (constraint !== undefined) {
    throw refuse(
      constraint,
      'is no mere property: add the constraint with addConstraint, which checks the rows that are there',
      'checkConstraints',
    );
  }
  if (signals.includes('catalogManaged')) {
    throw refuse('delta.feature.catalogManaged', 'cannot be set on a table that exists', 'catalogManaged');
  }
  const before = mappingModeOf(draft);
  const mode = stored[MODE]?.trim().toLowerCase();
  if (mode === undefined || mode === before || (before === 'none' && mode === 'name')) return;
  throw refuse(
    MODE,
    `cannot change from ${before} to ${mode}: files would have to be rewritten`,
    'columnMapping',
  );
}

/** Every row has an id from the same commit on: files that have none get some (see `row-ids.ts`). */
function trackRows(draft: Draft): Draft {
  const { runtime, configuration } = draft;
  return {
    ...draft,
    readsWholeTable: true,
    startsRowTracking: true,
    configuration: {
      'delta.rowTracking.materializedRowIdColumnName': `_row-id-col-${runtime.uuid()}`,
      'delta.rowTracking.materializedRowCommitVersionColumnName': `_row-commit-version-col-${runtime.uuid()}`,
      ...configuration,
    },
  };
}

/** Back to the default. Properties that others depend on cannot be taken away. */
export function unsetProperties(draft: Draft, keys: readonly string[]): Draft {
  for (const key of keys) {
    if (/^delta\.(columnMapping|rowTracking|inCommitTimestampEnablement)/i.test(key)) {
      throw refuse(key, 'cannot be unset: the files and the log depend on it');
    }
  }
  return withoutProperties(draft, keys);
}

function withoutProperties(draft: Draft, keys: readonly string[]): Draft {
  const entries = Object.entries(draft.configuration).filter(([key]) => !keys.includes(key));
  return { ...draft, configuration: Object.fromEntries(entries) };
}

function isTrue(value: string | undefined): boolean {
  return value?.trim().toLowerCase() === 'true';
}

function refuse(key: string, problem: string, feature?: string): DeltaError {
  const place = feature === undefined ? {} : { feature };
  return new DeltaError('Unsupported', `the table property ${key} ${problem}`, place);
}
