import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readAuth, readAuthSecret, readPublicOrigin } from "./auth-settings.ts";

const oidc = { TOOLWRIGHT_OIDC_ISSUER: "https://id.example.org", TOOLWRIGHT_OIDC_CLIENT_ID: "a", TOOLWRIGHT_OIDC_CLIENT_SECRET: "b" };

it.each([
  { name: "nothing", on: undefined, env: {}, expected: undefined },
  { name: "off", on: undefined, env: { TOOLWRIGHT_AUTH: "off" }, expected: undefined },
  { name: "the option", on: true, env: {}, expected: { oidc: undefined } },
  { name: "the variable", on: undefined, env: { TOOLWRIGHT_AUTH: "on" }, expected: { oidc: undefined } },
  {
    name: "no documents of clients",
    on: true,
    env: { TOOLWRIGHT_CLIENT_DOCUMENTS: "off" },
    expected: { oidc: undefined, clientDocuments: false },
  },
  {
    name: "another server",
    on: true,
    env: oidc,
    expected: { oidc: { issuer: "https://id.example.org", clientId: "a", clientSecret: "b", name: "id.example.org" } },
  },
])("reads $name", ({ on, env, expected }) => {
  expect(readAuth(on, { env })).toEqual(expected);
});

it.each([
  { name: "a switch that is neither on nor off", env: { TOOLWRIGHT_AUTH: "yes" } },
  { name: "a switch of documents that is neither", env: { TOOLWRIGHT_CLIENT_DOCUMENTS: "no" } },
  { name: "half of another server", env: { TOOLWRIGHT_OIDC_ISSUER: "https://id.example.org" } },
  { name: "another server that is not encrypted", env: { ...oidc, TOOLWRIGHT_OIDC_ISSUER: "http://id.example.org" } },
])("refuses $name", ({ env }) => {
  expect(() => readAuth("TOOLWRIGHT_AUTH" in env === false ? true : undefined, { env })).toThrow(/Set|Use|set/);
});

it.each([
  ["", undefined],
  ["https://tools.example.org/", "https://tools.example.org"],
  ["https://tools.example.org:8443", "https://tools.example.org:8443"],
  ["http://127.0.0.1:7777", "http://127.0.0.1:7777"],
])("reads the address %j of a server", (given, origin) => {
  expect(readPublicOrigin({ TOOLWRIGHT_URL: given })).toBe(origin);
});

it.each([["http://tools.example.org"], ["https://tools.example.org/app"], ["https://ann@tools.example.org"], ["tools.example.org"]])(
  "refuses the address %s of a server",
  (given) => {
    expect(() => readPublicOrigin({ TOOLWRIGHT_URL: given })).toThrow(/Set it to an https origin/);
  },
);

it("makes one key for cookies, which only the owner of the folder reads", async () => {
  const root = await mkdtemp(join(tmpdir(), "toolwright-auth-"));
  const state = join(root, "state");
  const [first, second] = await Promise.all([readAuthSecret({ env: {} }, state), readAuthSecret({ env: {} }, state)]);
  expect(first.length).toBeGreaterThanOrEqual(32);
  expect(second).toBe(first);
  expect(await readFile(join(state, "auth-secret"), "utf8")).toBe(first);
  expect((await stat(join(state, "auth-secret"))).mode & 0o077).toBe(0);
  expect(await readAuthSecret({ env: { TOOLWRIGHT_AUTH_SECRET: "k".repeat(32) } }, state)).toBe("k".repeat(32));
  await expect(readAuthSecret({ env: { TOOLWRIGHT_AUTH_SECRET: "short" } }, state)).rejects.toThrow("too short");
  await rm(root, { recursive: true });
});
