/** One place where two values differ: `path` is a JSON pointer, empty for the whole. */
export interface Difference {
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  readonly one?: unknown;
  readonly other?: unknown;
}

/** Where two values differ, member by member, in their order. Items of lists are held against each other between those that begin and end both alike. */
export function compareValues(one: unknown, other: unknown, path = ""): readonly Difference[] {
  if (Array.isArray(one) && Array.isArray(other)) return compareLists(one, other, path);
  if (isObject(one) && isObject(other))
    return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((name) => {
      const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (!Object.hasOwn(other, name)) return [{ path: at, kind: "removed", one: one[name] }];
      if (!Object.hasOwn(one, name)) return [{ path: at, kind: "added", other: other[name] }];
      return compareValues(one[name], other[name], at);
    });
  return isSame(one, other) ? [] : [{ path, kind: "changed", one, other }];
}

function compareLists(one: readonly unknown[], other: readonly unknown[], path: string): readonly Difference[] {
  const most = Math.min(one.length, other.length);
  let first = 0;
  while (first < most && isSame(one[first], other[first])) first++;
  let last = 0;
  while (last < most - first && isSame(one.at(-1 - last), other.at(-1 - last))) last++;
  const [left, right] = [one.slice(first, one.length - last), other.slice(first, other.length - last)];
  const differences: Difference[] = [];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const at = `${path}/${first + index}`;
    if (index >= right.length) differences.push({ path: at, kind: "removed", one: left[index] });
    else if (index >= left.length) differences.push({ path: at, kind: "added", other: right[index] });
    else differences.push(...compareValues(left[index], right[index], at));
  }
  return differences;
}

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === "object" && value !== null && !Array.isArray(value);

/** The order of members means nothing. */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, index) => isSame(each, other[index]));
  if (!isObject(one) || !isObject(other)) return one === other;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]));
}

const mostCharacters = 400;
const before = 40;

/** Two values as texts; of long ones the part where they begin to differ. */
export function showPair(one: unknown, other: unknown): readonly [string, string] {
  const [left, right] = [textOf(one), textOf(other)];
  const most = Math.min(left.length, right.length);
  let same = 0;
  while (same < most && left[same] === right[same]) same++;
  const from = Math.max(left.length, right.length) > mostCharacters && same > before ? same - before : 0;
  return [cut(left, from), cut(right, from)];
}

function textOf(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function cut(text: string, from: number): string {
  const shown = text.slice(from, from + mostCharacters);
  return `${from > 0 ? "… " : ""}${shown}${from + mostCharacters < text.length ? ` … (${text.length.toLocaleString("en")} characters)` : ""}`;
}
