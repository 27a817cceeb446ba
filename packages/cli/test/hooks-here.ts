import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { signWebhook, webhookKey } from "@toolwright/engine/ports";
import { type ScriptedAnswer, type ScriptedModel, serveScriptedModel } from "../../../examples/scripted-model.ts";
import { type ServedHere, serveHere } from "./serve-here.ts";
import { runIn } from "./test-io.ts";

/** What senders sign with. */
export const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

interface Sending {
  readonly to: string;
  readonly id?: string;
  readonly signedWith?: string;
  /** Seconds. */
  readonly age?: number;
  readonly signature?: string;
  readonly timestamp?: string;
}

/** Sends what is signed as Standard Webhooks says. */
export function send(body: string | Uint8Array<ArrayBuffer>, { to, age = 0, ...sending }: Sending): Promise<Response> {
  const { id = "msg_1", signedWith = secret, timestamp = String(Math.floor(Date.now() / 1000) - age), signature } = sending;
  const right = signWebhook({ id, timestamp, body: Buffer.from(body) }, webhookKey(signedWith) ?? new Uint8Array());
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature ?? right };
  return fetch(to, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
}

export const jobIn = async (answer: Response) => ((await answer.json()) as { job: string }).job;

interface Delivered {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ShownJob {
  readonly id: string;
  readonly tool: string;
  readonly state: string;
  readonly principal: object;
  readonly result?: { readonly output?: { readonly text?: string; readonly conversation?: string } };
}

/** A server with a scripted model, the secret `orders_hook`, and a place outside to which it may send. */
export class HooksHere {
  /** What the model says next; then "Noted.". */
  readonly answers: ScriptedAnswer[] = [];
  /** What came outside. */
  readonly delivered: Delivered[] = [];
  /** What the place outside answers next; then 200. 0 ends the connection. */
  readonly statuses: number[] = [];
  readonly model: ScriptedModel;
  readonly served: ServedHere;
  readonly outsideUrl: string;
  readonly #outside: Server;
  readonly #folder: string;

  private constructor({ model, served, outside, folder }: { model: ScriptedModel; served: ServedHere; outside: Server; folder: string }) {
    this.model = model;
    this.served = served;
    this.#outside = outside;
    this.#folder = folder;
    this.outsideUrl = urlOf(outside);
  }

  static async open(): Promise<HooksHere> {
    let here: HooksHere | undefined;
    const model = await serveScriptedModel(
      (function* () {
        for (;;) yield here?.answers.shift() ?? "Noted.";
      })(),
    );
    const outside = createServer(async (incoming, outgoing) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      here?.delivered.push({ url: incoming.url ?? "", headers: incoming.headers, body: Buffer.concat(chunks) });
      const status = here?.statuses.shift() ?? 200;
      if (status === 0) incoming.socket.destroy();
      else outgoing.writeHead(status).end("{}");
    });
    await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
    const folder = await mkdtemp(join(tmpdir(), "toolwright-hooks-"));
    const network = { allow: [new URL(urlOf(outside)).host], allow_ranges: ["127.0.0.1/32"] };
    await writeFile(join(folder, "policy.json"), JSON.stringify({ version: 1, network }));
    const env = { TOOLWRIGHT_MODEL: "openai-compatible/scripted-1", TOOLWRIGHT_MODEL_URL: model.url };
    const served = await serveHere(["--policy", join(folder, "policy.json")], env, "server");
    here = new HooksHere({ model, served, outside, folder });
    await here.set("orders_hook", secret);
    return here;
  }

  async close(): Promise<void> {
    await this.served.stop();
    await this.model.close();
    this.#outside.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  type(argv: readonly string[], stdin = "") {
    return runIn(this.served.root, argv, { env: this.served.env, readStdin: async () => stdin });
  }

  async set(name: string, value: string, ...options: string[]): Promise<void> {
    const { code, err } = await this.type(["secrets", "set", name, ...options, ...this.#there], value);
    if (code !== 0) throw new Error(`The secret ${name} was not set: ${err}`);
  }

  /** Makes a hook of the secret `orders_hook`, or of another. */
  async hookOf(name: string, ...options: string[]): Promise<{ readonly id: string; readonly to: string }> {
    const made = ["hooks", "add", name, "--agent", "assistant", "--secret", "orders_hook", ...options, "--json", ...this.#there];
    const { id } = JSON.parse(await this.served.run(...made)) as { id: string };
    return { id, to: `${this.served.url}/api/hooks/${id}` };
  }

  async jobs(): Promise<readonly ShownJob[]> {
    return (await this.#ask<{ readonly items: readonly ShownJob[] }>("jobs")).items;
  }

  /** Waits for the end of a job. */
  async ended(id: string): Promise<ShownJob> {
    for (;;) {
      const shown = await this.#ask<ShownJob>(`jobs/${id}`);
      if (shown.state !== "queued" && shown.state !== "running") return shown;
      await setTimeout(50);
    }
  }

  /** Of the server, which is open already: a command would open the store. */
  async #ask<Answer>(path: string): Promise<Answer> {
    const answer = await fetch(`${this.served.url}/api/${path}`);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }

  get #there(): readonly string[] {
    return ["--server", this.served.url];
  }
}

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
