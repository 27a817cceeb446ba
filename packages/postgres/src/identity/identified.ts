import type { Principal } from "@toolwright/engine";

/** Who somebody is, without the door they come through. */
export type Identified = Pick<Principal, "tenant" | "actor" | "agent" | "permissions" | "key">;
