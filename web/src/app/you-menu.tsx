import { Menu, useMantineColorScheme } from "@mantine/core";
import { Keyboard } from "lucide-react";
import type { ReactElement } from "react";
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
  return (
    <Menu position="top-start" defaultOpened onClose={onClose}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        {me && <Menu.Label>{`Tenant ${me.tenant}`}</Menu.Label>}
        {schemes.map(({ scheme, name }) => (
          <Menu.Item key={scheme} onClick={() => setColorScheme(scheme)} aria-current={colorScheme === scheme}>
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
      </Menu.Dropdown>
    </Menu>
  );
}
