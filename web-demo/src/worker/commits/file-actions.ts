/** The file actions of one commit, as far as sums need them. */
import { type DeltaTable, type FileMeta, field, types } from 'delta-kernel-web';

export interface FileAction {
  readonly path: string;
  /** NaN where the action does not say. */
  readonly bytes: number;
  /** Live rows; NaN where the action does not say. */
  readonly rows: number;
  readonly dataChange: boolean;
}

export interface FileActions {
  readonly adds: readonly FileAction[];
  readonly removes: readonly FileAction[];
}

const actionType = types.struct([
  field('path', types.string),
  field('size', types.long),
  field('dataChange', types.boolean),
  field('stats', types.string),
  field('deletionVector', types.struct([field('cardinality', types.long)])),
]);
const schema = types.struct([field('add', actionType), field('remove', actionType)]);
const countSchema = types.struct([field('numRecords', types.long)]);

export async function readFileActions(
  { engine }: DeltaTable,
  file: FileMeta,
  signal: AbortSignal,
): Promise<FileActions> {
  const [adds, removes]: [FileAction[], FileAction[]] = [[], []];
  const counters = { add: counter(engine, 'add'), remove: counter(engine, 'remove') };
  for await (const data of engine.jsonHandler.readJsonFiles([file], schema, { signal })) {
    for (const [action, into] of [['add', adds] as const, ['remove', removes] as const]) {
      const column = (...path: string[]) => data.column([action, ...path])!;
      const [paths, sizes, changes] = [column('path'), column('size'), column('dataChange')];
      const deleted = column('deletionVector', 'cardinality');
      const counts = (await counters[action].evaluate(data)).column(['numRecords'])!;
      for (let row = 0; row < data.length; row += 1) {
        const path = paths.getString(row);
        if (path === null) continue;
        into.push({
          path,
          bytes: sizes.getNumber(row) ?? Number.NaN,
          rows: (counts.getNumber(row) ?? Number.NaN) - (deleted.getNumber(row) ?? 0),
          dataChange: changes.getBoolean(row) ?? true,
        });
      }
    }
  }
  return { adds, removes };
}

function counter({ evaluationHandler }: DeltaTable['engine'], action: 'add' | 'remove') {
  return evaluationHandler.newExpressionEvaluator(
    schema,
    { kind: 'parseJson', input: { kind: 'column', path: [action, 'stats'] }, schema: countSchema },
    countSchema,
  );
}
