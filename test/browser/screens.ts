/** How a panel looks and what it is for assistive technology: light and dark, wide and narrow. */
import axe from 'axe-core';
import { expect } from 'vitest';
import type { Inspector } from './inspector.ts';

const SIZES = { wide: { width: 1280, height: 900 }, narrow: { width: 360, height: 740 } } as const;

/** Pictures of the page as it is; fails where it is wider than its window, or axe finds a serious issue. */
export async function look(ui: Inspector, name: string): Promise<void> {
  const { page } = ui;
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectNoOverflow(ui, `${name} ${size}`);
      await ui.screenshot(`${name}-${colorScheme}-${size}`);
      // Colours do not depend on the width, nor what scrolls on the colours.
      if (size === 'wide' || colorScheme === 'light')
        expect(await seriousIssues(ui), `${name} ${colorScheme} ${size}`).toEqual([]);
    }
  }
  await page.setViewportSize(SIZES.wide);
}

/** The page is no wider than its window, soon: what is drawn to fit is drawn again after the window has another size. */
export async function expectNoOverflow({ page }: Inspector, name: string): Promise<void> {
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await expect.poll(overflow, { message: `${name} overflows`, timeout: 5000 }).toBe(0);
}

/** Serious and critical ones, each with its element. */
export async function seriousIssues({ page }: Inspector): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** How far things have moved by themselves since the page was opened: the browser's own score. */
export function layoutShift({ page }: Inspector): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let score = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & {
            value: number;
            hadRecentInput: boolean;
          })[])
            score += entry.hadRecentInput ? 0 : entry.value;
        }).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve(score), 300);
      }),
  );
}
