/** The driver of a River client, as this home uses it: the verbs of its facets, and no SQL of River's own tables. */
import type { ClientDriver } from "riverqueue";

/** A driver that can work jobs. */
export type RuntimeDriver<Tx> = Extract<ClientDriver<Tx>, { readonly canWork: true }>;

/** Where and when a verb runs. */
export type DriverCall<Tx> = NonNullable<Parameters<RuntimeDriver<Tx>["jobs"]["insert"]>[1]>;

/** A transaction that a verb joins. */
export type DriverScope<Tx> = NonNullable<DriverCall<Tx>["scope"]>;

/** A new job, encoded. */
export type EncodedJob = Parameters<RuntimeDriver<unknown>["jobs"]["insert"]>[0]["jobs"][number];
