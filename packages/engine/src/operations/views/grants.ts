import { describeGrant } from "../../policy/grants/grant-text.ts";
import type { StoredGrant } from "../../ports/grant-store.ts";
import type { Rendering } from "../shell.ts";

export const grantsView: Rendering<{ readonly items: readonly StoredGrant[] }> = {
  show: ({ items }) =>
    items.length === 0
      ? ["Nothing is remembered: every call that asks waits for a person."]
      : items.map((grant) => `${grant.record.id}\n  ${describeGrant(grant)}`),
};
