export {
  type ExecCapability,
  type ExecCapabilityOptions,
  type ExecLimits,
  execCapability,
  protectedFromCommands,
} from "./exec-capability.ts";
