import { CallView } from '../../components/call-view.tsx';
import { useCall } from '../../components/use-call.ts';
import { formatBytes, formatCount } from '../../format.ts';
import { session } from '../../session.ts';
import type { FilesPlan, Outcome } from '../../worker/protocol-write.ts';
import { SmallTable } from './small-table.tsx';
import { Prepare, Run, type UpkeepProps } from './upkeep-parts.tsx';

/** Commits that only the catalog knows become files of the log. */
export function Publish({ state, onDone }: UpkeepProps) {
  const work = useCall<Outcome>();
  const { unpublished, version } = state;
  if (unpublished.length === 0)
    return <p class="empty">All commits up to version {formatCount(version)} are published.</p>;
  return (
    <>
      <p>
        Publishing copies these commits, which the catalog has ratified, to their places in the log. Readers
        without the catalog see them then.
      </p>
      <SmallTable
        label="Commits to publish"
        columns={['version', 'staged', 'becomes', 'size']}
        rows={unpublished.map(({ version: each, staged, published, size }) => [
          formatCount(each),
          staged,
          published,
          formatBytes(size),
        ])}
        numeric={[0, 3]}
      />
      <Run work={work} doing="Publishing" call={(task) => session.publish(task)} onDone={onDone}>
        Publish {formatCount(unpublished.length)} {unpublished.length === 1 ? 'commit' : 'commits'}
      </Run>
    </>
  );
}

/** The newest version's state in one file. */
export function Checkpoint({ state, onDone }: UpkeepProps) {
  const plan = useCall<FilesPlan>();
  const work = useCall<Outcome>();
  const { version, checkpointVersion } = state;
  return (
    <>
      <p>
        A checkpoint holds the state of a version, so that readers need not read all commits before it.{' '}
        {checkpointVersion === undefined
          ? 'The table has none.'
          : `The newest one is of version ${formatCount(checkpointVersion)}, the table is at version ${formatCount(version)}.`}
      </p>
      {checkpointVersion === version ? (
        <p class="empty">There is nothing to write.</p>
      ) : (
        <Prepare plan={plan} doing="Making the checkpoint" call={(task) => session.planCheckpoint(task)}>
          Prepare the checkpoint
        </Prepare>
      )}
      <CallView now={plan.now}>
        {(found) =>
          found.numFiles === 0 ? (
            <p class="empty">Another writer has made it: there is nothing to write.</p>
          ) : (
            <>
              <h2>These files are written</h2>
              <FileList plan={found} />
              <Run work={work} doing="Writing" call={(task) => session.writeCheckpoint(task)} onDone={onDone}>
                Write the checkpoint
              </Run>
            </>
          )
        }
      </CallView>
    </>
  );
}

function FileList({ plan }: { plan: FilesPlan }) {
  return (
    <SmallTable
      label="Files"
      columns={['path', 'size']}
      rows={plan.files.map(({ path, size }) => [path, formatBytes(size)])}
      numeric={[1]}
    />
  );
}
