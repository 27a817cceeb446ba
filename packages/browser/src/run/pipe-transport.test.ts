import type { ProcessHandle, ProcessReport } from "@toolwright/engine/ports";
import { expect, test, vi } from "vitest";
import { pipeTransport } from "./pipe-transport.ts";

function openPipe() {
  const exited = Promise.withResolvers<ProcessReport>();
  const writes: { readonly text: string; readonly done: () => void }[] = [];
  let hear: Parameters<ProcessHandle["onOutput"]>[0] = () => {};
  const kill = vi.fn();
  const transport = pipeTransport({
    exited: exited.promise,
    kill,
    onOutput: (listener) => {
      hear = listener;
    },
    write: (data) => new Promise<void>((done) => writes.push({ text: String(data), done })),
  });
  return {
    transport,
    writes,
    kill,
    end: () => exited.resolve({} as ProcessReport),
    say: (text: string) => hear("stdout", Buffer.from(text)),
  };
}

test("messages come whole, however they are cut on the way, and what waits for one runs before the next", async () => {
  const { transport, say } = openPipe();
  const heard: object[] = [];
  transport.onmessage = (message) => {
    heard.push(message);
    void Promise.resolve().then(() => heard.push({ after: message }));
  };
  say('{"id":1}\0{"i');
  say('d":2');
  say("}\0\0".slice(0, 2));
  await vi.waitFor(() => expect(heard).toEqual([{ id: 1 }, { after: { id: 1 } }, { id: 2 }, { after: { id: 2 } }]));
});

test("a message waits until the one before is written: a long one goes in several writes", async () => {
  const { transport, writes } = openPipe();
  transport.send({ id: 1 });
  transport.send({ id: 2 });
  await vi.waitFor(() => expect(writes).toHaveLength(1));
  writes[0]?.done();
  await vi.waitFor(() => expect(writes.map(({ text }) => text)).toEqual(['{"id":1}\0', '{"id":2}\0']));
});

test("what is no message ends the browser, and nothing else", async () => {
  const { transport, say, kill } = openPipe();
  transport.onmessage = () => {};
  say("{not json\0");
  await vi.waitFor(() => expect(kill).toHaveBeenCalledWith("cancelled"));
});

test("a message without an end is not held for ever, and its reader hears of the end of the process", async () => {
  const { transport, say, kill, end } = openPipe();
  const closed = new Promise<string | undefined>((resolve) => (transport.onclose = resolve));
  for (let part = 0; part < 65; part++) say("x".repeat(1024 * 1024));
  expect(kill).toHaveBeenCalledWith("cancelled");
  end();
  expect(await closed).toBe("The browser ended.");
});
