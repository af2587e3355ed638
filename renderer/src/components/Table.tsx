import { type ReactNode, useState } from 'react';
import { Icon } from './Icon.tsx';
import './table.css';

export interface Column<Row> {
  head: ReactNode;
  /** It has figures: they are at the right, and sorting begins with the largest. */
  num?: boolean;
  /** Class of its cells, with the head. */
  className?: string;
  cell(row: Row): ReactNode;
  /** Lets people sort by it; its head is then a text. */
  value?(row: Row): string | number | null;
}

/** Sorts rows; those without a value are last in either direction, and equal ones stay in their order. */
export function sortRows<Row>(
  rows: readonly Row[],
  value: (row: Row) => string | number | null,
  descending: boolean,
): Row[] {
  return [...rows].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    const order =
      typeof x === 'number' ? x - Number(y) : x.localeCompare(String(y), undefined, { numeric: true });
    return descending ? -order : order;
  });
}

/** A table of figures. The first column names its row. */
export function Table<Row>({
  label,
  className = '',
  columns,
  rows,
  keyOf,
}: {
  label?: string;
  className?: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
}) {
  const [sorting, setSorting] = useState({ by: columns[0]?.head, descending: false });
  const { value } = columns.find(({ head }) => head === sorting.by) ?? {};
  const classOf = ({ num, className: own = '' }: Column<Row>) =>
    `${num ? 'num' : ''} ${own}`.trim() || undefined;
  return (
    <div className="scroll-x">
      <table className={`figures ${className}`} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <Head
                // biome-ignore lint/suspicious/noArrayIndexKey: columns have no name of their own
                key={at}
                column={column}
                className={classOf(column)}
                sorting={sorting}
                onSort={setSorting}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {(value ? sortRows(rows, value, sorting.descending) : rows).map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, at) => {
                const Cell = at === 0 ? 'th' : 'td';
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above
                  <Cell key={at} className={classOf(column)} {...(at === 0 && { scope: 'row' })}>
                    {column.cell(row)}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface Sorting {
  by: ReactNode;
  descending: boolean;
}

function Head<Row>({
  column: { head, num = false, value },
  className,
  sorting,
  onSort,
}: {
  column: Column<Row>;
  className: string | undefined;
  sorting: Sorting;
  onSort(sorting: Sorting): void;
}) {
  if (head === '') return <td className={className} />;
  if (!value)
    return (
      <th scope="col" className={className}>
        {head}
      </th>
    );
  const isSorted = sorting.by === head;
  const descending = isSorted ? !sorting.descending : num;
  return (
    <th
      scope="col"
      className={className}
      aria-sort={!isSorted ? 'none' : sorting.descending ? 'descending' : 'ascending'}
    >
      <button type="button" className="sort-head" onClick={() => onSort({ by: head, descending })}>
        {head}
        {isSorted && <Icon name={sorting.descending ? 'down' : 'up'} size={12} />}
      </button>
    </th>
  );
}
