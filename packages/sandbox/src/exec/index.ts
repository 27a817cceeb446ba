export {
  type ExecCapability,
  type ExecCapabilityOptions,
  type ExecLimits,
  execCapability,
} from "./exec-capability.ts";
