import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const all = (text: string, pattern: RegExp) => Array.from(text.matchAll(pattern), ([, found = ""]) => found);

/** What the server answers, as its tables of routes name it. */
export function listRoutes(): readonly string[] {
  const auth = read("packages/sign-in/src/pages/auth-routes.ts");
  const [, shown = "", taken = ""] = /const shown = (.*?)\n {2}\]\);\n {2}const taken = (.*?)\n {2}\]\);/s.exec(auth) ?? [];
  const entry = /^ {4}\[(?:"([^"]+)"|resourceMetadataPath\(resource\)), /gm;
  const pages = [
    ...all(shown, entry).map((path) => `GET ${path || "the description of the resource"}`),
    ...all(taken, entry).map((path) => `POST ${path}`),
  ];
  const served = all(read("packages/sign-in/src/auth-caller.ts"), /^ {2}\["(\w+", `[^`]+)`\],$/gm);
  const programs = served.map((line) =>
    line
      .replace('", `', " ")
      .replace(/\$\{authPath\}/g, "/auth/api")
      .replace(/\$\{oidcProvider\}/, "oidc"),
  );
  const others = all(read("packages/server/src/serve/route.ts"), /^ {4}\.(?:get|all)\(("[^"]+"|mcpPath), /gm).map((path) =>
    path === "mcpPath" ? "/mcp" : `GET ${path.slice(1, -1)}`,
  );
  return [...new Set([...pages, ...programs, ...others, ...listRestRoutes()])].sort();
}

/** What REST serves beside the operations, which are shown among the functions. */
function listRestRoutes(): readonly string[] {
  const tables = ["rest-door.ts", "turns/turn-routes.ts"].map((file) => read(`packages/doors/src/rest/${file}`));
  return tables
    .flatMap((table) => all(table, /^ +\["((?:GET|POST|PUT|PATCH|DELETE)", "\/[^"]*)", /gm))
    .map((line) => line.replace('", "', " /api"));
}

/** Those that name something in their path; of the operations, `store.integration.test.ts` tries every member. */
export const listRestPaths = () => listRestRoutes().filter((request) => request.includes("{"));

/** What clients of MCP may ask for. */
export function listMcpMethods(): readonly string[] {
  const files = globSync("packages/doors/src/mcp/**/*.ts", { cwd: root }).filter((path) => !path.endsWith(".test.ts"));
  return [...new Set(files.flatMap((path) => all(read(path), /(?:setRequestHandler|serve)\("([a-z]+\/[^"]+)"/g)))].sort();
}
