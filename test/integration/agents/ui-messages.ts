import { readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";

/** The message that chunks come to, as `useChat` has it. */
export async function messageOf(stream: ReadableStream<UIMessageChunk>): Promise<UIMessage> {
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream })) last = message;
  if (!last) throw new Error("Nothing was shown.");
  return last;
}

/** Its parts, a line each. */
export const partsOf = ({ parts }: UIMessage) =>
  parts.map((part) => ("toolCallId" in part ? `${part.type} ${part.state}` : part.type === "text" ? `text ${part.text}` : part.type));
