import type { Attachment } from "@toolwright/engine";
import { readChunks } from "../../http/read-body.ts";
import type { RestParts } from "../door-options.ts";
import { isJson, malformed, parseJson, readJson, refuseSize, refuseType, tooLarge } from "../read-json.ts";
import { boundaryOf, MultipartMeter, mostHeaderBytes, mostParts } from "./measure-multipart.ts";

/** What a call is made with. */
interface CallBody {
  readonly input: unknown;
  readonly attachments: readonly Attachment[];
}

/** Part of a multipart body that holds the input; every other part is an attachment. */
const inputPart = "input";

/** The input of a call, as JSON, or as multipart with attachments; or the answer that refuses it. */
export async function readCall(request: Request, limits: RestParts["limits"]): Promise<CallBody | Response> {
  const type = request.headers.get("content-type");
  if (type !== null && /^multipart\/form-data\s*;/i.test(type)) return readMultipart(request, type, limits);
  if (type !== null && !isJson(type)) return refuseType("application/json, multipart/form-data");
  const read = await readJson(request, limits);
  return read instanceof Response ? read : { input: read.json, attachments: [] };
}

async function readMultipart(request: Request, type: string, limits: RestParts["limits"]): Promise<CallBody | Response> {
  if (Number(request.headers.get("content-length")) > limits.maxAttachmentBytes) return tooLarge(limits.maxAttachmentBytes);
  const boundary = boundaryOf(type);
  if (boundary === undefined) return unreadable();
  const meter = new MultipartMeter(boundary);
  const chunks = await readChunks(request, limits.maxAttachmentBytes, (chunk) => meter.add(chunk));
  if (meter.parts > mostParts) return refuseSize(`The multipart body has more than ${mostParts} parts. Send them in several calls.`);
  if (meter.headerBytes > mostHeaderBytes)
    return refuseSize(`The headers of the parts are longer than ${mostHeaderBytes} bytes together. Shorten the names of parts and files.`);
  if (!chunks) return tooLarge(limits.maxAttachmentBytes);
  let form: FormData;
  try {
    // With the boundary that was measured: another reading of the header could find more parts.
    // The chunks as they came: one text of them would be copied twice more on the way to the parser.
    form = await new Response(ReadableStream.from(chunks), {
      headers: { "content-type": `multipart/form-data; boundary="${boundary}"` },
    }).formData();
  } catch {
    return unreadable();
  }
  const inputs = form.getAll(inputPart);
  if (inputs.length > 1) return malformed(`The multipart body has the part ${inputPart} more than once. Send it once.`);
  const input = await readInputPart(inputs[0], limits);
  if (input instanceof Response) return input;
  const attachments = [...form.entries()].filter(([name]) => name !== inputPart);
  const text = attachments.find(([, value]) => typeof value === "string");
  if (text)
    return malformed(`The part ${JSON.stringify(text[0])} is no file. Put members of the input into the part ${inputPart}, as JSON.`);
  return { input: input.json, attachments: attachments.map(([name, file]) => toAttachment(name, file as File)) };
}

const unreadable = () => malformed("The multipart body cannot be read. Send each part with its name, and end with the boundary.");

async function readInputPart(part: File | string | undefined, limits: RestParts["limits"]) {
  const text = part instanceof File ? await part.text() : (part ?? "{}");
  return Buffer.byteLength(text) > limits.maxBytes ? tooLarge(limits.maxBytes) : parseJson(text, limits);
}

function toAttachment(part: string, file: File): Attachment {
  return {
    name: file.name || part,
    mediaType: file.type || "application/octet-stream",
    bytes: async () => new Uint8Array(await file.arrayBuffer()),
  };
}
