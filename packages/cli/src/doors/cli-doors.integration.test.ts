import { type DoorAdapter, doorConformance } from "@toolwright/doors/testing";
import { type CallResult, defineTool, type Engine, type Scope } from "@toolwright/engine";
import { expect, it } from "vitest";
import { z } from "zod";
import { runProgram } from "../program.ts";
import { cliDoors, servedRestDoor } from "./cli-doors.ts";

const greet = defineTool({
  name: "greet",
  description: "Greets somebody by name. To greet several people call it several times.",
  input: z.object({ name: z.string().describe("Whom to greet") }),
  output: z.object({ text: z.string() }),
  examples: [{ label: "A person", input: { name: "Ann" } }],
  run: ({ name }) => ({ text: `Hello, ${name}.` }),
});

type Invoke = Scope["invokeNamed"];

/** What is wrong behind a door, and the part of the report that says so. */
interface Fault {
  readonly part: RegExp;
  readonly invoke?: (invoke: Invoke) => Invoke;
  readonly operate?: (operate: Engine["operateNamed"]) => Engine["operateNamed"];
}

const changed = (change: (result: CallResult) => CallResult) => (invoke: Invoke) =>
  (async (...call: Parameters<Invoke>) => change(await invoke(...call))) as Invoke;

const faults: Readonly<Record<string, Fault>> = {
  "no repair": {
    part: /^answer\.repaired/,
    invoke: changed((result) => (result.repairs.length > 0 ? { ...result, repairs: [] } : result)),
  },
  "no redaction": {
    part: /^secret$/,
    invoke: changed((result) => ({ ...result, notes: ["The secret is conformance-secret-3f9a1c."] })),
  },
  "another message": {
    part: /^answer\.error\/message/,
    invoke: changed((result) =>
      result.status === "failed" ? { ...result, error: { ...result.error, message: `Oops: ${result.error.message}` } } : result,
    ),
  },
  "a second event": {
    part: /^events/,
    invoke: (invoke) =>
      (async (...call: Parameters<Invoke>) => {
        await invoke(...call);
        return invoke(...call);
      }) as Invoke,
  },
  "a hidden tool in the list": {
    part: /^list$/,
    operate:
      (operate) =>
      (principal, ...rest) =>
        operate({ ...principal, agent: "allowed" }, ...rest),
  },
};

/** The door on an engine that is made wrong. */
const planted = (door: DoorAdapter, name: string, { invoke, operate }: Fault): DoorAdapter => ({
  ...door,
  name: `${door.name}, ${name}`,
  open(world) {
    const { engine } = world;
    const scope: Engine["scope"] = (...who) => {
      const right = engine.scope(...who);
      return invoke ? { ...right, invokeNamed: invoke(right.invokeNamed) } : right;
    };
    const operateNamed = operate ? operate(engine.operateNamed) : engine.operateNamed;
    return door.open({ ...world, engine: { ...engine, scope, operateNamed, operate: operateNamed as Engine["operate"] } });
  },
});

it("finds each fault that is planted behind the command line, with and without --server, and behind a served REST door", async () => {
  const doors = Object.entries(faults).flatMap(([name, fault]) =>
    [servedRestDoor, ...cliDoors(runProgram)].map((door) => ({ ...planted(door, name, fault), part: fault.part })),
  );
  const { cells, lists } = await doorConformance({ tools: [greet], doors });
  const found = (door: string) =>
    [...lists, ...cells.flatMap((cell) => cell.differences.map(({ part }) => ({ part, door: cell.door })))].filter(
      (each) => each.door === door,
    );
  for (const { name, part } of doors)
    expect(
      found(name).map((each) => each.part),
      name,
    ).toContainEqual(expect.stringMatching(part));
});
