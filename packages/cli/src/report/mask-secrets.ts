/** Takes passwords out of text for people. Everything that goes to standard error passes here. */

const PASSWORD_OF_URL = /\b([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):\S*@/gi;
const PASSWORD_PARAMETER = /\b(\w*password=)[^\s&]*/gi;

/** `text` with the password of every URL in it, in front of the host or among the parameters, replaced by `***`. */
export function maskSecrets(text: string): string {
  return text.replace(PASSWORD_OF_URL, "$1:***@").replace(PASSWORD_PARAMETER, "$1***");
}
