import { ToolwrightError } from "@toolwright/engine";
import { describe, expect, test } from "vitest";
import { isOutage, isPassing, toStoreError } from "./store-failure.ts";

const failure = (code: string, message = "as PostgreSQL says") => Object.assign(new Error(message), { code });

interface Expected {
  readonly code: "store_unreachable" | "store_failed";
  /** The same can be tried again now. */
  readonly passing: boolean;
  /** The state of the database is to blame, and not what it was asked. */
  readonly outage: boolean;
  /** What to do. */
  readonly words: RegExp;
}

const passing = { code: "store_unreachable", passing: true, outage: true } as const;
const unwell = { code: "store_failed", passing: false, outage: true } as const;
const refused = { code: "store_failed", passing: false, outage: false } as const;

const rows: readonly [name: string, sqlState: string, expected: Expected][] = [
  ["nobody listens", "ECONNREFUSED", { ...passing, words: /Check that it runs/ }],
  ["the host has no address", "ENOTFOUND", { ...passing, words: /DATABASE_URL names it/ }],
  ["there is no way to the host", "EHOSTUNREACH", { ...passing, words: /cannot be reached/ }],
  ["there is no socket", "ENOENT", { ...passing, words: /cannot be reached/ }],
  ["the connection broke", "08006", { ...passing, words: /can be tried again/ }],
  ["no connection left", "53300", { ...passing, words: /Raise max_connections, or lower TOOLWRIGHT_CONNECTIONS/ }],
  ["the disk is full", "53100", { ...unwell, words: /Free some space/ }],
  ["no memory", "53200", { ...unwell, words: /Give it more, or run less/ }],
  ["files cannot be written", "58030", { ...unwell, words: /Look at its disk/ }],
  ["the server shuts down", "57P01", { ...passing, words: /can be tried again/ }],
  ["two transactions waited for each other", "40P01", { ...passing, words: /nothing of it was written. It can be tried again/ }],
  ["a snapshot that was overtaken", "40001", { ...passing, words: /can be tried again/ }],
  ["a statement took too long", "57014", { ...unwell, words: /was taken back/ }],
  ["a standby", "25006", { ...unwell, words: /Name the primary server/ }],
  ["a damaged page", "XX001", { ...refused, words: /restore a backup/ }],
  ["the login is refused", "28P01", { ...refused, words: /Check user and password/ }],
];

describe("a failure of the database", () => {
  test.each(rows)("%s", (_name, sqlState, { code, words, ...expected }) => {
    const raw = failure(sqlState);
    const told = toStoreError(raw);
    expect(told).toMatchObject({ code, message: expect.stringMatching(words), details: { sqlState } });
    expect({ passing: isPassing(raw), outage: isOutage(raw) }).toEqual(expected);
    expect(isOutage(told)).toBe(expected.outage);
  });

  test("without a code it is known by the driver's words", () => {
    const error = toStoreError(new Error("Connection terminated unexpectedly"));
    expect(error).toMatchObject({ code: "store_unreachable" });
    expect(isOutage(error)).toBe(true);
  });

  test("defects and what was wrong with the question stay as they are", () => {
    for (const error of [failure("23505"), new TypeError("x is not a function"), failure("42501", "violates row-level security policy")]) {
      expect(toStoreError(error)).toBe(error);
      expect(isOutage(error)).toBe(false);
    }
    expect(isOutage(new ToolwrightError("store_failed", "Something else."))).toBe(false);
  });
});
