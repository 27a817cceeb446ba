import { minuteOf } from "../../contract/minute-of.ts";
import type { ApprovalRecord } from "../../ports/approval-store.ts";
import type { Rendering } from "../shell.ts";

interface OpenApprovals {
  readonly items: readonly { readonly record: Pick<ApprovalRecord, "id" | "tool" | "expiresAt" | "summary"> }[];
  readonly elsewhere?: readonly { readonly tenant: string; readonly open: number }[] | undefined;
}

export const approvalsView: Rendering<OpenApprovals> = {
  show: ({ items, elsewhere = [] }) => [
    items.length === 0
      ? "No call waits for a person."
      : {
          head: ["id", "tool", "until", "what"],
          rows: items.map(({ record: { id, tool, expiresAt, summary } }) => [id, tool, minuteOf(expiresAt), summary]),
        },
    ...tellOthers(elsewhere),
  ],
};

/** Programs of another tenant wait for the same operator. */
function tellOthers(elsewhere: NonNullable<OpenApprovals["elsewhere"]>) {
  if (elsewhere.length === 0) return [];
  const count = elsewhere.reduce((sum, { open }) => sum + open, 0);
  const tenants = elsewhere.map(({ tenant }) => `--tenant ${tenant}`).join(", ");
  return [{ note: `${count} more ${count === 1 ? "waits" : "wait"} in other tenants: ${tenants}`, always: true as const }];
}
