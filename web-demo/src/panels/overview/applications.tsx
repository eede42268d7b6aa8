import { TaskView } from '../../components/task-view.tsx';
import { useTask } from '../../components/use-task.ts';
import { formatCount, formatTime } from '../../format.ts';
import { session } from '../../session.ts';
import type { ApplicationFacts } from '../../worker/protocol-overview.ts';
import { JsonText } from '../history/json-text.tsx';

/** What applications and features left in the table. */
export function ApplicationSection({ version }: { version: number }) {
  const task = useTask((each) => session.applicationState(each), [version]);
  return (
    <section aria-labelledby="applications" class="applications">
      <h2 id="applications">Domains and transactions</h2>
      <TaskView task={task} doing="Reading what applications left">
        {(facts) => <Facts facts={facts} />}
      </TaskView>
    </section>
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
      <div class="scroll">
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
      </div>
    </details>
  );
}
