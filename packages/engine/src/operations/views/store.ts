import { count } from "../../contract/visible-text.ts";
import { describeRemoved, type Removed } from "../../ports/retention-admin.ts";
import type { StoreReport, StoreState } from "../../ports/store-inspector.ts";
import type { Rendering } from "../shell.ts";

/** It ends well where the store fits this version. */
export const storeView: Rendering<StoreState & { readonly place: string }> = {
  show: ({ kind, place, version, bytes, clockGapMs, fits, migrations: { applied, pending, unknown, changed } }) => [
    `${kind === "embedded" ? "embedded PostgreSQL" : "PostgreSQL server"} ${version} at ${place}`,
    ...(Math.abs(clockGapMs) < 2_000 ? [] : [describeGap(clockGapMs)]),
    `  size        ${(bytes / 1024 / 1024).toFixed(1)} MB`,
    `  migrations  ${applied.length} applied${pending.length > 0 ? `, ${pending.length} to come: ${pending.join(", ")}` : ""}`,
    ...(unknown.length > 0 ? [`  unknown     ${unknown.join(", ")} (of a newer version)`] : []),
    ...(changed.length > 0 ? [`  changed     ${changed.join(", ")} (applied with another text)`] : []),
    fits ? "It fits this version." : "It does not fit this version. Bring it there with: toolwright db migrate",
  ],
  ends: ({ fits }) => (fits ? "done" : "failed"),
};

function describeGap(ms: number): string {
  return `  clock       this machine's is ${Math.abs(ms) / 1_000} s ${ms > 0 ? "ahead of" : "behind"} the store's; the store's counts`;
}

/** It ends well where nothing is wrong. */
export const storeReportView: Rendering<StoreReport> = {
  show: ({ sessions, events, problems, stopped }) => [
    ...problems,
    `${count(sessions, "session")} with ${count(events, "event")}: ${problems.length > 0 ? `${count(problems.length, "problem")}.` : stopped ? "whole so far." : "all whole."}`,
    ...(stopped ? [{ note: "It was stopped; the rest was not looked at." }] : []),
  ],
  ends({ problems, stopped }) {
    if (problems.length > 0) return "failed";
    return stopped ? "cancelled" : "done";
  },
};

interface Tidied {
  readonly dryRun: boolean;
  readonly removed: Removed;
  readonly stopped?: true | undefined;
}

export const tidiedView: Rendering<Tidied> = {
  show: ({ dryRun, removed }) => [`${dryRun ? "Would remove" : "Removed"} ${describeRemoved(removed)}.`],
  ends: ({ stopped }) => (stopped ? "cancelled" : "done"),
};
