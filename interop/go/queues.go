package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

type queueParams struct {
	Name     string          `json:"name"`
	Metadata json.RawMessage `json:"metadata"`
}

func (p *peer[TTx]) queueGet(ctx context.Context, raw json.RawMessage) (any, error) {
	params, err := parse[queueParams](raw)
	if err != nil {
		return nil, err
	}
	queue, err := p.client.QueueGet(ctx, params.Name)
	if errors.Is(err, rivertype.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return queueRowJSON(queue), nil
}

func (p *peer[TTx]) queueList(ctx context.Context, _ json.RawMessage) (any, error) {
	result, err := p.client.QueueList(ctx, river.NewQueueListParams())
	if err != nil {
		return nil, err
	}
	values := make([]*queueJSON, len(result.Queues))
	for i, queue := range result.Queues {
		values[i] = queueRowJSON(queue)
	}
	return values, nil
}

func (p *peer[TTx]) queuePause(ctx context.Context, raw json.RawMessage) (any, error) {
	params, err := parse[queueParams](raw)
	if err != nil {
		return nil, err
	}
	return nil, p.client.QueuePause(ctx, params.Name, nil)
}

func (p *peer[TTx]) queueResume(ctx context.Context, raw json.RawMessage) (any, error) {
	params, err := parse[queueParams](raw)
	if err != nil {
		return nil, err
	}
	return nil, p.client.QueueResume(ctx, params.Name, nil)
}

func (p *peer[TTx]) queueUpdate(ctx context.Context, raw json.RawMessage) (any, error) {
	params, err := parse[queueParams](raw)
	if err != nil {
		return nil, err
	}
	queue, err := p.client.QueueUpdate(ctx, params.Name, &river.QueueUpdateParams{Metadata: params.Metadata})
	if err != nil {
		return nil, err
	}
	return queueRowJSON(queue), nil
}
