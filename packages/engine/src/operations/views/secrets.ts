import type { SecretEntry } from "../../ports/secret-admin.ts";
import type { Rendering } from "../shell.ts";

export const secretsView: Rendering<{ readonly items: readonly SecretEntry[] }> = {
  show: ({ items }) =>
    items.length === 0
      ? ["No secrets are set: toolwright secrets set NAME"]
      : [{ head: ["name", "of", "sent to", "set", "last used", "by", "key"], rows: items.map(toRow) }],
};

function toRow({ name, agent, origins, changedAt, lastUsedAt, lastUsedBy = "-", keyId = "-" }: SecretEntry): readonly string[] {
  const where = origins.map((origin) => origin.replace(/^https:\/\//, "")).join(" ") || "-";
  const used = lastUsedAt === undefined ? "never" : new Date(lastUsedAt).toISOString();
  return [name, agent === undefined ? "everybody" : `agent ${agent}`, where, new Date(changedAt).toISOString(), used, lastUsedBy, keyId];
}

export const secretRemovedView: Rendering<{ readonly removed: string }> = {
  show: ({ removed }, { input: { agent } }) => [
    { note: `Removed the secret ${removed}${agent === undefined ? "" : ` of the agent ${agent}`}.` },
  ],
  json: ({ removed }, { input: { agent } }) => ({ removed, ...(agent !== undefined && { agent }) }),
};
