import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readAuth, readAuthSecret } from "./auth-settings.ts";

const oidc = { TOOLWRIGHT_OIDC_ISSUER: "https://id.example.org", TOOLWRIGHT_OIDC_CLIENT_ID: "a", TOOLWRIGHT_OIDC_CLIENT_SECRET: "b" };

it.each([
  { name: "nothing", on: undefined, env: {}, expected: undefined },
  { name: "off", on: undefined, env: { TOOLWRIGHT_AUTH: "off" }, expected: undefined },
  { name: "the option", on: true, env: {}, expected: { origin: undefined, oidc: undefined } },
  { name: "the variable", on: undefined, env: { TOOLWRIGHT_AUTH: "on" }, expected: { origin: undefined, oidc: undefined } },
  {
    name: "an address",
    on: true,
    env: { TOOLWRIGHT_URL: "https://tools.example.org/" },
    expected: { origin: "https://tools.example.org", oidc: undefined },
  },
  {
    name: "another server",
    on: true,
    env: oidc,
    expected: { origin: undefined, oidc: { issuer: "https://id.example.org", clientId: "a", clientSecret: "b", name: "id.example.org" } },
  },
])("reads $name", ({ on, env, expected }) => {
  expect(readAuth(on, false, { env })).toEqual(expected);
});

it.each([
  { name: "a switch that is neither on nor off", env: { TOOLWRIGHT_AUTH: "yes" } },
  { name: "an address that is not encrypted", env: { TOOLWRIGHT_URL: "http://tools.example.org" } },
  { name: "an address with a path", env: { TOOLWRIGHT_URL: "https://tools.example.org/app" } },
  { name: "half of another server", env: { TOOLWRIGHT_OIDC_ISSUER: "https://id.example.org" } },
  { name: "another server that is not encrypted", env: { ...oidc, TOOLWRIGHT_OIDC_ISSUER: "http://id.example.org" } },
])("refuses $name", ({ env }) => {
  expect(() => readAuth(env.TOOLWRIGHT_AUTH === undefined ? true : undefined, false, { env })).toThrow(/Set|Use|set/);
});

it("refuses to let people sign in over the network without an encrypted address (R-MC-3)", () => {
  expect(() => readAuth(true, true, { env: {} })).toThrow(/TOOLWRIGHT_URL/);
  expect(readAuth(true, true, { env: { TOOLWRIGHT_URL: "https://tools.example.org" } })).toBeDefined();
});

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
