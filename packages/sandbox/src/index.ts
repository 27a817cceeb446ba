export {
  type BwrapDriverOptions,
  createBwrapDriver,
  createDockerDriver,
  createHostDriver,
  createNsjailDriver,
  type DockerDriverOptions,
  type HostDriverOptions,
  type NsjailDriverOptions,
} from "./drivers/index.ts";
export type { EgressOptions } from "./egress/open-gateway.ts";
export { findRuleOpening, type OwnAddresses } from "./egress/opens-port.ts";
export { type ExecCapability, type ExecCapabilityOptions, type ExecLimits, execCapability } from "./exec/index.ts";
export {
  type Anchoring,
  bestAnchoring,
  descriptorAnchoring,
  type FileStep,
  type FilesOptions,
  filesCapability,
  portableAnchoring,
  sweepAtStart,
  sweepWorkspace,
} from "./files/index.ts";
export { type GitCapabilityOptions, type GitLimits, gitCapability } from "./git/index.ts";
export {
  createDial,
  type Dial,
  type DialTarget,
  type GuardedFetchOptions,
  guardedFetch,
  type HttpCapabilityOptions,
  httpCapability,
  type PublicDocumentOptions,
  publicDocuments,
  type Resolve,
  resolveTarget,
  resolveWithSystem,
} from "./http/index.ts";
export { type AcceptedConnection, type Endpoint, locatePeer, type PeerLocation } from "./process/locate-peer.ts";
export { takeBoundSecret } from "./secrets/take-bound-secret.ts";
