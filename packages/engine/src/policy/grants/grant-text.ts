import { visibleText } from "../../contract/visible-text.ts";
import type { GrantPredicate, GrantRecord, StoredGrant } from "../../ports/grant-store.ts";
import { coverReach } from "./grant-reach.ts";

/** Examples of what would be let through and what would not, each judged as a call would be. */
export interface GrantPreview {
  readonly matches: readonly string[];
  readonly notMatches: readonly string[];
}

/** Shows how far predicates reach. */
export function previewAllows(allows: readonly GrantPredicate[]): GrantPreview {
  const previews = allows.map(previewOne);
  return { matches: previews.flatMap(({ matches }) => matches), notMatches: previews.flatMap(({ notMatches }) => notMatches) };
}

function previewOne(allows: GrantPredicate): GrantPreview {
  switch (allows.kind) {
    case "command":
      return previewCommand(allows);
    case "path":
      return {
        matches: [allows.prefix, `everything below ${allows.prefix}`],
        notMatches: [`${allows.prefix}-other`, `another access than ${allows.access}`],
      };
    case "request":
      return {
        matches: [`${allows.method} at ${allows.host}${alongOf(allows)}`],
        notMatches: ["another method", "another host or port", allows.credential === undefined ? "a stored secret" : "another secret"],
      };
    case "input":
      return { matches: ["the very same input"], notMatches: ["any other input"] };
  }
}

function previewCommand(allows: Extract<GrantPredicate, { kind: "command" }>): GrantPreview {
  const { pattern } = allows;
  const plain = pattern.replace(/(?<=[A-Za-z0-9])\*$/, "").replace(/ \*$/, "");
  const samples = [plain, `${plain} extra`, `${plain} && rm x`, `sudo ${plain}`, `${plain} > out.txt`];
  const isCovered = (command: string) =>
    coverReach({ kind: "command", command }, [{ allows, by: "preview" }]).every(({ covered, aside }) => covered || aside === true);
  return { matches: samples.filter(isCovered), notMatches: samples.filter((sample) => !isCovered(sample)) };
}

/** A grant in one or two sentences of plain words. */
export function describeGrant({ record, used, lastUsedAt, revoked }: StoredGrant): string {
  const { matches, notMatches } = previewAllows(record.allows);
  const last = lastUsedAt === undefined ? "" : `, last ${minuteOf(lastUsedAt)} UTC`;
  const state = revoked ? `, revoked by ${revoked.by.kind} ${revoked.by.id}` : "";
  const text = [
    `Allows ${quoteAll(record.allows.map(describePredicate))} with the tool ${record.tool} ${describeScope(record)} until ${minuteOf(record.expiresAt)} UTC,`,
    `used ${used} of ${record.maxUses} times${last}${state}.`,
    `Given by ${record.by.kind} ${record.by.id}, ${minuteOf(record.createdAt)} UTC.`,
    matches.length > 0 ? `Would match ${quoteAll(matches)}, not ${quoteAll(notMatches)}.` : "Would match nothing.",
  ].join(" ");
  return visibleText(text);
}

const minuteOf = (at: number) => new Date(at).toISOString().slice(0, 16).replace("T", " ");

export function describePredicate(allows: GrantPredicate): string {
  switch (allows.kind) {
    case "command":
      return allows.pattern;
    case "path":
      return `${allows.access} ${allows.prefix}`;
    case "request":
      return `${allows.method} ${allows.host}${alongOf(allows)}`;
    case "input":
      return `the input ${allows.digest.slice(0, 12)}`;
  }
}

function alongOf({ credential }: Extract<GrantPredicate, { kind: "request" }>): string {
  return credential === undefined ? "" : ` with the secret ${credential}`;
}

function describeScope({ scope }: GrantRecord): string {
  switch (scope.kind) {
    case "session":
      return `for ${scope.holder} in the session ${JSON.stringify(scope.session)}`;
    case "agent":
      return `for ${scope.holder}`;
    case "tenant":
      return "for everyone of the tenant";
  }
}

const quoteAll = (texts: readonly string[]) => texts.map((text) => `\`${text}\``).join(", ");
