export { createEventSpool, takeInSpooled } from "./event-spool.ts";
export { createHookEngine, hookCapabilities } from "./hook-engine.ts";
