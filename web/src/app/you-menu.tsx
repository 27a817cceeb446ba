import { type MantineColorScheme, Menu, useMantineColorScheme } from "@mantine/core";
import { Keyboard, LogOut } from "lucide-react";
import type { ReactElement } from "react";
import { hasKey, signOut } from "../api/client.ts";
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
        {me && <Menu.Label>{`Tenant ${me.tenant}`}</Menu.Label>}
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
