import { expect, expectTypeOf, test } from "vitest";
import { ownPermissions } from "../contract/own-permissions.ts";
import type * as ports from "../entries/ports.ts";
import type { AgentFiles } from "../ports/agent-files.ts";
import { builtinRoles } from "../ports/roles.ts";
import type { ToolSync } from "../ports/tool-sync.ts";
import type { Administration, PortsOf } from "./operation-types.ts";
import { subjects } from "./own-operations.ts";
import type * as own from "./subjects.ts";

test("what an engine is given for operations has the ports that they name, each of which may be left out", () => {
  expectTypeOf<Pick<Administration, keyof PortsOf<typeof own>>>().toEqualTypeOf<{
    readonly runs?: ports.RunReader | undefined;
    readonly usage?: ports.UsageReader | undefined;
    readonly limits?: ports.LimitReader | undefined;
    readonly log?: ports.SessionReader | undefined;
    readonly catalogue?: Pick<ports.CatalogueStore, "agents" | "enablement" | "skills" | "tools"> | undefined;
    readonly identity?: ports.IdentityAdmin | undefined;
    readonly secrets?: Pick<ports.SecretAdmin, "list" | "remove" | "set"> | undefined;
    readonly tenants?: ports.TenantStore | undefined;
    readonly jobs?: ports.Jobs | undefined;
    readonly schedules?: ports.Schedules | undefined;
    readonly hooks?: ports.Hooks | undefined;
    readonly channels?: ports.Channels | undefined;
    readonly turns?: ports.Turns | undefined;
    readonly turnStream?: ports.TurnStream | undefined;
    readonly rooms?: ports.Rooms | undefined;
    readonly knowledge?: ports.Knowledge | undefined;
    readonly memories?: ports.Memories | undefined;
    readonly machine?: ports.MachineInspector | undefined;
    readonly agentFiles?: AgentFiles | undefined;
    readonly masterKeys?: ports.MasterKeys | undefined;
    readonly toolSync?: ToolSync | undefined;
    readonly accounts?: ports.AccountAdmin | undefined;
    readonly store?: ports.StoreInspector | undefined;
    readonly retention?: ports.RetentionAdmin | undefined;
    readonly policySource?: ports.PolicySource | undefined;
  }>();
});

test("each permission of the engine's own is said by a subject, and owners and admins have all that are not for whoever runs the server", () => {
  const said = subjects.flatMap(({ permissions = [] }) => permissions.map(({ name }) => name));
  expect(said.sort()).toEqual(ownPermissions);
  for (const role of ["owner", "admin"])
    expect(builtinRoles.get(role)).toEqual(["*.*.*", ...ownPermissions.filter((permission) => permission !== "tenants:manage")]);
});
