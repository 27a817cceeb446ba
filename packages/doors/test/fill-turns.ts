import type { Principal } from "@toolwright/engine";
import { onTestFinished } from "vitest";
import { requestTurns } from "../src/http/request-turns.ts";

/** Lets a person have so many requests that wait for their turn that the next one is refused, until the test is over. */
export async function fillTurns(person: Principal): Promise<void> {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const request = new Request("http://localhost/", { signal: over.signal });
  // Who is alone does not wait.
  await requestTurns.answer({ ...person, tenant: "beside" }, request, async () => {});
  const untilOver = () => new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
  const refused = Promise.withResolvers<void>();
  for (let sent = 0; sent < 1_100; sent++) void requestTurns.answer(person, request, untilOver).catch(refused.resolve);
  await refused.promise;
}
