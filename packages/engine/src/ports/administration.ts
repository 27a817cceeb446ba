import type { AccountAdmin } from "./account-admin.ts";
import type { BrowserInspector } from "./browser-inspector.ts";
import type { CatalogueStore } from "./catalogue-store.ts";
import type { Channels } from "./channels.ts";
import type { Hooks } from "./hooks.ts";
import type { IdentityAdmin } from "./identity-admin.ts";
import type { Jobs, Schedules } from "./jobs.ts";
import type { Knowledge } from "./knowledge-store.ts";
import type { MachineInspector } from "./machine-inspector.ts";
import type { MasterKeys } from "./master-keys.ts";
import type { Memories } from "./memory-store.ts";
import type { ModelInspector } from "./model-inspector.ts";
import type { LimitReader } from "./person-limits.ts";
import type { PolicySource } from "./policy-source.ts";
import type { RetentionAdmin } from "./retention-admin.ts";
import type { Rooms } from "./rooms.ts";
import type { RunReader } from "./run-reader.ts";
import type { SecretAdmin } from "./secret-admin.ts";
import type { SessionReader } from "./session-reader.ts";
import type { StoreInspector } from "./store-inspector.ts";
import type { TenantStore } from "./tenant-store.ts";
import type { TurnStream } from "./turn-stream.ts";
import type { Turns } from "./turns.ts";
import type { UsageReader } from "./usage-reader.ts";

/** What operations work on beside the stores of calls. An operation whose port is left out is unavailable. */
export interface Administration {
  readonly runs?: RunReader | undefined;
  readonly usage?: UsageReader | undefined;
  readonly limits?: LimitReader | undefined;
  /** Reads what the engine's `events` keep. */
  readonly log?: SessionReader | undefined;
  readonly catalogue?: Pick<CatalogueStore, "agents" | "enablement" | "skills" | "tools"> | undefined;
  readonly identity?: IdentityAdmin | undefined;
  readonly accounts?: AccountAdmin | undefined;
  readonly secrets?: Pick<SecretAdmin, "list" | "remove" | "set"> | undefined;
  readonly masterKeys?: MasterKeys | undefined;
  readonly tenants?: TenantStore | undefined;
  readonly jobs?: Jobs | undefined;
  readonly schedules?: Schedules | undefined;
  readonly hooks?: Hooks | undefined;
  readonly channels?: Channels | undefined;
  readonly turns?: Turns | undefined;
  readonly turnStream?: TurnStream | undefined;
  readonly rooms?: Rooms | undefined;
  readonly browsers?: BrowserInspector | undefined;
  readonly knowledge?: Knowledge | undefined;
  readonly memories?: Memories | undefined;
  readonly machine?: MachineInspector | undefined;
  readonly store?: StoreInspector | undefined;
  readonly retention?: RetentionAdmin | undefined;
  readonly models?: ModelInspector | undefined;
  readonly policySource?: PolicySource | undefined;
}
