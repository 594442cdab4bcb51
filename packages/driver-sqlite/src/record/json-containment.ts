/** Containment of JSON values with the meaning of Postgres's `@>`. Numbers are compared as the decimals they are written as. */

/** A JSON value whose numbers are {@link DecimalText}. */
type Exact = string | boolean | null | DecimalText | readonly Exact[] | ReadonlyMap<string, Exact>;

/** A number in one normal form, so that equal numbers have equal text. */
class DecimalText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Whether a text of an object contains `wanted`, the text of another object. */
export function containment(wanted: string): (stored: string) => boolean {
  const filter = parseExact(wanted);
  return (stored) => contains(parseExact(stored), filter);
}

/** Objects key by key, arrays as sets, scalars by type and value. */
function contains(stored: Exact, wanted: Exact): boolean {
  if (wanted instanceof Map) {
    if (!(stored instanceof Map)) return false;
    for (const [key, value] of wanted) {
      const candidate: Exact | undefined = stored.get(key);
      if (candidate === undefined || !contains(candidate, value)) return false;
    }
    return true;
  }
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(stored) &&
      wanted.every((value: Exact) => stored.some((candidate: Exact) => contains(candidate, value)))
    );
  }
  if (wanted instanceof DecimalText) return stored instanceof DecimalText && stored.text === wanted.text;
  return stored === wanted;
}

function parseExact(text: string): Exact {
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value === "number") return new DecimalText(normalize(context?.source ?? String(value)));
    if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof DecimalText)
      return value;
    return new Map(Object.entries(value));
  }) as Exact;
}

/** Digits without leading and trailing zeros, and the power of ten of the last of them. */
function normalize(source: string): string {
  const [mantissa = "", exponent = "0"] = source.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${mantissa.startsWith("-") ? "-" : ""}${significant}e${power}`;
}
