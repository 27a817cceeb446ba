/** A message of which only the beginning and the end are known. */
export interface LongLine {
  readonly kind: "request" | "answer";
  readonly id: string | number;
}

const member = /\s*"(jsonrpc|method|id)"\s*:\s*("[^"\\]{0,256}"|-?\d{1,15})\s*,/y;
const answerMember = /\s*"(?:result|error)"\s*:/y;
/**
 * An id that the last brace of the message follows at once, so that it is a member of the message: in a string, its quotes would have backslashes, and
 * in an inner object, more braces would follow.
 */
const lastId = /[,{]\s*"id"\s*:\s*("[^"\\]{1,256}"|-?\d{1,15})\s*\}\s*$/;

/** Reads kind and id where they stand at the beginning or at the end, as clients write them; undefined where they do not. */
export function readLongLine({ head, tail }: { readonly head: Buffer; readonly tail: Buffer }): LongLine | undefined {
  const text = head.toString("utf8");
  const brace = /^\s*\{/.exec(text);
  if (!brace) return undefined;
  let at = brace[0].length;
  const found = new Map<string, string>();
  for (;;) {
    member.lastIndex = at;
    const [all, name, value] = member.exec(text) ?? [];
    if (all === undefined || name === undefined || value === undefined) break;
    found.set(name, value);
    at += all.length;
  }
  answerMember.lastIndex = at;
  const kind = found.has("method") ? "request" : answerMember.test(text) ? "answer" : undefined;
  const id = found.get("id") ?? lastId.exec(tail.toString("utf8"))?.[1];
  return kind && id !== undefined ? { kind, id: JSON.parse(id) as string | number } : undefined;
}
