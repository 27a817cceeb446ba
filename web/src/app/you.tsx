import { Menu, useMantineColorScheme } from "@mantine/core";
import { Keyboard, Search, UserRound } from "lucide-react";
import { mod } from "./keys-help.tsx";
import { useMe } from "./use-me.ts";
import classes from "./you.module.css";

interface YouProps {
  readonly onFind: () => void;
  readonly onKeys: () => void;
}

const schemes = [
  { scheme: "light", name: "Light" },
  { scheme: "dark", name: "Dark" },
  { scheme: "auto", name: "As the system has it" },
] as const;

/** Who the page acts for, and how it looks. */
export function You({ onFind, onKeys }: YouProps) {
  const { me } = useMe();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div className={classes.you}>
      <button type="button" className={classes.find} onClick={onFind}>
        <Search size={16} aria-hidden />
        <span>Find</span>
        <kbd aria-hidden>{mod} K</kbd>
      </button>
      <Menu position="top-start">
        <Menu.Target>
          <button type="button" className={classes.find}>
            <UserRound size={16} aria-hidden />
            <span>{me ? me.actor.id : "You"}</span>
          </button>
        </Menu.Target>
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
          <Menu.Item component="a" href="/auth/account">
            Your account
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
