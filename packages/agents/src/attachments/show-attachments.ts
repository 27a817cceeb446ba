import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Middleware,
  LanguageModelV4TextPart,
} from "@ai-sdk/provider";
import { type Logger, type Scope, ToolwrightError } from "@toolwright/engine";
import { APICallError } from "ai";
import type { OpenedModel } from "../models/model-source.ts";
import { reportModelError } from "../turn/model-error.ts";
import { artifactAddress, idIn } from "./artifact-address.ts";
import { typeOf, whyNotShown } from "./media-type.ts";
import { hasResultFile, showResultFiles } from "./show-result-files.ts";

/** Characters of a text that a request holds. */
const mostCharacters = 100_000;

interface ShowingTo {
  readonly model: Pick<OpenedModel, "id" | "files" | "takesFilesInResults" | "refusesFiles" | "keys">;
  readonly scope: Pick<Scope, "readArtifact">;
  readonly logger: Logger;
  /** Id of the turn, for the log. */
  readonly turn: string;
}

type Part = LanguageModelV4TextPart | LanguageModelV4FilePart;

/** An attachment as the model gets it, and the line that stands for it where the model refuses it. */
interface Shown {
  readonly part: Part;
  readonly line: LanguageModelV4TextPart;
}

/**
 * Puts attachments and the files of results into requests: files as they are where the model takes them, texts as text, and a line for each other one.
 * Messages keep their references, and the same artifact is the same bytes in each request.
 */
export function showAttachments({ model: shownTo, scope, logger, turn }: ShowingTo): LanguageModelV4Middleware {
  const known = new Map<string, Promise<Shown>>();
  let isRefused = false;
  const show = async (part: Part): Promise<Part> => {
    const id = idOf(part);
    if (part.type !== "file" || id === undefined) return part;
    const found = known.get(id) ?? showArtifact(part, { id, files: shownTo.files ?? {}, scope });
    known.set(id, found);
    return (await found)[isRefused ? "line" : "part"];
  };
  const write = async (message: LanguageModelV4Message): Promise<LanguageModelV4Message> =>
    message.role === "user" ? { ...message, content: await Promise.all(message.content.map(show)) } : message;
  const writeAll = async (request: LanguageModelV4CallOptions) => {
    if (!request.prompt.some(hasFile)) return request;
    const { files = {}, takesFilesInResults = false } = shownTo;
    const prompt = showResultFiles(request.prompt, { files: isRefused ? {} : files, takesFilesInResults });
    return { ...request, prompt: await Promise.all(prompt.map(write)) };
  };
  return {
    specificationVersion: "v4",
    // Else the SDK would fetch them.
    overrideSupportedUrls: async ({ model }) => ({ ...(await model.supportedUrls), "*/*": [artifactAddress] }),
    async wrapStream({ params, model }) {
      const request = await writeAll(params);
      const hasFiles = request.prompt.some(hasFile);
      try {
        return await model.doStream(request);
      } catch (error) {
        if (isRefused || !isRefusal(error, shownTo) || !hasFiles) throw error;
        // A conversation with a file that its model refuses would never go on.
        isRefused = true;
        const said = { turn, ...reportModelError(error, shownTo) };
        logger.log("warn", "A model refused a request with attachments; it is asked without them.", said);
        return model.doStream(await writeAll(params));
      }
    },
  };
}

interface Showing {
  readonly id: string;
  readonly files: NonNullable<OpenedModel["files"]>;
  readonly scope: Pick<Scope, "readArtifact">;
}

async function showArtifact(part: LanguageModelV4FilePart, { id, files, scope }: Showing): Promise<Shown> {
  const found = await scope.readArtifact(id).catch((error: unknown) => {
    if (ToolwrightError.is(error) && error.code === "artifact_not_found") return undefined;
    throw error;
  });
  const name = oneLine(part.filename ?? id);
  if (!found) return asLine(`[Attachment ${name}: it is not kept any more.]`);
  const { ref, bytes } = found;
  const mediaType = typeOf(bytes);
  const named = mediaType ?? oneLine(ref.mediaType);
  const what = `Attachment ${name}: ${named}, ${ref.size} bytes, artifact ${id}`;
  const line = asLine(`[${what}. ${whyNotShown(named, files)}]`);
  if (mediaType === undefined) {
    const text = textOf(bytes);
    return text === undefined ? line : asLine(writeText(text, { what, name }));
  }
  if (bytes.length > (files[mediaType] ?? 0)) return line;
  return { ...line, part: { type: "file", mediaType, filename: name, data: { type: "data", data: bytes } } };
}

function writeText(text: string, { what, name }: { readonly what: string; readonly name: string }): string {
  const isCut = text.length > mostCharacters;
  const shown = isCut ? text.slice(0, mostCharacters).replace(/[\uD800-\uDBFF]$/, "") : text;
  const cut = isCut ? `. These are the first ${shown.length} of ${text.length} characters; artifact_read reads all of it` : "";
  return `[${what}${cut}]\n${shown}\n[End of ${name}]`;
}

function asLine(text: string): Shown {
  const line: LanguageModelV4TextPart = { type: "text", text };
  return { part: line, line };
}

const idOf = (part: Part) => (part.type === "file" && part.data.type === "url" ? idIn(part.data.url) : undefined);
const hasFile = (message: LanguageModelV4Message) =>
  hasResultFile(message) || (message.role === "user" && message.content.some(({ type }) => type === "file"));

/** Names come from outside: none begins a line of its own. */
const oneLine = (text: string) => text.replace(/[\s\p{C}[\]]+/gu, " ").trim();

/** Undefined for what is no text. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

const refusals: ReadonlySet<number | undefined> = new Set([400, 413, 415, 422]);
const isRefusal = (error: unknown, { refusesFiles }: ShowingTo["model"]) =>
  APICallError.isInstance(error) &&
  (refusals.has(error.statusCode) || refusesFiles?.test(`${error.message} ${error.responseBody ?? ""}`) === true);
