import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { judgeUrlCase, type UrlCase } from "../testing/ssrf-corpus.ts";

const corpus = new URL("../../../../test/corpora/ssrf.jsonl", import.meta.url);
const cases = readFileSync(corpus, "utf8")
  .split("\n")
  .flatMap((line) => (line ? [JSON.parse(line) as UrlCase] : []));

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
    const { verdict, detail } = await judgeUrlCase(example);
    expect(verdict, detail).toBe(example.expect);
    expect(detail).not.toContain("not checked");
  });
});
