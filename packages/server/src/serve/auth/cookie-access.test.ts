import { OAuthError, OAuthErrorCode } from "@toolwright/doors/mcp";
import type { IdentityAdmin } from "@toolwright/engine/ports";
import type { Person } from "@toolwright/sign-in";
import { expect, it, test } from "vitest";
import { withCookies } from "./cookie-access.ts";

const origin = "https://tools.example.org";
const json = { "content-type": "application/json" };
const ann: Person = { user: "ann", name: "Ann", email: "ann@example.org", session: "s", tenant: "acme" };
const identity: Pick<IdentityAdmin, "identifyMember"> = {
  identifyMember: async ({ tenant, user }) =>
    tenant === "acme" ? { tenant, actor: { kind: "user", id: user }, permissions: ["entities.tenant.read"] } : undefined,
};

const access = (person: Person | undefined = ann) =>
  withCookies({
    signIn: { personOf: async ({ headers }) => (headers.get("cookie") === "session=good" ? person : undefined) },
    identity,
    origin,
    others: {
      open: false,
      authenticate: (token) => {
        if (token !== undefined) throw new OAuthError(OAuthErrorCode.InvalidToken, "The token is wrong.");
        return undefined;
      },
    },
  });

const ask = (method: string, headers: Readonly<Record<string, string>>, { person, token }: { person?: Person; token?: string } = {}) =>
  access(person).authenticate(token, new Request(`${origin}/api/tools`, { method, headers: { cookie: "session=good", ...headers } }));

it.each([
  ["a read of a page of the server", "GET", { "sec-fetch-site": "same-origin" }],
  ["a read that a person typed", "GET", { "sec-fetch-site": "none" }],
  ["a read by a browser that says nothing of sites", "GET", {}],
  ["a read that names its origin", "GET", { origin }],
  ["JSON from a page of the server", "POST", { origin, ...json, "sec-fetch-site": "same-origin" }],
  ["JSON with a charset", "POST", { origin, "content-type": "application/json; charset=utf-8" }],
  ["a deletion from a page of the server", "DELETE", { origin }],
])("a cookie counts for %s", async (_, method, headers) => {
  expect(await ask(method, headers)).toEqual({
    ...{ tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: ["entities.tenant.read"] },
    ...{ door: "rest", source: "api" },
  });
});

it.each([
  ["a change without an origin", "POST", json],
  ["a change of no origin", "POST", { origin: "null", ...json }],
  ["another port", "POST", { origin: `${origin}:8443`, ...json }],
  ["another scheme", "POST", { origin: "http://tools.example.org", ...json }],
  ["a name below", "POST", { origin: "https://evil.tools.example.org", ...json }],
  ["a name that begins so", "POST", { origin: `${origin}.evil.example`, ...json }],
  ["a form", "POST", { origin, "content-type": "application/x-www-form-urlencoded" }],
  ["a form with files", "POST", { origin, "content-type": "multipart/form-data; boundary=x" }],
  ["plain text", "POST", { origin, "content-type": "text/plain" }],
  ["a body without a type", "POST", { origin }],
  ["a type that only begins so", "PUT", { origin, "content-type": "application/jsonp" }],
  ["a deletion without an origin", "DELETE", {}],
  ["a read from another origin", "GET", { origin: "https://evil.example" }],
  ["a read from another site", "GET", { "sec-fetch-site": "cross-site" }],
  ["a read from another port of this machine", "GET", { "sec-fetch-site": "same-site" }],
  ["a change that says both", "POST", { origin, ...json, "sec-fetch-site": "cross-site" }],
])("a cookie does not count for %s (R-UI-3)", async (_, method, headers) => {
  await expect(ask(method, headers)).rejects.toThrow(OAuthError);
});

test("an Authorization header is looked at instead of the cookie, and a wrong one does not fall back to it", async () => {
  await expect(ask("GET", { authorization: "Bearer wrong" }, { token: "wrong" })).rejects.toThrow("The token is wrong.");
  expect(await ask("GET", { authorization: "Basic eDp5" })).toBeUndefined();
});

test("a cookie of no session is nobody's", async () => {
  expect(await ask("GET", { cookie: "session=ended" })).toBeUndefined();
  expect(await ask("POST", { cookie: "other=1", origin, ...json })).toBeUndefined();
});

test("somebody who left the tenant is nobody there and, like somebody who chose none, hears where to choose", async () => {
  await expect(ask("GET", {}, { person: { ...ann, tenant: "other" } })).rejects.toThrow(`Choose another on ${origin}/auth/account.`);
  await expect(ask("GET", {}, { person: { ...ann, tenant: undefined } })).rejects.toThrow(`Choose one on ${origin}/auth/account.`);
});
