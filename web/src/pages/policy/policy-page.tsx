import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { reading } from "../../api/queries.ts";
import { useMe } from "../../app/use-me.ts";
import { useUrl } from "../../app/use-url.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Waiting } from "../../parts/waiting.tsx";

// Loaded with their tabs: a reader of YAML comes with the first.
const PolicyDesk = lazy(async () => ({ default: (await import("./policy-desk.tsx")).PolicyDesk }));
const PolicyHistory = lazy(async () => ({ default: (await import("./policy-history.tsx")).PolicyHistory }));
const PlatformPolicy = lazy(async () => ({ default: (await import("./platform-policy.tsx")).PlatformPolicy }));

const tabs = [
  { name: "edit", title: "Edit" },
  { name: "history", title: "History" },
  { name: "files", title: "From files" },
] as const;

/** What the tenant's own policy says, how it came to that, and what files say above it. */
export function PolicyPage() {
  const { me, may } = useMe();
  const [url, change] = useUrl();
  const tab = tabs.find(({ name }) => name === url.tab)?.name ?? "edit";
  const isAllowed = may("policy:manage");
  const { data: current, error, refetch } = useQuery({ ...reading("policy.current", {}), enabled: isAllowed });
  return (
    <>
      <PageHead title="Policy" />
      <Tabs tabs={tabs} chosen={tab} choose={(name) => change({ tab: name })} />
      {tab !== "files" && me && !isAllowed && <NotYours tenant={me.tenant} />}
      {tab !== "files" && error && !current && <Failure error={error} retry={() => void refetch()} />}
      {tab !== "files" && isAllowed && !current && !error && <Waiting />}
      <Suspense fallback={<Waiting />}>
        {tab === "edit" && current && me && <PolicyDesk key={me.tenant} current={current} me={me} />}
        {tab === "history" && current && <PolicyHistory current={current} />}
        {tab === "files" && me && <PlatformPolicy isAllowed={may("tenants:manage")} />}
      </Suspense>
    </>
  );
}

function NotYours({ tenant }: { readonly tenant: string }) {
  return (
    <Empty title={`The policy of ${tenant} is not yours to read or change`} act={<Link to="/tools">See your tools</Link>}>
      It needs the permission <code>policy:manage</code>, which roles give to people. Ask an owner of the tenant. What the policy decides
      about your calls is on the page of each tool.
    </Empty>
  );
}
