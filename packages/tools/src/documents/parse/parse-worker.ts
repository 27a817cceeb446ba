import { parentPort, workerData } from "node:worker_threads";
import { standBack } from "../../stand-back.ts";
import { UnreadableError } from "./document.ts";
import type { Answered, Given } from "./document-parser.ts";
import { readDocument } from "./read-document.ts";

standBack();
const { bytes, options } = workerData as Given;
parentPort?.postMessage(await answer());

async function answer(): Promise<Answered> {
  try {
    return { document: await readDocument(bytes, options) };
  } catch (error) {
    if (error instanceof UnreadableError) return { unreadable: error.unreadable };
    // A library met what it did not expect, and documents are hostile now and then.
    return { unreadable: { reason: "damaged", message: "The document is damaged: reading it broke off. Save or download it again." } };
  }
}
