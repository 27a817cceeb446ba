/** Identifiers, tokens and times that are new in every answer. */
const ownOfAnswers: readonly (readonly [RegExp, string])[] = [
  // At the beginning of a line, too, which JSON writes with a letter before it.
  [/(?:\b|(?<=\\n))(call|jobs?|sch|schedule \w+|hook|apr|art|grt|inv|mcp|mem|proc|room|ses|turn|task|ask)_[A-Za-z0-9_-]{22}/g, "$1_<new>"],
  // Behind a line feed as JSON writes it.
  [/foreign_[A-Za-z0-9_-]{22}/g, "foreign_<new>"],
  // Of an event in a session's stream; they count on.
  [/\brun_[A-Za-z0-9_-]{22}-\d+/g, "run_<new>"],
  [/tw_[a-z0-9]{16}_/g, "tw_<new>_"],
  [/"id":"[a-f0-9]{16}"/g, '"id":"<new>"'],
  [/[A-Za-z0-9_-]{43}/g, "<token>"],
  // First: its decimals may look like a time.
  [/"durationMs":[\d.]+/g, '"durationMs":<time>'],
  [/\b1[6-9]\d{11}(\.\d+)?\b/g, "<time>"],
  [/"hash":"[a-f0-9]{64}"/g, '"hash":"<new>"'],
];

/** All that a caller is told, result or error, as one text; what every answer has of its own and the identifier that was asked for are left out. */
export async function answerOf(ask: () => unknown, id: string): Promise<string> {
  let told: object;
  try {
    told = { result: await ask() };
  } catch (error) {
    told = { error };
  }
  return withoutOwn(
    JSON.stringify(told, (_, value: unknown) => toPlain(value)),
    id,
  );
}

export function withoutOwn(text: string, id: string): string {
  const named = id === "" ? text : text.replaceAll(id, "<id>");
  return ownOfAnswers.reduce((left, [pattern, word]) => left.replace(pattern, word), named);
}

function toPlain(value: unknown): unknown {
  if (value === undefined) return "<undefined>";
  if (value instanceof Error) return { ...value, type: value.constructor.name, message: value.message, cause: value.cause };
  if (value instanceof Map || value instanceof Set) return [...value];
  if (value instanceof Uint8Array) return Buffer.from(value).toString("latin1");
  return typeof value === "function" || typeof value === "bigint" ? `<${typeof value}>` : value;
}

/** An identifier of the same form that nobody has. */
export function otherId(id: string, step = 1): string {
  const kept = id.slice(0, -6);
  return kept + id.slice(-6).replace(/[a-z]|[A-Z]|\d/g, (character) => turn(character, step));
}

function turn(character: string, step: number): string {
  const [first, count] = /\d/.test(character) ? [48, 10] : /[a-z]/.test(character) ? [97, 26] : [65, 26];
  return String.fromCharCode(first + ((character.charCodeAt(0) - first + step) % count));
}
