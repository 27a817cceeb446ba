import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { browserCapability, browserTools } from "@toolwright/browser";
import { createMcpDoor } from "@toolwright/doors/mcp";
import { createEngine, type Principal } from "@toolwright/engine";
import { policyDocument } from "@toolwright/engine/policy";
import { createRandomIds, silentLogger, systemClock } from "@toolwright/engine/ports";
import { createBwrapDriver, filesCapability } from "@toolwright/sandbox";
import { findChromium } from "@toolwright/server/machine";
import { median, medianRatio, type Row } from "./measure.ts";

const rows = Array.from({ length: 3000 }, (_, row) => `<tr><td>${row}</td><td><a href="/x${row}">Order ${row}</a></td></tr>`).join("");
const links = Array.from({ length: 60 }, (_, link) => `<li><a href="/l${link}">Article ${link} of the day</a></li>`).join("");
const pages = new Map([
  ["/page", `<title>News</title><nav><ul>${links}</ul></nav><main><h1>News</h1><p>${"words ".repeat(300)}</p><form><input><button>Go</button></form></main>`],
  ["/table", `<title>Orders</title><table>${rows}</table>`],
]);
const rounds = 9;

interface Side {
  open(url: string): Promise<string>;
  close(): Promise<unknown>;
}
