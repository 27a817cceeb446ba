import { type MantineColorScheme, Menu, useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Keyboard, LogOut } from "lucide-react";
import { type ReactElement, useState } from "react";
import { hasKey, signOut, visibleText } from "../api/client.ts";
import { actIn, signedInPerson } from "../api/person.ts";
import { wordsOf } from "../api/words.ts";
import { tellOtherTabs } from "./other-tabs.ts";
import { tellScheme } from "./tell-scheme.ts";
import { useMe } from "./use-me.ts";
import { useServerFacts } from "./use-server-facts.ts";

interface YouMenuProps {
  readonly onKeys: () => void;
  readonly onClose: () => void;
  readonly children: ReactElement;
}

const schemes = [
  { scheme: "light", name: "Light" },
  { scheme: "dark", name: "Dark" },
  { scheme: "auto", name: "As the system has it" },
] as const;

/** What belongs to the person who looks; it opens at once, because it is loaded when it is asked for. */
export function YouMenu({ onKeys, onClose, children }: YouMenuProps) {
  const { me } = useMe();
  const { peopleSignIn } = useServerFacts();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const choose = (scheme: MantineColorScheme) => {
    setColorScheme(scheme);
    tellScheme(scheme);
  };
  return (
    <Menu position="top-start" defaultOpened onClose={onClose}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        {me?.actor.kind === "user" && <Menu.Label>{`Your id ${visibleText(me.actor.id)}`}</Menu.Label>}
        {me && <Tenants current={me.tenant} hasCookie={peopleSignIn === true && !hasKey()} />}
        {schemes.map(({ scheme, name }) => (
          <Menu.Item key={scheme} onClick={() => choose(scheme)} aria-current={colorScheme === scheme}>
            {colorScheme === scheme ? `${name} ✓` : name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Keyboard size={16} aria-hidden />} onClick={onKeys}>
          Keys
        </Menu.Item>
        <Menu.Item component="a" href="/api/reference">
          REST reference
        </Menu.Item>
        {peopleSignIn && (
          <Menu.Item component="a" href="/auth/account">
            Your account
          </Menu.Item>
        )}
        {(peopleSignIn || hasKey()) && (
          <Menu.Item leftSection={<LogOut size={16} aria-hidden />} onClick={() => void signOut(peopleSignIn === true)}>
            Sign out
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

interface TenantsProps {
  readonly current: string;
  /** With a key the tenant is the key's. */
  readonly hasCookie: boolean;
}

/** The tenant that the page acts in, and the person's others. */
function Tenants({ current, hasCookie }: TenantsProps) {
  const { data: person } = useQuery({ ...signedInPerson, enabled: hasCookie });
  const tenants = person?.tenants ?? [];
  const [wrong, setWrong] = useState<string>();
  const choose = (tenant: string) =>
    actIn(tenant).then(
      () => {
        tellOtherTabs();
        location.reload();
      },
      (error: unknown) => setWrong(wordsOf(error)),
    );
  if (tenants.length < 2) return <Menu.Label>{`Tenant ${tenants[0]?.name ?? current}`}</Menu.Label>;
  return (
    <>
      <Menu.Label>Tenant</Menu.Label>
      {tenants.map(({ tenant, name }) => (
        <Menu.Item
          key={tenant}
          closeMenuOnClick={tenant === current}
          aria-current={tenant === current}
          onClick={() => tenant !== current && void choose(tenant)}
        >
          {tenant === current ? `${name} ✓` : name}
        </Menu.Item>
      ))}
      {wrong !== undefined && <Menu.Label role="alert">{wrong}</Menu.Label>}
      <Menu.Divider />
      <Menu.Label>Appearance</Menu.Label>
    </>
  );
}
