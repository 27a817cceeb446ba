import { userInfo } from "node:os";
import { isOperator } from "@toolwright/server/local";
import { afterEach, expect, test, vi } from "vitest";
import { cliPrincipal } from "./caller.ts";
import { cliSessionName } from "./session-name.ts";

afterEach(() => vi.unstubAllEnvs());

test("the caller is the user of the operating system, whatever USER says: one person does not approve as several", () => {
  vi.stubEnv("USER", "somebody-else");
  expect(cliPrincipal({ isInteractive: true }).actor).toEqual({ kind: "user", id: userInfo().username });
});

const operator = cliPrincipal({ isInteractive: true });
test.each([
  ["the command line", operator, true],
  ["the local owner of a server", { ...operator, door: "mcp" as const }, true],
  ["another one at a server", { ...operator, door: "mcp" as const, actor: { kind: "user" as const, id: "usr_7" } }, false],
  ["the same in another tenant", { ...operator, tenant: "acme" }, false],
  ["an API key", { ...operator, actor: { kind: "service" as const, id: "key:1" } }, false],
  ["a sub-agent of the operator, which has what it has from there", { ...operator, delegated: { from: operator } }, false],
])("%s: whether it is the operator", (_, principal, expected) => {
  expect(isOperator(principal)).toBe(expected);
});

test("the command line has one session a day, by the calendar of the machine", () => {
  expect(cliSessionName(new Date(2026, 0, 31, 0, 0))).toBe("cli-2026-01-31");
  expect(cliSessionName(new Date(2026, 0, 31, 23, 59))).toBe("cli-2026-01-31");
  expect(cliSessionName(new Date(2026, 1, 1))).toBe("cli-2026-02-01");
});
