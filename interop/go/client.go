package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/riverqueue/river"
)

// peer is one client on one database.
type peer[TTx any] struct {
	database database[TTx]
	client   *river.Client[TTx]

	lock         sync.Mutex
	transactions map[int64]TTx
	lastTx       int64
}

// openParams are the settings of a client; zero values are River's defaults.
type openParams struct {
	ClientID               string         `json:"clientId"`
	Queues                 map[string]int `json:"queues"`
	Kinds                  []string       `json:"kinds"`
	FetchCooldownMs        int64          `json:"fetchCooldownMs"`
	PollIntervalMs         int64          `json:"pollIntervalMs"`
	PollOnly               bool           `json:"pollOnly"`
	JobTimeoutMs           int64          `json:"jobTimeoutMs"`
	RescueAfterMs          int64          `json:"rescueAfterMs"`
	CompletedRetentionMs   int64          `json:"completedRetentionMs"`
	LeaderElectionDisabled bool           `json:"leaderElectionDisabled"`
	FetchOnlyKnownKinds    bool           `json:"fetchOnlyKnownKinds"`
	Periodic               []periodicJob  `json:"periodic"`
}

func milliseconds(count int64) time.Duration { return time.Duration(count) * time.Millisecond }

func (p *peer[TTx]) open(raw json.RawMessage) (any, error) {
	params, err := parse[openParams](raw)
	if err != nil {
		return nil, err
	}
	config := &river.Config{
		ID:                          params.ClientID,
		CompletedJobRetentionPeriod: milliseconds(params.CompletedRetentionMs),
		FetchCooldown:               milliseconds(params.FetchCooldownMs),
		FetchPollInterval:           milliseconds(params.PollIntervalMs),
		PollOnly:                    params.PollOnly,
		JobTimeout:                  milliseconds(params.JobTimeoutMs),
		RescueStuckJobsAfter:        milliseconds(params.RescueAfterMs),
		LeaderElectionDisabled:      params.LeaderElectionDisabled,
		FetchOnlyKnownKinds:         params.FetchOnlyKnownKinds,
		SkipUnknownJobCheck:         true,
		Logger:                      slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	if len(params.Queues) > 0 {
		config.Queues = map[string]river.QueueConfig{}
		for name, workers := range params.Queues {
			config.Queues[name] = river.QueueConfig{MaxWorkers: workers}
		}
		config.Workers = river.NewWorkers()
		for _, kind := range params.Kinds {
			addPlanWorker(config.Workers, kind, &p.database)
		}
	}
	for _, job := range params.Periodic {
		periodic, err := job.build()
		if err != nil {
			return nil, err
		}
		config.PeriodicJobs = append(config.PeriodicJobs, periodic)
	}
	client, err := river.NewClient(p.database.driver, config)
	if err != nil {
		return nil, err
	}
	p.client = client
	p.transactions = map[int64]TTx{}
	if len(params.Queues) > 0 {
		p.report()
	}
	return map[string]any{"clientId": client.ID()}, nil
}

// report makes an event of everything that River for Go lets others subscribe to.
func (p *peer[TTx]) report() {
	events, _ := p.client.SubscribeConfig(&river.SubscribeConfig{
		ChanSize: 100_000,
		Kinds: []river.EventKind{
			river.EventKindJobCancelled, river.EventKindJobCompleted, river.EventKindJobFailed, river.EventKindJobInterrupted,
			river.EventKindJobSnoozed, river.EventKindQueuePaused, river.EventKindQueueResumed,
		},
	})
	go func() {
		for reported := range events {
			line := event{Event: string(reported.Kind)}
			if job := reported.Job; job != nil {
				line.JobID, line.Attempt, line.Kind, line.State = idText(job.ID), job.Attempt, job.Kind, string(job.State)
			}
			if reported.Queue != nil {
				line.Queue = reported.Queue.Name
			}
			say(line)
		}
	}()
}

func (p *peer[TTx]) handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch method {
	case "open":
		return p.open(params)
	case "migrate":
		return p.migrate(ctx, params)
	case "validate":
		return p.validate(ctx, params)
	}
	if p.client == nil {
		return nil, fmt.Errorf("%s before open", method)
	}
	if operate := p.operations()[method]; operate != nil {
		return operate(ctx, params)
	}
	return nil, fmt.Errorf("unknown method %q", method)
}

type operation func(ctx context.Context, params json.RawMessage) (any, error)

func (p *peer[TTx]) operations() map[string]operation {
	return map[string]operation{
		"start": func(ctx context.Context, _ json.RawMessage) (any, error) { return nil, p.client.Start(ctx) },
		"stop":  func(ctx context.Context, _ json.RawMessage) (any, error) { return nil, p.client.Stop(ctx) },
		"stopAndCancel": func(ctx context.Context, _ json.RawMessage) (any, error) {
			return nil, p.client.StopAndCancel(ctx)
		},
		"begin":        p.begin,
		"commit":       p.end(p.database.commit),
		"rollback":     p.end(p.database.rollback),
		"insert":       p.insert,
		"insertMany":   p.insertMany,
		"insertFast":   p.insertFast,
		"get":          p.get,
		"list":         p.list,
		"cancel":       p.cancel,
		"retry":        p.retry,
		"delete":       p.remove,
		"deleteMany":   p.removeMany,
		"update":       p.update,
		"queue":        p.queueGet,
		"queues":       p.queueList,
		"pause":        p.queuePause,
		"resume":       p.queueResume,
		"updateQueue":  p.queueUpdate,
		"deleteBefore": p.deleteBefore,
		"rescue":       p.rescue,
		"requestResign": func(ctx context.Context, _ json.RawMessage) (any, error) {
			return nil, p.client.Notify().RequestResign(ctx)
		},
	}
}

// Transactions are named by a number, so that the driving side can put several calls into one.
func (p *peer[TTx]) begin(ctx context.Context, _ json.RawMessage) (any, error) {
	tx, err := p.database.begin(ctx)
	if err != nil {
		return nil, err
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.lastTx++
	p.transactions[p.lastTx] = tx
	return p.lastTx, nil
}

func (p *peer[TTx]) end(finish func(context.Context, TTx) error) operation {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		params, err := parse[struct {
			Tx int64 `json:"tx"`
		}](raw)
		if err != nil {
			return nil, err
		}
		tx, err := p.transaction(params.Tx)
		if err != nil {
			return nil, err
		}
		p.lock.Lock()
		delete(p.transactions, params.Tx)
		p.lock.Unlock()
		return nil, finish(ctx, tx)
	}
}

func (p *peer[TTx]) transaction(number int64) (TTx, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	tx, ok := p.transactions[number]
	if !ok {
		return tx, errors.New("no such transaction")
	}
	return tx, nil
}
