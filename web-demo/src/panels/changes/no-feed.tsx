import type { Overview } from '../../worker/protocol.ts';

const PROPERTY = 'delta.enableChangeDataFeed';

/** Why there is nothing to see, and what would change that. */
export function NoFeed({ overview }: { overview: Overview }) {
  const statement = `ALTER TABLE ${overview.name ?? 'my_table'} SET TBLPROPERTIES (${PROPERTY} = true)`;
  return (
    <section class="no-feed">
      <h2>Version {overview.version} has no change feed</h2>
      <p>
        With the table property <code>{PROPERTY}</code> set to <code>true</code>, every commit tells which
        rows it inserted, updated and deleted. It works from the commit that sets it on: changes before it are
        not recorded.
      </p>
      <pre>{statement}</pre>
      <p class="hint">
        A version of the past may have had the feed: go to it, and its changes are here. To compare two
        versions without a feed, use <b>Compare versions</b> in the data tab.
      </p>
    </section>
  );
}
