import { SomeEvent, workerCtx } from "./core-reaction.ts";

import { reaction } from '@/core/reaction';

const result = await reaction.processor.emit(
    workerCtx,
    SomeEvent.create({
        idempotencyKey: 'some-event:stable-business-id',
        payload: {},
    }),
);

console.log(result.status, result.commands.map(({ name, status }) => `${name} ${status}`).join());
