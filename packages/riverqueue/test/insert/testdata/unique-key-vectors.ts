/** Vectors of unique keys shared with River for Go. Each hash is of `&kind=k&args=` and the fragment. */

/** Arguments and what enters the key for them. */
export interface FragmentVector {
  readonly id: string;
  readonly what: string;
  readonly encodedArgs: string;
  readonly fragment: string;
  readonly sha256: string;
}

/** As {@link FragmentVector}, over listed paths. */
export interface PathVector extends FragmentVector {
  readonly paths: readonly string[];
}

/** Arguments that are refused, with the key that is named. */
export interface RefusedKeyVector {
  readonly id: string;
  readonly what: string;
  readonly encodedArgs: string;
  readonly keys: readonly string[];
}

/** An instant, a period in nanoseconds, and the start of the period. */
export interface PeriodVector {
  readonly id: string;
  readonly instant: string;
  readonly period: bigint;
  readonly bound: string;
  readonly sha256: string;
}

/** All arguments compared. */
export const ALL_ARGS_VECTORS: readonly FragmentVector[] = [
  { id: "U1", what: "key order", encodedArgs: "{\"z\":1,\"a\":\"x\",\"m\":true}", fragment: "{\"a\":\"x\",\"m\":true,\"z\":1}", sha256: "6f81424412d6a82abcffd14df9bf58383ab40c3f2b2869774909758617e7c646" },
  { id: "U2", what: "nested order kept", encodedArgs: "{\"z\":{\"y\":1,\"x\":2},\"a\":[{\"y\":3,\"x\":4}]}", fragment: "{\"a\":[{\"y\":3,\"x\":4}],\"z\":{\"y\":1,\"x\":2}}", sha256: "ad6313e61f84bcef5d7e3fa9930e70887015cfa590f96b27a10bece73ed5f94e" },
  { id: "U3", what: "null kept", encodedArgs: "{\"a\":null,\"b\":1}", fragment: "{\"a\":null,\"b\":1}", sha256: "ee3f7d27c39f8ccc21fb742efa035101ca7a60517e5d95193d721edfa0ec14eb" },
  { id: "U4", what: "absent, not null", encodedArgs: "{\"b\":1}", fragment: "{\"b\":1}", sha256: "040fb949897c8736b95b12fb580ad6e6bd37e4f2808445681ab713db1e69fed5" },
  { id: "U5", what: "no keys", encodedArgs: "{}", fragment: "{}", sha256: "6d1fad618d825cceb4f04d74a399bf641ad1d95421d160aacfd588aade6e7fa1" },
  { id: "U6", what: "nil and empty slices and maps", encodedArgs: "{\"ns\":null,\"es\":[],\"nm\":null,\"em\":{}}", fragment: "{\"em\":{},\"es\":[],\"nm\":null,\"ns\":null}", sha256: "c085312d599fa83979662d92380888692b4f8b891afe60b46c22495a18ca09a0" },
  { id: "U7", what: "empty nested values", encodedArgs: "{\"o\":{},\"a\":[{}]}", fragment: "{\"a\":[{}],\"o\":{}}", sha256: "df92f495306a38319154dc4d9a676eefa81a0590ff8a2cccf7b68cf14b76bdbd" },
  { id: "U8", what: "non-ASCII raw", encodedArgs: "{\"s\":\"Zoë 日本 😀\"}", fragment: "{\"s\":\"Zoë 日本 😀\"}", sha256: "2f10650b985830af98e2cb810899d55af1bf4bad14fb392214ceaf0cef9027bb" },
  { id: "U9", what: "HTML characters", encodedArgs: "{\"s\":\"\\u003ca href=\\\"x\\\"\\u003eTom \\u0026 \\\"J\\\"\\u003c/a\\u003e\"}", fragment: "{\"s\":\"\\u003ca href=\\\"x\\\"\\u003eTom \\u0026 \\\"J\\\"\\u003c/a\\u003e\"}", sha256: "2efaff64044b0f02f1bcf28cedcbdb073ff8f5833a2b0de09f9154303c66b3d2" },
  { id: "U10", what: "U+2028, U+2029", encodedArgs: "{\"s\":\"a\\u2028b\\u2029c\"}", fragment: "{\"s\":\"a\\u2028b\\u2029c\"}", sha256: "b6bb09f6e059a6b28edb26952fd21b32c60be98cda4b9baa74cd6884f290dd14" },
  { id: "U11", what: "tab, LF, CR, U+0001, U+001F, backslash, slash", encodedArgs: "{\"s\":\"\\t\\n\\r\\u0001\\u001f\\\\/\"}", fragment: "{\"s\":\"\\t\\n\\r\\u0001\\u001f\\\\/\"}", sha256: "f0e038b52b7a3c5d4719e6f8295a73f402adce536982e1ea0cd736d8cfeb7ea3" },
  { id: "U12", what: "invalid UTF-8 byte FF", encodedArgs: "{\"s\":\"a\\ufffdb\"}", fragment: "{\"s\":\"a\\ufffdb\"}", sha256: "6f975d203d66db535d478e6ebacae88c0d8becb0fd33c75d71bf045cd0c798f7" },
  { id: "U13", what: "64-bit integers, 2⁵³ + 1", encodedArgs: "{\"max\":9223372036854775807,\"min\":-9223372036854775808,\"u\":18446744073709551615,\"p\":9007199254740993}", fragment: "{\"max\":9223372036854775807,\"min\":-9223372036854775808,\"p\":9007199254740993,\"u\":18446744073709551615}", sha256: "1c8a1e8a55f08cdd53430ee3df15aee2f802852b6363d1d426146408bee227e4" },
  { id: "U14", what: "1.0, 1e21, 1e20, 1e−6, 1e−7, −0", encodedArgs: "{\"a\":1,\"b\":1e+21,\"c\":100000000000000000000,\"d\":0.000001,\"e\":1e-7,\"f\":-0}", fragment: "{\"a\":1,\"b\":1e+21,\"c\":100000000000000000000,\"d\":0.000001,\"e\":1e-7,\"f\":-0}", sha256: "ab15806b01a911b49c649a5774d94699cf22829a1cdbefa2307c5eb9e5fe2c4a" },
  { id: "U15", what: "0.1, smallest, largest, 1.5e300", encodedArgs: "{\"a\":0.1,\"b\":5e-324,\"c\":1.7976931348623157e+308,\"d\":1.5e+300}", fragment: "{\"a\":0.1,\"b\":5e-324,\"c\":1.7976931348623157e+308,\"d\":1.5e+300}", sha256: "e85288e3d5de7584a33e60540e6f33ad1ac3b3fb8ea77f55b4a82183f9edf504" },
  { id: "U16", what: "32-bit floats", encodedArgs: "{\"a\":0.1,\"b\":16777216}", fragment: "{\"a\":0.1,\"b\":16777216}", sha256: "aefd3c173b894bd27cc8075d2ab8c3d2f15b0ff883ce18d603fc55c3723f74cb" },
  { id: "U17", what: "`string` option", encodedArgs: "{\"n\":\"9007199254740993\"}", fragment: "{\"n\":\"9007199254740993\"}", sha256: "702ab6a8e3d6f4cb2de83f39cf6ab679f3362b6a862622fbaebcbcabd422757c" },
  { id: "U18", what: "bytes FB FF 00", encodedArgs: "{\"b\":\"+/8A\"}", fragment: "{\"b\":\"+/8A\"}", sha256: "a75e3c6e4645a8028ee2c5913f17a223861a805044788aa377bebc233e434d80" },
  { id: "U19", what: "times: trimmed fraction, offset, zero", encodedArgs: "{\"u\":\"2024-05-01T12:34:56.78Z\",\"l\":\"2024-05-01T14:34:56.123456789+02:00\",\"z\":\"0001-01-01T00:00:00Z\"}", fragment: "{\"l\":\"2024-05-01T14:34:56.123456789+02:00\",\"u\":\"2024-05-01T12:34:56.78Z\",\"z\":\"0001-01-01T00:00:00Z\"}", sha256: "5fbc3eff87610c085cf190237bbcc5edd6bb15605f707662cd51a9d9cdd8eccb" },
  { id: "U20", what: "map keys bytewise", encodedArgs: "{\"m\":{\"B\":2,\"a10\":3,\"a2\":4,\"b\":1,\"é\":5}}", fragment: "{\"m\":{\"B\":2,\"a10\":3,\"a2\":4,\"b\":1,\"é\":5}}", sha256: "637db90e8129bcaad37b058e7aff0b21d018911bb7bfce07cce546cbc1374bda" },
  { id: "U21", what: "integer map keys", encodedArgs: "{\"m\":{\"-1\":\"z\",\"10\":\"x\",\"9\":\"y\"}}", fragment: "{\"m\":{\"-1\":\"z\",\"10\":\"x\",\"9\":\"y\"}}", sha256: "1844cb694f018c79e242969ab823081f4bf0628bcbc9db947869e0809fd0fc05" },
  { id: "U22", what: "case, `_`, prefix", encodedArgs: "{\"b\":1,\"B\":2,\"_\":3,\"a-b\":4,\"a\":5}", fragment: "{\"B\":2,\"_\":3,\"a\":5,\"a-b\":4,\"b\":1}", sha256: "a577774bba948a0100cb5e023babf8dd66b036b2c35b5689583c84c590e4280b" },
  { id: "U23", what: "UTF-8 order, not UTF-16 (U+1D4B3, U+FB00)", encodedArgs: "{\"𝒳\":1,\"ﬀ\":2}", fragment: "{\"ﬀ\":2,\"𝒳\":1}", sha256: "32e75c1ce10e8b0996b735da0fb908ead30ea529ed5c82c552a0e45dc5323f7d" },
  { id: "U24", what: "integer-like keys", encodedArgs: "{\"a\":1,\"10\":2,\"9\":3}", fragment: "{\"10\":2,\"9\":3,\"a\":1}", sha256: "01669745e094c2a469f53a004c26e9f9d2bf1663e7416b910b94b091032d3fbb" },
  { id: "U25", what: "`<` in an ASCII key is unescaped", encodedArgs: "{\"a\\u003cb\":1}", fragment: "{\"a<b\":1}", sha256: "b32a435739a3bcb123932a0249a7c0af14e77768a592052d03ffcab854743b11" },
  { id: "U26", what: "`<` in a non-ASCII key stays escaped", encodedArgs: "{\"é\\u003c\":1}", fragment: "{\"é\\u003c\":1}", sha256: "708832b86732a9967114d8ca371565e65092001cf6b9be670961a89b8ffc9c3a" },
  { id: "U27", what: "quote in a key", encodedArgs: "{\"a\\\"b\":1}", fragment: "{\"a\\\"b\":1}", sha256: "b07ef06ced144d1f3b81af3046b6074c59a8399bb726d2472d9286ddf730c80a" },
  { id: "U28", what: "raw JSON compacted by the encoder", encodedArgs: "{\"r\":{\"b\":[1,2.0],\"a\":\"\\u003c\"}}", fragment: "{\"r\":{\"b\":[1,2.0],\"a\":\"\\u003c\"}}", sha256: "5f4fa928dda9dc34efaf5814a1d26281c1e578faff66cdfadd797368fd834422" },
  { id: "U29", what: "number text kept", encodedArgs: "{\"n\":1.0,\"m\":1E5,\"k\":0.10}", fragment: "{\"k\":0.10,\"m\":1E5,\"n\":1.0}", sha256: "07f14705293553b1e333266993ad06d3055c71eea0e6636cd5835fa61d6db442" },
  { id: "U30", what: "safe punctuation", encodedArgs: "{\"a~b:c;d e\":1,\"$x\":2,\"%y\":3}", fragment: "{\"$x\":2,\"%y\":3,\"a~b:c;d e\":1}", sha256: "098332d1fba4a52aa0485af531b4620bdcb20567dcfebd98440856521e9dfa8d" },
  { id: "U31", what: "DEL (byte 7F) between a and b, unescaped", encodedArgs: "{\"s\":\"a\u007fb\"}", fragment: "{\"s\":\"a\u007fb\"}", sha256: "dd6bb7298772ddd528da1fe80e0e81c83c6f6167009cbd0b998363d327141796" },
  { id: "U32", what: "backspace, form feed (*reasoned*: Go 1.22 and later)", encodedArgs: "{\"s\":\"\\b\\f\"}", fragment: "{\"s\":\"\\b\\f\"}", sha256: "3faada18f3544745653c6b1f222a8583aeabf4ffb8ac1e08a91a4b76c178133e" },
];

/** Top-level keys that River for Go reads as paths. */
export const REFUSED_KEY_VECTORS: readonly RefusedKeyVector[] = [
  { id: "U33", what: "dot: value lost", encodedArgs: "{\"a.b\":1}", keys: ["a.b"] },
  { id: "U34", what: "dot beside a real nest", encodedArgs: "{\"a.b\":1,\"a\":{\"b\":2}}", keys: ["a.b"] },
  { id: "U35", what: "star dropped", encodedArgs: "{\"a*b\":1,\"c\":2}", keys: ["a*b"] },
  { id: "U36", what: "at sign dropped", encodedArgs: "{\"a@b\":1,\"c\":2}", keys: ["a@b"] },
  { id: "U37", what: "hash dropped", encodedArgs: "{\"#a\":1,\"e\":4}", keys: ["#a"] },
  { id: "U38", what: "pattern hits an earlier key", encodedArgs: "{\"?a\":9,\"1a\":1}", keys: ["?a"] },
  { id: "U39", what: "leading colon", encodedArgs: "{\":a\":1}", keys: [":a"] },
  { id: "U40", what: "backslash", encodedArgs: "{\"a\\\\b\":1,\"c\":2}", keys: ["a\\b"] },
  { id: "U41", what: "bang", encodedArgs: "{\"!x\":1,\"!true\":2}", keys: ["!x", "!true"] },
  { id: "U42", what: "bracket selection", encodedArgs: "{\"[a]\":1,\"a\":7}", keys: ["[a]"] },
  { id: "U43", what: "repeated key", encodedArgs: "{\"a\":1,\"a\":2}", keys: ["a"] },
];

/** Listed paths compared. */
export const PATH_VECTORS: readonly PathVector[] = [
  { id: "U44", what: "a", paths: ["a"], encodedArgs: "{\"a\":1,\"b\":2}", fragment: "{\"a\":1}", sha256: "c8e94182ac4208aa5af539181f07ae095368ecb5f5561e79b572d982e4bd2cf0" },
  { id: "U45", what: "a, z", paths: ["a", "z"], encodedArgs: "{\"z\":1,\"a\":\"\\u003c\\u0026\\u003e\",\"b\":2}", fragment: "{\"a\":\"\\u003c\\u0026\\u003e\",\"z\":1}", sha256: "ba8a97306bc8f511d712989b3393d7d26a36918e0efe8d210ae803ddacf63aa5" },
  { id: "U46", what: "b", paths: ["b"], encodedArgs: "{\"b\":false,\"a\":\"x\"}", fragment: "{\"b\":false}", sha256: "711b0ffaa295e2ec1320f61ca2b3830f881da10e0990fb1320aaf3c8d4a06356" },
  { id: "U47", what: "n, to.city, to.zip", paths: ["n", "to.city", "to.zip"], encodedArgs: "{\"to\":{\"city\":\"Oslo\",\"zip\":null,\"no\":1},\"from\":null,\"n\":9007199254740993}", fragment: "{\"n\":9007199254740993,\"to\":{\"city\":\"Oslo\",\"zip\":null}}", sha256: "ac484c23ce54b32fdb43bfb1b1de10f474f7a88081dae4ca7ed7f88b60d3d6c0" },
  { id: "U48", what: "p.city, p.zip", paths: ["p.city", "p.zip"], encodedArgs: "{\"p\":{\"city\":\"Bergen\",\"zip\":\"5003\",\"no\":2}}", fragment: "{\"p\":{\"city\":\"Bergen\",\"zip\":\"5003\"}}", sha256: "5caddc99175855e7a647fa599e0a32723268664d3b260f8a30f47cc4f51dd50a" },
  { id: "U49", what: "a, b", paths: ["a", "b"], encodedArgs: "{\"a\":null,\"c\":0}", fragment: "{\"a\":null}", sha256: "4032d323712e9a2c7d64800c838708468e3c943d47e5213616fbf36bea2b74cb" },
  { id: "U50", what: "b", paths: ["b"], encodedArgs: "{\"c\":3}", fragment: "", sha256: "c1ce8acb29dc651a91a5315ad52228d550c44d08db552837730dd3f91dfbd925" },
  { id: "U51", what: "p.city, p.zip", paths: ["p.city", "p.zip"], encodedArgs: "{\"p\":null}", fragment: "", sha256: "c1ce8acb29dc651a91a5315ad52228d550c44d08db552837730dd3f91dfbd925" },
  { id: "U52", what: "p", paths: ["p"], encodedArgs: "{\"p\":{\"b\":1,\"a\":2},\"c\":3}", fragment: "{\"p\":{\"b\":1,\"a\":2}}", sha256: "a9f4e07b7a401a080510868962df32b482c5fbb1f22600b068b9f575a7daeca7" },
  { id: "U53", what: "m, s", paths: ["m", "s"], encodedArgs: "{\"m\":{\"a\":2,\"b\":1},\"s\":[\"z\",\"a\"]}", fragment: "{\"m\":{\"a\":2,\"b\":1},\"s\":[\"z\",\"a\"]}", sha256: "405eefb0000df7313d60a8face7c58ab4c73cf4ca32e4a3a04a367134e4bc4ed" },
  { id: "U54", what: "a-b, a.b, a0", paths: ["a-b", "a.b", "a0"], encodedArgs: "{\"a0\":1,\"a\":{\"b\":2},\"a-b\":3}", fragment: "{\"a-b\":3,\"a\":{\"b\":2},\"a0\":1}", sha256: "37bf820b35bdc4f4fac02a3067b0598450c5cffaecb467ec632f312e2572b993" },
  { id: "U55", what: "a.b, c", paths: ["a.b", "c"], encodedArgs: "{\"a.b\":1,\"c\":2}", fragment: "{\"c\":2}", sha256: "5e08631a8e945960b5e8503813b6e8a3b739991b804c384e2af371d7f7e46322" },
  { id: "U56", what: "to.b", paths: ["to.b"], encodedArgs: "{\"to\":{\"b\":1},\"cc\":{\"b\":2}}", fragment: "{\"to\":{\"b\":1}}", sha256: "992f9b9922df89a16772bf393ff602434bd1715c45cadac3d0ecffc0e865c757" },
  { id: "U57", what: "cc, to.b", paths: ["cc", "to.b"], encodedArgs: "{\"to\":{\"b\":1},\"cc\":{\"b\":2}}", fragment: "{\"cc\":{\"b\":2},\"to\":{\"b\":1}}", sha256: "f2a88e235e04270072eada89108d35492a5677a2f21cd144e5084a60bead67f7" },
  { id: "U59", what: "at", paths: ["at"], encodedArgs: "{\"at\":\"2024-05-01T00:00:00Z\"}", fragment: "{\"at\":\"2024-05-01T00:00:00Z\"}", sha256: "f221cb8466ea114aab27818af7abf925cf11469d13ad00322618f41929fd7916" },
  { id: "U60", what: "s.t", paths: ["s.t"], encodedArgs: "{\"s\":{\"t\":\"a\\u003cb\"}}", fragment: "{\"s\":{\"t\":\"a\\u003cb\"}}", sha256: "88338d33bbbc2898b4392226a291185b423c7364875f5533d91d6c89b3024a03" },
  { id: "U61", what: "a\\.b", paths: ["a\\.b"], encodedArgs: "{\"a.b\":1,\"a\":{\"b\":2},\"b\":3}", fragment: "{\"a.b\":1}", sha256: "9f639e70ab32de7efde50777d52a1c18c0e627ed90727d5e0f9d313a5348c585" },
];

/** Period bounds; the hash is of `&kind=k&period=` and the bound. The last three are given in other zones. */
export const PERIOD_VECTORS: readonly PeriodVector[] = [
  { id: "U71", instant: "2024-05-01T00:00:00Z", period: 86400000000000n, bound: "2024-05-01T00:00:00Z", sha256: "fd10e34ae1319b134d2ff84130b2c47caa597f653c0a93d5d6c4ab01008f45d4" },
  { id: "U72", instant: "2024-04-30T23:59:59.999999999Z", period: 86400000000000n, bound: "2024-04-30T00:00:00Z", sha256: "ae9305ad833dc8bfcbcd0efd403b6da690983ed76143131338f851262cebd8fe" },
  { id: "U73", instant: "2024-05-01T12:34:56.999Z", period: 1000000000n, bound: "2024-05-01T12:34:56Z", sha256: "800bd50609ea9d7b91dfac6ad06f2f34acde8a9df1cc62b6cd0b0b530f82056f" },
  { id: "U74", instant: "2024-05-01T12:34:56Z", period: 90000000000n, bound: "2024-05-01T12:34:30Z", sha256: "b3bab72c7cc08007ffb2bf8fe26073f6bd1308938fb9f05e15346bcfde221ecf" },
  { id: "U75", instant: "2024-05-01T12:34:56.9Z", period: 1500000000n, bound: "2024-05-01T12:34:55Z", sha256: "19bda61e64803467f5dc1b26ec781c9cec6d661bd5a259c0d247d797703c5054" },
  { id: "U76", instant: "2024-05-01T12:34:56.9Z", period: 1000000001n, bound: "2024-05-01T12:34:56Z", sha256: "800bd50609ea9d7b91dfac6ad06f2f34acde8a9df1cc62b6cd0b0b530f82056f" },
  { id: "U77", instant: "2024-05-05T23:59:59Z", period: 604800000000000n, bound: "2024-04-29T00:00:00Z", sha256: "9784244dfda7b2398a17375778ba7800911f837da9fe2755864e0a13ebf8272e" },
  { id: "U78", instant: "2024-05-06T00:00:00Z", period: 604800000000000n, bound: "2024-05-06T00:00:00Z", sha256: "57946cd34d5b2dd702adbfc695b85c57134bd8270d913993f9ae9ad754bec1b4" },
  { id: "U79", instant: "2024-05-01T12:34:56Z", period: 2592000000000000n, bound: "2024-04-15T00:00:00Z", sha256: "96aef455961e5b0ec62adb6149b0a4947373c3131d6e5e2c1958ff40ec7c63d5" },
  { id: "U80", instant: "2024-05-01T12:34:56Z", period: 31536000000000000n, bound: "2023-08-29T00:00:00Z", sha256: "9c136501b715199bfdad974d0139014054e5a94ce597640abfe88d5c2030edec" },
  { id: "U81", instant: "2024-05-01T12:34:56Z", period: 9223372036854775807n, bound: "1754-08-30T22:43:41Z", sha256: "8325fdc04d0845bdedb2b7d49780fe1cbc69ea8b2a03262530df23941326221f" },
  { id: "U82", instant: "1969-12-31T23:59:59.5Z", period: 900000000000n, bound: "1969-12-31T23:45:00Z", sha256: "b93fda1643d6dcd5419a561eb8c48cf9981d78749502fd56ff4a2298a9bd1f40" },
  { id: "U83", instant: "1969-12-31T23:59:59Z", period: 604800000000000n, bound: "1969-12-29T00:00:00Z", sha256: "ee7305cf56dd7f0f185ea56771cd02bf687a517482ed7b9c7f43a76f27374fc8" },
  { id: "U84", instant: "1960-02-29T12:34:56Z", period: 25200000000000n, bound: "1960-02-29T07:00:00Z", sha256: "cb259d7667932549cc79b7b31412635a518f9c7c1848a956e124c399bdf86b42" },
  { id: "U85", instant: "1900-03-01T00:00:00Z", period: 3600000000000000n, bound: "1900-01-31T00:00:00Z", sha256: "e9aee41b81ae07fd1dad663c940ef06e910b6983e992324b9cd6e137fe121867" },
  { id: "U86", instant: "0001-01-07T23:59:59Z", period: 604800000000000n, bound: "0001-01-01T00:00:00Z", sha256: "41aeb1cf0242197fad4ff089375ef0911a3071cf6d3949a77f3b17e698389dd9" },
  { id: "U87", instant: "0001-01-08T00:00:00Z", period: 604800000000000n, bound: "0001-01-08T00:00:00Z", sha256: "5945987aee5cd4cfb2d467dddbd12121dbdd7b6618ca86a97eac09c9d9bc1f8d" },
  { id: "U88", instant: "9999-12-31T23:59:59Z", period: 604800000000000n, bound: "9999-12-27T00:00:00Z", sha256: "6c506529deb179fe9b0b64d7ec6094c0907d3edb64a70cd9aa7937b4754f94f1" },
  { id: "U89", instant: "2024-05-01T14:34:56+02:00", period: 3600000000000n, bound: "2024-05-01T12:00:00Z", sha256: "109f1815e2928509c8608205644ebdd5403c176cd2899485b570d39ecd3962f8" },
  { id: "U90", instant: "2024-05-01T01:30:00+02:00", period: 86400000000000n, bound: "2024-04-30T00:00:00Z", sha256: "ae9305ad833dc8bfcbcd0efd403b6da690983ed76143131338f851262cebd8fe" },
  { id: "U91", instant: "2024-05-01T18:19:56+05:45", period: 3600000000000n, bound: "2024-05-01T12:00:00Z", sha256: "109f1815e2928509c8608205644ebdd5403c176cd2899485b570d39ecd3962f8" },
];
