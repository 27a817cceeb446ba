import { setTimeout as sleep } from "node:timers/promises";
import type { Fact } from "../check-history.ts";
import type { Ask, Door, DoorClient, Told } from "./door-client.ts";

/** Clients of each door: most of them come over HTTP, as each of the others has a process of its own. */
const clientsOf = (door: string) => (isServed(door) ? 6 : 1);
/** Milliseconds between two calls of a client, at most: those with a process of their own leave the machine to the servers. */
const pauseOf = (door: string) => (isServed(door) ? 6 : 200);
/** Milliseconds before a client that was not answered asks again, at least. */
const againOf = (door: string) => (isServed(door) ? 100 : 1_000);
const isServed = (door: string) => door.startsWith("http");

/** What clients ask for, and how often of ten times. */
const kinds = ["mark", "mark", "mark", "once", "once", "keep", "stumble", "pay", "glance", "glance"] as const;
/** Tries of a call with an idempotency key, until it is answered. */
const mostTries = 12;
const longestSilenceMs = 240_000;
/** Calls that are answered through each door between two kills. */
const enoughAnswers = (door: string) => (isServed(door) ? 40 : 1);

export interface DoorLoad {
  /** Resolves when calls were answered again at each door, or after a while: who was told nothing shows nothing. */
  untilAnswered(): Promise<void>;
  /** Kills the process of a client that has one. */
  killOne(): void;
  /** Resolves when every client has stopped. */
  stop(): Promise<void>;
}

interface Loading {
  readonly doors: readonly Door[];
  readonly random: () => number;
  /** Times the usual time between two calls. */
  readonly pause: number;
  readonly confirm: (fact: Fact) => void;
}

/** Clients at every door that call, one call after the other, and confirm what they were told. */
export function loadDoors({ doors, random, pause, confirm }: Loading): DoorLoad {
  const stopping = new AbortController();
  const open = new Set<DoorClient>();
  const clients = doors.flatMap((door) =>
    Array.from({ length: clientsOf(door.name) }, (_, index) => ({ door, name: `${door.name} ${index}` })),
  );
  let onAnswer: (door: string) => void = () => {};
  const tell = (fact: Fact & { readonly door: string }) => {
    confirm(fact);
    onAnswer(fact.door);
  };
  const running = clients.map(({ door, name }) => useDoor(door, { name, random, pause, confirm: tell, open, signal: stopping.signal }));
  return {
    async untilAnswered() {
      const missing = new Map(doors.map(({ name }) => [name, enoughAnswers(name)]));
      const answered = new Promise<void>((resolve) => {
        onAnswer = (door) => {
          const left = (missing.get(door) ?? 0) - 1;
          if (left > 0) missing.set(door, left);
          else if (missing.delete(door) && missing.size === 0) resolve();
        };
      });
      await Promise.race([answered, sleep(longestSilenceMs, undefined, { ref: false })]);
    },
    killOne() {
      const mortal = [...open].filter(({ kill }) => kill !== undefined);
      mortal[Math.floor(mortal.length * random())]?.kill?.();
    },
    async stop() {
      stopping.abort();
      await Promise.all([...open].map((client) => client.close()));
      await Promise.all(running);
    },
  };
}

interface Using extends Pick<Loading, "random" | "pause"> {
  readonly confirm: (fact: Fact & { readonly door: string }) => void;
  readonly name: string;
  readonly open: Set<DoorClient>;
  readonly signal: AbortSignal;
}

async function useDoor(door: Door, { name, random, pause, confirm, open, signal }: Using): Promise<void> {
  let client: DoorClient | undefined;
  const leave = async () => {
    if (client) open.delete(client);
    await client?.close();
    client = undefined;
  };
  const ask = async (wanted: Ask): Promise<Told | undefined> => {
    try {
      if (!client) {
        client = await door.open();
        open.add(client);
      }
      return await client.call(wanted);
    } catch {
      await leave();
      await sleep(againOf(door.name) * (1 + random()));
      return undefined;
    }
  };
  for (let count = 1; !signal.aborted; count += 1) {
    const kind = kinds[Math.floor(kinds.length * random())] as (typeof kinds)[number];
    const key = `${kind} ${name} ${count}`;
    const tool = kind === "once" ? "mark" : kind;
    const idempotencyKey = kind === "once" ? key : undefined;
    let told: Told | undefined;
    for (let tries = 0; tries < (idempotencyKey ? mostTries : 1) && !told && !signal.aborted; tries += 1)
      told = await ask({ tool, key, idempotencyKey });
    if (told) confirm({ confirmed: "ended", key, tool, door: door.name, ...told });
    await sleep(pauseOf(door.name) * pause * random());
  }
  await leave();
}
