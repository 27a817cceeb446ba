import type { StoredApproval } from "@toolwright/engine";
import { describeOffer } from "@toolwright/engine/policy";
import type { Toolwright } from "@toolwright/server";
import { cliScope } from "../../caller.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { describeApproval } from "../../output/ask-person.ts";
import { describeState } from "../../output/describe-answer.ts";
import { renderTable } from "../../output/table.ts";
import { asPerson, findStored, type Person } from "../context/as-person.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";

type Options = TenantOptions & RemoteOptions;

export function list(io: Io, options: Options): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async ({ operate, here }) => {
    const { items: open } = await operate("approvals.list", {});
    if (options.json) io.out(`${JSON.stringify(open, null, 2)}\n`);
    else if (open.length === 0) io.out("No call waits for a person.\n");
    else io.out(`${renderTable(["id", "tool", "until", "what"], open.map(toRow), io.columns)}\n`);
    if (options.tenant === undefined && here) await tellOthers(io, here.toolwright, here.scope.principal.tenant);
    return exitCodes.done;
  });
}

const toRow = ({ record }: StoredApproval) => [
  record.id,
  record.tool,
  `${new Date(record.expiresAt).toISOString().slice(0, 16)}Z`,
  record.summary,
];

/** Programs of another tenant wait for the same operator. */
async function tellOthers(io: Io, toolwright: Toolwright, here: string): Promise<void> {
  const counts = new Map<string, number>();
  for (const { tenant } of await toolwright.store.tenants.list()) {
    const open = tenant === here ? [] : await (await cliScope(toolwright, io, { interactive: true, tenant })).approvals();
    if (open.length > 0) counts.set(tenant, open.length);
  }
  if (counts.size === 0) return;
  const count = [...counts.values()].reduce((sum, each) => sum + each, 0);
  const tenants = [...counts.keys()].map((tenant) => `--tenant ${tenant}`);
  io.err(`${count} more ${count === 1 ? "waits" : "wait"} in other tenants: ${tenants.join(", ")}\n`);
}

export function show(io: Io, options: Options, [id = ""]: readonly string[]): Promise<number> {
  // The offer is decided like a call, so the sandbox is looked at.
  return asPerson(io, { ...options, callsNothing: options.json === true }, async (person) => {
    const stored = await findStored(person, id);
    if (options.json) io.out(`${JSON.stringify(stored, null, 2)}\n`);
    else io.out(`${describeApproval(stored.record)}\n  state    ${describeState(stored)}\n${await describeChoices(person, stored)}`);
    return exitCodes.done;
  });
}

async function describeChoices({ operate }: Person, { record, answer }: StoredApproval): Promise<string> {
  if (answer || record.expiresAt <= Date.now()) return "";
  const offer = await operate("approvals.propose", { id: record.id });
  const scopes = offer.choices.map((choice) => `  --remember ${choice.scope.padEnd(8)} ${choice.title}`);
  return `\n${[describeOffer(offer), ...scopes].join("\n")}\n`;
}
