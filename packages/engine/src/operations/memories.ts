import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { foreignKinds, trusts } from "../contract/foreign.ts";
import { MANAGE_MEMORY } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import {
  type MemoryOwner,
  memoriesPort,
  memoryCategories,
  memoryOwnerOf,
  mostMemoryCharacters,
  type NewMemory,
} from "../ports/memory-store.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { actor, after, limitUpTo, listOf, pageOf, time } from "./json-parts.ts";
import {
  exportedMemoriesView,
  importedMemoriesView,
  memoriesView,
  memoryView,
  removedMemoryView,
  savedMemoryView,
} from "./views/memories.ts";

const own = `Of the caller; with the permission ${MANAGE_MEMORY} of every owner.`;
const mostImported = 500;

const name = (most: number) => z.string().min(1).max(most);
const key = name(200);
const owner = name(220)
  .regex(/^(user|service|agent):./)
  .optional()
  .describe("Whose: agent:<name>, user:<id> or service:<id>. Default: the caller's own");
const content = z.string().min(1).max(mostMemoryCharacters);
const category = z.enum(memoryCategories).describe("core stays, daily expires, conversation goes with its session");
const source = z.object({
  kind: z.enum([...foreignKinds, "call"]),
  callId: z.string().max(200).optional(),
  place: z.string().max(2_000).optional().describe("URL, path or id that it came from"),
});

const kept = {
  key: z.string(),
  content: z.string(),
  category,
  trust: z.enum(trusts).describe("Who stands behind it: a person, an agent, or foreign content"),
  sources: z.array(source).describe("What it came from"),
  session: z.string().optional().describe("Of an entry that goes with its session"),
  version: z.int(),
  createdAt: time("When its first version was saved"),
  savedAt: time("When it was saved"),
  expiresAt: time("When it expires").optional(),
};
const memory = z.object(kept);
const version = z.object({
  ...{ version: z.int(), content: z.string(), category, trust: kept.trust, sources: kept.sources, savedAt: kept.savedAt, by: actor },
});

const ofOwner = {
  owner: [
    { flags: "--agent <id>", about: "the agent whose memories they are", as: "agent:{}" },
    { flags: "--user <id>", about: "the person whose memories they are", as: "user:{}" },
  ],
} as const;

export const listMemories = defineOperation({
  name: "memories.list",
  at: "GET /memories",
  title: "List memories",
  description: `Lists what an agent or a person remembers, in the order of the keys, whole entries. ${own}`,
  effect: "read",
  needs: [memoriesPort],
  input: z.object({ owner, category: category.optional(), after, limit: limitUpTo(500, 50) }),
  output: pageOf(memory),
  shell: [
    {
      form: "memory list",
      about: "List entries in the order of their keys",
      options: { ...ofOwner, category: { flags: "--category <name>", about: "core, daily or conversation" } },
      allPages: true,
    },
    {
      form: "memory export",
      about: "Write all entries as lines of JSON",
      options: { ...ofOwner, category: false },
      allPages: true,
      view: exportedMemoriesView,
    },
  ],
  view: memoriesView,
  async run({ owner: of, ...page }, { principal, parts, ports }) {
    const { memories, next } = await ports.memories.store.list(requireOwner(principal, of), { ...page, now: parts.clock.now() });
    return { items: memories, next };
  },
});

const listMemoryOwners = defineOperation({
  name: "memories.owners",
  at: "GET /memory-owners",
  title: "List who remembers something",
  description: `Lists the owners of memories in the tenant, and how many each has. Needs the permission ${MANAGE_MEMORY}.`,
  permission: MANAGE_MEMORY,
  effect: "read",
  needs: [memoriesPort],
  input: z.object({}),
  output: listOf(z.object({ owner: z.string(), count: z.int() })),
  shell: { form: "memory owners", about: "List who remembers something, and how much" },
  view: { columns: { owner: "owner", memories: "count" }, empty: "Nobody remembers anything." },
  run: async (_, { principal, ports }) => ({ items: await ports.memories.store.owners(principal.tenant) }),
});

export const showMemory = defineOperation({
  name: "memories.show",
  at: "GET /memories/{key}",
  title: "Show a memory",
  description: `Shows an entry with its last 20 versions, newest first. ${own}`,
  effect: "read",
  needs: [memoriesPort],
  input: z.object({ owner, key }),
  output: z.object({ ...kept, versions: z.array(version) }),
  shell: { form: "memory show <key>", about: "Show an entry with its versions", options: ofOwner },
  view: memoryView,
  async run({ owner: of, key: wanted }, { principal, parts, ports }) {
    const found = await ports.memories.store.get(requireOwner(principal, of), wanted, parts.clock.now());
    if (!found) throw memoryMissing(wanted);
    return { ...found.memory, versions: found.versions };
  },
});

export const saveMemory = defineOperation({
  name: "memories.save",
  at: "POST /memories",
  title: "Save or correct a memory",
  description: `Saves an entry as the words of a person, or corrects the one that has its key. ${own}`,
  onlyPeople: true,
  effect: "write",
  needs: [memoriesPort],
  input: z.object({
    owner,
    key: key.optional().describe("Default: a new one"),
    content,
    category: z.enum(["core", "daily"]).optional().describe("Default: core; daily expires after 30 days"),
    expiresAt: time("When it expires").optional(),
  }),
  output: z.object({ key: z.string(), version: z.int(), created: z.boolean() }),
  shell: {
    form: "memory save <content...>",
    about: "Save an entry, or correct the one with the same key",
    options: {
      ...ofOwner,
      key: { flags: "--key <key>", about: "its name; without it a new entry gets one" },
      category: { flags: "--category <name>", about: "core stays, daily expires after 30 days" },
      expiresAt: false,
    },
  },
  view: savedMemoryView,
  async run({ owner: of, key: wanted, category: chosen = "core", expiresAt, ...rest }, context) {
    const { principal, parts } = context;
    const to = requireOwner(principal, of);
    const savedAt = parts.clock.now();
    const until = expiresAt ?? (chosen === "daily" ? savedAt + 30 * 24 * 60 * 60 * 1_000 : undefined);
    const named = wanted ?? parts.ids.next("mem");
    const entry = { ...rest, key: named, category: chosen, trust: "person", sources: [], savedAt, expiresAt: until } as const;
    return { key: named, ...(await keep(to, entry, context)) };
  },
});

const removeMemory = defineOperation({
  name: "memories.remove",
  at: "DELETE /memories/{key}",
  title: "Forget a memory",
  description: `Removes an entry with all its versions. ${own}`,
  onlyPeople: true,
  effect: "destructive",
  needs: [memoriesPort],
  input: z.object({ owner, key }),
  output: z.object({ removed: z.int().describe("How many versions there were") }),
  shell: { form: "memory remove <key>", about: "Remove an entry with all its versions", options: ofOwner },
  view: removedMemoryView,
  async run({ owner: of, key: wanted }, { principal, ports }) {
    const removed = await ports.memories.store.forget(requireOwner(principal, of), wanted);
    if (removed === 0) throw memoryMissing(wanted);
    return { removed };
  },
});

const imported = z.object({
  ...{ key, content, category, session: z.string().max(200).optional(), expiresAt: kept.expiresAt },
  trust: kept.trust.optional().describe("Default: person"),
  sources: z.array(source).max(20).optional(),
  savedAt: kept.savedAt.optional().describe("Default: now"),
  version: kept.version.optional().describe("Counts for nothing: versions are counted anew where they are saved"),
  createdAt: kept.createdAt.optional().describe("Counts for nothing: an entry is made where it is first saved"),
});

const importMemories = defineOperation({
  name: "memories.import",
  at: "POST /memories/import",
  title: "Import memories",
  description: `Saves entries as memories.list gives them, with their trust; those that are there already as they are stay untouched. ${own}`,
  onlyPeople: true,
  effect: "write",
  needs: [memoriesPort],
  input: z.object({ owner, items: z.array(imported).min(1).max(mostImported) }),
  output: z.object({ saved: z.int(), unchanged: z.int() }),
  shell: {
    form: "memory import <items>",
    about: "Save the entries of an export",
    each: "items",
    options: { ...ofOwner, items: { flags: "<file>", about: "a file that memory export has written", reads: "lines" } },
  },
  view: importedMemoriesView,
  async run({ owner: of, items }, context) {
    const { principal, parts, ports } = context;
    const to = requireOwner(principal, of);
    const lost = items.find(({ category: in_, session }) => in_ === "conversation" && session === undefined);
    if (lost) throw new ToolwrightError("invalid_input", `${JSON.stringify(lost.key)} goes with a session and names none.`);
    const now = parts.clock.now();
    let saved = 0;
    for (const { trust = "person", sources = [], savedAt = now, version: _, createdAt: __, ...item } of items) {
      const found = await ports.memories.store.get(to, item.key, now);
      if (found?.memory.content === item.content && found.memory.category === item.category) continue;
      await keep(to, { ...item, trust, sources, savedAt }, context);
      saved += 1;
    }
    return { saved, unchanged: items.length - saved };
  },
});

type Entry = Omit<NewMemory, "by" | "index" | "session" | "expiresAt"> & {
  readonly session?: string | undefined;
  readonly expiresAt?: number | undefined;
};

function keep(to: MemoryOwner, { session, expiresAt, ...entry }: Entry, { principal, ports }: OperationContext<typeof memoriesPort>) {
  const { store, indexOf } = ports.memories;
  return store.save(to, {
    ...entry,
    ...(session !== undefined && { session }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...{ by: principal.actor, index: indexOf(entry.content, entry.key) },
  });
}

/** Throws `operation_not_allowed` for another owner than the caller, without the permission. */
function requireOwner(principal: Principal, wanted: string | undefined): MemoryOwner {
  const own = memoryOwnerOf(principal);
  if (wanted === undefined || wanted === own.owner) return own;
  const { tenant, delegated, permissions, actor: who } = principal;
  if (!delegated && permissions.includes(MANAGE_MEMORY)) return { tenant, owner: wanted };
  throw new ToolwrightError(
    "operation_not_allowed",
    `The ${who.kind} ${JSON.stringify(who.id)} may not see the memories of ${wanted}. Ask somebody with the permission ${MANAGE_MEMORY}.`,
  );
}

const memoryMissing = (wanted: string) =>
  new ToolwrightError("memory_not_found", `There is no memory with the key ${JSON.stringify(wanted)}. List them with memories.list.`);

export const memoriesSubject = defineSubject({
  name: "memories",
  permissions: [{ name: MANAGE_MEMORY, about: "read, correct and remove what agents and other people remember" }],
  errors: {
    memory_not_found: { kind: "missing", means: "There is no such memory for this principal." },
  },
  store: [memoriesPort],
  tools: "memory",
  loops: [{ name: "memory_vectors", about: "gives memories the vectors that a search by meaning compares" }],
  shell: {
    memory: {
      about: "Memory: what agents and people keep across sessions with the tool memory_save",
      notes: "An agent has memories of its own; without --agent or --user they are yours.",
      examples: [
        "memory list --agent assistant",
        "memory save 'Deploys go out on Tuesdays' --key deploy-day --agent assistant",
        "memory export > memories.jsonl",
        "memory import memories.jsonl --agent assistant",
      ],
    },
  },
  operations: [listMemories, listMemoryOwners, showMemory, saveMemory, importMemories, removeMemory],
});
