import { parentPort, workerData } from "node:worker_threads";
import { type ReadOptions, readPage } from "./readable-page.ts";

const { html, options } = workerData as { html: string; options: ReadOptions };
parentPort?.postMessage(readPage(html, options));
