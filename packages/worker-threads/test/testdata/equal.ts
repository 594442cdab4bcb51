/** `true` when two types are the same, `any` and `readonly` included; the compiler compares conditional types that way. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the comparison needs the unresolved parameter
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
