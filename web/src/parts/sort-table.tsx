import type { ReactNode } from "react";
import { useUrl } from "../app/use-url.ts";
import { sortRows } from "./sort-rows.ts";
import classes from "./sort-table.module.css";

export interface Column<Row> {
  readonly name: string;
  readonly show: (row: Row) => ReactNode;
  /** By what rows are sorted; without it the column is not. */
  readonly by?: (row: Row) => string | number | undefined;
}

interface SortTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** What can be done with a row; its buttons name the row. */
  readonly acts?: (row: Row) => ReactNode;
}

/** A table whose order is in the URL. */
export function SortTable<Row>({ label, columns, rows, keyOf, acts }: SortTableProps<Row>) {
  const [{ sort = "" }, change] = useUrl();
  const isDown = sort.startsWith("-");
  const sorted = isDown ? sort.slice(1) : sort;
  const by = columns.find(({ name }) => name === sorted)?.by;
  const next = (name: string) => (sorted !== name ? name : isDown ? undefined : `-${name}`);
  return (
    <section className={classes.scroll} aria-label={label} tabIndex={rows.length > 0 ? 0 : -1}>
      <table className={classes.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" aria-sort={!by || sorted !== column.name ? "none" : isDown ? "descending" : "ascending"}>
                {column.by ? (
                  <button type="button" onClick={() => change({ sort: next(column.name) }, { replace: true })}>
                    {column.name}
                    <span aria-hidden>{sorted !== column.name ? "" : isDown ? " ↓" : " ↑"}</span>
                  </button>
                ) : (
                  column.name
                )}
              </th>
            ))}
            {acts && (
              <th scope="col">
                <span className="hidden-visually">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {sortRows(rows, by, isDown).map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ name, show }) => (
                <td key={name}>{show(row)}</td>
              ))}
              {acts && <td className={classes.acts}>{acts(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
