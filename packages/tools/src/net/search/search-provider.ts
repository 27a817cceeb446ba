import type { HttpRequest, HttpResponse } from "@toolwright/engine/ports";

export const freshnesses = ["day", "week", "month", "year"] as const;

export interface SearchRequest {
  readonly query: string;
  readonly limit: number;
  /** Pages of the last day, week, ... */
  readonly freshness?: (typeof freshnesses)[number] | undefined;
  /** Host whose pages alone count, those of hosts below it too. */
  readonly site?: string | undefined;
}

/** One page as a provider describes it; texts may hold markup. */
interface RawHit {
  readonly title?: unknown;
  readonly url?: unknown;
  readonly snippet?: unknown;
  readonly published?: unknown;
}

/** Why a provider does not answer, whatever it says: the same for all of them. */
export type Refusal = "key" | "limit" | "quota" | "format" | "down";

/** A service that searches the web: it builds a request and reads the answer, and sends nothing itself. */
export interface SearchProvider {
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Name of the secret that opens it. */
  readonly secret: string;
  /** The request, with what the secret holds; undefined where that is nothing that it can work with. */
  readonly request: (search: SearchRequest, secret: string, now: number) => HttpRequest | undefined;
  /** Undefined for an answer that has not the form that the provider documents. */
  readonly read: (answer: unknown) => readonly unknown[] | undefined;
  readonly toHit: (result: Readonly<Record<string, unknown>>) => RawHit;
  /** What an answer other than 200 means, where it is something else than the status says. */
  readonly refusal?: (response: Pick<HttpResponse, "status">, answer: unknown) => Refusal | undefined;
  /** Seconds until it takes requests again, where it says so in another header than Retry-After. */
  readonly waitSeconds?: (headers: HttpResponse["headers"]) => number | undefined;
  /** Words that a query may have at most. */
  readonly mostWords?: number;
}

/** Own members of an object; none of anything else. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

export function arrayIn(value: unknown, member: string): readonly unknown[] | undefined {
  const found = Object.hasOwn(membersOf(value), member) ? membersOf(value)[member] : undefined;
  return Array.isArray(found) ? found : undefined;
}
