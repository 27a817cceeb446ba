import { ToolwrightError } from "@toolwright/engine";
import { WrittenResponse } from "../../http/written-response.ts";
import type { RestParts } from "../door-options.ts";
import { problemOf } from "../problem.ts";
import type { RestRequest } from "../serve-operation.ts";
import { type ApiDocument, describeApi, writeDocument } from "./document.ts";

/** Serves `GET /openapi.json`: the API as the caller sees it, and 304 where that is what the caller has. */
export async function serveDocument(asked: RestRequest, parts: RestParts): Promise<Response> {
  const api = await readApi(asked, parts);
  if (api instanceof Response) return api;
  const headers = { etag: `"${api.revision}"`, "cache-control": "private, no-cache", vary: "authorization, cookie" };
  if (hasTag(asked.request.headers.get("if-none-match"), headers.etag)) return new Response(null, { status: 304, headers });
  return new WrittenResponse(writeDocument(api, parts.server), { headers: { ...headers, "content-type": "application/json" } });
}

/** RFC 9110 section 13.1.2: a list, compared weakly. */
function hasTag(header: string | null, tag: string): boolean {
  return (header ?? "").split(",").some((each) => each.trim().replace(/^W\//, "") === tag || each.trim() === "*");
}

/** The API for the one who asks, or the answer for one who may not know of it. */
export async function readApi(
  { request, principal }: RestRequest,
  { engine, operator, callerOf, server }: RestParts,
): Promise<ApiDocument | Response> {
  const caller = callerOf(await operator(principal, request), request);
  try {
    const { items } = await engine.operate(caller, "tools.list", {});
    return describeApi({ operations: await engine.operations(caller), tools: items }, server);
  } catch (error) {
    if (ToolwrightError.is(error)) return problemOf(error);
    throw error;
  }
}
