export type { EgressOptions } from "./egress/open-gateway.ts";
export { findRuleOpening, type OwnPlace } from "./egress/opens-port.ts";
export * from "./exec/index.ts";
export * from "./files/index.ts";
export * from "./git/index.ts";
export * from "./http/index.ts";
export { type AcceptedConnection, type Endpoint, locatePeer, type PeerPlace } from "./process/locate-peer.ts";
export * from "./runtimes/index.ts";
