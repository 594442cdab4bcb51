/** Splits messages into groups that a queue takes at once: by count and by bytes. */
import { byteLength, jsonText } from "../kit/canonical-json.ts";
import { MessageTooLargeError } from "../model/message-too-large-error.ts";
import { ValidationError } from "../model/validation-error.ts";
import type { OutgoingMessage } from "../seam/message-queue.ts";

/** Messages of one group at most. */
const LARGEST_GROUP = 100;
/** Bytes of one group at most: its messages as JSON in UTF-8, and what the queue adds to each. */
const LARGEST_GROUP_BYTES = 256_000;
/** Metadata that Cloudflare Queues add to a message and count with it. */
const METADATA_BYTES = 100;
/** Bytes of one message at most, as JSON in UTF-8: 128,000 without the queue's metadata. */
const LARGEST_MESSAGE_BYTES = 128_000 - METADATA_BYTES;

/**
 * The messages in order, in groups.
 *
 * @throws ValidationError for no list, or naming the first whose body is no JSON, MessageTooLargeError the first that is too large; before
 *   any is sent.
 */
export function splitMessages<Message extends OutgoingMessage>(
  messages: readonly Message[],
): readonly (readonly Message[])[] {
  if (!Array.isArray(messages)) throw new ValidationError("messages must be a list of messages");
  const groups: Message[][] = [];
  let bytes = 0;
  for (const [index, { size, message }] of messages.map(measured).entries()) {
    if (size > LARGEST_MESSAGE_BYTES) {
      throw new MessageTooLargeError(
        `messages[${index}] is ${size} bytes as JSON; a queue takes at most ${LARGEST_MESSAGE_BYTES}`,
      );
    }
    const group = groups.at(-1);
    const counted = size + METADATA_BYTES;
    if (group === undefined || group.length >= LARGEST_GROUP || bytes + counted > LARGEST_GROUP_BYTES) {
      groups.push([message]);
      bytes = counted;
    } else {
      group.push(message);
      bytes += counted;
    }
  }
  return groups;
}

function measured<Message extends OutgoingMessage>(
  message: Message,
  index: number,
): { readonly size: number; readonly message: Message } {
  try {
    return { message, size: byteLength(jsonText(message.body)) };
  } catch {
    throw new ValidationError(`messages[${index}].body must be JSON`);
  }
}
