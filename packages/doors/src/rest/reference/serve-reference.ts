import { html } from "hono/html";
import type { RestParts } from "../door-options.ts";
import { isToolTag } from "../openapi/call-endpoints.ts";
import type { ApiDocument, ServerFacts } from "../openapi/document.ts";
import type { Endpoint } from "../openapi/endpoint.ts";
import { readApi } from "../openapi/serve-document.ts";
import { problemCodes, problemGroups } from "../problem-codes.ts";
import type { RestRequest } from "../serve-operation.ts";
import { endpointSection } from "./endpoint-section.ts";
import { type Html, type Page, writePage } from "./page.ts";

type WritePage = (api: ApiDocument, params: RestRequest["params"], server: ServerFacts) => Omit<Page, "home">;

export type PageName = "index" | "operations" | "tool" | "problems";

/** Serves a page of the reference: the OpenAPI document, to be read by people. */
export async function serveReference(name: PageName, asked: RestRequest, parts: RestParts): Promise<Response> {
  const api = await readApi(asked, parts);
  if (api instanceof Response) return api;
  return writePage({ ...pages[name](api, asked.params, parts.server), home: `${parts.server.base}/reference` });
}

const operationsPath = ({ base }: ServerFacts, tag: string) => `${base}/reference/operations/${encodeURIComponent(tag)}`;
const toolPath = ({ base }: ServerFacts, name: string) => `${base}/reference/tools/${encodeURIComponent(name)}`;
/** `/tools/NAME/call`. */
const nameOf = ({ path }: Endpoint) => path.split("/")[2] ?? "";

/** Names and links alone: it stays light for a thousand tools. */
const indexPage: WritePage = ({ endpoints }, _, server) => {
  const [tools, operations] = [endpoints.filter(({ tag }) => isToolTag(tag)), endpoints.filter(({ tag }) => !isToolTag(tag))];
  const body = html`<p>What you may ask of this server: ${tools.length} tools and ${operations.length} operations.
<a href="${server.base}/openapi.json">openapi.json</a> says the same for programs. In the requests shown, <code>SERVER</code> is the address of this server${
    server.open ? "" : html` and <code>KEY</code> your API key`
  }. What goes wrong is answered with a <a href="${server.base}/reference/problems">problem</a>.</p>
<h2>Tools</h2>
${tools.length === 0 && html`<p class="dim">There are none for you.</p>`}
${groupsOf(tools).map(([tag, some]) => html`<h3>${tag.slice(tag.indexOf("/") + 1)}</h3>${namesOf(some, (each) => [toolPath(server, nameOf(each)), nameOf(each)])}`)}
<h2>Operations</h2>
${groupsOf(operations).map(([tag, some]) => html`<h3>${tag}</h3>${namesOf(some, (each) => [`${operationsPath(server, tag)}#${each.operation.operationId}`, each.operation.operationId])}`)}`;
  return { title: `API of ${server.name}`, body };
};

const groupsOf = (endpoints: readonly Endpoint[]) => [...Map.groupBy(endpoints, ({ tag }) => tag)];

function namesOf(endpoints: readonly Endpoint[], link: (endpoint: Endpoint) => readonly [href: string, name: string]): Html {
  const items = endpoints.map((endpoint) => {
    const [href, name] = link(endpoint);
    return html`<li><a href="${href}"><code>${name}</code></a> <span class="dim">${endpoint.operation.summary}</span></li>`;
  });
  return html`<ul class="names">${items}</ul>`;
}

const tagPage: WritePage = ({ endpoints }, { tag = "" }, server) => {
  const some = endpoints.filter((endpoint) => endpoint.tag === tag && !isToolTag(tag));
  return some.length === 0 ? missing(`There are no operations of ${tag} for you.`) : { title: tag, body: sections(some, server) };
};

const toolPage: WritePage = ({ endpoints }, { name = "" }, server) => {
  const some = endpoints.filter((endpoint) => isToolTag(endpoint.tag) && nameOf(endpoint) === name);
  return some.length === 0 ? missing(`There is no tool named ${name} for you.`) : { title: name, body: sections(some, server) };
};

const sections = (endpoints: readonly Endpoint[], server: ServerFacts) => html`${endpoints.map((each) => endpointSection(each, server))}`;

const missing = (words: string) => ({ title: "Not found", body: html`<p>${words} The reference lists what there is.</p>`, status: 404 });

const problemsPage: WritePage = () => {
  const rows = problemGroups().flatMap(({ status, remedy, codes }) =>
    codes.map(
      (code) => html`<tr><td><code>${code}</code></td><td>${status}</td><td>${problemCodes[code].means}</td><td>${remedy}</td></tr>`,
    ),
  );
  return {
    title: "Problems",
    body: html`<p>A problem is <code>application/problem+json</code> (RFC 9457). Branch on its <code>code</code>, which is stable. Its
<code>detail</code> says what happened and what to do in the case at hand.</p>
<div class="scroll"><table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th><th>What to do</th></tr></thead><tbody>${rows}</tbody></table></div>`,
  };
};

const pages: Readonly<Record<PageName, WritePage>> = { index: indexPage, operations: tagPage, tool: toolPage, problems: problemsPage };
