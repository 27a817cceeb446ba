import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { judgeUrlCase, type UrlCase } from "../testing/ssrf-corpus.ts";

const cases = ["ssrf.jsonl", "ssrf-own.jsonl"].flatMap((name) =>
  readFileSync(new URL(`../../../../test/corpora/${name}`, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as UrlCase),
);

test("the corpora are there", () => expect(cases.length).toBeGreaterThanOrEqual(500));

beforeAll(() => {
  for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"]) vi.stubEnv(name, "http://127.0.0.1:9");
  vi.stubEnv("NODE_USE_ENV_PROXY", "1");
  vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
});
afterAll(() => {
  vi.unstubAllEnvs();
});

describe("R-NW-1 each URL case is answered as listed, with hostile proxy and TLS variables set", () => {
  test.each(cases)("$id: $why", async (example) => {
    for (const [name, value] of Object.entries(example.env ?? {})) vi.stubEnv(name, value);
    const { verdict, detail } = await judgeUrlCase(example);
    expect(verdict, detail).toBe(example.expect);
  });
});
