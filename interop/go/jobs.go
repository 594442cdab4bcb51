package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// insertParams describe one job. Args are the text to store, or the values of the tagged type that is named.
type insertParams struct {
	Tx          int64           `json:"tx"`
	Kind        string          `json:"kind"`
	Tagged      string          `json:"tagged"`
	Args        json.RawMessage `json:"args"`
	MaxAttempts int             `json:"maxAttempts"`
	Metadata    json.RawMessage `json:"metadata"`
	Pending     bool            `json:"pending"`
	Priority    int             `json:"priority"`
	Queue       string          `json:"queue"`
	ScheduledAt time.Time       `json:"scheduledAt"`
	Tags        []string        `json:"tags"`
	Unique      *uniqueParams   `json:"unique"`
}

type uniqueParams struct {
	ByArgs      bool                 `json:"byArgs"`
	ByPeriodMs  int64                `json:"byPeriodMs"`
	ByQueue     bool                 `json:"byQueue"`
	ByState     []rivertype.JobState `json:"byState"`
	ExcludeKind bool                 `json:"excludeKind"`
}

func (params insertParams) build() (river.JobArgs, *river.InsertOpts, error) {
	opts := &river.InsertOpts{
		MaxAttempts: params.MaxAttempts, Metadata: params.Metadata, Pending: params.Pending, Priority: params.Priority,
		Queue: params.Queue, ScheduledAt: params.ScheduledAt, Tags: params.Tags,
	}
	if unique := params.Unique; unique != nil {
		opts.UniqueOpts = river.UniqueOpts{ByArgs: unique.ByArgs, ByPeriod: milliseconds(unique.ByPeriodMs),
			ByQueue: unique.ByQueue, ByState: unique.ByState, ExcludeKind: unique.ExcludeKind}
	}
	if params.Tagged != "" {
		args, err := taggedArgs(params.Tagged, params.Kind, params.Args)
		return args, opts, err
	}
	return planArgs{kind: params.Kind, raw: params.Args}, opts, nil
}

type insertResult struct {
	Job       *jobJSON `json:"job"`
	Duplicate bool     `json:"duplicate"`
}

func insertedJSON(result *rivertype.JobInsertResult) insertResult {
	return insertResult{Job: rowJSON(result.Job), Duplicate: result.UniqueSkippedAsDuplicate}
}

func (p *peer[TTx]) insert(ctx context.Context, raw json.RawMessage) (any, error) {
	params, err := parse[insertParams](raw)
	if err != nil {
		return nil, err
	}
	args, opts, err := params.build()
	if err != nil {
		return nil, err
	}
	var result *rivertype.JobInsertResult
	if params.Tx == 0 {
		result, err = p.client.Insert(ctx, args, opts)
	} else if tx, txErr := p.transaction(params.Tx); txErr != nil {
		err = txErr
	} else {
		result, err = p.client.InsertTx(ctx, tx, args, opts)
	}
	if err != nil {
		return nil, err
	}
	return insertedJSON(result), nil
}

type manyParams struct {
	Tx   int64          `json:"tx"`
	Jobs []insertParams `json:"jobs"`
}

func (params manyParams) build() ([]river.InsertManyParams, error) {
	many := make([]river.InsertManyParams, len(params.Jobs))
	for i, job := range params.Jobs {
		args, opts, err := job.build()
		if err != nil {
			return nil, err
		}
		many[i] = river.InsertManyParams{Args: args, InsertOpts: opts}
	}
	return many, nil
}

func (p *peer[TTx]) insertMany(ctx context.Context, raw json.RawMessage) (any, error) {
	params, err := parse[manyParams](raw)
	if err != nil {
		return nil, err
	}
	many, err := params.build()
	if err != nil {
		return nil, err
	}
	var results []*rivertype.JobInsertResult
	if params.Tx == 0 {
		results, err = p.client.InsertMany(ctx, many)
	} else if tx, txErr := p.transaction(params.Tx); txErr != nil {
		err = txErr
	} else {
		results, err = p.client.InsertManyTx(ctx, tx, many)
	}
	if err != nil {
		return nil, err
	}
	values := make([]insertResult, len(results))
	for i, result := range results {
		values[i] = insertedJSON(result)
	}
	return values, nil
}

func (p *peer[TTx]) insertFast(ctx context.Context, raw json.RawMessage) (any, error) {
	params, err := parse[manyParams](raw)
	if err != nil {
		return nil, err
	}
	many, err := params.build()
	if err != nil {
		return nil, err
	}
	return p.client.InsertManyFast(ctx, many)
}

// jobID reads the ID that a call is given, which is text because JavaScript's numbers are not wide enough.
func jobID(raw json.RawMessage) (int64, error) {
	params, err := parse[struct {
		ID string `json:"id"`
	}](raw)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(params.ID, 10, 64)
}

// one makes an operation of a call that takes an ID and gives a row; a row that does not exist is null.
func one(raw json.RawMessage, call func(id int64) (*rivertype.JobRow, error)) (any, error) {
	id, err := jobID(raw)
	if err != nil {
		return nil, err
	}
	row, err := call(id)
	if errors.Is(err, rivertype.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return rowJSON(row), nil
}

func (p *peer[TTx]) get(ctx context.Context, raw json.RawMessage) (any, error) {
	return one(raw, func(id int64) (*rivertype.JobRow, error) { return p.client.JobGet(ctx, id) })
}

func (p *peer[TTx]) cancel(ctx context.Context, raw json.RawMessage) (any, error) {
	params, err := parse[struct {
		Tx int64 `json:"tx"`
	}](raw)
	if err != nil {
		return nil, err
	}
	return one(raw, func(id int64) (*rivertype.JobRow, error) {
		if params.Tx == 0 {
			return p.client.JobCancel(ctx, id)
		}
		tx, err := p.transaction(params.Tx)
		if err != nil {
			return nil, err
		}
		return p.client.JobCancelTx(ctx, tx, id)
	})
}

func (p *peer[TTx]) retry(ctx context.Context, raw json.RawMessage) (any, error) {
	return one(raw, func(id int64) (*rivertype.JobRow, error) { return p.client.JobRetry(ctx, id) })
}

func (p *peer[TTx]) remove(ctx context.Context, raw json.RawMessage) (any, error) {
	return one(raw, func(id int64) (*rivertype.JobRow, error) { return p.client.JobDelete(ctx, id) })
}

func (p *peer[TTx]) update(ctx context.Context, raw json.RawMessage) (any, error) {
	params, err := parse[struct {
		Output json.RawMessage `json:"output"`
	}](raw)
	if err != nil {
		return nil, err
	}
	return one(raw, func(id int64) (*rivertype.JobRow, error) {
		return p.client.JobUpdate(ctx, id, &river.JobUpdateParams{Output: params.Output})
	})
}

type listParams struct {
	IDs        []int64              `json:"ids"`
	Kinds      []string             `json:"kinds"`
	Priorities []int16              `json:"priorities"`
	Queues     []string             `json:"queues"`
	States     []rivertype.JobState `json:"states"`
	TagsAll    []string             `json:"tagsAll"`
	TagsAny    []string             `json:"tagsAny"`
	Metadata   string               `json:"metadata"`
	OrderBy    string               `json:"orderBy"`
	Descending bool                 `json:"descending"`
	Limit      int                  `json:"limit"`
	After      string               `json:"after"`
}

// filters are the conditions that lists and deletions share, each of which answers the parameters with it.
type filters[T any] interface {
	IDs(ids ...int64) T
	Kinds(kinds ...string) T
	Priorities(priorities ...int16) T
	Queues(queues ...string) T
	States(states ...rivertype.JobState) T
	First(count int) T
}

func narrow[T filters[T]](all T, params listParams) T {
	if params.IDs != nil {
		all = all.IDs(params.IDs...)
	}
	if params.Kinds != nil {
		all = all.Kinds(params.Kinds...)
	}
	if params.Priorities != nil {
		all = all.Priorities(params.Priorities...)
	}
	if params.Queues != nil {
		all = all.Queues(params.Queues...)
	}
	if params.States != nil {
		all = all.States(params.States...)
	}
	if params.Limit > 0 {
		all = all.First(params.Limit)
	}
	return all
}

func (params listParams) build() (*river.JobListParams, error) {
	list := narrow(river.NewJobListParams(), params)
	if params.TagsAll != nil {
		list = list.TagsAll(params.TagsAll...)
	}
	if params.TagsAny != nil {
		list = list.TagsAny(params.TagsAny...)
	}
	if params.Metadata != "" {
		list = list.Metadata(params.Metadata)
	}
	if params.OrderBy != "" || params.Descending {
		order := river.SortOrderAsc
		if params.Descending {
			order = river.SortOrderDesc
		}
		list = list.OrderBy(river.JobListOrderByField(cmp.Or(params.OrderBy, "id")), order)
	}
	if params.After != "" {
		cursor := &river.JobListCursor{}
		if err := cursor.UnmarshalText([]byte(params.After)); err != nil {
			return nil, fmt.Errorf("cursor: %w", err)
		}
		list = list.After(cursor)
	}
	return list, nil
}

func (p *peer[TTx]) list(ctx context.Context, raw json.RawMessage) (any, error) {
	params, err := parse[listParams](raw)
	if err != nil {
		return nil, err
	}
	list, err := params.build()
	if err != nil {
		return nil, err
	}
	result, err := p.client.JobList(ctx, list)
	if err != nil {
		return nil, err
	}
	answer := map[string]any{"jobs": rowsJSON(result.Jobs), "nextCursor": nil}
	if result.LastCursor != nil {
		text, err := result.LastCursor.MarshalText()
		if err != nil {
			return nil, err
		}
		answer["nextCursor"] = string(text)
	}
	return answer, nil
}

func (p *peer[TTx]) removeMany(ctx context.Context, raw json.RawMessage) (any, error) {
	params, err := parse[listParams](raw)
	if err != nil {
		return nil, err
	}
	result, err := p.client.JobDeleteMany(ctx, narrow(river.NewJobDeleteManyParams(), params))
	if err != nil {
		return nil, err
	}
	return rowsJSON(result.Jobs), nil
}
