import { Button, TextInput } from "@mantine/core";
import { useMemo, useState } from "react";
import { ScrollBox } from "../parts/scroll-box.tsx";
import classes from "./result.module.css";
import { saveText } from "./save-text.ts";
import { cellText, type Row, sortRows, toCsv } from "./shape-of.ts";

interface DataTableProps {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** Headings of columns; the others have their name. */
  readonly labels?: ReadonlyMap<string, string>;
}

const mostRows = 200;
const searchedFrom = 8;

/** Rows that sort by a press on their column, and can be sought and saved. */
export function DataTable({ columns, rows, labels }: DataTableProps) {
  const [order, setOrder] = useState<{ readonly column: string; readonly direction: "up" | "down" }>();
  const [sought, setSought] = useState("");
  const [most, setMost] = useState(mostRows);
  const found = useMemo(() => {
    const words = sought.toLowerCase();
    const kept = words === "" ? rows : rows.filter((row) => columns.some((column) => cellText(row[column]).toLowerCase().includes(words)));
    return order ? sortRows(kept, order.column, order.direction) : kept;
  }, [rows, columns, sought, order]);
  const figures = useMemo(() => new Set(columns.filter((column) => rows.some((row) => typeof row[column] === "number"))), [rows, columns]);
  const press = (column: string) => setOrder({ column, direction: order?.column === column && order.direction === "up" ? "down" : "up" });
  return (
    <div className={classes.data}>
      <div className={classes.acts}>
        {rows.length >= searchedFrom && (
          <TextInput
            size="xs"
            aria-label="Search rows"
            placeholder="Search rows"
            value={sought}
            onChange={(event) => setSought(event.currentTarget.value)}
          />
        )}
        <span className="dim small">{`${found.length === rows.length ? "" : `${found.length} of `}${rows.length} ${rows.length === 1 ? "row" : "rows"}`}</span>
        <Button size="compact-sm" variant="default" onClick={() => saveText("rows.csv", "text/csv", toCsv(columns, found))}>
          Save as CSV
        </Button>
      </div>
      <ScrollBox className={classes.scroll} label="Table">
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th
                  key={column}
                  scope="col"
                  className={figures.has(column) ? classes.number : undefined}
                  aria-sort={order?.column !== column ? "none" : order.direction === "up" ? "ascending" : "descending"}
                >
                  <button type="button" onClick={() => press(column)}>
                    {labels?.get(column) ?? column}
                    {order?.column === column && (order.direction === "up" ? " ↑" : " ↓")}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.slice(0, most).map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name of their own
              <tr key={index}>
                {columns.map((column) => (
                  <td key={column} className={typeof row[column] === "number" ? classes.number : undefined}>
                    {cellText(row[column])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {found.length > most && (
        <Button size="compact-sm" variant="subtle" onClick={() => setMost(most + mostRows)}>
          {`Show more of ${found.length}`}
        </Button>
      )}
    </div>
  );
}
