import { z } from "zod";
import { requireSession } from "../gate/session-access.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { listOf } from "./json-parts.ts";

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
  description:
    "Lists what calls kept in a session, newest first. Needs a session that the principal may use, or the permission sessions:manage or log:read.",
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
  description:
    "Gets the name, media type and size of an artifact. Needs a session that the principal may use, or the permission sessions:manage or log:read.",
  effect: "read",
  input: z.object({ id: z.string().min(1) }),
  output: artifact,
  run: async ({ id }, { scope }) => (await scope.readArtifact(id, { length: 0 })).ref,
});

export const artifactsSubject = defineSubject({
  name: "artifacts",
  operations: [listArtifacts, getArtifact],
});
