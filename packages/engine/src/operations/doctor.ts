import { z } from "zod";
import { MANAGE_TENANTS } from "../contract/permissions.ts";
import { type MachineDriver, machinePort } from "../ports/machine-inspector.ts";
import type { ResourceLimits } from "../ports/policy-rules.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { machineView } from "./views/machine.ts";

const check = z.object({
  name: z.string(),
  state: z.enum(["ok", "missing", "broken"]),
  detail: z.string(),
  remedy: z.string().optional().describe("What to do, as a command where there is one"),
});

/** What each limit is, by its name. */
const ofEachLimit = <Value>(value: z.ZodType<Value>): z.ZodType<{ readonly [Name in keyof ResourceLimits]?: Value | undefined }> =>
  z.object({
    memoryMb: value.optional(),
    cpuPercent: value.optional(),
    processes: value.optional(),
    fileSizeMb: value.optional(),
    openFiles: value.optional(),
    writtenMb: value.optional(),
  });

const runtime: z.ZodType<MachineDriver> = z
  .object({
    name: z.string(),
    isolation: z.enum(["none", "namespaces", "container"]),
    networks: z.array(z.enum(["none", "filtered", "host"])),
    available: z.boolean(),
    detail: z.string().describe("Why not, or what version"),
    remedy: z.string().optional().describe("How to get it or get more, as a command where there is one"),
    limits: ofEachLimit(z.string()).describe("Those that can be enforced here, with their mechanism"),
    defaults: ofEachLimit(z.number()).optional().describe("What holds of them where the policy names nothing"),
    gaps: z.array(z.string()).optional().describe("Default limits that this machine cannot give, in sentences"),
  })
  .describe("What commands could run in: isolation, networks, limits, and what is missing");

const report = z.object({
  version: z.string().describe("Of Toolwright"),
  node: z.string(),
  platform: z.string().describe("The operating system and the processor"),
  checks: z.array(check),
  runtimes: z.array(runtime),
});

export const examineMachine = defineOperation({
  name: "doctor.check",
  at: "GET /doctor",
  title: "Check the machine",
  description:
    "Looks at the machine of the server: sandbox, limits, programs, store and policy. Needs whoever runs the server, with the permission tenants:manage.",
  permission: MANAGE_TENANTS,
  onlyPeople: true,
  effect: "read",
  needs: [machinePort],
  input: z.object({}),
  output: report,
  shell: { form: "doctor", about: "Check the machine: sandbox, limits, programs, database", machine: true, tenantless: true },
  view: machineView,
  run: (_, { ports }) => ports.machine.examine(),
});

export const machineSubject = defineSubject({
  name: "machine",
  store: [machinePort],
  operations: [examineMachine],
});
