import { useState } from 'preact/hooks';
import { TaskView } from '../../components/task-view.tsx';
import { useTask } from '../../components/use-task.ts';
import { formatCount, formatTime } from '../../format.ts';
import { session } from '../../session.ts';
import type { Overview } from '../../worker/protocol.ts';
import type { ApplicationFacts } from '../../worker/protocol-overview.ts';
import { Scroll } from '../files/scroll.tsx';
import { JsonText } from '../history/json-text.tsx';

/** The log is read once more for them: that of more files only when a person asks. */
const MAX_FILES_UNASKED = 20_000;

/** What applications and features left in the table. */
export function ApplicationSection({ overview: { version, numFiles } }: { overview: Overview }) {
  const [isWanted, setWanted] = useState(numFiles <= MAX_FILES_UNASKED);
  return (
    <section aria-labelledby="applications" class="applications">
      <h2 id="applications">Domains and transactions</h2>
      {isWanted ? (
        <Applications version={version} />
      ) : (
        <button type="button" onClick={() => setWanted(true)}>
          Look for them in the log
        </button>
      )}
    </section>
  );
}

function Applications({ version }: { version: number }) {
  const task = useTask((each) => session.applicationState(each), [version]);
  return (
    <TaskView task={task} doing="Reading what applications left">
      {(facts) => <Facts facts={facts} />}
    </TaskView>
  );
}

function Facts({ facts: { domains, transactions, numTransactions } }: { facts: ApplicationFacts }) {
  if (domains.length === 0 && numTransactions === 0)
    return <p class="empty">No feature or application has left anything.</p>;
  return (
    <>
      {domains.map(({ domain, configuration }) => (
        <details key={domain}>
          <summary>
            domain <code>{domain}</code>
          </summary>
          <JsonText text={configuration} />
        </details>
      ))}
      {numTransactions > 0 && <Transactions transactions={transactions} total={numTransactions} />}
    </>
  );
}

function Transactions(props: { transactions: ApplicationFacts['transactions']; total: number }) {
  const { transactions, total } = props;
  return (
    <details>
      <summary>
        {formatCount(total)} {total === 1 ? 'application' : 'applications'} with transactions
        {total > transactions.length && `, of which the first ${formatCount(transactions.length)} are listed`}
      </summary>
      <Scroll label="Transactions of applications">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Application</th>
              <th scope="col" class="numeric">
                Version
              </th>
              <th scope="col">Updated (UTC)</th>
            </tr>
          </thead>
          <tbody>
            {transactions.map(({ appId, version, lastUpdated }) => (
              <tr key={appId}>
                <th scope="row">{appId}</th>
                <td class="numeric">{formatCount(version)}</td>
                <td>{lastUpdated === undefined ? '' : formatTime(lastUpdated)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  );
}
