import { z } from "zod";
import { requireSession } from "../gate/session-access.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { listOf } from "./json-parts.ts";

const allowed = "Needs a session that the principal may use, or the permission sessions:manage or log:read.";
const mostBytes = 1024 * 1024;

const artifact = z.object({
  id: z.string(),
  name: z.string(),
  mediaType: z.string(),
  size: z.int().describe("Bytes"),
});

const listArtifacts = defineOperation({
  name: "artifacts.list",
  at: "GET /artifacts",
  title: "List artifacts",
  description: `Lists what calls kept in a session, newest first. ${allowed}`,
  effect: "read",
  input: z.object({ session: z.string().min(1), call: z.string().min(1).optional().describe("Only what this call kept") }),
  output: listOf(artifact),
  async run({ session, call }, { principal, parts }) {
    const { tenant, id } = await requireSession(principal, session, { parts, alsoReaders: true });
    return { items: await parts.artifacts.list(tenant, id, call) };
  },
});

const getArtifact = defineOperation({
  name: "artifacts.get",
  at: "GET /artifacts/{id}",
  title: "Get an artifact",
  description: `Gets the name, media type and size of an artifact. ${allowed}`,
  effect: "read",
  input: z.object({ id: z.string().min(1) }),
  output: artifact,
  run: async ({ id }, { scope }) => (await scope.readArtifact(id, { length: 0 })).ref,
});

const readArtifact = defineOperation({
  name: "artifacts.read",
  at: "GET /artifacts/{id}/parts",
  title: "Read an artifact",
  description: `Reads the bytes of an artifact a part at a time, for what takes JSON alone; GET /artifacts/{id}/content gives them as they are. ${allowed}`,
  effect: "read",
  input: z.object({
    id: z.string().min(1),
    after: z.int().min(0).optional().describe("Reads from this byte on; default 0"),
    limit: z.int().min(1).max(mostBytes).optional().describe(`Bytes of the part; default ${mostBytes}`),
  }),
  output: z.object({
    content: z.string().describe("The bytes, in base64"),
    size: z.int().describe("Bytes of the whole"),
    next: z.int().optional().describe("What to give as `after` for the next part; absent on the last one"),
  }),
  shell: {
    form: "artifact <id>",
    about: "Write the whole of something that was cut, or a file that a tool kept, to stdout",
    allPages: true,
    store: true,
    examples: ["artifact art_6fY0c2Jm > whole.txt"],
  },
  view: { bytes: "content" },
  async run({ id, after = 0, limit = mostBytes }, { scope }) {
    const { ref, bytes } = await scope.readArtifact(id, { offset: after, length: limit });
    const next = after + bytes.length;
    const isLast = bytes.length === 0 || next >= ref.size;
    return { content: Buffer.from(bytes).toString("base64"), size: ref.size, ...(!isLast && { next }) };
  },
});

export const artifactsSubject = defineSubject({
  name: "artifacts",
  errors: {
    artifact_not_found: { kind: "missing", means: "There is no such artifact for this principal." },
    artifact_too_large: { kind: "failed", means: "The artifact is larger than one may be." },
    artifact_quota: { kind: "full", means: "The session or tenant has no room left for artifacts." },
  },
  operations: [listArtifacts, getArtifact, readArtifact],
});
