import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatClock } from '../../../../format/time.ts';
import { formatWord, type NumberFormat } from '../../../../format/words.ts';
import { samplesVersion, seriesOf } from '../../../../state/samples.ts';
import { text } from '../../../../text/text.ts';

const t = text.registers.plotting;

interface Props {
  node: number;
  curves: readonly { address: number; name: string }[];
  /** Seconds in sight; 0 for everything. */
  seconds: number;
  held: boolean;
  /** Every curve on a scale of its own; the axes are those of the first two. */
  separate: boolean;
  format: NumberFormat;
}

/** Dashes tell the curves apart without their colours; the legend in the style sheet has the same. */
const DASHES: number[][] = [[], [8, 4], [2, 3], [10, 3, 2, 3], [14, 4], [4, 4]];
/** Colours of the curves in the theme, plot-1 to plot-6. */
const COLOURS = 6;
/** Steps of a scale whose marks are hex. */
const POWERS_OF_TWO = Array.from({ length: 32 }, (_, power) => 2 ** power);

/** A word on the scale: signed where the person reads words so. */
const onScale = (word: number, format: NumberFormat): number => (format === 'signed' ? word | 0 : word >>> 0);

/** Marks of the scale, short: hex without leading zeros; binary is too long for an axis. */
const onAxis = (value: number, format: NumberFormat): string => {
  if (!Number.isInteger(value)) return '';
  if (format === 'hex' || format === 'binary')
    return value < 0 ? '' : `0x${value.toString(16).toUpperCase()}`;
  return formatWord(value, value < 0 ? 'signed' : 'decimal');
};

function dataOf({ node, curves, format }: Pick<Props, 'node' | 'curves' | 'format'>): uPlot.AlignedData {
  const tables = curves.map(({ address }): uPlot.AlignedData => {
    const { times, values } = seriesOf(node, address);
    return [times.slice(), values.map((word) => onScale(word, format))];
  });
  return uPlot.join(tables);
}

/** Curves of registers, drawn once a frame at most; words hold until the next sample, so lines are steps. */
export default function Plot({ node, curves, seconds, held, separate, format }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const names = curves.map(({ name }) => name).join(', ');
  const key = curves.map(({ address, name }) => `${address} ${name}`).join();
  const shown = useRef({ seconds, held });
  shown.current = { seconds, held };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the curves
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    let plot: uPlot | undefined;
    const draw = () => {
      if (!plot || shown.current.held) return;
      plot.setData(dataOf({ node, curves, format }), true);
    };
    const begin = () => {
      plot?.destroy();
      const colour = (name: string) => getComputedStyle(element).getPropertyValue(`--${name}`).trim();
      const axis = {
        stroke: colour('ink-2'),
        grid: { stroke: colour('line'), width: 1 },
        ticks: { stroke: colour('line') },
      };
      plot = new uPlot(
        {
          width: Math.max(120, element.clientWidth),
          height: Math.max(120, element.clientHeight),
          legend: { show: false },
          padding: [12, 20, 0, 0],
          scales: {
            x: {
              time: true,
              range: (_, min, max) => {
                const span = shown.current.seconds;
                if (min === null || max === null)
                  return [Date.now() / 1000 - (span || 10), Date.now() / 1000];
                return span > 0 ? [max - span, max] : [min, Math.max(max, min + 1)];
              },
            },
          },
          axes: [
            {
              ...axis,
              values: (_, splits) => splits.map((time) => formatClock(time * 1000).slice(0, 8)),
              space: 80,
            },
            ...curves.slice(0, separate ? 2 : 1).map(
              (_, index): uPlot.Axis => ({
                ...axis,
                scale: separate ? `y${index}` : 'y',
                side: index === 0 ? 3 : 1,
                ...(separate && { stroke: colour(`plot-${index + 1}`) }),
                ...(index > 0 && { grid: { show: false } }),
                ...(format === 'hex' || format === 'binary' ? { incrs: POWERS_OF_TWO } : {}),
                size: 92,
                values: (_plot, splits) => splits.map((value) => onAxis(value, format)),
              }),
            ),
          ],
          series: [
            {},
            ...curves.map(({ name }, index) => ({
              label: name,
              stroke: colour(`plot-${(index % COLOURS) + 1}`),
              width: 2,
              scale: separate ? `y${index}` : 'y',
              dash: DASHES[index % DASHES.length] ?? [],
              spanGaps: true,
              points: { show: false },
              ...(uPlot.paths.stepped && { paths: uPlot.paths.stepped({ align: 1 }) }),
            })),
          ],
        },
        dataOf({ node, curves, format }),
        element,
      );
    };
    begin();
    const end = samplesVersion.subscribe(draw);
    const sizes = new ResizeObserver(() =>
      plot?.setSize({
        width: Math.max(120, element.clientWidth),
        height: Math.max(120, element.clientHeight),
      }),
    );
    sizes.observe(element);
    // The canvas takes its colours from the theme: another theme is another picture.
    const themes = new MutationObserver(begin);
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => {
      end();
      sizes.disconnect();
      themes.disconnect();
      plot?.destroy();
    };
  }, [node, key, format, seconds, held, separate]);
  return <div ref={host} className="plot" role="img" aria-label={t.curves(names)} />;
}
