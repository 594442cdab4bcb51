/** Notices on the leadership topic. */
import assert from "node:assert/strict";
import test from "node:test";
import { insertNotice, requestResignNotice, resignedNotice } from "../../src/driver/notice.ts";
import { readLeadershipNotice } from "../../src/maintenance/leadership-notice.ts";

test("notices of any client are understood, whatever their white space", () => {
  assert.deepEqual(readLeadershipNotice(requestResignNotice()), { action: "request_resign" });
  assert.deepEqual(readLeadershipNotice(resignedNotice('a "b"')), { action: "resigned", leaderId: 'a "b"' });
  const byPostgres = '{"leader_id" : "go-client", "action" : "resigned"}';
  assert.deepEqual(readLeadershipNotice({ topic: "river_leadership", payload: byPostgres }), {
    action: "resigned",
    leaderId: "go-client",
  });
});

test("anything else means nothing", () => {
  assert.equal(readLeadershipNotice(insertNotice("default")), null);
  for (const payload of [
    "",
    "null",
    "[]",
    '"resigned"',
    "{}",
    '{"action":"other"}',
    '{"action":"resigned"}',
    '{"action":"resigned","leader_id":5}',
  ]) {
    assert.equal(readLeadershipNotice({ topic: "river_leadership", payload }), null);
  }
});
