export { describeSandbox } from "./describe-sandbox.ts";
export { examineMachine } from "./examine-machine.ts";
export { findProgram } from "./find-program.ts";
export { type KeyringOptions, type LocalKeyring, openKeyring } from "./keyring.ts";
export { describeAmounts, limitsInForce } from "./limits-in-force.ts";
export { type Machine, openMachine } from "./machine.ts";
export { type MachineParts, machineCapabilities } from "./machine-capabilities.ts";
export { findDriver, machineFacts, type ProbedDriver } from "./machine-facts.ts";
export { openScratchEngines, type ScratchEngines } from "./scratch-engines.ts";
