import { describe, expect, it } from "vitest";
import { filterOf } from "./run-filter.ts";

describe("the filter that a URL asks for", () => {
  it("has what the URL names", () => {
    const url = { tool: "exec", agent: "bot", person: "ann", door: "mcp", decision: "ask", status: "error", span: "1h" };
    expect(filterOf(url, 7_200_000 + 1)).toEqual({
      ...{ tool: "exec", agent: "bot", user: "ann", door: "mcp", decision: "ask", status: "error" },
      since: 3_600_000,
    });
  });

  it("takes words that it does not know as none", () => {
    expect(filterOf({ decision: "maybe", status: "odd", span: "1y", other: "x" })).toEqual({});
  });
});
