import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { actIn, ownTenants } from "../api/tenants.ts";
import { Empty } from "../parts/empty.tsx";
import { Failure } from "../parts/failure.tsx";
import { tellOtherTabs } from "./use-moved.ts";

interface MovedProps {
  /** The tenant of this page, and the one that the session acts in now. */
  readonly from: string;
  readonly to: string;
  readonly onBack: () => void;
}

/** In the place of a page whose tenant was left in another tab: what is pressed there would happen in the other tenant. */
export function Moved({ from, to, onBack }: MovedProps) {
  const { data: tenants } = useQuery(ownTenants);
  const [failure, setFailure] = useState<unknown>();
  const nameOf = (tenant: string) => tenants?.find((each) => each.tenant === tenant)?.name ?? tenant;
  const goBack = () =>
    actIn(from).then(() => {
      tellOtherTabs();
      onBack();
    }, setFailure);
  return (
    <>
      <Empty
        title={`You act in ${nameOf(to)} now`}
        act={
          <Group gap="xs">
            <Button onClick={() => location.reload()}>Show {nameOf(to)}</Button>
            <Button variant="default" onClick={() => void goBack()}>
              Act in {nameOf(from)} again
            </Button>
          </Group>
        }
      >
        You chose it in another tab. This page was opened in {nameOf(from)}; what you typed is kept until you leave it.
      </Empty>
      {failure !== undefined && <Failure error={failure} />}
    </>
  );
}
