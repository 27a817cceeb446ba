import { answerHook, type HookQuestion } from "@toolwright/doors/hooks";
import { createHookEngine, hookCapabilities } from "@toolwright/server/hooks";
import { withAskedPermissions } from "@toolwright/server/local";
import { readPolicy } from "@toolwright/server/policy-file";
import { cliPrincipal } from "../../caller.ts";
import type { Io } from "../../io.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";

/** By the policy file, before any store is open. */
export async function decideHere(question: HookQuestion, io: Io, options: CommonOptions): Promise<string> {
  const settings = readSettings(options, io);
  const engine = createHookEngine(settings.state, await readPolicy(settings, io));
  const principal = withAskedPermissions(engine, cliPrincipal(io, false));
  return answerHook(question, { engine, principal, capabilitiesOf: hookCapabilities });
}
