/** Jobs whose unique keys both sides must make alike. The numbers are those of the vectors that our own key is held against. */

/** Encoded arguments, all of which are compared. */
export const ALL_ARGS: Readonly<Record<string, string>> = {
  U1: '{"z":1,"a":"x","m":true}',
  U2: '{"z":{"y":1,"x":2},"a":[{"y":3,"x":4}]}',
  U3: '{"a":null,"b":1}',
  U4: '{"b":1}',
  U5: "{}",
  U6: '{"ns":null,"es":[],"nm":null,"em":{}}',
  U7: '{"o":{},"a":[{}]}',
  U8: '{"s":"Zoë 日本 😀"}',
  U9: '{"s":"<a href=\\"x\\">Tom & \\"J\\"</a>"}',
  U10: '{"s":"a\\u2028b\\u2029c"}',
  U11: '{"s":"\\t\\n\\r\\u0001\\u001f\\\\/"}',
  U12: '{"s":"a\\ufffdb"}',
  U13: '{"max":9223372036854775807,"min":-9223372036854775808,"u":18446744073709551615,"p":9007199254740993}',
  U14: '{"a":1,"b":1e+21,"c":100000000000000000000,"d":0.000001,"e":1e-7,"f":-0}',
  U15: '{"a":0.1,"b":5e-324,"c":1.7976931348623157e+308,"d":1.5e+300}',
  U16: '{"a":0.1,"b":16777216}',
  U17: '{"n":"9007199254740993"}',
  U18: '{"b":"+/8A"}',
  U19: '{"u":"2024-05-01T12:34:56.78Z","l":"2024-05-01T14:34:56.123456789+02:00","z":"0001-01-01T00:00:00Z"}',
  U20: '{"m":{"B":2,"a10":3,"a2":4,"b":1,"é":5}}',
  U21: '{"m":{"-1":"z","10":"x","9":"y"}}',
  U22: '{"b":1,"B":2,"_":3,"a-b":4,"a":5}',
  U23: '{"𝒳":1,"ﬀ":2}',
  U24: '{"a":1,"10":2,"9":3}',
  U25: '{"a<b":1}',
  U26: '{"é<":1}',
  U27: '{"a\\"b":1}',
  U28: '{"r":{"b":[1,2.0],"a":"<"}}',
  U29: '{"n":1.0,"m":1E5,"k":0.10}',
  U30: '{"a~b:c;d e":1,"$x":2,"%y":3}',
  U31: '{"s":"a\u007fb"}',
  U32: '{"s":"\\b\\f"}',
};

/** Listed paths and encoded arguments; Go has a type of each vector's name, in whose fields the paths are marked. */
export const LISTED_PATHS: Readonly<Record<string, readonly [paths: readonly string[], args: string]>> = {
  U44: [["a"], '{"a":1,"b":2}'],
  U45: [["a", "z"], '{"z":1,"a":"<&>","b":2}'],
  U46: [["b"], '{"b":false,"a":"x"}'],
  U47: [["n", "to.city", "to.zip"], '{"to":{"city":"Oslo","zip":null,"no":1},"from":null,"n":9007199254740993}'],
  U48: [["p.city", "p.zip"], '{"p":{"city":"Bergen","zip":"5003","no":2}}'],
  U49: [["a", "b"], '{"a":null,"c":0}'],
  U50: [["b"], '{"c":3}'],
  U51: [["p.city", "p.zip"], '{"p":null}'],
  U52: [["p"], '{"p":{"b":1,"a":2},"c":3}'],
  U53: [["m", "s"], '{"m":{"a":2,"b":1},"s":["z","a"]}'],
  U54: [["a-b", "a.b", "a0"], '{"a0":1,"a":{"b":2},"a-b":3}'],
  U55: [["a.b", "c"], '{"a.b":1,"c":2}'],
  U56: [["to.b"], '{"to":{"b":1},"cc":{"b":2}}'],
  U57: [["cc", "to.b"], '{"to":{"b":1},"cc":{"b":2}}'],
  U59: [["at"], '{"at":"2024-05-01T00:00:00Z"}'],
  U60: [["s.t"], '{"s":{"t":"a<b"}}'],
  U61: [["a\\.b"], '{"a.b":1,"a":{"b":2},"b":3}'],
};

/**
 * Instants and periods in milliseconds. U76 and U81 have periods of which a whole number of milliseconds is none; U89 to
 * U91 are instants that a client before 0.48 would have written in its own zone.
 */
export const PERIODS: Readonly<Record<string, readonly [instant: string, periodMs: number]>> = {
  U71: ["2024-05-01T00:00:00Z", 86_400_000],
  U72: ["2024-04-30T23:59:59.999999Z", 86_400_000],
  U73: ["2024-05-01T12:34:56.999Z", 1_000],
  U74: ["2024-05-01T12:34:56Z", 90_000],
  U75: ["2024-05-01T12:34:56.9Z", 1_500],
  U77: ["2024-05-05T23:59:59Z", 604_800_000],
  U78: ["2024-05-06T00:00:00Z", 604_800_000],
  U79: ["2024-05-01T12:34:56Z", 2_592_000_000],
  U80: ["2024-05-01T12:34:56Z", 31_536_000_000],
  U82: ["1969-12-31T23:59:59.5Z", 900_000],
  U83: ["1969-12-31T23:59:59Z", 604_800_000],
  U84: ["1960-02-29T12:34:56Z", 25_200_000],
  U85: ["1900-03-01T00:00:00Z", 3_600_000_000],
  U86: ["0001-01-07T23:59:59Z", 604_800_000],
  U87: ["0001-01-08T00:00:00Z", 604_800_000],
  U88: ["9999-12-31T23:59:59Z", 604_800_000],
  U89: ["2024-05-01T14:34:56+02:00", 3_600_000],
  U90: ["2024-05-01T01:30:00+02:00", 86_400_000],
  U91: ["2024-05-01T18:19:56+05:45", 3_600_000],
};

/** Arguments whose names look like paths, with two values to tell jobs by. */
export const PATH_LIKE_ARGS: Readonly<Record<string, readonly [one: string, other: string]>> = {
  U33: ['{"a.b":1}', '{"a.b":2}'],
  U34: ['{"a.b":1,"a":{"b":2}}', '{"a.b":9,"a":{"b":2}}'],
  U35: ['{"a*b":1,"c":2}', '{"a*b":9,"c":2}'],
  U36: ['{"a@b":1,"c":2}', '{"a@b":9,"c":2}'],
  U37: ['{"#a":1,"e":4}', '{"#a":9,"e":4}'],
  U38: ['{"?a":9,"1a":1}', '{"?a":9,"1a":2}'],
  U39: ['{":a":1}', '{"a":1}'],
  U40: ['{"a\\\\b":1,"c":2}', '{"a\\\\b":9,"c":2}'],
  U41: ['{"!x":1,"!true":2}', '{"!x":1,"!true":3}'],
  U42: ['{"[a]":1,"a":7}', '{"[a]":2,"a":7}'],
};
