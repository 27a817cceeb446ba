import { definePort } from "./define-port.ts";
import type { DriverProbe, DriverTraits } from "./sandbox-driver.ts";

/** One thing that was looked at. */
export interface MachineCheck {
  readonly name: string;
  readonly state: "ok" | "missing" | "broken";
  readonly detail: string;
  /** What to do, as a command where there is one. */
  readonly remedy?: string;
}

/** What commands could run in. */
export interface MachineDriver extends DriverTraits, DriverProbe {
  readonly name: string;
}

/** What a machine can give, and what of it is wrong. */
export interface MachineReport {
  /** Version of Toolwright. */
  readonly version: string;
  readonly node: string;
  /** The operating system and the processor, such as `linux x64`. */
  readonly platform: string;
  readonly checks: readonly MachineCheck[];
  /** Strongest first. */
  readonly runtimes: readonly MachineDriver[];
}

/** Looks at the machine that an engine runs on. */
export interface MachineInspector {
  /** *Contract:* what is wrong is reported, not thrown; no secret and no password is in it. */
  examine(): Promise<MachineReport>;
}

export const machinePort = definePort<MachineInspector>()("machine", "who looks at the machine, as @toolwright/server does");
