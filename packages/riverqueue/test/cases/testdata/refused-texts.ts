/** Texts that one of the databases cannot store, by name. */
export const REFUSED_TEXTS: readonly (readonly [name: string, text: string, expectation: string])[] = [
  ["NUL", "a\u0000b", "U+0000"],
  ["a high surrogate alone", "\ud800", "lone surrogates"],
  ["a low surrogate alone", "cut \udc00", "lone surrogates"],
];
