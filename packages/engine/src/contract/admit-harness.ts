import type { Principal } from "./principal.ts";

/** The principal in a runtime that admits these categories, for everyone whom it has its rights from: who lacks a tool can give it to nobody. */
export function admitHarness(principal: Principal, harness: readonly string[]): Principal {
  const { delegated } = principal;
  return { ...principal, harness, ...(delegated && { delegated: { ...delegated, from: admitHarness(delegated.from, harness) } }) };
}
