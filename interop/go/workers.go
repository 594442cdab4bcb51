package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
)

// planArgs are arguments of any kind, kept as text. Of those of a worker one member is looked at: `plan`, which says
// what each attempt does.
type planArgs struct {
	kind string
	raw  json.RawMessage
}

func (args planArgs) Kind() string { return args.kind }
func (args *planArgs) UnmarshalJSON(b []byte) error {
	args.raw = append(args.raw[:0], b...)
	return nil
}

// MarshalJSON gives the text as it is; jobs of which a test says nothing have no arguments.
func (args planArgs) MarshalJSON() ([]byte, error) {
	if len(args.raw) == 0 {
		return []byte("{}"), nil
	}
	return args.raw, nil
}

type planJob = river.Job[planArgs]

// step is what one attempt does. The other side has the same in TypeScript.
type step struct {
	Do       string          `json:"do"`
	Message  string          `json:"message"`
	Ms       int64           `json:"ms"`
	Key      string          `json:"key"`
	Value    json.RawMessage `json:"value"`
	Steps    []resumableStep `json:"steps"`
	FailIn   string          `json:"failIn"`
	RetryMs  *int64          `json:"retryMs"`
	Rollback bool            `json:"rollback"`
	// Do the step only when the attempt has been asked to stop.
	AfterAbort bool `json:"afterAbort"`
}

// resumableStep is a named step; with a cursor to set it is one that has a cursor.
type resumableStep struct {
	Name       string          `json:"name"`
	Cursor     json.RawMessage `json:"cursor"`
	Checkpoint bool            `json:"checkpoint"`
}

// stepOf is the step of a job's present attempt; the last one serves all later attempts too. Claims are counted and
// not attempts, because a snooze gives its attempt back.
func stepOf(job *planJob) (step, error) {
	var args struct {
		Plan []step `json:"plan"`
	}
	if err := json.Unmarshal(job.Args.raw, &args); err != nil {
		return step{}, err
	}
	if len(args.Plan) == 0 {
		return step{Do: "complete"}, nil
	}
	return args.Plan[min(len(job.AttemptedBy), len(args.Plan))-1], nil
}

type planWorker[TTx any] struct {
	river.WorkerDefaults[planArgs]
	database *database[TTx]
}

func addPlanWorker[TTx any](workers *river.Workers, kind string, database *database[TTx]) {
	river.AddWorkerArgs(workers, planArgs{kind: kind}, &planWorker[TTx]{database: database})
}

func (w *planWorker[TTx]) NextRetry(job *planJob) time.Time {
	if step, err := stepOf(job); err == nil && step.RetryMs != nil {
		return time.Now().Add(milliseconds(*step.RetryMs))
	}
	return time.Time{}
}

func (w *planWorker[TTx]) Work(ctx context.Context, job *planJob) error {
	step, err := stepOf(job)
	if err != nil {
		return err
	}
	say(event{Event: "work", JobID: idText(job.ID), Attempt: job.Attempt, Kind: job.Kind, Queue: job.Queue})
	if step.AfterAbort {
		_ = wait(ctx, job)
	}
	switch step.Do {
	case "complete":
		return nil
	case "error":
		return errors.New(step.Message)
	case "panic":
		panic(step.Message)
	case "snooze":
		return river.JobSnooze(milliseconds(step.Ms))
	case "cancel":
		return river.JobCancel(errors.New(step.Message))
	case "wait":
		return wait(ctx, job)
	case "ignore":
		_ = wait(ctx, job)
		return nil
	case "output":
		return river.RecordOutput(ctx, step.Value)
	case "outputThenError":
		if err := river.RecordOutput(ctx, step.Value); err != nil {
			return err
		}
		return errors.New(step.Message)
	case "metadata":
		return river.MetadataSet(ctx, step.Key, step.Value)
	case "completeTx":
		return w.inTransaction(ctx, step.Rollback, func(tx TTx) error { return w.database.complete(ctx, tx, job) })
	case "steps":
		w.resume(ctx, job, step)
		return nil
	}
	return fmt.Errorf("unknown step %q", step.Do)
}

func (w *planWorker[TTx]) inTransaction(ctx context.Context, rollback bool, body func(tx TTx) error) error {
	tx, err := w.database.begin(ctx)
	if err != nil {
		return err
	}
	if err := body(tx); err != nil || rollback {
		return errors.Join(err, w.database.rollback(ctx, tx))
	}
	return w.database.commit(ctx, tx)
}

// resume runs the steps in order and fails in the one that is named, after its cursor has been set.
func (w *planWorker[TTx]) resume(ctx context.Context, job *planJob, plan step) {
	for _, next := range plan.Steps {
		run := func(ctx context.Context, cursor json.RawMessage) error {
			say(event{Event: "step", JobID: idText(job.ID), Detail: map[string]any{"name": next.Name, "cursor": cursor}})
			if err := w.advance(ctx, job, next); err != nil {
				return err
			}
			if next.Name == plan.FailIn {
				return errors.New("failed in " + next.Name)
			}
			return nil
		}
		if next.Cursor == nil {
			river.ResumableStep(ctx, next.Name, nil, func(ctx context.Context) error { return run(ctx, nil) })
		} else {
			river.ResumableStepCursor(ctx, next.Name, nil, run)
		}
	}
}

func (w *planWorker[TTx]) advance(ctx context.Context, job *planJob, next resumableStep) error {
	if next.Checkpoint {
		return w.inTransaction(ctx, false, func(tx TTx) error { return w.database.checkpoint(ctx, tx, job, next.Cursor) })
	}
	if next.Cursor == nil {
		return nil
	}
	return river.ResumableSetCursor(ctx, next.Cursor)
}

func completeTx[TDriver riverdriver.Driver[TTx], TTx any](ctx context.Context, tx TTx, job *planJob) error {
	_, err := river.JobCompleteTx[TDriver](ctx, tx, job)
	return err
}

func checkpointTx[TDriver riverdriver.Driver[TTx], TTx any](ctx context.Context, tx TTx, job *planJob, cursor json.RawMessage) error {
	var err error
	if cursor == nil {
		_, err = river.ResumableSetStepTx[TDriver](ctx, tx, job)
	} else {
		_, err = river.ResumableSetStepCursorTx[TDriver](ctx, tx, job, cursor)
	}
	return err
}

// waiting holds the jobs that wait until they are released.
var waiting sync.Map

// wait ends when the job is released, and with the reason when its context is cancelled.
func wait(ctx context.Context, job *planJob) error {
	released := make(chan struct{})
	waiting.Store(job.ID, released)
	defer waiting.Delete(job.ID)
	say(event{Event: "waiting", JobID: idText(job.ID), Attempt: job.Attempt})
	select {
	case <-released:
		return nil
	case <-ctx.Done():
		say(event{Event: "aborted", JobID: idText(job.ID), Detail: context.Cause(ctx).Error()})
		return ctx.Err()
	}
}

func release(raw json.RawMessage) error {
	params, err := parse[struct {
		ID string `json:"id"`
	}](raw)
	if err != nil {
		return err
	}
	id, err := strconv.ParseInt(params.ID, 10, 64)
	if err != nil {
		return err
	}
	released, ok := waiting.LoadAndDelete(id)
	if !ok {
		return fmt.Errorf("job %d does not wait", id)
	}
	close(released.(chan struct{}))
	return nil
}
