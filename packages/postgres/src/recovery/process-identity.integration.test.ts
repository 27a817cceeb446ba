import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { isAliveAt, readProcessIdentity } from "./process-identity.ts";

describe.runIf(process.platform === "linux")("the identity of a process", () => {
  const here = readProcessIdentity() ?? "";
  const withPart = (index: number, value: string) => here.split(" ").with(index, value).join(" ");

  it("says of this process that it lives", () => {
    expect(here.split(" ")).toHaveLength(4);
    expect(isAliveAt(here, here)).toBe(true);
  });

  it.each([
    ["on another machine, or before it was started anew", withPart(0, "another")],
    ["in another container", withPart(1, "pid:[1]")],
    ["whose id another one has by now", withPart(3, "1")],
    ["that is no identity", ""],
  ])("says nothing for a process %s", (_, place) => {
    expect(isAliveAt(place, here)).toBe(false);
  });

  it("does not take one for alive that has ended, or is halted", async () => {
    const child = spawn("sleep", ["60"], { stdio: "ignore" });
    await once(child, "spawn");
    const startOf = async (id: number | undefined) => {
      const { readFileSync } = await import("node:fs");
      return readFileSync(`/proc/${id}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19] ?? "";
    };
    const place = here
      .split(" ")
      .with(2, String(child.pid))
      .with(3, await startOf(child.pid))
      .join(" ");
    expect(isAliveAt(place, here)).toBe(true);
    child.kill("SIGSTOP");
    await expect.poll(() => isAliveAt(place, here)).toBe(false);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isAliveAt(place, here)).toBe(false);
  });
});
