import type { Json, JsonObject } from "../../contract/json.ts";

/** Characters of a string that are written at once. */
const pieceLength = 64 * 1024;

/** True when a value has surely more than that many bytes as JSON; walks no further than it takes to know, and copies nothing. */
export function isLargerThan(value: Json, maxBytes: number): boolean {
  return leftAfter(value, maxBytes) < 0;
}

function leftAfter(value: Json | undefined, room: number): number {
  if (typeof value === "string") return room - value.length - 2;
  if (typeof value !== "object" || value === null) return room - 1;
  let left = room - 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index += 1) left = leftAfter(value[index], index === 0 ? left : left - 1);
    return left;
  }
  const members = value as JsonObject;
  for (const key of Object.keys(members)) {
    if (left < 0) return left;
    if (members[key] === undefined) continue;
    left = leftAfter(members[key], left - key.length - 3);
  }
  return left;
}

/** The text that `JSON.stringify` gives, in pieces, so that a value of any size is never there as one text. */
export function* jsonPieces(value: Json): Generator<string> {
  let waiting = "";
  for (const piece of tokensOf(value)) {
    waiting += piece;
    if (waiting.length < pieceLength) continue;
    yield waiting;
    waiting = "";
  }
  if (waiting !== "") yield waiting;
}

function* tokensOf(value: Json): Generator<string> {
  if (typeof value === "string") yield* stringPieces(value);
  else if (typeof value !== "object" || value === null) yield JSON.stringify(value);
  else if (Array.isArray(value)) {
    yield "[";
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ",";
      yield* tokensOf(item);
    }
    yield "]";
  } else {
    const members = value as JsonObject;
    let before = "{";
    for (const key of Object.keys(members)) {
      const member = members[key];
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(key)}:`;
      yield* tokensOf(member);
      before = ",";
    }
    yield before === "{" ? "{}" : "}";
  }
}

function* stringPieces(text: string): Generator<string> {
  if (text.length <= pieceLength) {
    yield JSON.stringify(text);
    return;
  }
  yield '"';
  for (let start = 0; start < text.length; ) {
    const last = text.charCodeAt(start + pieceLength - 1);
    // Half of a pair of surrogates would be written as an escape.
    const end = start + pieceLength - (last >= 0xd800 && last < 0xdc00 ? 1 : 0);
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}
