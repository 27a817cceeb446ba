import { cellText, type Row, sortRows } from "../result/shape-of.ts";
import { headingOf, type ShownMember } from "../result/view-spec.ts";
import { dim, element } from "./element.ts";

const mostRows = 200;

/** Rows that sort by a press on their column. */
export function drawTable(rows: readonly Row[], columns: readonly ShownMember[]): HTMLElement {
  const figures = new Set(columns.filter(({ name }) => rows.some((row) => typeof row[name] === "number")));
  const classOf = (column: ShownMember) => (figures.has(column) ? "number" : "");
  const body = element("tbody");
  const show = (sorted: readonly Row[]) =>
    body.replaceChildren(
      ...sorted.slice(0, mostRows).map((row) =>
        element(
          "tr",
          {},
          columns.map((column) => cellOf(row[column.name], classOf(column))),
        ),
      ),
    );
  const headings = columns.map((column) => headOf(column, classOf(column), (direction) => show(sortRows(rows, column.name, direction))));
  show(rows);
  const table = element("table", {}, [element("thead", {}, [element("tr", {}, headings)]), body]);
  const box = element("div", { class: "scroll", role: "group", "aria-label": "Table", tabindex: 0 }, [table]);
  return rows.length > mostRows ? element("div", { class: "stack" }, [box, dim(`The first ${mostRows} of ${rows.length} rows.`)]) : box;
}

const cellOf = (value: unknown, name: string) => element("td", { class: name }, [cellText(value)]);

function headOf(column: ShownMember, name: string, sort: (direction: "up" | "down") => void): HTMLElement {
  const press = element("button", { type: "button" }, [headingOf(column)]);
  const head = element("th", { scope: "col", class: name, "aria-sort": "none" }, [press]);
  press.addEventListener("click", () => {
    const direction = head.getAttribute("aria-sort") === "ascending" ? "down" : "up";
    for (const other of head.parentElement?.children ?? []) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", direction === "up" ? "ascending" : "descending");
    sort(direction);
  });
  return head;
}
