/** RFC 9110 section 12.5.3; a weight of zero is a refusal. */
export function acceptsCoding(accepted: string, coding: string): boolean {
  return accepted.split(",").some((each) => {
    const [name = "", ...parameters] = each.split(";").map((part) => part.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
