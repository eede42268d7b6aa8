import { useState } from 'preact/hooks';
import { CallView } from '../../components/call-view.tsx';
import { useCall } from '../../components/use-call.ts';
import { session } from '../../session.ts';
import type { Source } from '../../worker/protocol.ts';
import type { ChangeStep, NewColumn, NewTable, Outcome } from '../../worker/protocol-write.ts';
import { TextField, textOf } from '../open/fields.tsx';
import { ChangeView } from './change-view.tsx';
import { FEATURES, propertiesOf } from './features.ts';
import { ImportInput } from './import-input.tsx';
import { type FormColumn, formColumn, NewColumns } from './new-columns.tsx';
import { keepOutcome } from './outcome.ts';
import { PLACES, PlaceFields, type PlaceKind, placeOfForm } from './place-fields.tsx';

/** A form for a new table; its commit is shown before it is made. */
export function CreateTable({ onOpen }: { onOpen: (source: Source) => void }) {
  const [kind, setKind] = useState<PlaceKind>('opfs');
  const [columns, setColumns] = useState<FormColumn[]>(() => [formColumn()]);
  const [problem, setProblem] = useState<string>();
  const change = useCall<ChangeStep>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const table = tableOf(kind, columns, new FormData(event.currentTarget as HTMLFormElement));
    setProblem(typeof table === 'string' ? table : undefined);
    if (typeof table === 'string') return change.reset();
    change.begin('Preparing the table', (task) => session.planCreate(task, table));
  };
  const done = (outcome: Outcome) => {
    keepOutcome(outcome);
    if (outcome.made !== undefined) onOpen(outcome.made);
  };
  return (
    <div class="new-table">
      <form class="new-table" onSubmit={submit} onInput={() => change.now.state === 'done' && change.reset()}>
        <fieldset>
          <legend>Where</legend>
          <div class="places">
            {PLACES.map(([name, title]) => (
              <label key={name}>
                <input type="radio" name="place" checked={kind === name} onChange={() => setKind(name)} />{' '}
                {title}
              </label>
            ))}
          </div>
          <PlaceFields kind={kind} />
        </fieldset>
        <fieldset>
          <legend>Columns</legend>
          <NewColumns columns={columns} onColumns={setColumns} />
          <FromFile onColumns={(found) => setColumns(found.map((column) => formColumn(column)))} />
        </fieldset>
        <Settings />
        {problem !== undefined && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="decision">
          <button type="submit" class="primary">
            Prepare the commit
          </button>
        </div>
      </form>
      <ChangeView change={change} action="Create the table" onDone={done} />
    </div>
  );
}

/** Columns as a file, or some rows, have them. */
function FromFile({ onColumns }: { onColumns: (columns: NewColumn[]) => void }) {
  const inferred = useCall<NewColumn[]>();
  return (
    <details>
      <summary>Take them from a file</summary>
      <ImportInput
        action="Take its columns"
        onInput={(input) =>
          inferred.begin('Reading the columns', async (task) => {
            const result = await session.inferColumns(task, input);
            if (result.ok) onColumns(result.value);
            return result;
          })
        }
      />
      <CallView now={inferred.now}>
        {(found) => (
          <p role="status">{found.length} columns were found. Types of text are a guess: look at them.</p>
        )}
      </CallView>
    </details>
  );
}

function Settings() {
  return (
    <fieldset>
      <legend>Features and properties</legend>
      {FEATURES.map(({ name, title, what }) => (
        <label key={name} class="feature">
          <input type="checkbox" name={`feature-${name}`} />
          <span>{title}</span>
          <small>{what}</small>
        </label>
      ))}
      <TextField label="Description" name="description" />
      <div class="field">
        <label for="more-properties">More properties</label>
        <textarea id="more-properties" name="properties" rows={2} spellcheck={false} />
        <small>
          a line each, such as <code>delta.checkpointInterval=20</code>
        </small>
      </div>
    </fieldset>
  );
}

/** The table that the form describes, or what is missing. */
function tableOf(kind: PlaceKind, columns: FormColumn[], form: FormData): NewTable | string {
  const place = placeOfForm(kind, form);
  if (typeof place === 'string') return place;
  const nameless = columns.findIndex(({ name }) => name.trim() === '');
  if (nameless >= 0) return `Column ${nameless + 1} needs a name.`;
  const { properties, bad } = propertiesOf(textOf(form, 'properties') ?? '');
  if (bad.length > 0) return `A property is written key=value, not ${bad[0]}.`;
  const chosen = FEATURES.filter(({ name }) => form.has(`feature-${name}`));
  return {
    place,
    columns: columns.map(({ name, type, nullable }) => ({ name: name.trim(), type, nullable })),
    partitionBy: columns.filter(({ isPartition }) => isPartition).map(({ name }) => name.trim()),
    properties: [...chosen.flatMap((feature) => feature.properties), ...properties],
    description: textOf(form, 'description') ?? '',
  };
}
