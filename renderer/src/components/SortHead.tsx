import { Icon } from './Icon.tsx';
import './sort-head.css';

export interface Sorting<C extends string> {
  by: C;
  descending: boolean;
}

/** The head of a column that sorts its table; a second press turns the order round. */
export function SortHead<C extends string>({
  column,
  label,
  sorting,
  onSort,
  descendsFirst = false,
  className,
}: {
  column: C;
  label: string;
  sorting: Sorting<C>;
  onSort(sorting: Sorting<C>): void;
  /** The first press shows the largest first. */
  descendsFirst?: boolean;
  className?: string;
}) {
  const { by, descending } = sorting;
  const isSorted = by === column;
  return (
    <th
      scope="col"
      className={className}
      aria-sort={!isSorted ? 'none' : descending ? 'descending' : 'ascending'}
    >
      <button
        type="button"
        className="sort-head"
        onClick={() => onSort({ by: column, descending: isSorted ? !descending : descendsFirst })}
      >
        {label}
        {isSorted && <Icon name={descending ? 'down' : 'up'} size={12} />}
      </button>
    </th>
  );
}
