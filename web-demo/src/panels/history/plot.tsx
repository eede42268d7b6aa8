import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

const HEIGHT = 150;
const POWERS = Array.from({ length: 53 }, (_, exponent) => 2 ** exponent);

interface PlotProps {
  title: string;
  /** Ascending. */
  versions: number[];
  /** Null where it is not known. */
  values: (number | null)[];
  format: (value: number) => string;
  /** Whether round numbers are powers of two, as those of bytes are. */
  isBinary: boolean;
  /** A click on a version. */
  onChoose: (version: number) => void;
}

/** A figure over versions, in steps; a table beside it has the same for those who do not see it. */
export function Plot({ title, versions, values, format, isBinary, onChoose }: PlotProps) {
  const frame = useRef<HTMLDivElement>(null);
  const key = JSON.stringify([versions, values]);
  useEffect(() => {
    const parent = frame.current;
    if (parent === null) return undefined;
    const make = () => draw(parent, { versions, values, format, isBinary, onChoose });
    let plot = make();
    const resize = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height: HEIGHT }));
    resize.observe(parent);
    // Its colours are drawn, not styled.
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => {
      plot.destroy();
      plot = make();
    };
    scheme.addEventListener('change', redraw);
    return () => {
      resize.disconnect();
      scheme.removeEventListener('change', redraw);
      plot.destroy();
    };
  }, [key]);
  return (
    <figure class="plot">
      <figcaption>
        {title} <span class="soft">{lastText(values, format)}</span>
      </figcaption>
      <div ref={frame} role="img" aria-label={summary(title, versions, values, format)} />
    </figure>
  );
}

function draw(
  parent: HTMLElement,
  { versions, values, format, isBinary, onChoose }: Omit<PlotProps, 'title'>,
): uPlot {
  const style = getComputedStyle(parent);
  const colour = (name: string) => `color-mix(in srgb, ${style.getPropertyValue(name)}, transparent 0%)`;
  const [accent, soft, line] = ['--accent', '--soft', '--line'].map((name) => resolved(parent, colour(name)));
  const axis = {
    stroke: soft!,
    grid: { stroke: line!, width: 1 },
    ticks: { show: false },
    font: '12px system-ui',
  };
  const options: uPlot.Options = {
    width: parent.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: { x: { time: false }, y: { range: (_, __, most) => [0, most > 0 ? most * 1.08 : 1] } },
    series: [
      {},
      {
        stroke: accent!,
        width: 1.5,
        fill: `color-mix(in srgb, ${accent} 12%, transparent)`,
        paths: uPlot.paths.stepped!({ align: 1 }),
        points: { show: versions.length < 40, size: 5, fill: accent! },
      },
    ],
    axes: [
      {
        ...axis,
        size: 26,
        values: (_, marks) => marks.map((mark) => (Number.isInteger(mark) ? String(mark) : '')),
      },
      {
        ...axis,
        size: 68,
        ...(isBinary && { incrs: POWERS }),
        values: (_, marks) => marks.map((mark) => (isWhole(mark) ? format(mark) : '')),
      },
    ],
    hooks: { ready: [(plot) => follow(plot, format, onChoose)] },
  };
  return new uPlot(options, [versions, values], parent);
}

/** Says what is under the pointer, and takes clicks. */
function follow(plot: uPlot, format: PlotProps['format'], onChoose: PlotProps['onChoose']): void {
  const at = () => {
    const { idx } = plot.cursor;
    const version = idx === null || idx === undefined ? undefined : plot.data[0][idx];
    return version === undefined ? undefined : { version, value: plot.data[1]![idx!] };
  };
  plot.over.addEventListener('mousemove', () => {
    const found = at();
    if (found === undefined) return;
    const value = found.value === null || found.value === undefined ? 'unknown' : format(found.value);
    plot.over.title = `version ${found.version}: ${value}`;
  });
  plot.over.addEventListener('click', () => {
    const found = at();
    if (found !== undefined) onChoose(found.version);
  });
}

/** A colour of the style sheet as the canvas takes it. */
function resolved(parent: HTMLElement, colour: string): string {
  const probe = document.createElement('span');
  probe.style.color = colour;
  parent.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Counts of files and rows have no parts, and sizes of less than a byte neither. */
function isWhole(value: number): boolean {
  return Number.isInteger(value) || value > 100;
}

function lastText(values: PlotProps['values'], format: PlotProps['format']): string {
  const last = values.at(-1);
  return last === null || last === undefined ? 'unknown' : format(last);
}

function summary(
  title: string,
  versions: number[],
  values: PlotProps['values'],
  format: PlotProps['format'],
) {
  const known = values.flatMap((value, at) => (value === null ? [] : [{ value, version: versions[at]! }]));
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return `${title}: unknown`;
  return `${title}: ${format(first.value)} at version ${first.version}, ${format(last.value)} at version ${last.version}`;
}
