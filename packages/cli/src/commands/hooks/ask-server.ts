import type { HookAgent } from "@toolwright/doors/hooks/agents";
import { readServerRecord, stateFolder } from "@toolwright/server/state";
import type { Io } from "../../io.ts";

/** Milliseconds in which a server of this machine answers; after that the policy file is read here. */
const answerMs = 1_000;

interface Asking {
  readonly agent: HookAgent;
  readonly text: string;
  readonly project: string | undefined;
}

/** What the server that runs on this state folder answers; undefined where none does, or it does not know the caller. */
export async function askServer({ agent, text, project }: Asking, { env }: Pick<Io, "env">): Promise<string | undefined> {
  const record = readServerRecord(stateFolder(env));
  if (record === undefined) return undefined;
  const headers = {
    "content-type": "application/json",
    ...(env.TOOLWRIGHT_TOKEN && { authorization: `Bearer ${env.TOOLWRIGHT_TOKEN}` }),
  };
  try {
    const body = JSON.stringify({ text, project });
    const signal = AbortSignal.timeout(answerMs);
    const answer = await fetch(`${record.listens}/hooks/${agent.name}`, { method: "POST", headers, body, signal, redirect: "error" });
    return answer.ok ? await answer.text() : undefined;
  } catch {
    return undefined;
  }
}
