/** A property that is read at once when it can be, and otherwise throws the same error whenever it is looked at. */
export function lazyColumn(read: () => unknown): PropertyDescriptor {
  try {
    return { value: read(), enumerable: true };
  } catch (error) {
    return {
      enumerable: true,
      get() {
        throw error;
      },
    };
  }
}
