/** Where a handler is, as the text by which client and threads name it. */

/** See the file header. */
export interface HandlerPlace {
  readonly moduleUrl: string;
  readonly exportName: string;
}

/** Has no line breaks. */
export function placeText({ moduleUrl, exportName }: HandlerPlace): string {
  return JSON.stringify([moduleUrl, exportName]);
}

export function placeOf(text: string): HandlerPlace {
  const [moduleUrl, exportName] = JSON.parse(text) as [string, string];
  return { moduleUrl, exportName };
}
