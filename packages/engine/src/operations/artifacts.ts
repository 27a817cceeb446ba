import { z } from "zod";
import type { ArtifactRef } from "../contract/call.ts";
import { READ_LOG } from "../contract/permissions.ts";
import { mayUseSession, unknownSession } from "../gate/guard-call.ts";
import { defineOperation } from "./define-operation.ts";
import { listOf } from "./json-parts.ts";

const artifact: z.ZodType<ArtifactRef> = z.object({
  id: z.string(),
  name: z.string(),
  mediaType: z.string(),
  size: z.int().describe("Bytes"),
});

export const listArtifacts = defineOperation({
  name: "artifacts.list",
  title: "List artifacts",
  description: "Lists what calls kept in a session, newest first. Needs a session that the principal may use, or the permission log:read.",
  effect: "read",
  input: z.object({ session: z.string().min(1), call: z.string().min(1).optional().describe("Only what this call kept") }),
  output: listOf(artifact),
  async run({ session, call }, { principal, parts }) {
    const { tenant, permissions, delegated } = principal;
    const found = await parts.sessions.find({ tenant, id: session });
    const mayRead = delegated === undefined && permissions.includes(READ_LOG);
    if (!found || !(mayRead || mayUseSession(principal, found))) throw unknownSession(session);
    return { items: await parts.artifacts.list(tenant, session, call) };
  },
});

export const getArtifact = defineOperation({
  name: "artifacts.get",
  title: "Get an artifact",
  description: "Gets the name, media type and size of an artifact. Its id, which nobody can guess, came with the result of a call.",
  effect: "read",
  input: z.object({ id: z.string().min(1) }),
  output: artifact,
  run: async ({ id }, { scope }) => (await scope.readArtifact(id, { length: 0 })).ref,
});
