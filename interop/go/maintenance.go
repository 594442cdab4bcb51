package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// The statements of a leader's services with the rows and limits that a test chooses. River for Go lets nobody set them
// but the authors of extensions.

// deleteBefore runs one batch of the job cleaner over all finalized jobs. It answers how many were deleted.
func (p *peer[TTx]) deleteBefore(ctx context.Context, raw json.RawMessage) (any, error) {
	params, err := parse[struct {
		Limit          int      `json:"limit"`
		KeepsCancelled bool     `json:"keepsCancelled"`
		QueuesExcluded []string `json:"queuesExcluded"`
	}](raw)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return p.database.driver.GetExecutor().JobDeleteBefore(ctx, &riverdriver.JobDeleteBeforeParams{
		CancelledDoDelete: !params.KeepsCancelled, CancelledFinalizedAtHorizon: now,
		CompletedDoDelete: true, CompletedFinalizedAtHorizon: now,
		DiscardedDoDelete: true, DiscardedFinalizedAtHorizon: now,
		Max: params.Limit, QueuesExcluded: params.QueuesExcluded,
	})
}

// rescue makes a job retryable as the rescuer does with one that it has found running.
func (p *peer[TTx]) rescue(ctx context.Context, raw json.RawMessage) (any, error) {
	id, err := jobID(raw)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	failed, err := json.Marshal(rivertype.AttemptError{At: now, Attempt: 1, Error: "Stuck job rescued by JobRescuer"})
	if err != nil {
		return nil, err
	}
	_, err = p.database.driver.GetExecutor().JobRescueMany(ctx, &riverdriver.JobRescueManyParams{
		ID: []int64{id}, Error: [][]byte{failed}, FinalizedAt: []*time.Time{nil}, ScheduledAt: []time.Time{now},
		State: []string{string(rivertype.JobStateRetryable)}, StuckHorizon: now,
	})
	return nil, err
}
