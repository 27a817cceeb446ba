export { type Anchoring, bestAnchoring, descriptorAnchoring, portableAnchoring } from "./anchor.ts";
export { type FilesOptions, filesCapability } from "./files-capability.ts";
export { sweepAtStart, sweepWorkspace } from "./sweep-workspace.ts";
export type { FileStep } from "./workspace.ts";
