import { userInfo } from "node:os";
import { afterEach, expect, test, vi } from "vitest";
import { cliPrincipal } from "./caller.ts";

afterEach(() => vi.unstubAllEnvs());

test("the caller is the user of the operating system, whatever USER says: one person does not approve as several", () => {
  vi.stubEnv("USER", "somebody-else");
  expect(cliPrincipal({ isInteractive: true }).actor).toEqual({ kind: "user", id: userInfo().username });
});
