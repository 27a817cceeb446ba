const mostBytes = 8_000;

/** Lines that are new and lines that are gone. Refs count as part of a line: an element that was made anew has another. */
export function compareSnapshots(before: string, after: string): string {
  const old = countLines(before);
  const fresh: string[] = [];
  for (const line of after.split("\n")) {
    const key = line.trim();
    const count = old.get(key) ?? 0;
    if (count > 0) old.set(key, count - 1);
    else if (key !== "") fresh.push(`+ ${key}`);
  }
  const news = fresh.filter((line) => !movesFocus(line.slice(2), old));
  const gone = [...old].flatMap(([line, count]) => Array.from({ length: count }, () => `- ${line}`));
  const lines = [...news, ...gone.filter((line) => line !== "- ")];
  return lines.length === 0 ? "Nothing that a snapshot shows has changed." : fit(lines);
}

const focus = " [active]";

/** Takes the line that the focus left or reached off the old ones; true for one that it left, which is no news. */
function movesFocus(line: string, old: Map<string, number>): boolean {
  const isReached = line.includes(focus);
  const same = isReached
    ? line.replace(focus, "")
    : [...old.keys()].find((each) => each.includes(focus) && each.replace(focus, "") === line);
  const count = same === undefined ? 0 : (old.get(same) ?? 0);
  if (same === undefined || count === 0) return false;
  old.set(same, count - 1);
  return !isReached;
}

function countLines(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split("\n")) counts.set(line.trim(), (counts.get(line.trim()) ?? 0) + 1);
  return counts;
}

function fit(lines: readonly string[]): string {
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > mostBytes) break;
    kept.push(line);
  }
  const left = lines.length - kept.length;
  return left > 0 ? `${kept.join("\n")}\n… ${left} more lines changed: take a snapshot` : kept.join("\n");
}
