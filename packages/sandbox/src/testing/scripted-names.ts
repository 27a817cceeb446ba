import type { Resolve } from "../http/resolve-target.ts";

/**
 * What a name answers: nothing (`null`, `NXDOMAIN`), an address, a set of them, a failure (`SERVFAIL`), records by type, or the answers to
 * successive questions. `CNAME` leads to the answers of another name.
 */
export type ScriptedAnswer = null | string | Records | readonly (null | string | Records | readonly string[])[];
type Records = Readonly<{ A?: readonly string[]; AAAA?: readonly string[]; CNAME?: string; ttl?: number }>;

/** The names of one case, lower case and without a trailing dot. */
export type ScriptedNames = Readonly<Record<string, ScriptedAnswer>>;

type Question = () => readonly string[];

const failures = new Set(["NXDOMAIN", "NODATA", "SERVFAIL", "REFUSED", "TIMEOUT", "ENOTFOUND", "EAI_AGAIN", "ESERVFAIL", "ETIMEOUT"]);
const mostAliases = 8;

/** A resolver that gives the scripted answers in order, the last again and again. Throws for an answer that it does not know. */
export function scriptNames(names: ScriptedNames): { readonly resolve: Resolve; readonly addresses: ReadonlySet<string> } {
  const table = new Map(Object.entries(names).map(([name, answer]) => [plain(name), toTurns(name, answer)]));
  const asked = new Map<string, number>();
  const answer = (name: string, aliases: number): readonly string[] => {
    const turns = table.get(plain(name)) ?? [];
    const turn = asked.get(plain(name)) ?? 0;
    asked.set(plain(name), turn + 1);
    const given = turns[Math.min(turn, turns.length - 1)]?.() ?? [];
    const alias = given[0]?.startsWith("CNAME ") ? given[0].slice("CNAME ".length) : undefined;
    if (alias === undefined) return given;
    return aliases < mostAliases ? answer(alias, aliases + 1) : [];
  };
  const addresses = new Set([...table.values()].flat().flatMap((question) => listAddresses(question)));
  return { resolve: async (host) => answer(host, 0), addresses };
}

const plain = (name: string) => name.toLowerCase().replace(/\.$/, "");

function listAddresses(question: Question): readonly string[] {
  try {
    return question();
  } catch {
    return [];
  }
}

function toTurns(name: string, answer: ScriptedAnswer): readonly Question[] {
  const turned =
    Array.isArray(answer) && answer.some((one: unknown) => one === null || typeof one === "object" || failures.has(String(one)));
  return turned ? answer.map((one) => toQuestion(name, one)) : [toQuestion(name, answer)];
}

function toQuestion(name: string, answer: unknown): Question {
  if (answer === null) return () => [];
  if (typeof answer === "string" && failures.has(answer))
    return () => {
      throw Object.assign(new Error(`${answer} ${name}`), { code: answer });
    };
  if (typeof answer === "string") return () => [answer];
  if (Array.isArray(answer) && answer.every((one) => typeof one === "string")) return () => answer;
  if (typeof answer === "object" && !Array.isArray(answer)) return fromRecords(name, answer);
  throw unknownAnswer(name, answer);
}

function fromRecords(name: string, records: object): Question {
  const {
    A = [],
    AAAA = [],
    CNAME,
    ttl: _,
    ...others
  } = Object.fromEntries(Object.entries(records).map(([type, value]) => [type === "ttl" ? type : type.toUpperCase(), value]));
  if (Object.keys(others).length > 0) throw unknownAnswer(name, records);
  return CNAME === undefined ? () => [A, AAAA].flat() : () => [`CNAME ${CNAME}`];
}

function unknownAnswer(name: string, answer: unknown): Error {
  return new Error(`The corpus has an answer for ${name} that is not known here: ${JSON.stringify(answer)}`);
}
