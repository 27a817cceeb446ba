// What `toolwright hook` does where a server runs: a coding agent waits for it before each of its tools, so nothing else is loaded.
import { readFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { env, getBuiltinModule } from "node:process";

/** As an import it would evaluate all that it exports, fetch and WebSocket among them, which takes as long as the rest of this program. */
const { request } = getBuiltinModule("node:http");

/** Milliseconds in which a server of this machine answers; after that the policy file is read here. */
const answerMs = 3_000;

/** What the server that runs on this state folder answers to an agent's event; undefined where none does, or it does not know the caller. */
export async function askServer(agent, event) {
  const address = findServer();
  if (address === undefined || !/^[a-z-]+$/.test(agent)) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(event);
    return await post(`${address}/hooks/${agent}`, JSON.stringify({ text, variables: projectVariables() }));
  } catch {
    return undefined;
  }
}

/** From the record that a server leaves (packages/server/src/state/server-record.ts). Of a state folder that takes more to find, nobody is asked. */
function findServer() {
  const folder = env.TOOLWRIGHT_STATE ? resolve(env.TOOLWRIGHT_STATE) : xdgFolder();
  if (folder === undefined) return undefined;
  try {
    const { listens } = JSON.parse(readFileSync(join(folder, "server.json"), "utf8"));
    return /^http:\/\/[^/]+$/.test(listens) ? listens : undefined;
  } catch {
    return undefined;
  }
}

function xdgFolder() {
  const { HOME = "", XDG_STATE_HOME = "" } = env;
  if (isAbsolute(XDG_STATE_HOME)) return join(XDG_STATE_HOME, "toolwright");
  return isAbsolute(HOME) ? join(HOME, ".local", "state", "toolwright") : undefined;
}

/** In which agents say what project they work in. */
function projectVariables() {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.endsWith("_PROJECT_DIR")));
}

function post(url, body) {
  const { TOOLWRIGHT_TOKEN: token } = env;
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...(token && { authorization: `Bearer ${token}` }),
  };
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: "POST", headers, signal: AbortSignal.timeout(answerMs) }, (answer) => {
      const chunks = [];
      answer.on("data", (chunk) => chunks.push(chunk)).on("error", reject);
      answer.on("end", () => resolve(answer.statusCode === 200 ? Buffer.concat(chunks).toString() : undefined));
    });
    asked.on("error", reject).end(body);
  });
}
