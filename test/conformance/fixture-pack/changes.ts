import { channel } from "node:diagnostics_channel";

/** How a fixture tool asks its server to change a list: a tool itself cannot reach the engine. */
export const listChanges = channel("toolwright.conformance.list-changes");
