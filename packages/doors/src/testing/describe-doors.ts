import type { Cell, DoorReport } from "./run-matrix.ts";
import { subjects } from "./subjects.ts";

/** Characters of one side of a difference. */
const longest = 600;

/** The report as text: a matrix of tools and doors, and each difference with both answers. */
export function describeDoors({ seed, doors, cells, lists }: DoorReport): string {
  const names = doors.map(({ name }) => name);
  const tools = [...new Set(cells.map(({ tool }) => tool))];
  const width = Math.max(...tools.map((tool) => tool.length), "tool".length) + 2;
  const columns = names.map((name) => name.length + 2);
  const line = (first: string, rest: readonly string[]) =>
    `${first.padEnd(width)}${rest.map((cell, index) => cell.padEnd(columns[index] ?? 0)).join("")}`.trimEnd();
  const rows = tools.map((tool) =>
    line(
      tool,
      names.map((door) => summarise(cells.filter((cell) => cell.tool === tool && cell.door === door))),
    ),
  );
  const listed = lists.map(({ door, subject, part, expected, found }) => describe(`${door}, ${subject}: ${part}`, expected, found));
  const told = cells.flatMap(({ tool, subject, door, differences }) =>
    differences.map(({ input, part, expected, found }) => describe(`${door}, ${subject}, ${tool} with ${input}: ${part}`, expected, found)),
  );
  const compared = cells.reduce((sum, { cases }) => sum + cases, 0);
  const count = listed.length + told.length;
  const verdict = count === 0 ? "no difference" : `${count} ${count === 1 ? "difference" : "differences"}`;
  const leftOut = doors.flatMap(({ name, leavesOut = {} }) =>
    Object.entries(leavesOut).map(([part, reason]) => `${name} leaves out ${part}: ${reason}`),
  );
  const summary = `${tools.length} tools, ${subjects.length} callers, ${names.length} doors, ${compared} calls compared (seed ${seed}): ${verdict}.`;
  return `${[line("tool", names), ...rows, "", ...listed, ...told, ...leftOut, summary].join("\n")}\n`;
}

/** The report as a page: a table of tools and doors, and what was compared. */
export function pageOfDoors({ doors, cells }: DoorReport): string {
  const names = doors.map(({ name }) => name);
  const tools = [...new Set(cells.map(({ tool }) => tool))];
  const rows = [
    ["tool", ...names],
    ...tools.map((tool) => [
      `\`${tool}\``,
      ...names.map((door) => summarise(cells.filter((cell) => cell.tool === tool && cell.door === door))),
    ]),
  ];
  const widths = names.map((name, column) => Math.max(...rows.map((row) => row[column + 1]?.length ?? 0), name.length));
  const first = Math.max(...rows.map((row) => row[0]?.length ?? 0));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(column === 0 ? first : (widths[column - 1] ?? 0))).join(" | ")} |`;
  const rule = `| ${[first, ...widths].map((width) => "-".repeat(width)).join(" | ")} |`;
  const [head = [], ...body] = rows;
  return `${[line(head), rule, ...body.map(line)].join("\n")}\n`;
}

function summarise(cells: readonly Cell[]): string {
  const differences = cells.reduce((sum, cell) => sum + cell.differences.length, 0);
  return differences === 0 ? "same" : `${differences} differ`;
}

function describe(what: string, expected: unknown, found: unknown): string {
  return `${what}\n    the gate  ${shorten(expected)}\n    the door  ${shorten(found)}`;
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}
