import type { RestParts } from "./door-options.ts";
import type { PageName } from "./reference/serve-reference.ts";
import type { RestRequest } from "./serve-operation.ts";

type Handler = (asked: RestRequest) => Promise<Response>;

/** Routes that describe the door itself. What they are made with is loaded when somebody asks for one: a server starts without it. */
export function describingRoutes(parts: RestParts): readonly (readonly [method: "GET", path: string, handler: Handler])[] {
  const page =
    (name: PageName): Handler =>
    async (asked) => {
      const { serveReference } = await import("./reference/serve-reference.ts");
      return serveReference(name, asked, parts);
    };
  const document: Handler = async (asked) => {
    const { serveDocument } = await import("./openapi/serve-document.ts");
    return serveDocument(asked, parts);
  };
  return [
    ["GET", "/openapi.json", document],
    ["GET", "/reference", page("index")],
    ["GET", "/reference/operations/{tag}", page("operations")],
    ["GET", "/reference/tools/{name}", page("tool")],
    ["GET", "/reference/problems", page("problems")],
  ];
}
