import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Row } from "../measure.ts";

const mostMb = 60;

/** What the first turn of a process loads. */
export async function measureMemory(): Promise<readonly Row[]> {
  const main = fileURLToPath(new URL("./memory-main.ts", import.meta.url));
  const said = execFileSync(process.execPath, ["--conditions=@toolwright/source", main], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { before, mbMore } = JSON.parse(said) as { readonly before: number; readonly mbMore: number };
  return [
    {
      ...{ name: "modules of `ai` before the first turn", unit: "modules", peerName: "the limit", target: "none" },
      ...{ ours: before, peer: 0, ratio: before, holds: before === 0 },
    },
    {
      ...{ name: "memory of the first turn", unit: "MB", peerName: "the limit", target: `at most ${mostMb} MB` },
      ...{ ours: mbMore, peer: mostMb, ratio: mbMore / mostMb, holds: mbMore <= mostMb },
    },
  ];
}
