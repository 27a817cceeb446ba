import { parentPort, workerData } from "node:worker_threads";
import { standBack } from "../stand-back.ts";
import { type ReadOptions, readPage } from "./readable-page.ts";

standBack();
const { html, options } = workerData as { html: string; options: ReadOptions };
parentPort?.postMessage(readPage(html, options));
