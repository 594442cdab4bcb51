/** A store that cannot send, as on D1: its messages go through the queue. */
export function withoutSending<Store extends object>(store: Store): Store {
  return new Proxy(store, {
    get(target, key) {
      if (key === "sendsInTransaction") return false;
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const [first, ...rest] = args;
        const unsent =
          typeof first === "object" && first !== null && "send" in first ? { ...first, send: false } : first;
        return (value as (...all: unknown[]) => unknown).call(target, unsent, ...rest);
      };
    },
  });
}
