import { parentPort, workerData } from "node:worker_threads";
import { type ReadOptions, readPage } from "../html/readable-page.ts";
import { standBack } from "../stand-back.ts";

standBack();
const { html, options } = workerData as { html: string; options: ReadOptions };
parentPort?.postMessage(readPage(html, options));
