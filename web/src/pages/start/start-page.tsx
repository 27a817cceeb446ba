import { Link } from "@tanstack/react-router";
import { handOver } from "../../app/handed-over.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import classes from "./start-page.module.css";

const mcp = `${location.origin}/mcp`;

const tries = [
  { tool: "file_list", input: {}, words: "List the files of the workspace", does: "Only reads, so it runs at once." },
  { tool: "exec", input: { command: "uname -a" }, words: "Run a command", does: "uname -a, in the sandbox where there is one." },
  {
    tool: "file_write",
    input: { path: "hello-from-toolwright.txt", content: "Hello.\n" },
    words: "Write a file",
    does: "hello-from-toolwright.txt, in the workspace.",
  },
] as const;

const connections = [
  { name: "Claude Code", text: `claude mcp add --transport http toolwright ${mcp}` },
  { name: "Any MCP client", text: `{"mcpServers": {"toolwright": {"type": "http", "url": "${mcp}"}}}` },
  {
    name: "AI SDK",
    text: `import { createMCPClient } from "@ai-sdk/mcp";\nconst client = await createMCPClient({ transport: { type: "http", url: "${mcp}" } });\nconst tools = await client.tools();`,
  },
  { name: "A shell", text: `curl ${location.origin}/api/tools` },
] as const;

/** What to do first. */
export function StartPage() {
  return (
    <>
      <PageHead title="Toolwright" />
      <section className={classes.part}>
        <h2>Three things to try</h2>
        <p className="dim">Each press makes a real call, which asks, runs or is blocked by the policy, and is in the log.</p>
        <ul className={classes.tries}>
          {tries.map(({ tool, input, words, does }) => (
            <li key={tool}>
              <Link to="/tools/$name" params={{ name: tool }} className={classes.try} onClick={() => handOver({ tool, input })}>
                <strong>{words}</strong>
                <span className="mono small">{tool}</span>
                <span className="dim small">{does}</span>
              </Link>
            </li>
          ))}
        </ul>
      </section>
      <section className={classes.part}>
        <h2>Connect a program</h2>
        <p className="dim">The same tools, with the same decisions and approvals, for agents and programs.</p>
        {connections.map(({ name, text }) => (
          <div key={name} className={classes.connection}>
            <span className="small">{name}</span>
            <code>{text}</code>
            <CopyButton text={text} />
          </div>
        ))}
      </section>
    </>
  );
}
