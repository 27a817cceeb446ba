import { expect, test } from "vitest";
import { handOver, takeOver } from "./handed-over.ts";

test("what is handed over is taken once, by the tool that it is for", () => {
  handOver({ tool: "file_list", input: {} });
  expect([takeOver("file_list"), takeOver("file_list")]).toEqual([{}, undefined]);
  handOver({ tool: "file_list", input: {} });
  expect([takeOver("exec"), takeOver("file_list")]).toEqual([undefined, undefined]);
});
