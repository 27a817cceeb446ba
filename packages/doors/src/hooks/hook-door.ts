import type { Logger } from "@toolwright/engine";
import type { GuardOptions } from "../http/authentication.ts";
import { checkExposure, createGuard } from "../http/guard-request.ts";
import { readText } from "../http/read-body.ts";
import { answerHook, type HookParts } from "./answer-hook.ts";
import { isMembers, textOf } from "./hook-agent.ts";
import { type HookAgent, hookAgents } from "./hook-agents.ts";

export interface HookDoorOptions extends GuardOptions, Omit<HookParts, "principal"> {
  readonly logger: Logger;
}

/** Bytes of one event: an agent sends whole files along. */
const maxBytes = 16 * 1024 * 1024;

/** Answers `toolwright hook` of the same machine at `POST /hooks/{agent}`: `{ text, variables }`, the event and the variables in which agents name their projects. What it does not answer is decided there. */
export function createHookDoor(options: HookDoorOptions): (request: Request) => Promise<Response> {
  checkExposure(options);
  const { logger, engine, capabilitiesOf } = options;
  const guard = createGuard(options, logger);
  return async (request) => {
    const principal = await guard(request);
    if ("refused" in principal) return plain(principal.status, principal.message, principal.headers);
    if (request.method !== "POST") return plain(405, "Only POST is served here.", { allow: "POST" });
    const agent = hookAgents.get(new URL(request.url).pathname.split("/").at(-1) ?? "");
    if (!agent) return plain(404, `There are no hooks of that agent. Name one of: ${[...hookAgents.keys()].join(", ")}.`);
    // No page of a browser can send this without being asked first.
    if (request.headers.get("content-type") !== "application/json") return plain(415, "Send application/json.");
    const body = await readText(request, maxBytes);
    const asked = "text" in body ? readQuestion(body.text, agent) : undefined;
    if (!asked) return plain(400, "The body is not { text, variables }.");
    return plain(200, await answerHook({ agent, ...asked }, { engine, principal, capabilitiesOf }));
  };
}

function readQuestion(
  body: string,
  { projectVariable = "" }: HookAgent,
): { readonly text: string; readonly project: string | undefined } | undefined {
  try {
    const given: unknown = JSON.parse(body);
    if (!isMembers(given) || typeof given.text !== "string") return undefined;
    return { text: given.text, project: isMembers(given.variables) ? textOf(given.variables[projectVariable]) : undefined };
  } catch {
    return undefined;
  }
}

const plain = (status: number, words: string, headers: Readonly<Record<string, string>> = {}) =>
  new Response(words, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff", ...headers },
  });
