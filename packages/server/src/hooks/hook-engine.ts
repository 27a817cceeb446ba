import { clientCapability } from "@toolwright/doors/mcp/client";
import { type CapabilityProvider, createEngine, type Engine } from "@toolwright/engine";
import { createMemorySecretStore, createMemorySessionStore, silentLogger } from "@toolwright/engine/ports";
import { execCapability, filesCapability, gitCapability, httpCapability } from "@toolwright/sandbox";
import { builtinTools } from "@toolwright/tools";
import type { LoadedPolicy } from "../policy-file/load-policy-file.ts";
import { createEventSpool } from "./event-spool.ts";
import { createHookMarks } from "./hook-marks.ts";

const secrets = createMemorySecretStore();

/** What judges a call whose workspace is that folder. Nothing of it runs anything. */
export function hookCapabilities(project: string): readonly CapabilityProvider[] {
  const workspaceOf = () => project;
  return [
    filesCapability({ workspaceOf }),
    execCapability({ workspaceOf, drivers: [] }),
    httpCapability({ secrets }),
    gitCapability({ workspaceOf, drivers: [], secrets, logger: silentLogger }),
    clientCapability,
  ];
}

/** An engine that decides by the policy before any store is open; its events and marks wait in the state folder. */
export function createHookEngine(state: string, policy: Pick<LoadedPolicy, "tiers">): Engine {
  const sessions = createMemorySessionStore();
  return createEngine({
    tools: builtinTools,
    policy: policy.tiers,
    sessions,
    events: createEventSpool(state, sessions),
    foreign: createHookMarks(state),
    secrets,
    logger: silentLogger,
    capabilities: hookCapabilities("/"),
  });
}
