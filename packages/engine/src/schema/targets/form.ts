import { isPlainObject } from "../../contract/json.ts";

/** How a value is written for a target, and read back. Both leave what they do not recognise as it is, and never throw. */
export interface Form {
  /** True where any value is written as text. */
  readonly isText?: boolean;
  read(value: unknown): unknown;
  write(value: unknown): unknown;
}

/** The value itself. */
export const asIs: Form = { read: (value) => value, write: (value) => value };

export interface MemberForm {
  readonly name: string;
  /** Its name in the target's schema. */
  readonly alias: string;
  readonly form: Form;
  /** Required and nullable in the target's schema, though the tool lets it be absent. */
  readonly nullWhenAbsent: boolean;
}

/** How members without a name in the schema are written: each by itself, or all as the value of one member. */
interface RestForm {
  readonly form: Form;
  readonly alias?: string;
}

/** Members with other names, forms or a null in place of what is absent, and those without a name in the schema. */
export function formOfObject(members: readonly MemberForm[], rest: RestForm = { form: asIs }): Form {
  const { alias: restAlias, form: restForm } = rest;
  const isPlain = members.every(({ name, alias, form, nullWhenAbsent }) => name === alias && form === asIs && !nullWhenAbsent);
  if (isPlain && restAlias === undefined && restForm === asIs) return asIs;
  const byName = new Map(members.map((member) => [member.name, member]));
  const byAlias = new Map(members.map((member) => [member.alias, member]));
  const readMember = (key: string, value: unknown): [string, unknown][] => {
    const member = byAlias.get(key);
    if (member) return value === null && member.nullWhenAbsent ? [] : [[member.name, member.form.read(value)]];
    if (restAlias === undefined) return [[key, restForm.read(value)]];
    if (key !== restAlias) return [[key, value]];
    const others = restForm.read(value);
    return isPlainObject(others) ? Object.entries(others).filter(([name]) => !byName.has(name)) : [];
  };
  return {
    read: (value) =>
      isPlainObject(value) ? Object.fromEntries(Object.entries(value).flatMap(([key, item]) => readMember(key, item))) : value,
    write: (value) => {
      if (!isPlainObject(value)) return value;
      const named = members.flatMap(({ name, alias, form, nullWhenAbsent }): [string, unknown][] => {
        if (Object.hasOwn(value, name) && value[name] !== undefined) return [[alias, form.write(value[name])]];
        return nullWhenAbsent ? [[alias, null]] : [];
      });
      const others = Object.entries(value).filter(([name]) => !byName.has(name));
      const written =
        restAlias === undefined
          ? others.map(([name, item]): [string, unknown] => [name, restForm.write(item)])
          : [[restAlias, restForm.write(Object.fromEntries(others))] as const];
      return Object.fromEntries([...named, ...written]);
    },
  };
}

export function formOfList(item: (index: number) => Form, isPlain: boolean): Form {
  if (isPlain) return asIs;
  return {
    read: (value) => (Array.isArray(value) ? value.map((each, index) => item(index).read(each)) : value),
    write: (value) => (Array.isArray(value) ? value.map((each, index) => item(index).write(each)) : value),
  };
}

/** A record as a list of pairs. Two pairs with one key are not read: which of them is meant, nobody knows. */
export function formOfPairs(form: Form): Form {
  return {
    read: (value) => {
      if (!Array.isArray(value) || !value.every(isPair)) return value;
      const keys = new Set(value.map(({ key }) => key));
      return keys.size < value.length ? value : Object.fromEntries(value.map((pair) => [pair.key, form.read(pair.value)]));
    },
    write: (value) => (isPlainObject(value) ? Object.entries(value).map(([key, item]) => ({ key, value: form.write(item) })) : value),
  };
}

function isPair(item: unknown): item is { key: string; value: unknown } {
  return isPlainObject(item) && typeof item.key === "string" && Object.hasOwn(item, "value") && Object.keys(item).length === 2;
}

/** A value as JSON text. Text that is no JSON stays text. */
export function formOfText(form: () => Form): Form {
  return {
    isText: true,
    read: (value) => {
      if (typeof value !== "string") return value;
      try {
        return form().read(JSON.parse(value));
      } catch {
        return value;
      }
    },
    write: (value) => JSON.stringify(form().write(value)),
  };
}

/** A value as the only member of an object. */
export function formOfWrapped(member: string, form: Form): Form {
  return {
    read: (value) =>
      isPlainObject(value) && Object.hasOwn(value, member) && Object.keys(value).length === 1 ? form.read(value[member]) : form.read(value),
    write: (value) => ({ [member]: form.write(value) }),
  };
}

/** One branch of a union: what fits the tool's schema, and what the target's schema accepts. */
interface BranchForm {
  readonly form: Form;
  fits(value: unknown): boolean;
  accepts(written: unknown): boolean;
}

/** The form of the branch that the value fits. */
export function formOfUnion(branches: readonly BranchForm[]): Form {
  if (branches.every(({ form }) => form === asIs)) return asIs;
  return {
    read: (value) => {
      const fitting = branches.flatMap(({ form, fits, accepts }) => {
        const read = form.read(value);
        return fits(read) ? [{ read, isMeant: accepts(value) }] : [];
      });
      return fitting.length === 0 ? value : (fitting.find(({ isMeant }) => isMeant) ?? fitting[0]!).read;
    },
    write: (value) => {
      const fitting = branches.filter(({ fits }) => fits(value));
      const chosen = fitting.find(({ form, accepts }) => accepts(form.write(value))) ?? fitting[0];
      return (chosen?.form ?? asIs).write(value);
    },
  };
}
