import { z } from "zod";
import { MANAGE_TENANTS } from "../contract/permissions.ts";
import type { MachineDriver } from "../ports/machine-inspector.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { anyObject } from "./json-parts.ts";

const check = z.object({
  name: z.string(),
  state: z.enum(["ok", "missing", "broken"]),
  detail: z.string(),
  remedy: z.string().optional().describe("What to do, as a command where there is one"),
});

const report = z.object({
  version: z.string().describe("Of Toolwright"),
  node: z.string(),
  platform: z.string().describe("The operating system and the processor"),
  checks: z.array(check),
  runtimes: z.array(anyObject<MachineDriver>("What commands could run in: isolation, networks, limits, and what is missing")),
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
  needs: ["machine"],
  input: z.object({}),
  output: report,
  run: (_, { ports }) => ports.machine.examine(),
});

export const machineSubject = defineSubject({
  name: "machine",
  operations: [examineMachine],
});
