/** A table of 300,000 files: its tabs open while the page stays quick, and what takes long can be stopped. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { perfLog } from '../helpers/perf-log.ts';
import { sharedMissing } from '../helpers/shared.ts';
import { type StaticServer, startStaticServer } from '../helpers/static-server.ts';
import { useInspector } from './inspector.ts';
import { longestTask } from './main-thread.ts';

const log = perfLog();

/** Milliseconds of CPU time that the main thread may take in one go. */
const MAX_TASK_MS = 200;

describe.skipIf(log === undefined)(`300,000 files${log ? '' : ` (${sharedMissing})`}`, () => {
  const ui = useInspector();
  let host: StaticServer;
  beforeAll(async () => {
    host = await startStaticServer(fileURLToPath(log!));
  });
  afterAll(() => host?.close());

  it('tabs open without a long task on the main thread', { timeout: 300_000 }, async () => {
    await ui.start();
    const busy = await longestTask(ui, async () => {
      await ui.openUrl(host.url);
      await ui.page.getByText(/Reading the log… \d/).waitFor();
      await ui.page.locator('.facts').waitFor({ timeout: 90_000 });
      for (const tab of ['history', 'files', 'health']) {
        await ui.tab(tab).click();
        await settled();
      }
    });
    expect(busy).toBeLessThan(MAX_TASK_MS);
    await ui.tab('overview').click();
    await ui.page.locator('.facts').waitFor();
    // As the corpus says.
    expect(await ui.facts()).toMatchObject({ Version: '4', Files: '300,000' });
  });

  it('opening it, and a tab at work, can be stopped', { timeout: 300_000 }, async () => {
    await ui.start(`#url=${host.url}`);
    await ui.page.getByRole('button', { name: 'Cancel' }).click();
    await ui.page.getByText('Stopped.').waitFor();
    await ui.page.getByRole('button', { name: 'Try again' }).click();
    await ui.page.locator('.facts').waitFor({ timeout: 90_000 });
    await ui.tab('health').click();
    await ui.page.getByRole('button', { name: 'Cancel' }).click();
    await ui.page.getByText('Stopped.').first().waitFor();
  });

  /** Nothing is loading any more. */
  async function settled(): Promise<void> {
    await expect
      .poll(() => ui.page.locator('#panel :is(.working, .loading)').count(), { timeout: 90_000 })
      .toBe(0);
    expect(await ui.page.locator('#panel .failure').count()).toBe(0);
  }
});
