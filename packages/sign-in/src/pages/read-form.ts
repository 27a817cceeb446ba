import { holdsNul, nulWords } from "./holds-nul.ts";
import { readBody } from "./read-body.ts";

/**
 * The fields of a form that a page of this server sent, or the answer that refuses it. A browser says with every POST where it comes from, so
 * one without that, or from elsewhere, is not ours (R-UI-3).
 */
export async function readForm(request: Request, origin: string): Promise<ReadonlyMap<string, string> | Response> {
  if (request.headers.get("origin") !== origin) return refuse(403, "This form was not sent by a page of this server.");
  if (request.headers.get("content-type")?.split(";")[0]?.trim() !== "application/x-www-form-urlencoded")
    return refuse(415, "Send the form as a browser does.");
  const text = await readBody(request);
  if (text === undefined) return refuse(413, "The form is too large.");
  return holdsNul(text) ? refuse(400, nulWords) : new Map(new URLSearchParams(text));
}

function refuse(status: number, words: string): Response {
  return new Response(`${words}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  });
}
