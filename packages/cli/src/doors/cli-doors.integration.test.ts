import { type DoorAdapter, doorConformance } from "@toolwright/doors/testing";
import type { Engine, Scope } from "@toolwright/engine";
import { expect, test } from "vitest";
import { runProgram } from "../program.ts";
import { cliDoors, servedFormDoor, servedRestDoor } from "./cli-doors.ts";

/** A scope that makes each call twice, repairs in silence, says a secret, and fails in other words. */
function spoil<Spoilt extends Scope>(scope: Spoilt): Spoilt {
  const invokeNamed: Scope["invokeNamed"] = async (name, input, options) => {
    await scope.invokeNamed(name, input, options);
    const right = await scope.invokeNamed(name, input, options);
    const result = { ...right, repairs: [], notes: ["The secret is conformance-secret-3f9a1c."] };
    return result.status === "failed" ? { ...result, error: { ...result.error, message: `Oops: ${result.error.message}` } } : result;
  };
  return { ...scope, invokeNamed };
}

/** The door on an engine that is wrong in every way, and lists its tools to a caller who may see none. */
const spoilt = (door: DoorAdapter): DoorAdapter => ({
  ...door,
  open(world) {
    const { engine } = world;
    const operateNamed: Engine["operateNamed"] = (principal, ...rest) => engine.operateNamed({ ...principal, agent: "allowed" }, ...rest);
    const scope: Engine["scope"] = (...caller) => spoil(engine.scope(...caller));
    return door.open({ ...world, engine: { ...engine, scope, operateNamed, operate: operateNamed as Engine["operate"] } });
  },
});

const faults: readonly (readonly [fault: string, part: RegExp])[] = [
  ["a call without its repair", /^answer\.repaired/],
  ["a secret on the wire", /^secret$/],
  ["another message", /^answer\.error\/message/],
  ["a second event", /^events/],
  ["a hidden tool in the list", /^list$/],
];

test("the suite finds each fault behind the command line, with and without --server, and behind a served REST door", async () => {
  const doors = [servedRestDoor, servedFormDoor, ...cliDoors(runProgram)].map(spoilt);
  const { cells, lists } = await doorConformance({ tools: [], doors });
  for (const { name } of doors) {
    const found = [
      ...lists.filter(({ door }) => door === name),
      ...cells.filter(({ door }) => door === name).flatMap((cell) => cell.differences),
    ];
    const missed = faults.filter(([, part]) => !found.some((difference) => part.test(difference.part)));
    expect(missed, name).toEqual([]);
  }
});
