/** The files tab: the list, where the bytes are, why a query reads some files, and what is inside one. */
import axe from 'axe-core';
import { describe, expect, it } from 'vitest';
import { useInspector } from './inspector.ts';

const ui = useInspector();

async function openFiles(sample: string, more = '') {
  await ui.start(`#url=samples/${sample}&tab=files${more}`);
  await ui.page.locator('.listing td, .file-detail h2').first().waitFor();
}

describe('which files would a query read, and why?', () => {
  it('is answered within five clicks of the start', async () => {
    await ui.start('', {}, "globalThis.clicks = 0; addEventListener('click', () => { clicks += 1; }, true);");
    await ui.page.getByRole('button', { name: 'Taxi trips' }).click();
    await ui.tab('files').click();
    await ui.page.getByLabel('WHERE').click();
    await ui.page.keyboard.type("date = '2021-09-01'");
    await ui.page.getByRole('button', { name: 'Explain' }).click();
    const answer = ui.page.locator('.answer');
    await answer.waitFor();
    // The sample has a file of 400 rows for each of seven days.
    expect(await answer.textContent()).toMatch(/^Reads 1 of 7 files, .* of .*, 400 of 2,800 rows\./);
    const reason = ui.page.locator('.explanation tbody tr');
    expect(await reason.locator('td').allTextContents()).toEqual([
      "date = DATE '2021-09-01'",
      'the partition value',
      '6',
      expect.stringMatching(/ KiB$/),
      '2,400',
    ]);
    expect(await ui.page.evaluate('clicks')).toBeLessThanOrEqual(5);
  });
});

describe('screens', () => {
  it.each(['light', 'dark'] as const)('%s', async (colorScheme) => {
    for (const [size, width, height] of [
      ['wide', 1280, 900],
      ['narrow', 360, 740],
    ] as const) {
      const options = { colorScheme, viewport: { width, height } };
      await ui.start("#url=samples/trips&tab=files&where=date+%3D+'2021-09-01'", options);
      await ui.page.locator('.answer').waitFor();
      await ui.page.getByRole('button', { name: 'Look into' }).click();
      await ui.page.locator('.row-groups').waitFor();
      await look(`files-${colorScheme}-${size}`);
      await ui.page.getByRole('button', { name: 'By partition' }).click();
      await ui.page.locator('.listing .bar-cell').first().waitFor();
      await look(`files-partitions-${colorScheme}-${size}`);
      await ui.page.getByRole('button', { name: 'Sizes' }).click();
      await ui.page.locator('.treemap rect').first().waitFor();
      await look(`files-sizes-${colorScheme}-${size}`);
      await ui.page.getByRole('button', { name: 'List' }).click();
      await ui.page.locator('.listing .link').first().click();
      await ui.page.getByText('Key-value metadata').waitFor();
      await ui.page.getByRole('button', { name: '0, column chunks' }).click();
      await ui.page.getByText('Column chunks of row group').waitFor();
      await look(`files-inside-${colorScheme}-${size}`);
      await ui.page.context().close();
    }
  });

  async function look(name: string) {
    const overflow = await ui.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, `${name} overflows`).toBe(0);
    await ui.page.screenshot({ path: `test-results/demo/${name}.png`, fullPage: true });
    await ui.page.evaluate(axe.source);
    const { violations } = await ui.page.evaluate(() =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(),
    );
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(
      serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
      name,
    ).toEqual([]);
  }
});
