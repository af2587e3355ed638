import { METRICS, type MetricEntry } from '../../server/metrics/metrics.ts';
import { code, table } from './markdown.ts';

/** The table of docs/operations.md. */
export const metricsTable = (): string =>
  table(
    ['Metric', 'Meaning'],
    [
      ...Object.entries<MetricEntry>(METRICS).map(([name, { help, labels }]) => [
        code(`wishbench_${name}${labels.length === 0 ? '' : `{${labels.join(',')}}`}`),
        help,
      ]),
      ['`process_*`, `nodejs_*`', 'Memory, processor, event loop.'],
    ],
  );
