import { CliError } from "../cli-error.ts";

/** Bytes of stdin that a command reads. */
export const mostInputBytes = 16 * 1024 * 1024;

/** All of a stream, as UTF-8. Throws a `CliError` for one that is larger than `mostInputBytes`, which is read to its end and dropped. */
export async function readInput(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size <= mostInputBytes) chunks.push(chunk);
  }
  return readText(size > mostInputBytes ? undefined : Buffer.concat(chunks));
}

/** Bytes that are no UTF-8 are refused: what would run is not what was sent. Undefined for too many. */
export function readText(bytes: Buffer | undefined): string {
  if (bytes === undefined || bytes.length > mostInputBytes)
    throw new CliError(
      `input_too_large: stdin holds more than ${mostInputBytes} bytes. Send less: a file can be put into the workspace, and named.`,
    );
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CliError("What came on stdin is not UTF-8. Send it as UTF-8.", { cause });
  }
}
