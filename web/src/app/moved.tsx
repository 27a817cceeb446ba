import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { actIn, signedInPerson } from "../api/person.ts";
import { Failure } from "../parts/failure.tsx";
import { tellOtherTabs } from "./other-tabs.ts";

interface MovedProps {
  /** The tenant of this page, and the one that the session acts in now. */
  readonly from: string;
  readonly to: string;
  readonly onBack: () => void;
}

/** In the place of a page whose tenant was left in another tab: what is pressed there would happen in the other tenant. */
export function Moved({ from, to, onBack }: MovedProps) {
  const { data: person } = useQuery(signedInPerson);
  const [failure, setFailure] = useState<unknown>();
  const nameOf = (tenant: string) => person?.tenants.find((each) => each.tenant === tenant)?.name ?? tenant;
  const goBack = () =>
    actIn(from).then(() => {
      tellOtherTabs();
      onBack();
    }, setFailure);
  return (
    <div style={{ display: "grid", gap: 12, justifyItems: "start" }}>
      <h1>You act in {nameOf(to)} now</h1>
      <p>You chose it in another tab. This page was opened in {nameOf(from)}; what you typed is kept until you leave it.</p>
      <Group gap="xs">
        <Button onClick={() => location.reload()}>Show {nameOf(to)}</Button>
        <Button variant="default" onClick={() => void goBack()}>
          Act in {nameOf(from)} again
        </Button>
      </Group>
      {failure !== undefined && <Failure error={failure} />}
    </div>
  );
}
