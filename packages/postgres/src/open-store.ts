import type { ApprovalRecord } from "@toolwright/engine";
import { ToolwrightError } from "@toolwright/engine/errors";
import type {
  ArtifactStore,
  ClientSessions,
  Clock,
  EventLog,
  ForeignMarks,
  Hooks,
  IdentityAdmin,
  IdentityOptions,
  KnowledgeStore,
  LimitReader,
  MemoryStore,
  PolicyStore,
  Rooms,
  RunReader,
  SealKeys,
  SessionReader,
  SessionStore,
  StoreInspector,
  TenantStore,
  TurnStream,
  Turns,
  UsageReader,
} from "@toolwright/engine/ports";
import type { ArtifactQuotas } from "./artifacts/artifact-room.ts";
import { createPostgresArtifactStore } from "./artifacts/postgres-artifact-store.ts";
import { createCatalogueStore, type PostgresCatalogueStore } from "./catalogue/catalogue-store.ts";
import { createPostgresClientSessions } from "./client-sessions/postgres-client-sessions.ts";
import type { Database } from "./database/database.ts";
import type { ServerOptions } from "./database/open-server.ts";
import { type OnlyOne, openEmbedded } from "./embedded/open-embedded.ts";
import { machineTime } from "./embedded/store-clock.ts";
import { createDataFolder } from "./embedded/template.ts";
import { createChainHeads } from "./events/chain-heads.ts";
import { createPostgresEventLog } from "./events/postgres-event-log.ts";
import { createPostgresSessionReader } from "./events/postgres-session-reader.ts";
import { createPostgresForeignMarks } from "./foreign/postgres-foreign-marks.ts";
import { createPostgresHooks } from "./hooks/postgres-hooks.ts";
import { type Accounts, createAccounts } from "./identity/accounts.ts";
import { createIdentity } from "./identity/identity.ts";
import { createPostgresTenantStore } from "./identity/postgres-tenant-store.ts";
import { type JobStore, openJobs } from "./jobs/open-jobs.ts";
import { createPostgresKnowledge } from "./knowledge/postgres-knowledge.ts";
import { createPostgresLimitReader } from "./limits/read-limits.ts";
import { examineStore, type StoreFindings } from "./maintenance/examine-store.ts";
import { createStoreInspector } from "./maintenance/inspect-store.ts";
import { createPostgresMemories } from "./memories/postgres-memories.ts";
import { createReadinessCheck, type StoreReadiness } from "./migrate/check-readiness.ts";
import { migrate } from "./migrate/migrate.ts";
import { openPostgresPolicyStore } from "./policies/postgres-policy-store.ts";
import { type CallStores, openCallStores } from "./recovery/open-call-stores.ts";
import { retryEndings } from "./recovery/retry-endings.ts";
import type { Periods } from "./retention/chores.ts";
import { createRetention, type Retention } from "./retention/retention.ts";
import { createPostgresRooms } from "./rooms/postgres-rooms.ts";
import { createPostgresRunReader } from "./runs/postgres-run-reader.ts";
import { createPostgresSealKeys } from "./seal-keys/postgres-seal-keys.ts";
import { createAidsFinder } from "./search/search-aids.ts";
import { createStoredWords, type StoredWords } from "./search/stored-words.ts";
import type { Keyring } from "./secrets/keyring.ts";
import { createPostgresSecretStore, type PostgresSecretStore } from "./secrets/postgres-secret-store.ts";
import { createPostgresSessionStore } from "./sessions/postgres-session-store.ts";
import { createPostgresTurnStream } from "./turns/postgres-turn-stream.ts";
import { createPostgresTurns } from "./turns/postgres-turns.ts";
import { createPostgresUsageReader } from "./usage/read-usage.ts";
import { createVectorIndex } from "./vectors/vector-index.ts";
import { chunkVectors, memoryVectors } from "./vectors/vector-source.ts";

export interface StoreOptions {
  /** URL of a PostgreSQL server; without it the embedded one is used, in `folder`. */
  readonly url?: string | undefined;
  /** Folder of the embedded database; not used with `url`. */
  readonly folder?: string;
  /** Keeps what new folders start with, which takes seconds to make. */
  readonly cache?: string;
  /** Unique among all processes that ever use the store. */
  readonly process: string;
  /** Who that is, for people: `toolwright serve on port 7777, process 4711`. */
  readonly holder: string;
  /** What only one process of the embedded folder may be, as `serve`, and this one wants to be. */
  readonly only?: OnlyOne | undefined;
  /** For a process that is soon over: what others change it hears of after half a second, if it is still there. One connection to a server instead of three. */
  readonly brief?: boolean | undefined;
  /** False for a process that neither admits nor decides anything: what tenants have enabled, and their policies, are not read ahead. Default true. */
  readonly decides?: boolean | undefined;
  /** Megabytes of pages that the embedded database keeps in memory of its own, all of which are cleared before it opens. Default 16. */
  readonly pageCacheMb?: number | undefined;
  /** Connections to a server at most. */
  readonly connections?: number;
  /** How long what is over is kept. Default 30 days, and the log with its artifacts for ever. */
  readonly periods?: Partial<Periods>;
  /** Bytes that artifacts may have together. Default 1 GiB a session and 10 GiB a tenant. */
  readonly artifactQuotas?: Partial<ArtifactQuotas> | undefined;
  /** Clock of this machine; what is stored goes by the clock of the database. */
  readonly clock?: Clock;
  readonly warn?: (message: string) => void;
  /** Hears once, of all processes, of each approval that nobody answered in time. */
  readonly onExpired?: (record: ApprovalRecord) => void;
}

/** Everything that lasts, behind the engine's ports. */
export interface Store extends CallStores, JobStore {
  /** For who brings a query of their own, as sign-in does; no door, route or command does. */
  readonly database: Database;
  /** The database's time, for whatever decides by what is stored. */
  readonly clock: Clock;
  readonly events: EventLog;
  readonly tenants: TenantStore;
  /** The event log of sessions, to read. */
  readonly log: SessionReader;
  readonly runs: RunReader;
  readonly usage: UsageReader;
  /** What each person has used of their limits. */
  readonly limits: LimitReader;
  readonly artifacts: ArtifactStore;
  readonly catalogue: PostgresCatalogueStore;
  readonly retention: Retention;
  /** Looks at the database, below all tenants. */
  readonly inspector: Omit<StoreInspector, "place">;
  readonly clientSessions: ClientSessions;
  /** What sessions have read that nobody here wrote. */
  readonly foreign: ForeignMarks;
  readonly sealKeys: SealKeys;
  /** The accounts of people, which belong to no tenant. */
  readonly accounts: Accounts;
  /** Who belongs to tenants, by the clock of the store. */
  openIdentity(options?: Pick<IdentityOptions, "knownPermissions">): IdentityAdmin;
  /** The secrets of all tenants, under the master keys of this machine. */
  openSecrets(keyring: Keyring): Promise<PostgresSecretStore>;
  readonly sessions: SessionStore;
  /** What an operator may want to look after. */
  examine(): Promise<StoreFindings>;
  /** Turns of agents, and the messages of their conversations. */
  readonly turns: Turns;
  readonly turnStream: TurnStream;
  readonly rooms: Rooms;
  /** Documents, and the passages of them that searches find. */
  readonly knowledge: KnowledgeStore;
  /** Addresses to which others send webhooks. */
  readonly hooks: Hooks;
  readonly policies: PolicyStore;
  /** What agents and people remember. */
  readonly memories: MemoryStore;
  /** The words that documents and memories are found by. */
  readonly words: StoredWords;
  /** Whether this version can work with the database as it stands. Never rejects. */
  checkReadiness(): Promise<StoreReadiness>;
  /** Writes what waits and lets go of the database. */
  close(): Promise<void>;
}

/** Opens the store and brings it to this version. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const database = await openDatabase(options);
  try {
    await migrate(database.owner);
  } catch (error) {
    await database.close();
    throw error;
  }
  const catalogue = await createCatalogueStore(database, options);
  const search = createAidsFinder(database);
  const policies = await openPostgresPolicyStore(database, options);
  const heads = createChainHeads();
  const eventLog = createPostgresEventLog(database, options.process, { heads });
  const events = retryEndings(eventLog, database, options.process);
  const calls = await openCallStores(database, { ...options, retryEndings: events.retry });
  const { clock } = calls.registry;
  const tenants = createPostgresTenantStore(database, { clock });
  const secrets: PostgresSecretStore[] = [];
  return {
    ...calls,
    database,
    events: { ...events, tenants, keys: calls.idempotency },
    clock,
    ...openJobs(database, options.process, clock),
    ...{ tenants, catalogue, policies },
    log: createPostgresSessionReader(database),
    runs: createPostgresRunReader(database),
    usage: createPostgresUsageReader(database),
    limits: createPostgresLimitReader(database, { limiter: calls.limiter, clock, artifactBytes: options.artifactQuotas?.personBytes }),
    artifacts: createPostgresArtifactStore(database, { quotas: options.artifactQuotas }),
    retention: createRetention(database, { ...options, clock }),
    inspector: createStoreInspector(database),
    clientSessions: createPostgresClientSessions(database),
    foreign: createPostgresForeignMarks(database),
    sealKeys: createPostgresSealKeys(database, { clock }),
    accounts: createAccounts(database, { clock }),
    openIdentity: (choice) => createIdentity(database, { ...choice, clock }),
    async openSecrets(keyring) {
      const opened = await createPostgresSecretStore(database, keyring, { clock });
      secrets.push(opened);
      return opened;
    },
    sessions: createPostgresSessionStore(database, { heads }),
    examine: () => examineStore(database),
    turns: createPostgresTurns(database),
    turnStream: createPostgresTurnStream(database),
    rooms: createPostgresRooms(database),
    knowledge: createPostgresKnowledge(database, {
      findAids: search.aids,
      vectors: createVectorIndex(database, chunkVectors, search.vectors),
    }),
    hooks: createPostgresHooks(database),
    memories: createPostgresMemories(database, {
      findAids: search.aids,
      vectors: createVectorIndex(database, memoryVectors, search.vectors),
    }),
    words: createStoredWords(database, { clock, ...(options.warn && { warn: options.warn }) }),
    checkReadiness: createReadinessCheck(database, clock),
    async close() {
      catalogue.close();
      policies.close();
      for (const each of secrets) await each.close();
      await eventLog.settle();
      await calls.close();
      await database.close();
    },
  };
}

/** Longer than most commands take. */
const briefMs = 500;

export async function openDatabase(
  { url, folder, cache, holder, only, brief, pageCacheMb, connections, clock, warn }: StoreOptions,
  server: Pick<ServerOptions, "statementTimeoutMs"> = {},
): Promise<Database> {
  const machine = clock && machineTime(clock.now);
  if (url === undefined) {
    if (folder === undefined)
      throw new ToolwrightError(
        "settings_invalid",
        "The store has no place. Name the folder of an embedded database, or the url of a PostgreSQL server.",
      );
    const create = (dataDir: string) => createDataFolder(dataDir, { cache });
    return openEmbedded(folder, { holder, create, pageCacheMb, only, machine, warn });
  }
  const { openServer } = await import("./database/open-server.ts");
  return openServer(url, {
    ...server,
    ...(brief && { followAfterMs: briefMs }),
    ...(connections && { connections }),
    ...(warn && { warn }),
  });
}
