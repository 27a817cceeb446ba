import type { FloodRequest } from "./flood-kinds.ts";

/** A server, and a key of who asks. */
export interface Asked {
  readonly url: string;
  readonly key: string;
}

/** The status of the answer, and the code of the error where there is one, such as `503 busy`. */
export async function send({ url, key }: Asked, request: FloodRequest, signal: AbortSignal): Promise<string> {
  const { method, path, body, type = "application/json", session } = request;
  const answer = await fetch(`${url}/api${path}`, {
    ...{ method, signal },
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { "content-type": type }),
      ...(session !== undefined && { "toolwright-session": session }),
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return answer.ok ? `${answer.status}` : `${answer.status} ${codeOf(text)}`;
}

interface Refusal {
  readonly code?: string;
  /** What a tool that failed calls it. */
  readonly toolCode?: string;
}

/** The code of a problem, or of the tool that failed. */
function codeOf(text: string): string {
  try {
    const answer = JSON.parse(text) as Refusal & { readonly error?: Refusal };
    const { code, toolCode } = answer.error ?? answer;
    return toolCode ?? code ?? "without a code";
  } catch {
    return "not JSON";
  }
}
