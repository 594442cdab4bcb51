/** Everything that this package and the core of Reaction export, for a look at what they need. */
export * from "@riverqueue/reaction";
export * from "@riverqueue/reaction-cloudflare";
