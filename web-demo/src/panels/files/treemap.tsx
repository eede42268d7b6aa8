import { type HierarchyRectangularNode, hierarchy, treemap } from 'd3-hierarchy';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatBytes, formatCount } from '../../format.ts';
import type { SizeGroup } from '../../worker/protocol-files.ts';
import type { FilesView } from './detail-link.ts';

interface TreemapProps {
  groups: SizeGroup[];
  hasVerdicts: boolean;
  go: (view: FilesView) => void;
}

/** A box of the picture: all, a partition, or a file (or the rest of a partition's). */
interface Box {
  group?: SizeGroup;
  part?: SizeGroup['parts'][number];
  children?: Box[];
}

type Node = HierarchyRectangularNode<Box>;

const HEIGHT = 420;
/** Of the line with a partition's name, where it fits. */
const HEAD = 18;
/** Pixels of a character, about. */
const CHARACTER = 7;

/** Partitions as boxes of files, each as large as its bytes. The worker bounds how many there are. */
export function Treemap({ groups, hasVerdicts, go }: TreemapProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const root = useMemo(() => layout(groups, width), [groups, width]);
  const isNamed = groups.some(({ name }) => name !== '');
  return (
    <div ref={frame} class="treemap">
      {width > 0 && (
        <svg
          width={width}
          height={HEIGHT}
          role="img"
          aria-label={`Sizes of files${isNamed ? ' by partition' : ''}; the table below has the same`}
        >
          {root.leaves().map((node, at) => (
            <FileBox key={at} node={node} go={go} />
          ))}
          {isNamed && root.children?.map((node, at) => <Name key={at} node={node} />)}
        </svg>
      )}
      {hasVerdicts && (
        <p class="legend">
          <span class="swatch read" /> read by the query <span class="swatch skipped" /> skipped
        </p>
      )}
    </div>
  );
}

function layout(groups: SizeGroup[], width: number): Node {
  const isNamed = groups.some(({ name }) => name !== '');
  const boxes: Box = {
    children: groups.map((group) => ({ group, children: group.parts.map((part) => ({ group, part })) })),
  };
  const root = hierarchy(boxes).sum(({ part }) => part?.bytes ?? 0);
  return treemap<Box>()
    .size([Math.max(width, 1), HEIGHT])
    .paddingInner(1)
    .paddingTop((node) => (isNamed && node.depth === 1 ? HEAD : 0))
    .round(true)(root);
}

function FileBox({ node, go }: { node: Node; go: TreemapProps['go'] }) {
  const { part, group } = node.data;
  if (part === undefined || node.x1 <= node.x0 || node.y1 <= node.y0) return null;
  const { path, read, bytes, files } = part;
  const state = read === undefined ? '' : read ? 'read' : 'skipped';
  const partition = group?.partition;
  const open = () => {
    if (path !== undefined) go({ kind: 'file', path });
    else if (partition !== undefined) go({ kind: 'list', partition });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the table below has buttons for those who use no pointer
    <rect
      class={`file ${state} ${path === undefined ? 'rest' : ''}`}
      x={node.x0}
      y={node.y0}
      width={node.x1 - node.x0}
      height={node.y1 - node.y0}
      onClick={open}
    >
      <title>
        {path ?? `${formatCount(files)} more files`} · {formatBytes(bytes)}
      </title>
    </rect>
  );
}

function Name({ node }: { node: Node }) {
  const room = Math.floor((node.x1 - node.x0 - 6) / CHARACTER);
  const name = node.data.group?.name ?? '';
  if (room < 4 || node.y1 - node.y0 < HEAD) return null;
  return (
    <text x={node.x0 + 3} y={node.y0 + HEAD - 5}>
      {name.length > room ? `${name.slice(0, room - 1)}…` : name}
    </text>
  );
}

function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const frame = element.current;
    if (frame === null) return undefined;
    setWidth(frame.clientWidth);
    const observer = new ResizeObserver(() => setWidth(frame.clientWidth));
    observer.observe(frame);
    return () => observer.disconnect();
  }, []);
  return width;
}
