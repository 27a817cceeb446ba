import { constantTimeEqual, makeSignature } from "better-auth/crypto";

/** What a program asks a person for, as this server has checked and signed it. */
export interface Question {
  readonly client: string;
  /** Where the answer goes: an address that the program registered. */
  readonly target: URL;
  readonly scopes: readonly string[];
}

/** Names that the library signs with more than one value. */
const repeated: ReadonlySet<string> = new Set(["resource", "ba_param"]);

/**
 * Reads the query with which the library sends a person to a page. Undefined unless its signature covers all of it and has not expired: beside what
 * is signed, anybody who hands a person the address could write what the page then says. The library checks the same when the person answers.
 */
export async function readQuestion(search: string, secret: string, now = Date.now()): Promise<Question | undefined> {
  const fields = new URLSearchParams(search);
  for (const name of fields.keys()) if (!repeated.has(name) && fields.getAll(name).length > 1) return undefined;
  const given = fields.get("sig");
  fields.delete("sig");
  if (!given || !constantTimeEqual(given, await makeSignature(inSignedOrder(fields), secret))) return undefined;
  const target = URL.parse(fields.get("redirect_uri") ?? "");
  const client = fields.get("client_id");
  if (Number(fields.get("exp")) * 1_000 < now || !target || !client) return undefined;
  return { client, target, scopes: (fields.get("scope") ?? "").split(" ").filter((scope) => scope !== "") };
}

/** By name, then by value. */
function inSignedOrder(fields: URLSearchParams): string {
  const before = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  const entries = [...fields].sort(([nameA, a], [nameB, b]) => before(nameA, nameB) || before(a, b));
  return new URLSearchParams(entries).toString();
}
