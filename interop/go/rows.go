package main

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/riverqueue/river/rivertype"
)

// jobJSON is a row with the keys and forms that the other side writes, so that the two can be compared as they are.
type jobJSON struct {
	ID           string               `json:"id"`
	Kind         string               `json:"kind"`
	Queue        string               `json:"queue"`
	State        rivertype.JobState   `json:"state"`
	Priority     int                  `json:"priority"`
	Attempt      int                  `json:"attempt"`
	MaxAttempts  int                  `json:"maxAttempts"`
	Args         json.RawMessage      `json:"args"`
	Metadata     json.RawMessage      `json:"metadata"`
	Tags         []string             `json:"tags"`
	AttemptedBy  []string             `json:"attemptedBy"`
	Errors       []attemptErrorJSON   `json:"errors"`
	CreatedAt    string               `json:"createdAt"`
	ScheduledAt  string               `json:"scheduledAt"`
	AttemptedAt  *string              `json:"attemptedAt"`
	FinalizedAt  *string              `json:"finalizedAt"`
	UniqueKey    []byte               `json:"uniqueKey"`
	UniqueStates []rivertype.JobState `json:"uniqueStates"`
}

type attemptErrorJSON struct {
	At      string `json:"at"`
	Attempt int    `json:"attempt"`
	Error   string `json:"error"`
	Trace   string `json:"trace"`
}

func idText(id int64) string { return strconv.FormatInt(id, 10) }

func timeText(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

func optionalTimeText(at *time.Time) *string {
	if at == nil {
		return nil
	}
	text := timeText(*at)
	return &text
}

func rowJSON(row *rivertype.JobRow) *jobJSON {
	errors := make([]attemptErrorJSON, len(row.Errors))
	for i, failed := range row.Errors {
		errors[i] = attemptErrorJSON{At: timeText(failed.At), Attempt: failed.Attempt, Error: failed.Error, Trace: failed.Trace}
	}
	return &jobJSON{
		ID: idText(row.ID), Kind: row.Kind, Queue: row.Queue, State: row.State, Priority: row.Priority, Attempt: row.Attempt,
		MaxAttempts: row.MaxAttempts, Args: row.EncodedArgs, Metadata: row.Metadata, Tags: orEmpty(row.Tags),
		AttemptedBy: orEmpty(row.AttemptedBy), Errors: errors, CreatedAt: timeText(row.CreatedAt),
		ScheduledAt: timeText(row.ScheduledAt), AttemptedAt: optionalTimeText(row.AttemptedAt),
		FinalizedAt: optionalTimeText(row.FinalizedAt), UniqueKey: row.UniqueKey, UniqueStates: row.UniqueStates,
	}
}

func rowsJSON(rows []*rivertype.JobRow) []*jobJSON {
	values := make([]*jobJSON, len(rows))
	for i, row := range rows {
		values[i] = rowJSON(row)
	}
	return values
}

// A null and an empty list are the same to a reader of rows.
func orEmpty(values []string) []string {
	if values == nil {
		return []string{}
	}
	return values
}

type queueJSON struct {
	Name      string          `json:"name"`
	Metadata  json.RawMessage `json:"metadata"`
	CreatedAt string          `json:"createdAt"`
	PausedAt  *string         `json:"pausedAt"`
	UpdatedAt string          `json:"updatedAt"`
}

func queueRowJSON(queue *rivertype.Queue) *queueJSON {
	return &queueJSON{Name: queue.Name, Metadata: queue.Metadata, CreatedAt: timeText(queue.CreatedAt),
		PausedAt: optionalTimeText(queue.PausedAt), UpdatedAt: timeText(queue.UpdatedAt)}
}
