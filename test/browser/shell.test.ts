/** What is around the panels: versions, focus, keyboard, and every panel for assistive technology. */
import { describe, expect, it } from 'vitest';
import { TABS } from '../../web-demo/src/location.ts';
import { useInspector } from './inspector.ts';
import { expectNoOverflow, seriousIssues } from './screens.ts';

const ui = useInspector();

const focused = () => ui.page.evaluate(() => document.activeElement?.textContent ?? '');
const version = () => ui.page.getByLabel('version').inputValue();

/** Nothing is loading any more. */
async function settled(): Promise<void> {
  await expect
    .poll(() => ui.page.locator('#panel :is(.working, .loading)').count(), { timeout: 60_000 })
    .toBe(0);
}

describe('versions', () => {
  it('are travelled by slider, by number and back to the latest', async () => {
    await ui.start('#url=samples/inventory');
    await ui.page.getByText('of 6').waitFor();
    const latest = ui.page.getByRole('button', { name: 'Go to latest' });
    expect(await latest.isDisabled()).toBe(true);
    const slider = ui.page.getByLabel('Time travel');
    await slider.focus();
    await slider.press('ArrowLeft');
    await ui.page.waitForFunction(() => location.hash.includes('version=5'));
    await slider.press('Home');
    await ui.page.waitForFunction(() => location.hash.includes('version=0'));
    await expect.poll(async () => (await ui.facts()).Version).toBe('0');
    expect([await version(), (await ui.facts()).Rows]).toEqual(['0', '0']);
    expect(await slider.getAttribute('max')).toBe('6');
    await latest.click();
    await expect.poll(async () => (await ui.facts()).Version).toBe('6');
    expect(ui.page.url()).not.toContain('version');
  });

  it('are found by date: the latest one at that time', async () => {
    await ui.start('#url=samples/inventory');
    await ui.page.locator('.facts').waitFor();
    const asOf = ui.page.getByText('As of…');
    const time = ui.page.getByLabel('The table as of (UTC)');
    // Version 1 is of 05:54:39.138, version 2 of 05:54:43.434, in the commits of the sample.
    await asOf.click();
    expect(await time.inputValue()).toBe('2026-11-30T05:54:52');
    await time.fill('2026-11-30T05:54:41');
    await ui.page.getByRole('button', { name: 'Go', exact: true }).click();
    await expect.poll(async () => (await ui.facts()).Version).toBe('1');
    expect(await version()).toBe('1');

    await asOf.click();
    await time.fill('2020-01-01T00:00:00');
    await ui.page.getByRole('button', { name: 'Go', exact: true }).click();
    await ui.page.getByRole('alert').waitFor();
    expect(await ui.text('[role=alert]')).toContain('The table is younger than that');
    await ui.page.keyboard.press('Escape');
    expect(await time.isVisible()).toBe(false);
    expect(await focused()).toBe('As of…');
  });
});

it('the keyboard finds its way: into a table, past its head, and out again', async () => {
  await ui.start();
  await ui.page.getByLabel('Link to a table').fill(`${ui.host.url}trips`);
  await ui.page.keyboard.press('Enter');
  await ui.page.locator('.facts').waitFor();
  expect(await focused()).toBe('trips');
  expect(await ui.page.title()).toBe('trips · Delta table inspector');
  await ui.page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to the table');
  await ui.page.keyboard.press('Enter');
  expect(await ui.page.evaluate(() => document.activeElement?.id)).toBe('panel');
  await ui.page.keyboard.press('Shift+Tab');
  expect(await ui.page.evaluate(() => document.activeElement?.id)).toBe('tab-overview');
  await ui.page.getByRole('button', { name: 'Close the table' }).focus();
  await ui.page.keyboard.press('Enter');
  await ui.page.getByLabel('Link to a table').waitFor();
  expect(await focused()).toContain('Delta table inspector');
  expect(await ui.page.title()).toBe('Delta table inspector');
});

it('the tab that a link names is in view on a narrow page', async () => {
  await ui.start('#url=samples/trips&tab=write', { viewport: { width: 360, height: 740 } });
  await ui.tab('write').waitFor();
  const box = (await ui.tab('write').boundingBox())!;
  expect(box.x + box.width).toBeLessThanOrEqual(360);
});

describe('no serious issue for assistive technology, and no overflow', () => {
  const looks = [
    { width: 1280, colorScheme: 'light' },
    { width: 1280, colorScheme: 'dark' },
    { width: 360, colorScheme: 'light' },
  ] as const;

  /** Looks at the page as it is: colours do not depend on the width. */
  async function check(name: string): Promise<string[]> {
    const found: string[] = [];
    for (const { width, colorScheme } of looks) {
      await ui.page.setViewportSize({ width, height: 800 });
      await ui.page.emulateMedia({ colorScheme });
      const where = `${name} ${width} ${colorScheme}`;
      await expectNoOverflow(ui, where);
      found.push(...(await seriousIssues(ui)).map((issue) => `${where}: ${issue}`));
      await ui.screenshot(`${name}-${colorScheme}-${width === 360 ? 'narrow' : 'wide'}`);
    }
    return found;
  }

  it('at the start', { timeout: 240_000 }, async () => {
    await ui.start();
    for (const summary of await ui.page.locator('.more > details > summary').all()) await summary.click();
    await ui.page.locator('.samples li', { hasText: 'Inventory' }).getByText('Copy to this browser').click();
    await ui.page.getByRole('button', { name: 'Delete inventory…' }).click();
    expect(await check('shell-start')).toEqual([]);
  });

  it('in every tab of a table that may be written to, and where it fails', { timeout: 300_000 }, async () => {
    await ui.start();
    await ui.page.locator('.samples li', { hasText: 'Inventory' }).getByText('Copy to this browser').click();
    await ui.page.getByRole('button', { name: 'Open inventory of this browser' }).click();
    await ui.page.locator('.facts').waitFor();
    const found: string[] = [];
    for (const tab of TABS) {
      await ui.page.setViewportSize({ width: 1280, height: 800 });
      await ui.tab(tab).click();
      await settled();
      found.push(...(await check(`shell-${tab}`)));
    }
    await ui.page.getByLabel('version').fill('99');
    await ui.page.getByLabel('version').press('Enter');
    await ui.page.getByRole('alert').waitFor();
    found.push(...(await check('shell-failure')));
    expect(found).toEqual([]);
  });
});
