import type { StoredApproval } from "@toolwright/engine";
import { describeOffer } from "@toolwright/engine/policy";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { describeApproval } from "../../output/ask-person.ts";
import { describeState } from "../../output/describe-answer.ts";
import { asPerson, findStored, type Person } from "../context/as-person.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";

type Options = TenantOptions & RemoteOptions;

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
