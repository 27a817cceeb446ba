import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { OwnPermission } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { Empty } from "../../parts/empty.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import classes from "./admin-page.module.css";
import { AgentsPart } from "./agents-part.tsx";
import { BrowsersPart } from "./browsers-part.tsx";
import { GrantsPart } from "./grants-part.tsx";
import { HealthPart } from "./health-part.tsx";
import { HooksPart } from "./hooks-part.tsx";
import { JobsPart } from "./jobs-part.tsx";
import { KeysPart } from "./keys-part.tsx";
import { PeoplePart } from "./people-part.tsx";
import { RolesPart } from "./roles-part.tsx";
import { SecretsPart } from "./secrets-part.tsx";
import { SkillsPart } from "./skills-part.tsx";
import { TenantsPart } from "./tenants-part.tsx";

interface Part {
  readonly path: string;
  readonly name: string;
  readonly permission?: OwnPermission;
  readonly Show: () => ReactNode;
}

const parts: readonly Part[] = [
  { path: "agents", name: "Agents and tools", permission: "catalogue:manage", Show: AgentsPart },
  { path: "skills", name: "Skills", permission: "catalogue:manage", Show: SkillsPart },
  { path: "hooks", name: "Webhooks", permission: "catalogue:manage", Show: HooksPart },
  { path: "secrets", name: "Secrets", permission: "secrets:manage", Show: SecretsPart },
  { path: "people", name: "People", permission: "identity:manage", Show: PeoplePart },
  { path: "roles", name: "Roles", permission: "identity:manage", Show: RolesPart },
  { path: "keys", name: "API keys", permission: "identity:manage", Show: KeysPart },
  { path: "tenants", name: "Tenants", permission: "tenants:manage", Show: TenantsPart },
  { path: "grants", name: "Grants", Show: GrantsPart },
  { path: "browsers", name: "Browsers", permission: "sessions:manage", Show: BrowsersPart },
  { path: "jobs", name: "Jobs", Show: JobsPart },
  { path: "health", name: "Health", permission: "tenants:manage", Show: HealthPart },
];

/** What runs the tenant and the server, a part a path. */
export function AdminPage() {
  const { part: path = "" } = useParams({ strict: false }) as { readonly part?: string };
  const { me, may } = useMe();
  const allowed = ({ permission }: Part) => permission === undefined || may(permission);
  const part = path === "" ? parts.find(allowed) : parts.find((each) => each.path === path);
  return (
    <>
      <PageHead title={part ? `Admin: ${part.name}` : "Admin"} />
      <nav aria-label="Parts of admin" className={classes.parts}>
        {parts.map((each) => (
          <Link key={each.path} to="/admin/$part" params={{ part: each.path }} aria-current={each === part ? "page" : undefined}>
            {each.name}
            {me && !allowed(each) && <span className="dim small"> · needs {each.permission}</span>}
          </Link>
        ))}
      </nav>
      {me && part && allowed(part) && <part.Show key={part.path} />}
      {me && part && !allowed(part) && (
        <Empty title={`${part.name} are not yours to manage`}>
          It needs the permission <code>{part.permission}</code>. Ask somebody who has it.
        </Empty>
      )}
      {!part && <Empty title="Admin has no such part">Choose one of the parts above.</Empty>}
    </>
  );
}
