import { parseHostRule } from "@toolwright/commands/targets";
import { z } from "zod";
import { visibleText } from "../../contract/visible-text.ts";

/** Text in which nothing is hidden: a rule with an invisible character in it looks as if it held, and meets nothing. */
const visible = z
  .string()
  .refine((text) => visibleText(text) === text, "holds characters that a screen hides; write it again without them")
  .min(1);

/** A tool or a group of tools. There are no patterns: one that names nothing would deny nothing. */
export const toolHandle = z
  .string()
  .regex(/^(?:group:)?[A-Za-z0-9][\w.:/-]*$/, "is not the name of a tool; write one name, or group:<name> for all tools of a group");
export const toolHandles = z.array(toolHandle);

export const agentId = visible.refine((text) => text.trim() === text, "begins or ends with a blank; write the id without");
export const commandPatternText = visible;

export const forbiddenPath = z
  .string()
  .regex(/^(?:\/|~(?:\/|$))/, { error: "is not an absolute path; write it from / or ~", abort: true })
  .refine((path) => !/[*?]/.test(path), "holds a wildcard, which paths do not have; write the folder, and all below it is forbidden")
  .refine((path) => !/\/\.{0,2}(?=\/)|\/\.{1,2}$/.test(path), "is written in a roundabout way; write it without //, /./ and /../")
  .refine((path) => path.trim() === path && visibleText(path) === path, "holds blanks or hidden characters; write it without them");

/** The folders that the kernel makes: they are this machine itself. */
const kernelFolders = /^\/(?:proc|sys|dev)(?:\/|$)/;

export const rootPath = forbiddenPath
  .refine((path) => !path.startsWith("~"), "begins with ~, which is another folder for each user; write the absolute path")
  .refine((path) => !/^\/+$/.test(path), "is the whole machine; name the folder that is needed")
  .refine((path) => !kernelFolders.test(path), "is made by the kernel and no folder of data; name another one")
  .transform((path) => path.replace(/(?<!\/)\/+$/, ""));

export const hostRule = z
  .string()
  .refine((text) => parseHostRule(text) !== undefined, "is not a host rule; write api.example.org, *.example.org or host:port");

export const addressRange = z
  .string()
  .refine(
    (text) => z.cidrv4().safeParse(text).success || z.cidrv6().safeParse(text).success,
    "is not an address range; write 10.0.0.0/8 or fd00::/8",
  );
