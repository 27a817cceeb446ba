/** Bytes that a form or a message of a program may have. */
export const mostBytes = 64 * 1024;

/** The text of a request, or undefined when it is longer than that; no more is read. */
export async function readBody(request: Request): Promise<string | undefined> {
  if (Number(request.headers.get("content-length")) > mostBytes) return undefined;
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > mostBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
